"""All games that a sheet may hold, as a lattice: nodes are positions between rows, edges are what a row may say.

Positions that are equal are one node, so the lattice stays narrow. Sums over games (forward and backward) give each
row's posterior, maxima over games give the margin to the best game in which the row says something else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp, inf, log, log1p
from operator import itemgetter
from typing import NamedTuple

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.chances import chance, usual_chance
from gigsheet.decode.intent import intended
from gigsheet.decode.prices import Prices
from gigsheet.notation.check import play_turn
from gigsheet.notation.rules import Ruleset, State, end_turn, skip_turns
from gigsheet.notation.syntax import Player, Turn, parse_turn

WIDTH = 24
"""Positions kept between two rows."""
PRUNE_NATS = 8.0
"""Positions this much worse than the best one are dropped."""
MOST_EDGES = 80
"""Edges tried a row: where more are possible the row is hopeless, and its time must stay bounded."""
SLIP_NATS = 6.0
"""What may have been meant by a refused text is followed unless the text is this much worse than the best way."""
CONTINUED_NATS = 5.0
"""What it costs to take a row for the rest of the one before: fuller rows than this are rare. A guess, not measured."""


class Position(NamedTuple):
    """A node: who went first, the state after the last written turn, whether an error has been seen, and how many
    turns are missing since (SPEC 3: what was lost with several in a row nobody knows, so they are passed over at once).
    """

    first: Player
    state: State
    seen: bool
    missing: int = 0

    @property
    def arrived(self) -> State:
        """The state at the start of the next turn that is written."""
        return skip_turns(self.state, self.missing) if self.missing else self.state


class Edge(NamedTuple):
    """What rows `row - span + 1` to `row` say between two nodes; `choices` are their candidates' places."""

    source: int
    target: int
    choices: tuple[int, ...]
    weight: float
    legal: bool


@dataclass(slots=True)
class Layer:
    """The nodes before one row, with the sums and maxima over all games up to there and from there on."""

    places: dict[Position, int] = field(default_factory=dict)
    forward: list[float] = field(default_factory=list)
    best_forward: list[float] = field(default_factory=list)
    backward: list[float] = field(default_factory=list)
    best_backward: list[float] = field(default_factory=list)

    def reach(self, position: Position, weight: float, best: float) -> int:
        """Add one way to a node; returns its place."""
        place = self.places.get(position)
        if place is None:
            place = self.places[position] = len(self.forward)
            self.forward.append(weight)
            self.best_forward.append(best)
        else:
            self.forward[place] = add(self.forward[place], weight)
            self.best_forward[place] = max(self.best_forward[place], best)
        return place


