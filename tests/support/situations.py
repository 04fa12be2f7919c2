"""Everything that a phone or a scanner may deliver, by name: each situation makes random pictures, with the truth.

`SITUATIONS[name](rng, megapixels)` -> `Shot`. Where `expects` is empty a person could read the picture, so a reader
must find its sheets; otherwise it must refuse with one of these codes, or (codes and sheets) may do either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from gigsheet.sheet.template import Template, load_template
from tests.support import pages
from tests.support.capture import Capture, Floats, Paper, Scan, encoded, photograph, scan
from tests.support.pages import PX_PER_MM, Page, smooth_stroke, stroke, written_page
from tests.support.shots import Rng, Shot, middling, px_per_mm, scanned, shot_of, taken, truth_of

Situation = Callable[[Rng, float], Shot]


def _two_of_four(rng: Rng) -> list[int]:
    return [int(k) for k in rng.choice(4, rng.integers(1, 3), replace=False)]


def _corner_mm(template: Template, corner: int) -> Floats:
    return np.array(pages.corners((0, 0, template.width_mm, template.height_mm))[corner])


# ---- how the camera is held


def quarter_turn(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, turn_deg=90.0 * rng.integers(1, 4) + rng.uniform(-4, 4)), rng)


def askew(rng: Rng, mp: float) -> Shot:
    turn = 90.0 * rng.integers(4) + rng.choice([-1, 1]) * rng.uniform(5, 30)
    return taken(written_page(rng), middling(rng, mp, turn_deg=float(turn)), rng)


def perspective(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, tilt_deg=rng.uniform(25, 45), fill=0.95), rng)


def motion_blur(rng: Rng, mp: float) -> Shot:
    """A shake of up to 0.6 mm on the paper: entries can still be read."""
    shot_px = px_per_mm(mp)
    return taken(written_page(rng), middling(rng, mp, motion_px=rng.uniform(0.2, 0.6) * shot_px), rng)


def defocus(rng: Rng, mp: float) -> Shot:
    """A blur disc of up to 0.35 mm radius: entries can still be read."""
    return taken(written_page(rng), middling(rng, mp, defocus_px=rng.uniform(0.12, 0.35) * px_per_mm(mp)), rng)


def hopeless_blur(rng: Rng, mp: float) -> Shot:
    """A blur disc of 1.4 to 2.5 mm radius: no one reads an entry."""
    shot = taken(written_page(rng), middling(rng, mp, defocus_px=rng.uniform(1.4, 2.5) * px_per_mm(mp)), rng)
    return replace(shot, sheets=(), expects=frozenset({"too-blurred", "no-sheet"}))


def two_megapixels(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng, load_template("single", "a4")), middling(rng, 2.0, fill=0.95), rng)


def fifty_megapixels(rng: Rng, mp: float) -> Shot:
    """Phones bin and enlarge: the detail of a quarter of the pixels."""
    sharp = photograph((page := written_page(rng)).paper(), middling(rng, 12.5), rng)
    large = cv2.resize(sharp.pixels, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    return shot_of(Capture(np.asarray(large, np.uint8), lambda p: sharp.to_image(p) * 2 + 0.5, 85), [page])


def lower_part_outside(rng: Rng, mp: float) -> Shot:
    """Written rows are cut off by the picture's edge."""
    page = written_page(rng)
    shot = taken(page, middling(rng, mp, shift=(0.0, 0.45), fill=0.95), rng)
    return replace(shot, sheets=(), expects=frozenset({"partial-page"}))


# ---- what became of the paper


def bent(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, bend_mm=rng.uniform(6, 16)), rng)


def folded(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, bend_mm=0.0, fold_slope=rng.uniform(0.06, 0.18)), rng)


def crumpled(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, bend_mm=0.0, crumple_slope=rng.uniform(0.04, 0.12)), rng)


def corner_torn(rng: Rng, mp: float) -> Shot:
    page = written_page(rng)
    for corner in _two_of_four(rng):
        at, inward = _corner_and_inward(page, corner)
        reach = rng.uniform(32, 40, 2)
        ragged = np.linspace(0, 1, 12)[:, None] * ([0, inward[1] * reach[1]] - np.array([inward[0] * reach[0], 0]))
        edge = at + np.array([inward[0] * reach[0], 0]) + ragged + rng.normal(0, 0.4, (12, 2))
        outside = at - inward * 20
        shape = np.vstack([edge, [outside[0], edge[-1, 1]], outside, [edge[0, 0], outside[1]]])
        cv2.fillPoly(page.cover, [np.round(page.at(shape)).astype(np.int32)], 0.0)
    return taken(page, middling(rng, mp), rng)


