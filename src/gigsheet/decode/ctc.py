"""From an engine's scores to texts: exact CTC likelihoods, and the best well-formed readings of a row.

The beam rests on one fact about CTC: where a frame is surely the blank, what stands left and right of it is
independent. A row is cut there into segments of a few frames. Most say one thing only; the others are searched by a
prefix beam that carries the grammar's automaton. (Graves et al. 2006, section 3; Hwang and Sung 2016 on pruning.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, log, log1p
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from gigsheet.decode.grammar import EDGES, FINAL, START, accepts, run
from gigsheet.records import ALPHABET, BLANK, CLASS_OF, CLASSES, Glyphs

Floats = npt.NDArray[np.floating]

CUT_BELOW = 1e-3
"""A frame whose probability of any ink is below this parts two segments."""
SURE_ABOVE = 1 - 1e-3
"""A segment whose best path alone has this probability is not searched for others."""
FLOOR = 3e-4
"""Characters less probable in a frame are not tried there."""
WORST_NATS = 8.0
"""Readings this much worse than the best are dropped."""
MOST_TRIED = 6
"""Characters tried in a frame, the likeliest ones."""
WIDTH = 16
"""Readings kept a row on the way."""
WIDEST = 32
"""Readings kept within a segment, at most; short segments need fewer."""

LEAST_NATS = -1000.0
"""No net rules a text out: what is too small for a float64, or for its frames, counts as this."""
SCALED_EVERY = 4
"""Frames after which the paths' probabilities are scaled, long before they are too small for a float64."""

Scored = tuple[str, float]


def log_likelihoods(items: Sequence[tuple[Floats, str]]) -> npt.NDArray[np.float64]:
    """The exact CTC log-likelihood of each text given its row's scores, all in one batch.

    Args:
        items: pairs of log-probabilities [time, CLASSES] and a text over the alphabet.

    Returns:
        float64 [len(items)], natural logarithms; -inf for a text that does not fit into its frames.
    """
    if not items:
        return np.zeros(0)
    # The longest first, so that those which have not ended yet are always the first ones.
    order = np.argsort([-len(scores) for scores, _ in items], kind="stable")
    ordered = [items[k] for k in order]
    emissions, skips = _lattice(ordered)
    frames = np.array([len(scores) for scores, _ in ordered])
    ends = np.array([2 * len(text) for _, text in ordered])
    # Two rows of padding stand before the states; the one before the first blank starts all paths.
    forward = np.zeros((len(skips) + 2, len(items)))
    forward[1] = 1.0
    total = np.zeros(len(items))
    likelihood = np.zeros(len(items))
    begin = 0
    with np.errstate(divide="ignore"):
        for end in sorted(set(frames.tolist())):
            going = np.count_nonzero(frames >= end)
            here, before, last = forward[2:, :going], forward[1:-1, :going], forward[:-2, :going]
            moved, skipped = np.empty(here.shape), np.empty(here.shape)
            for t in range(begin, end):
                np.multiply(skips[:, :going], last, out=skipped)
                np.add(here, before, out=moved)
                moved += skipped
                np.multiply(moved, emissions[t, :, :going], out=here)
                if t == 0:
                    forward[1] = 0.0
                if t % SCALED_EVERY == 0:
                    scale = here.sum(axis=0)
                    scale[scale == 0] = 1.0
                    here /= scale
                    total[:going] += np.log(scale)
            ended = np.arange(np.count_nonzero(frames > end), going)
            likelihood[ended] = np.log(forward[ends[ended] + 2, ended] + forward[ends[ended] + 1, ended])
            begin = end
    found = np.empty(len(items))
    found[order] = likelihood + total
    return found


def pooled_log_likelihoods(items: Sequence[tuple[Glyphs, str]]) -> npt.NDArray[np.float64]:
    """The log-likelihood of each text given its row, the mean over all nets that read the row.

    Nets with CTC put a character at different time steps, so that their scores cannot be averaged; what they make of a
    whole text can. (The mean of logarithms is the logarithmic opinion pool: Heskes 1998.)
    """
    asked = [(scores, text) for glyphs, text in items for scores in (glyphs.log_probs, *glyphs.others)]
    counts = np.array([1 + len(glyphs.others) for glyphs, _ in items], np.intp)
    found = np.maximum(log_likelihoods(asked), LEAST_NATS)
    return np.add.reduceat(found, np.cumsum(counts) - counts) / counts if items else found


