from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gigsheet.cli.app import app
from gigsheet.settle import Session
from gigsheet.store import PageTurn, Store, queries
from gigsheet.store.scans import ScanFile
from tests.event.stack import REFERENCE, game_of, sheet


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "event", create=True) as opened:
        for k, doubt in enumerate(({3: "B4 -B1", 5: "C8 -B7"}, {9: "E12 xC'"})):
            scan_id = opened.add_scan(ScanFile(f"{k:064}", ".jpg", 1, f"{k}.jpg", Path("x")), 1)
            reading = sheet(f"7F3K-0{k}", game_of(REFERENCE, doubt=doubt), source=f"{k}.jpg")
            opened.save_page(scan_id, PageTurn(1), "first", [reading])
        yield opened


def asked(session: Session) -> tuple[str | None, int] | None:
    question = session.next()
    return question and (question.sheet.serial, question.spot.turn)


def test_entries_come_from_the_top_and_an_answer_is_kept_at_once(store: Store) -> None:
    session = Session(store, "Ana")
    question = session.next()
    assert question is not None
    assert question.options == (("B4 -B2", 0.7), ("B4 -B1", 0.25))
    session.answer(question, question.judge("B4 -B2").text)
    assert asked(Session(store)) == ("7F3K-00", 5)
    assert queries.history(store)[0]["author"] == "Ana"


def test_skipped_entries_come_again_the_next_time(store: Store) -> None:
    session = Session(store)
    for _ in range(3):
        question = session.next()
        assert question is not None
        session.skip(question)
    assert session.next() is None
    assert asked(Session(store)) == ("7F3K-00", 3)


def test_undo_asks_again_even_in_a_later_session(store: Store) -> None:
    session = Session(store)
    question = session.next()
    assert question is not None
    session.answer(question, "B4 -B2")
    later = Session(store)
    undone = later.undo()
    assert undone is not None
    assert (undone["turn"], asked(later)) == (3, ("7F3K-00", 3))
    assert later.undo() is None


def test_only_one_s_own_answers_are_taken_back(store: Store) -> None:
    ana, ben = Session(store, "Ana"), Session(store, "Ben")
    for session in (ana, ben):
        question = session.next()
        assert question is not None
        session.answer(question, question.options[0][0])
    undone = ana.undo()
    assert undone is not None
    assert (undone["turn"], undone["author"]) == (3, "Ana")
    assert (ana.settled, ana.undo(), ana.can_undo, ben.can_undo) == (0, None, False, True)
    assert asked(Session(store)) == ("7F3K-00", 3)


def test_a_superscript_is_no_choice_and_no_number(store: Store) -> None:
    arguments = ["settle", "--event", str(store.folder)]
    run = CliRunner().invoke(app, arguments, input="²\nn\nq\n")
    assert run.exception is None or isinstance(run.exception, SystemExit)
    assert run.exit_code == 1


def test_a_number_of_thousands_of_digits_is_no_choice(store: Store) -> None:
    run = CliRunner().invoke(app, ["settle", "--event", str(store.folder)], input=f"{'9' * 5000}\nq\n")
    assert "there is no choice 999" in run.output
    assert run.exit_code == 1


@pytest.mark.parametrize(
    ("typed", "text", "problem"),
    [
        ("b4 −b3", "B4 -B3", ""),
        ("B4 -B9", "B4 -B9", "9"),
        ("B4 what", "B4 what", "what"),
        ("", "", ""),
    ],
)
def test_what_is_typed_is_made_canonical_and_checked(store: Store, typed: str, text: str, problem: str) -> None:
    question = Session(store).next()
    assert question is not None
    verdict = question.judge(typed)
    assert verdict.text == text
    assert verdict.refused is None
    assert bool(verdict.problems) == bool(problem)
    assert problem in " ".join(verdict.problems)


def test_an_answer_tells_what_it_would_do_to_other_rows_and_the_outcome(store: Store) -> None:
    question = Session(store).next()
    assert question is not None
    verdict = question.judge("B4 -B1")
    assert verdict.others == (5,)
    assert verdict.outcome.startswith("WE win")


def test_choices_are_answered_in_their_own_words(tmp_path: Path) -> None:
    game = game_of(REFERENCE, result="THEY")
    object.__setattr__(game.result, "flags", ("result-mismatch",))
    with Store(tmp_path / "event", create=True) as store:
        scan_id = store.add_scan(ScanFile("0" * 64, ".jpg", 1, "a.jpg", Path("x")), 1)
        store.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-01", game).with_flags("bent-page")])
        session = Session(store)
        page = session.next()
        assert page is not None
        assert page.spot.field == "page"
        session.answer(page, page.judge("").text)
        question = session.next()
        assert question is not None
        assert [text for text, _ in question.options] == ["THEY", "WE", "draw"]
        assert question.judge("nobody").refused
        session.answer(question, question.judge("we concession").text)
        assert session.next() is None
        (result,) = queries.results(store)
        assert (result.result, result.also, result.winner) == ("WE", ("concession",), "WE")


def test_the_last_answer_can_be_undone_once_nothing_is_open(store: Store) -> None:
    session = Session(store)
    while (question := session.next()) is not None:
        session.answer(question, question.options[0][0])
    answered = queries.history(store)[-1]
    arguments = ["settle", "--event", str(store.folder)]
    run = CliRunner().invoke(app, arguments, input="undo\nquit\n")
    assert run.exit_code == 1
    assert f"undone: turn {answered['turn']} is " in run.stdout
    assert "0 settled, 1 of before taken back, 1 still open" in run.stdout
    for last in ("", "\n", "quit\n"):
        run = CliRunner().invoke(app, arguments, input="\n" + last)
        assert run.exit_code == 0
        assert "0 still open" in run.stdout


def test_nothing_is_asked_where_nothing_was_ever_open(tmp_path: Path) -> None:
    with Store(tmp_path / "event", create=True):
        run = CliRunner().invoke(app, ["settle", "--event", str(tmp_path / "event")])
    assert (run.exit_code, run.stdout.splitlines()[-1]) == (0, "0 settled, 0 still open")
    assert "undo takes back" not in run.stdout
