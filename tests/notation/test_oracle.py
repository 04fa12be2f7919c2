"""The checker, `legal_moves` and `play_turn` against the naive checker that was written from SPEC's text alone."""

from __future__ import annotations

import random

import pytest

from gigsheet.notation import Move, Ruleset, State, apply, check, end_turn, legal_moves, parse, play_move, play_turn
from gigsheet.notation.rules import DICE, IllegalMoveError
from tests.notation.games import random_text, random_transcript
from tests.notation.oracle import ALL_DICE, SIDES, Game, Placed, judge

RULESETS = ["cr", "alpha", "quickref"]


def assert_agree(text: str, ruleset: str) -> None:
    found, expected = check(text, ruleset=ruleset).to_dict(), judge(text, ruleset)
    assert [(d["line"], d["code"], d["turn"], d["entry"]) for d in found["diagnostics"]] == expected.pop("codes"), text
    for key, value in expected.items():
        assert found[key] == value, text


@pytest.mark.parametrize("ruleset", RULESETS)
def test_random_games_with_and_without_faults(ruleset: str) -> None:
    for seed in range(250):
        assert_agree(random_transcript(random.Random(f"game {seed}")), ruleset)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_random_signs(ruleset: str) -> None:
    for seed in range(600):
        assert_agree(random_text(random.Random(f"signs {seed}")), ruleset)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_play_turn_is_what_the_checker_says(ruleset: str) -> None:
    """The decoder's function, turn by turn, gives the checker's states and its codes."""
    line_codes = {"turn-number", "blank-line", "too-long"}
    rules = Ruleset.named(ruleset)
    for seed in range(60):
        text = random_transcript(random.Random(f"turns {seed}"))
        report = check(text, ruleset=ruleset)
        for position in report.positions:
            line = parse(text, swaps=rules.swaps).lines[position.at - 1]
            state, codes = play_turn(position.before, line.turn)
            assert state == end_turn(position.after)
            said = [d.code for d in report.diagnostics if d.line == position.at and d.code not in line_codes]
            assert sorted(codes) == sorted(said)


def every_move() -> list[Move]:
    moves = [Move(a, die, v) for a in ("", "x", "+", "-", "=", "~") for die in DICE for v in range(22)]
    moves += [Move("x", die) for die in DICE]
    return moves + [Move("<>", one, None, two) for one in DICE for two in DICE]


def placed(move: Move) -> Placed:
    return Placed(move.action, [move.die] if move.other is None else [move.die, move.other], move.value, 0, 1)


def random_state(rng: random.Random, ruleset: str) -> tuple[State, Game, int]:
    """A position in the middle of a turn, the same one as the oracle's game, and the moves made in the turn."""
    game = Game(ruleset)
    game.first = rng.choice(["WE", "THEY"])
    state = State.start(game.first, ruleset)
    while rng.random() < 0.93 and state.winner is None:
        moves = list(legal_moves(state))
        if not moves or (state.stage and rng.random() < 0.5):
            state = end_turn(state)
            continue
        state = apply(state, rng.choice(moves))
    game.board = {die: (list(state.board()[die]) if state.board()[die] else None) for die in ALL_DICE}
    return state, game, state.stage


@pytest.mark.parametrize("ruleset", RULESETS)
def test_legal_moves_are_all_that_the_oracle_accepts_and_no_others(ruleset: str) -> None:
    rng = random.Random(ruleset)
    for _ in range(12):
        state, game, stage = random_state(rng, ruleset)
        if state.winner is not None:
            assert list(legal_moves(state)) == []
            continue
        listed = list(legal_moves(state))
        legal = set(listed)
        assert len(legal) == len(listed)
        for move in every_move():
            if move.action == "<>" and ruleset == "quickref":
                continue
            rolls, moves = int(stage == 2), stage
            code = game.refuse(placed(move), state.actor, False, False, rolls, moves)
            # Before the roll the oracle reports the whole turn (`roll-missing`, `late-roll`), not this move.
            before_roll = stage == 0 and ruleset != "quickref" and game.fixer(state.actor) and move.action != ""
            assert (move in legal) == (code is None and not before_roll), (state, move)
            assert play_move(state, move)[1] == code


