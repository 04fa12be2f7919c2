"""A transcript in its canonical form, and the same game as the rival's sheet has it."""

from __future__ import annotations

from gigsheet.notation.rules import OTHER
from gigsheet.notation.syntax import Entry, Move, Player, Transcript, Turn, format_turn, parse


class UnparsedError(ValueError):
    """A transcript with text that is no entry: there is no canonical form of it. `lines` are their numbers, from 1."""

    def __init__(self, lines: tuple[int, ...]) -> None:
        shown = ", ".join(map(str, lines[:5])) + (", ..." if len(lines) > 5 else "")
        super().__init__(f"line {shown} does not parse" if len(lines) == 1 else f"lines {shown} do not parse")
        self.lines = lines


def format_text(text: str) -> str:
    """The canonical form: a header, each turn on its numbered line in plain signs, comments kept.

    Written numbers are kept even where they are wrong, and blank lines between turns stay, so that the checker says the
    same of it. Raises UnparsedError for text that is no entry.

    >>> print(format_text("a4−A1 ; well\\n3…"), end="")
    first: WE
    1| A4 -A1 ; well
    3| ..
    """
    return format_transcript(parse(text))


def flip(text: str) -> str:
    """The same game as the rival's sheet has it: primes flipped, the header set. Flipping twice is the identity on a
    canonical text. Raises UnparsedError for text that is no entry.

    >>> print(flip("A4 -A1\\nA'4"), end="")
    first: THEY
    1| A'4 -A'1
    2| A4
    """
    return format_transcript(flip_transcript(parse(text)))


def format_transcript(transcript: Transcript) -> str:
    """`format_text` for a text that was parsed already."""
    unparsed = tuple(
        at
        for at, line in enumerate(transcript.lines, 1)
        if line.kind == "bad-header" or (line.turn is not None and line.turn.faulty)
    )
    if unparsed:
        raise UnparsedError(unparsed)
    numbers = {numbered.at: numbered for numbered in transcript.turns()}
    last = max(numbers, default=0)
    header = f"first: {transcript.first}"
    rows: list[str] = []
    headed = started = False
    for at, line in enumerate(transcript.lines, 1):
        if line.kind == "turn":
            number = line.number if line.number is not None else numbers[at].number
            rows.append(_with_comment(f"{number}| {format_turn(line.turn or Turn())}", line.comment))
            started = True
        elif line.kind == "header":
            rows.append(_with_comment(header, line.comment))
            headed = True
        elif line.kind == "comment":
            rows.append(line.comment)
        elif started and at < last:
            rows.append("")
    return "\n".join(rows if headed else [header, *rows]) + "\n"


def _with_comment(row: str, comment: str) -> str:
    return f"{row} {comment}" if comment else row


def flip_transcript(transcript: Transcript) -> Transcript:
    """`flip` for a text that was parsed already; the lines keep the texts that they were parsed from."""
    lines = tuple(
        [
            line._replace(
                turn=None if line.turn is None else flip_turn(line.turn),
                first=None if line.first is None else OTHER[line.first],
            )
            for line in transcript.lines
        ]
    )
    first: Player = OTHER[transcript.first]
    return Transcript(first, lines)


def flip_turn(turn: Turn) -> Turn:
    """A turn with every die's owner seen from the other side of the table."""
    entries = [Entry(tuple([flip_move(move) for move in entry.moves]), entry.reaction) for entry in turn.entries]
    return turn._replace(entries=tuple(entries))


def flip_move(move: Move) -> Move:
    """
    >>> flip_move(Move("<>", "A", None, "B'")).text
    "A'<>B"
    """
    return move._replace(die=_flip(move.die), other=None if move.other is None else _flip(move.other))


def _flip(die: str) -> str:
    return die[0] if die[1:] else die + "'"
