"""The notation: text, syntax, rules, checking, explaining. Pure Python, standard library only."""
