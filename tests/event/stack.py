"""Stacks for the tests of an event: sheets whose readings are scripted, so that no picture needs to be read."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gigsheet.batch.worker import Part, PartRead
from gigsheet.errors import UnreadableFileError
from gigsheet.notation.check import check
from gigsheet.records import Alternative, ChoiceReading, GameReading, RowReading, SheetId, SheetReading

REFERENCE = (
    ("A4 -A1 / A'4 / B4 -B2 / B'1 / C8 -B1 (-A'2) / C'3 xC / D6 -D4 xB' xA' / D'4 / E12 xC' xD' / E'12")
    .replace(" (-A'2)", "")
    .split(" / ")
)
"""The ten-turn game of the reference, without its reaction: WE win at the start of turn 11."""


def game_of(
    texts: Sequence[str],
    *,
    doubt: dict[int, str] | None = None,
    first: str = "WE",
    result: str | None = "WE",
    number: int = 1,
) -> GameReading:
    """A game whose rows hold `texts`; `doubt` maps a turn to the other text that it might hold."""
    text = f"first: {first}\n" + "".join(f"{turn}| {row}\n" for turn, row in enumerate(texts, 1))
    report = check(text).to_dict()
    refused = {d["turn"] for d in report["diagnostics"] if d["severity"] == "error"}
    rows = []
    for turn, row in enumerate(texts, 1):
        row_reading = RowReading(turn, row, 0.99, ("illegal",) if turn in refused else (), quad=quad(turn))
        if doubt and turn in doubt:
            row_reading = replace(
                row_reading,
                confidence=0.7,
                flags=("low-confidence", *row_reading.flags),
                alternatives=(Alternative(doubt[turn], 0.25),),
                why=(f"The ink may also say {doubt[turn]}.",),
            )
        rows.append(row_reading)
    return GameReading(
        number, ChoiceReading(first, 0.99), ChoiceReading(result, 0.99), tuple(rows), transcript=text, check=report
    )


def quad(turn: int) -> tuple[tuple[float, float], ...]:
    top = 100.0 + 40 * turn
    return ((50.0, top), (850.0, top), (850.0, top + 36), (50.0, top + 36))


def sheet(serial: str | None, *games: GameReading, source: str = "photo.jpg", page: int = 1) -> SheetReading:
    identity = SheetId("single", 1, "a4", serial)
    return SheetReading(source, page, 1, identity, games or (game_of(REFERENCE),), timings_ms={"total": 1.0})


def scripted(part: Part, options: object) -> PartRead:
    """A reader whose pages are JSON: ``{"serial": ..., "doubt": {"3": "B4 -B1"}}``, or one that says what happens.

    ``fail`` raises what no reader should, ``broken`` what one that cannot read at all does.
    ``sleep`` takes so many seconds, ``kill`` names a file: if it can be removed, the reader's process dies by it.
    """
    content = part.content if isinstance(part.content, bytes) else part.content.read_bytes()
    page = json.loads(content)
    time.sleep(page.get("sleep", 0))
    if "kill" in page and (page["kill"] == "always" or _removed(Path(page["kill"]))):
        os._exit(9)
    if "fail" in page:
        raise RuntimeError(page["fail"])
    if "broken" in page:
        raise UnreadableFileError(page["broken"])
    if "error" in page:
        return PartRead((SheetReading(part.name, part.page or 1, error=page["error"], message="take it anew"),))
    doubt = {int(turn): text for turn, text in page.get("doubt", {}).items()}
    texts = page.get("texts", REFERENCE)
    reading = sheet(page.get("serial"), game_of(texts, doubt=doubt), source=part.name, page=part.page or 1)
    return PartRead((reading,), {(0, 1, turn): b"jpeg" for turn in doubt})


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def write_stack(folder: Path, count: int, *, doubt_every: int = 3, sleep: float = 0.0) -> list[Path]:
    """`count` files for `scripted`, every `doubt_every`-th with a doubtful row."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for k in range(1, count + 1):
        page: dict[str, object] = {"serial": f"7F3K-{k:03}", "sleep": sleep}
        if k % doubt_every == 0:
            page["doubt"] = {"3": "B4 -B1"}
        path = folder / f"sheet{k}.jpg"
        path.write_text(json.dumps(page))
        paths.append(path)
    return paths
