"""Turns a picture of a page into the photograph or the scan of it, and knows where every point of the page went.

A photograph is made as a camera makes it: the paper is a surface in space (bent, folded, crumpled, its lengths kept),
seen through a pinhole, lit unevenly, blurred, noisy, and compressed. The inverse map that the pixels need comes by
iteration from the forward map, so `Capture.to_image` is exact to a few hundredths of a pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Pixels = npt.NDArray[np.uint8]

GRID_MM = 2.0
"""Distance of the points at which the paper's surface is worked out; between them it is linear."""
_COARSE = 8
_LIGHT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """What lies on the table: `pixels` uint8 [h, w, 3], and `cover` float32 [h, w], 0 where the table shows through."""

    pixels: Pixels
    cover: npt.NDArray[np.float32]
    px_per_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """A picture taken: BGR pixels, and `to_image` from [n, 2] paper pixels to [n, 2] picture pixels (centres whole)."""

    pixels: Pixels
    to_image: Callable[[npt.ArrayLike], Floats]
    quality: int = 88

    def jpeg(self) -> bytes:
        """The picture as the bytes of a JPEG file."""
        return encoded(self.pixels, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, self.quality])


@dataclass(frozen=True, slots=True)
class Photo:
    """How a photograph is taken.

    Attributes:
        megapixels: of the picture, 4 to 3.
        turn_deg, tilt_deg, tilt_towards_deg: the page's turn in the picture; how far, and to which side, the camera
            leans away from looking straight down.
        fill: the share of the picture's width or height that the paper takes up.
        shift: how far the paper's middle lies from the picture's, as shares of the picture's size.
        bend_mm, fold_slope, crumple_slope: the height of a bend; how steep a sheet folded in four is; a crumpled one.
        exposure: 1 is right, 0.3 a dim hall (with the noise that goes with it).
        shadow: how much light a hard-edged shadow takes, 0..1; glare: how strongly a lamp is mirrored, 0..1.
        light: gains of blue, green, red.
        defocus_px, motion_px: the radius of the blur disc; the length of a shake.
        noise: grey levels, at exposure 1.
        screen: the page is shown on a screen, which is photographed (its pixels beat with the camera's).
    """

    megapixels: float = 8.0
    turn_deg: float = 0.0
    tilt_deg: float = 8.0
    tilt_towards_deg: float = 90.0
    fill: float = 0.88
    shift: tuple[float, float] = (0.0, 0.0)
    bend_mm: float = 0.0
    fold_slope: float = 0.0
    crumple_slope: float = 0.0
    exposure: float = 1.0
    shadow: float = 0.0
    glare: float = 0.0
    light: tuple[float, float, float] = (1.0, 1.0, 1.0)
    defocus_px: float = 0.7
    motion_px: float = 0.0
    noise: float = 2.0
    screen: bool = False
    quality: int = 88


@dataclass(frozen=True, slots=True)
class Scan:
    """How a page is scanned or faxed.

    Attributes:
        dpi: of the scan.
        skew_deg: how askew the page went in; turns: quarter turns on top.
        stretch: (x, y) factors, which a feeder gives unequal.
        wobble_mm: how far the feeder's speed, waving, moves rows up and down.
        margin_mm: the scanner's bed that shows around the paper; negative cuts the paper's edge off.
        contrast: steepness of the scanner's own tone curve around the middle, 1 for none.
        bits: 8, or 1 for a fax (threshold with no grey left).
        noise, blur_px, quality: as a photo's.
    """

    dpi: float = 300.0
    skew_deg: float = 0.5
    turns: int = 0
    stretch: tuple[float, float] = (1.0, 1.0)
    wobble_mm: float = 0.0
    margin_mm: float = 0.0
    contrast: float = 1.1
    bits: int = 8
    noise: float = 1.5
    blur_px: float = 0.5
    quality: int = 88


