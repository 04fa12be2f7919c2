"""What light, lens, sensor and crop make of a row's ink: the composed strip as the reader would get it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Gray = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


class Camera:
    """Photographs rows at random: light, blur, noise, compression, and a crop that is never quite straight."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        # Normal deviates are dear: strips take windows of one field of them.
        self.grain: Floats = rng.standard_normal((512, 4096), np.float32)

    def capture(self, ink: Gray, print_mask: Gray, size: tuple[int, int], height_mm: float) -> Gray:
        """One strip, uint8 of the given (height, width), before flat-fielding.

        Args:
            ink: uint8 [h, w], 255 where the pen pressed full, at the scale of a photo.
            print_mask: the same for what is printed on the form.
            size: the strip's height and width in pixels.
            height_mm: how much paper the canvas shows from top to bottom.
        """
        rng = self.rng
        page = self._paper(ink, print_mask)
        blurred = self._blur(page)
        noisy = blurred + self._noise(ink.shape, float(np.exp(rng.uniform(np.log(1.0), np.log(9.0)))))
        seen: Gray = np.clip(noisy, 0, 255).astype(np.uint8)
        if rng.random() < 0.3:
            quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))]
            decoded = cv2.imdecode(cv2.imencode(".jpg", seen, quality)[1], cv2.IMREAD_GRAYSCALE)
            seen = np.asarray(decoded, np.uint8)
        return self._crop(seen, size, height_mm)

    def _noise(self, shape: tuple[int, ...], sigma: float) -> Floats:
        h, w = shape
        y = int(self.rng.integers(0, self.grain.shape[0] - h))
        x = int(self.rng.integers(0, self.grain.shape[1] - w))
        field: Floats = self.grain[y : y + h, x : x + w] * np.float32(sigma)
        return field

    def _smooth_field(self, shape: tuple[int, ...], low: float, high: float, cells: tuple[int, int]) -> Floats:
        """A field of values that changes slowly."""
        coarse = self.rng.uniform(low, high, cells).astype(np.float32)
        return cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC).astype(np.float32)

    def _paper(self, ink: Gray, print_mask: Gray) -> Floats:
        """Lit paper with print and ink on it, 0..255."""
        rng, shape = self.rng, ink.shape
        wide = max(2, shape[1] // 60)
        opacity = rng.uniform(0.5, 0.85) if rng.random() < 0.25 else rng.uniform(0.78, 0.98)
        pressure = self._smooth_field(shape, rng.uniform(0.6, 0.95), 1.0, (3, wide))
        cover = ink.astype(np.float32) * np.float32(opacity / 255) * pressure
        if rng.random() < 0.25:  # pencil and dry pens leave the paper's grain bare
            cover *= np.clip(1 - np.abs(self._noise(shape, rng.uniform(0.1, 0.5))), 0, 1)
        paper = rng.uniform(0.55, 0.98) * 255
        ink_level = rng.uniform(0.08, 0.5) * paper
        printed = 1 - print_mask.astype(np.float32) * np.float32(rng.uniform(0.05, 0.5) / 255)
        page = printed * paper
        page += cover * (ink_level - page)
        if rng.random() < 0.6:
            page *= self._smooth_field(shape, rng.uniform(0.65, 1.0), 1.0, (2, 3))
        if rng.random() < 0.08:  # the edge of a shadow or a fold across the strip
            x = float(rng.uniform(0, shape[1]))
            steep = (np.arange(shape[1], dtype=np.float32) - x) / np.float32(rng.uniform(3, 60))
            edge = 1 / (1 + np.exp(-np.clip(steep, -30, 30)))
            page *= 1 - np.float32(rng.uniform(0.1, 0.45)) * edge
        return page.astype(np.float32)

    def _blur(self, page: Floats) -> Floats:
        rng = self.rng
        sigma = float(np.exp(rng.uniform(np.log(0.35), np.log(2.2))))
        blurred = cv2.GaussianBlur(page, (0, 0), sigma)
        if rng.random() < 0.12:  # the hand moved
            size = int(rng.integers(3, 8))
            kernel = np.zeros((size, size), np.float32)
            cv2.line(kernel, (0, int(rng.integers(0, size))), (size - 1, int(rng.integers(0, size))), 1.0, 1)
            blurred = cv2.filter2D(blurred, -1, kernel / kernel.sum())
        return blurred.astype(np.float32)

    def _crop(self, seen: Gray, size: tuple[int, int], height_mm: float) -> Gray:
        """Cuts the strip out: reduced as the reader reduces, a little shifted, tilted and stretched."""
        rng, (height, width) = self.rng, size
        h, w = seen.shape
        if rng.random() < 0.6:  # a photo read at half size, or a scan of 150 to 200 dpi
            factor = float(rng.choice([0.5, 0.5, rng.uniform(0.5, 1.0)]))
            smaller = cv2.resize(seen, (round(w * factor), round(h * factor)), interpolation=cv2.INTER_AREA)
            seen = np.asarray(smaller, np.uint8)
        sy, sx = seen.shape[0] / height, seen.shape[1] / width
        per_mm = height / height_mm
        stretch_x, stretch_y = rng.normal(1, 0.02), rng.normal(1, 0.015)
        tilt = rng.normal(0, 0.35) * per_mm / max(width, 1)
        lift = rng.normal(0, 0.22) * per_mm
        to_source = np.array(
            [
                [sx * stretch_x, sx * rng.normal(0, 0.02), sx * 0.5 - 0.5 + sx * (1 - stretch_x) * width / 2],
                [
                    sy * tilt,
                    sy * stretch_y,
                    sy * 0.5 - 0.5 + sy * (lift + (1 - stretch_y) * height / 2 - tilt * width / 2),
                ],
            ],
            np.float32,
        )
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        strip = cv2.warpAffine(seen, to_source, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(strip, np.uint8)
