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


def theirs(texts: list[str] | None = None, *, first: str = "THEY", result: str = "THEY") -> GameReading:
    """The reference's game as the other side of the table has it on their sheet, or with other `texts`."""
    return game_of(texts or flipped(list(REFERENCE)), first=first, result=result)


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
    add(store, "7F3K-02", theirs())
    (pair,) = find(store).same_games
    assert (pair.turns, pair.marks) == ((), ())
    assert not find(store).any


def test_two_sheets_of_one_game_that_differ_name_the_turns(store: Store) -> None:
    texts = flipped(REFERENCE)
    texts[4] = "C'7 -B'1"
    add(store, "7F3K-01", game_of(REFERENCE))
    add(store, "7F3K-02", theirs(texts))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.text_a, t.text_b) for t in pair.turns] == [(5, "C8 -B1", "C7 -B1")]
    assert pair.marks == ()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("turn_5", ["C8 -B1", "C7 -B1"])
def test_two_sheets_of_one_game_that_differ_in_a_printed_choice_name_it(
    store: Store, turned: bool, turn_5: str
) -> None:
    texts = [*REFERENCE[:4], turn_5, *REFERENCE[5:]]
    add(store, "7F3K-01", game_of(REFERENCE))
    add(store, "7F3K-02", theirs(flipped(texts), first="WE", result="WE") if turned else theirs(texts))
    found = find(store)
    (pair,) = found.same_games_that_differ
    assert pair.marks == (("first", "WE", "THEY"), ("result", "WE", "THEY"))
    assert len(pair.turns) == (turn_5 not in REFERENCE)
    assert found.any


def test_a_result_box_that_says_more_differs_and_one_left_to_the_dice_does_not(store: Store) -> None:
    add(store, "7F3K-01", game_of(REFERENCE, result=None))
    add(store, "7F3K-02", theirs())
    assert not find(store).same_games_that_differ
    game = game_of(REFERENCE[:9], result=None)  # the dice do not decide it
    add(store, "7F3K-03", game)
    add(store, "7F3K-04", replace(game, result=replace(game.result, value="WE", also=("concession",))))
    pairs = {(pair.a.sheet.serial, pair.b.sheet.serial): pair for pair in find(store).same_games}
    assert pairs["7F3K-03", "7F3K-04"].marks == (("result", "", "WE, concession"),)


def test_two_sheets_that_number_the_turns_differently_differ(store: Store) -> None:
    add(store, "7F3K-01", game_of(REFERENCE))
    game = game_of(REFERENCE)
    add(store, "7F3K-02", replace(game, transcript=game.transcript.replace("10|", "\n11|")))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.number_b) for t in pair.turns] == [(10, 11)]


def test_a_row_left_blank_is_not_one_that_cannot_be_read(store: Store) -> None:
    game = game_of(REFERENCE)
    blank, unreadable = (game.transcript.replace("9| E12 xC' xD'", row) for row in ("", "9|"))
    add(store, "7F3K-01", replace(game, transcript=blank))
    add(store, "7F3K-02", replace(game, transcript=unreadable))
    (pair,) = find(store).same_games_that_differ
    assert [(t.number_a, t.text_a, t.number_b, t.text_b) for t in pair.turns] == [(None, "", 9, "9|")]


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


ANA, BO = "7F3K-01", "7F3K-02"
TABLE_3 = [PrintedSheet(ANA, "Open", "1", "3", "Ana", "Bo"), PrintedSheet(BO, "Open", "1", "3", "Bo", "Ana")]


def winners(store: Store) -> list[tuple[str, str, int, list[tuple[str | None, str]]]]:
    """Of the games whose winners differ: round, table, game, and who won on which sheet."""
    return [
        (d.round, d.table, d.game, [(claim.game.sheet.serial, claim.winner) for claim in d.claims])
        for d in find(store).disputed
    ]


