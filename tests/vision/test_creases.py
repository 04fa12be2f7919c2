"""A fold across a row is painted out; pens are not, neither what they wrote on the fold nor a row struck out."""

from __future__ import annotations

import numpy as np
import pytest

from gigsheet.vision.creases import Spot, without_creases


def always(one: Spot, other: Spot, darkness: float) -> bool:
    return True


def strips(seed: int = 0) -> np.ndarray:
    """Three strips: two with pen strokes in their first half, one blank."""
    flat = np.full((3, 40, 800), 255, np.uint8)
    rng = np.random.default_rng(seed)
    for k in range(2):
        for x in rng.integers(20, 380, 8):
            flat[k, 8:30, x : x + 3] = 30
            flat[k, 12 + k : 15 + k, x : x + 18] = 30
    return flat


def fold(flat: np.ndarray, row: int, top: float, tilt: float, depth: int) -> np.ndarray:
    folded = flat.copy()
    for x in range(flat.shape[2]):
        y = top + tilt * x / flat.shape[2]
        for dy, share in ((-1, 0.5), (0, 1.0), (1, 0.5)):
            at = (row, round(y) + dy, x)
            folded[at] = max(0, int(folded[at]) - int(depth * share))
    return folded


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(("top", "tilt", "depth"), [(20, 0, 40), (10, 8, 90), (28, -9, 160)])
def test_a_fold_goes_and_the_writing_across_it_stays(row: int, top: float, tilt: float, depth: int) -> None:
    clean = strips()
    mended, ruled = without_creases(fold(clean, row, top, tilt, depth), goes_on=always)
    assert not ruled.any()
    assert np.mean(mended[row][clean[row] == 255] < 170) < 0.002
    assert np.count_nonzero(mended[row][clean[row] < 128] > 170) <= 0.12 * np.count_nonzero(clean[row] < 128)
    others = [k for k in range(3) if k != row]
    assert np.array_equal(mended[others], clean[others])


def test_without_a_fold_nothing_changes() -> None:
    clean = strips()
    mended, ruled = without_creases(clean, goes_on=always)
    assert np.array_equal(mended, clean)
    assert not ruled.any()


@pytest.mark.parametrize("ends", [(15, 790), (0, 800)])
@pytest.mark.parametrize("shade", [30, 90, 160])
def test_a_row_struck_out_by_one_long_line_stays_struck_out(ends: tuple[int, int], shade: int) -> None:
    """Also by a pencil, and by a line that runs past both ends of the strip."""
    struck = strips()
    line = struck[0, 20:23, slice(*ends)]
    np.minimum(line, shade, out=line)
    asked = []

    def never(one: Spot, other: Spot, darkness: float) -> bool:
        asked.append((one.strip, round(one.row), other.column, darkness))
        return False

    mended, ruled = without_creases(struck, goes_on=never)
    assert np.array_equal(mended, struck)
    assert ruled.tolist() == [True, False, False]
    ((strip, row, last, darkness),) = asked
    assert (strip, last, darkness) == (0, 799, 255 - shade)
    assert row in (20, 21, 22)


def test_a_game_struck_out_by_one_line_down_its_rows_stays_struck_out() -> None:
    struck = np.concatenate([strips(seed) for seed in range(4)])
    struck[:, :, 600:603] = 60
    mended, ruled = without_creases(struck, np.zeros(800, np.bool_), goes_on=lambda *_: False)
    assert np.array_equal(mended, struck)
    assert ruled.all()


def test_a_faint_line_is_a_crease_whoever_says_what() -> None:
    folded = fold(strips(), 2, 20, 0, 40)
    mended, ruled = without_creases(folded, goes_on=lambda *_: False)
    assert mended[2].min() > 230
    assert not ruled.any()


@pytest.mark.parametrize("tilt", [0, 9, -14])
def test_a_fold_down_the_rows_goes_and_ones_stay(tilt: int) -> None:
    clean = np.concatenate([strips(seed) for seed in range(4)])
    clean[::2, 8:32, 402:405] = 30  # a digit 1 in every other row, on the fold
    folded = clean.copy()
    for k, strip in enumerate(folded):
        x = round(400 + tilt * k / len(folded))
        for dx, depth in ((-1, 40), (0, 80), (1, 40)):
            strip[:, x + dx] = np.maximum(strip[:, x + dx].astype(int) - depth, 0)
    frame = np.zeros(800, np.bool_)
    mended, _ = without_creases(folded, frame, goes_on=always)
    assert np.mean(mended[clean == 255] < 170) < 0.001
    assert np.mean(mended[clean < 128] > 150) < 0.05
    assert np.array_equal(without_creases(clean, frame, goes_on=always)[0], clean)
