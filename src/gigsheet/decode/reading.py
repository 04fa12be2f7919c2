"""One game of a sheet, from scores and marks to its reading: `decode_game`."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

from gigsheet.decode.calibration import MOST_NATS, Calibration, shipped
from gigsheet.decode.candidates import Candidate, RowInput, candidates
from gigsheet.decode.choices import first_evidence, normalised, read_first, read_result, result_evidence
from gigsheet.decode.doubt import explain
from gigsheet.decode.evidence import Choice, confidences
from gigsheet.decode.grammar import entries
from gigsheet.decode.lattice import Lattice, Marginals
from gigsheet.decode.prices import Prices
from gigsheet.decode.repairs import repairs
from gigsheet.decode.transcript import UNREADABLE, Written, write
from gigsheet.notation.rules import Ruleset, State
from gigsheet.notation.syntax import Player
from gigsheet.records import Alternative, ChoiceReading, GameReading, Mark, RowFlag, RowReading

OUTSIDE = 0.08
"""A row with more of its ink than this cut off is flagged `outside-box`."""
ALTERNATIVES = 5
UNREADABLE_BELOW = 0.02
"""A row less sure than this is not transcribed."""
BOXES = 6
"""A row with so many entries is full where nothing else is known: the `single` sheet has so many boxes."""
LAST_BOX_MM = 14.0
"""A row is full when its ink comes this near to the end of its entry area."""
WRONG_RESULT = 0.05
"""How often a result mark contradicts its game. A guess, not measured on players."""


def decode_game(
    rows: Sequence[RowInput],
    marks: Sequence[Mark],
    *,
    game: int = 1,
    rules: bool = True,
    ruleset: str = "cr",
    risk: float = 0.001,
    calibration: Calibration | None = None,
) -> GameReading:
    """Read one game: what its rows say, how sure that is, and what the checker makes of it.

    Args:
        rows: the game's rows in order, blank ones with `glyphs` None.
        marks: the game's printed choices.
        game: its number on the sheet.
        rules: weigh the ink against the rules of the game, or against the grammar alone.
        ruleset: "cr", "alpha" or "quickref".
        risk: rows are flagged so that at most this share of all rows is wrong and not flagged (docs/risk.md).
        calibration: instead of the shipped one.
    """
    learned = calibration or shipped()
    inked = rows[: 1 + max((k for k, row in enumerate(rows) if row.glyphs is not None), default=-1)]
    if not inked:
        return _unplayed(game, marks)
    listed = candidates(inked)
    if rules:
        listed, choices, first = _with_rules(inked, listed, marks, Ruleset.named(ruleset), learned.prices)
    else:
        choices = [_by_ink(row, learned.prices.ink) for row in listed]
        first = normalised(first_evidence(marks))
    first_reading = read_first(marks, first)
    player = first_reading.value or max(first, key=lambda p: first[p])
    continued = [choice.continued for choice in choices]
    texts: list[str | None] = [_text(*pair) for pair in zip(listed, choices, strict=True)]
    sheet = write(texts, continued, player, ruleset)
    model = learned.confidence(rules=rules)
    sure = confidences(inked, listed, choices, sheet, model)
    lost = [k for k, p in enumerate(sure) if inked[k].glyphs is not None and (not listed[k] or p < UNREADABLE_BELOW)]
    if lost:
        texts = [UNREADABLE if k in lost else text for k, text in enumerate(texts)]
        sheet = write(texts, continued, player, ruleset)
    threshold = model.threshold(risk)
    readings = []
    for k, row in enumerate(inked):
        flags = _flags(row, listed[k], choices[k], texts[k], sheet, k, sure[k] < threshold)
        why = explain(listed[k], choices[k], texts, continued, k, sheet) if set(flags) - {"struck-out"} else ()
        alternatives = _alternatives(listed[k], choices[k], sure[k])
        readings.append(RowReading(row.turn, texts[k] or "", sure[k], flags, alternatives, row.quad, why))
    return GameReading(
        game=game,
        first=first_reading,
        result=read_result(marks, sheet.report.outcome.winner, decided=True),
        rows=tuple(readings),
        transcript=sheet.transcript,
        check=sheet.report.to_dict(),
    )


def _unplayed(game: int, marks: Sequence[Mark]) -> GameReading:
    """A game without a row: its marks, if there are any, and no flag for what is missing."""
    first = read_first(marks, normalised(first_evidence(marks)))
    result = read_result(marks, None, decided=False)
    absent = ChoiceReading(None, 1.0)
    return GameReading(
        game,
        absent if "unmarked" in first.flags else first,
        absent if "unmarked" in result.flags and not result.also else result,
    )


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
        return [] if glyphs is None else repairs(listed[row], glyphs.log_probs, state)

    full = [_full(row, found) for row, found in zip(rows, listed, strict=True)]
    lattice = Lattice(listed, first_evidence(marks), ruleset, prices, full, propose)
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


def _text(listed: Sequence[Candidate], choice: Choice) -> str:
    return listed[choice.place].text if listed else ""


def _flags(
    row: RowInput,
    listed: Sequence[Candidate],
    choice: Choice,
    text: str | None,
    sheet: Written,
    place: int,
    doubtful: bool,
) -> tuple[RowFlag, ...]:
    """Why a person should look at a row (SPEC 6); one that is surely read and refused is `illegal`, nothing else."""
    if row.glyphs is None:
        return ("blank-row",)
    if text is UNREADABLE:
        return ("unreadable",)
    flags: list[RowFlag] = []
    if doubtful:
        flags.append("low-confidence")
        if choice.place != 0:
            flags.append("rule-conflict")
    if sheet.errors(place):
        flags.append("illegal")
    if listed[choice.place].struck:
        flags.append("struck-out")
    if row.overflow > OUTSIDE:
        flags.append("outside-box")
    if choice.continued:
        flags.append("continued")
    return tuple(flags)


def _alternatives(listed: Sequence[Candidate], choice: Choice, confidence: float) -> tuple[Alternative, ...]:
    """The other texts, likeliest first, with what the row's confidence leaves to them in proportion to their weight."""
    others = [(p, listed[k].text) for k, p in enumerate(choice.probabilities) if k != choice.place]
    left = sum(p for p, _ in others)
    best = sorted(others, key=lambda item: -item[0])[:ALTERNATIVES]
    return tuple(Alternative(text, (1 - confidence) * p / left) for p, text in best if left > 0)
