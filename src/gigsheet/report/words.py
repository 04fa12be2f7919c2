"""Why an entry is flagged, in words, where the reading itself says nothing more precise."""

from __future__ import annotations

from gigsheet.store.corrected import Entry

_MEANING = {
    "low-confidence": "The writing can be read in more than one way.",
    "rule-conflict": "The ink and the rules prefer different texts.",
    "illegal": "The checker refuses it.",
    "struck-out": "An entry is crossed out and was left out.",
    "outside-box": "Writing runs over the edge of the row.",
    "unreadable": "There is writing that cannot be read.",
    "blank-row": "The row is blank, and rows below it are not.",
    "continued": "It goes on from the row above.",
    "result-mismatch": "The result box and the game do not agree.",
    "unmarked": "Nothing is marked.",
    "double-mark": "More than one is marked.",
    "bent-page": "The page is bent, so that rows may have been cut badly.",
    "unread-sheet-beside": "The picture shows another sheet, which could not be read: photograph that one by itself.",
    "last-row": "The last row is written on, and nothing is read below it: look whether the game goes on.",
    "nothing-written": "Nothing is seen on it: look whether it is blank, or too faintly written.",
    "duplicate-serial": "A sheet with this serial came before.",
}


def reasons(entry: Entry) -> tuple[str, ...]:
    """A sentence for each flag, or the reading's own sentences where it has some."""
    if entry.why:
        return entry.why
    return tuple(_MEANING.get(flag, flag.replace("-", " ").capitalize() + ".") for flag in entry.flags)


def percent(probability: float) -> str:
    """A probability for people; a small one is not called none, nor a large one certain."""
    if 0 < probability < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= probability < 1 else f"{100 * probability:.0f} %"
