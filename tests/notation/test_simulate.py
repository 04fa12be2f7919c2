from __future__ import annotations

import random
from collections import Counter

import pytest

from gigsheet.notation import check, parse_turn
from gigsheet.notation.simulate import SLIP_KINDS, simulate_game, write_game


@pytest.mark.parametrize("ruleset", ["cr", "alpha", "quickref"])
def test_games_check_clean_in_their_ruleset(ruleset: str) -> None:
    for seed in range(60):
        game = simulate_game(random.Random(seed), ruleset=ruleset)
        report = check(game.text, ruleset=ruleset)
        assert report.diagnostics == ()
        assert report.outcome.winner == game.final.winner
        assert game.slip is None


def test_they_look_played() -> None:
    """Endings of every kind, all seven moves, raids of one to several dice."""
    phases: Counter[str | None] = Counter()
    actions: Counter[str] = Counter()
    raids: Counter[int] = Counter()
    for seed in range(250):
        game = simulate_game(random.Random(seed))
        phases[game.final.phase] += 1
        for turn in game.turns:
            taken = [entry.moves[0].action for entry in turn.entries]
            actions.update(taken)
            raids[taken.count("x")] += 1
    assert phases["regulation"] > phases["overtime"] > 0
    assert set(actions) == {"", "x", "+", "-", "=", "~", "<>"}
    assert raids[0] > raids[1] > raids[2] > 0


def test_the_same_seed_gives_the_same_game() -> None:
    assert simulate_game(random.Random(9), slips=1.0) == simulate_game(random.Random(9), slips=1.0)


def test_slips_say_where_they_are() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(150):
        game = simulate_game(random.Random(seed), slips=1.0)
        assert game.slip is not None
        turn, entry, kind, meant, written = game.slip
        kinds[kind] += 1
        row = [e.text for e in game.turns[turn - 1].entries]
        if kind == "drop":
            assert written == ""
            row.insert(entry - 1, meant)
        else:
            assert row[entry - 1] == written != meant
            row[entry - 1] = meant
        restored = [t.text for t in game.turns]
        restored[turn - 1] = " ".join(row)
        assert check("\n".join([f"first: {game.first}", *restored])).ok
    assert set(kinds) == set(SLIP_KINDS)


def test_the_share_of_games_with_a_slip() -> None:
    share = sum(simulate_game(random.Random(seed), slips=0.5).slip is not None for seed in range(200)) / 200
    assert 0.35 < share < 0.65


def test_as_json() -> None:
    shown = write_game(simulate_game(random.Random(2), slips=1.0))
    assert shown["slip"]["turn"] >= 1
    assert all(not parse_turn(row).faulty for row in shown["rows"])
