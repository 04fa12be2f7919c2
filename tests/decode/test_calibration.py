"""Confidence, thresholds and the shipped numbers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

from gigsheet.decode.calibration import Confidence, Evidence, Logistic, read_calibration, shipped
from gigsheet.decode.transcript import UNREADABLE, write
from gigsheet.records import CLASSES

SURE = Evidence(
    margin=25.0,
    posterior=1 - 1e-9,
    ink_margin=25.0,
    haze=0.01,
    sheet_haze=0.02,
    overruled=0.0,
    likeness=0.95,
    lead=0.8,
    passed_over=-12.0,
    challenged=-12.0,
    same_passed_over=-24.0,
    same_challenged=-24.0,
    text="A4xA'",
    well_formed=True,
    illegal=False,
    refused=0.0,
)
DOUBTFUL = replace(SURE, margin=0.5, posterior=0.6, ink_margin=0.4, haze=2.0, likeness=0.4, lead=-0.1)
CONFUSED = replace(SURE, margin=8.0, ink_margin=6.0, passed_over=1.0, same_passed_over=-5.0)


@pytest.mark.parametrize("rules", [True, False])
def test_the_shipped_model_tells_sure_from_doubtful(rules: bool) -> None:
    model = shipped().confidence(rules=rules)
    assert model.of(SURE) > 0.9
    assert model.of(DOUBTFUL) < model.of(SURE)
    assert model.of(CONFUSED) < model.of(replace(CONFUSED, passed_over=-12.0, same_passed_over=-24.0))


@pytest.mark.parametrize("rules", [True, False])
def test_thresholds_fall_as_more_risk_is_taken(rules: bool) -> None:
    model = shipped().confidence(rules=rules)
    thresholds = [model.threshold(risk) for risk in (1e-9, 1e-3, 1e-2, 1e-1, 1.0)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert thresholds[0] == 1.0
    assert thresholds[-1] < 1.0


def test_every_weight_belongs_to_a_feature() -> None:
    features = SURE.features()
    for rules in (True, False):
        model = shipped().confidence(rules=rules)
        assert set(model.legal.weights) | set(model.illegal.weights) <= features.keys()


def test_the_shipped_file_reads_back() -> None:
    text = (files("gigsheet.decode") / "calibration.json").read_text(encoding="utf-8")
    again = read_calibration(text)
    assert (again.engine, again.prices, again.with_rules) == (shipped().engine, shipped().prices, shipped().with_rules)
    assert again.shapes.typical.shape == (CLASSES, len(again.shapes.mean))
    with pytest.raises(KeyError):
        read_calibration(json.dumps({"engine": "none"}))


def test_a_risk_beyond_the_curve_flags_everything() -> None:
    model = Confidence(Logistic(0.0, {}), Logistic(0.0, {}), ((0.01, 0.8),))
    assert model.threshold(0.001) == 1.0
    assert model.threshold(0.02) == 0.8


def test_what_the_checker_refuses_is_judged_by_a_model_of_its_own() -> None:
    model = Confidence(Logistic(2.0, {}), Logistic(0.0, {"holds 8": -1.0}), ())
    assert model.of(replace(SURE, text="A8xB8D8")) > 0.85
    assert model.of(replace(SURE, text="A8xB8D8", illegal=True)) == pytest.approx(1 / (1 + math.exp(2)))


def test_rows_become_lines() -> None:
    sheet = write(["A4", "", "B2", UNREADABLE, "C3", "xA'", ""], [False] * 5 + [True, False], "WE", "cr")
    assert sheet.transcript == "first: WE\n1| A4\n\n3| B2\n4|\n5| C3 xA'\n"
    assert sheet.lines == (2, 3, 4, 5, 6, 6, 7)
    assert [d.code for d in sheet.errors(3)] == ["syntax"]
    assert sheet.errors(4) == sheet.errors(5) != []


@pytest.mark.parametrize("rules", [True, False])
def test_the_shipped_curve_rises_in_risk_and_falls_in_threshold(rules: bool) -> None:
    risks, limits = zip(*shipped().confidence(rules=rules).curve, strict=True)
    assert list(risks) == sorted(risks)
    assert list(limits) == sorted(limits, reverse=True)


def test_the_bound_of_a_rate_holds_for_many_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the binomial distribution itself, summed exactly in fractions."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    from calibrate import upper_bound  # type: ignore[import-not-found]

    for errors, rows in ((0, 50), (3, 400), (120, 900)):
        rate = Fraction(upper_bound(errors, rows))
        at_most = sum(math.comb(rows, k) * rate**k * (1 - rate) ** (rows - k) for k in range(errors + 1))
        assert float(at_most) == pytest.approx(0.1, abs=1e-6)
    assert upper_bound(720, 59945) == pytest.approx(0.012601, abs=1e-6)
    assert upper_bound(900, 59945) > upper_bound(760, 59945) > upper_bound(720, 59945)
