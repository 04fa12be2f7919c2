"""Strokes too long for writing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from gigsheet.vision.strokes import struck_along, struck_down

HEIGHT, WIDTH, PX_PER_MM = 40, 902, 5.5


def along(ink: np.ndarray) -> np.ndarray:
    return struck_along(np.where(ink, 120, 240).astype(np.uint8), np.zeros(ink.shape, np.bool_), PX_PER_MM)


def down(ink: np.ndarray) -> np.ndarray:
    return struck_down(np.where(ink, 120, 240).astype(np.uint8), np.zeros(ink.shape, np.bool_))


def rows(count: int) -> np.ndarray:
    """Strips with three entries each, whose letters do not touch."""
    ink = np.zeros((count, HEIGHT, WIDTH), np.uint8)
    for strip in ink:
        for x in (10, 130, 250):
            for k in range(4):
                cv2.rectangle(strip, (x + 20 * k, 12), (x + 20 * k + 14, 30), 1, 2)
    return ink


def test_writing_is_no_stroke() -> None:
    ink = rows(18)
    assert not along(ink).any()
    assert not down(ink).any()


@pytest.mark.parametrize("slope", [-12, 0, 12])
def test_a_stroke_along_a_row_is_found(slope: int) -> None:
    ink = rows(6)
    cv2.line(ink[2], (10, 20 - slope), (330, 20 + slope), 1, 2)
    cv2.line(ink[4], (130, 20), (205, 20), 1, 2)  # one entry crossed out is the recogniser's to see
    assert np.flatnonzero(along(ink)).tolist() == [2]


@pytest.mark.parametrize("slant", [-300, 0, 30, 300])
def test_a_stroke_down_some_rows_is_found(slant: int) -> None:
    ink = rows(18)
    cv2.line(ink.reshape(-1, WIDTH), (400, 3 * HEIGHT + 10), (400 + slant, 8 * HEIGHT - 10), 1, 2)
    ink[:, :2] = ink[:, -3:] = 0  # where the sheet's own lines are
    assert np.flatnonzero(down(ink)).tolist() == [3, 4, 5, 6, 7]


def test_a_stroke_down_half_of_a_game_means_all_of_it() -> None:
    ink = rows(9)
    ink = np.concatenate([ink, np.zeros_like(ink)])
    cv2.line(ink.reshape(-1, WIDTH), (60, 2 * HEIGHT + 10), (120, 8 * HEIGHT - 10), 1, 2)
    assert down(ink)[:9].all()


def test_nothing_written_is_not_struck() -> None:
    ink = np.zeros((18, HEIGHT, WIDTH), np.bool_)
    assert not along(ink).any()
    assert not down(ink).any()
