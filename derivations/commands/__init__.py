"""The verbs of `gdln`: one module for each verb, discovered by `derivations.cli`.

A verb module has `command` (a typer function that returns an exit code) and `MAY_BEGIN_WITH_MINUS` (whether an
argument may begin with a minus). It imports torch, SymPy and the packages it needs inside the function.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from typer.core import TyperCommand

from derivations.output import PASS, Answer, emit

_BACKENDS = "{backends}"

# The option of every verb that computes, passed on to `derivations.output.run`.
Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="SECONDS", help="Stop after this many seconds, with exit code 4.")
]
# The option of every verb that reads a problem file, passed on to `theory.problem.load`.
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Take this value in place of that of PROBLEM, as data.gain=3."),
]
# The option of every verb that trains.
Backend = Annotated[str, typer.Option(help=f"The code that trains: {_BACKENDS}.")]


@contextmanager
def loading() -> Iterator[None]:
    """Import modules with garbage collection off: imports leave no garbage, and torch loads in a fifth less time."""
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collected:
            gc.enable()


class Drawable(Answer, Protocol):
    """The answer of a verb that has `--plot`."""

    def figure(self) -> Any:
        """The figure that is written."""
        ...


def show_drawn(verb: str, answered: Callable[[], Drawable], plot: Path | None, as_json: bool) -> int:
    """Print what `answered()` returns, and write its figure to `plot`, a path that is checked before it is called."""
    from derivations.pictures import check_picture, write_picture

    if plot is not None:
        check_picture(plot)
    answer = answered()
    if plot is not None:
        write_picture(answer.figure(), plot)
    written = "" if plot is None else f"\n\nWritten: {plot}"
    emit(verb, answer.json(), answer.text() + written, as_json)
    return PASS


class Verb(TyperCommand):
    """A verb; the back ends are looked up when its help is printed, so that no other use loads `sim`."""

    def format_options(self, *context: Any) -> None:
        """Write the options."""
        from sim.training.backends.names import BACKENDS

        for option in self.params:
            help_of = getattr(option, "help", None)
            if help_of and _BACKENDS in help_of:
                option.help = help_of.replace(_BACKENDS, ", ".join(BACKENDS))
        super().format_options(*context)