def thumb(rng: Rng, mp: float) -> Shot:
    page = written_page(rng)
    for corner in _two_of_four(rng):
        at, inward = _corner_and_inward(page, corner)
        tip = at + inward * rng.uniform(15, 20, 2)
        root = at - inward * 10
        for shade, width in ((0.75, 20.0), (1.0, 18.5)):
            colour = tuple(float(c) * shade for c in (140, 165, 215))
            for canvas, value in ((page.picture, colour), (page.cover, 1.0)):
                a, b = (tuple(np.round(page.at(p)[0]).astype(int).tolist()) for p in (tip, root))
                cv2.line(canvas, a, b, value, round(width * PX_PER_MM), cv2.LINE_AA)
    return taken(page, middling(rng, mp), rng)


def corner_outside(rng: Rng, mp: float) -> Shot:
    """The picture's edge cuts one or two corner fiducials off, and no row."""
    page = written_page(rng, load_template("single", str(rng.choice(["a4", "letter"]))))
    photo = middling(rng, mp, fill=0.97, turn_deg=rng.uniform(-0.6, 0.6), tilt_deg=2.0, bend_mm=1.0)
    capture = photograph(page.paper(), photo, rng)
    t = page.template
    along = int(rng.integers(4))
    # so much of the print beyond this edge goes: its corner fiducials, but neither rows nor choices
    cut = {0: 20.0, 1: t.width_mm - 16.0, 2: t.height_mm - 15.0, 3: 16.0}[along]
    ends = [(10, cut), (t.width_mm - 10, cut)] if along in (0, 2) else [(cut, 10), (cut, t.height_mm - 10)]
    px = capture.to_image(page.at(ends))
    h, w = capture.pixels.shape[:2]
    x0, y0, x1, y1 = 0, 0, w, h
    if along == 0:
        y0 = max(0, int(px[:, 1].max()))
    elif along == 2:
        y1 = min(h, int(px[:, 1].min()))
    elif along == 1:
        x1 = min(w, int(px[:, 0].min()))
    else:
        x0 = max(0, int(px[:, 0].max()))
    kept = np.ascontiguousarray(capture.pixels[y0:y1, x0:x1])
    return shot_of(Capture(kept, lambda p: capture.to_image(p) - (x0, y0)), [page])


def _corner_and_inward(page: Page, corner: int) -> tuple[Floats, Floats]:
    at = _corner_mm(page.template, corner)
    middle = np.array([page.template.width_mm, page.template.height_mm]) / 2
    return at, np.sign(middle - at)


def stains(rng: Rng, mp: float) -> Shot:
    """Rings of cups and a splash."""
    page = written_page(rng)
    layer = np.full(page.picture.shape, 255, np.uint8)
    for _ in range(rng.integers(1, 4)):
        at = tuple(np.round(page.at(rng.uniform((20, 30), (190, 260)))[0]).astype(int).tolist())
        brown = tuple(int(c) for c in rng.uniform((90, 130, 160), (170, 200, 225)))
        cv2.circle(layer, at, round(rng.uniform(28, 42) * PX_PER_MM), brown, round(rng.uniform(1.5, 4) * PX_PER_MM))
        if rng.random() < 0.6:
            splash = at[0] + 200, at[1] + 50
            cv2.ellipse(layer, splash, (round(rng.uniform(40, 110)), 60), 30, 0, 360, brown, -1)
    layer = cv2.GaussianBlur(layer, (0, 0), 3)
    return taken(replace(page, picture=cv2.multiply(page.picture, layer, scale=1 / 255)), middling(rng, mp), rng)


def stickers(rng: Rng, mp: float) -> Shot:
    """Stickers in the head and over one side fiducial, never on the rows."""
    page = written_page(rng)
    side = page.template.markers[int(rng.integers(4, len(page.template.markers)))]
    places = [np.mean(side.corners_mm, axis=0), rng.uniform((60, 20), (140, 34))]
    for at in places[: rng.integers(1, 3)]:
        middle = tuple(np.round(page.at(at)[0]).astype(int).tolist())
        cv2.circle(page.picture, middle, round(6 * PX_PER_MM), tuple(int(c) for c in rng.integers(60, 255, 3)), -1)
        cv2.circle(page.picture, middle, round(4 * PX_PER_MM), tuple(int(c) for c in rng.integers(0, 255, 3)), 3)
    return taken(page, middling(rng, mp), rng)


