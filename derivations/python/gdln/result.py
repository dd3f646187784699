"""The answer of a verb as an object of a notebook."""

import re
from collections.abc import Callable
from functools import cached_property, wraps
from html import escape
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec

from derivations.output import Answer, plain
from theory.problem import InputError, WorkbenchError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
_WIDEST = 100  # characters of a representation
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)( on the command line)?")


class Result:
    """What a verb answers; attributes that it does not have itself are those of its `answer`.

    >>> import gdln
    >>> kernel = gdln.ntk("relu", depth=2, corr="1/2")
    >>> kernel
    <ntk: tangent kernel K_2(x, x') at infinite width: s(h) = relu(h), depth d = 2>
    >>> kernel.data["digits"], kernel.question.depth
    (30, 2)
    """

    def __init__(self, verb: str, answer: Answer) -> None:
        self.verb, self.answer = verb, answer

    @cached_property
    def text(self) -> str:
        """What the command prints."""
        return self.answer.text()

    @cached_property
    def data(self) -> dict[str, Any]:
        """The content of `--json`: numbers, texts, lists and dictionaries."""
        return plain(self.answer.json())

    def plot(self) -> "Figure":
        """Return the figure of `--plot`. Raises InputError for a verb that draws nothing."""
        draw = getattr(self.answer, "figure", None)
        if draw is None:
            raise InputError(f"gdln.{self.verb} has no figure.", "solve, simulate, compare and fields have one.")
        return draw()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.answer, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in dir(self.answer) if not name.startswith("_"))})

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        line = " ".join(next(filter(None, self.text.splitlines()), "").split())
        verdict = getattr(self.answer, "verdict", None)
        line = f"{line}: {verdict}" if isinstance(verdict, str) else line
        return f"<{self.verb}: {line if len(line) <= _WIDEST else line[: _WIDEST - 3] + '...'}>"

    def _repr_html_(self) -> str | None:
        return None if self._repr_markdown_() else f"<pre>{escape(self.text)}</pre>"

    def _repr_markdown_(self) -> str | None:
        """The equation of a moment, with what its letters stand for; other results are texts."""
        moment = getattr(self.answer, "moment", None)
        if moment is None:
            return None
        from derivations.publish.blocks import where
        from derivations.publish.notation import Notation

        tex, legend = Notation(normaliser=False).display(moment.derivation.proves)
        return f"$$\n{tex}\n$$\n\n{where(legend)}"


def verb(function: Callable[P, Answer]) -> Callable[P, Result]:
    """Return the function with a `Result` of its answer, and errors that name its arguments instead of options.

    >>> import gdln
    >>> gdln.moment("z1", "[[1]]", digits=0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: digits 0 is not between 1 and 1000. Ask for 30, say.
    """

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return Result(function.__name__, function(*args, **kwargs))
        except WorkbenchError as error:
            error.message, error.hint = (_in_python(part) for part in (error.message, error.hint))
            error.args = (f"{error.message} {error.hint}".strip(),)
            raise

    answered.__signature__ = signature(function).replace(return_annotation=Result)
    del answered.__wrapped__  # whose signature would be shown
    return answered


def _in_python(text: str) -> str:
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), text)
