"""The sheet's geometry: one TOML file a template and paper, loaded and validated into frozen records.

Printer and reader load the same file, so that what is drawn and what is looked for cannot drift apart. Lengths are
millimetres from the page's top left corner, x to the right, y down. Nothing here needs more than the standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gigsheet.errors import TemplateError
from gigsheet.records import ENDINGS, WINNERS
from gigsheet.sheet.fields import Table, read_toml

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1."""

LAYOUT_SCHEMA = "gigsheet.layout/1"
DICTIONARY = "DICT_4X4_50"
DICTIONARY_SIZE = 50
FIRST = ("WE", "THEY")
RESULT = (*WINNERS, *ENDINGS)
FIELD_KEYS = ("we", "they", "event", "round", "table")


@dataclass(frozen=True, slots=True)
class Marker:
    """One ArUco fiducial of `Template.dictionary`; corners clockwise from the top left, as OpenCV orders them."""

    id: int
    corners_mm: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class RowLayout:
    """One printed turn row.

    Attributes:
        turn: its number, from 1.
        entry_area_mm: where entries are written; the hull of `boxes_mm` where there are boxes.
        boxes_mm: the entry boxes from left to right; empty where the template has plain lines.
        note_area_mm: the notes column's part of this row, or None.
        number_mm: the right end of the printed turn number, and its baseline.
    """

    turn: int
    entry_area_mm: Box
    boxes_mm: tuple[Box, ...]
    note_area_mm: Box | None
    number_mm: Point


@dataclass(frozen=True, slots=True)
class GameLayout:
    """One game of a sheet: its printed choices by option, and its rows."""

    game: int
    first: Mapping[str, Box]
    result: Mapping[str, Box]
    rows: tuple[RowLayout, ...]


