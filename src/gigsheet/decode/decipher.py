"""From a game's scores and marks to one text a row: by all games that the rules know, or by the grammar alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf

from gigsheet.decode.calibration import MOST_NATS
from gigsheet.decode.candidates import Candidate, RowInput
from gigsheet.decode.choices import first_evidence, normalised, result_evidence
from gigsheet.decode.grammar import entries
from gigsheet.decode.lattice import Lattice, Marginals
from gigsheet.decode.prices import Prices
from gigsheet.decode.repairs import repairs
from gigsheet.decode.transcript import UNREADABLE, Written, write
from gigsheet.notation.rules import Ruleset, State
from gigsheet.notation.syntax import Player
from gigsheet.records import Mark

BOXES = 6
"""A row with so many entries is full where nothing else is known: the `single` sheet has so many boxes."""
LAST_BOX_MM = 14.0
"""A row is full when its ink comes this near to the end of its entry area."""
WRONG_RESULT = 0.05
"""How often a result mark contradicts its game. A guess, not measured on players."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for one row.

    Attributes:
        place: which of its candidates; -1 for a row without any.
        probabilities: of all its candidates, in order.
        margin: nats between the best game with this text and the best with another.
        continued: the row holds the rest of the turn before it.
    """

    place: int
    probabilities: tuple[float, ...]
    margin: float
    continued: bool = False


@dataclass(frozen=True, slots=True)
class Deciphered:
    """A game put together.

    Attributes:
        listed: each row's candidates, best by ink first.
        choices: which of them each row is taken to say.
        texts: the rows' texts; "" for a blank row, `UNREADABLE` for one given up.
        first: for each player the probability of having gone first.
        sheet: the transcript and the checker's report.
    """

    listed: tuple[tuple[Candidate, ...], ...]
    choices: tuple[Choice, ...]
    texts: tuple[str | None, ...]
    first: Mapping[Player, float]
    sheet: Written

    @property
    def continued(self) -> list[bool]:
        return [choice.continued for choice in self.choices]

    def without(self, lost: Collection[int]) -> Deciphered:
        """The same game with some rows given up as unreadable."""
        texts = tuple([UNREADABLE if k in lost else text for k, text in enumerate(self.texts)])
        report = self.sheet.report
        return replace(self, texts=texts, sheet=write(texts, self.continued, report.first, report.ruleset))


def decipher(
    rows: Sequence[RowInput],
    listed: Sequence[Sequence[Candidate]],
    marks: Sequence[Mark],
    prices: Prices,
    *,
    rules: bool = True,
    ruleset: str = "cr",
) -> Deciphered:
    """Choose each row's text and check the game.

    Args:
        rows: the game's rows up to the last one with ink.
        listed: each row's candidates.
        marks: the game's printed choices.
        prices: what errors cost, and what the ink's scores are worth.
        rules: by the rules of the game, or by the grammar alone.
        ruleset: its name.
    """
    if rules:
        listed, choices, first = _with_rules(rows, listed, marks, Ruleset.named(ruleset), prices)
    else:
        choices = [_by_ink(row, prices.ink) for row in listed]
        first = normalised(first_evidence(marks))
    texts = tuple([row[choice.place].text if row else "" for row, choice in zip(listed, choices, strict=True)])
    player = max(first, key=lambda p: first[p])
    sheet = write(texts, [choice.continued for choice in choices], player, ruleset)
    return Deciphered(tuple(map(tuple, listed)), tuple(choices), texts, first, sheet)


def _with_rules(
    rows: Sequence[RowInput],
    listed: Sequence[Sequence[Candidate]],
    marks: Sequence[Mark],
    ruleset: Ruleset,
    prices: Prices,
) -> tuple[list[list[Candidate]], list[Choice], dict[Player, float]]:
    """By all games: the candidates (perhaps more than were given), the choice of each row, and who went first."""

    def propose(row: int, state: State) -> list[Candidate]:
        glyphs = rows[row].glyphs
        return [] if glyphs is None else repairs(listed[row], glyphs, state)

    full = [_full(row, found) for row, found in zip(rows, listed, strict=True)]
    blank = {k for k, row in enumerate(rows) if row.glyphs is None}
    lattice = Lattice(listed, first_evidence(marks), ruleset, prices, full, blank, propose)
    lattice.solve(lambda state: result_evidence(marks, state.winner, WRONG_RESULT))
    choices = [_by_games(marginals) for marginals in lattice.marginals()]
    return lattice.rows, choices, normalised(lattice.first())


def _full(row: RowInput, listed: Sequence[Candidate]) -> bool:
    """Whether the turn may go on in the next row: this one has no room left."""
    if row.glyphs is None or not listed:
        return False
    if row.right_mm is not None and len(row.glyphs.x_mm):
        ink = row.glyphs.log_probs.argmax(axis=1) != 0
        return bool(ink.any()) and float(row.glyphs.x_mm[ink].max()) > row.right_mm - LAST_BOX_MM
    return len(entries(listed[0].raw)) >= BOXES


def _by_games(marginals: Marginals) -> Choice:
    """The text with the most weight over all games."""
    totals = marginals.totals
    if not totals:
        return Choice(-1, (), MOST_NATS)
    high = max(totals)
    weights = [exp(total - high) if high > -inf else 1.0 for total in totals]
    place = weights.index(max(weights))
    others = [best for k, best in enumerate(marginals.bests) if k != place]
    margin = marginals.bests[place] - max(others, default=-inf)
    shares = tuple(weight / sum(weights) for weight in weights)
    return Choice(place, shares, min(margin, MOST_NATS), exp(marginals.continued - high) > sum(weights) / 2)


def _by_ink(listed: Sequence[Candidate], scale: float) -> Choice:
    """The best well-formed text, or the best of all when the grammar has none."""
    if not listed:
        return Choice(-1, (), MOST_NATS)
    usable = [k for k, c in enumerate(listed) if c.well_formed] or [0]
    weights = [exp(scale * (c.ink - listed[usable[0]].ink)) if k in usable else 0.0 for k, c in enumerate(listed)]
    others = [listed[k].ink for k in usable[1:2]]
    margin = scale * (listed[usable[0]].ink - max(others, default=-inf))
    return Choice(usable[0], tuple(w / sum(weights) for w in weights), min(margin, MOST_NATS))
