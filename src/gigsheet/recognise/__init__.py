"""Strips in, scores over one alphabet out."""