@dataclass(frozen=True, slots=True)
class Pen:
    """How a thin line is printed: width in mm, grey (0 black, 1 white), lengths of dash and gap in mm (0, 0: solid)."""

    width_mm: float
    grey: float
    dash_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A printed straight line, by the middle of its stroke."""

    start_mm: Point
    end_mm: Point
    pen: Pen


@dataclass(frozen=True, slots=True)
class Text:
    """A printed line of text: `at_mm` is its baseline's left end, middle or right end, as `align` says."""

    at_mm: Point
    text: str
    size_mm: float
    grey: float
    align: str
    bold: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A place to write on, filled in when the printer knows what belongs there.

    Attributes:
        key: what it takes, one of `FIELD_KEYS`.
        label: printed before the line.
        box_mm: label and line together; the line is the bottom edge from `line_from_mm` on.
    """

    key: str
    label: str
    box_mm: Box
    line_from_mm: float

    def line(self) -> Line:
        """The line to write on."""
        _, _, x1, y1 = self.box_mm
        return Line((self.line_from_mm, y1), (x1, y1), Pen(0.2, 0.45, (0.0, 0.0)))


@dataclass(frozen=True, slots=True)
class SerialLayout:
    """Where a page says its serial: as QR code (without its quiet zone), in characters, in words of at most a width."""

    qr_mm: Box
    characters: Text
    words: Text
    words_width_mm: float


@dataclass(frozen=True, slots=True)
class ChoiceStyle:
    """How a choice's word is printed in the middle of its box: font size in mm and grey."""

    size_mm: float
    grey: float


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A blank sheet: everything that is printed on it, and where. Compared and hashed by identity: it is a cache key.

    Attributes:
        name, version, paper: which sheet this is; `version` changes with any length that the reader relies on.
        markers: the fiducials; no other template or paper shares one of their ids.
        frame: the pen of entry boxes, rules and choice frames.
    """

    name: str
    version: int
    paper: str
    width_mm: float
    height_mm: float
    dictionary: str
    markers: tuple[Marker, ...]
    games: tuple[GameLayout, ...]
    serial: SerialLayout
    frame: Pen
    choice: ChoiceStyle
    texts: tuple[Text, ...]
    rules: tuple[Line, ...]
    fields: tuple[Field, ...]

    @property
    def qr_mm(self) -> Box:
        """The square of the QR code, without its quiet zone."""
        return self.serial.qr_mm

    def frames(self) -> Iterator[Line]:
        """Every line drawn in the frame pen: around entry boxes and choices, under plain rows, under notes."""
        for game in self.games:
            for box in (*game.first.values(), *game.result.values()):
                yield from _outline(box, self.frame)
            for row in game.rows:
                for box in row.boxes_mm:
                    yield from _outline(box, self.frame)
                plain = [row.entry_area_mm] if not row.boxes_mm else []
                for x0, _, x1, y1 in (*plain, *([row.note_area_mm] if row.note_area_mm else [])):
                    yield Line((x0, y1), (x1, y1), self.frame)


def _outline(box: Box, pen: Pen) -> Iterator[Line]:
    x0, y0, x1, y1 = box
    corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    for k in range(4):
        yield Line(corners[k], corners[(k + 1) % 4], pen)


def templates() -> tuple[tuple[str, str], ...]:
    """The name and paper of every template that comes with Gigsheet."""
    pairs = (path.stem.rpartition("-") for path in sorted(_folder().glob("*-*.toml")))
    return tuple((name, paper) for name, _, paper in pairs)


@cache
def load_template(name: str, paper: str) -> Template:
    """The template `name` on `paper`, as printed and as read.

    Raises:
        TemplateError: there is none of that name and paper, or its file does not hold.
    """
    if (name, paper) not in templates():
        known = ", ".join(f"{n} on {p}" for n, p in templates())
        raise TemplateError(f"no template {name!r} on {paper!r} paper: there are {known}")
    return read_template(_folder() / f"{name}-{paper}.toml")


def read_template(path: Path) -> Template:
    """The template in a file of one's own.

    Raises:
        TemplateError: names the file, the key and the remedy.
    """
    table = read_toml(path)
    width, height = table.length("width_mm"), table.length("height_mm")
    markers = table.table("markers")
    style = table.table("style")
    frame = _pen(style.table("frame"))
    choice = style.table("choice")
    printed = table.table("print")
    template = Template(
        name=table.string("name"),
        version=table.whole("version"),
        paper=table.string("paper"),
        width_mm=width,
        height_mm=height,
        dictionary=markers.one_of("dictionary", (DICTIONARY,)),
        markers=tuple(_marker(m) for m in markers.tables("at")),
        games=tuple(_game(g) for g in table.tables("game")),
        serial=_serial(table.table("serial")),
        frame=frame,
        choice=ChoiceStyle(choice.length("size"), choice.grey("grey")),
        texts=tuple(_text(t, text=t.string("text")) for t in printed.tables("text", least=0)),
        rules=tuple(_rule(r) for r in printed.tables("rule", least=0)),
        fields=tuple(_field(f) for f in printed.tables("field", least=0)),
    )
    table.refuse_unknown()
    _check(template, path)
    return template


def layout(template: Template) -> dict[str, Any]:
    """The sheet's layout as other programs read it (SPEC 5, schema ``gigsheet.layout/1``)."""
    markers = [
        {"id": m.id, "dictionary": template.dictionary, "corners_mm": [list(c) for c in m.corners_mm]}
        for m in template.markers
    ]
    games = [
        {
            "game": game.game,
            "first": {option: list(box) for option, box in game.first.items()},
            "result": {option: list(box) for option, box in game.result.items()},
            "rows": [
                {
                    "turn": row.turn,
                    "entry_area_mm": list(row.entry_area_mm),
                    "boxes_mm": [list(box) for box in row.boxes_mm],
                    "note_area_mm": None if row.note_area_mm is None else list(row.note_area_mm),
                }
                for row in game.rows
            ],
        }
        for game in template.games
    ]
    page = {"width_mm": template.width_mm, "height_mm": template.height_mm, "markers": markers, "games": games}
    return {
        "schema": LAYOUT_SCHEMA,
        "template": template.name,
        "version": template.version,
        "paper": template.paper,
        "pages": [page],
    }


@cache
def _folder() -> Path:
    """The templates of the installed package, or of the checkout when it is installed in place."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "templates", package.parents[1] / "templates"):
        if folder.is_dir():
            return folder
    raise TemplateError(f"no templates under {package}: install Gigsheet again")


def _tidy(value: float) -> float:
    """Sums of decimal lengths without their binary dust: a hundredth of a micrometre is nobody's."""
    return round(value, 5)


def _marker(table: Table) -> Marker:
    x, y, size = table.length("x"), table.length("y"), table.length("size")
    right, bottom = _tidy(x + size), _tidy(y + size)
    return Marker(table.whole("id"), ((x, y), (right, y), (right, bottom), (x, bottom)))


def _pen(table: Table) -> Pen:
    dash = table.numbers("dash", 2)
    return Pen(table.length("width"), table.grey("grey"), (dash[0], dash[1]))


def _text(table: Table, text: str) -> Text:
    return Text(
        at_mm=(table.length("x"), table.length("y")),
        text=text,
        size_mm=table.length("size"),
        grey=table.grey("grey", default=0.0),
        align=table.one_of("align", ("left", "center", "right"), default="left"),
        bold=table.flag("bold", default=False),
    )


