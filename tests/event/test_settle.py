from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gigsheet.cli.app import app
from gigsheet.records import SheetReading
from gigsheet.report.export import export
from gigsheet.settle import Question, Session
from gigsheet.store import PageTurn, Store, queries
from gigsheet.store.scans import ScanFile
from gigsheet.store.store import SettledMeanwhileError
from gigsheet.store.withdrawn import Place
from tests.event.stack import REFERENCE, game_of, sheet
from tests.event.terminal import Terminal


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
    assert (undone.spot.turn, asked(later)) == (3, ("7F3K-00", 3))
    assert later.undo() is None


def test_only_one_s_own_answers_are_taken_back(store: Store) -> None:
    ana, ben = Session(store, "Ana"), Session(store, "Ben")
    for session in (ana, ben):
        question = session.next()
        assert question is not None
        session.answer(question, question.options[0][0])
    undone = ana.undo()
    assert undone is not None
    assert (undone.spot.turn, undone.holds) == (3, None)
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
    arguments = ["settle", "--event", str(store.folder)]
    run = CliRunner().invoke(app, arguments, input="undo\nquit\n")
    assert run.exit_code == 1
    assert "undone: 7F3K-01  1.jpg, turn 9 is E12 xC' xD' again, as it was read" in run.stdout
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


@pytest.mark.parametrize("typed", ["no, photograph it again!", "skp", "1", "empty", "y"])
def test_only_enter_says_that_nothing_is_wrong_with_a_page(tmp_path: Path, typed: str) -> None:
    event = tmp_path / "event"
    with Store(event, create=True) as store:
        scan_id = store.add_scan(ScanFile("0" * 64, ".jpg", 1, "a.jpg", Path("x")), 1)
        store.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-01").with_flags("unread-sheet-beside")])
        run = CliRunner().invoke(app, ["settle", "--event", str(event)], input=f"{typed}\n")
        assert "\n> Enter: nothing is wrong with it; skip asks later\n> " in run.stdout
        assert run.stdout.endswith("0 settled, 1 still open\n")
        run = CliRunner().invoke(app, ["settle", "--event", str(event)], input=f"{typed}\n\n")
        assert run.stdout.endswith("1 settled, 0 still open\n")


@pytest.mark.parametrize("typed", ["7| E'9", "7. E'9", "7..", "7| what"])
def test_a_row_of_another_number_is_refused(store: Store, typed: str) -> None:
    run = CliRunner().invoke(app, ["settle", "--event", str(store.folder)], input=f"{typed}\n3| B4 -B1\n")
    assert "\n> this is turn 3: type what its row holds, or skip\n> kept. " in run.stdout
    assert [(made["turn"], made["text"]) for made in queries.history(store)] == [(3, "B4 -B1")]


def test_what_was_read_may_begin_with_a_number(tmp_path: Path) -> None:
    with Store(tmp_path / "event", create=True) as store:
        scan_id = store.add_scan(ScanFile("0" * 64, ".jpg", 1, "a.jpg", Path("x")), 1)
        game = game_of([*REFERENCE[:2], "4 -B2", *REFERENCE[3:]])
        store.save_page(scan_id, PageTurn(1), "first", [sheet("7F3K-01", game)])
        question = Session(store).next()
        assert question is not None
        assert question.spot.turn == 3
        assert question.judge(question.options[0][0]).refused is None


def test_undo_takes_back_what_was_answered_here_though_another_terminal_has_the_same_author(store: Store) -> None:
    here, there = Session(store, "Ana"), Session(store, "Ana")
    for session, turn in ((here, 3), (there, 5), (here, 9)):
        question = session.next()
        assert question is not None
        assert question.spot.turn == turn
        session.answer(question, question.options[0][0])
    undone = [here.undo(), here.undo(), here.undo(), here.undo()]
    assert [taken and taken.spot.turn for taken in undone] == [9, 3, 5, None]
    assert (here.settled, here.taken_back) == (0, 1)
    assert there.undo() is None
    assert there.settled == 0


def test_undo_tells_what_holds_then(store: Store) -> None:
    ana, ben = Session(store, "Ana"), Session(store, "Ben")
    question = ana.next()
    assert question is not None
    ana.answer(question, "B4 -B1")
    store.correct(question.sheet.reading_id, question.spot, "B4 -B3", "Ben")
    arguments = ["settle", "--event", str(store.folder), "--author"]
    run = CliRunner().invoke(app, [*arguments, "Ana"], input="u\n")
    assert "undone: 7F3K-00  0.jpg, turn 3 is B4 -B3, as Ben settled it\n" in run.stdout
    assert ben.undo() is not None
    assert asked(Session(store)) == ("7F3K-00", 3)


