"""`python -m gigsheet`."""

from gigsheet.cli import main

main()
