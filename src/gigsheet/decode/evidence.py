"""What speaks for the text chosen in each row, gathered from the row, its alternatives and the rest of the game."""

from __future__ import annotations

from collections.abc import Sequence

from gigsheet.decode.calibration import MOST_NATS, Evidence
from gigsheet.decode.candidates import Candidate, GameInput, RowInput
from gigsheet.decode.confusions import Confusion, confusions
from gigsheet.decode.decipher import Deciphered
from gigsheet.decode.shapes import Likeness, Shapes, likeness

SETTLED = 0.95
"""What a row says is taken for settled when its text has this share of all games."""


def gather(solved: Sequence[tuple[GameInput, Deciphered]], shapes: Shapes) -> list[list[Evidence | None]]:
    """For each game of a sheet, for each of its rows, what speaks for its text; None for a row without candidates.

    The writer is one person for the whole sheet: what the rules settle in one row tells how this hand makes its
    characters, and what the other rows' characters are to be compared with.
    """
    glyphs = [row.glyphs for game, _ in solved for row in game.rows]
    texts = [_settled(read, k) for game, read in solved for k in range(len(game.rows))]
    alike = iter(likeness(glyphs, texts, shapes))
    confused = iter(
        confusions(
            [pair for _, read in solved for pair in zip(read.listed, [c.place for c in read.choices], strict=True)]
        )
    )
    return [
        _of_game(game.rows, read, [next(alike) for _ in game.rows], [next(confused) for _ in game.rows])
        for game, read in solved
    ]


def _of_game(
    rows: Sequence[RowInput], game: Deciphered, alike: Sequence[Likeness], confused: Sequence[Confusion]
) -> list[Evidence | None]:
    choices = game.choices
    haze = [0.0 if row.glyphs is None else row.glyphs.haze for row in rows]
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
                **confused[k]._asdict(),
                text=row[choice.place].raw,
                well_formed=row[choice.place].well_formed,
                illegal=refused[k],
                refused=(sum(refused) - refused[k]) / others,
            )
        )
    return found


def _ink_margin(row: Sequence[Candidate], place: int) -> float:
    others = [candidate.ink for k, candidate in enumerate(row) if k != place]
    return row[place].ink - max(others) if others else MOST_NATS


def _settled(read: Deciphered, row: int) -> str | None:
    """The spelling of a row's text where it is settled."""
    listed, choice = read.listed[row], read.choices[row]
    if not listed or choice.probabilities[choice.place] < SETTLED:
        return None
    return listed[choice.place].raw
