"""The writer is one person for the whole sheet: what the rules settle in one row teaches the others.

Where the rules overrule the ink and are sure of it, the engine has taken one character for another: this hand's E looks
like an F to it. That is counted over the game, against how often the character was taken for itself, and the scores of
the other rows are corrected by it: a mixture of "the engine is right" and "it errs here as it did there".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from gigsheet.decode.candidates import Candidate, RowInput, candidates
from gigsheet.decode.decipher import Choice, Deciphered, decipher
from gigsheet.decode.prices import Prices
from gigsheet.records import CLASS_OF, CLASSES, Mark

SETTLED = 0.95
"""Rows whose text has this share of all games teach."""
TRUST = 6.0
"""As many sightings of a character taken for itself are assumed before any is seen."""

Taken = tuple[str, str]
"""A character as written, and what the engine took it for."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How often the engine took which written character for which, a row."""

    rows: tuple[Counter[Taken], ...]

    @property
    def mistaken(self) -> bool:
        return any(written != taken for row in self.rows for written, taken in row)

    def correction(self, row: int) -> npt.NDArray[np.float64] | None:
        """The probability that a character was written, given what the engine takes it for, by all rows but this one.

        Returns:
            float64 [CLASSES taken, CLASSES written], None when there is nothing to correct.
        """
        seen: Counter[Taken] = Counter()
        for k, counts in enumerate(self.rows):
            if k != row:
                seen.update(counts)
        if all(written == taken for written, taken in seen):
            return None
        table = TRUST * np.eye(CLASSES)
        for (written, taken), count in seen.items():
            table[CLASS_OF[taken], CLASS_OF[written]] += count
        corrected: npt.NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
        return corrected


def learn_hand(game: Deciphered) -> Hand:
    """What the settled rows of a game say of its hand."""
    return Hand(tuple([_taken(*row) for row in zip(game.listed, game.choices, strict=True)]))


def _taken(listed: Sequence[Candidate], choice: Choice) -> Counter[Taken]:
    counts: Counter[Taken] = Counter()
    if not listed or choice.probabilities[choice.place] < SETTLED:
        return counts
    written, taken = listed[choice.place].raw, listed[0].raw
    for kind, a0, a1, b0, b1 in SequenceMatcher(None, taken, written, autojunk=False).get_opcodes():
        if kind == "equal" or (kind == "replace" and a1 - a0 == b1 - b0):
            counts.update(zip(written[b0:b1], taken[a0:a1], strict=True))
    return counts


def correct(rows: Sequence[RowInput], hand: Hand) -> list[RowInput]:
    """The rows with their scores corrected for the hand; those that there is nothing to correct in stay the same."""
    corrected = []
    for k, row in enumerate(rows):
        table = hand.correction(k) if row.glyphs is not None else None
        if row.glyphs is None or table is None:
            corrected.append(row)
            continue
        probs = np.exp(row.glyphs.log_probs.astype(np.float64)) @ table
        log_probs = np.log(probs / probs.sum(axis=1, keepdims=True)).astype(np.float32)
        corrected.append(replace(row, glyphs=replace(row.glyphs, log_probs=log_probs)))
    return corrected


def decipher_hand(
    rows: Sequence[RowInput],
    listed: Sequence[Sequence[Candidate]],
    marks: Sequence[Mark],
    prices: Prices,
    *,
    rules: bool = True,
    ruleset: str = "cr",
) -> tuple[Sequence[RowInput], Deciphered]:
    """`decipher`, and once more with corrected scores where the rules show that the engine errs about this hand.

    Returns:
        The rows, corrected if there was reason to, and the game read from them.
    """
    found = decipher(rows, listed, marks, prices, rules=rules, ruleset=ruleset)
    hand = learn_hand(found) if rules else Hand(())
    if not hand.mistaken:
        return rows, found
    corrected = correct(rows, hand)
    return corrected, decipher(corrected, candidates(corrected), marks, prices, rules=rules, ruleset=ruleset)
