"""Random transcripts for the tests: games that look played, then spoilt, and lines of random signs."""

from __future__ import annotations

import random

from tests.notation.oracle import ALL_DICE, SIDES, Game

SIGNS = [*"ABCDEFabcdef''''xxx+-=~<>()..||00123456789  ;", "’", "−", "×", "…", "∼", "\t", "first:", "\u00a0"]
SPOILT_ENTRIES = ["..", "(", ")", "A", "x", "04", "A04", "<>", "A<>B", "(A4)", "A4 ..", "()", "(xB)", "F3", "F'20", "z"]


def random_text(rng: random.Random) -> str:
    """Lines of signs of the notation, in any order."""
    lines = ["".join(rng.choices(SIGNS, k=rng.randrange(14))) for _ in range(rng.randrange(8))]
    return rng.choice(["\n", "\n", "\r\n"]).join(lines)


def random_move(rng: random.Random, wild: float = 0.03) -> str:
    die = rng.choice(ALL_DICE)
    value = rng.randint(1, SIDES[die[0]]) if rng.random() > wild else rng.choice([0, 1, 21, 13])
    kind = rng.choices(["", "x", "x4", "+", "-", "=", "~", "<>"], [4, 5, 1, 2, 2, 1, 1, 1])[0]
    if kind == "x":
        return f"x{die}"
    if kind == "<>":
        return f"{die}<>{rng.choice(ALL_DICE)}"
    return f"{kind[:1]}{die}{value}"


def random_rows(rng: random.Random, turns: int, faults: float) -> tuple[str, list[list[str]]]:
    """A game in which each turn rolls while it can, steals and changes; `faults` is the share of wild entries."""
    game = Game("cr")
    game.first = rng.choice(["WE", "THEY"])
    raid = {"WE": rng.random(), "THEY": rng.random()}
    rows = []
    for turn in range(1, turns + 1):
        me = game.player(turn)
        row: list[str] = []
        fixer = game.fixer(me)
        if fixer and rng.random() > faults:
            die = rng.choice([d for d in fixer if d[0] != "F"] or fixer)
            game.board[die] = [me, rng.randint(1, SIDES[die[0]])]
            row.append(f"{die}{game.board[die][1]}")
        steps = rng.choices([0, 1, 2, 3], [3, 4, 2, 1])[0]
        row += [_step(rng, game, me, raid[me]) if rng.random() > faults else random_move(rng) for _ in range(steps)]
        row = [entry for entry in row if entry]
        if rng.random() < faults / 3:
            row.insert(rng.randrange(len(row) + 1), rng.choice(SPOILT_ENTRIES))
        rows.append(row or [".."])
    return game.first, rows


def _step(rng: random.Random, game: Game, me: str, raid: float) -> str:
    gigs = [d for d in ALL_DICE if game.board[d]]
    theirs = [d for d in gigs if game.board[d][0] != me]
    if theirs and rng.random() < raid:
        die = rng.choice(theirs)
        game.board[die][0] = me
        return f"x{die}" + (str(game.board[die][1]) if rng.random() < 0.2 else "")
    mine = [d for d in gigs if game.board[d][0] == me]
    if mine and theirs and rng.random() < 0.1:
        one, two = rng.choice(mine), rng.choice(theirs)
        game.board[one][0], game.board[two][0] = game.board[two][0], me
        return "<>".join(rng.sample([one, two], 2))
    if not gigs:
        return ""
    die = rng.choice(gigs)
    now, sides = game.board[die][1], SIDES[die[0]]
    value = rng.randint(1, sides)
    sign = rng.choice("=~") if value == now else "+" if value > now else "-"
    game.board[die][1] = value
    return rng.choices([f"{sign}{die}{value}", f"({sign}{die}{value})"], [9, 1])[0]


def random_transcript(rng: random.Random, faults: float | None = None) -> str:
    """A game as a text: with or without numbers and header, and with blank lines, comments and slips among them."""
    if faults is None:
        faults = rng.choice([0.0, 0.03, 0.1, 0.4])
    first, rows = random_rows(rng, rng.choice([2, 5, 10, 14, 15, 16, 17, 19]), faults)
    lines = [f"first: {first}"] if first == "THEY" or rng.random() < 0.7 else []
    numbered = rng.random() < 0.6
    number = 0
    for row in rows:
        number += 1
        while rng.random() < faults / 4:
            lines.append(rng.choice(["", "", "", " ", "; a comment", "first: WE"]))
            if lines[-1].strip() == "" and rng.random() < 0.6:
                number += 1
        if rng.random() < faults / 10:
            number += rng.choice([-1, 1])
        gap = "" if rng.random() < 0.1 else " "
        lines.append((f"{number}{rng.choice(['|', '.', '| ', ' '])}" if numbered else "") + gap.join(row))
    return "\n".join(lines) + rng.choice(["", "\n", "\n\n"])
