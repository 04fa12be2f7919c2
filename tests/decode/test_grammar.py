"""The automaton against a plain statement of the grammar."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gigsheet.decode.grammar import EDGES, FINAL, START, accepts, canonical, entries, run
from gigsheet.records import ALPHABET

_DIE = "[A-F]'?"
_VALUE = "(?:1[0-9]|20|[0-9])"
_MOVE = f"(?:{_DIE}<>{_DIE}|x{_DIE}(?:{_VALUE})?|[-+=~]?{_DIE}{_VALUE})"
_ENTRY = rf"(?:{_MOVE}|\((?:{_MOVE})+\)|#)"
ROW = re.compile(rf"#*\.\.#*|{_ENTRY}+")

dice = st.builds("{}{}".format, st.sampled_from("ABCDEF"), st.sampled_from(["", "'"]))
values = st.integers(0, 20).map(str)
moves = st.one_of(
    st.builds("{}<>{}".format, dice, dice),
    st.builds("x{}{}".format, dice, st.one_of(st.just(""), values)),
    st.builds("{}{}{}".format, st.sampled_from(["", "+", "-", "=", "~"]), dice, values),
)
written = st.one_of(moves, st.lists(moves, min_size=1, max_size=3).map(lambda m: f"({' '.join(m)})"), st.just("#"))
rows = st.one_of(st.lists(written, min_size=1, max_size=6), st.just([".."]), st.just(["#", ".."]))


@given(rows)
def test_every_row_is_accepted_and_parted_as_it_was_written(row: list[str]) -> None:
    text = "".join(row).replace(" ", "")
    assert accepts(text)
    assert list(entries(text)) == row
    assert canonical(text) == " ".join(e for e in row if e != "#")


@given(st.text(alphabet=ALPHABET, max_size=9))
def test_the_automaton_says_what_the_grammar_says(text: str) -> None:
    assert accepts(text) == bool(ROW.fullmatch(text))


@given(st.text(alphabet=ALPHABET, max_size=12))
def test_parting_loses_no_character(text: str) -> None:
    assert "".join(entries(text)).replace(" ", "") == text


@given(st.lists(st.integers(0, 99), min_size=1, max_size=30))
def test_walks_through_the_automaton_match_the_grammar(choices: list[int]) -> None:
    state, text = START, ""
    for choice in choices:
        edges = sorted(EDGES[state].items())
        if not edges:
            break
        char, state = edges[choice % len(edges)]
        text += char
    assert (state in FINAL) == bool(ROW.fullmatch(text))
    assert run(text) == state


@pytest.mark.parametrize(
    "text", ["", "A", "A'", "+A", "A04", "xA04", "A21", "A4..", "(A4", "()", "A<B", "4", "A4)", "(#)"]
)
def test_what_is_no_row(text: str) -> None:
    assert not accepts(text)


def test_text_outside_the_grammar_is_still_parted() -> None:
    assert canonical("A4A-B2") == "A4 A -B2"
    assert canonical("(A4-B5") == "(A4 -B5"
