"""What speaks for the text chosen in each row, gathered from the row, its alternatives and the rest of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gigsheet.decode.calibration import MOST_NATS, Confidence, Evidence
from gigsheet.decode.candidates import Candidate, RowInput
from gigsheet.decode.transcript import Written

BLANK_SURE = 0.99
"""How sure a blank row is: the strip's ink was measured, not guessed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for one row.

    Attributes:
        place: which of its candidates; -1 for a row without any.
        probabilities: of all its candidates, in order.
        margin: nats between the best game with this text and the best with another.
        continued: the row holds the rest of the turn before it.
    """

    place: int
    probabilities: tuple[float, ...]
    margin: float
    continued: bool = False


def gather(
    rows: Sequence[RowInput], listed: Sequence[Sequence[Candidate]], choices: Sequence[Choice], sheet: Written
) -> list[Evidence | None]:
    """The evidence for each row; None for a row that has no text."""
    haze = [0.0 if row.glyphs is None else -float(row.glyphs.log_probs.max(axis=1).sum()) for row in rows]
    overruled = [choice.place > 0 for choice in choices]
    refused = [bool(sheet.errors(k)) for k in range(len(rows))]
    others = max(1, len(rows) - 1)
    found: list[Evidence | None] = []
    for k, (row, choice) in enumerate(zip(listed, choices, strict=True)):
        if not row:
            found.append(None)
            continue
        found.append(
            Evidence(
                margin=choice.margin,
                posterior=choice.probabilities[choice.place],
                ink_margin=_ink_margin(row, choice.place),
                haze=haze[k],
                sheet_haze=(sum(haze) - haze[k]) / others,
                overruled=(sum(overruled) - overruled[k]) / others,
                characters=len(row[choice.place].raw),
                illegal=refused[k],
                refused=(sum(refused) - refused[k]) / others,
            )
        )
    return found


def _ink_margin(row: Sequence[Candidate], place: int) -> float:
    others = [candidate.ink for k, candidate in enumerate(row) if k != place]
    return row[place].ink - max(others) if others else MOST_NATS


def confidences(
    rows: Sequence[RowInput],
    listed: Sequence[Sequence[Candidate]],
    choices: Sequence[Choice],
    sheet: Written,
    model: Confidence,
) -> list[float]:
    """For each row the calibrated probability that its text is right."""
    found = gather(rows, listed, choices, sheet)
    absent = [BLANK_SURE if row.glyphs is None else 0.0 for row in rows]
    return [other if e is None else model.of(e) for e, other in zip(found, absent, strict=True)]
