"""`gigsheet settle`: the flagged entries, or those that are named, one after another in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from gigsheet.cli.parameters import NAME, argument, command, event_options

if TYPE_CHECKING:
    from gigsheet.settle import Question, Session, Undone, Verdict
    from gigsheet.store import Store
    from gigsheet.store.corrected import Spot
    from gigsheet.store.queries import SheetRef

_KEYS = "Enter keeps 1, a number takes that one, or type what is written; empty, skip, undo, quit, help"
_HELP = """  Enter      what was read (choice 1) is what is written, also when the checker refuses it
  2, 3, ...  the row holds that other text
  B4 -B2     what the row really holds; it is checked as you type, and kept as it stands
  empty      the row holds nothing
  skip (s)   ask later
  undo (u)   take back your last answer, of this session, then of earlier ones
  quit (q)   stop; everything answered is kept, and the next `gigsheet settle` goes on here"""
_ROWS_AROUND = 2
_LONGEST_CHOICE = 9
"""Digits; Python refuses to convert thousands of them."""


@command()
@argument("names", nargs=-1, type=NAME, metavar="[NAME]...", about="Rows, marks or sheets to settle instead.")
@event_options
@click.option("--author", show_default="your user name", help="Who settles, for the record.")
def settle(names: tuple[str, ...], event: Path, database: str | None, author: str | None) -> None:
    """Go through the flagged rows one after another, with their pictures.

    For each one choose among what it may hold, or type what is written there: what the player wrote, not what should
    have been. The game is checked anew after every answer; other rows stay as they are. Every answer is kept at once,
    so stop whenever you like.

    A row that nobody doubted may be wrong all the same, and a player may say so: name it by its sheet's serial or
    picture and its turn, first or result, and it is asked about whatever its flags. A sheet's name is all of it.

    \b
    gigsheet settle --event night-city
    gigsheet settle --event night-city --author Ana
    gigsheet settle "7F3K-02, turn 5" --event night-city
    gigsheet settle "round1.pdf, page 7, game 2, result" 7F3K-05 --event night-city

    Exit status: 0 nothing is open any more; 1 something still is.
    """
    from gigsheet.batch.intake import shown
    from gigsheet.errors import InterruptedWorkError
    from gigsheet.settle import Session
    from gigsheet.store import Store, queries
    from gigsheet.store.named import entries_named

    with Store(event, database) as store:
        store.check_writable()
        named = dict.fromkeys(entry for name in map(shown, names) for entry in entries_named(store, name))
        session = Session(store, author, named if names else None)
        ask = _asker()
        try:
            _loop(session, store, ask, goes_back=not names)
        except KeyboardInterrupt:
            answers = "1 answer" if session.settled == 1 else f"{session.settled} answers"
            message = f"stopped after {answers}; every answer is kept, start it again to go on"
            raise InterruptedWorkError(message) from None
        counts = queries.counts(store)
    back = f", {session.taken_back} of before taken back" if session.taken_back else ""
    print(f"{session.settled} settled{back}, {counts.open} still open")
    if counts.open:
        raise Exit(1)


def _loop(session: Session, store: Store, ask: _Asker, *, goes_back: bool) -> None:
    while (question := session.next()) is not None or (goes_back and _goes_back(session, store, ask)):
        if question is None:
            continue
        _show(question, store)
        while True:
            answer = ask(question)
            if answer is None or answer in ("q", "quit"):
                return
            if answer in ("?", "h", "help"):
                print(_HELP)
            elif answer in ("u", "undo"):
                print(_taken_back(session))
                break
            elif answer in ("s", "skip"):
                session.skip(question)
                break
            elif _kept(session, question, answer, ask):
                break


def _goes_back(session: Session, store: Store, ask: _Asker) -> bool:
    """Once nothing is open: whether the last answer, if there is one, was taken back."""
    from gigsheet.store import queries

    if queries.next_open(store) or not session.can_undo:
        return False
    if ask.line("Nothing is open any more. Enter ends, undo takes back your last answer > ") not in ("u", "undo"):
        return False
    print(_taken_back(session))
    return True


def _taken_back(session: Session) -> str:
    undone = session.undo()
    return "there is no answer of yours to undo" if undone is None else f"undone: {_stands(undone)}"


def _stands(undone: Undone) -> str:
    """What holds where an answer was taken back."""
    if undone.sheet is None:
        return f"{undone.spot.title} of a sheet that is not in the event any more"
    where = _where(undone.sheet, undone.spot)
    if undone.spot.field == "page":
        looked_at = f"was looked at by {undone.holds.author}" if undone.holds else "is to be looked at again"
        return f"{where} {looked_at}"
    held = f"{where} is {undone.text or 'nothing'}"
    return f"{held}, as {undone.holds.author} settled it" if undone.holds else f"{held} again, as it was read"


def _where(sheet: SheetRef, spot: Spot) -> str:
    game = f", game {spot.game}" if spot.game > 1 else ""
    return f"{sheet.serial or 'no serial'}  {sheet.title}{game}, {spot.title}"


def _kept(session: Session, question: Question, answer: str, ask: _Asker) -> bool:
    """Keeps an answer, unless its sheet is gone; False if it was none, or a slip of the keyboard, or somebody else said
    otherwise meanwhile."""
    from gigsheet.settle import GoneMeanwhileError
    from gigsheet.store.store import SettledMeanwhileError

    chosen = _choice(question, answer)
    if chosen is None:
        print(f"there is no choice {answer}; there are {len(question.options)}")
        return False
    verdict = question.judge(chosen)
    if verdict.refused:
        print(verdict.refused)
        return False
    typed = chosen not in dict(question.options)
    if typed and verdict.problems and not ask.sure(f"{verdict.problems[0].rstrip('.')}. Is it written so?"):
        return False
    try:
        read_again = session.answer(question, verdict.text)
    except SettledMeanwhileError as error:
        print(error)
        return False
    except GoneMeanwhileError as error:
        print(error)
        return True
    if read_again:
        verdict = question.judge(chosen)
        print(f"{question.sheet.title} was read again meanwhile: your answer holds for the new reading")
    print(_said(verdict))
    return True


def _choice(question: Question, answer: str) -> str | None:
    if not answer:
        return question.options[0][0]
    if question.spot.field == "page":  # which is shown no choices
        return answer
    if answer == "empty":
        return ""
    if not answer.isdecimal():  # a superscript is a digit, but no number
        return answer
    number = int(answer) if len(answer) <= _LONGEST_CHOICE else 0
    return question.options[number - 1][0] if 1 <= number <= len(question.options) else None


def _said(verdict: Verdict) -> str:
    parts = [verdict.outcome] if verdict.outcome else []
    if verdict.others:
        parts.append(f"now refused: turn {', '.join(map(str, verdict.others))}.")
    return "kept. " + " ".join(parts)


def _show(question: Question, store: Store) -> None:
    from gigsheet.report.words import percent, reasons
    from gigsheet.settle import PAGE_ANSWERS

    sheet, spot = question.sheet, question.spot
    print(f"\n{_where(sheet, spot)}")
    rows = question.game.rows if question.game and spot.field == "row" else ()
    for row in rows:
        if abs(row.turn - spot.turn) <= _ROWS_AROUND:
            print(f"{'>' if row.turn == spot.turn else ' '} {row.turn:>2}| {row.text}")
    if question.holds is not None:
        answer = "" if spot.field == "page" else f" as {question.holds.text or 'nothing'}"
        print(f"  {question.holds.author} settled it{answer}.")
    else:
        for reason in reasons(question.entry):
            print(f"  {reason}")
    _show_picture(question, store)
    if spot.field == "page":
        print(f"  {PAGE_ANSWERS}")
        return
    for number, (text, confidence) in enumerate(question.options, 1):
        share = "" if confidence is None else f"  {percent(confidence)}"
        print(f"  {number}  {text or 'nothing':<28}{share}")


def _show_picture(question: Question, store: Store) -> None:
    from gigsheet.batch.pictures import row_picture, row_quad

    sheet, spot = question.sheet, question.spot
    picture = None
    if spot.field == "row":
        quad = row_quad(question.as_read, spot.game, spot.turn)
        picture = row_picture(store, sheet, spot.game, spot.turn, quad)
    if picture is None:
        print(f"  scan: {store.scans.find(sheet.sha256) or 'gone'}")
        return
    if sys.stdout.isatty():
        from gigsheet.cli.braille import drawn

        print(drawn(picture))
    path = _crop_file(store, sheet.sha256, f"page{sheet.page}-sheet{sheet.sheet_index}-game{spot.game}-turn{spot.turn}")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(picture)
    print(f"  picture: {path}")


def _crop_file(store: Store, sha256: str, what: str) -> Path:
    return store.crops_folder / f"{sha256[:12]}-{what}.jpg"


class _Asker:
    """Asks by lines, as a pipe or a dumb terminal has them. None is the end of the input."""

    def __call__(self, question: Question) -> str | None:
        return self.line("> ")

    def sure(self, what: str) -> bool:
        return (self.line(f"{what} [y/N] ") or "").lower() in ("y", "yes")

    def line(self, prompt: str) -> str | None:
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            print()
            raise


class _LiveAsker(_Asker):
    """Asks on a terminal: under the line it says what the checker makes of what was typed so far."""

    def __init__(self) -> None:
        from prompt_toolkit import PromptSession

        self._session: PromptSession[str] = PromptSession()

    def __call__(self, question: Question) -> str | None:
        from prompt_toolkit.application import get_app

        def toolbar() -> str:
            return _verdict_line(question, get_app().current_buffer.text.strip())

        try:
            return self._session.prompt("> ", bottom_toolbar=toolbar).strip()
        except EOFError:
            return None


def _verdict_line(question: Question, typed: str) -> str:
    """What the toolbar says of what was typed so far."""
    from gigsheet.settle import PAGE_ANSWERS

    if question.spot.field == "page":
        return PAGE_ANSWERS
    if typed in ("q", "quit", "s", "skip", "u", "undo", "?", "h", "help", "empty"):
        return _KEYS
    chosen = _choice(question, typed)
    if chosen is None:
        return f"there is no choice {typed}"
    verdict = question.judge(chosen)
    if verdict.refused:
        return verdict.refused
    lead = f"{verdict.text or 'nothing'}: "
    if verdict.problems:
        return lead + verdict.problems[0]
    others = f"; then refused: turn {', '.join(map(str, verdict.others))}" if verdict.others else ""
    return (lead + (verdict.outcome or "fine") + others) if typed else _KEYS


def _asker() -> _Asker:
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _LiveAsker()
    print(_KEYS)
    return _Asker()
