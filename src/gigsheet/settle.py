"""Settling entries one after another, those that are flagged or any that are named: what is asked, what an answer would
mean, and taking it back.

It knows no terminal: `gigsheet.cli.settle` shows it there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from gigsheet.errors import UsageError
from gigsheet.listing import outcome
from gigsheet.notation.rules import PLAYERS
from gigsheet.notation.syntax import format_turn, parse_line
from gigsheet.records import WINNERS, GameReading, RowReading, SheetReading
from gigsheet.store import Store, queries, user_name
from gigsheet.store.corrected import Entry, Spot, corrected, parse_result, result_text
from gigsheet.store.derived import Answer
from gigsheet.store.queries import SheetRef
from gigsheet.store.store import NotThereError, SettledMeanwhileError

PAGE_ANSWERS = "Enter: nothing is wrong with it; skip asks later"
"""What one can say of a page as a whole."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer would mean.

    Attributes:
        text: the answer in canonical form, as it would be kept.
        refused: why it cannot be an answer at all; None when it can.
        problems: what the checker says against the row; it can be kept all the same, if that is what was written.
        others: turns of other rows that the checker would refuse because of it, and does not now.
        outcome: how the game would end, as a sentence.
    """

    text: str | None
    refused: str | None = None
    problems: tuple[str, ...] = ()
    others: tuple[int, ...] = ()
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Undone:
    """Where an undo was, and what holds there now.

    Attributes:
        spot: the entry.
        sheet: its sheet; None when that is not in the event any more.
        text: what the entry holds now.
        holds: the answer that says so, from before or somebody else's; None when it is as it was read.
    """

    spot: Spot
    sheet: SheetRef | None
    text: str | None = None
    holds: Answer | None = None


class GoneMeanwhileError(UsageError):
    """The sheet was taken out of the event, or is read as another one, since one was asked about it."""

    def __init__(self, sheet: SheetRef, spot: Spot, text: str | None) -> None:
        answer = "" if spot.field == "page" else f" as {text or 'nothing'}"
        super().__init__(
            f"{sheet.title} was withdrawn, or is read as another sheet, meanwhile: {spot.title} is not kept{answer}"
        )


class Question:
    """One entry with its sheet as it stood when it was asked, or asked again (`look_again`)."""

    def __init__(self, store: Store, sheet: SheetRef, entry: Entry) -> None:
        self.sheet: SheetRef = sheet
        self.entry: Entry = entry
        self.as_read: SheetReading = queries.reading(store, sheet.reading_id)
        """The sheet without what was settled."""
        self.look_again(store)

    def look_again(self, store: Store) -> None:
        """Takes in what others settled on the sheet meanwhile."""
        answers = queries.answers_now(store, self.sheet)
        self._corrections = {spot: answer.text for spot, answer in answers.items()}
        self.holds: Answer | None = answers.get(self.spot)
        """The answer that an answer to this overrules."""
        self.now: SheetReading = corrected(self.as_read, self._corrections).reading
        """The sheet with what was settled so far."""
        self.game: GameReading | None = _game(self.now, self.spot.game)
        """The entry's game as it stands now; None for the page as a whole."""

    def follow(self, store: Store) -> bool:
        """Goes over to the reading that its sheet has now; False if it has none any more in which this can be asked."""
        now = queries.sheet_at(store, self.sheet.scan_id, self.sheet.page, self.sheet.sheet_index)
        if now is None or now.serial != self.sheet.serial:
            return False
        reading = queries.reading(store, now.reading_id)
        if self.game is not None and _game(reading, self.spot.game) is None:
            return False
        self.sheet, self.as_read = now, reading
        self.look_again(store)
        return True

    @property
    def spot(self) -> Spot:
        return self.entry.spot

    @cached_property
    def options(self) -> tuple[tuple[str, float | None], ...]:
        """Answers to choose from, with their probabilities where they are known; the first is what holds now."""
        field, now = self.entry.spot.field, self.entry.text or ""
        if field == "row":
            row = _row(self.as_read, self.spot)
            said = self.entry.settled or row is None  # by people, or nothing at all: that has no probability
            found: dict[str, float | None] = {now: None if said else self.entry.confidence}
            for text, confidence in _texts(row):
                found.setdefault(text, confidence)
            return tuple(found.items())
        if field == "page":
            return (("", None),)
        values = PLAYERS if field == "first" else WINNERS
        games = (self.game, _game(self.as_read, self.spot.game)) if field == "result" else ()
        also = dict.fromkeys(game.result.also for game in games if game) or {(): None}
        texts = [now, *(result_text(value, endings) for endings in also for value in values)]
        return tuple((text, None) for text in dict.fromkeys(texts))

    def judge(self, answer: str) -> Verdict:
        """What it would mean if this is what was written."""
        try:
            if answer not in dict(self.options):  # what was read may begin with a number, and can be confirmed
                _check_number(self.spot, answer)
            text = _canonical(self.spot, answer)
        except ValueError as error:
            return Verdict(None, refused=str(error))
        if self.game is None:
            return Verdict(text)
        then = _game(corrected(self.as_read, {**self._corrections, self.spot: text}).reading, self.spot.game)
        if then is None:
            return Verdict(text)
        before = _refused_turns(self.game)
        after = _refused_turns(then)
        here = next((row for row in then.rows if self.spot.field == "row" and row.turn == self.spot.turn), None)
        return Verdict(
            text,
            problems=here.why or ("The checker refuses it.",) if here and "illegal" in here.flags else (),
            others=tuple(sorted(after - before - {self.spot.turn})),
            outcome=outcome(then.check),
        )


