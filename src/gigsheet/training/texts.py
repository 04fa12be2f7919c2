"""What the composed strips say: rows as players write them, and random strings, which teach shapes and not language."""

from __future__ import annotations

import random
from typing import NamedTuple

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


class Entry(NamedTuple):
    """What is written at one place of a row; entries of one `crossing` are crossed out together."""

    text: str
    crossing: int | None = None


def strip_text(rng: random.Random, real: float = 0.5, struck: float = 0.09, voided: float = 0.07) -> list[Entry]:
    """The entries of one strip.

    Args:
        rng: all chance.
        real: the share of strips that are rows; the rest are random strings.
        struck: the share with an entry that was crossed out and written anew.
        voided: the share with entries side by side that were crossed out at once, often the whole row.
    """
    entries = [Entry(text) for text in (row(rng) if rng.random() < real else strings(rng))]
    which = rng.random()
    if which < struck:
        wrong = rng.choice([move(rng, "rrrx+-"), "".join(rng.choices(LABELS, k=rng.randint(2, 4)))])
        entries.insert(rng.choice([0, 0, rng.randint(0, len(entries))]), Entry(wrong, 0))
    elif which < struck + voided:
        if rng.random() < 0.4:
            entries = entries[:1]
        start = 0 if rng.random() < 0.7 else rng.randrange(len(entries))
        end = len(entries) if rng.random() < 0.7 else rng.randint(start + 1, len(entries))
        # A stroke through one character makes another character of it.
        if sum(len(entry.text) for entry in entries[start:end]) > 1:
            entries[start:end] = [Entry(entry.text, 0) for entry in entries[start:end]]
    return entries


def target(entries: list[Entry]) -> str:
    """What the net should say of a strip."""
    return "".join(entry.text if entry.crossing is None else STRUCK for entry in entries)


def edit_distance(a: str, b: str) -> int:
    """How many characters must be put in, taken out or changed to make one text of the other (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]
