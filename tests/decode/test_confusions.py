"""What a hand confuses in one row counts against the same characters in the others."""

from __future__ import annotations

import pytest

from gigsheet.decode.candidates import Candidate
from gigsheet.decode.confusions import FAR_NATS, MOST_NATS, confusions, edits


def row(*texts: tuple[str, float]) -> list[Candidate]:
    return [Candidate(text, text, ink, True) for text, ink in texts]


@pytest.mark.parametrize(
    ("rival", "edit"),
    [
        ("E8", ("5", "8")),
        ("E'5", ("", "'")),
        ("E55", ("", "5")),
        ("5", ("E", "")),
        ("E", ("5", "")),
        ("F8", None),
        ("E5xA", None),
        ("8E", None),
    ],
)
def test_rivals_that_differ_in_one_character(rival: str, edit: tuple[str, str] | None) -> None:
    assert edits(row(("E5", -1.0), (rival, -3.5)), 0) == ({} if edit is None else {edit: -2.5})


def test_the_nearest_rival_counts_and_one_that_the_ink_prefers_is_ahead() -> None:
    assert edits(row(("E5+C5", 0.0), ("E8+C5", -4.0), ("E5+C8", -2.0)), 0) == {("5", "8"): -2.0}
    assert edits(row(("E8", 0.0), ("E5", -1.5)), 1) == {("5", "8"): 1.5}


def test_a_character_that_was_passed_over_elsewhere_is_in_doubt_everywhere() -> None:
    sure, settled, other = row(("C8", -0.1), ("C5", -6.1)), row(("E8", 0.0), ("E5", -1.0)), row(("A4", -0.1))
    found = confusions([(sure, 0), (settled, 1), (other, 0), ([], -1)])
    assert found[0].passed_over == 1.0, "the rules made a 5 of what the ink takes for an 8"
    assert found[0].same_passed_over == pytest.approx(-6.0 + 1.0)
    assert found[0].challenged == FAR_NATS
    assert found[1].challenged == FAR_NATS, "a row says nothing of itself, and the first row has no 5"
    assert found[1].same_passed_over == pytest.approx(1.0 - 6.0)
    assert found[2] == found[3] == (FAR_NATS, FAR_NATS, 2 * FAR_NATS, 2 * FAR_NATS)


def test_what_was_chosen_here_and_challenged_there_is_in_doubt() -> None:
    found = confusions([(row(("B1", 0.0), ("B7", -3.0)), 0), (row(("A1", 0.0), ("A7", -0.5)), 0)])
    assert found[0].challenged == -0.5
    assert found[0].same_challenged == pytest.approx(-3.5)
    assert found[0].passed_over == FAR_NATS


def test_one_row_does_not_say_more_than_so_much() -> None:
    (first, _) = confusions([(row(("C8", 0.0)), 0), (row(("E8", 0.0), ("E5", -9.0)), 1)])
    assert first.passed_over == MOST_NATS
