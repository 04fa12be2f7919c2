"""Gigsheet: prints, reads and checks paper scoresheets."""
