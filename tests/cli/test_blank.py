"""`gigsheet blank` from the outside: files, exit statuses, one clear line for each thing that is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest
from click.testing import CliRunner, Result

from gigsheet.cli.app import app
from gigsheet.errors import GigsheetError


def blank(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["blank", *map(str, arguments)])


def text_of(path: Path) -> list[str]:
    return [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(path)]


def test_a_sheet_and_its_layout(tmp_path: Path) -> None:
    pdf, layout = tmp_path / "blank.pdf", tmp_path / "blank.layout.json"
    done = blank("--template", "match", "--paper", "Letter", "-o", pdf, "--layout", layout, "--serial-start", "7F3K-02")
    assert done.exit_code == 0
    assert done.stdout == f"{pdf}: 1 sheet, match on letter, serial 7F3K-02\n"
    assert "7F3K-02" in text_of(pdf)[0]
    told = json.loads(layout.read_text())
    assert (told["schema"], told["template"], told["paper"]) == ("gigsheet.layout/1", "match", "letter")
    assert len(told["pages"]) == 1


def test_copies_have_serials_of_their_own(tmp_path: Path) -> None:
    pdf = tmp_path / "b.pdf"
    done = blank("--copies", 3, "-o", pdf, "--serial-start", "7F3K-99", "--event", "Night City Open", "--round", 4)
    assert done.exit_code == 0
    pages = text_of(pdf)
    assert [f"7F3K-{n}" in page for n, page in zip(("099", "100", "101"), pages, strict=True)] == [True] * 3
    assert all("Night City Open" in page for page in pages)


def test_pairings_give_each_player_a_sheet(tmp_path: Path) -> None:
    pairings = tmp_path / "round.csv"
    pairings.write_text("table,we,they\n12,Anna Nowak,Béla Kovács\n13,Çelik,Ødegård\n", encoding="utf-8")
    done = blank("--pairings", pairings, "-o", tmp_path / "b.pdf")
    assert done.exit_code == 0
    pages = text_of(tmp_path / "b.pdf")
    assert len(pages) == 4
    order = [page.index("Anna Nowak") < page.index("Béla Kovács") for page in pages[:2]]
    assert order == [True, False]
    assert all("Ødegård" in page and "13" in page for page in pages[2:])


def test_a_name_the_font_lacks_is_left_for_the_pen_and_said(tmp_path: Path) -> None:
    pairings = tmp_path / "round.csv"
    pairings.write_text("table,we,they\n1,中村,Ann\n", encoding="utf-8")
    done = blank("--pairings", pairings, "-o", tmp_path / "b.pdf")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "中 村" in done.stderr
    assert "write it by hand" in done.stderr
    assert len(text_of(tmp_path / "b.pdf")) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--template", "double"], "no template 'double' on 'a4' paper: there are match on a4"),
        (["--paper", "a5"], "no template 'single' on 'a5' paper"),
        (["--copies", "0"], "write 1 or more"),
        (["--serial-start", "hello"], "such as 7F3K-02"),
        (["--pairings", "none.csv"], "none.csv: cannot be read"),
        (["-o", "no/such/folder/b.pdf"], "no/such/folder/b.pdf: cannot be written"),
        (["--layout", "."], ".: cannot be written"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = blank(*arguments)
    assert isinstance(done.exception, GigsheetError)
    assert done.exception.exit_status == 2
    assert message in done.exception.message
    assert "\n" not in done.exception.message


def test_the_console_script_ends_in_one_line_and_status_2(tmp_path: Path) -> None:
    code = "from gigsheet.cli import main; main()"
    command = [sys.executable, "-c", code, "blank", "--paper", "a5", "-o", str(tmp_path / "b.pdf")]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.startswith("gigsheet: no template")
    assert run.stderr.count("\n") == 1
    assert run.stdout == ""


@pytest.mark.parametrize(("one", "two"), [("-o", "--layout"), ("-o", "--printed"), ("--layout", "--printed")])
def test_no_file_is_written_over_another(tmp_path: Path, one: str, two: str) -> None:
    done = blank(one, tmp_path / "same.out", two, tmp_path / "." / "same.out")
    assert isinstance(done.exception, GigsheetError)
    assert done.exception.message.startswith(f"{one} and {two} both name ")
    assert not (tmp_path / "same.out").exists()


def test_a_link_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop.pdf").symlink_to("loop.pdf")
    done = blank("-o", tmp_path / "loop.pdf")
    assert isinstance(done.exception, GigsheetError)
    assert "loop.pdf: cannot be written" in done.exception.message


def test_pairings_are_not_written_over(tmp_path: Path) -> None:
    pairings = tmp_path / "round.csv"
    pairings.write_text("table,we,they\n1,Anna,Ben\n")
    done = blank("--pairings", pairings, "-o", pairings)
    assert isinstance(done.exception, GigsheetError)
    assert pairings.read_text().startswith("table,we,they")


def test_an_event_that_is_not_utf8_is_left_for_the_pen(tmp_path: Path) -> None:
    done = blank("--event", os.fsdecode(b"ev\xff"), "-o", tmp_path / "b.pdf", "--printed", tmp_path / "list.csv")
    assert done.exit_code == 1
    assert r"ev\udcff" in (tmp_path / "list.csv").read_text(encoding="utf-8-sig")


def test_a_control_sign_is_named_and_not_printed(tmp_path: Path) -> None:
    done = blank("--event", "a\nb\0c", "-o", tmp_path / "blank.pdf")
    assert done.exit_code == 1
    assert "has no U+0000 " in done.stderr
    assert len(done.stderr.splitlines()) == 1
