"""What the composed strips say: rows as players write them, and random strings, which teach shapes and not language."""

from __future__ import annotations

import random

from gigsheet.records import STRUCK
from gigsheet.training.samples import LABELS

SIDES = {"A": 4, "B": 6, "C": 8, "D": 10, "E": 12, "F": 20}


def die(rng: random.Random) -> str:
    """A die with its owner."""
    return rng.choice("ABCDEF") + ("'" if rng.random() < 0.45 else "")


def value(rng: random.Random, letter: str) -> str:
    """A value, mostly one that the die can show."""
    return str(rng.randint(1, 20 if rng.random() < 0.1 else SIDES[letter]))


def move(rng: random.Random, kinds: str) -> str:
    """One move without parentheses; `kinds` are the actions to choose from, ``r`` being a roll, ``s`` a swap."""
    kind = rng.choice(kinds)
    which = die(rng)
    if kind == "s":
        return f"{which}<>{die(rng)}"
    if kind == "x":
        return f"x{which}" + (value(rng, which[0]) if rng.random() < 0.2 else "")
    return ("" if kind == "r" else kind) + which + value(rng, which[0])


def row(rng: random.Random) -> list[str]:
    """The entries of one turn as a player may have written them, legal or not."""
    if rng.random() < 0.06:
        return [".."]
    entries = [move(rng, "r")] if rng.random() < 0.9 else []
    for _ in range(rng.choices([0, 1, 2, 3], [30, 38, 24, 8])[0]):
        if rng.random() < 0.06:
            entries.append("(" + "".join(move(rng, "+-=~") for _ in range(rng.choice([1, 1, 1, 2]))) + ")")
        else:
            entries.append(move(rng, "xxxxx+++---==~~ss"))
    if not entries:
        return [move(rng, "r")]
    if rng.random() < 0.1:  # a slip of the pen: a character lost, doubled or changed
        which = rng.randrange(len(entries))
        text = entries[which]
        at = rng.randrange(len(text))
        entries[which] = rng.choice(
            [text[:at] + text[at + 1 :], text[: at + 1] + text[at:], text[:at] + rng.choice(LABELS) + text[at + 1 :]]
        )
        entries = [e for e in entries if e]
    return entries


def strings(rng: random.Random) -> list[str]:
    """Random strings of the alphabet, each character as likely as the next."""
    return ["".join(rng.choices(LABELS, k=rng.choice([1, 2, 2, 3, 3, 4, 5]))) for _ in range(rng.randint(1, 5))]


def strip_text(rng: random.Random, real: float = 0.5, struck: float = 0.09) -> list[tuple[str, bool]]:
    """The entries of one strip and whether each is crossed out; a share `real` of strips are rows, the rest strings."""
    entries = row(rng) if rng.random() < real else strings(rng)
    marked = [(entry, False) for entry in entries]
    if rng.random() < struck:
        wrong = rng.choice([move(rng, "rrrx+-"), "".join(rng.choices(LABELS, k=rng.randint(2, 4)))])
        marked.insert(rng.choice([0, 0, rng.randint(0, len(marked))]), (wrong, True))
    return marked


def target(entries: list[tuple[str, bool]]) -> str:
    """What the net should say of a strip."""
    return "".join(STRUCK if crossed else text for text, crossed in entries)


def edit_distance(a: str, b: str) -> int:
    """How many characters must be put in, taken out or changed to make one text of the other (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]
