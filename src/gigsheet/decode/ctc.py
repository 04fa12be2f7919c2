"""From an engine's scores to texts: exact CTC likelihoods, and the best well-formed readings of a row.

The beam rests on one fact about CTC: where a frame is surely the blank, what stands left and right of it is
independent. A row is cut there into segments of a few frames. Most say one thing only; the others are searched by a
prefix beam that carries the grammar's automaton. (Graves et al. 2006, section 3; Hwang and Sung 2016 on pruning.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
import numpy.typing as npt

from gigsheet.decode.grammar import EDGES, FINAL, START, run
from gigsheet.records import ALPHABET, BLANK, CLASS_OF

Floats = npt.NDArray[np.floating]

CUT_BELOW = 1e-4
"""A frame whose probability of any ink is below this parts two segments."""
SURE_ABOVE = 1 - 1e-4
"""A segment whose best path alone has this probability is not searched for others."""
FLOOR = 1e-5
"""Characters less probable in a frame are not tried there."""
WORST_NATS = 12.0
"""Readings this much worse than the best are dropped."""
WIDTH = 16
"""Readings kept a row on the way."""

Scored = tuple[str, float]


def greedy_text(log_probs: Floats) -> str:
    """The best path's text, without any grammar: runs of one class are one character, blanks none."""
    best = log_probs.argmax(axis=1)
    kept = best[np.flatnonzero(np.r_[True, best[1:] != best[:-1]])] if len(best) else best
    return "".join(ALPHABET[k - 1] for k in kept if k != BLANK)


def log_likelihoods(items: Sequence[tuple[Floats, str]]) -> npt.NDArray[np.float64]:
    """The exact CTC log-likelihood of each text given its row's scores, all in one batch.

    Args:
        items: pairs of log-probabilities [time, CLASSES] and a text over the alphabet.

    Returns:
        float64 [len(items)], natural logarithms; -inf for a text that does not fit into its frames.
    """
    if not items:
        return np.zeros(0)
    emissions, skips = _lattice(items)
    ends = np.array([2 * len(text) for _, text in items])
    frames = np.array([len(scores) for scores, _ in items])
    # Two columns of padding stand left of the states; the one before the first blank starts all paths.
    forward = np.zeros((len(items), skips.shape[1] + 2))
    forward[:, 1] = 1.0
    total = np.zeros(len(items))
    likelihood = np.where((frames == 0) & (ends == 0), 0.0, -np.inf)
    with np.errstate(divide="ignore"):
        for t, emission in enumerate(emissions, 1):
            moved = (forward[:, 2:] + forward[:, 1:-1] + skips * forward[:, :-2]) * emission
            if t == 1:
                moved[:, 1:2] = emission[:, 1:2]
            scale = moved.sum(axis=1)
            scale[scale == 0] = 1.0
            forward[:, :2] = 0.0
            forward[:, 2:] = moved / scale[:, None]
            total += np.log(scale)
            ended = np.flatnonzero(frames == t)
            if len(ended):
                last = forward[ended, ends[ended] + 2] + forward[ended, ends[ended] + 1]
                likelihood[ended] = total[ended] + np.log(last)
    return likelihood


def _lattice(items: Sequence[tuple[Floats, str]]) -> tuple[Floats, Floats]:
    """Each item's text as CTC's states, blank character blank ... blank, padded.

    Returns:
        The probability of each state in each frame, [frames, items, states], and 1 where a state may be reached from
        the last character but one, over the blank between, [items, states].
    """
    length = 2 * max(len(text) for _, text in items) + 1
    classes = np.zeros((len(items), length), np.intp)
    emissions = np.zeros((max(len(scores) for scores, _ in items), len(items), length))
    for n, (scores, text) in enumerate(items):
        classes[n, 1 : 2 * len(text) : 2] = [CLASS_OF[char] for char in text]
        emissions[: len(scores), n, :] = np.exp(scores[:, classes[n]])
    skips = np.zeros(classes.shape)
    skips[:, 3::2] = classes[:, 3::2] != classes[:, 1:-2:2]
    return emissions, skips


@dataclass(frozen=True, slots=True)
class Segment:
    """Frames between two sure blanks: the best path's text, its log-probability, and the scores if that is not sure."""

    text: str
    log_prob: float
    probs: tuple[tuple[float, ...], ...] | None


