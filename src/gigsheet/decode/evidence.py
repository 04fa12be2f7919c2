"""What speaks for the text chosen in each row, gathered from the row, its alternatives and the rest of the game."""

from __future__ import annotations

from collections.abc import Sequence

from gigsheet.decode.calibration import MOST_NATS, Evidence
from gigsheet.decode.candidates import Candidate, RowInput
from gigsheet.decode.decipher import Deciphered
from gigsheet.decode.hand import GameInput
from gigsheet.decode.shapes import Likeness, Shapes, likeness


def gather(solved: Sequence[tuple[GameInput, Deciphered]], shapes: Shapes) -> list[list[Evidence | None]]:
    """For each game of a sheet, for each of its rows, what speaks for its text; None for a row without candidates."""
    alike = iter(likeness([row.glyphs for game, _ in solved for row in game.rows], shapes))
    return [_of_game(game.rows, read, [next(alike) for _ in game.rows]) for game, read in solved]


def _of_game(rows: Sequence[RowInput], game: Deciphered, alike: Sequence[Likeness]) -> list[Evidence | None]:
    choices = game.choices
    haze = [0.0 if row.glyphs is None else -float(row.glyphs.log_probs.max(axis=1).sum()) for row in rows]
    overruled = [choice.place > 0 for choice in choices]
    refused = [bool(game.sheet.errors(k)) for k in range(len(rows))]
    others = max(1, len(rows) - 1)
    found: list[Evidence | None] = []
    for k, (row, choice) in enumerate(zip(game.listed, choices, strict=True)):
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
                likeness=alike[k].own,
                lead=alike[k].lead,
                characters=len(row[choice.place].raw),
                well_formed=row[choice.place].well_formed,
                illegal=refused[k],
                refused=(sum(refused) - refused[k]) / others,
            )
        )
    return found


def _ink_margin(row: Sequence[Candidate], place: int) -> float:
    others = [candidate.ink for k, candidate in enumerate(row) if k != place]
    return row[place].ink - max(others) if others else MOST_NATS