def _texts(row: RowReading | None) -> Iterable[tuple[str, float]]:
    if row is not None:
        yield row.text, row.confidence
        yield from ((other.text, other.confidence) for other in row.alternatives)


def _game(reading: SheetReading, number: int) -> GameReading | None:
    return next((game for game in reading.games if game.game == number), None)


def _row(reading: SheetReading, spot: Spot) -> RowReading | None:
    game = _game(reading, spot.game)
    return next((row for row in game.rows if row.turn == spot.turn), None) if game else None


def _refused_turns(game: GameReading) -> set[int]:
    return {row.turn for row in game.rows if "illegal" in row.flags}


def _check_number(spot: Spot, answer: str) -> None:
    """Whoever types another row's number looks at another row."""
    number = parse_line(answer).number if spot.field == "row" else None
    if number not in (None, spot.turn):
        raise ValueError(f"this is {spot.title}: type what its row holds, or skip")


def _canonical(spot: Spot, answer: str) -> str | None:
    answer = answer.strip()
    if spot.field == "row":
        turn = parse_line(answer).turn
        return answer if turn is None or turn.faulty else format_turn(turn)
    if spot.field == "page":
        if answer:
            raise ValueError(PAGE_ANSWERS)
        return None
    if spot.field == "first":
        if answer.upper() not in ("", *PLAYERS):
            raise ValueError(f"{answer!r} is nobody: WE or THEY went first")
        return answer.upper() or None
    return result_text(*parse_result(answer)) or None


class Session:
    """Walks through the open entries of a store. Every answer is kept at once, so that one may stop at any time.

    Args:
        store: where to.
        author: who answers, by default the user; others may settle the same event, and only one's own answers are
            taken back.
        named: the entries to walk through instead, whether anything is in doubt there or not.
    """

    def __init__(
        self, store: Store, author: str | None = None, named: Iterable[tuple[SheetRef, Spot]] | None = None
    ) -> None:
        self._store = store
        self._author = author or user_name()
        self._passed: tuple[SheetRef, Spot] | None = None
        self._named = None if named is None else deque(named)
        self._made: list[int] = []
        self.taken_back = 0
        """Answers of earlier sessions that were undone in this one."""

    @property
    def settled(self) -> int:
        """Answers of this session, without those that it took back."""
        return len(self._made)

    def next(self) -> Question | None:
        """The first open entry behind those that were skipped, or of those that were named."""
        with self._store.snapshot():
            if self._named is None:
                found = queries.next_open(self._store, after=self._passed)
                return Question(self._store, found[0].sheet, found[0].entry) if found else None
            while self._named:
                sheet, spot = self._named[0]
                now = queries.sheet_at(self._store, sheet.scan_id, sheet.page, sheet.sheet_index)
                if now is not None:
                    return Question(self._store, now, queries.entry_at(self._store, now, spot))
                self._named.popleft()
        return None

    def answer(self, question: Question, text: str | None) -> bool:
        """Keeps what was written (the text as read confirms it); the game is checked anew.

        Returns whether the sheet was read again since it was asked. The answer is one to what is written, and holds for
        the new reading as for the old one; the question is one about the new reading now.

        Raises:
            SettledMeanwhileError: somebody else said otherwise since it was asked; the question knows of it now, and
                can be answered once more.
            GoneMeanwhileError: the sheet cannot be settled any more.
        """
        spot, read_again = question.spot, False
        over = question.holds.id if question.holds else 0  # what its author knew of, whatever the sheet's reading
        while True:
            try:
                made = self._store.correct(question.sheet.reading_id, spot, text, self._author, over=over)
            except SettledMeanwhileError:
                question.look_again(self._store)
                raise
            except NotThereError:
                if not question.follow(self._store):
                    self.skip(question)
                    raise GoneMeanwhileError(question.sheet, spot, text) from None
                read_again = True
                continue
            self._made.append(made)
            if self._named:
                self._named.popleft()
            return read_again

    def skip(self, question: Question) -> None:
        if self._named:
            self._named.popleft()
        self._passed = (question.sheet, question.spot)

    @property
    def can_undo(self) -> bool:
        """The author has given an answer that still holds."""
        return queries.last_correction(self._store, self._author) is not None

    def undo(self) -> Undone | None:
        """Takes back the last answer of this session that still holds, and asks from the top again; where entries are
        named, what was undone.

        When it has none left it is the author's last one, of whichever session; None if there is none either.
        """
        last = self._take_back()
        if last is None:
            return None
        self._passed = None
        undone = _undone(self._store, last)
        if self._named is not None and undone.sheet is not None:
            self._named.appendleft((undone.sheet, undone.spot))
        return undone

    def _take_back(self) -> int | None:
        # Several terminals may have the same author, so that the author's last answer need not be this session's.
        while self._made:
            made = self._made.pop()
            if self._store.undo(made, self._author):
                return made
        last = queries.last_correction(self._store, self._author)
        if last is None or not self._store.undo(last, self._author):
            return None
        self.taken_back += 1
        return last


def _undone(store: Store, correction_id: int) -> Undone:
    with store.snapshot():
        made = next(c for c in queries.history(store) if c["id"] == correction_id)
        spot = Spot(made["game"], made["field"], made["turn"])
        sheet = queries.sheet_at(store, made["scan_id"], made["page"], made["sheet_index"])
        if sheet is None:
            return Undone(spot, None)
        entries = queries.current_state(store, sheet.reading_id).entries
        text = next((entry.text for entry in entries if entry.spot == spot), None)
        return Undone(spot, sheet, text, queries.answers_now(store, sheet).get(spot))