@pytest.mark.parametrize("ruleset", RULESETS)
def test_reactions(ruleset: str) -> None:
    rng = random.Random(ruleset)
    for _ in range(8):
        state, game, stage = random_state(rng, ruleset)
        legal = set(legal_moves(state, reaction=True))
        if state.winner is not None:
            continue
        for move in every_move():
            code = game.refuse(placed(move), state.actor, True, False, int(stage == 2), stage)
            assert (move in legal) == (code is None)
            assert play_move(state, move, reaction=True)[1] == code


def test_apply_refuses_what_the_checker_refuses() -> None:
    with pytest.raises(IllegalMoveError, match="not-in-gigs") as caught:
        apply(apply(State.start(), Move("", "B", 1)), Move("x", "A"))
    assert caught.value.code == "not-in-gigs"
    won = State.start()._replace(winner="WE", won_in=11)
    with pytest.raises(IllegalMoveError, match="after-end"):
        apply(won, Move("", "A", 4))


def naive_successors(board: tuple, actor: str, rolled: bool) -> set[tuple]:
    """Every (board, actor, rolled) one move on, from rules 1 to 5; the turn may have ended before the move."""
    found = set()
    starts = [(actor, rolled)]
    index = {die: i for i, die in enumerate(ALL_DICE)}
    mine_own = lambda player: [d for d in ALL_DICE if d.endswith("'") == (player == "THEY")]  # noqa: E731
    if rolled:
        starts.append((Game.rival(actor), False))
    for player, has_rolled in starts:
        if not has_rolled:
            fixer = [d for d in mine_own(player) if board[index[d]] is None]
            for die in [d for d in fixer if d[0] != "F"] or fixer:
                for value in range(1, SIDES[die[0]] + 1):
                    found.add((with_die(board, index[die], (player, value)), player, True))
            continue
        for die, held in zip(ALL_DICE, board, strict=True):
            if held is None:
                continue
            for value in range(1, SIDES[die[0]] + 1):
                found.add((with_die(board, index[die], (held[0], value)), player, True))
            if held[0] != player:
                found.add((with_die(board, index[die], (player, held[1])), player, True))
                for other, theirs in zip(ALL_DICE, board, strict=True):
                    if theirs and theirs[0] == player:
                        swapped = with_die(board, index[die], (player, held[1]))
                        found.add((with_die(swapped, index[other], (held[0], theirs[1])), player, True))
    return found


def with_die(board: tuple, at: int, held: tuple) -> tuple:
    return (*board[:at], held, *board[at + 1 :])


def successors(state: State) -> set[State]:
    starts = [state] if state.stage == 0 else [state, end_turn(state)]
    return {apply(start, move) for start in starts for move in legal_moves(start)}


def test_counts_of_reachable_positions() -> None:
    """Positions after n moves, turns ending where they may: pinned, and counted again by the naive generator.

    By hand, with 40 values on a player's five dice before the d20: one move gives 40; two give those 40 (a change) and
    40 x 40 (the rival's roll); three give 40, 40 x 40, as many with a die stolen, as many with two swapped, and WE's
    second roll: (40 x 40 - 16 - 36 - 64 - 100 - 144) / 2 pairs of two dice, times 40.
    """
    level = {State.start()}
    naive = {((None,) * 12, "WE", False)}
    for expected in (40, 1_640, 29_640):
        level = {after for state in level for after in successors(state)}
        naive = {after for board, actor, rolled in naive for after in naive_successors(board, actor, rolled)}
        seen = {(tuple(tuple(h) if h else None for h in s.board().values()), s.actor, s.stage == 2) for s in level}
        assert seen == naive
        assert len(level) == expected