def margin_doodles(rng: Rng, mp: float) -> Shot:
    page = written_page(rng)
    t = page.template
    margins = [(4, 34, 10, t.height_mm - 34), (t.width_mm - 8, 34, t.width_mm - 3, t.height_mm - 34)]
    margins += [(30, t.height_mm - 10, t.width_mm - 30, t.height_mm - 3), (30, 2, t.width_mm - 30, 9)]
    for _ in range(rng.integers(4, 14)):
        box = margins[rng.integers(len(margins))]
        stroke(page, smooth_stroke(rng, box, 8), rng.uniform(0.4, 1.4))
    return taken(page, middling(rng, mp), rng)


def over_the_frames(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng, overrun=0.6), middling(rng, mp), rng)


def notes(rng: Rng, mp: float) -> Shot:
    page = written_page(rng, load_template("single", "a4"))
    for row in page.template.games[0].rows[: page.written[1]]:
        if row.note_area_mm is not None and rng.random() < 0.7:
            for _ in range(rng.integers(1, 4)):
                stroke(page, smooth_stroke(rng, row.note_area_mm, 6))
    return taken(page, middling(rng, mp), rng)


# ---- the light


def low_light(rng: Rng, mp: float) -> Shot:
    dim = rng.uniform(0.18, 0.4)
    return taken(written_page(rng), middling(rng, mp, exposure=dim, noise=rng.uniform(2, 5)), rng)


def hard_shadow(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, shadow=rng.uniform(0.45, 0.75)), rng)


def glare(rng: Rng, mp: float) -> Shot:
    return taken(written_page(rng), middling(rng, mp, exposure=0.8, glare=rng.uniform(0.4, 0.9)), rng)


def coloured_light(rng: Rng, mp: float) -> Shot:
    gains = rng.permutation([1.0, rng.uniform(0.35, 0.8), rng.uniform(0.2, 0.6)])
    return taken(written_page(rng), middling(rng, mp, light=tuple(gains.tolist())), rng)


# ---- screens, printers, copiers, scanners


def screen_photo(rng: Rng, mp: float) -> Shot:
    settings = {"screen": True, "bend_mm": 0.0, "exposure": rng.uniform(0.9, 1.3), "defocus_px": 0.9}
    return taken(written_page(rng), middling(rng, mp, **settings), rng)


