"""What the rules add to a row: texts near the ink, and boards that may have been meant."""

from __future__ import annotations

import pytest

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.ctc import log_likelihoods
from gigsheet.decode.intent import MOST, intended
from gigsheet.decode.lattice import turn_of
from gigsheet.decode.repairs import repairs, variants
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import State
from tests.decode.ink import glyphs

START = State.start("WE")


def after(*turns: str) -> State:
    state = START
    for text in turns:
        state, codes = play_turn(state, turn_of(text, True))
        assert codes == ()
    return state


def test_a_legal_text_that_the_ink_hides_is_found_and_scored_exactly() -> None:
    seen = glyphs("A'4", {1: {"": 0.003}})
    listed = [Candidate("A'4", "A'4", 0.0, well_formed=True)]
    found = {candidate.text: candidate for candidate in repairs(listed, seen, START)}
    assert "A4" in found
    assert found["A4"].ink == pytest.approx(log_likelihoods([(seen.log_probs, "A4")])[0])
    assert all(play_turn(START, turn_of(text, True))[1] == () for text in found)


def test_what_the_ink_rules_out_is_not_added() -> None:
    listed = [Candidate("A'4", "A'4", 0.0, well_formed=True)]
    assert repairs(listed, glyphs("A'4", sharp=1e-9), START) == []


def test_variants_are_one_character_away() -> None:
    found = set(variants("xB3"))
    assert {"+B3", "xC3", "xB4", "xB", "xB'3", "xB13"} <= found
    assert "xB3" not in found


@pytest.mark.parametrize(
    ("before", "written", "meant"),
    [
        ((), "A'4", "A4"),
        ((), "A9", "A4"),
        (("B5",), "A4", "A'4"),
        (("B5", "A'2"), "C3 -B6", "C3 +B6"),
        (("B5", "A'2"), "-B4", "A2 -B4"),
    ],
)
def test_what_was_meant_is_among_the_boards(before: tuple[str, ...], written: str, meant: str) -> None:
    state = after(*before)
    where = {die: state_after.controller(die) for state_after in [after(*before, meant)] for die in state_after.board()}
    boards = intended(state, turn_of(written, True))
    assert any({die: board.controller(die) for die in board.board()} == where for board in boards)
    assert len(set(boards)) == len(boards) <= MOST
