"""The median, without NumPy's own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def middle(values: npt.NDArray[np.floating]) -> float:
    """The median of a few numbers, of any shape; those that are not a number do not count, and of none it is NaN.

    NumPy's median, quantile and percentile load `numpy.ma`, which takes a fortieth of a cold reading.
    """
    ordered = np.sort(values[~np.isnan(values)])
    count = len(ordered)
    return float((ordered[(count - 1) // 2] + ordered[count // 2]) / 2) if count else float("nan")
