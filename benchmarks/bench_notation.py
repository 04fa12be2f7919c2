"""How fast the notation is: `python benchmarks/bench_notation.py [--json]`.

One core, medians of several rounds, in seconds of CPU time, so that what else runs on the machine counts little.

Games are `simulate`'s, twelve turns long, all different, so that no cache of whole lines could help.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable

from gigsheet.notation import State, apply, check, end_turn, parse_turn, play_turn
from gigsheet.notation.simulate import simulate_game

ROUNDS = 7


def median_seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def twelve_turn_games(count: int) -> list[str]:
    texts: list[str] = []
    seed = 0
    while len(texts) < count:
        seed += 1
        game = simulate_game(random.Random(seed), slips=0.5)
        if len(game.turns) == 12:
            texts.append(game.text)
    return texts


def garbage(size: int, alphabet: str) -> str:
    return "".join(random.Random(1).choices(alphabet, k=size))


def figures() -> dict[str, float]:
    texts = twelve_turn_games(400)
    faulty = sum(not check(text).ok for text in texts)
    line = [("A", 4), ("A'", 2), ("B", 5), ("B'", 1), ("C", 8), ("C'", 3)]
    rows = [parse_turn(f"{die}{value}") for die, value in line]
    moves = [turn.entries[0].moves[0] for turn in rows]

    def play_moves() -> None:
        for _ in range(500):
            state = State.start()
            for move in moves:
                state = end_turn(apply(state, move))

    states = [State.start()]
    for move in moves:
        states.append(end_turn(apply(states[-1], move)))

    def apply_only() -> None:
        for _ in range(500):
            for state, move in zip(states, moves, strict=False):
                apply(state, move)

    def play_turns() -> None:
        for _ in range(500):
            for state, turn in zip(states, rows, strict=False):
                play_turn(state, turn)

    found: dict[str, float] = {
        "games_with_errors_of_400": faulty,
        "check_games_per_second": 400 / median_seconds(lambda: [check(text) for text in texts]),
        "check_to_dict_games_per_second": 400 / median_seconds(lambda: [check(text).to_dict() for text in texts]),
        "apply_microseconds": median_seconds(apply_only) / 3000 * 1e6,
        "apply_and_end_turn_microseconds": median_seconds(play_moves) / 3000 * 1e6,
        "play_turn_microseconds": median_seconds(play_turns) / 3000 * 1e6,
    }
    signs = "ABCDEFx'+-=~<>().|0123456789 "
    kinds = {
        "one_line_of_signs": signs,
        "lines_of_signs": signs + "\n",
        "printable": bytes(range(32, 127)).decode() + "\n",
    }
    for name, alphabet in kinds.items():
        for size in (250_000, 1_000_000):
            text = garbage(size, alphabet)
            found[f"garbage_{name}_{size // 1000}kB_seconds"] = median_seconds(lambda text=text: check(text))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    found = figures()
    if parser.parse_args().json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:48} {value:12,.3f}" if value < 100 else f"{name:48} {value:12,.0f}")


if __name__ == "__main__":
    main()
