"""The lattice against listing every game."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from math import exp, log
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.chances import chance, usual_chance
from gigsheet.decode.intent import intended
from gigsheet.decode.lattice import Lattice, turn_of
from gigsheet.decode.prices import Prices
from gigsheet.decode.transcript import UNREADABLE, write
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import SIDES, Ruleset, State, end_turn
from gigsheet.notation.simulate import simulate_game
from gigsheet.notation.syntax import Entry, Turn

PRICES = Prices(
    {"value-range": 2.0, "not-in-gigs": 2.5}, {"not-in-gigs": 0.5}, further=0.3, unknown=3.0, scale=0.9, ink=0.8
)
RULES = Ruleset.named("cr")

texts = st.sampled_from(["A4", "A'4", "B9", "B4 -A1", "xA", "C2 xA'", "B'3 xA", "C'5 +C'7"])
inks = st.floats(-5, 0)
rows = st.lists(
    st.lists(st.tuples(texts, inks), min_size=1, max_size=3, unique_by=lambda pair: pair[0]), min_size=1, max_size=3
)


def candidate(text: str, ink: float) -> Candidate:
    return Candidate(text, text.replace(" ", ""), ink, well_formed=True)


def games_from(listed: list[list[Candidate]], state: State, seen: bool) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every game from a position on: the choice of one text a row, with its log-weight; one choice in several ways."""
    if not listed:
        yield (), 0.0
        return
    row, *rest = listed
    for k, read in enumerate(row):
        turn = turn_of(read.text, True)
        after, codes = play_turn(state, turn)
        weight = PRICES.ink * (read.ink - row[0].ink) - PRICES.of(codes, seen=seen)
        weight += PRICES.scale * (usual_chance(turn) if codes else chance(state, turn))
        ways = [(after, 0.0)]
        if codes and not seen:
            meant = intended(state, turn)
            ways += [(other, -log(len(meant))) for other in meant]
        for way, share in ways:
            for choice, more in games_from(rest, way, seen or bool(codes)):
                yield (k, *choice), weight + share + more