def add(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a if b == -inf else a + log1p(exp(b - a))


def _after_blank(node: Position) -> Position:
    """Blank rows before the first turn are no turns (SPEC 3)."""
    return node if node.state.turn == 1 else node._replace(missing=node.missing + 1)


@lru_cache(maxsize=16384)
def turn_of(text: str, swaps: bool) -> Turn:
    return parse_turn(text, swaps=swaps)


Proposer = Callable[[int, State], list[Candidate]]
"""For a row and the state before it: further candidates that the rules allow and the ink alone did not list."""


class Lattice:
    """The games that the rows of one sheet may hold.

    Args:
        rows: each row's candidates; none for a row that is blank or cannot be read.
        starts: log-probability of each player having gone first, by the marks.
        ruleset: the rules.
        prices: what errors cost.
        full: for each row whether it is so full that the next one may continue it.
        blank: the rows, counted from 0, that nobody wrote in: missing turns.
        propose: asked where the likeliest reading of a row is refused by the checker.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[Candidate]],
        starts: dict[Player, float],
        ruleset: Ruleset,
        prices: Prices,
        full: Sequence[bool],
        blank: Collection[int] = (),
        propose: Proposer | None = None,
    ) -> None:
        self.rows = [list(row) for row in rows]
        self.prices = prices
        self.ruleset = ruleset
        self.full = full
        self.blank = blank
        self.propose = propose
        self.layers = [Layer() for _ in range(len(rows) + 1)]
        self.edges: list[list[Edge]] = [[] for _ in rows]
        for player, weight in starts.items():
            self.layers[0].reach(Position(player, State.start(player, ruleset), False), weight, weight)

    def solve(self, ending: Callable[[State], float]) -> None:
        """Walk forward over all rows and back again; `ending` is the log-weight of a game's last state."""
        for row in range(len(self.rows)):
            self._step(row)
        self._walk_back(ending)

    def _alive(self, layer: Layer) -> list[tuple[int, Position]]:
        """The nodes that are followed further, best first."""
        order = sorted(((layer.forward[place], place, node) for node, place in layer.places.items()), reverse=True)
        least = order[0][0] - PRUNE_NATS if order else 0.0
        return [(place, node) for weight, place, node in order[:WIDTH] if weight >= least]

    def _step(self, row: int) -> None:
        alive = self._alive(self.layers[row])
        if not self.rows[row]:
            for place, node in alive:
                if row in self.blank:
                    after = _after_blank(node)
                else:
                    after = Position(node.first, end_turn(node.arrived), node.seen)
                self._connect(row, place, after, (), 0.0, legal=True)
            return
        self._extend(row, alive, range(len(self.rows[row])))
        if self.propose is not None and alive and not max(self.edges[row], key=lambda edge: edge.weight).legal:
            known = len(self.rows[row])
            texts = {candidate.text for candidate in self.rows[row]}
            more = self.propose(row, alive[0][1].arrived)
            self.rows[row] += [candidate for candidate in more if candidate.text not in texts]
            self._extend(row, alive, range(known, len(self.rows[row])))
        if row and self.full[row - 1] and self.rows[row - 1]:
            self._continue(row)

    def _extend(self, row: int, alive: Sequence[tuple[int, Position]], choices: range) -> None:
        """Edges for some of a row's candidates from the nodes that are alive, the likeliest by ink first."""
        listed = self.rows[row]
        swaps, ink = self.ruleset.swaps, self.prices.ink
        turns = [turn_of(candidate.text, swaps) for candidate in listed]
        states = {place: node.arrived for place, node in alive}
        weights = [(choice, ink * (listed[choice].ink - listed[0].ink)) for choice in choices]
        forward, reached = self.layers[row].forward, self.layers[row + 1].forward
        pairs = [(forward[p] + weight, p, n, c, weight) for p, n in alive for c, weight in weights]
        pairs.sort(key=itemgetter(0), reverse=True)
        best = max(reached, default=-inf)
        for before, place, node, choice, weight in pairs[:MOST_EDGES]:
            if before < best - PRUNE_NATS:
                break  # the ink alone speaks against it
            if not listed[choice].text:  # nothing but crossed-out writing
                self._connect(row, place, _after_blank(node), (choice,), weight, legal=True)
                best = max(best, before)
                continue
            state, seen = states[place], node.seen
            after, codes = play_turn(state, turns[choice])
            cost = self._cost(state, turns[choice], codes, seen=seen)
            target = Position(node.first, after, seen or bool(codes))
            self._connect(row, place, target, (choice,), weight - cost, legal=not codes)
            best = max(best, before - cost)
            if codes and not seen and before - cost > best - SLIP_NATS:
                meant = intended(state, turns[choice])
                for other in meant:
                    share = weight - cost - log(len(meant))
                    self._connect(row, place, Position(node.first, other, True), (choice,), share, legal=False)

    def _continue(self, row: int) -> None:
        """Edges over two rows: this one holds the rest of the turn that fills the one before."""
        before, here = self.rows[row - 1][:4], self.rows[row][:4]
        swaps, ink = self.ruleset.swaps, self.prices.ink
        best_ink = self.rows[row - 1][0].ink + here[0].ink
        pairs = [
            (ink * (head.ink + tail.ink - best_ink) - CONTINUED_NATS, i, j, head.text, tail.text)
            for i, head in enumerate(before)
            for j, tail in enumerate(here)
            if ".." not in (head.text, tail.text) and head.text and tail.text
        ]
        forward = self.layers[row - 1].forward
        least = max(self.layers[row + 1].forward, default=-inf) - PRUNE_NATS
        for place, node in self._alive(self.layers[row - 1])[:6]:
            state, seen = node.arrived, node.seen
            for weight, i, j, head, tail in pairs:
                if forward[place] + weight < least:
                    continue  # the ink alone speaks against it
                turn = turn_of(f"{head} {tail}", swaps)
                after, codes = play_turn(state, turn)
                cost = self._cost(state, turn, codes, seen=seen)
                target = Position(node.first, after, seen or bool(codes))
                self._connect(row, place, target, (i, j), weight - cost, legal=not codes)

    def _cost(self, state: State, turn: Turn, codes: Sequence[str], *, seen: bool) -> float:
        """What the game has against a turn, in nats; below zero where its dice show what was to be expected."""
        likelier = usual_chance(turn) if codes else chance(state, turn)
        return self.prices.of(codes, seen=seen) - self.prices.scale * likelier

    def _connect(
        self, row: int, source: int, target: Position, choices: tuple[int, ...], weight: float, *, legal: bool
    ) -> None:
        origin = self.layers[row + 1 - max(1, len(choices))]
        place = self.layers[row + 1].reach(
            target, origin.forward[source] + weight, origin.best_forward[source] + weight
        )
        self.edges[row].append(Edge(source, place, choices, weight, legal))

    def _walk_back(self, ending: Callable[[State], float]) -> None:
        for layer in self.layers:
            layer.backward = [-inf] * len(layer.forward)
            layer.best_backward = [-inf] * len(layer.forward)
        last = self.layers[-1]
        for node, place in last.places.items():
            last.backward[place] = last.best_backward[place] = ending(node.state)
        for row in range(len(self.rows) - 1, -1, -1):
            after = self.layers[row + 1]
            for edge in self.edges[row]:
                origin = self.layers[row + 1 - max(1, len(edge.choices))]
                source = edge.source
                weight = edge.weight
                origin.backward[source] = add(origin.backward[source], weight + after.backward[edge.target])
                origin.best_backward[source] = max(
                    origin.best_backward[source], weight + after.best_backward[edge.target]
                )

    def first(self) -> dict[Player, float]:
        """The log-weight of all games in which each player went first."""
        layer = self.layers[0]
        return {node.first: layer.forward[p] + layer.backward[p] for node, p in layer.places.items()}

    def marginals(self) -> list[Marginals]:
        """For each row what all games together say about it."""
        found = [Marginals([-inf] * len(row), [-inf] * len(row), -inf) for row in self.rows]
        for row, edges in enumerate(self.edges):
            after = self.layers[row + 1]
            for edge in edges:
                origin = self.layers[row + 1 - max(1, len(edge.choices))]
                total = origin.forward[edge.source] + edge.weight + after.backward[edge.target]
                best = origin.best_forward[edge.source] + edge.weight + after.best_backward[edge.target]
                start = row + 1 - len(edge.choices)
                for k, choice in enumerate(edge.choices):
                    here = found[start + k]
                    here.totals[choice] = add(here.totals[choice], total)
                    here.bests[choice] = max(here.bests[choice], best)
                    if k:
                        here.continued = add(here.continued, total)
        return found


@dataclass(slots=True)
class Marginals:
    """Of one row, for each candidate: the log-weight of all games with it, and of the best such game.

    `continued` is the log-weight of all games in which the row continues the one before.
    """

    totals: list[float]
    bests: list[float]
    continued: float
