"""The printed choices, `first:` and the result box: marks weighed against each other and against the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

from gigsheet.notation.rules import PLAYERS
from gigsheet.notation.syntax import Player
from gigsheet.records import ENDINGS, WINNERS, ChoiceReading, Mark, MarkFlag

MARKED = 0.5
CLEAR = 0.9
"""A mark is clear when its probability is above this or below one minus this."""
WRONG_MARK = 0.02
"""How often `first:` is marked for the wrong player, for both, or for none. A careful guess, not measured."""


def _probabilities(marks: Sequence[Mark], choice: str) -> dict[str, float]:
    return {m.option: min(max(m.probability, 1e-3), 1 - 1e-3) for m in marks if m.choice == choice}


def first_evidence(marks: Sequence[Mark]) -> dict[Player, float]:
    """For each player the log-probability of these marks if that player went first.

    A wrong mark stays possible, so that rows which all say otherwise outweigh it.
    """
    p = _probabilities(marks, "first")
    if not p:
        return dict.fromkeys(PLAYERS, 0.0)
    we, they = p.get("WE", 0.5), p.get("THEY", 0.5)
    alone = {"WE": we * (1 - they), "THEY": they * (1 - we)}
    other = 1 - alone["WE"] - alone["THEY"]
    total = sum(alone.values()) + other
    return {
        player: log((1 - WRONG_MARK) * alone[player] + WRONG_MARK * (total - alone[player]) / 2) for player in PLAYERS
    }


def read_first(marks: Sequence[Mark], posterior: Mapping[Player, float]) -> ChoiceReading:
    """Who went first: the rows decide, and a disagreement with the mark is flagged.

    Args:
        marks: the game's marks; those of other choices are ignored.
        posterior: for each player the probability that they went first, marks and rows together.
    """
    p = _probabilities(marks, "first")
    marked = [player for player in PLAYERS if p.get(player, 0.0) >= MARKED]
    value = max(PLAYERS, key=lambda player: posterior[player])
    confidence = posterior[value]
    if len(marked) == 1:
        if value != marked[0]:
            return ChoiceReading(value, confidence, ("rule-conflict",))
        sure = confidence >= CLEAR
        return ChoiceReading(value, confidence, () if sure else ("low-confidence",))
    settled = value if confidence >= CLEAR else None
    return ChoiceReading(settled, confidence, ("double-mark" if marked else "unmarked",))


def read_result(marks: Sequence[Mark], winner: str | None, *, decided: bool) -> ChoiceReading:
    """What the result box says, and whether the game as written agrees.

    Args:
        marks: the game's marks; those of other choices are ignored.
        winner: who won the game as written, None when it is undecided.
        decided: False when there is no game to compare with (no rows were read).
    """
    p = _probabilities(marks, "result")
    ways = tuple(way for way in ENDINGS if p.get(way, 0.0) >= MARKED)
    marked = [option for option in WINNERS if p.get(option, 0.0) >= MARKED]
    if len(marked) != 1:
        return ChoiceReading(winner, 0.5, ("double-mark" if marked else "unmarked",), ways)
    value = marked[0]
    confidence = p[value]
    for option in WINNERS:
        if option != value:
            confidence *= 1 - p.get(option, 0.0)
    flags: list[MarkFlag] = []
    if decided and contradicts(value, winner, ways):
        flags.append("result-mismatch")
    unclear = any(1 - CLEAR < p.get(option, 0.0) < CLEAR for option in (*WINNERS, *ENDINGS))
    if unclear and (flags or value != winner):
        flags.append("low-confidence")
    return ChoiceReading(value, confidence, tuple(flags), ways)


def contradicts(value: str, winner: str | None, ways: Sequence[str]) -> bool:
    """Whether a result mark cannot be true of a game with this winner.

    A concession or the clock ends a game that the dice leave undecided, and nothing else gives such a game a winner.
    """
    if winner is not None:
        return value != winner
    return value != "draw" and not ways


def result_evidence(marks: Sequence[Mark], winner: str | None, wrong: float) -> float:
    """The log-probability of the marks, up to a constant, if the game ended so.

    Args:
        marks: the game's marks.
        winner: who won the game, None when it is undecided.
        wrong: how often a result mark contradicts its game.
    """
    reading = read_result(marks, winner, decided=True)
    if reading.value is None or {"unmarked", "double-mark"} & set(reading.flags):
        return 0.0
    likely = 1 - wrong if "result-mismatch" not in reading.flags else wrong
    return log(reading.confidence * likely + (1 - reading.confidence) * 0.5)


def normalised(log_weights: Mapping[Player, float]) -> dict[Player, float]:
    """Log-weights to probabilities that sum to one."""
    best = max(log_weights.values())
    weights = {key: exp(weight - best) for key, weight in log_weights.items()}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}
