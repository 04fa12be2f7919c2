"""Scores, grammar and rules to readings; no OpenCV here."""

from gigsheet.decode.candidates import RowInput
from gigsheet.decode.reading import decode_game

__all__ = ["RowInput", "decode_game"]
