"""Pixels to row strips and marks."""
