"""Scores, grammar and rules to readings; no OpenCV here."""

from gigsheet.decode.candidates import GameInput, RowInput
from gigsheet.decode.reading import decode_game, decode_sheet

__all__ = ["GameInput", "RowInput", "decode_game", "decode_sheet"]