def screenshot(rng: Rng, mp: float) -> Shot:
    """The page in a viewer's window, as a PNG."""
    page = written_page(rng)
    k = rng.uniform(1000, 1700) / page.picture.shape[0]
    small = cv2.resize(page.picture, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
    window = np.full((small.shape[0] + 90, max(small.shape[1] + 60, 1400), 3), rng.integers(40, 90), np.uint8)
    window[:40] = 230
    x, y = (window.shape[1] - small.shape[1]) // 2, 60
    window[y : y + small.shape[0], x : x + small.shape[1]] = small
    truth = truth_of(page, lambda p: (p + 0.5) * k - 0.5 + (x, y))
    return Shot(encoded(window, ".png"), (truth,))


def photocopy_twice(rng: Rng, mp: float) -> Shot:
    """Each copy a little larger or smaller, askew, harder in contrast, with specks; then a scan."""
    page = written_page(rng)
    paper = page.paper()
    to: Callable[[Floats], Floats] = np.asarray
    for _ in range(2):
        copier = Scan(
            dpi=pages.DPI,
            skew_deg=float(rng.uniform(-0.7, 0.7)),
            stretch=(1 + rng.uniform(-0.01, 0.01), 1 + rng.uniform(-0.01, 0.01)),
            contrast=float(rng.uniform(1.5, 2.2)),
            blur_px=float(rng.uniform(0.5, 0.9)),
            noise=float(rng.uniform(3, 9)),
        )
        copy = scan(paper, copier, rng)
        to = partial(lambda first, then, p: then(first(p)), to, copy.to_image)
        specks = rng.integers(0, copy.pixels.shape[0], (150, 2)) % copy.pixels.shape[:2]
        copy.pixels[specks[:, 0], specks[:, 1]] = 30
        paper = Paper(copy.pixels, np.ones(copy.pixels.shape[:2], np.float32), PX_PER_MM)
    final = scan(paper, Scan(dpi=float(rng.choice([200, 300])), skew_deg=float(rng.uniform(-1, 1))), rng)
    return shot_of(Capture(final.pixels, lambda p: final.to_image(to(p))), [page])


def faint_print(rng: Rng, mp: float) -> Shot:
    """The printer's toner runs out; the pen does not."""
    template = pages.random_template(rng)
    fresh = pages.blank_page(template, pages.random_serial(rng))
    seed = int(rng.integers(1 << 30))
    inked = written_page(np.random.default_rng(seed), template)
    pen = cv2.absdiff(inked.picture, pages.blank_page(template, inked.serial).picture).max(axis=2) > 20
    strength = rng.uniform(0.3, 0.55)
    bands = 1 - 0.3 * np.sin(np.linspace(0, rng.uniform(8, 30), fresh.picture.shape[1])) ** 2
    weak = 255 - (255.0 - inked.picture) * strength * bands[None, :, None]
    picture = np.where(pen[..., None], inked.picture, weak).astype(np.uint8)
    return taken(replace(inked, picture=picture), middling(rng, mp), rng)


def fit_to_page(rng: Rng, mp: float) -> Shot:
    """Printed at 70 to 110 %: smaller in the middle of the paper, or larger with its edges lost."""
    return _printed_at(rng, mp, pages.random_template(rng), float(rng.uniform(0.7, 1.1)), None)


def letter_on_a4(rng: Rng, mp: float) -> Shot:
    """A Letter sheet printed on A4, as it is or shrunk to fit."""
    return _printed_at(rng, mp, load_template("single", "letter"), float(rng.choice([0.94, 0.97, 1.0])), (210.0, 297.0))


def _printed_at(rng: Rng, mp: float, template: Template, scale: float, size_mm: tuple[float, float] | None) -> Shot:
    page = written_page(rng, template)
    w, h = size_mm or (template.width_mm, template.height_mm)
    origin = ((w - scale * template.width_mm) / 2, (h - scale * template.height_mm) / 2)
    sheet = pages.page_of(
        np.full((round(h * PX_PER_MM), round(w * PX_PER_MM), 3), 255, np.uint8), template, page.serial
    )
    moved = replace(sheet, written=page.written, scale=scale, origin_mm=tuple(np.add(origin, sheet.origin_mm)))
    a, b = page.at([(0, 0), (100, 100)]), moved.at([(0, 0), (100, 100)])
    k = (b[1] - b[0]) / (a[1] - a[0])
    matrix = np.column_stack([np.diag(k), b[0] - k * a[0]])
    flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    soft = cv2.GaussianBlur(page.picture, (0, 0), 0.5) if scale < 0.9 else page.picture
    shape = moved.picture.shape[1::-1]
    printed = cv2.warpAffine(soft, matrix, shape, flags=flags, borderValue=(255, 255, 255))
    return taken(replace(moved, picture=printed), middling(rng, mp), rng)


def fax(rng: Rng, mp: float) -> Shot:
    settings = Scan(
        dpi=200, bits=1, skew_deg=float(rng.uniform(-1.5, 1.5)), wobble_mm=float(rng.uniform(0, 0.3)), noise=4
    )
    shot = shot_of(capture := scan((page := written_page(rng)).paper(), settings, rng), [page])
    return replace(shot, data=encoded(capture.pixels, ".png"))


def feeder(rng: Rng, mp: float) -> Shot:
    settings = Scan(
        dpi=float(rng.choice([150, 200, 300])),
        skew_deg=float(rng.uniform(-2, 2)),
        turns=int(rng.integers(4)),
        stretch=(1 + rng.uniform(-0.01, 0.01), 1 + rng.uniform(-0.012, 0.012)),
        wobble_mm=float(rng.uniform(0, 0.5)),
    )
    return scanned(written_page(rng), settings, rng)


def show_through(rng: Rng, mp: float) -> Shot:
    """Another sheet's print and ink, mirrored, through thin paper."""
    page, back = written_page(rng), written_page(rng)
    h, w = page.picture.shape[:2]
    behind = cv2.resize(back.picture[:, ::-1], (w, h))
    faint = 255 - (255.0 - behind) * rng.uniform(0.06, 0.18)
    picture = np.clip(page.picture * (faint / 255), 0, 255).astype(np.uint8)
    return taken(replace(page, picture=picture), middling(rng, mp), rng)


# ---- several sheets, none, and other people's


def two_sheets(rng: Rng, mp: float) -> Shot:
    return _several(rng, max(mp, 8.0), 2)


def four_sheets(rng: Rng, mp: float) -> Shot:
    return _several(rng, max(mp, 12.0), 4)


def _several(rng: Rng, mp: float, count: int) -> Shot:
    """Sheets side by side (and in two rows), each a little turned."""
    sheets = [written_page(rng, load_template("single", "a4")) for _ in range(count)]
    cell = np.array([250.0, 340.0])
    across = 2
    down = -(-count // across)
    canvas_px = np.round(cell * (across, down) * PX_PER_MM).astype(int)
    canvas = np.full((canvas_px[1], canvas_px[0], 3), 200, np.uint8)
    cover = np.zeros(canvas.shape[:2], np.float32)
    matrices = []
    for k, page in enumerate(sheets):
        h, w = page.picture.shape[:2]
        turn = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), float(rng.uniform(-4, 4)), 1.0)
        middle = (np.array([k % across, k // across]) + 0.5) * cell * PX_PER_MM + rng.uniform(-30, 30, 2)
        turn[:, 2] += middle - (np.array([w, h]) - 1) / 2
        size = tuple(canvas_px.tolist())
        there = cv2.warpAffine(page.cover, turn, size)
        cv2.copyTo(cv2.warpAffine(page.picture, turn, size), (there > 0.5).astype(np.uint8), canvas)
        np.maximum(cover, there, out=cover)
        matrices.append(turn)
    photo = middling(rng, mp, tilt_deg=rng.uniform(0, 10), bend_mm=0.0, fill=0.96)
    capture = photograph(Paper(canvas, cover, PX_PER_MM), photo, rng)
    truths = [
        truth_of(p, partial(lambda m, q: capture.to_image(q @ m[:, :2].T + m[:, 2]), m))
        for p, m in zip(sheets, matrices, strict=True)
    ]
    return Shot(capture.jpeg(), tuple(truths))


def foreign_form(rng: Rng, mp: float) -> Shot:
    """A form of somebody else: rules, boxes, text, perhaps markers of another dictionary."""
    page = pages.page_of(np.full((2339, 1654, 3), 255, np.uint8), load_template("single", "a4"), "")
    for y in range(40, 270, int(rng.integers(8, 14))):
        stroke(page, [(15, y), (195, y)], 0.3, (60, 60, 60))
        cv2.putText(page.picture, "Name", tuple(np.int32(page.at((16, y - 1))[0]).tolist()), 0, 0.8, (0, 0, 0), 2)
    if rng.random() < 0.5:
        foreign = cv2.aruco.getPredefinedDictionary(
            int(rng.choice([cv2.aruco.DICT_5X5_50, cv2.aruco.DICT_APRILTAG_36h11]))
        )
        for k, (x, y) in enumerate([(12, 12), (185, 12), (185, 270), (12, 270)]):
            marker = cv2.aruco.generateImageMarker(foreign, k, 90)
            i, j = np.int32(page.at((x, y))[0])
            page.picture[j : j + 90, i : i + 90] = marker[..., None]
    shot = taken(page, middling(rng, mp), rng)
    return replace(shot, sheets=(), expects=frozenset({"no-sheet", "unsupported-template"}))


def unknown_version(rng: Rng, mp: float) -> Shot:
    """Our own sheet, of a version or a kind that this reader does not know."""
    template = load_template("single", "a4")
    template = replace(template, version=99) if rng.random() < 0.5 else replace(template, name="league")
    shot = taken(written_page(rng, template), middling(rng, mp), rng)
    return replace(shot, sheets=(), expects=frozenset({"unsupported-template"}))


def empty_paper(rng: Rng, mp: float) -> Shot:
    """A page with nothing printed, or the back of a sheet."""
    template = load_template("single", "a4")
    page = pages.page_of(np.full((2339, 1654, 3), 255, np.uint8), template, "")
    if rng.random() < 0.5:
        behind = written_page(rng, template).picture[:, ::-1]
        page = replace(page, picture=(255 - (255.0 - behind) * rng.uniform(0.05, 0.15)).astype(np.uint8))
    shot = taken(page, middling(rng, mp), rng)
    return replace(shot, sheets=(), expects=frozenset({"no-sheet"}))


def no_paper(rng: Rng, mp: float) -> Shot:
    """A table, and no sheet."""
    nothing = Paper(np.zeros((400, 300, 3), np.uint8), np.zeros((400, 300), np.float32), 1.0)
    data = photograph(nothing, middling(rng, mp), rng).jpeg()
    return Shot(data, (), frozenset({"no-sheet", "too-blurred"}))


SITUATIONS: dict[str, Situation] = {
    f.__name__.replace("_", "-"): f
    for f in (
        *(quarter_turn, askew, perspective, bent, folded, crumpled, corner_torn, thumb, corner_outside),
        *(low_light, hard_shadow, glare, coloured_light, motion_blur, defocus, hopeless_blur, two_megapixels),
        *(fifty_megapixels, screen_photo, screenshot, photocopy_twice, faint_print, fit_to_page, letter_on_a4, fax),
        *(feeder, show_through, two_sheets, four_sheets, foreign_form, unknown_version, empty_paper, no_paper),
        *(lower_part_outside, stains, stickers, margin_doodles, over_the_frames, notes),
    )
}
