"""A sheet is found where it lies, its rows where they are, however captured; what is none is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from gigsheet.errors import PageError
from gigsheet.sheet.template import load_template
from gigsheet.vision.page import Page, find_pages
from gigsheet.vision.picture import Picture
from gigsheet.vision.rows import STRIP_HEIGHT, cut_rows
from tests.support.capture import Capture, Paper, Photo, Scan, photograph, scan
from tests.support.pen import DPI, Game, filled_page

ROWS = ("B6", "B'3", "C1 xB'", "..", "D7", "", "E2")


def gray(pixels: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)


@cache
def written(name: str = "single", paper: str = "a4") -> Paper:
    return filled_page({1: Game(rows=ROWS, first=["WE"])}, template=name, paper=paper, seed=1)


def worst_mm(page: Page, to_seen: Callable[[np.ndarray], np.ndarray]) -> float:
    """The worst corner of the worst row, in mm; `to_seen` maps pixels of the printed page to pixels as seen."""
    areas = np.array([row.entry_area_mm for game in page.template.games for row in game.rows])
    corners = areas[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
    want = to_seen(corners * DPI / 25.4)
    got = np.array([strip.quad for strip in cut_rows(page)]).reshape(-1, 2)
    scale = np.linalg.norm(want[3] - want[0]) / (areas[0, 3] - areas[0, 1])
    return float(np.linalg.norm(got - want, axis=1).max() / scale)


@pytest.fixture(scope="module")
def photo() -> Capture:
    settings = Photo(megapixels=6, turn_deg=7, tilt_deg=20, tilt_towards_deg=30, bend_mm=4)
    return photograph(written(), settings, np.random.default_rng(1))


@pytest.fixture(scope="module")
def flat() -> np.ndarray:
    return gray(scan(written(), Scan(dpi=200, skew_deg=1.0), np.random.default_rng(2)).pixels)


def test_a_bent_page_seen_askew(photo: Capture) -> None:
    [page] = find_pages(Picture.of(gray(photo.pixels)))
    assert (page.id.template, page.id.version, page.id.paper, page.id.serial) == ("single", 1, "a4", "7F3K-02")
    assert worst_mm(page, photo.to_image) < 0.6
    assert page.residual_mm < 0.8
    assert page.flags == ()


def test_a_match_sheet_on_letter_at_a_tenth_turn() -> None:
    settings = Scan(dpi=200, skew_deg=3, turns=1, stretch=(1.0, 1.01))
    capture = scan(written("match", "letter"), settings, np.random.default_rng(3))
    [page] = find_pages(Picture.of(gray(capture.pixels)))
    assert (page.template.name, page.template.paper) == ("match", "letter")
    assert worst_mm(page, capture.to_image) < 0.4


@pytest.mark.parametrize(("orientation", "turns"), [(3, 2), (6, 3), (8, 1), (2, 0)])
def test_places_are_those_a_person_sees(photo: Capture, orientation: int, turns: int) -> None:
    seen = gray(photo.pixels)
    stored = seen[:, ::-1] if orientation == 2 else np.rot90(seen, -turns)
    [page] = find_pages(Picture.of(stored, orientation=orientation))
    assert worst_mm(page, photo.to_image) < 0.6


def test_rows_hold_what_was_written_and_blank_ones_are_known(photo: Capture) -> None:
    [page] = find_pages(Picture.of(gray(photo.pixels)))
    strips = cut_rows(page)
    assert [s.turn for s in strips] == list(range(1, 19))
    assert [not s.blank for s in strips] == [k < len(ROWS) and ROWS[k] != "" for k in range(18)]
    area = page.template.games[0].rows[0].entry_area_mm
    for strip in strips:
        assert strip.pixels.shape == (STRIP_HEIGHT, len(strip.columns_mm))
        assert strip.blank == (strip.pixels.shape[1] == 0)
        assert np.all((strip.columns_mm > area[0] - 2) & (strip.columns_mm < area[2] + 2))
        assert 0 <= strip.overflow <= 1


def test_print_beside_a_row_does_not_pale_its_ink() -> None:
    games = {k: Game(rows=("A4 -A1", "B'3 xA", "C1"), first=["WE"]) for k in (1, 2, 3)}
    capture = photograph(filled_page(games, template="match", seed=1), Photo(megapixels=8), np.random.default_rng(6))
    [page] = find_pages(Picture.of(gray(capture.pixels)))
    for strip in cut_rows(page):
        if not strip.blank:  # a marker stands beside row 2, the serial beside game 3
            assert np.percentile(strip.pixels, 2) < 90, (strip.game, strip.turn)
    assert sum(not strip.blank for strip in cut_rows(page)) == 9


@pytest.mark.parametrize("name", ["single", "match"])
def test_an_empty_sheet_has_no_ink(name: str) -> None:
    capture = scan(filled_page({}, template=name), Scan(dpi=200), np.random.default_rng(4))
    [page] = find_pages(Picture.of(gray(capture.pixels)))
    assert all(strip.blank for strip in cut_rows(page))


def test_two_sheets_come_from_left_to_right(flat: np.ndarray) -> None:
    other = gray(scan(written("single", "letter"), Scan(dpi=200), np.random.default_rng(5)).pixels)
    height = max(len(flat), len(other))
    both = np.full((height, flat.shape[1] + other.shape[1]), 90, np.uint8)
    both[: len(other), : other.shape[1]] = other
    both[: len(flat), other.shape[1] :] = flat
    pages = find_pages(Picture.of(both))
    assert [page.template.paper for page in pages] == ["letter", "a4"]


def test_a_sheet_beside_that_cannot_be_read_is_told_of(flat: np.ndarray) -> None:
    other = gray(scan(written("single", "letter"), Scan(dpi=200), np.random.default_rng(5)).pixels)
    both = np.full((len(flat), flat.shape[1] + other.shape[1]), 90, np.uint8)
    both[:, : flat.shape[1]] = flat
    half = other[: len(other) * 3 // 5]
    both[-len(half) :, flat.shape[1] :] = half
    [page] = find_pages(Picture.of(both))
    assert "unread-sheet-beside" in page.flags


def beside(flat: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A sheet on a table, and to its left another paper."""
    table = np.random.default_rng(8).normal(90, 4, (len(flat) + 100, flat.shape[1] + other.shape[1] + 150))
    both = np.clip(table, 0, 255).astype(np.uint8)
    both[50 : 50 + len(other), 50 : 50 + other.shape[1]] = other
    both[50 : 50 + len(flat), 100 + other.shape[1] : -50] = flat
    return both