def test_undo_of_a_page_and_of_a_sheet_that_is_away(tmp_path: Path) -> None:
    event = tmp_path / "event"
    with Store(event, create=True) as store:
        for k in (0, 1):
            scan_id = store.add_scan(ScanFile(f"{k:064}", ".jpg", 1, f"{k}.jpg", Path("x")), 1)
            reading = sheet(f"7F3K-0{k}", source=f"{k}.jpg").with_flags("bent-page")
            store.save_page(scan_id, PageTurn(1), "first", [reading])
        session = Session(store)
        while (question := session.next()) is not None:
            session.answer(question, None)
        store.withdraw([Place(scan_id, 1)])
        run = CliRunner().invoke(app, ["settle", "--event", str(event)], input="u\nu\n")
        assert "undone: page of a sheet that is not in the event any more\n" in run.stdout
        assert "undone: 7F3K-00  0.jpg, page is to be looked at again\n" in run.stdout


def asked_at_once(store: Store) -> list[tuple[Session, Question]]:
    """Two who settle one event, and are asked the same."""
    sessions = [Session(store, author) for author in ("Ana", "Ben")]
    return [(session, question) for session in sessions if (question := session.next()) is not None]


def test_an_answer_to_what_somebody_settled_meanwhile_is_asked_again(store: Store) -> None:
    (ana, mine), (ben, other) = asked_at_once(store)
    ben.answer(other, "B4 -B1")
    with pytest.raises(SettledMeanwhileError, match="Ben settled turn 3 as B4 -B1 meanwhile: "):
        ana.answer(mine, "B4 -B2")
    assert (ana.settled, [made["author"] for made in queries.history(store)]) == (0, ["Ben"])
    assert mine.game is not None
    assert mine.game.rows[2].text == "B4 -B1"
    ana.answer(mine, "B4 -B2")
    undone = ana.undo()
    assert undone is not None
    assert undone.holds is not None
    assert (undone.text, undone.holds.author) == ("B4 -B1", "Ben")


def test_two_may_give_the_same_answer(store: Store) -> None:
    ana, ben = Session(store, "Ana"), Session(store, "Ben")
    for session, question in ((ana, ana.next()), (ben, ben.next())):
        assert question is not None
        session.answer(question, "B4 -B1")
    assert (ana.settled, ben.settled) == (1, 1)


@pytest.mark.skipif(os.name == "nt", reason="terminals are POSIX's")
@pytest.mark.parametrize("live", [False, True])
def test_two_terminals_tell_who_was_quicker(store: Store, live: bool) -> None:
    with Terminal(store.folder, live=live) as terminal:
        terminal.wait_to_be_asked("2  B4 -B1")
        other = Session(store, "Ben")
        question = other.next()
        assert question is not None
        other.answer(question, "B4 -B1")
        terminal.type("\n")
        terminal.wait_for("Ben settled turn 3 as B4 -B1 meanwhile: ")
        terminal.wait_for("\x1b[?2004h" if live else "> ")
        terminal.type("skip\n")
        terminal.wait_to_be_asked("2  C8 -B7")
        terminal.end_input()
        assert terminal.ended() == (1, "0 settled, 2 still open")


@pytest.mark.skipif(os.name == "nt", reason="terminals are POSIX's")
@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("typed", ["", "C9\n"])
def test_ctrl_c_ends_settling_as_an_interruption_and_keeps_every_answer(store: Store, live: bool, typed: str) -> None:
    with Terminal(store.folder, live=live) as terminal:
        terminal.wait_to_be_asked("2  B4 -B1")
        terminal.type("2\n")
        terminal.wait_to_be_asked("2  C8 -B7")
        if typed:  # a slip, which is asked about once more, by another prompt
            terminal.type(typed)
            terminal.wait_for("[y/N] ")
        terminal.interrupt()
        told = "gigsheet: stopped after 1 answer; every answer is kept, start it again to go on"
        assert terminal.ended() == (130, told)
    assert [(made["turn"], made["text"]) for made in queries.history(store)] == [(3, "B4 -B1")]


@pytest.mark.skipif(os.name == "nt", reason="terminals are POSIX's")
@pytest.mark.parametrize("live", [False, True])
def test_the_end_of_the_input_is_a_way_to_stop(store: Store, live: bool) -> None:
    with Terminal(store.folder, live=live) as terminal:
        terminal.wait_to_be_asked("2  B4 -B1")
        terminal.end_input()
        assert terminal.ended() == (1, "0 settled, 3 still open")