def _lattice(items: Sequence[tuple[Floats, str]]) -> tuple[Floats, Floats]:
    """Each item's text as CTC's states, blank character blank ... blank, padded.

    Returns:
        The probability of each state in each frame, [frames, states, items], and 1 where a state may be reached from
        the last but one, over the blank between or from the start of all paths, [states, items].
    """
    classes = np.zeros((2 * max(len(text) for _, text in items) + 1, len(items)), np.intp)
    for n, (_, text) in enumerate(items):
        classes[1 : 2 * len(text) : 2, n] = [CLASS_OF[char] for char in text]
    emissions = np.zeros((max(len(scores) for scores, _ in items), *classes.shape))
    start = 0
    for _, texts in groupby(items, key=lambda item: id(item[0])):
        scores, stop = items[start][0], start + len(list(texts))
        emissions[: len(scores), :, start:stop] = np.exp(scores, dtype=np.float64).take(classes[:, start:stop], axis=1)
        start = stop
    skips = np.zeros(classes.shape)
    skips[1:2] = 1
    skips[3::2] = classes[3::2] != classes[1:-2:2]
    return emissions, skips


Frame = tuple[float, list[tuple[str, float]]]
"""One time step: the probability of the blank, and of each character that is worth trying."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Frames between two sure blanks: the best path's text, its log-probability, and the frames if that is not sure."""

    text: str
    log_prob: float
    frames: list[Frame] | None


def segment_rows(
    rows: Sequence[Floats], *, sure_above: float = SURE_ABOVE, floor: float = FLOOR
) -> list[list[Segment]]:
    """Each row's frames, cut at its sure blanks; all rows in one pass.

    The blanks themselves are left out: they weigh the same for every text that the beam can find.

    Args:
        rows: the rows' log-probabilities, [time, CLASSES] each.
        sure_above: a segment whose best path has this probability comes without its frames.
        floor: characters less probable in a frame are not worth trying.
    """
    found: list[list[Segment]] = [[] for _ in rows]
    scores = np.concatenate([np.zeros((0, CLASSES), np.float32), *rows])
    labels = scores.argmax(axis=1).tolist()
    path = np.concatenate([[0.0], np.cumsum(scores.max(axis=1), dtype=np.float64)])
    # One place between two rows is no ink, so that no segment reaches over it.
    row_of = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    places = np.arange(len(scores)) + row_of + 1
    ink = np.zeros(len(scores) + len(rows) + 1, np.int8)
    ink[places] = scores[:, BLANK] < log(1 - CUT_BELOW)
    edges = np.flatnonzero(np.diff(ink))
    owners = np.zeros(len(ink), np.intp)
    owners[places] = row_of
    owner = owners[edges[::2] + 1]
    begins, ends = edges[::2] - owner, edges[1::2] - owner
    weights = path[ends] - path[begins]
    unsure = weights <= log(sure_above)
    frames = iter(_frames(scores, list(zip(begins[unsure].tolist(), ends[unsure].tolist(), strict=True)), floor))
    for row, begin, end, weight, searched in zip(
        owner.tolist(), begins.tolist(), ends.tolist(), weights.tolist(), unsure.tolist(), strict=True
    ):
        found[row].append(Segment(_spell(labels[begin:end]), weight, next(frames) if searched else None))
    return found


def _spell(labels: Sequence[int]) -> str:
    """A path's text: runs of one class are one character, blanks none."""
    return "".join([ALPHABET[k - 1] for k, _ in groupby(labels) if k != BLANK])


def _frames(scores: Floats, segments: Sequence[tuple[int, int]], floor: float) -> Iterator[list[Frame]]:
    """For each segment, (begin, end) in time steps, its frames."""
    probs = np.exp(np.concatenate([scores[:0], *[scores[a:b] for a, b in segments]]), dtype=np.float64)
    blank = probs[:, BLANK].tolist()
    probs[:, BLANK] = 0.0
    tried: list[list[tuple[str, float]]] = [[] for _ in probs]
    times, classes = np.nonzero(probs > floor)
    for t, k, p in zip(times.tolist(), classes.tolist(), probs[times, classes].tolist(), strict=True):
        tried[t].append((ALPHABET[k - 1], p))
    start = 0
    for begin, end in segments:
        stop = start + end - begin
        yield [
            (b, sorted(t, key=itemgetter(1), reverse=True)[:MOST_TRIED] if len(t) > MOST_TRIED else t)
            for b, t in zip(blank[start:stop], tried[start:stop], strict=True)
        ]
        start = stop