def blurred(pixels: np.ndarray, radius: float) -> np.ndarray:
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), radius), np.uint8)


@pytest.mark.parametrize(("name", "blur"), [("single", 8), ("single", 25), ("match", 14)])
def test_a_sheet_beside_whose_markers_blur_away_is_told_of(flat: np.ndarray, name: str, blur: float) -> None:
    other = gray(scan(written(name), Scan(dpi=200, skew_deg=-2.0), np.random.default_rng(5)).pixels)
    [page] = find_pages(Picture.of(beside(flat, blurred(other, blur))))
    assert page.id.serial == "7F3K-02"
    assert "unread-sheet-beside" in page.flags


def test_a_sheet_beside_that_lies_in_the_dark_is_read_too(flat: np.ndarray) -> None:
    other = gray(scan(written("single", "letter"), Scan(dpi=200), np.random.default_rng(5)).pixels)
    pages = find_pages(Picture.of(beside(flat, other // 10)))
    assert [(page.template.paper, page.flags) for page in pages] == [("letter", ()), ("a4", ())]


def printed_text(paper: np.ndarray) -> None:
    for y in range(150, len(paper) - 100, 42):
        cv2.putText(paper, "the lines of a book that lies open " * 2, (90, y), 0, 1.1, (20,), 2, cv2.LINE_AA)


def dots(paper: np.ndarray) -> None:
    for y in range(90, len(paper), 180):
        for x in range(70, paper.shape[1], 180):
            cv2.rectangle(paper, (x, y), (x + 60, y + 60), (20,), -1)


def lines(paper: np.ndarray) -> None:
    paper[100::63] = 120


def nothing(paper: np.ndarray) -> None:
    pass


@pytest.mark.parametrize("draw", [printed_text, dots, lines, nothing])
def test_other_paper_beside_is_no_sheet(flat: np.ndarray, draw: Callable[[np.ndarray], None]) -> None:
    other = np.full((2300, 1600), 240, np.uint8)
    draw(other)
    for blur in (1, 8):
        [page] = find_pages(Picture.of(beside(flat, blurred(other, blur))))
        assert page.flags == ()


def test_a_page_missing_two_corners_is_found_and_one_without_its_lower_rows_refused(flat: np.ndarray) -> None:
    covered = flat.copy()
    covered[: len(flat) // 9, : flat.shape[1] // 8] = 120
    covered[-len(flat) // 9 :, -flat.shape[1] // 8 :] = 120
    assert len(find_pages(Picture.of(covered))) == 1
    with pytest.raises(PageError, match="lower part") as caught:
        find_pages(Picture.of(flat[: len(flat) * 3 // 5]))
    assert caught.value.code == "partial-page"
    with pytest.raises(PageError, match="left part"):
        find_pages(Picture.of(np.ascontiguousarray(flat[:, flat.shape[1] // 5 :])))


def test_what_is_no_sheet_is_refused(flat: np.ndarray) -> None:
    noise = np.random.default_rng(6).integers(0, 255, (900, 700)).astype(np.uint8)
    for picture in (noise, np.full((900, 700), 250, np.uint8), np.zeros((3, 5), np.uint8)):
        with pytest.raises(PageError, match="photograph a sheet") as caught:
            find_pages(Picture.of(picture))
        assert caught.value.code == "no-sheet"
    with pytest.raises(PageError, match="hold the phone still") as caught:
        find_pages(Picture.of(np.asarray(cv2.GaussianBlur(flat, (0, 0), 14), np.uint8)))
    assert caught.value.code == "too-blurred"


def test_markers_of_no_template_are_no_sheet() -> None:
    known = {m.id for n, p in (("single", "a4"), ("single", "letter"), ("match", "a4"), ("match", "letter"))
             for m in load_template(n, p).markers}  # fmt: skip
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    picture = np.full((1200, 900), 255, np.uint8)
    for k, marker in enumerate([i for i in range(50) if i not in known][:2] * 3):
        x, y = 100 + 500 * (k % 2), 100 + 400 * (k // 2)
        picture[y : y + 90, x : x + 90] = cv2.aruco.generateImageMarker(dictionary, marker, 90)
    with pytest.raises(PageError):
        find_pages(Picture.of(picture))


def test_the_edge_of_a_shadow_over_empty_rows_is_never_sure_ink() -> None:
    paper = scan(written(), Scan(dpi=200), np.random.default_rng(7)).pixels
    shade = np.ones(paper.shape[1], np.float32)
    shade[round(0.45 * len(shade)) :] = 0.3
    shade = cv2.GaussianBlur(shade[None], (0, 0), 6)
    [page] = find_pages(Picture.of(gray((paper * shade[:, :, None]).astype(np.uint8))))
    for strip in cut_rows(page)[len(ROWS) :]:
        assert strip.blank or strip.overflow == 1, strip.turn


def page_with(draw: Callable[[np.ndarray, Callable[..., tuple[int, int]]], None], name: str = "single") -> Page:
    """A scanned sheet on which somebody drew; `draw` gets the print and what maps mm to its pixels."""
    clean = written(name)
    paper = replace(clean, pixels=clean.pixels.copy())

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * DPI / 25.4), round(y * DPI / 25.4)

    draw(paper.pixels, at)
    [page] = find_pages(Picture.of(gray(scan(paper, Scan(dpi=200, skew_deg=1.0), np.random.default_rng(2)).pixels)))
    return page


def area(turn: int, name: str = "single") -> tuple[float, float, float, float]:
    return load_template(name, "a4").games[0].rows[turn - 1].entry_area_mm


@pytest.mark.parametrize(("beyond", "shade"), [(0.5, 40), (3.0, 40), (15.0, 90), (3.0, 150)])
def test_a_row_that_a_line_strikes_out_is_never_sure(beyond: float, shade: int) -> None:
    x0, y0, x1, y1 = area(3)

    def strike(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        cv2.line(ink, at(x0 - beyond, y0 * 0.6 + y1 * 0.4), at(x1 + beyond, y0 * 0.5 + y1 * 0.5), (shade,) * 3, 4)

    strips = cut_rows(page_with(strike))
    assert [strip.turn for strip in strips if strip.uncertain] == [3]
    assert np.mean(strips[2].pixels[10:30].min(axis=0) < 200) > 0.8, "the line is left for the recogniser to see"


def test_a_fold_goes_on_over_the_paper_and_is_painted_out() -> None:
    _, y0, _, y1 = area(6)  # a blank row

    def fold(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        cv2.line(ink, at(0, y0 * 0.6 + y1 * 0.4), at(210, y0 * 0.5 + y1 * 0.5), (130,) * 3, 4)

    strip = cut_rows(page_with(fold))[5]
    assert strip.blank
    assert not strip.uncertain


def along_the_line(turn: int, name: str, over: float, under: float) -> Callable[..., None]:
    """Draws a fold across the page that crosses the printed line under a row, mm over it and under it at its ends."""
    y1 = area(turn, name)[3]
    width = load_template(name, "a4").width_mm

    def fold(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        cv2.line(ink, at(0, y1 - over), at(width, y1 + under), (110,) * 3, 4)

    return fold


@pytest.mark.parametrize(("over", "under"), [(1.2, 1.2), (0.9, -0.4), (-0.5, 1.0)])
@pytest.mark.parametrize("name", ["single", "match"])
def test_a_fold_along_the_printed_line_of_empty_rows_is_no_writing(name: str, over: float, under: float) -> None:
    strips = cut_rows(page_with(along_the_line(12, name, over, under), name))
    assert [(s.game, s.turn) for s in strips if not s.blank] == [(1, k + 1) for k, text in enumerate(ROWS) if text]


def test_a_pen_along_the_printed_line_of_empty_rows_is_looked_at() -> None:
    x0, _, x1, y1 = area(12)

    def line(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        cv2.line(ink, at(x0 + 2, y1 - 0.9), at(x1 - 2, y1 - 0.7), (40,) * 3, 5)

    assert not cut_rows(page_with(line))[11].blank


def test_a_pass_on_the_printed_line_is_ink_even_where_a_fold_runs() -> None:
    x0, _, _, y1 = area(8)
    fold = along_the_line(8, "single", 0.3, 0.1)

    def dots(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        fold(ink, at)
        for k in range(2):
            cv2.circle(ink, at(x0 + 4 + 1.6 * k, y1 - 0.1), round(0.45 * DPI / 25.4), (40,) * 3, -1, cv2.LINE_AA)

    assert not cut_rows(page_with(dots))[7].blank


def test_a_game_that_one_line_strikes_out_is_never_sure() -> None:
    x0, y0, _, _ = area(1)
    _, _, _, y1 = area(18)

    def strike(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        cv2.line(ink, at(x0 + 11, y0 - 2), at(x0 + 13, y1 + 2), (40,) * 3, 5)

    strips = cut_rows(page_with(strike))
    assert not any(strip.blank for strip in strips)
    assert all(strip.uncertain or strip.overflow == 1.0 for strip in strips)


@pytest.mark.parametrize("name", ["single", "match"])
def test_a_pass_on_the_printed_line_is_ink(name: str) -> None:
    x0, _, _, y1 = area(8, name)

    def dots(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        for k in range(2):
            cv2.circle(ink, at(x0 + 4 + 1.6 * k, y1 - 0.1), round(0.35 * DPI / 25.4), (60,) * 3, -1, cv2.LINE_AA)

    strip = next(s for s in cut_rows(page_with(dots, name)) if (s.game, s.turn) == (1, 8))
    assert not strip.blank
    assert strip.uncertain


def test_pale_writing_is_kept_and_never_sure() -> None:
    x0, y0, _, y1 = area(8)

    def pale(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        for left in (x0 + 3, x0 + 7, x0 + 30):
            cv2.line(ink, at(left, y0 + 2), at(left + 1.5, y1 - 2), (188,) * 3, 5, cv2.LINE_AA)

    strip = cut_rows(page_with(pale))[7]
    assert not strip.blank
    assert strip.uncertain
    assert np.ptp(strip.columns_mm) > 8


def test_an_entry_that_the_pen_wrote_pale_is_not_left_out_between_two() -> None:
    x0, y0, _, y1 = area(6)

    def write(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        for left, shade in ((x0 + 3, 40), (x0 + 20, 190), (x0 + 22, 190), (x0 + 24, 190), (x0 + 40, 40)):
            cv2.line(ink, at(left, y0 + 2), at(left + 1.5, y1 - 2), (shade,) * 3, 5, cv2.LINE_AA)

    strip = cut_rows(page_with(write))[5]
    near = np.abs(strip.columns_mm - (x0 + 20.7)) < 1
    assert np.count_nonzero(near) >= 8
    assert strip.uncertain


@pytest.mark.parametrize("dpi", [150, 200])
def test_a_scanner_that_bleaches_the_frames_bends_no_page(dpi: int) -> None:
    """Hardly a frame is left to be seen, and what resembles one elsewhere must not bend the mapping."""
    capture = scan(written(), Scan(dpi=dpi, skew_deg=1.0, contrast=1.1), np.random.default_rng(2))
    [page] = find_pages(Picture.of(gray(capture.pixels)))
    assert worst_mm(page, capture.to_image) < 0.3
    assert page.flags == ()


def test_a_pass_in_the_smallest_dots_is_no_blank_row() -> None:
    x0, y0, _, y1 = area(8)

    def dots(ink: np.ndarray, at: Callable[..., tuple[int, int]]) -> None:
        for k in range(2):
            cv2.circle(ink, at(x0 + 4 + 2 * k, y0 * 0.3 + y1 * 0.7), 2, (30,) * 3, -1, cv2.LINE_AA)

    strip = cut_rows(page_with(dots))[7]
    assert not strip.blank
    assert strip.uncertain
    one_dot = cut_rows(page_with(lambda ink, at: cv2.circle(ink, at(x0 + 4, y1 - 3), 2, (30,) * 3, -1, cv2.LINE_AA)))[7]
    assert one_dot.blank, "that is dust"
