"""The bend of the paper is found from what is seen of it, and what is left open is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gigsheet.vision.grid import sample
from gigsheet.vision.mapping import Observations, PageMapping, fit_bend, fit_homography, refit_down

SIZE = (210.0, 297.0)
HOMOGRAPHY = np.array([[5.6, 0.3, 40.0], [-0.2, 5.9, 60.0], [1e-4, 2e-4, 1.0]])


def sites(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.uniform((12, 12), (198, 285), (count, 2))


def bent(at: np.ndarray, amplitude: float, waves: float, phase: tuple[float, float]) -> np.ndarray:
    turns = np.pi * waves * at[:, ::-1] / np.array([SIZE[1], SIZE[0]])
    return amplitude * np.sin(turns + phase)


@settings(max_examples=25, deadline=None)
@given(
    amplitude=st.floats(0.1, 2.0),
    waves=st.floats(0.6, 1.6),
    phase=st.tuples(st.floats(0, 6), st.floats(0, 6)),
    seed=st.integers(0, 99),
)
def test_a_smooth_bend_is_followed(amplitude: float, waves: float, phase: tuple[float, float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = sites(rng, 120)
    offset = bent(at, amplitude, waves, phase) + rng.normal(0, 0.05, at.shape)
    bend = fit_bend(Observations(at, offset, np.full(len(at), 0.07)), SIZE)
    check = sites(rng, 200)
    error = np.linalg.norm(bend.at(check) - bent(check, amplitude, waves, phase), axis=1)
    assert np.percentile(error, 99) < 0.35
    assert np.mean(error < 3 * np.linalg.norm(bend.doubt_mm(check), axis=1) + 0.02) > 0.95


def test_flat_paper_stays_flat_and_few_points_leave_doubt() -> None:
    rng = np.random.default_rng(1)
    at = sites(rng, 48)
    flat = fit_bend(Observations(at, rng.normal(0, 0.05, at.shape), np.full(48, 0.07)), SIZE)
    assert np.abs(flat.at(sites(rng, 100))).max() < 0.15
    few = at[:6]
    bend = fit_bend(Observations(few, bent(few, 1.5, 1.2, (1, 2)), np.full(6, 0.07)), SIZE)
    assert bend.doubt_mm([[12, 285]]).max() > flat.doubt_mm([[12, 285]]).max()


def test_what_is_seen_of_lines_bends_the_page_down_alone() -> None:
    rng = np.random.default_rng(2)
    at = sites(rng, 60)
    offset = bent(at, 1.0, 1.0, (0.5, 2.5))
    first = fit_bend(Observations(at, np.zeros_like(at), np.full(60, 0.07)), SIZE)
    offset[:, 0] = np.nan
    second = refit_down(first, Observations(at, offset, np.full(60, 0.07)))
    assert np.array_equal(second.coefficients_mm[0], first.coefficients_mm[0])
    assert np.abs(second.at(at)[:, 1] - offset[:, 1]).max() < 0.2


def test_a_bend_is_its_polynomials_at_points_of_any_shape() -> None:
    rng = np.random.default_rng(3)
    at = sites(rng, 60)
    bend = fit_bend(Observations(at, bent(at, 1.0, 1.0, (0.5, 2.5)), np.full(60, 0.07)), SIZE)
    points = sites(rng, 24).reshape(2, 3, 4, 2)
    orders = [(i, j) for i in range(6) for j in range(6 - i)]
    x, y = np.moveaxis(points / SIZE * 2 - 1, -1, 0)
    terms = np.stack([np.cos(i * np.arccos(x)) * np.cos(j * np.arccos(y)) for i, j in orders], axis=-1)
    np.testing.assert_allclose(bend.at(points), terms @ bend.coefficients_mm.T, atol=1e-9)
    variance = np.einsum("...i,dij,...j->...d", terms, bend.covariance, terms)
    np.testing.assert_allclose(bend.doubt_mm(points), np.sqrt(variance), atol=1e-7)


def test_a_homography_and_back() -> None:
    at = sites(np.random.default_rng(3), 12)
    mapping = PageMapping(HOMOGRAPHY)
    found = fit_homography(at, mapping.to_px(at))
    assert found is not None
    assert np.allclose(PageMapping(found).to_flat_mm(mapping.to_px(at)), at, atol=1e-6)
    assert fit_homography(np.ones((5, 2)), np.ones((5, 2))) is None
    assert mapping.px_per_mm((105, 148)) == pytest.approx(5.4, abs=0.5)


def test_a_grid_is_sampled_where_the_mapping_says() -> None:
    y, x = np.mgrid[0:1800, 0:1300].astype(np.float32)
    picture = ((np.sin(x / 60) + np.cos(y / 45)) * 60 + 127).astype(np.uint8)
    mapping = PageMapping(HOMOGRAPHY)
    along, down = np.arange(30, 150, 0.18), np.array([[60.0], [71.0], [210.0]]) + np.arange(40) * 0.265
    got = sample(picture, mapping, along, down)
    assert got.shape == (3, 40, len(along))
    points = mapping.to_px(np.stack(np.broadcast_arrays(along[None, None], down[:, :, None]), axis=-1))
    want = np.sin(points[..., 0] / 60) * 60 + np.cos(points[..., 1] / 45) * 60 + 127
    assert np.abs(got - want).max() < 2.5
