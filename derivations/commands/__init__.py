"""The verbs of `gdln`: one module a verb, found by `derivations.cli`.

A verb module has `command` (a typer function that returns an exit code) and `MAY_BEGIN_WITH_MINUS` (whether an
argument may begin with a minus). It imports torch, SymPy and the rooms it needs inside the function.
"""

from typing import Annotated

import typer

from sim.training.backends.names import BACKENDS

# What every verb that computes takes, and gives to `derivations.output.run`.
Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="Stop after so many seconds, with exit code 4.")
]
# What every verb that trains takes.
Backend = Annotated[str, typer.Option(help=f"The code that trains: {', '.join(BACKENDS)}.")]
