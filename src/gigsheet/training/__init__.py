"""Makes the recogniser: strips composed of people's handwriting, a net, its export and its figures.

Nothing imports this package at run time; it needs the extra `train`.
"""
