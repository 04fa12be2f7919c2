"""Light is divided out; ink of any pen comes to one darkness; nothing is made of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from gigsheet.vision.flatfield import flat_field


def strip(ink: int, *, seed: int = 0, noise: float = 4.0, light: tuple[float, float] = (240, 240)) -> np.ndarray:
    """One strip 40 x 800 with three pen strokes of `ink` times the paper's brightness."""
    rng = np.random.default_rng(seed)
    paper = np.tile(np.linspace(*light, 800), (40, 1))
    for x in (100, 300, 500):
        paper[8:30, x : x + 3] *= ink / 255
        paper[17:20, x : x + 25] *= ink / 255
    return np.clip(paper + rng.normal(0, noise, paper.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("ink", [20, 90, 150])
def test_pencil_and_felt_tip_come_out_dark_on_white(ink: int) -> None:
    flat = flat_field(strip(ink)[None])[0]
    assert np.median(flat[18, 104:120]) < 80
    assert np.median(flat[:, 350:480]) == 255


def test_a_slope_of_light_and_a_shadow_leave_the_paper_white() -> None:
    shaded = strip(60, light=(90, 250)).astype(np.float32)
    shaded[:, 400:] *= 0.6
    flat = flat_field(shaded.astype(np.uint8)[None])[0]
    assert np.mean(flat[:, 550:] < 200) < 0.01
    assert np.mean(flat[:, 130:290] < 200) < 0.02


def test_an_empty_strip_stays_empty() -> None:
    noise = np.random.default_rng(1).normal(200, 6, (4, 40, 800)).clip(0, 255).astype(np.uint8)
    assert np.mean(flat_field(noise) < 160) < 0.002


def test_strips_do_not_influence_each_other() -> None:
    one, other = strip(30), strip(150, seed=3, light=(80, 140))
    both = flat_field(np.stack([one, other]))
    assert np.array_equal(both[0], flat_field(one[None])[0])
    assert np.array_equal(both[1], flat_field(other[None])[0])


@pytest.mark.parametrize("shape", [(0, 40, 800), (3, 40, 0), (2, 40, 1), (1, 3, 7), (2, 33, 121)])
def test_odd_shapes_keep_their_shape(shape: tuple[int, int, int]) -> None:
    assert flat_field(np.full(shape, 200, np.uint8)).shape == shape
