"""The verbs of `gdln`: one module a verb, found by `derivations.cli`.

A verb module has `command` (a typer function that returns an exit code) and `MAY_BEGIN_WITH_MINUS` (whether an
argument may begin with a minus). It imports torch, SymPy and the rooms it needs inside the function.
"""

from typing import Annotated

import typer

# What every verb that computes takes, and gives to `derivations.output.run`.
Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="Stop after so many seconds, with exit code 4.")
]
