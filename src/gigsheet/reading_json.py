"""`SheetReading` to and from the JSON object of SPEC 6 (`gigsheet.reading/1`)."""

from __future__ import annotations

from typing import Any, cast

from gigsheet.records import (
    Alternative,
    ChoiceReading,
    GameReading,
    MarkFlag,
    PageFlag,
    Quad,
    RowFlag,
    RowReading,
    SheetId,
    SheetReading,
)

SCHEMA = "gigsheet.reading/1"


def to_dict(reading: SheetReading) -> dict[str, Any]:
    """The reading as SPEC 6 has it. Beside the fields of the SPEC a doubtful row carries `why`, a list of sentences."""
    out: dict[str, Any] = {
        "schema": SCHEMA,
        "source": reading.source,
        "page": reading.page,
        "error": reading.error,
    }
    if reading.error is not None:
        return out | {"message": reading.message, "games": []}
    sheet = reading.sheet
    return out | {
        "sheet_index": reading.sheet_index,
        "sheet": None
        if sheet is None
        else {
            "template": sheet.template,
            "version": sheet.version,
            "paper": sheet.paper,
            "serial": sheet.serial,
        },
        "flagged": reading.flagged,
        "flags": list(reading.flags),
        "games": [_game(game) for game in reading.games],
        "timings_ms": {stage: round(ms, 2) for stage, ms in reading.timings_ms.items()},
    }


def from_dict(data: dict[str, Any]) -> SheetReading:
    """The inverse of `to_dict`.

    Raises:
        ValueError: `data` is no reading of this schema.
    """
    try:
        return _read_sheet(data)
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"no {SCHEMA} object: {type(error).__name__}: {error}") from error


def _choice(choice: ChoiceReading) -> dict[str, Any]:
    return {
        "value": choice.value,
        "confidence": round(choice.confidence, 4),
        "flagged": choice.flagged,
        "flags": list(choice.flags),
    }


def _row(row: RowReading) -> dict[str, Any]:
    out: dict[str, Any] = {
        "turn": row.turn,
        "text": row.text,
        "confidence": round(row.confidence, 6),
        "flagged": row.flagged,
        "flags": list(row.flags),
        "alternatives": [{"text": a.text, "confidence": round(a.confidence, 6)} for a in row.alternatives],
        "box_px": None if row.quad is None else [[round(x, 1), round(y, 1)] for x, y in row.quad],
    }
    if row.why:
        out["why"] = list(row.why)
    return out


def _game(game: GameReading) -> dict[str, Any]:
    return {
        "game": game.game,
        "first": _choice(game.first),
        "result": _choice(game.result) | {"also": list(game.result.also)},
        "rows": [_row(row) for row in game.rows],
        "transcript": game.transcript,
        "check": game.check,
    }


def _read_choice(data: dict[str, Any]) -> ChoiceReading:
    return ChoiceReading(
        value=data["value"],
        confidence=data["confidence"],
        flags=cast(tuple[MarkFlag, ...], tuple(data["flags"])),
        also=tuple(data.get("also", ())),
    )


def _read_row(data: dict[str, Any]) -> RowReading:
    box = data.get("box_px")
    return RowReading(
        turn=data["turn"],
        text=data["text"],
        confidence=data["confidence"],
        flags=cast(tuple[RowFlag, ...], tuple(data["flags"])),
        alternatives=tuple(Alternative(a["text"], a["confidence"]) for a in data.get("alternatives", ())),
        quad=None if box is None else cast(Quad, tuple((float(x), float(y)) for x, y in box)),
        why=tuple(data.get("why", ())),
    )


def _read_game(data: dict[str, Any]) -> GameReading:
    return GameReading(
        game=data["game"],
        first=_read_choice(data["first"]),
        result=_read_choice(data["result"]),
        rows=tuple(_read_row(row) for row in data["rows"]),
        transcript=data["transcript"],
        check=data["check"],
    )


def _read_sheet(data: dict[str, Any]) -> SheetReading:
    if data["schema"] != SCHEMA:
        raise ValueError(f"its schema is {data['schema']!r}")
    sheet = data.get("sheet")
    return SheetReading(
        source=data["source"],
        page=data.get("page", 1),
        sheet_index=data.get("sheet_index", 1),
        sheet=SheetId(**sheet) if sheet else None,
        games=tuple(_read_game(game) for game in data.get("games", ())),
        flags=cast(tuple[PageFlag, ...], tuple(data.get("flags", ()))),
        error=data.get("error"),
        message=data.get("message"),
        timings_ms=dict(data.get("timings_ms", {})),
    )