@pytest.mark.skipif(os.name == "nt", reason="terminals are POSIX's")
@pytest.mark.parametrize("live", [False, True])
def test_a_reading_that_another_import_replaces_takes_the_answer_over(store: Store, live: bool) -> None:
    (first, _) = queries.sheets(store)
    with Terminal(store.folder, live=live) as terminal:
        terminal.wait_to_be_asked("2  B4 -B1")
        again = sheet("7F3K-00", game_of(REFERENCE, doubt={3: "B4 -B3", 5: "C8 -B7"}), source="0.jpg")
        assert store.save_page(first.scan_id, PageTurn(1, 1), "better", [again])
        terminal.type("2\n")
        terminal.wait_for("0.jpg was read again meanwhile: your answer holds for the new reading\n")
        terminal.wait_for("kept. ")
        terminal.wait_to_be_asked("2  C8 -B7")
        terminal.end_input()
        assert terminal.ended() == (1, "1 settled, 2 still open")
    assert queries.current_state(store, queries.sheets(store)[0].reading_id).reading.games[0].rows[2].text == "B4 -B1"


@pytest.mark.skipif(os.name == "nt", reason="terminals are POSIX's")
@pytest.mark.parametrize("fate", ["withdrawn", "refused", "another sheet"])
def test_an_answer_to_a_sheet_that_is_gone_is_told_and_the_next_is_asked(store: Store, fate: str) -> None:
    (first, _) = queries.sheets(store)
    with Terminal(store.folder, live=False) as terminal:
        terminal.wait_to_be_asked("2  B4 -B1")
        if fate == "withdrawn":
            store.withdraw([Place(first.scan_id, 1)])
        else:
            refused = SheetReading("0.jpg", error="no-sheet", message="take it anew")
            now = refused if fate == "refused" else sheet("7F3K-77", source="0.jpg")
            store.save_page(first.scan_id, PageTurn(1, 1), "other", [now])
        terminal.type("B4 -B3\n")
        terminal.wait_for("0.jpg was withdrawn, or is read as another sheet, meanwhile: turn 3 is not kept as B4 -B3\n")
        terminal.wait_to_be_asked("1  E12 xC' xD'")
        terminal.end_input()
        assert terminal.ended() == (1, "0 settled, 1 still open")


def test_who_settled_first_counts_though_the_sheet_was_read_again_too(store: Store) -> None:
    (ana, mine), (ben, other) = asked_at_once(store)
    ben.answer(other, "B4 -B1")
    again = sheet("7F3K-00", game_of(REFERENCE, doubt={3: "B4 -B3"}), source="0.jpg")
    store.save_page(mine.sheet.scan_id, PageTurn(1, 1), "better", [again])
    with pytest.raises(SettledMeanwhileError, match="Ben settled turn 3 as B4 -B1 meanwhile: "):
        ana.answer(mine, "B4 -B2")
    ana.answer(mine, "B4 -B2")
    assert [made["author"] for made in queries.history(store)] == ["Ben", "Ana"]


def test_an_answer_counts_as_settled_though_nothing_is_read_there_any_more(store: Store, tmp_path: Path) -> None:
    """An empty last row, and flags that a better reading does without, leave nothing to show an answer beside."""
    (first, _) = queries.sheets(store)
    with_flag = sheet("7F3K-00", game_of(REFERENCE, doubt={10: "E'11"}), source="0.jpg").with_flags("bent-page")
    store.save_page(first.scan_id, PageTurn(1, 1), "second", [with_flag])
    run = CliRunner().invoke(app, ["settle", "--event", str(store.folder)], input="\nempty\nq\n")
    assert "2 settled, 2 still open" in run.stdout, "the last turn is missing, and so is the result's winner"
    store.save_page(first.scan_id, PageTurn(1, 2), "third", [sheet("7F3K-00", source="0.jpg")])
    counts = queries.counts(store)
    assert (counts.settled, counts.open) == (2, 2)
    export(store, tmp_path / "out")
    assert "7F3K-00,1,10,10|,1.0,,yes," in (tmp_path / "out" / "rows.csv").read_text(encoding="utf-8-sig")
    store.save_page(
        first.scan_id, PageTurn(1, 3), "fourth", [SheetReading("0.jpg", error="no-sheet", message="take it anew")]
    )
    assert export(store, tmp_path / "out").refused == 1