def _search(frames: Sequence[Frame], incoming: tuple[int, ...]) -> list[tuple[str, float, tuple[int, ...]]]:
    """The best texts of a segment, each with its log-probability and the state it leads to from each incoming state."""
    width = min(12 + 2 * len(frames), WIDEST)
    negligible = exp(-WORST_NATS)
    # prefix -> [ends in blank, ends in its last character, states]
    beam: dict[str, list[float]] = {"": [1.0, 0.0]}
    reached: dict[str, tuple[int, ...]] = {"": incoming}
    for blank, tried in frames:
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
                    to = tuple([EDGES[s].get(char, -1) if s >= 0 else -1 for s in states])
                    reached[longer] = to if max(to) >= 0 else ()
                if not reached[longer]:
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


def _join(row: Sequence[Segment]) -> dict[str, tuple[float, int]]:
    beam: dict[str, tuple[float, int]] = {"": (0.0, START)}
    for sure, segments in groupby(row, key=lambda segment: segment.frames is None):
        if sure:
            beam = _followed(beam, list(segments))
            continue
        for segment in segments:
            if not beam:  # nothing well-formed so far
                return {}
            beam = _branched(beam, segment.frames or [])
    return {text: found for text, found in beam.items() if found[1] in FINAL}


def _followed(beam: Mapping[str, tuple[float, int]], segments: Sequence[Segment]) -> dict[str, tuple[float, int]]:
    """The readings that go on with segments which say one thing only."""
    more, weight = plain_text(segments), sum([segment.log_prob for segment in segments])
    ends = {state: run(more, state) for state in {state for _, state in beam.values()}}
    return {text + more: (score + weight, ends[state]) for text, (score, state) in beam.items() if ends[state] >= 0}


def _branched(beam: Mapping[str, tuple[float, int]], frames: Sequence[Frame]) -> dict[str, tuple[float, int]]:
    """The readings that go on with anything that a segment may say, the best of them."""
    incoming = tuple(sorted({state for _, state in beam.values()}))
    place = {state: k for k, state in enumerate(incoming)}
    grown: dict[str, tuple[float, int]] = {}
    options = _search(frames, incoming)
    for text, (score, state) in beam.items():
        at = place[state]
        for more, extra, states in options:
            to = states[at]
            if to < 0:
                continue
            longer, weight = text + more, score + extra
            before = grown.get(longer)
            if before is not None:
                high, low = max(before[0], weight), min(before[0], weight)
                weight = high + log1p(exp(low - high))
            grown[longer] = (weight, to)
    if len(grown) > WIDTH:
        return dict(sorted(grown.items(), key=lambda item: -item[1][0])[:WIDTH])
    return grown


def plain_text(row: Sequence[Segment]) -> str:
    """The best path's text, whatever the grammar says."""
    return "".join([segment.text for segment in row])


def well_formed(log_probs: Floats, row: Sequence[Segment], count: int) -> list[Scored]:
    """The best readings of a row that the grammar allows.

    Args:
        log_probs: [time, CLASSES], the row's scores.
        row: its segments.
        count: at most so many.

    Returns:
        (text without spaces, log-likelihood up to a constant of the row), best first; none if nothing within reach of
        the ink is well-formed.
    """
    if all(segment.frames is None for segment in row) and accepts(plain_text(row)):
        return [(plain_text(row), sum([segment.log_prob for segment in row]))]
    found = _join(row)
    if not found:
        # What the ink says surely is no entry: look again at everything it might have been.
        found = _join(segment_rows([log_probs], sure_above=2.0, floor=FLOOR**2)[0])
    best = sorted(((text, score) for text, (score, _) in found.items()), key=lambda item: -item[1])[:count]
    return [(text, score) for text, score in best if score >= best[0][1] - WORST_NATS]