def segments(log_probs: Floats, sure_above: float = SURE_ABOVE) -> list[Segment]:
    """A row's frames, cut at its sure blanks.

    The blanks themselves are left out: they weigh the same for every text that the beam can find. A segment whose best
    path has a probability of `sure_above` or more comes without its scores.
    """
    best = log_probs.argmax(axis=1)
    top = log_probs[np.arange(len(best)), best]
    ink = log_probs[:, BLANK] < log(1 - CUT_BELOW)
    edges = np.flatnonzero(np.diff(np.r_[False, ink, False].astype(np.int8)))
    found = []
    sure = log(sure_above)
    labels = best.tolist()
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        path = float(top[begin:end].sum())
        text, before = "", BLANK
        for label in labels[begin:end]:
            if label not in (BLANK, before):
                text += ALPHABET[label - 1]
            before = label
        probs = None if path > sure else tuple(map(tuple, np.exp(log_probs[begin:end]).tolist()))
        found.append(Segment(text, path, probs))
    return found


def _search(segment: Segment, incoming: tuple[int, ...], floor: float) -> list[tuple[str, float, tuple[int, ...]]]:
    """The best texts of a segment, each with its log-probability and the state it leads to from each incoming state."""
    assert segment.probs is not None
    width = 12 + 2 * len(segment.probs)
    negligible = exp(-WORST_NATS)
    # prefix -> [ends in blank, ends in its last character, states]
    beam: dict[str, list[float]] = {"": [1.0, 0.0]}
    reached: dict[str, tuple[int, ...]] = {"": incoming}
    for frame in segment.probs:
        blank = frame[BLANK]
        tried = [(ALPHABET[k - 1], p) for k, p in enumerate(frame) if p > floor and k != BLANK]
        grown: dict[str, list[float]] = {}
        least = max([pb + pc for pb, pc in beam.values()], default=0.0) * negligible
        for prefix, (in_blank, in_char) in beam.items():
            whole = in_blank + in_char
            last = prefix[-1:]
            stay = grown.get(prefix)
            if stay is None:
                stay = grown[prefix] = [0.0, 0.0]
            stay[0] += whole * blank
            states = reached[prefix]
            for char, p in tried:
                if char == last:
                    stay[1] += in_char * p
                    weight = in_blank * p
                else:
                    weight = whole * p
                if weight <= least:
                    continue
                longer = prefix + char
                if longer not in reached:
                    reached[longer] = tuple([EDGES[s].get(char, -1) if s >= 0 else -1 for s in states])
                if max(reached[longer]) < 0:
                    continue
                entry = grown.get(longer)
                if entry is None:
                    grown[longer] = [0.0, weight]
                else:
                    entry[1] += weight
        if len(grown) > width:
            kept = sorted(grown.items(), key=lambda item: -item[1][0] - item[1][1])[:width]
            grown = dict(kept)
        beam = grown
    scored = [(text, pb + pnb, reached[text]) for text, (pb, pnb) in beam.items()]
    least = max((p for _, p, _ in scored), default=0.0) * negligible
    return [(text, log(p), states) for text, p, states in scored if p > least]


def _merge(found: dict[str, tuple[float, int]], text: str, score: float, state: int) -> None:
    before = found.get(text)
    if before is not None:
        high, low = max(before[0], score), min(before[0], score)
        score = high + log(1 + exp(low - high))
    found[text] = (score, state)


def _join(row: Sequence[Segment], floor: float) -> dict[str, tuple[float, int]]:
    beam: dict[str, tuple[float, int]] = {"": (0.0, START)}
    for segment in row:
        grown: dict[str, tuple[float, int]] = {}
        if segment.probs is None:
            for text, (score, state) in beam.items():
                to = run(segment.text, state)
                if to >= 0:
                    _merge(grown, text + segment.text, score + segment.log_prob, to)
        else:
            incoming = tuple(sorted({state for _, state in beam.values()}))
            place = {state: k for k, state in enumerate(incoming)}
            options = _search(segment, incoming, floor)
            for text, (score, state) in beam.items():
                for more, extra, states in options:
                    to = states[place[state]]
                    if to >= 0:
                        _merge(grown, text + more, score + extra, to)
        if len(grown) > WIDTH:
            grown = dict(sorted(grown.items(), key=lambda item: -item[1][0])[:WIDTH])
        beam = grown
    return {text: found for text, found in beam.items() if found[1] in FINAL}


def well_formed(log_probs: Floats, count: int = 16) -> list[Scored]:
    """The best readings of a row that the grammar allows.

    Args:
        log_probs: [time, CLASSES], one row's scores.
        count: at most so many.

    Returns:
        (text without spaces, log-likelihood up to a constant of the row), best first; none if nothing within reach of
        the ink is well-formed.
    """
    found = _join(segments(log_probs), FLOOR)
    if not found:
        # What the ink says surely is no entry: look again at everything it might have been.
        found = _join(segments(log_probs, sure_above=2.0), FLOOR**2)
    best = sorted(((text, score) for text, (score, _) in found.items()), key=lambda item: -item[1])[:count]
    return [(text, score) for text, score in best if score >= best[0][1] - WORST_NATS]
