"""Which of the printed choices a pen has marked."""

from __future__ import annotations

from gigsheet.records import Mark
from gigsheet.vision.page import Page


def read_marks(page: Page) -> tuple[Mark, ...]:
    return ()
