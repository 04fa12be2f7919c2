"""How much a row's characters look like the same characters elsewhere on the sheet.

A net is certain and wrong where a hand makes a character as no one did in its training: a narrow 8 read as 1. But the
1s of that hand look otherwise. So every character is compared, by the features that its scores were made from, with the
sheet's other characters of its name; what the recogniser saw of many hands stands in where the sheet has few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gigsheet.records import ALPHABET, BLANK, CLASS_OF, CLASSES, Glyphs

Floats = npt.NDArray[np.floating]

MANY_HANDS = 1.0
"""What many hands say counts as so many characters of the sheet itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """What an engine's features are like over many hands.

    Attributes:
        mean: [n], of all characters.
        typical: [CLASSES, n], of each character, the mean taken off; zeros for one that was never seen.
    """

    mean: Floats
    typical: Floats


class Likeness(NamedTuple):
    """How one row's characters compare with the sheet's other characters, as cosines of their features.

    Attributes:
        own: of the least typical character, with its namesakes in the other rows, -1..1.
        lead: how much nearer its namesakes are than the nearest other character, for the character where it is least.
    """

    own: float
    lead: float


ALIKE = Likeness(1.0, 1.0)
"""Of a row in which there is no character to compare."""
UNKNOWN = Likeness(0.0, 0.0)
"""Of every row where the engine gives no features, or others than were learned: nothing speaks for its characters."""


def characters(
    glyphs: Sequence[Glyphs | None], texts: Sequence[str | None] | None = None
) -> tuple[Floats, npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where characters stand by the best path.

    Args:
        glyphs: the rows' scores.
        texts: what each row really says, where that is known; its characters get these names.

    Returns:
        The features of each character [m, n], its class [m], and which of the rows it stands in [m]. Rows without
        features have no characters here, nor have characters that a row's text does not have.
    """
    seen = [(row, g) for row, g in enumerate(glyphs) if g is not None and g.features is not None and len(g.log_probs)]
    if not seen:
        return np.zeros((0, 1)), np.zeros(0, np.intp), np.zeros(0, np.intp)
    scores = np.concatenate([g.log_probs for _, g in seen])
    row_of = np.repeat([row for row, _ in seen], [len(g.log_probs) for _, g in seen])
    label, height = scores.argmax(axis=1), scores.max(axis=1)
    other = (label[1:] != label[:-1]) | (row_of[1:] != row_of[:-1])
    peak = label != BLANK
    peak[1:] &= other | (height[1:] > height[:-1])
    peak[:-1] &= other | (height[1:] <= height[:-1])
    peaks = np.flatnonzero(peak)
    names, owners = label[peaks], row_of[peaks]
    if texts:
        for row, _ in seen:
            text, here = texts[row], slice(*np.searchsorted(owners, [row, row + 1]))
            if text is not None and text != "".join([ALPHABET[k - 1] for k in names[here].tolist()]):
                names[here] = _renamed(names[here], text)
        kept = np.flatnonzero(names != BLANK)
        peaks, names, owners = peaks[kept], names[kept], owners[kept]
    return np.concatenate([g.features for _, g in seen])[peaks], names, owners


def _renamed(names: npt.NDArray[np.intp], text: str) -> npt.NDArray[np.intp]:
    """The classes of a row's characters by its text: those that differ one for one are renamed, others are `BLANK`."""
    from difflib import SequenceMatcher  # 4 ms of a cold reading; not needed where text and best path agree

    wanted = [CLASS_OF.get(char, BLANK) for char in text]
    found = names.copy()
    for kind, a, b, c, d in SequenceMatcher(None, names.tolist(), wanted, autojunk=False).get_opcodes():
        if kind != "equal":
            found[a:b] = wanted[c:d] if b - a == d - c else BLANK
    return found


def learn_shapes(sheets: Sequence[Sequence[Glyphs | None]]) -> Shapes:
    """The shapes of all characters on many sheets."""
    parts = [characters(sheet) for sheet in sheets]
    vectors = np.concatenate([part[0] for part in parts if len(part[0])])
    labels = np.concatenate([part[1] for part in parts if len(part[0])])
    mean = vectors.mean(axis=0)
    typical = np.zeros((CLASSES, vectors.shape[1]))
    for label in np.unique(labels):
        typical[label] = vectors[labels == label].mean(axis=0) - mean
    return Shapes(mean, typical)


def likeness(glyphs: Sequence[Glyphs | None], texts: Sequence[str | None], shapes: Shapes) -> list[Likeness]:
    """How much each row's characters look like those of their name elsewhere on the sheet, and unlike the others.

    Args:
        glyphs: all rows of one sheet.
        texts: what each of them says, where that is settled, else None.
        shapes: for the engine that made them.

    Returns:
        One `Likeness` a row.
    """
    vectors, labels, owners = characters(glyphs, texts)
    if not len(labels) or vectors.shape[1] != len(shapes.mean):
        return [UNKNOWN] * len(glyphs)
    vectors = vectors - shapes.mean
    everywhere = _sums(labels, vectors, CLASSES)
    _, group, sizes = np.unique(owners * CLASSES + labels, return_inverse=True, return_counts=True)
    here = _sums(group, vectors, len(sizes))
    prior = MANY_HANDS * shapes.typical
    seen, learned = np.bincount(labels, minlength=CLASSES), np.asarray(shapes.typical.any(axis=1))
    # A character is compared with its namesakes in the other rows: its own row says nothing new about it.
    namesakes = everywhere[labels] - here[group] + prior[labels]
    known = (seen[labels] > sizes[group]) | learned[labels]
    unit = _unit(vectors)
    own = np.where(known, (unit * _unit(namesakes)).sum(axis=1), 1.0)
    cosines = unit @ _unit(everywhere + prior).T
    cosines[:, ~((seen > 0) | learned)] = -1.0
    cosines[:, BLANK] = cosines[np.arange(len(labels)), labels] = -1.0
    lead = np.where(known, own - cosines.max(axis=1), 1.0)
    least = np.full((len(glyphs), 2), ALIKE)
    np.minimum.at(least, owners, np.stack([own, lead], axis=1))
    return [Likeness(*pair) for pair in least.tolist()]


def _sums(labels: npt.NDArray[np.intp], vectors: Floats, count: int) -> Floats:
    """The sum of the vectors, [m, n], that have each label, [count, n]; m is not 0."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sums = np.zeros((count, vectors.shape[1]), vectors.dtype)
    sums[labels[order][starts]] = np.add.reduceat(vectors[order], starts)
    return sums


def _unit(vectors: Floats) -> Floats:
    """Vectors [m, n] at length 1; zeros stay zeros."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))
