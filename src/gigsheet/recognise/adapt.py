"""Adapting to the writer over the sheet: what is sure in some rows corrects the scores of the others.

The decoder settles by grammar and rules many characters that the net alone misread. Each tells how this hand makes that
character. A correction of the net's last, linear layer is fitted to them by a few steps of gradient descent on the
cross-entropy, from zero and stopped early, so that it stays small. No row is corrected by what was believed of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gigsheet.records import ALPHABET, BLANK, CLASS_OF, Glyphs

Floats = npt.NDArray[np.float32]

FOLDS = 4
"""Rows are corrected a quarter at a time, by the other three."""
STEPS, RATE, KEEP = 10, 20.0, 0.9
"""Steps of gradient descent, their rate for the mean of all time steps, and what a step leaves of the one before."""
TELLING = 0.1
"""A time step is learned from when a character stands there, or the scores are wrong by as much."""


def adapted(glyphs: Sequence[Glyphs], texts: Sequence[str | None]) -> list[Glyphs]:
    """The scores of one writer's rows, corrected by what is believed to stand in the other rows.

    Args:
        glyphs: the rows of one sheet; those without `features` are given back as they are.
        texts: what each row is believed to say, white space ignored; None where that is in doubt. Believe only
            what is nearly sure (0.95): a wrong lesson costs more than a missed one.

    Returns:
        One `Glyphs` a row, in order. The very same ones when no text says more than the scores alone do.
    """
    wanted = [_wanted(g, text) for g, text in zip(glyphs, texts, strict=True)]
    if not any(_is_news(g, text) for g, text in zip(glyphs, texts, strict=True)):
        return list(glyphs)
    corrected = list(glyphs)
    for fold in range(min(FOLDS, len(glyphs))):
        others = [k for k, w in enumerate(wanted) if w is not None and k % FOLDS != fold]
        if not others:
            continue
        change, middle = _correction([glyphs[k] for k in others], [w for k in others if (w := wanted[k]) is not None])
        for k in range(fold, len(glyphs), FOLDS):
            features = glyphs[k].features
            if features is not None and len(features):
                scores = glyphs[k].log_probs + (features - middle) @ change
                corrected[k] = replace(glyphs[k], log_probs=_normalised(np.asarray(scores, np.float32)))
    return corrected


def _is_news(glyphs: Glyphs, text: str | None) -> bool:
    return text is not None and glyphs.features is not None and "".join(text.split()) != _greedy(glyphs.log_probs)


def _greedy(log_probs: Floats) -> str:
    best = log_probs.argmax(axis=1)
    kept = best[np.r_[True, best[1:] != best[:-1]]] if len(best) else best
    return "".join(ALPHABET[k - 1] for k in kept if k != BLANK)


def _wanted(glyphs: Glyphs, text: str | None) -> Floats | None:
    """The probabilities that the believed text gives each time step, float32 [time, CLASSES]; None without one.

    Where the scores agree with the text they are their own aim, which holds the correction back.
    """
    if text is None or glyphs.features is None or not len(glyphs.log_probs):
        return None
    squeezed = "".join(text.split())
    if squeezed == _greedy(glyphs.log_probs):
        return np.exp(glyphs.log_probs)
    if any(c not in CLASS_OF for c in squeezed):
        return None
    return occupation(glyphs.log_probs, squeezed)


def occupation(log_probs: Floats, text: str) -> Floats | None:
    """How likely each class stands at each time step when the whole says `text`: CTC's forward and backward pass.

    Returns:
        float32 [time, CLASSES], or None when the text does not fit into the time steps.
    """
    classes = np.array([BLANK] + [k for c in text for k in (CLASS_OF[c], BLANK)])
    emit = np.exp(log_probs[:, classes].astype(np.float64)) + 1e-30
    skip = np.zeros(len(classes))
    skip[2:] = (classes[2:] != BLANK) & (classes[2:] != classes[:-2])
    forward = _forward(emit, skip)
    # Backwards through the reversed text: a state may be skipped there when its successor but one may be skipped here.
    backward = _forward(emit[::-1], skip_reversed(skip))[::-1, ::-1] / emit
    both = forward * backward
    total = both.sum(axis=1, keepdims=True)
    if forward[-1, -2:].sum() <= 0 or not np.all(total > 0):
        return None
    wanted = np.zeros(log_probs.shape, np.float32)
    np.add.at(wanted.T, classes, (both / total).T.astype(np.float32))
    return wanted


def skip_reversed(skip: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """`skip` as seen from the text's end."""
    reverse = np.zeros_like(skip)
    reverse[2:] = skip[::-1][:-2]
    return reverse


def _forward(emit: npt.NDArray[np.float64], skip: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Forward probabilities [time, states], each time step scaled to a sum of 1."""
    forward = np.zeros_like(emit)
    state = np.zeros(emit.shape[1])
    state[:2] = 1
    for step, here in enumerate(emit):
        if step:
            moved = state.copy()
            moved[1:] += state[:-1]
            moved[2:] += skip[2:] * state[:-2]
            state = moved
        state = state * here
        state /= max(state.sum(), 1e-300)
        forward[step] = state
    return forward


def _correction(glyphs: Sequence[Glyphs], wanted: Sequence[Floats]) -> tuple[Floats, Floats]:
    """What to add to the last layer, float32 [n, CLASSES], and the mean feature to take off before, float32 [n].

    Features are never negative, so without taking off their mean every step would push all characters alike.
    """
    features = np.concatenate([g.features for g in glyphs if g.features is not None])
    log_probs = np.concatenate([g.log_probs for g in glyphs])
    aim = np.concatenate(list(wanted))
    telling = (1 - aim[:, BLANK] > 2 * TELLING) | (np.abs(aim - np.exp(log_probs)).max(axis=1) > TELLING)
    features, log_probs, aim = features[telling], log_probs[telling], aim[telling]
    change = np.zeros((features.shape[1], log_probs.shape[1]), np.float32)
    if not len(features):
        return change, change[:, 0]
    middle = np.asarray(features.mean(axis=0), np.float32)
    features = features - middle
    rate = np.float32(RATE / len(features))
    for _ in range(STEPS):
        wrong = aim - np.exp(_normalised(log_probs + features @ change))
        change = np.float32(KEEP) * change + rate * (features.T @ wrong)
    return change, middle


def _normalised(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float32)
