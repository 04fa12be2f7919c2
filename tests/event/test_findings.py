from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gigsheet.errors import UsageError
from gigsheet.notation.rewrite import flip
from gigsheet.notation.simulate import simulate_game
from gigsheet.records import GameReading
from gigsheet.store import PageTurn, PrintedSheet, Store
from gigsheet.store.findings import find
from gigsheet.store.printed import read_printed, write_printed
from gigsheet.store.scans import ScanFile
from tests.event.stack import REFERENCE, game_of, sheet


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "event", create=True) as opened:
        yield opened


def add(store: Store, serial: str | None, *games: GameReading, template: str = "single") -> None:
    number = store_size(store)
    file = ScanFile(f"{number:064}", ".jpg", 1, f"photo{number}.jpg", Path("x"))
    reading = sheet(serial, *games, source=file.name)
    assert reading.sheet is not None
    object.__setattr__(reading.sheet, "template", template)
    store.save_page(store.add_scan(file, 1), PageTurn(1), "first", [reading])


def store_size(store: Store) -> int:
    from gigsheet.store.queries import counts

    return counts(store).scans


def flipped(texts: list[str]) -> list[str]:
    return [line.partition("|")[2].strip() for line in flip("\n".join(texts)).splitlines()[1:]]


def other_game(seed: int) -> list[str]:
    text = simulate_game(random.Random(seed)).text
    return [line.partition("|")[2].strip() for line in text.splitlines() if "|" in line]


def test_nothing_to_find_in_different_games(store: Store) -> None:
    for k in range(6):
        add(store, f"7F3K-0{k}", game_of(other_game(k)))
    assert find(store).same_games == ()
    assert not find(store).any


def test_one_serial_twice_is_reported_and_never_merged(store: Store) -> None:
    add(store, "7F3K-01")
    add(store, "7F3K-01")
    found = find(store)
    assert [[s.source for s in same] for same in found.duplicates] == [["photo0.jpg", "photo1.jpg"]]
    assert found.same_games == ()
    assert found.any


def test_both_players_sheets_of_one_game_are_found_and_compared(store: Store) -> None:
    add(store, "7F3K-01", game_of(REFERENCE))
    add(store, "7F3K-02", game_of(flipped(REFERENCE)))
    (pair,) = find(store).same_games
    assert pair.differences == ()
    assert not find(store).any


def test_two_sheets_of_one_game_that_differ_name_the_turns(store: Store) -> None:
    theirs = flipped(REFERENCE)
    theirs[4] = "C'7 -B'1"
    add(store, "7F3K-01", game_of(REFERENCE))
    add(store, "7F3K-02", game_of(theirs))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.text_a, t.text_b) for t in pair.differences] == [(5, "C8 -B1", "C7 -B1")]


def test_two_sheets_that_number_the_turns_differently_differ(store: Store) -> None:
    add(store, "7F3K-01", game_of(REFERENCE))
    game = game_of(REFERENCE)
    add(store, "7F3K-02", replace(game, transcript=game.transcript.replace("10|", "\n11|")))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.number_b) for t in pair.differences] == [(10, 11)]


def test_a_row_left_blank_is_not_one_that_cannot_be_read(store: Store) -> None:
    game = game_of(REFERENCE)
    blank, unreadable = (game.transcript.replace("9| E12 xC' xD'", row) for row in ("", "9|"))
    add(store, "7F3K-01", replace(game, transcript=blank))
    add(store, "7F3K-02", replace(game, transcript=unreadable))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.text_a, t.number_b, t.text_b) for t in pair.differences] == [(None, "", 9, "9|")]


def test_a_match_without_its_third_game_is_reported(store: Store) -> None:
    lost = game_of(other_game(1), result="THEY", number=2)
    add(store, "7F3K-01", game_of(REFERENCE), lost, template="match")
    add(store, "7F3K-02", game_of(REFERENCE), template="match")
    assert [s.serial for s in find(store).unfinished] == ["7F3K-01"]


def test_printed_sheets_that_did_not_come_and_those_nobody_printed(store: Store, tmp_path: Path) -> None:
    sheets = [
        PrintedSheet("7F3K-01", "Open", "1", "1", "Ana", "=Bo"),
        PrintedSheet("7F3K-02", "Open", "1", "1", "=Bo", "Ana"),
        PrintedSheet("7F3K-03", "Open", "1", "2", "Cy", "Di"),
    ]
    path = tmp_path / "printed.csv"
    path.write_text(write_printed(sheets), encoding="utf-8", newline="")
    assert ",=Bo" not in path.read_text()
    assert read_printed(path) == sheets
    store.record_printed(sheets)
    add(store, "7F3K-01")
    add(store, "ZZZZ-09", game_of(other_game(3)))
    found = find(store)
    assert [s.serial for s in found.to_come] == ["7F3K-02", "7F3K-03"]
    assert [(t.table, t.came, t.missing) for t in found.incomplete] == [("1", ("7F3K-01",), ("7F3K-02",))]
    assert [s.serial for s in found.unknown] == ["ZZZZ-09"]


def test_a_list_with_a_cell_as_long_as_a_book_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "printed.csv"
    for text in (f"serial,we\n7F3K-01,{'x' * 200_000}\n", f"serial,{'x' * 200_000}\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match="no CSV"):
            read_printed(path)


def test_serials_skipped_in_a_stack(store: Store) -> None:
    for k, number in enumerate((1, 2, 5)):
        add(store, f"7F3K-0{number}", game_of(other_game(k)))
    assert find(store).gaps == ("7F3K-03", "7F3K-04")
