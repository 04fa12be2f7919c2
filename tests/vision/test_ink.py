"""What counts as ink in a strip; what is pale, tiny or on print is tested on whole pages (`test_page.py`)."""

from __future__ import annotations

import numpy as np

from gigsheet.vision import rows
from gigsheet.vision.ink import ink_mask


def test_specks_and_print_are_no_ink_and_a_dot_is() -> None:
    flat = np.full((1, rows.STRIP_HEIGHT, 300), 255, np.uint8)
    flat[0, 5, 50] = 0  # dust
    flat[0, 3, :] = 0  # a rule
    flat[0, 25:28, 200:203] = 40  # a full stop
    printed = np.zeros((1, rows.STRIP_HEIGHT, 1), np.bool_)
    printed[0, 2:5] = True
    columns = np.flatnonzero(ink_mask(flat, printed)[0].any(axis=0))
    assert columns.tolist() == [200, 201, 202]
