"""Scores, grammar and rules to readings; no OpenCV here."""
