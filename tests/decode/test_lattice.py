"""The lattice against listing every game."""

from __future__ import annotations

import itertools
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.lattice import Lattice, turn_of
from gigsheet.decode.prices import Prices
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import Ruleset, State

PRICES = Prices({"value-range": 2.0, "not-in-gigs": 2.5}, {"not-in-gigs": 0.5}, further=0.3, unknown=3.0, ink=0.8)
RULES = Ruleset.named("cr")

texts = st.sampled_from(["A4", "A'4", "B9", "B4 -A1", "xA", "C2 xA'", "B'3 xA", "C'5"])
inks = st.floats(-5, 0)
rows = st.lists(
    st.lists(st.tuples(texts, inks), min_size=1, max_size=3, unique_by=lambda pair: pair[0]), min_size=1, max_size=4
)


def candidate(text: str, ink: float) -> Candidate:
    return Candidate(text, text.replace(" ", ""), ink, well_formed=True)


def listed_games(listed: list[list[Candidate]], starts: dict[str, float]) -> dict[tuple[int, ...], float]:
    """The log-weight of every choice of one text a row, by playing each game from its start."""
    found = {}
    for choice in itertools.product(*[range(len(row)) for row in listed]):
        weights = []
        for player, start in starts.items():
            state, seen, weight = State.start(player), False, start  # type: ignore[arg-type]
            for row, k in zip(listed, choice, strict=True):
                state, codes = play_turn(state, turn_of(row[k].text, True))
                weight += PRICES.ink * (row[k].ink - row[0].ink) - PRICES.of(codes, seen=seen)
                seen |= bool(codes)
            weights.append(weight)
        found[choice] = log(sum(map(exp, weights)))
    return found


@given(rows)
@settings(max_examples=80, deadline=None)
def test_marginals_are_sums_and_maxima_over_all_games(drawn: list[list[tuple[str, float]]]) -> None:
    listed = [sorted([candidate(*pair) for pair in row], key=lambda c: -c.ink) for row in drawn]
    starts = {"WE": log(0.7), "THEY": log(0.3)}
    lattice = Lattice(listed, starts, RULES, PRICES, [False] * len(listed))  # type: ignore[arg-type]
    lattice.solve(lambda state: 0.0)
    games = listed_games(listed, starts)
    for row, marginals in enumerate(lattice.marginals()):
        posterior = np.exp(np.array(marginals.totals) - np.logaddexp.reduce(marginals.totals))
        assert posterior.sum() == pytest.approx(1.0)
        truth = np.array(
            [sum(exp(weight) for choice, weight in games.items() if choice[row] == k) for k in range(len(listed[row]))]
        )
        np.testing.assert_allclose(posterior, truth / truth.sum(), atol=1e-3)  # but for what is pruned


def test_equal_positions_are_one_node() -> None:
    listed = [[candidate("A4", 0.0)], [candidate("A'4 -A1", 0.0), candidate("A'4 =A1", -1.0)]]
    lattice = Lattice(listed, {"WE": 0.0}, RULES, PRICES, [False, False])
    lattice.solve(lambda state: 0.0)
    assert len(lattice.layers[-1].places) == 1


def test_after_one_error_the_next_is_cheap() -> None:
    assert PRICES.of(("not-in-gigs",), seen=True) < PRICES.of(("not-in-gigs",), seen=False)
    assert PRICES.of((), seen=True) == 0.0
    assert PRICES.of(("a", "b"), seen=False) == pytest.approx(PRICES.unknown + PRICES.further)


def test_the_rules_are_asked_for_more_where_the_likeliest_text_is_refused() -> None:
    asked = []

    def propose(row: int, state: State) -> list[Candidate]:
        asked.append((row, state.turn))
        return [candidate("B'2", -4.0)]

    listed = [[candidate("A4", 0.0)], [candidate("B'7", 0.0)], [candidate("B1", 0.0)]]
    lattice = Lattice(listed, {"WE": 0.0}, RULES, PRICES, [False] * 3, propose)
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
