"""How people name what they want to settle: a sheet by its serial or its picture, and what stands on it."""

from __future__ import annotations

import re

from gigsheet.errors import UsageError
from gigsheet.records import SheetReading
from gigsheet.sheet.template import load_template
from gigsheet.store import queries
from gigsheet.store.corrected import Field, Spot
from gigsheet.store.queries import SheetRef
from gigsheet.store.store import Store
from gigsheet.store.withdrawn import WHOLE_PAGE, NoScanError, places_named

_ENTRY = re.compile(
    r"(?P<sheet>.*?)(?:, game (?P<game>\d{1,9}))?(?:, (?:turn (?P<turn>\d{1,9})|(?P<mark>first|result)))?", re.DOTALL
)


def entries_named(store: Store, named: str) -> list[tuple[SheetRef, Spot]]:
    """The entries that a name stands for, whether anything is in doubt there or not, in the order of the page.

    One entry is called as `gigsheet settle` calls it: ``7F3K-02, turn 5``, ``round1.pdf, page 7, game 2, first``.
    A sheet's name, or a game's, is everything on it; games that nobody played are left out.

    Raises:
        UsageError: nothing in the event is called so, or several sheets are.
    """
    parts = _ENTRY.fullmatch(named)
    assert parts is not None, "the sheet's name is whatever is left"
    with store.snapshot():
        sheet = _sheet(store, parts["sheet"])
        state = queries.current_state(store, sheet.reading_id)
        game = _game(sheet, state.reading, parts["game"], of_one=bool(parts["turn"] or parts["mark"]))
        if parts["turn"]:
            return [(sheet, Spot(game, "row", _turn(sheet, state.reading, game, int(parts["turn"]))))]
        if parts["mark"]:
            field: Field = "first" if parts["mark"] == "first" else "result"
            return [(sheet, Spot(game, field))]
        played = {one.game for one in state.reading.games if one.rows or one.result.value is not None}
        wanted = {game} if game else {*played, 0}
        return [(sheet, entry.spot) for entry in state.entries if entry.spot.game in wanted]


def _sheet(store: Store, name: str) -> SheetRef:
    """The only sheet that is called so, with something on it that was read."""
    sheets = queries.sheets(store)
    found = [sheet for sheet in sheets if sheet.serial and sheet.serial.casefold() == name.casefold()]
    found = found or _on_picture(store, sheets, name)
    if len(found) > 1:
        raise UsageError(f"{name} may be {', '.join(sheet.title for sheet in found)}: say which")
    (sheet,) = found
    if sheet.error is not None:
        raise UsageError(f"{sheet.title} could not be read: {sheet.message}")
    return sheet


def _on_picture(store: Store, sheets: list[SheetRef], name: str) -> list[SheetRef]:
    try:
        places = {(place.scan_id, place.page, place.sheet_index) for place in places_named(store, name)}
    except NoScanError:
        raise UsageError(
            f"the event has no sheet {name}: name its serial, or its picture as `gigsheet status` does"
        ) from None
    found = [
        sheet
        for sheet in sheets
        if not places.isdisjoint((sheet.scan_id, sheet.page, index) for index in (sheet.sheet_index, WHOLE_PAGE))
    ]
    if not found:
        raise UsageError(
            f"{name} is withdrawn, or was not read yet: take it in with `gigsheet withdraw NAME --back`, or import it"
        )
    return found


def _game(sheet: SheetRef, reading: SheetReading, number: str | None, *, of_one: bool) -> int:
    """The game that is meant; 0 for all of them, unless `of_one`."""
    games = [game.game for game in reading.games]
    if number is not None:
        if int(number) not in games:
            raise UsageError(f"there is no game {int(number)} on {sheet.title}")
        return int(number)
    if of_one and len(games) > 1:
        raise UsageError(f"{sheet.title} has several games: say which, as in '{sheet.title}, game 1, turn 1'")
    return games[0] if of_one else 0


def _turn(sheet: SheetRef, reading: SheetReading, game: int, turn: int) -> int:
    assert reading.sheet is not None, "whatever was read has a template"
    rows = load_template(reading.sheet.template, reading.sheet.paper).games[game - 1].rows
    if not 1 <= turn <= len(rows):
        raise UsageError(f"there is no turn {turn} on {sheet.title}: it has room for 1 to {len(rows)}")
    return turn
