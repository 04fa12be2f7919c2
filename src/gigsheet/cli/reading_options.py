"""The options of every command that reads pictures, written once."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

EngineOption = Annotated[Literal["ctc", "tesseract"], typer.Option(help="Which recogniser reads the rows.")]
RulesOption = Annotated[
    bool, typer.Option("--rules/--no-rules", help="Weigh the ink against the rules of the game, or not.")
]
RiskOption = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="Flag so that at most this share of rows is wrong and not flagged.")
]
RulesetOption = Annotated[Literal["cr", "alpha", "quickref"], typer.Option(help="The ruleset of the games.")]
