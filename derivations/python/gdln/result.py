"""The answer of a verb as an object of a notebook."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from html import escape
from importlib import import_module
from inspect import signature
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
import sympy

from derivations.atomic import write_text
from derivations.output import Answer, counted, plain
from derivations.pictures import check_picture
from gdln.calls import checked
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import exact, one_of

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from derivations.sweeps.store import Store

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
ROWS = ("entries", "claims", "experiments")
# Notebooks give texts a proportional font, and some break words, which is of use only where one is longer than a line.
_PRE = "font-family: monospace; white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere"
_WIDEST = 100  # characters of a representation


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
            raise InputError(
                f"gdln.{self.verb} has no figure.", "solve, simulate, compare, fields, flow and sweep have one."
            )
        figure = draw()
        figure._repr_png_ = lambda: _png(figure)  # a notebook shows only the figures of pyplot by itself
        return figure

    def to_xarray(self) -> "xarray.Dataset":
        """Return the arrays of a solution or of trained networks, or all cells of a sweep, by their axes.

        Raises InputError for a verb without arrays, OutOfReachError where xarray is not installed.
        """
        xarray = _installed("xarray")
        if self.verb == "sweep":
            return self._store().to_xarray(self.answer.swept.plan.sweep)
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

    def _store(self) -> "Store":
        from derivations.sweeps.store import Store

        return Store.open(self.answer.folder)

    def to_pandas(self, name: str | None = None) -> "pandas.DataFrame":
        """Return a table: the claims or experiments, one array in long form, or the means of a sweep.

        `name` is that of an array of `to_xarray`, the first if None; a sweep has a row for each number of each cell.
        Raises as `to_xarray` does.
        """
        pandas = _installed("pandas")
        if name is None and self.verb == "sweep":
            return pandas.DataFrame(self._store().table(self.answer.swept.plan.sweep)).dropna(axis="columns", how="all")
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
        line = _LINES[self.verb](self) if self.verb in _LINES else next(filter(None, self.text.splitlines()), "")
        line = " ".join(line.split())
        verdict = getattr(self.answer, "verdict", None)
        line = f"{line}: {verdict}" if isinstance(verdict, str) else line
        return f"<{self.verb}: {line if len(line) <= _WIDEST else line[: _WIDEST - 3] + '...'}>"

    def _repr_html_(self) -> str | None:
        return None if self._repr_markdown_() else self._in_html()

    def _in_html(self) -> str:
        return f'<pre style="{_PRE}">{escape(self.text)}</pre>'

    def _repr_markdown_(self) -> str | None:
        """Formulas of the answers that have some; others are texts."""
        return None


class MomentResult(Result):
    """A moment: `subs`, `numeric` and `evaluate` take parameters by name; a notebook shows its equation."""

    def _repr_markdown_(self) -> str:
        return _formula(self.answer.moment.derivation.proves)

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
        return solution.fixed_point if str(time) in ("inf", "oo", "infinity") else solution.at(exact(time, "time"))


class CheckResult(Result):
    """A verdict; a notebook shows the equation as a formula."""

    def _repr_markdown_(self) -> str:
        statement = self.answer.statement
        return _formula(sympy.Eq(statement.lhs, statement.rhs, evaluate=False)) + f"\n\n{self._in_html()}"


class FlowResult(Result):
    """The flow of a graph; a notebook shows its formulas."""

    def plot(self) -> "Drawing":
        """Return the drawing of the graph, with the paths through a weight that was asked for."""
        from derivations.publish.graph_drawing import drawing

        flow, weights = self.answer.flow, self.answer.weights
        return Drawing(drawing(flow.graph, flow.paths, weights[0] if weights != flow.weights else None))

    def _repr_markdown_(self) -> str:
        return self.answer.text("markdown")


class Drawing(str):
    """An SVG picture as text, which a notebook draws."""

    def _repr_svg_(self) -> str:
        return str(self)

    def savefig(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file, whose name ends in .svg."""
        check_picture(Path(path), (".svg",))
        write_text(Path(path), self)


KINDS: dict[str, type[Result]] = {
    "check": CheckResult,
    "flow": FlowResult,
    "moment": MomentResult,
    "solve": SolveResult,
}
# What stands in one line for a result whose text begins otherwise.
_LINES: dict[str, Callable[[Result], str]] = {
    "flow": lambda result: (
        f"{counted(len(result.flow.paths), 'path')}, {counted(len(result.weights), 'weight')}, "
        f"{counted(sum(map(len, result.steps.values())), 'step')} {'checked' if result.proved else 'NOT CHECKED'}"
    ),
    "ledger": lambda result: _counts(result.data["counts"]),
    "sweep": lambda result: result.states,
    "validate": lambda result: _counts(Counter(claim["verdict"] for claim in result.data["claims"])),
}


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) or "nothing"


def _formula(equation: sympy.Basic) -> str:
    """Return an equation and what its letters stand for, as Markdown."""
    from derivations.publish.blocks import where
    from derivations.publish.notation import Notation

    tex, legend = Notation(normaliser=False).display(equation)
    return f"$$\n{tex}\n$$\n\n{where(legend)}".rstrip()


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
    """Return the function with a `Result` of its answer, and its arguments and errors `checked`."""
    kind, name, checking = KINDS.get(function.__name__, Result), function.__name__, checked(function)

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> Result:
        return kind(name, checking(*args, **kwargs))

    answered.__signature__ = signature(function).replace(return_annotation=kind)
    del answered.__wrapped__  # whose signature would be shown
    return answered
