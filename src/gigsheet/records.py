"""What the stages of a reading hand on: one record a stage, frozen, replaced and never mutated.

Only `RowStrip` (and `vision.page.Page`) hold pixels. From `Glyphs` on a stage can be tested without a picture, and from
`RowReading` on everything is JSON (SPEC 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

# Only the annotations name arrays: who handles readings alone, such as the event's store, need not load numpy.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Top left, top right, bottom right, bottom left, as the sheet itself has them."""
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in millimetres from the page's top left corner, y down."""

# One alphabet for every engine: class 0 is the blank of CTC, class k is ALPHABET[k - 1].
STRUCK = "#"
"""Stands for one crossed-out entry; the decoder leaves it out and flags the row."""
ALPHABET = "0123456789ABCDEFx+-=~()'<>." + STRUCK
BLANK = 0
CLASSES = len(ALPHABET) + 1
CLASS_OF = {c: k for k, c in enumerate(ALPHABET, 1)}

WINNERS = ("WE", "THEY", "draw")
"""The marks of a result box that say who won, as they are printed."""
ENDINGS = ("concession", "time")
"""Those that say how it ended, beside them."""

# Why somebody should look at a page, a printed choice, a row (SPEC 6).
PageFlag = Literal["bent-page", "unread-sheet-beside", "last-row", "nothing-written", "duplicate-serial"]
MarkFlag = Literal["unmarked", "double-mark", "low-confidence", "rule-conflict", "result-mismatch"]
RowFlag = Literal[
    "low-confidence",
    "rule-conflict",
    "illegal",
    "struck-out",
    "outside-box",
    "unreadable",
    "blank-row",
    "continued",
]


@dataclass(frozen=True, slots=True)
class SheetId:
    """Which printed sheet this is. `serial` is None when it cannot be read."""

    template: str
    version: int
    paper: str
    serial: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RowStrip:
    """One turn row, cut out of the picture and flat-fielded.

    Attributes:
        game, turn: which row, both from 1.
        pixels: uint8 [height, width]; paper is 255, ink is dark; `height` is `vision.rows.STRIP_HEIGHT`. Columns
            without ink between entries may be left out, hence `columns_mm`. Width 0 for a blank row.
        columns_mm: float32 [width]; where each column's centre lies on the page, in mm from the left edge.
        quad: the row's entry area in the picture as a person sees it, in pixels.
        blank: no ink worth reading.
        overflow: the share of the inked columns whose ink runs over the strip's upper or lower edge, 0..1; 1 when
            writing goes on beyond its left or right end, or something dark crosses it from top to bottom.
        uncertain: what is in it may not be what was written: a line runs across it that may strike it out, or it is
            too pale, or too much on the printed line, to be sure that it is all of it.
    """

    game: int
    turn: int
    pixels: npt.NDArray[np.uint8]
    columns_mm: npt.NDArray[np.float32]
    quad: Quad
    blank: bool
    overflow: float = 0.0
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """How likely one printed choice (`first`: WE, THEY; `result`: WE, THEY, draw, concession, time) was marked.

    `probability` is that of "marked", judged by this box's ink alone.
    """

    game: int
    choice: Literal["first", "result"]
    option: str
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """What an engine saw in one strip.

    Attributes:
        log_probs: float32 [time, CLASSES], natural logarithms, each row normalised; class 0 is the blank of CTC.
        x_mm: float32 [time]; where on the page each time step looks.
        engine: the engine's id, such as ``ctc-3f2a``.
        features: float32 [time, n] of length 1 each, what `log_probs` were made from, by which characters are compared
            with each other (`decode.shapes`); None from engines that have none.
        others: what further nets make of the same strip, each like `log_probs`; empty where they were not asked.
    """

    log_probs: npt.NDArray[np.float32]
    x_mm: npt.NDArray[np.float32]
    engine: str
    features: npt.NDArray[np.float32] | None = None
    others: tuple[npt.NDArray[np.float32], ...] = ()

    @property
    def haze(self) -> float:
        """Minus the log-probability of the best path: how little the engine is sure of the strip at all, in nats."""
        return -float(self.log_probs.max(axis=1).sum())


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another text a row may hold, with the posterior probability that it is the right one."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class RowReading:
    """What one row holds, as written (SPEC 6).

    `why` says in sentences what speaks for and against the reading; empty without doubt.
    """

    turn: int
    text: str
    confidence: float
    flags: tuple[RowFlag, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    quad: Quad | None = None
    why: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        return bool(self.flags)


@dataclass(frozen=True, slots=True)
class ChoiceReading:
    """A printed choice: `value` None when nothing (or too much) is marked and the game does not settle it."""

    value: str | None
    confidence: float
    flags: tuple[MarkFlag, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        return bool(self.flags)


@dataclass(frozen=True, slots=True)
class GameReading:
    """One game of a sheet: its marks, its rows up to the last one with ink, its transcript, the checker's report."""

    game: int
    first: ChoiceReading
    result: ChoiceReading
    rows: tuple[RowReading, ...] = ()
    transcript: str = ""
    check: dict[str, Any] | None = None

    @property
    def flagged(self) -> bool:
        return self.first.flagged or self.result.flagged or any(r.flagged for r in self.rows)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """One sheet of one page of one file, or the reason why it could not be read."""

    source: str
    page: int = 1
    sheet_index: int = 1
    sheet: SheetId | None = None
    games: tuple[GameReading, ...] = ()
    flags: tuple[PageFlag, ...] = ()
    error: str | None = None
    message: str | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def flagged(self) -> bool:
        return bool(self.flags) or any(g.flagged for g in self.games)

    def with_flags(self, *flags: PageFlag) -> SheetReading:
        """The same reading with more page flags, each once."""
        return replace(self, flags=tuple(dict.fromkeys((*self.flags, *flags))))
