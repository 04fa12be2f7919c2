"""The progress of an import: a bar on a terminal, plain lines elsewhere; refusals as they come."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

if TYPE_CHECKING:
    from gigsheet.batch.run import Tally

_LINE_EVERY = 10.0
"""Seconds between plain lines."""


class ProgressReport:
    """Shows a tally whenever it is called with one; on standard error, since results go to standard output."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._bar = Progress(
            BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[said]}"), console=self._console, transient=True
        )
        self._task = self._bar.add_task("read", total=None, said="")
        self._last_line = time.monotonic()

    def __enter__(self) -> ProgressReport:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:  # elsewhere it was not started, and would still end with an empty line
            self._bar.stop()

    def __call__(self, tally: Tally, refusal: str | None) -> None:
        if refusal is not None:
            self._console.print(f"gigsheet: {refusal}", markup=False, soft_wrap=True)
        if self._console.is_terminal:
            self._bar.update(self._task, completed=tally.pages, total=tally.total, said=_said(tally))
        elif time.monotonic() - self._last_line >= _LINE_EVERY:
            self._last_line = time.monotonic()
            self._console.print(f"{tally.pages} of {tally.total} pages, {_said(tally)}", markup=False, soft_wrap=True)


def _said(tally: Tally) -> str:
    left = tally.seconds_left
    rest = "" if left is None else f", {left:.0f} s left" if left < 90 else f", {left / 60:.0f} min left"
    counts = f"{tally.sure} sure, {tally.flagged} flagged, {tally.refused} refused"
    return f"{tally.rate:.1f} a second{rest}: {counts}"
