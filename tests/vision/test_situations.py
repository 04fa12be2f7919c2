"""One quick picture of every situation: its sheets found where they are, or refused for what it is.

`make measure-capture` takes 40 of each.
"""

from __future__ import annotations

import pytest
from benchmarks.measure_capture import judge

from tests.support.situations import SITUATIONS

MEGAPIXELS = 2.5
HEAVY = {"fifty-megapixels", "four-sheets"}
"""Take long to make: measured, not tested here."""


@pytest.mark.parametrize("situation", [name for name in SITUATIONS if name not in HEAVY])
def test_situation(situation: str) -> None:
    outcome = judge(situation, 0, MEGAPIXELS)
    assert outcome.wrong == 0
    assert outcome.extra == 0
    if outcome.wanted:
        assert outcome.found == outcome.wanted
    else:
        assert outcome.refused_rightly, outcome.refused
