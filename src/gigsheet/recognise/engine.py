"""The seam between pictures and letters: what every engine is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gigsheet.records import Glyphs, RowStrip


class Engine(Protocol):
    """Recognises strips. It returns scores, never strings: what they spell is the decoder's to say."""

    @property
    def id(self) -> str:
        """Names the engine and its weights in a reading's provenance."""
        ...

    def prepare(self) -> None:
        """Loads what recognising needs. May be called in another thread while a picture is decoded; need not be."""
        ...

    def recognise(self, strips: Sequence[RowStrip]) -> list[Glyphs]:
        """One `Glyphs` a strip, in the same order; a strip of width 0 gives zero time steps."""
        ...
