"""What holds of any text, any game, any state (hypothesis)."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gigsheet.notation import (
    DICE,
    Entry,
    IllegalMoveError,
    Move,
    Ruleset,
    Turn,
    check,
    format_turn,
    legal_moves,
    parse_turn,
)
from gigsheet.notation.check import play_turn
from gigsheet.notation.explain import explain_report, explain_text
from gigsheet.notation.rewrite import UnparsedError, flip, flip_turn, format_text
from gigsheet.notation.rules import State, apply, end_turn
from gigsheet.notation.simulate import simulate_game
from gigsheet.notation.trace import trace_html, trace_text

values = st.integers(0, 25)
dice = st.sampled_from(DICE)
moves = st.one_of(
    st.builds(lambda *parts: Move(*parts), st.sampled_from(["", "+", "-", "=", "~", "x"]), dice, values),
    st.builds(lambda die: Move("x", die), dice),
    st.builds(lambda one, two: Move("<>", one, None, two), dice, dice),
)
plain_entries = moves.map(lambda move: Entry((move,)))
reactions = st.lists(moves, min_size=1, max_size=3).map(lambda several: Entry(tuple(several), reaction=True))
turns = st.lists(plain_entries | reactions, max_size=5).map(lambda entries: Turn(tuple(entries)))
notation_signs = st.text("ABCDEFabf'’xX×+-−=~<>()|.…0123456789 ;\n\r\tz:irstWE", max_size=80)
games = st.builds(
    lambda seed, ruleset, slips: (simulate_game(random.Random(seed), ruleset=ruleset, slips=slips), ruleset),
    st.integers(0, 10**6),
    st.sampled_from(["cr", "alpha", "quickref"]),
    st.sampled_from([0.0, 1.0]),
)


@given(st.text(max_size=200) | notation_signs)
@example("first\x00")
@example("fİrst: WE")
@example("A" + "9" * 5000)
@example("( ( (A4 \ufeff")
@settings(max_examples=300, deadline=None)
def test_no_text_crashes_anything(text: str) -> None:
    for ruleset in ("cr", "quickref"):
        report = check(text, ruleset=ruleset, strict=True)
        json.dumps(report.to_dict())
        lines = report.transcript.lines
        for diagnostic in report.diagnostics:
            start, end = diagnostic.span
            assert 0 <= start <= end <= len(lines[diagnostic.line - 1].text)
            assert diagnostic.message
        order = [(d.line, d.span[0]) for d in report.diagnostics]
        assert order == sorted(order)
        explain_report(report)
    trace_text(report)
    trace_html(report)
    explain_text(text)
    play_turn(State.start(), parse_turn(text))


@given(turns)
def test_format_and_parse_are_inverse(turn: Turn) -> None:
    assert parse_turn(format_turn(turn)) == turn
    assert parse_turn("7| " + format_turn(turn)) == turn
    assert parse_turn(format_turn(turn).replace(" ", "")) == turn


@given(turns)
def test_flipping_a_turn_twice(turn: Turn) -> None:
    assert flip_turn(flip_turn(turn)) == turn


@given(notation_signs)
def test_what_parses_has_a_canonical_form_of_which_the_checker_says_the_same(text: str) -> None:
    try:
        canonical = format_text(text)
    except UnparsedError:
        assert any(d.code == "syntax" for d in check(text).diagnostics)
        return
    assert format_text(canonical) == canonical
    assert flip(flip(canonical)) == canonical
    before, after = check(text).to_dict(), check(canonical, strict=True).to_dict()
    assert [(d["code"], d["turn"], d["entry"]) for d in before["diagnostics"]] == [
        (d["code"], d["turn"], d["entry"]) for d in after["diagnostics"]
    ]
    assert (before["boards"], before["outcome"], before["turns"]) == (after["boards"], after["outcome"], after["turns"])


@given(games)
@settings(deadline=None)
def test_simulated_games(made: tuple) -> None:
    game, ruleset = made
    report = check(game.text, ruleset=ruleset, strict=True)
    assert format_text(game.text) == game.text
    if game.slip is None:
        assert report.diagnostics == ()
        assert report.outcome.winner == game.final.winner
    flipped = check(flip(game.text), ruleset=ruleset)
    assert [d.code for d in flipped.diagnostics] == [d.code for d in report.diagnostics]
    other = {"WE": "THEY", "THEY": "WE", None: None}
    assert flipped.outcome.winner == other[report.outcome.winner]


@given(st.integers(0, 10**6), st.sampled_from(["cr", "alpha", "quickref"]))
@settings(max_examples=40, deadline=None)
def test_any_choice_of_legal_moves_checks_clean(seed: int, ruleset: str) -> None:
    rng = random.Random(seed)
    state = State.start(rng.choice(["WE", "THEY"]), ruleset)
    rows = [f"first: {state.actor}"]
    while state.winner is None and state.turn <= 16:
        row = []
        while (
            state.winner is None and (options := list(legal_moves(state))) and (not state.stage or rng.random() < 0.6)
        ):
            move = rng.choice(options)
            state = apply(state, move)
            row.append(move.text)
        rows.append(" ".join(row) or "..")
        state = end_turn(state)
    report = check("\n".join(rows), ruleset=ruleset)
    assert report.diagnostics == ()
    assert report.outcome.winner == state.winner
    assert report.outcome.turn == (state.won_in or None)


ALL_MOVES = (
    *(Move(action, die, value) for action in ("", "x", "+", "-", "=", "~") for die in DICE for value in range(22)),
    *(Move("x", die) for die in DICE),
    *(Move("<>", one, None, two) for one in DICE for two in DICE),
)


@given(st.integers(0, 10**6), st.sampled_from(["cr", "alpha", "quickref"]))
@settings(max_examples=40, deadline=None)
def test_apply_accepts_what_legal_moves_lists(seed: int, ruleset: str) -> None:
    rng = random.Random(seed)
    state = State.start(rng.choice(["WE", "THEY"]), ruleset)
    for _ in range(rng.randrange(40)):
        options = list(legal_moves(state))
        state = apply(state, rng.choice(options)) if options and rng.random() < 0.6 else end_turn(state)
    assert {move for move in ALL_MOVES if _is_applied(state, move)} == set(legal_moves(state))


def _is_applied(state: State, move: Move) -> bool:
    try:
        apply(state, move)
    except IllegalMoveError:
        return False
    return True


def test_apply_says_why_not() -> None:
    state = end_turn(apply(end_turn(apply(State.start(), Move("", "A", 1))), Move("", "A'", 1)))
    for move, code in ((Move("+", "A", 4), "roll-missing"), (Move("", "A'", 4), "roll-not-yours")):
        with pytest.raises(IllegalMoveError) as refused:
            apply(state, move)
        assert refused.value.code == code
    with pytest.raises(IllegalMoveError) as refused:
        apply(state._replace(ruleset=Ruleset.named("quickref")), Move("<>", "A", None, "A'"))
    assert refused.value.code == "syntax"


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_equal_positions_are_equal(seed: int) -> None:
    """Two orders of the same changes come to one state, which is one key of a dictionary."""
    rng = random.Random(seed)
    state = State.start()
    for die in ("A", "A'", "B", "B'"):
        state = end_turn(apply(state, Move("", die, 3)))
    state = apply(state, Move("", "C", 3))
    changes = [Move("=", die, rng.randint(1, 4)) for die in ("A", "A'", "B'")]
    ends = set()
    for order in (changes, changes[::-1]):
        after = state
        for move in order:
            after = apply(after, move)
        ends.add(after)
    assert len(ends) == 1
