"""Where a place on the paper lies in the picture: a homography, and a smooth bend of the paper under it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ORDER = 5
_TERMS = tuple((i, j) for i in range(_ORDER + 1) for j in range(_ORDER + 1) if i + j <= _ORDER)
_ACROSS, _DOWN = (list(orders) for orders in zip(*_TERMS, strict=True))
# How large a Chebyshev term of each order is in paper that bends by about a millimetre (half a wave to two waves across
# the page); cylinders are commoner than saddles, so mixed terms are held half as large.
_USUAL_MM = (0.6, 0.6, 0.8, 0.5, 0.2, 0.08)
_PRIOR_MM = np.array([_USUAL_MM[i + j] * (0.5 if i and j else 1.0) for i, j in _TERMS])
_BEND_SCALES = (0.03, 0.15, 0.4, 1.0, 2.5)
_NOISE_SCALES = (0.7, 1.0, 1.5, 2.5, 4.0, 7.0)
_BENDS, _NOISES = (grid.ravel()[:, None] for grid in np.meshgrid(_BEND_SCALES, _NOISE_SCALES))
_GAINS = _BENDS**2 / _NOISES**2


class Observations(NamedTuple):
    """Places on the paper whose picture is known.

    Attributes:
        at_mm: float64 [n, 2], where they are printed.
        offset_mm: float64 [n, 2], how far from there the flat page's mapping finds them; NaN where only the other
            coordinate was seen.
        error_mm: float64 [n], standard deviation of the measurement.
    """

    at_mm: Floats
    offset_mm: Floats
    error_mm: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """A smooth displacement of the paper, as a sum of Chebyshev polynomials over the page.

    Attributes:
        size_mm: float64 [2], the page's width and height.
        coefficients_mm: float64 [2, terms].
        covariance: float64 [2, terms, terms], of the coefficients, in mm².
    """

    size_mm: Floats
    coefficients_mm: Floats
    covariance: Floats

    def at(self, points_mm: npt.ArrayLike) -> Floats:
        """The displacement in mm, [..., 2], at points [..., 2]."""
        points = np.asarray(points_mm, np.float64)
        across, down = _polynomials(points.reshape(-1, 2), self.size_mm).transpose(2, 0, 1)
        # As products of two matrices of few terms: thousands of points are mapped for a page, and the basis is large.
        table = np.zeros((2, _ORDER + 1, _ORDER + 1))
        table[:, _DOWN, _ACROSS] = self.coefficients_mm
        return np.asarray((down * (table @ across)).sum(axis=1).T.reshape(points.shape), np.float64)

    def doubt_mm(self, points_mm: npt.ArrayLike) -> Floats:
        """The standard deviation of the displacement in mm, [..., 2]."""
        points = np.asarray(points_mm, np.float64)
        basis = _basis(points.reshape(-1, 2), self.size_mm)
        variance = ((basis @ self.covariance) * basis).sum(axis=2).T.reshape(points.shape)
        return np.asarray(np.sqrt(np.maximum(variance, 0)), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PageMapping:
    """Millimetres on the page to pixels of the picture.

    Attributes:
        homography: float64 [3, 3], of the page as if it lay flat.
        bend: what the paper does besides, or None.
    """

    homography: Floats
    bend: Bend | None = None

    def to_px(self, points_mm: npt.ArrayLike) -> Floats:
        """Pixels [..., 2] of page points [..., 2] in mm."""
        points = np.asarray(points_mm, np.float64)
        if self.bend is not None:
            points = points + self.bend.at(points)
        return _project(self.homography, points)

    def to_flat_mm(self, points_px: npt.ArrayLike) -> Floats:
        """Where pixels [..., 2] would lie on the page if it were flat, in mm."""
        return _project(np.asarray(np.linalg.inv(self.homography), np.float64), np.asarray(points_px, np.float64))

    def px_per_mm(self, at_mm: npt.ArrayLike) -> float:
        """The mean scale around one point of the page."""
        x, y = np.asarray(at_mm, np.float64)
        around = self.to_px(np.array([[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]))
        return float(np.linalg.norm(around[1] - around[0]) + np.linalg.norm(around[3] - around[2])) / 4


def fit_homography(at_mm: Floats, at_px: Floats) -> Floats | None:
    """The least-squares homography of corresponding points, or None when they do not determine a sensible one."""
    matrix, _ = cv2.findHomography(at_mm, at_px, 0)
    if matrix is None or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-9:
        return None
    return np.asarray(matrix, np.float64)


def fit_bend(seen: Observations, size_mm: tuple[float, float]) -> Bend:
    """The likeliest smooth displacement.

    A ridge regression whose two scales, how much this paper bends and how much worse than expected the measurements
    are, are those of the highest evidence (MacKay 1992): so flat paper stays flat, and the doubt that is left is known.
    """
    size = np.asarray(size_mm, np.float64)
    fits = [_fit_axis(seen, size, axis) for axis in range(2)]
    return Bend(size, np.stack([mean for mean, _ in fits]), np.stack([cov for _, cov in fits]))


def refit_down(bend: Bend, seen: Observations) -> Bend:
    """The same bend across the page, and the likeliest down the page."""
    mean, covariance = _fit_axis(seen, bend.size_mm, 1)
    return replace(
        bend,
        coefficients_mm=np.stack([bend.coefficients_mm[0], mean]),
        covariance=np.stack([bend.covariance[0], covariance]),
    )


def _fit_axis(seen: Observations, size: Floats, axis: int) -> tuple[Floats, Floats]:
    used = np.isfinite(seen.offset_mm[:, axis])
    return _regress(_basis(seen.at_mm[used], size), seen.offset_mm[used, axis], seen.error_mm[used])


def _regress(basis: Floats, values: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the coefficients under the likeliest pair of scales."""
    scaled = basis * (_PRIOR_MM / errors[:, None])
    target = values / errors
    power = float(target @ target)
    # In the eigenvectors of the weighted Gram matrix every pair of scales is a diagonal problem.
    spread, axes = np.linalg.eigh(scaled.T @ scaled)
    spread, moment = np.maximum(spread, 0), axes.T @ (scaled.T @ target)
    weights = _GAINS * spread + 1
    misfit = (power - (_GAINS / weights) @ moment**2) / _NOISES[:, 0] ** 2
    evidence = -(misfit + np.log(weights).sum(axis=1)) / 2 - len(values) * np.log(_NOISES[:, 0])
    best = int(np.argmax(evidence))
    bend, gain = _BENDS[best, 0], _GAINS[best, 0]
    mean = axes @ (gain * moment / (gain * spread + 1))
    covariance = bend**2 * (axes / (gain * spread + 1)) @ axes.T
    return _PRIOR_MM * mean, _PRIOR_MM[:, None] * covariance * _PRIOR_MM


def _basis(points_mm: npt.ArrayLike, size_mm: Floats) -> Floats:
    """Each of `_TERMS` at points [..., 2], [..., terms]."""
    powers = _polynomials(points_mm, size_mm)
    return np.asarray(np.moveaxis(powers[_ACROSS, ..., 0] * powers[_DOWN, ..., 1], 0, -1), np.float64)


def _polynomials(points_mm: npt.ArrayLike, size_mm: Floats) -> Floats:
    """Chebyshev polynomials of each order in each coordinate of points [..., 2], [_ORDER + 1, ..., 2]."""
    unit = np.asarray(points_mm, np.float64) / size_mm * 2 - 1
    powers = np.empty((_ORDER + 1, *unit.shape))
    powers[0], powers[1] = 1, unit
    for k in range(2, _ORDER + 1):
        powers[k] = 2 * unit * powers[k - 1] - powers[k - 2]
    return powers


def _project(matrix: Floats, points: Floats) -> Floats:
    homogeneous = points @ matrix[:, :2].T + matrix[:, 2]
    return homogeneous[..., :2] / homogeneous[..., 2:]