def _serial(table: Table) -> SerialLayout:
    words = table.table("words")
    return SerialLayout(table.box("qr"), _text(table.table("text"), ""), _text(words, ""), words.length("width"))


def _rule(table: Table) -> Line:
    start, end = table.numbers("from", 2), table.numbers("to", 2)
    pen = Pen(table.length("width"), table.grey("grey"), (0.0, 0.0))
    return Line((start[0], start[1]), (end[0], end[1]), pen)


def _field(table: Table) -> Field:
    return Field(
        key=table.one_of("key", FIELD_KEYS),
        label=table.string("label"),
        box_mm=table.box("box"),
        line_from_mm=table.length("line_from"),
    )


def _game(table: Table) -> GameLayout:
    first, result = table.table("first"), table.table("result")
    return GameLayout(
        game=table.whole("game"),
        first=MappingProxyType({option: first.box(option) for option in FIRST}),
        result=MappingProxyType({option: result.box(option) for option in RESULT}),
        rows=_rows(table.table("rows")),
    )


def _rows(table: Table) -> tuple[RowLayout, ...]:
    """Rows of one pitch: with ``boxes`` (separated entry boxes) or with a plain ``line``."""
    count, top, pitch, height = table.whole("count"), table.length("top"), table.length("pitch"), table.length("height")
    number_right = table.length("number_right")
    columns = _columns(table)
    note = table.table("note") if table.has("note") else None
    note_x = (note.length("left"), note.length("right")) if note else None
    rows = []
    for k in range(count):
        y0 = _tidy(top + k * pitch)
        y1 = _tidy(y0 + height)
        boxes = tuple((x0, y0, x1, y1) for x0, x1 in columns)
        # A capital is about 0.7 of the font's size high, and numbers are set 3 mm: half of that centres them.
        number = (number_right, _tidy((y0 + y1) / 2 + 1.0))
        rows.append(
            RowLayout(
                turn=k + 1,
                entry_area_mm=(columns[0][0], y0, columns[-1][1], y1),
                boxes_mm=boxes if table.has("boxes") else (),
                note_area_mm=(note_x[0], y0, note_x[1], y1) if note_x else None,
                number_mm=number,
            )
        )
    return tuple(rows)


def _columns(table: Table) -> list[tuple[float, float]]:
    """The left and right edges of a row's entry boxes, or of its one plain line."""
    if table.has("boxes") == table.has("line"):
        raise table.error("boxes", "a row has either boxes or a line; keep one of the two keys")
    if table.has("line"):
        line = table.table("line")
        return [(line.length("left"), line.length("right"))]
    boxes = table.table("boxes")
    left, width, gap = boxes.length("left"), boxes.length("width"), boxes.length("gap")
    starts = [left + k * (width + gap) for k in range(boxes.whole("count"))]
    return [(_tidy(x), _tidy(x + width)) for x in starts]


def _check(template: Template, path: Path) -> None:
    """What no single key shows: everything lies on the page, and no id or game stands twice."""

    def refuse(key: str, what: str) -> None:
        raise TemplateError(f"{path.name}: {key}: {what}")

    def on_page(key: str, box: Box) -> None:
        x0, y0, x1, y1 = box
        if not (0 <= x0 < x1 <= template.width_mm and 0 <= y0 < y1 <= template.height_mm):
            refuse(key, f"the box {list(box)} is not on the page; write [left, top, right, bottom] in millimetres")

    ids = [m.id for m in template.markers]
    if len(ids) != len(set(ids)) or not all(0 <= i < DICTIONARY_SIZE for i in ids):
        refuse("markers.at", f"each id must be used once and lie between 0 and {DICTIONARY_SIZE - 1}")
    for marker in template.markers:
        on_page(f"markers.at id {marker.id}", (*marker.corners_mm[0], *marker.corners_mm[2]))
    on_page("serial.qr", template.serial.qr_mm)
    for number, game in enumerate(template.games, 1):
        if game.game != number:
            refuse("game", f"the games must be numbered from 1 in order, and number {number} says {game.game}")
        for key, choices in (("first", game.first), ("result", game.result)):
            for option, box in choices.items():
                on_page(f"game {number}: {key}.{option}", box)
        for row in game.rows:
            for box in (row.entry_area_mm, *([row.note_area_mm] if row.note_area_mm else [])):
                on_page(f"game {number}: rows, turn {row.turn}", box)
    for field in template.fields:
        on_page(f"field {field.key}", field.box_mm)
