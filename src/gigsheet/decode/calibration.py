"""How sure a reading is: evidence to a probability, and a stated risk to the threshold below which a row is flagged.

All numbers come from `calibration.json`, which `benchmarks/calibrate.py` writes from sheets by writers who are neither
in the recogniser's training nor in the dev sets; docs/risk.md says what is promised and on what it rests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, log1p
from pathlib import Path
from typing import Any

import numpy as np

from gigsheet.decode.prices import Prices
from gigsheet.decode.shapes import Shapes
from gigsheet.records import ALPHABET

_SHIPPED = Path(__file__).with_name("calibration.json")
MOST_NATS = 10.0
"""Margins are cut off here: beyond it they say no more."""
LOW_NATS = 3.0
"""Of margins below this every nat counts more."""
GAME_NATS = 6.0
"""What all games together say is cut off here: a hand that is misread alike in several rows makes them agree on it."""
PLAIN_NATS = 6.0
"""Ink that prefers another text by more than this says it plainly: of such rows a third are wrong."""
SAME_NATS, SAME_NEAR_NATS = 15.0, 4.0
"""Two characters that contend in two rows: farther apart they say no more; nearer than this every nat counts more."""
MOST_ALIKE = 2
"""A character that stands in a row more often than this counts no further."""
HOLDS = tuple((char, f"holds {char}") for char in ALPHABET)
"""Each character, and the name of the input that says how often it stands in a row."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one row's text.

    Attributes:
        margin: nats between the best game with this text and the best one with another text in this row.
        posterior: share of all games that have this text.
        ink_margin: nats between this text and the best other by ink alone; negative where the rules overrule the ink.
        haze: minus the log-probability of the ink's best path: how little the engine is sure of the row at all.
        sheet_haze: the mean `haze` of the game's other rows: how legible this hand is.
        overruled: the share of the game's other rows in which the rules prefer another text than the ink.
        likeness: how much the row's least typical character looks like its namesakes elsewhere on the sheet (cosine).
        lead: by how much they are nearer than the nearest other character, where that is least.
        passed_over: nats that the other rows' ink has for one of this row's characters more than for what was chosen.
        challenged: nats that it has for something else more than for one of this row's characters that was chosen.
        same_passed_over, same_challenged: the same of two characters that contend in this row too, both rows together.
        text: as the engine spells it: some characters are mistaken more often than others.
        well_formed: the grammar has the text.
        illegal: the checker refuses the text where it stands.
        refused: the share of the game's other rows that the checker refuses.
    """

    margin: float
    posterior: float
    ink_margin: float
    haze: float
    sheet_haze: float
    overruled: float
    likeness: float
    lead: float
    passed_over: float
    challenged: float
    same_passed_over: float
    same_challenged: float
    text: str
    well_formed: bool
    illegal: bool
    refused: float

    def features(self) -> dict[str, float]:
        """The inputs of the logistic models, each of the order of one."""
        # Where the grammar has nothing else to offer, having no rival is no strength.
        margin = min(self.margin, GAME_NATS) if self.well_formed else min(self.margin, 0.0)
        ink = max(-MOST_NATS, min(self.ink_margin, MOST_NATS))
        odds = log(max(self.posterior, 1e-9) / max(1 - self.posterior, 1e-9))
        odds = max(-10.0, min(odds, GAME_NATS))
        # Where the rules overrule the ink, what all games agree on is worth less.
        against = float(ink < 0)
        agreed = max(0.0, margin) / 10
        return {
            "margin": margin / 10,
            "margin_log": log1p(max(margin, 0.0)),
            "log_odds": odds / 10,
            "ink_margin": ink / 10,
            "overruling": max(0.0, -ink) / 10,
            "ink_low": min(ink, LOW_NATS) / 10,
            "agreed": log1p(max(0.0, min(ink, margin))),
            "against": against,
            "against_plain": float(ink < -PLAIN_NATS),
            "against_margin": against * margin / 10,
            "against_odds": against * odds / 10,
            "haze": log1p(self.haze),
            "sheet_haze": log1p(self.sheet_haze),
            "overruled": self.overruled,
            "likeness": self.likeness,
            "likeness_low": min(self.likeness, 0.7),
            "lead": self.lead,
            "lead_low": min(self.lead, 0.2),
            # What the ink is sure of counts for more where the characters look as they do elsewhere on the sheet. What
            # all games agree on counts for less where the checker refuses much of the sheet, or where other rows
            # confuse this row's characters: there the games may agree on a misreading.
            "likeness_ink": self.likeness * ink / 10,
            "lead_ink": self.lead * ink / 10,
            "refused_margin": self.refused * margin / 10,
            "agreed_ink": agreed * ink / 10,
            "agreed_overruled": agreed * self.overruled,
            "agreed_passed_over": agreed * self.passed_over / 10,
            "agreed_same_passed_over": agreed * max(self.same_passed_over, -SAME_NATS) / 10,
            "agreed_same_challenged": agreed * max(self.same_challenged, -SAME_NATS) / 10,
            **_nearness("passed_over", self.passed_over),
            **_nearness("challenged", self.challenged),
            "same_passed_over": max(self.same_passed_over, -SAME_NATS) / 10,
            "same_passed_over_near": max(self.same_passed_over, -SAME_NEAR_NATS) / 10,
            "same_challenged": max(self.same_challenged, -SAME_NATS) / 10,
            "same_challenged_near": max(self.same_challenged, -SAME_NEAR_NATS) / 10,
            "characters": len(self.text) / 10,
            **{name: min(self.text.count(char), MOST_ALIKE) for char, name in HOLDS},
            "malformed": float(not self.well_formed),
            "refused": self.refused,
        }


def _nearness(name: str, nats: float) -> dict[str, float]:
    """The inputs made from how near a confusion is; a rival that the ink prefers is more than one close behind."""
    return {name: nats / 10, f"{name}_near": max(nats, -LOW_NATS) / 10, f"{name}_ink": float(nats > 0)}


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model: its bias, and a weight for each feature that it looks at."""

    bias: float
    weights: Mapping[str, float]

    def of(self, features: Mapping[str, float]) -> float:
        """The probability that these features speak for."""
        score = self.bias + sum([weight * features[name] for name, weight in self.weights.items()])
        return 1 / (1 + exp(-max(-30.0, min(score, 30.0))))


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure it is that a text is right, and how thresholds meet a risk.

    There are two models, since the same evidence means something else where the checker refuses the text: slips are
    rare, so a refused text is a misreading more often than not where anything else is in doubt.

    Attributes:
        legal: for texts that the checker takes where they stand.
        illegal: for those that it refuses.
        curve: (risk, threshold), rising in risk: with rows below the threshold flagged, the upper confidence bound of
            the share of rows that are wrong and not flagged is at most the risk.
    """

    legal: Logistic
    illegal: Logistic
    curve: tuple[tuple[float, float], ...]

    def of(self, evidence: Evidence) -> float:
        """The probability that the row's text is right."""
        return (self.illegal if evidence.illegal else self.legal).of(evidence.features())

    def threshold(self, risk: float) -> float:
        """The confidence below which a row is flagged, so that silent errors stay within the risk.

        A risk smaller than what the calibration can vouch for flags every row.
        """
        met = [threshold for bound, threshold in self.curve if bound <= risk]
        return min(met, default=1.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything that was learned for one recogniser: prices, shapes, and confidence with and without the rules."""

    engine: str
    prices: Prices
    shapes: Shapes
    with_rules: Confidence
    without_rules: Confidence

    def confidence(self, *, rules: bool) -> Confidence:
        return self.with_rules if rules else self.without_rules


def read_calibration(text: str) -> Calibration:
    """The calibration in a JSON text.

    Raises:
        KeyError, TypeError, ValueError: the text is none.
    """
    data = json.loads(text)

    def confidence(part: dict[str, Any]) -> Confidence:
        legal, illegal = (Logistic(part[name]["bias"], part[name]["weights"]) for name in ("legal", "illegal"))
        return Confidence(legal, illegal, tuple((risk, limit) for risk, limit in part["curve"]))

    shapes = Shapes(np.array(data["shapes"]["mean"]), np.array(data["shapes"]["typical"]))
    return Calibration(
        data["engine"],
        Prices(**data["prices"]),
        shapes,
        confidence(data["with_rules"]),
        confidence(data["without_rules"]),
    )


@lru_cache(maxsize=1)
def shipped() -> Calibration:
    """The calibration that comes with the shipped recogniser."""
    return read_calibration(_SHIPPED.read_text(encoding="utf-8"))


def fingerprint() -> str:
    """Tells the shipped calibration from other versions of it: what is sure by one may be in doubt by another."""
    from hashlib import sha256  # 3 ms of a cold reading, which never asks

    return sha256(_SHIPPED.read_bytes()).hexdigest()[:8]