def listed_games(listed: list[list[Candidate]], starts: dict[str, float]) -> dict[tuple[int, ...], float]:
    """The weight of every choice of one text a row."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for player, start in starts.items():
        for choice, weight in games_from(listed, State.start(player), False):  # type: ignore[arg-type]
            found[choice] += exp(start + weight)
    return found


@given(rows)
@settings(max_examples=40, deadline=None)
def test_marginals_are_sums_and_maxima_over_all_games(drawn: list[list[tuple[str, float]]]) -> None:
    listed = [sorted([candidate(*pair) for pair in row], key=lambda c: -c.ink) for row in drawn]
    starts = {"WE": log(0.7), "THEY": log(0.3)}
    lattice = Lattice(listed, starts, RULES, PRICES, [False] * len(listed))  # type: ignore[arg-type]
    with patch.multiple("gigsheet.decode.lattice", PRUNE_NATS=99, SLIP_NATS=99, WIDTH=9999, MOST_EDGES=9999):
        lattice.solve(lambda state: 0.0)
    games = listed_games(listed, starts)
    for row, marginals in enumerate(lattice.marginals()):
        posterior = np.exp(np.array(marginals.totals) - np.logaddexp.reduce(marginals.totals))
        assert posterior.sum() == pytest.approx(1.0)
        truth = np.array(
            [sum(weight for choice, weight in games.items() if choice[row] == k) for k in range(len(listed[row]))]
        )
        np.testing.assert_allclose(posterior, truth / truth.sum(), atol=1e-6)


def test_equal_positions_are_one_node() -> None:
    listed = [[candidate("A4", 0.0)], [candidate("A'4 -A1", 0.0), candidate("A'4 =A1", -1.0)]]
    lattice = Lattice(listed, {"WE": 0.0}, RULES, PRICES, [False, False])
    lattice.solve(lambda state: 0.0)
    assert len(lattice.layers[-1].places) == 1


@pytest.mark.parametrize(("before", "written"), [("C3", "-"), ("C7", "+")])
def test_the_dice_choose_where_the_ink_and_the_rules_leave_it_open(before: str, written: str) -> None:
    after = {"-": "A'1 {}C2", "+": "A'1 {}C8"}[written]
    either = [candidate(after.format("~"), 0.0), candidate(after.format(written), -0.1)]
    lattice = Lattice([[candidate(before, 0.0)], either], {"WE": 0.0}, RULES, PRICES, [False] * 2)
    lattice.solve(lambda state: 0.0)
    reroll, change = lattice.marginals()[1].totals
    sides, ways = 8, {"-": 3 - 1, "+": 8 - 7}[written]
    assert change - reroll == pytest.approx(PRICES.scale * log(sides / ways) - PRICES.ink * 0.1)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_chances_add_up_to_one_over_the_values_that_are_legal(seed: int) -> None:
    game = simulate_game(random.Random(seed))
    state = State.start(game.first)
    for turn in game.turns:
        for k, entry in enumerate(turn.entries):
            move = entry.moves[0]
            if move.action in ("+", "-"):
                legal = 0.0
                for value in range(1, SIDES[move.die] + 1):
                    other = Entry((move._replace(value=value),), entry.reaction)
                    changed = Turn((*turn.entries[:k], other))
                    if not play_turn(state, changed)[1]:
                        legal += exp(chance(state, changed) - chance(state, Turn(turn.entries[:k]))) / SIDES[move.die]
                assert legal == pytest.approx(1.0)
        state, _ = play_turn(state, turn)


def test_a_refused_change_gains_as_much_as_legal_ones_do_on_average() -> None:
    rng = random.Random(5)
    legal = usual = 0.0
    for _ in range(400):
        game = simulate_game(rng)
        state = State.start(game.first)
        for turn in game.turns:
            legal, usual = legal + chance(state, turn), usual + usual_chance(turn)
            state, _ = play_turn(state, turn)
    assert legal / usual == pytest.approx(1, abs=0.2)


def test_after_one_error_the_next_is_cheap() -> None:
    assert PRICES.of(("not-in-gigs",), seen=True) < PRICES.of(("not-in-gigs",), seen=False)
    assert PRICES.of((), seen=True) == 0.0
    assert PRICES.of(("a", "b"), seen=False) == pytest.approx(PRICES.scale * (PRICES.unknown + PRICES.further))


def test_the_rules_are_asked_for_more_where_the_likeliest_text_is_refused() -> None:
    asked = []

    def propose(row: int, state: State) -> list[Candidate]:
        asked.append((row, state.turn))
        return [candidate("B'2", -4.0)]

    listed = [[candidate("A4", 0.0)], [candidate("B'7", 0.0)], [candidate("B1", 0.0)]]
    lattice = Lattice(listed, {"WE": 0.0}, RULES, PRICES, [False] * 3, propose=propose)
    lattice.solve(lambda state: 0.0)
    assert asked == [(1, 2)]
    assert [c.text for c in lattice.rows[1]] == ["B'7", "B'2"]
    assert listed[1] == [candidate("B'7", 0.0)]
    assert all(total > -20 for total in lattice.marginals()[1].totals)


def test_the_last_state_is_a_witness() -> None:
    listed = [[candidate("A4", 0.0), candidate("A1", -0.1)]]
    lattice = Lattice(listed, {"WE": 0.0}, RULES, PRICES, [False])
    lattice.solve(lambda state: 0.0 if state.value("A") == 1 else -5.0)
    four, one = lattice.marginals()[0].totals
    assert one > four


@given(st.integers(0, 2**32), st.lists(st.booleans(), min_size=24, max_size=24), st.sampled_from(["cr", "quickref"]))
@settings(max_examples=60, deadline=None)
def test_lattice_and_checker_agree_where_everybody_is_over_missing_and_unreadable_rows(
    seed: int, gone: list[bool], ruleset: str
) -> None:
    """One text a row: the lattice's only game is the transcript's, whatever stands blank or cannot be read in it."""
    rng = random.Random(seed)
    game = simulate_game(rng, ruleset=ruleset, slips=0.5)
    texts: list[str | None] = [line.partition("| ")[2] for line in game.text.splitlines()[1:]]
    for row in range(len(texts) - 1):
        if gone[row]:
            texts[row] = rng.choice(["", "", UNREADABLE])
    first = game.first
    sheet = write(texts, [False] * len(texts), first, ruleset)
    listed = [[] if not text else [candidate(text, 0.0)] for text in texts]
    blank = {row for row, text in enumerate(texts) if text == ""}
    lattice = Lattice(listed, {first: 0.0}, Ruleset.named(ruleset), PRICES, [False] * len(texts), blank=blank)
    with patch.multiple("gigsheet.decode.lattice", intended=lambda *_: []):
        lattice.solve(lambda state: 0.0)
    (last,) = lattice.layers[-1].places
    assert last.arrived == end_turn(sheet.report.positions[-1].after)