def photograph(paper: Paper, photo: Photo, rng: np.random.Generator) -> Capture:
    """The paper as a camera sees it."""
    surface = _surface(paper, photo, rng)
    size = _picture_size(photo, paper)
    step = GRID_MM * paper.px_per_mm
    seen, homography = _project(surface, photo, size)
    lens = _Mapping(seen, homography @ np.diag([1 / step, 1 / step, 1]), step)
    page_at = lens.inverse(size)
    shade = _shading(surface, paper.pixels.shape[:2], rng) if _is_bumpy(photo) else None
    pixels = _on_screen(paper.pixels, paper.px_per_mm) if photo.screen else paper.pixels
    pixels = pixels if shade is None else _times(pixels, shade[..., None])
    per_pixel = lens.paper_px_per_picture_px(size)
    if per_pixel > 1.2:  # a camera's pixel gathers light from its whole area
        pixels = cv2.GaussianBlur(pixels, (0, 0), 0.4 * per_pixel)
    picture = cv2.remap(pixels, page_at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.remap(paper.cover, page_at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    table = _table(size, rng)
    picture = cv2.blendLinear(picture, table, cover, 1 - cover)
    picture = _lit(picture, photo, rng)
    picture = _blurred(picture, photo, rng)
    picture = _noisy(picture, photo.noise / max(photo.exposure, 0.1) ** 0.5, rng)
    return Capture(picture, lens, photo.quality)


def scan(paper: Paper, settings: Scan, rng: np.random.Generator) -> Capture:
    """The paper as a scanner, a copier or a fax sees it."""
    height, width = paper.pixels.shape[:2]
    px_mm = settings.dpi / 25.4
    margin = settings.margin_mm * px_mm
    k = px_mm / paper.px_per_mm
    sx, sy = (k * s for s in settings.stretch)
    size = (round(width * sx + 2 * margin), round(height * sy + 2 * margin))
    angle = np.deg2rad(settings.skew_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = turn @ np.diag([sx, sy])
    centre = np.array([width - 1, height - 1]) / 2
    offset = (np.array(size) - 1) / 2 - matrix @ centre
    rows = np.arange(-50.0, size[1] + 50.0)
    phase, waves = rng.uniform(0, 2 * np.pi), rng.uniform(2, 5)
    pulled = rows + settings.wobble_mm * px_mm * np.sin(phase + 2 * np.pi * waves * rows / size[1])

    def to_scan(points: npt.ArrayLike) -> Floats:
        p = np.asarray(points, np.float64).reshape(-1, 2) @ matrix.T + offset
        return _turned(np.column_stack([p[:, 0], np.interp(p[:, 1], rows, pulled)]), settings.turns, size)

    y = np.interp(np.arange(size[1]), pulled, rows)  # where each scan line was before the feeder's waving
    x = np.arange(size[0])
    flat = np.stack(np.meshgrid(x, y), axis=-1) - offset
    page_at = (flat @ np.linalg.inv(matrix).T).astype(np.float32)
    pixels = cv2.GaussianBlur(paper.pixels, (0, 0), 0.45 / k) if k < 0.9 else paper.pixels
    picture = cv2.remap(pixels, page_at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.remap(paper.cover, page_at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    bed = np.full_like(picture, rng.choice([30, 235]))
    picture = cv2.blendLinear(picture, bed, cover, 1 - cover)
    if settings.blur_px:
        picture = cv2.GaussianBlur(picture, (0, 0), settings.blur_px)
    picture = _tone(picture, settings.contrast)
    picture = _noisy(picture, settings.noise, rng)
    if settings.bits == 1:
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        picture = cv2.cvtColor(np.where(gray > rng.integers(130, 190), 255, 0).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    return Capture(np.ascontiguousarray(np.rot90(picture, -settings.turns)), to_scan, settings.quality)


def encoded(pixels: Pixels, ending: str, options: list[int] | None = None) -> bytes:
    """A picture as the bytes of a file of the kind that `ending` names."""
    done, data = cv2.imencode(ending, pixels, options or [])
    if not done:
        raise ValueError(f"OpenCV writes no {ending}")
    return data.tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """Points in space [rows, columns, 3] in mm over a grid of the paper's own points, and the slopes there."""

    points: Floats
    slope_x: Floats
    slope_y: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Mapping:
    """Paper pixels to picture pixels: a homography and what is left to the true map, linear over a grid."""

    seen: Floats
    homography: Floats
    step: float
    rest: npt.NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        rows, columns = self.seen.shape[:2]
        grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) * self.step
        flat = _through(self.homography, grid).reshape(rows, columns, 2)
        object.__setattr__(self, "rest", (self.seen - flat).astype(np.float32))

    def __call__(self, points: npt.ArrayLike) -> Floats:
        p = np.asarray(points, np.float64).reshape(-1, 2)
        return _through(self.homography, p) + self._rest_at(p)

    def inverse(self, size: tuple[int, int]) -> npt.NDArray[np.float32]:
        """For each pixel of a picture of `size` the paper pixel seen there, float32 [h, w, 2]."""
        columns, rows = (n // _COARSE + 2 for n in size)
        q = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) * float(_COARSE)
        back = np.linalg.inv(self.homography)
        p = _through(back, q)
        for _ in range(25):
            before, p = p, _through(back, q - self._rest_at(p))
            if np.abs(p - before).max() < 0.01:
                break
        coarse = p.reshape(rows, columns, 2).astype(np.float32)
        x, y = (np.arange(n, dtype=np.float32) / _COARSE for n in size)
        at = np.stack(np.meshgrid(x, y), -1)
        return np.asarray(cv2.remap(coarse, at, None, cv2.INTER_LINEAR), np.float32)

    def paper_px_per_picture_px(self, size: tuple[int, int]) -> float:
        """How many paper pixels a picture's pixel spans in the middle of the picture."""
        middle = np.array(size) / 2
        near = _through(np.linalg.inv(self.homography), middle + np.array([(0, 0), (8, 0), (0, 8)]))
        return float(np.sqrt(abs(np.linalg.det(near[1:] - near[0]))) / 8)

    def _rest_at(self, points: Floats) -> Floats:
        at = np.clip(points / self.step, -1e4, 1e4).astype(np.float32).reshape(1, -1, 2)
        parts = [  # OpenCV maps at most 32767 points a line
            cv2.remap(self.rest, at[:, k : k + 30000], None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for k in range(0, at.shape[1], 30000)
        ]
        return np.concatenate(parts, axis=1)[0].astype(np.float64)


def _through(homography: Floats, points: Floats) -> Floats:
    return cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), homography).reshape(-1, 2)


def _turned(points: Floats, turns: int, size: tuple[int, int]) -> Floats:
    """Points of a picture of `size` after `turns` quarter turns clockwise."""
    x, y = points[:, 0], points[:, 1]
    w, h = size
    return np.column_stack([(x, y), (h - 1 - y, x), (w - 1 - x, h - 1 - y), (y, w - 1 - x)][turns % 4])


def _picture_size(photo: Photo, paper: Paper) -> tuple[int, int]:
    """Width and height; whoever photographs a page holds the camera as the page lies."""
    long = round((photo.megapixels * 1e6 * 4 / 3) ** 0.5)
    short = round(long * 3 / 4)
    height, width = paper.cover.shape
    upright = (abs(np.sin(np.deg2rad(photo.turn_deg))) < 0.7) == (height >= width)
    return (short, long) if upright else (long, short)


def _is_bumpy(photo: Photo) -> bool:
    return bool(photo.bend_mm or photo.fold_slope or photo.crumple_slope)


def _surface(paper: Paper, photo: Photo, rng: np.random.Generator) -> _Surface:
    """The paper in space: a height over each of its points, and its lengths kept along both axes."""
    height, width = (n / paper.px_per_mm for n in paper.pixels.shape[:2])
    x = np.arange(0, width + 2 * GRID_MM, GRID_MM)
    y = np.arange(0, height + 2 * GRID_MM, GRID_MM)
    u, v = np.meshgrid(x - width / 2, y - height / 2)
    z = np.zeros_like(u)
    if photo.bend_mm:
        along = rng.uniform(0, np.pi)
        s = (u * np.cos(along) + v * np.sin(along)) / (0.5 * np.hypot(width, height))
        z += photo.bend_mm * (
            np.cos(np.pi * s / 2 * rng.uniform(0.8, 1.6)) + 0.2 * np.sin(np.pi * s + rng.uniform(0, 6))
        )
    if photo.fold_slope:
        across, down = photo.fold_slope * rng.uniform(0.5, 1, 2) * rng.choice([-1, 1], 2)
        at = rng.normal(0, 2, 2)
        z += across * np.sqrt((u - at[0]) ** 2 + 4) + down * np.sqrt((v - at[1]) ** 2 + 4)
    for _ in range(14 if photo.crumple_slope else 0):
        towards = rng.uniform(0, 2 * np.pi)
        s = u * np.cos(towards) + v * np.sin(towards) - rng.uniform(-120, 120)
        z += photo.crumple_slope * rng.normal(0, 0.35) * np.sqrt(s * s + 6)
    slope_y, slope_x = np.gradient(z, GRID_MM)
    points = np.stack(
        [
            _kept_length(slope_x, axis=1) - _middle(slope_x, axis=1),
            _kept_length(slope_y, axis=0) - _middle(slope_y, axis=0),
            z - z.mean(),
        ],
        axis=-1,
    )
    return _Surface(points, slope_x, slope_y)


def _kept_length(slope: Floats, axis: int) -> Floats:
    """How far one comes over the table while going along paper that slopes."""
    steps = GRID_MM / np.sqrt(1 + slope**2)
    return np.cumsum(steps, axis=axis) - np.take(steps, [0], axis=axis)


def _middle(slope: Floats, axis: int) -> Floats:
    """Where the middle of the paper comes to lie: it is what stays in its place."""
    return np.take(_kept_length(slope, axis), [slope.shape[axis] // 2], axis=axis)


def _project(surface: _Surface, photo: Photo, size: tuple[int, int]) -> tuple[Floats, Floats]:
    """Where the grid's points fall in the picture, and the homography of the same paper lying flat."""
    tilt, towards, turn = np.deg2rad([photo.tilt_deg, photo.tilt_towards_deg, photo.turn_deg])
    axis = np.array([-np.sin(towards), np.cos(towards), 0.0])
    lean, _ = cv2.Rodrigues(axis * tilt)
    roll, _ = cv2.Rodrigues(np.array([0.0, 0.0, turn]))
    matrix = lean @ roll
    focal = 0.85 * max(size)
    rows, columns = surface.points.shape[:2]
    x, y = np.meshgrid(np.arange(columns) * GRID_MM, np.arange(rows) * GRID_MM)
    flat = np.stack([x - x[0, columns // 2], y - y[rows // 2, 0], np.zeros_like(x)], -1).reshape(-1, 3)
    space = surface.points.reshape(-1, 3) * (1, 1, -1)

    def at(points: Floats, distance: float) -> Floats:
        p = points @ matrix.T + (0, 0, distance)
        return focal * p[:, :2] / p[:, 2:]

    near, far = 150.0, 5000.0
    for _ in range(40):
        middle = (near + far) / 2
        if (flat @ matrix.T)[:, 2].min() + middle < 60:
            near = middle
            continue
        span = np.ptp(at(flat, middle), axis=0) / size
        near, far = (middle, far) if span.max() > photo.fill else (near, middle)
    seen, plain = at(space, far), at(flat, far)
    place = (np.array(size) - 1) / 2 + np.array(photo.shift) * size - (plain.min(0) + plain.max(0)) / 2
    corners = [0, columns - 1, rows * columns - 1, (rows - 1) * columns]
    return seen.reshape(rows, columns, 2) + place, _grid_homography(plain[corners] + place, rows, columns)


def _grid_homography(corners: Floats, rows: int, columns: int) -> Floats:
    """The homography that brings the grid's corners, counted in its own steps, to their places in the picture."""
    grid = np.array([[0, 0], [columns - 1, 0], [columns - 1, rows - 1], [0, rows - 1]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(grid, corners.astype(np.float32)), np.float64)


def _shading(surface: _Surface, shape: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """How brightly each point of uneven paper is lit by a lamp from one side."""
    towards, height = rng.uniform(0, 2 * np.pi), rng.uniform(0.8, 1.6)
    normal = np.sqrt(1 + surface.slope_x**2 + surface.slope_y**2)
    facing = (height - surface.slope_x * np.cos(towards) - surface.slope_y * np.sin(towards)) / normal
    shade = np.clip(0.35 + 0.65 * facing / height, 0.2, 1.35).astype(np.float32)
    return np.asarray(cv2.resize(shade, shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _table(size: tuple[int, int], rng: np.random.Generator) -> Pixels:
    """A playmat or a table top: coloured clouds, a few shapes, a weave."""
    w, h = (n // _LIGHT + 1 for n in size)
    base = rng.integers(20, 170, 3)
    clouds = cv2.resize(rng.normal(0, 35, (6, 6, 3)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    mat = np.clip(base + clouds + rng.normal(0, 6, (h, w, 1)), 0, 255).astype(np.uint8)
    for _ in range(rng.integers(0, 7)):
        at = tuple(int(n) for n in rng.integers(0, (w, h)))
        colour = tuple(int(n) for n in rng.integers(0, 255, 3))
        if rng.random() < 0.5:
            cv2.circle(mat, at, int(rng.integers(4, 40)), colour, int(rng.choice([-1, 2])))
        else:
            end = tuple(int(n) for n in rng.integers(0, (w, h)))
            cv2.line(mat, at, end, colour, int(rng.integers(1, 6)))
    return np.asarray(cv2.resize(mat, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _lit(picture: Pixels, photo: Photo, rng: np.random.Generator) -> Pixels:
    """Uneven and coloured light, a hard-edged shadow, a mirrored lamp."""
    h, w = picture.shape[:2]
    small = (w // _LIGHT + 1, h // _LIGHT + 1)
    x, y = np.meshgrid(np.linspace(-1, 1, small[0]), np.linspace(-1, 1, small[1]))
    towards = rng.uniform(0, 2 * np.pi)
    gain = (
        1 + rng.uniform(0, 0.2) * (x * np.cos(towards) + y * np.sin(towards)) - rng.uniform(0, 0.15) * (x * x + y * y)
    )
    if photo.shadow:
        edge = rng.uniform(0, 2 * np.pi)
        inside = x * np.cos(edge) + y * np.sin(edge) - rng.uniform(-0.4, 0.4) > 0
        gain = gain * np.where(inside, 1 - photo.shadow, 1)
    light = gain[..., None] * photo.exposure * np.array(photo.light)
    picture = _times(picture, cv2.resize(light.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR))
    if photo.glare:
        cx, cy = rng.uniform(-0.5, 0.5, 2)
        spot = np.exp(-(((x - cx) / rng.uniform(0.1, 0.22)) ** 2 + ((y - cy) / rng.uniform(0.08, 0.2)) ** 2))
        lamp = cv2.resize((np.minimum(spot * 1.6, 1) * photo.glare * 255).astype(np.uint8), (w, h))
        picture = cv2.add(picture, cv2.merge([lamp, lamp, lamp]))
    return picture


def _blurred(picture: Pixels, photo: Photo, rng: np.random.Generator) -> Pixels:
    if photo.defocus_px > 2:
        r = int(np.ceil(photo.defocus_px))
        y, x = np.mgrid[-r : r + 1, -r : r + 1]
        disc = np.clip(photo.defocus_px + 0.5 - np.hypot(x, y), 0, 1).astype(np.float32)
        picture = np.asarray(cv2.filter2D(picture, -1, disc / disc.sum()), np.uint8)
    elif photo.defocus_px:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), photo.defocus_px), np.uint8)
    if photo.motion_px >= 1:
        n = int(np.ceil(photo.motion_px)) | 1
        line = np.zeros((n + 2, n + 2), np.float32)
        towards = rng.uniform(0, np.pi)
        reach = photo.motion_px / 2 * np.array([np.cos(towards), np.sin(towards)])
        a, b = (n + 1) / 2 - reach, (n + 1) / 2 + reach
        cv2.line(line, *(tuple(np.round(e * 16).astype(int).tolist()) for e in (a, b)), 1.0, 1, cv2.LINE_AA, 4)
        picture = np.asarray(cv2.filter2D(picture, -1, line / line.sum()), np.uint8)
    return picture


def _noisy(picture: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    if not sigma:
        return picture
    noise = rng.normal(0, sigma, (512, 512, 3)).astype(np.int16)
    h, w = picture.shape[:2]
    tiled = np.tile(noise, (h // 512 + 1, w // 512 + 1, 1))[:h, :w]
    return np.asarray(cv2.add(picture, tiled, dtype=cv2.CV_8U), np.uint8)


def _tone(picture: Pixels, contrast: float) -> Pixels:
    levels = np.clip((np.arange(256) - 140.0) * contrast + 140 + 25 * (contrast > 1), 0, 255)
    return np.asarray(cv2.LUT(picture, levels.astype(np.uint8)), np.uint8)


def _times(picture: Pixels, gain: Floats) -> Pixels:
    gain = gain.astype(np.float32, copy=False)
    if gain.shape[2] == 1:
        gain = cv2.merge([gain, gain, gain])
    return np.asarray(cv2.multiply(picture, gain, dtype=cv2.CV_8U), np.uint8)


def _on_screen(pixels: Pixels, px_per_mm: float) -> Pixels:
    """The page as a display shows it: about 4 pixels a millimetre, each three coloured stripes with dark gaps."""
    pitch = max(3, round(px_per_mm / 4))
    mask = np.full((pitch, pitch, 3), 0.35, np.float32)
    for channel in range(3):
        x = round(channel * pitch / 3)
        mask[: pitch - 1, x : max(x + 1, round((channel + 1) * pitch / 3)), 2 - channel] = 2.2
    h, w = pixels.shape[:2]
    coarse = cv2.resize(pixels, (w // pitch, h // pitch), interpolation=cv2.INTER_AREA)
    shown = cv2.resize(coarse, (w, h), interpolation=cv2.INTER_NEAREST)
    return _times(shown, np.tile(mask, (h // pitch + 1, w // pitch + 1, 1))[:h, :w])
