"""Two transcripts of one game, turn by turn: what differs, flipped where that fits better."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from gigsheet.notation.rewrite import flip_transcript
from gigsheet.notation.syntax import Move, NumberedTurn, Player, Transcript, Turn, format_turn, parse

_UNPAIRED = 1.5  # dearer than one differing turn and cheaper than two: turns keep their numbers unless a row is missing
_LARGEST_TABLE = 1_000_000


class TurnDifference(NamedTuple):
    """A turn that the two have differently; a side without the turn has number None and text "".

    A turn with text that is no entry is compared, and shown, as it was written (not flipped). Where it is the numbers
    that differ, each text begins with its own, as in ``2| A'3``.
    """

    number_a: int | None
    text_a: str
    number_b: int | None
    text_b: str


class Comparison(NamedTuple):
    """What differs between two transcripts; texts of the second are seen from the first one's side of the table."""

    flipped: bool
    first_a: Player
    first_b: Player
    turns: tuple[TurnDifference, ...]

    @property
    def same(self) -> bool:
        return not self.turns and self.first_a == self.first_b


def compare(text_a: str, text_b: str) -> Comparison:
    """Compare two transcripts. A steal with and without its checksum, and a swap in either order, are the same.

    A turn that the two number differently is not: another player makes it, or a number is wrong. It is told where that
    begins, and not again of the turns behind it that are shifted alike; nor where a turn that only one has explains it.

    >>> found = compare("A4 -A1\\nA'4 xA", "first: THEY\\nA'4 -A'2\\nA4 xA'1")
    >>> found.flipped, [(t.text_a, t.text_b) for t in found.turns]
    (True, [('A4 -A1', 'A4 -A2')])
    """
    a, b = parse(text_a), parse(text_b)
    straight, turned = _compare(a, b, flipped=False), _compare(a, flip_transcript(b), flipped=True)
    return turned if _weight(turned) < _weight(straight) else straight


def _weight(comparison: Comparison) -> tuple[int, bool]:
    return len(comparison.turns), comparison.first_a != comparison.first_b


def _compare(a: Transcript, b: Transcript, *, flipped: bool) -> Comparison:
    differences = []
    # How far the numbers are known to be apart; None behind a turn that only one has, which may explain any distance.
    told: tuple[int, int] | None = (0, 0)
    for x, y in _align(list(a.turns()), list(b.turns())):
        if x is None or y is None:
            differences.append(TurnDifference(x and x.number, _shown(x), y and y.number, _shown(y)))
            told = None
            continue
        apart = (x.number - y.number, _written(x) - _written(y))
        if any(apart) and told not in (None, apart):
            texts = [f"{_written(turn)}| {_shown(turn)}" for turn in (x, y)]
            differences.append(TurnDifference(x.number, texts[0], y.number, texts[1]))
        elif not _alike(x, y):
            differences.append(TurnDifference(x.number, _shown(x), y.number, _shown(y)))
        told = apart
    return Comparison(flipped, a.first, b.first, tuple(differences))


def _written(numbered: NumberedTurn) -> int:
    """The number that stands before the turn, though it may be wrong; where none does, the turn's own."""
    return numbered.number if numbered.line.number is None else numbered.line.number


def _shown(numbered: NumberedTurn | None) -> str:
    if numbered is None or numbered.line.turn is None:
        return ""
    line, turn = numbered.line, numbered.line.turn
    return line.text[slice(*line.content)] if turn.faulty else format_turn(turn)


def _alike(a: NumberedTurn, b: NumberedTurn) -> bool:
    turn_a, turn_b = a.line.turn or Turn(), b.line.turn or Turn()
    if turn_a.faulty or turn_b.faulty:
        return turn_a == turn_b and _shown(a) == _shown(b)
    return len(turn_a.entries) == len(turn_b.entries) and all(
        x.reaction == y.reaction and len(x.moves) == len(y.moves) and all(map(_same_move, x.moves, y.moves))
        for x, y in zip(turn_a.entries, turn_b.entries, strict=True)
    )


def _same_move(a: Move, b: Move) -> bool:
    if a.action == b.action == "<>":
        return {a.die, a.other} == {b.die, b.other}
    if a.action == b.action == "x" and None in (a.value, b.value):
        return a.die == b.die
    return a == b


def _align(a: list[NumberedTurn], b: list[NumberedTurn]) -> list[tuple[NumberedTurn | None, NumberedTurn | None]]:
    """Pair the turns off with the fewest differences (edit distance); by position alone where the table were huge."""
    if len(a) * len(b) > _LARGEST_TABLE:
        return list(zip_longest(a, b))
    cost = [[_UNPAIRED * (i + j) for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            differs = 0 if _alike(x, y) else 1
            cost[i][j] = min(cost[i - 1][j - 1] + differs, cost[i - 1][j] + _UNPAIRED, cost[i][j - 1] + _UNPAIRED)
    pairs: list[tuple[NumberedTurn | None, NumberedTurn | None]] = []
    i, j = len(a), len(b)
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (0 if _alike(a[i - 1], b[j - 1]) else 1):
            i, j = i - 1, j - 1
            pairs.append((a[i], b[j]))
        elif i and cost[i][j] == cost[i - 1][j] + _UNPAIRED:
            i -= 1
            pairs.append((a[i], None))
        else:
            j -= 1
            pairs.append((None, b[j]))
    return pairs[::-1]
