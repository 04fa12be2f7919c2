"""Templates: what they promise the printer and the reader, and what a broken file is told."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gigsheet.errors import TemplateError
from gigsheet.sheet.template import FIRST, RESULT, Box, Template, layout, load_template, read_template, templates

FOLDER = Path(__file__).parents[2] / "templates"
PAPER_MM = {"a4": (210, 297), "letter": (215.9, 279.4)}
ALL = [load_template(name, paper) for name, paper in templates()]

every_template = pytest.mark.parametrize("template", ALL, ids=lambda t: f"{t.name}-{t.paper}")


def spread(box: Box, by: float) -> Box:
    """The box scaled around its middle."""
    x, y, w, h = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, by * (box[2] - box[0]) / 2, by * (box[3] - box[1]) / 2
    return x - w, y - h, x + w, y + h


def apart(a: Box, b: Box) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_both_sheets_come_on_both_papers() -> None:
    assert set(templates()) == {(name, paper) for name in ("single", "match") for paper in PAPER_MM}


@every_template
def test_form_research_numbers_hold(template: Template) -> None:
    width, height = PAPER_MM[template.paper]
    single = template.name == "single"
    assert (template.width_mm, template.height_mm) == ((width, height) if single else (height, width))
    assert [g.game for g in template.games] == ([1] if single else [1, 2, 3])
    for game in template.games:
        assert [row.turn for row in game.rows] == list(range(1, 19))
        tops = [row.entry_area_mm[1] for row in game.rows]
        pitches = {round(b - a, 3) for a, b in itertools.pairwise(tops)}
        assert pitches == {11} if single else min(pitches) >= 9
        assert tuple(game.first) == FIRST
        assert tuple(game.result) == RESULT
        for row in game.rows:
            x0, y0, x1, y1 = row.entry_area_mm
            assert len(row.boxes_mm) == (6 if single else 0)
            for box in row.boxes_mm:
                assert box[2] - box[0] >= 7 * 3.2  # seven characters, narrow ones among them
                assert (box[1], box[3]) == (y0, y1)
            if single:
                assert (row.boxes_mm[0][0], row.boxes_mm[-1][2]) == (x0, x1)
                assert all(b[0] - a[2] >= 1.5 for a, b in itertools.pairwise(row.boxes_mm))
                assert row.note_area_mm is not None
                assert row.note_area_mm[0] > x1


@every_template
def test_a_circle_around_a_choice_stays_clear_of_the_others(template: Template) -> None:
    boxes = [box for game in template.games for box in (*game.first.values(), *game.result.values())]
    rows = [row.entry_area_mm for game in template.games for row in game.rows]
    for box in boxes:
        assert box[2] - box[0] >= 12
        assert box[3] - box[1] >= 7
        assert all(apart(spread(box, 1.3), other) for other in [*boxes, *rows] if other is not box)


@every_template
def test_markers_stand_free_and_12_mm_from_the_edge(template: Template) -> None:
    assert len(template.markers) >= 10
    others = list(template.frames()) + [f.line() for f in template.fields] + list(template.rules)
    for marker in template.markers:
        (x0, y0), _, (x1, y1), _ = marker.corners_mm
        cell = (x1 - x0) / 6
        assert x1 - x0 >= 7
        assert min(x0, y0, template.width_mm - x1, template.height_mm - y1) >= 12 - 1e-6
        margin = (x0 - cell, y0 - cell, x1 + cell, y1 + cell)
        for line in others:
            (ax, ay), (bx, by) = line.start_mm, line.end_mm
            assert apart(margin, (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))), (marker.id, line)


def test_a_marker_alone_says_which_sheet_it_is_on() -> None:
    ids = [marker.id for template in ALL for marker in template.markers]
    assert len(ids) == len(set(ids))
    assert max(ids) < 50


@every_template
def test_layout_is_plain_json_of_the_template(template: Template) -> None:
    told = json.loads(json.dumps(layout(template)))
    assert told["schema"] == "gigsheet.layout/1"
    assert (told["template"], told["version"], told["paper"]) == (template.name, template.version, template.paper)
    (page,) = told["pages"]
    assert len(page["games"]) == len(template.games)
    row, ours = page["games"][0]["rows"][4], template.games[0].rows[4]
    assert row["turn"] == 5
    assert tuple(row["entry_area_mm"]) == ours.entry_area_mm
    assert page["markers"][3]["corners_mm"] == [list(c) for c in template.markers[3].corners_mm]


def test_unknown_sheets_are_refused_with_what_there_is() -> None:
    with pytest.raises(TemplateError, match=r"no template 'double' on 'a4'.*single on letter"):
        load_template("double", "a4")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version = 1", "", "version: is missing; add a whole number"),
        ("version = 1", "version = 1.5", "version: 1.5 is no whole number"),
        ("width_mm = 210", 'width_mm = "210"', "width_mm: '210' is no number"),
        ("pitch = 11", "pich = 11", "game[1].rows.pitch: is missing"),
        ("pitch = 11", "pitch = 11\nheigth = 9", "game[1].rows.heigth: is not known here"),
        ("pitch = 11", "pitch = 30", "rows, turn 9"),
        ("id = 7,", "id = 6,", "each id must be used once"),
        ("id = 7,", "id = 77,", "between 0 and 49"),
        ('"DICT_4X4_50"', '"DICT_6X6_50"', "markers.dictionary: 'DICT_6X6_50' is not known here; write one of"),
        ("count = 18", "count = 18\nline = { left = 1, right = 2 }", "either boxes or a line"),
        ("grey = 0.76", "grey = 76", "style.frame.grey: 76 is no grey"),
        ("dash = [0.6, 0.5]", "dash = [0.6]", "style.frame.dash: [0.6] is no list of 2 numbers"),
        ("game = 1\n", "game = 2\n", "number 1 says 2"),
        ('key = "we"', 'key = "who"', "print.field[1].key: 'who' is not known here"),
        ("[serial]", "[serial", "no TOML"),
        ("time = [174", "time = [274", "result.time: the box"),
    ],
)
def test_a_broken_file_is_told_file_key_and_remedy(tmp_path: Path, old: str, new: str, message: str) -> None:
    good = (FOLDER / "single-a4.toml").read_text(encoding="utf-8")
    assert old in good
    path = tmp_path / "mine.toml"
    path.write_text(good.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TemplateError) as refused:
        read_template(path)
    assert refused.value.message.startswith("mine.toml: ")
    assert message in refused.value.message
    assert refused.value.exit_status == 2


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="cannot be read"):
        read_template(tmp_path / "none.toml")


def test_loading_a_template_needs_the_standard_library_alone() -> None:
    code = (
        "import sys; from gigsheet.sheet.template import load_template; load_template('match', 'a4');"
        "print({'numpy', 'cv2', 'reportlab', 'segno'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
