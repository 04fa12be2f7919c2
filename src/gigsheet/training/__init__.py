"""Trains the recogniser that `gigsheet.recognise` ships; nothing imports it."""
