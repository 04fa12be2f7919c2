"""One hand a sheet: what is settled teaches the rest, and shapes are compared with their namesakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gigsheet.decode import GameInput, RowInput, decode_sheet
from gigsheet.decode.shapes import UNKNOWN, Shapes, characters, learn_shapes, likeness
from gigsheet.records import CLASS_OF, CLASSES, Glyphs
from tests.decode.ink import glyphs


def with_features(text: str, odd: str = "") -> Glyphs:
    """Plain ink whose features are one direction a character; `odd` is made in a shape of its own."""
    seen = glyphs(text)
    features = np.eye(CLASSES, CLASSES + 1, dtype=np.float32)[seen.log_probs.argmax(axis=1)]
    for char in odd:
        features[seen.log_probs.argmax(axis=1) == CLASS_OF[char]] = np.eye(CLASSES + 1, dtype=np.float32)[-1]
    return replace(seen, features=features)


@pytest.fixture
def shapes() -> Shapes:
    return learn_shapes([[with_features("A4-A1xB'3"), with_features("A4A1")]])


def test_characters_are_found_with_their_rows() -> None:
    vectors, labels, owners = characters([None, with_features("A4"), with_features("xB")])
    assert vectors.shape == (4, CLASSES + 1)
    assert labels.tolist() == [CLASS_OF[char] for char in "A4xB"]
    assert owners.tolist() == [1, 1, 2, 2]


def test_a_shape_of_its_own_is_unlike_its_namesakes(shapes: Shapes) -> None:
    alike, odd, _ = likeness(
        [with_features("A1"), with_features("A1", odd="1"), with_features("A1")], [None] * 3, shapes
    )
    assert alike.own > 0.8
    assert alike.lead > 0.8
    assert odd.own < 0.3
    assert odd.lead < 0.3


def test_a_shape_like_another_character_of_the_sheet_leads_by_little(shapes: Shapes) -> None:
    def with_a_4_like_a_9() -> Glyphs:
        seen = with_features("A4")
        assert seen.features is not None
        features = seen.features.copy()
        features[seen.log_probs.argmax(axis=1) == CLASS_OF["4"]] = np.eye(CLASSES, CLASSES + 1)[CLASS_OF["9"]]
        return replace(seen, features=features)

    plain, odd, _ = likeness([with_features("A4"), with_a_4_like_a_9(), with_features("A9")], [None] * 3, shapes)
    assert odd.lead < -0.5 < 0.5 < plain.lead


def test_settled_texts_name_the_characters(shapes: Shapes) -> None:
    _, labels, owners = characters([with_features("A4"), with_features("xB"), with_features("xB4")], ["A9", None, "x4"])
    assert labels.tolist() == [CLASS_OF[char] for char in "A9xBx4"]
    assert owners.tolist() == [0, 0, 1, 1, 2, 2]
    rows = [with_features("A4"), with_features("A4"), with_features("A1")]
    assert likeness(rows, ["A9", None, None], shapes)[1].lead < likeness(rows, ["A4", None, None], shapes)[1].lead


def test_without_features_nothing_is_compared(shapes: Shapes) -> None:
    assert likeness([glyphs("A4"), None], [None, None], shapes) == [UNKNOWN, UNKNOWN]
    assert likeness([], [], shapes) == []
    assert likeness([with_features("A4")], [None], Shapes(np.zeros(3), np.zeros((CLASSES, 3)))) == [UNKNOWN]


def test_the_games_of_a_sheet_come_back_in_order() -> None:
    played = [RowInput(1, glyphs("A4")), RowInput(2, glyphs("A'4", {0: {"B": 0.2}}))]
    games = [GameInput.of(played, [], 1), GameInput.of([RowInput(1, None)], [], 2), GameInput.of(played, [], 3)]
    found = decode_sheet(games)
    assert [game.game for game in found] == [1, 2, 3]
    assert [len(game.rows) for game in found] == [2, 0, 2]
    assert found[0].rows == found[2].rows