def test_two_wholly_different_games_that_each_player_won_are_no_result(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(other_game(1), result="WE"))
    add(store, BO, game_of(other_game(2), result="WE"))
    found = find(store)
    assert found.same_games == ()
    assert winners(store) == [("1", "3", 1, [(ANA, "Ana"), (BO, "Bo")])]
    assert found.any


@pytest.mark.parametrize(
    ("ana", "bo", "told"), [("WE", "THEY", []), ("draw", "draw", []), ("draw", "WE", ["draw", "Bo"]), ("WE", None, [])]
)
def test_winners_are_compared_by_name(store: Store, ana: str, bo: str | None, told: list[str]) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE[:9], result=ana))
    add(store, BO, game_of(other_game(2)[:3], result=bo))  # which the dice do not decide
    assert [claim.winner for dispute in find(store).disputed for claim in dispute.claims] == told


def test_a_result_left_to_the_dice_is_compared_as_well(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE, result=None))
    add(store, BO, game_of(other_game(2)[:3], result="WE"))
    assert winners(store) == [("1", "3", 1, [(ANA, "Ana"), (BO, "Bo")])]


def test_rivals_who_both_write_one_side_as_theirs_do_not_agree(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE))
    add(store, BO, game_of(REFERENCE))
    (pair,) = find(store).same_games_that_differ
    assert pair.same_side
    assert pair.marks == (("first", "WE", "THEY"), ("result", "WE", "THEY"))
    assert winners(store) == [("1", "3", 1, [(ANA, "Ana"), (BO, "Bo")])]


def test_nor_do_they_where_they_name_one_winner(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE))
    add(store, BO, theirs([*REFERENCE[:4], "C7 -B1", *REFERENCE[5:]]))
    (pair,) = find(store).same_games_that_differ
    assert pair.same_side
    assert pair.marks == ()
    assert winners(store) == []


def test_rivals_whose_sheets_are_each_other_s_mirror_agree(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE))
    add(store, BO, theirs())
    (pair,) = find(store).same_games
    assert not pair.differ
    assert not find(store).any


def test_sheets_of_one_player_or_of_other_pairings_are_not_held_against_each_other(store: Store) -> None:
    sheets = [
        PrintedSheet("7F3K-03", "Open", "1", "4", "Cy", "Di"),
        PrintedSheet("7F3K-04", "Open", "1", "4", "Cy", "Di"),
        PrintedSheet("7F3K-05", "Open", "2", "4", "Di", "Cy"),
        PrintedSheet("7F3K-06", "Open", "1", "5", "Di", "Cy"),
        PrintedSheet("7F3K-07", "Open", "1", "6"),
        PrintedSheet("7F3K-08", "Open", "1", "6"),
    ]
    store.record_printed(sheets)
    for printed in sheets:
        add(store, printed.serial, game_of(REFERENCE))
    assert not any(pair.same_side for pair in find(store).same_games)
    assert winners(store) == []


def test_a_sheet_that_came_twice_is_in_the_dispute_twice(store: Store) -> None:
    store.record_printed(TABLE_3)
    add(store, ANA, game_of(REFERENCE))
    add(store, ANA, game_of(REFERENCE, result="THEY"))
    assert winners(store) == []
    add(store, BO, theirs())
    assert winners(store) == [("1", "3", 1, [(ANA, "Ana"), (ANA, "Bo"), (BO, "Ana")])]


def test_of_several_sheets_a_player_nobody_knows_which_belong_together(store: Store) -> None:
    second = [replace(printed, serial=serial) for printed, serial in zip(TABLE_3, ("7F3K-03", "7F3K-04"), strict=True)]
    store.record_printed([*TABLE_3, *second])
    add(store, ANA, game_of(other_game(1), result="WE"))
    add(store, "7F3K-03", game_of(other_game(2), result="THEY"))
    add(store, BO, game_of(other_game(3), result="WE"))
    assert winners(store) == [], "the sheet that names the other winner may be still to come"
    add(store, "7F3K-04", game_of(other_game(4), result="WE"))
    (dispute,) = winners(store)
    assert [winner for _, winner in dispute[3]] == ["Ana", "Bo", "Bo", "Bo"]
