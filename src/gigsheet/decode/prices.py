"""What an error costs in the beam: how seldom players make it, learned from simulated slips.

A price is minus the logarithm of how often a row has this as its first error, among rows written so far without any,
and among rows after one: a slip leaves the board other than the player has it, so that later rows look wrong although
they are not. `benchmarks/calibrate.py` counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """All in nats; a row without an error has no price.

    Attributes:
        first: by diagnostic code, for the first row of a game that is refused.
        later: by diagnostic code, for rows after one that was refused.
        further: for each further error in the same row.
        unknown: for a code that the simulation never met.
        scale: multiplies every price, and what the dice make likelier (`chances`); chosen together with `ink` on
            writers kept out of the training.
        ink: multiplies the ink's log-likelihoods, which are more certain than they are right.
    """

    first: Mapping[str, float]
    later: Mapping[str, float]
    further: float
    unknown: float
    scale: float = 1.0
    ink: float = 1.0

    def of(self, codes: Sequence[str], *, seen: bool) -> float:
        """What a row with these errors costs; `seen` says that an earlier row of the game had one."""
        if not codes:
            return 0.0
        table = self.later if seen else self.first
        return self.scale * (table.get(codes[0], self.unknown) + self.further * (len(codes) - 1))
