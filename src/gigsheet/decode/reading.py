"""The games of a sheet, from scores and marks to their readings: `decode_sheet`, and `decode_game` for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from gigsheet.decode.calibration import Calibration, Confidence, Evidence, shipped
from gigsheet.decode.candidates import GameInput, RowInput, candidates
from gigsheet.decode.choices import first_evidence, normalised, read_first, read_result
from gigsheet.decode.decipher import Deciphered, decipher
from gigsheet.decode.doubt import explain
from gigsheet.decode.evidence import gather
from gigsheet.decode.transcript import UNREADABLE
from gigsheet.records import Alternative, ChoiceReading, GameReading, Mark, RowFlag, RowReading

OUTSIDE = 0.08
"""A row whose writing runs out of its strip by more than this (`RowStrip.overflow`) is flagged `outside-box`."""
UNCERTAIN = "A line runs across this row, or its ink is pale: look whether it is struck out, and whether all was read."
ALTERNATIVES = 5
UNREADABLE_BELOW = 0.02
"""A row less sure than this is not transcribed."""
SURE_REFUSED = 0.9
"""A row that the checker refuses is `low-confidence` besides only below this."""
BLANK_SURE = 0.99
"""How sure a blank row is: its ink was measured, not guessed."""


def decode_sheet(
    games: Sequence[GameInput],
    *,
    rules: bool = True,
    ruleset: str = "cr",
    risk: float = 0.001,
    calibration: Calibration | None = None,
) -> list[GameReading]:
    """Read the games of one sheet: what their rows say, how sure that is, and what the checker makes of it.

    Args:
        games: the sheet's games, all by one writer.
        rules: weigh the ink against the rules of the game, or against the grammar alone.
        ruleset: "cr", "alpha" or "quickref".
        risk: rows are flagged so that at most this share of all rows is wrong and not flagged (docs/risk.md).
        calibration: instead of the shipped one.
    """
    learned = calibration or shipped()
    played = [game for game in games if game.rows]
    listed = iter(candidates([row for game in played for row in game.rows]))
    found = [
        (game, decipher(game.rows, own, game.marks, learned.prices, rules=rules, ruleset=ruleset))
        for game in played
        for own in [list(islice(listed, len(game.rows)))]
    ]
    model = learned.confidence(rules=rules)
    evidence = gather(found, learned.shapes)
    threshold = model.threshold(risk)
    readings = {
        game.game: _game_reading(
            game, read, [_sure(*pair, model) for pair in zip(game.rows, known, strict=True)], threshold
        )
        for (game, read), known in zip(found, evidence, strict=True)
    }
    return [readings.get(game.game) or _unplayed(game.game, game.marks) for game in games]


def decode_game(rows: Sequence[RowInput], marks: Sequence[Mark], *, game: int = 1, **options: Any) -> GameReading:
    """`decode_sheet` for a sheet of one game, from its rows (blank ones with `glyphs` None) and its marks."""
    return decode_sheet([GameInput.of(rows, marks, game)], **options)[0]


def _game_reading(game: GameInput, found: Deciphered, sure: Sequence[float], threshold: float) -> GameReading:
    lost = [k for k, p in enumerate(sure) if game.rows[k].glyphs is not None and p < UNREADABLE_BELOW]
    if lost:
        found = found.without(lost)
    rows = [_row_reading(row, found, k, sure[k], sure[k] < threshold) for k, row in enumerate(game.rows)]
    return GameReading(
        game=game.game,
        first=read_first(game.marks, found.first),
        result=read_result(game.marks, found.sheet.report.outcome.winner, decided=True),
        rows=tuple(rows),
        transcript=found.sheet.transcript,
        check=found.sheet.report.to_dict(),
    )


def _sure(row: RowInput, evidence: Evidence | None, model: Confidence) -> float:
    """The calibrated probability that a row's text is right."""
    if evidence is None:
        return BLANK_SURE if row.glyphs is None else 0.0
    return model.of(evidence)


def _row_reading(row: RowInput, found: Deciphered, place: int, sure: float, doubtful: bool) -> RowReading:
    flags = _flags(row, found, place, sure, doubtful)
    why = explain(found, place) if set(flags) - {"struck-out", "blank-row"} else ()
    if row.uncertain:
        why = (*why, UNCERTAIN)
    text = found.texts[place] or ""
    return RowReading(row.turn, text, sure, flags, _alternatives(found, place, sure), row.quad, why)


def _unplayed(game: int, marks: Sequence[Mark]) -> GameReading:
    """A game without a row: its marks, if there are any, and no flag for what is missing.

    But where a result is marked there was a game, and its rows may be too pale to be seen.
    """
    first = read_first(marks, normalised(first_evidence(marks)))
    result = read_result(marks, None, decided=False)
    if "unmarked" not in result.flags:
        result = replace(result, flags=(*result.flags, "result-mismatch"))
    absent = ChoiceReading(None, 1.0)
    return GameReading(
        game,
        absent if "unmarked" in first.flags else first,
        absent if "unmarked" in result.flags and not result.also else result,
    )


def _flags(row: RowInput, found: Deciphered, place: int, sure: float, doubtful: bool) -> tuple[RowFlag, ...]:
    """Why a person should look at a row (SPEC 6); one that is surely read and refused is `illegal`, nothing else."""
    if row.glyphs is None:
        return ("blank-row",)
    if found.texts[place] is UNREADABLE:
        return ("unreadable",)
    choice = found.choices[place]
    flags: list[RowFlag] = []
    refused = bool(found.sheet.errors(place))
    # A refused row is looked at in any case: it is in doubt as well only where the doubt is plain.
    doubtful = doubtful and not (refused and sure >= SURE_REFUSED)
    if doubtful or row.uncertain:
        flags.append("low-confidence")
        if doubtful and choice.place != 0:
            flags.append("rule-conflict")
    if refused:
        flags.append("illegal")
    return (*flags, *_owed(row, found, place))


def _owed(row: RowInput, found: Deciphered, place: int) -> tuple[RowFlag, ...]:
    """What a person should look at however sure the text is."""
    choice = found.choices[place]
    flags: list[RowFlag] = []
    if found.listed[place][choice.place].struck:
        flags.append("struck-out")
    if row.overflow > OUTSIDE:
        flags.append("outside-box")
    if choice.continued:
        flags.append("continued")
    return tuple(flags)


def is_shown(row: RowInput, found: Deciphered, place: int) -> bool:
    """Whether a row (counted from 0) is flagged however sure its text is, so that it cannot be wrong unseen."""
    if row.glyphs is None or row.uncertain or not found.listed[place]:
        return True  # blank, hardly to be seen or unreadable
    return bool(found.sheet.errors(place) or _owed(row, found, place))


def _alternatives(found: Deciphered, place: int, confidence: float) -> tuple[Alternative, ...]:
    """The other texts, likeliest first: what the row's confidence leaves, shared out by their weights.

    Of an unreadable row, which has no text, the decoder's guess is one of them.
    """
    listed, choice = found.listed[place], found.choices[place]
    others = [(p, listed[k].text) for k, p in enumerate(choice.probabilities) if k != choice.place]
    left = sum(p for p, _ in others)
    best = sorted(others, key=lambda item: -item[0])[:ALTERNATIVES]
    rest = [Alternative(text, (1 - confidence) * p / left) for p, text in best if left > 0]
    guess = [Alternative(listed[choice.place].text, confidence)] if found.texts[place] is UNREADABLE and listed else []
    return tuple(sorted([*guess, *rest][:ALTERNATIVES], key=lambda other: -other.confidence))
