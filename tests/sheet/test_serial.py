"""Serials: unique, counted up, sayable; refused in one sentence when they are none."""

from __future__ import annotations

import itertools

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from gigsheet.errors import UsageError
from gigsheet.sheet.serial import ALPHABET, qr_text, serials, spoken
from gigsheet.sheet.template import templates

batches = st.text(ALPHABET, min_size=4, max_size=4)


@given(batch=batches, first=st.integers(0, 90_000), count=st.integers(1, 300))
def test_serials_count_up_within_their_batch(batch: str, first: int, count: int) -> None:
    made = list(serials(count, f"{batch}-{first}"))
    assert len(made) == len(set(made)) == count
    assert made == sorted(made)
    assert [int(s.removeprefix(f"{batch}-")) for s in made] == list(range(first, first + count))


@given(batch=batches, first=st.integers(0, 99_999))
def test_a_serial_starts_itself(batch: str, first: int) -> None:
    serial = next(serials(1, f"{batch}-{first}"))
    assert list(serials(1, serial)) == [serial]
    assert list(serials(1, f" {serial.lower()} ")) == [serial]


def test_a_bare_number_is_deterministic_and_no_start_is_not() -> None:
    assert list(serials(3, "98")) == ["AAAA-098", "AAAA-099", "AAAA-100"]
    assert len({next(serials(1)) for _ in range(20)}) > 10


@pytest.mark.parametrize("start", ["", "7F3", "7F3K-", "0OIL-01", "7F3K-1x", "-3", "7F3K-123456", "７-1"])
def test_what_is_no_serial_is_refused(start: str) -> None:
    with pytest.raises(UsageError, match="such as 7F3K-02"):
        serials(1, start)


def test_a_batch_ends_at_its_last_number() -> None:
    assert list(serials(1, "7F3K-99999")) == ["7F3K-99999"]
    with pytest.raises(UsageError, match="end at 99999"):
        serials(2, "7F3K-99999")


def test_no_two_characters_look_alike() -> None:
    for alike in ("0OQD"[:2], "1IL", "2Z", "5S", "8B", "UV", "6G"):
        assert len(set(alike) & set(ALPHABET)) <= 1


def test_every_serial_can_be_said() -> None:
    assert spoken("7F3K-02") == "seven Foxtrot three Kilo, zero two"
    said = [spoken(c) for c in ALPHABET]
    assert len(set(said)) == len(ALPHABET)


@pytest.mark.parametrize(("sheet", "number"), list(itertools.product(templates(), ["01", "99999"])))
def test_the_code_stays_small_and_well_protected(sheet: tuple[str, str], number: str) -> None:
    code = segno.make(qr_text(sheet[0], 1, sheet[1], f"WWWW-{number}"), error="m", micro=False)
    assert code.version <= 2
    assert code.error in ("M", "Q", "H")
