"""The answer of a verb as an object of a notebook."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from html import escape
from importlib import import_module
from inspect import signature
from io import BytesIO
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
import sympy

from derivations.output import Answer, plain
from theory.problem import InputError, OutOfReachError, WorkbenchError
from theory.problem.numbers import exact, one_of

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

P = ParamSpec("P")
# The axes of the arrays of `data`, and the names of its lists of rows.
AXES = {
    "weights": ("time", "unit", "site"),
    "losses": ("time",),
    "loss": ("time",),
    "fixed_point": ("unit", "site"),
    "rates": ("mode",),
    "participation_ratio": ("time", "unit"),
    "low_frequency_power": ("time", "unit"),
    "input_output_moment": ("unit", "site"),
}
ROWS = ("entries", "claims", "equations", "cells")
_PRE = "font-family: monospace; white-space: pre; overflow-x: auto"  # notebooks give texts a proportional font
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
        return self.answer.text().replace("--json", ".data")

    @cached_property
    def data(self) -> dict[str, Any]:
        """The content of `--json`: numbers, texts, lists and dictionaries."""
        return plain(self.answer.json())

    def plot(self) -> "Figure":
        """Return the figure of `--plot`. Raises InputError for a verb that draws nothing."""
        draw = getattr(self.answer, "figure", None)
        if draw is None:
            raise InputError(f"gdln.{self.verb} has no figure.", "solve, simulate, compare and fields have one.")
        figure = draw()
        figure._repr_png_ = lambda: _png(figure)  # a notebook shows only the figures of pyplot by itself
        return figure

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays of a solution or of trained networks, or all cells of a sweep, by their axes.

        Raises InputError for a verb without arrays, OutOfReachError where xarray is not installed.
        """
        xarray = _installed("xarray")
        if self.verb == "sweep":
            from derivations.sweeps.store import Store

            return Store.open(self.answer.folder).to_xarray()
        arrays = {name: (axes, np.asarray(self.data[name], dtype=float)) for name, axes in self._axes()}
        if not arrays:
            raise InputError(f"gdln.{self.verb} has no arrays.", "solve, simulate and sweep have some; see data.")
        times = {"time": np.asarray(self.data["times"], dtype=float)} if "times" in self.data else {}
        return xarray.Dataset(arrays, coords=times)

    def _axes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, value in self.data.items():
            axes = AXES.get(name.removesuffix("_standard_error"), ())
            shape = np.shape(value) if axes and value is not None else ()
            if len(shape) == len(axes) > 0:
                yield name, axes
            elif len(shape) == len(axes) + 1 and axes[-1] == "site":  # labels of several numbers
                yield name, (*axes[:-1], "output", axes[-1])

    def to_pandas(self, name: str | None = None) -> "pandas.DataFrame":
        """Return a table: the rows of a list of claims, equations or cells, or one array in long form.

        `name` is that of an array of `to_xarray`, the first if None. Raises as `to_xarray` does.
        """
        pandas = _installed("pandas")
        rows = next((self.data[key] for key in ROWS if isinstance(self.data.get(key), list)), None)
        if name is None and rows is not None:
            return pandas.DataFrame(rows)
        arrays = self.to_xarray()
        chosen = one_of(name, "name", tuple(map(str, arrays))) if name is not None else str(next(iter(arrays)))
        return arrays[chosen].to_dataframe().reset_index()

    def __bool__(self) -> bool:
        verdict = getattr(self.answer, "verdict", None)
        if isinstance(verdict, str):  # `assert gdln.check(...)` would pass for every formula
            raise TypeError(f"A result is neither true nor false: compare its verdict, as in .verdict == {verdict!r}.")
        return True

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
        return None if self._repr_markdown_() else f'<pre style="{_PRE}">{escape(self.text)}</pre>'

    def _repr_markdown_(self) -> str | None:
        """The equation of a moment, with what its letters stand for; other results are texts."""
        moment = getattr(self.answer, "moment", None)
        if moment is None:
            return None
        from derivations.publish.blocks import where
        from derivations.publish.notation import Notation

        tex, legend = Notation(normaliser=False).display(moment.derivation.proves)
        return f"$$\n{tex}\n$$\n\n{where(legend)}"


class MomentResult(Result):
    """A moment: `subs`, `numeric` and `evaluate` take parameters by name."""

    def subs(self, **values: Any) -> sympy.Expr:
        """Return the closed form with exact numbers in place of parameters; decimals and floats as they are written.

        >>> import gdln
        >>> gdln.moment("sign(z1)*sign(z2)", "[[1, r], [r, 1]]").subs(r=0.5)
        1/3
        """
        known = {symbol.name: symbol for symbol in self.answer.moment.closed_form.free_symbols}
        for name in values:
            one_of(name, "the parameter", known)
        numbers = {known[name]: sympy.Rational(exact(value, name)) for name, value in values.items()}
        return self.answer.moment.closed_form.subs(numbers)

    def numeric(self, **values: Any) -> Any:
        """Return the value in float64 for arrays of parameters, as `theory.gaussian.Moment.numeric` does."""
        return self.answer.moment.numeric(**values)

    def evaluate(self, digits: int = 30, **values: Any) -> Any:
        """Return certified digits at values of the parameters, as `theory.gaussian.Moment.evaluate` does."""
        return self.answer.moment.evaluate(digits, **values)


class SolveResult(Result):
    """A solution; `at(t)` are its weights (K, n) at any time."""

    def at(self, time: Any) -> np.ndarray:
        """Return the weights at a time, also at infinity, to the same accuracy. Raises InputError for a graph."""
        solution = getattr(self.answer, "solution", None)
        if not hasattr(solution, "at"):
            raise InputError("The fields of a graph are at the times of its file.", "Set training.times.")
        return solution.fixed_point if str(time) in ("inf", "oo", "infinity") else solution.at(time)


KINDS: dict[str, type[Result]] = {"moment": MomentResult, "solve": SolveResult}


def _png(figure: "Figure") -> bytes:
    stream = BytesIO()
    figure.savefig(stream, format="png", bbox_inches="tight")
    return stream.getvalue()


def _installed(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        hint = "Install it: pip install 'gdln-workbench[export]'."
        raise OutOfReachError(f"The package {package} is not installed.", hint, "missing-package") from None


def verb(function: Callable[P, Answer]) -> Callable[P, Result]:
    """Return the function with a `Result` of its answer, and errors that name its arguments instead of options.

    >>> import gdln
    >>> gdln.moment("z1", "[[1]]", digits=0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: digits 0 is not between 1 and 1000. Ask for 30, say.
    """

    kind = KINDS.get(function.__name__, Result)

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return kind(function.__name__, function(*args, **kwargs))
        except WorkbenchError as error:
            error.message, error.hint = (_in_python(part) for part in (error.message, error.hint))
            error.args = (f"{error.message} {error.hint}".strip(),)
            raise

    answered.__signature__ = signature(function).replace(return_annotation=kind)
    del answered.__wrapped__  # whose signature would be shown
    return answered


def _in_python(text: str) -> str:
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), text)
