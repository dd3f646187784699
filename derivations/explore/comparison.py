"""The figure of the formula view: both sides of a statement, and the same expectations from samples beside them.

Lines are the engine's closed form, marks the integrand itself, averaged over Gaussian samples: the two share no
formula.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from derivations.sweeps.table import csv_text
from theory.problem import InputError, OutOfReachError

if TYPE_CHECKING:
    import sympy

    from theory.conjecture import Statement
    from theory.gaussian.expectation import Expectation

EXAMPLES = 2**14  # the number at each mark; without a parameter, 8 times as many
GROUPS = 16  # of examples, for standard errors
_POINTS, _MARKS, _RUNNING = 121, 13, 8
_TRIED = 40  # the most points that are tried to find one with nonzero parameters
_DECADES = 2  # decades on each side of 1, for a parameter from 0 to infinity
_FAR = 4.0  # the range of a parameter with an infinite bound
LARGEST = float(np.sqrt(np.finfo(float).max))  # standard errors are of squares
_INSET = 1e-3  # the distance from an open end, relative to the domain


@dataclass(frozen=True)
class Comparison:
    """The sides of a statement along `axis`, and the sampled ones with their standard errors at the marks.

    Without a parameter the axis is log10 of the number of examples, and the sampled means are running ones. `values`
    are the parameters that stay; `counterexample` is (x, left, right). `ratio` is log10 where the axis is logarithmic.
    """

    axis: str
    values: Mapping[str, float]
    x: Float[np.ndarray, " P"]
    sides: Mapping[str, Float[np.ndarray, " P"]]
    at: Float[np.ndarray, " M"]
    sampled: Mapping[str, tuple[Float[np.ndarray, " M"], Float[np.ndarray, " M"]]]
    expected: Mapping[str, Float[np.ndarray, " M"]]
    counterexample: tuple[float, float, float] | None
    running: bool


def compared(
    statement: "Statement",
    names: tuple[str, ...],
    against: str | None = None,
    refuted: Mapping[str, Any] | None = None,
    certified: str | None = None,
) -> Comparison:
    """The curves and samples of the sides named by `names`, along the parameter `against` (the first one if None).

    `refuted` is the counter-example as `gdln check` gives it: the other parameters then stay at its values. `certified`
    is the value of the first side where it has no parameter and its digits are known. Raises InputError where no point
    of the domain is admissible, OutOfReachError for expressions without a numerical rule or beyond float64.
    """
    sides = dict(zip(names, (statement.lhs, statement.rhs), strict=False))
    if not statement.parameters:
        return _running(statement, sides, refuted, certified)
    point = _point(statement, refuted)
    name = against if against in point else next(iter(point))
    rest = {key: value for key, value in point.items() if key != name}
    symbol = next(symbol for symbol in statement.parameters if symbol.name == name)
    grid, logarithmic = _grid(statement.domains[symbol], _POINTS, point[name] if refuted else None)
    few, _ = _grid(statement.domains[symbol], _MARKS, None)
    x, at = (_admissible(statement, rest, name, values) for values in (grid, few))
    curves = {key: _values(side, statement, rest | {name: x}) for key, side in sides.items()}
    sampled = {
        key: _measured(side, statement, rest, name, at, index)
        for index, (key, side) in enumerate(sides.items())
        if side.atoms(_expectation())
    }
    expected = {key: _values(side, statement, rest | {name: at}) for key, side in sides.items()}
    shown = np.log10 if logarithmic else np.asarray
    counter = None if not refuted else (float(shown(point[name])), float(refuted["lhs"]), float(refuted["rhs"]))
    axis = f"log₁₀ {name}" if logarithmic else name
    return Comparison(axis, rest, shown(x), curves, shown(at), sampled, expected, counter, False)


def _expectation() -> type:
    from theory.gaussian.expectation import Expectation

    return Expectation


def _running(
    statement: "Statement",
    sides: Mapping[str, "sympy.Expr"],
    refuted: Mapping[str, Any] | None,
    certified: str | None,
) -> Comparison:
    """Without a parameter: the sides are constants, and the sampled means converge."""
    counts = np.geomspace(EXAMPLES / 64, _RUNNING * EXAMPLES, _POINTS // 5).astype(int)
    at = np.log10(counts)
    ends = at[[0, -1]]
    curves = {key: _values(side, statement, {"": ends}) for key, side in sides.items() if certified is None}
    curves |= {key: np.full(2, _drawable(certified)) for key in sides if certified is not None}
    sampled = {}
    for index, (key, side) in enumerate(sides.items()):
        if not side.atoms(_expectation()):
            continue
        drawn = {
            e: _draws(e, {}, _RUNNING * EXAMPLES, (index, number)) for number, e in enumerate(statement.expectations)
        }
        points = [_side_of_means({e: values[:count] for e, values in drawn.items()}, side, {}) for count in counts]
        sampled[key] = tuple(np.array(column) for column in zip(*points, strict=True))
    expected = {key: np.broadcast_to(values[0], at.shape) for key, values in curves.items()}
    counter = None if not refuted else (float(at[-1]), float(refuted["lhs"]), float(refuted["rhs"]))
    return Comparison("log₁₀ of the examples", {}, ends, curves, at, sampled, expected, counter, True)


def _point(statement: "Statement", refuted: Mapping[str, Any] | None) -> dict[str, float]:
    """The counter-example, or the simplest admissible point without zeros, at which forms agree by chance."""
    from theory.conjecture.points import points

    if refuted:
        from fractions import Fraction

        return {name: float(Fraction(value)) for name, value in refuted["values"].items()}
    tried = list(islice(points(statement, _TRIED, 0), _TRIED))
    chosen = next((point for point in tried if all(point.values())), tried[0])
    return {symbol.name: float(number) for symbol, number in chosen.items()}


def _grid(interval: "sympy.Interval", count: int, inside: float | None) -> tuple[np.ndarray, bool]:
    """Values of a parameter in its domain, widened to hold `inside`; and whether they are spaced by their logarithm.

    >>> import sympy
    >>> _grid(sympy.Interval.open(-sympy.oo, 1), 3, -40.0)[0][0].item()
    -40.0
    """
    from theory.expressions.real_algebra import inner_ends

    low, high = (None if end is None else float(end) for end in inner_ends(interval))
    if low == 0 and high is None:
        ends = [-_DECADES, _DECADES] + ([] if inside is None else [np.log10(inside)])
        return 10 ** np.linspace(min(ends), max(ends), count), True
    start = low if low is not None else -_FAR if high is None else high - _FAR
    stop = high if high is not None else start + 2 * _FAR if low is None else start + _FAR
    start, stop = (min(start, inside), max(stop, inside)) if inside is not None else (start, stop)
    gap = _INSET * (stop - start)
    start += gap * (low is not None and bool(interval.left_open))
    stop -= gap * (high is not None and bool(interval.right_open))
    return np.linspace(start, stop, count), False


def _admissible(statement: "Statement", rest: Mapping[str, float], name: str, x: np.ndarray) -> np.ndarray:
    """The values in the joint domain, at which the covariance is one. Raises InputError where there are none."""
    inside = [value for value in x if _meets_conditions(statement, rest | {name: value})]
    kept = [
        value for value in inside if statement.cov is None or _root(statement.cov, rest | {name: value}) is not None
    ]
    if not kept:
        raise InputError(f"No value drawn of {name} lies in the domain.", "Draw it against another parameter.")
    return np.array(kept)


def _meets_conditions(statement: "Statement", values: Mapping[str, float]) -> bool:
    """Whether float64's values certainly meet the conditions of the domain."""
    from fractions import Fraction

    point = {symbol: Fraction(float(values[symbol.name])) for symbol in statement.parameters}
    return all(condition.holds(point) for condition in statement.conditions)


def _root(cov: "sympy.MatrixBase", values: Mapping[str, float]) -> np.ndarray | None:
    """R with R R^T the covariance at these values; None where it has an eigenvalue below 0 by more than rounding."""
    matrix = np.array([[_number(entry, values) for entry in row] for row in cov.tolist()], float)
    unknown = np.isnan(matrix)
    if (np.abs(matrix) > LARGEST).any() or (unknown.any() and not cov.free_symbols):
        raise _beyond(f"An entry of the covariance is larger than {LARGEST:.1g}")
    if unknown.any():
        return None
    eigenvalues, vectors = np.linalg.eigh(matrix)
    if eigenvalues[0] < -len(matrix) * np.finfo(float).eps * np.abs(eigenvalues).max():
        return None
    return vectors * np.sqrt(np.maximum(eigenvalues, 0.0))  # negative eigenvalues here are rounding errors


def _number(form: "sympy.Expr", values: Mapping[str, Any]) -> Any:
    """The form at the values of those parameters that it has; NaN at an array's points where it has no value."""
    from theory.gaussian.float64.closed_form import evaluate

    numbers = {symbol.name: values[symbol.name] for symbol in form.free_symbols}
    size = max((np.size(value) for value in numbers.values()), default=1)
    try:
        return evaluate(form, numbers)
    except InputError:
        if size == 1:
            return np.nan
    each = [{key: np.ravel(value)[min(k, np.size(value) - 1)] for key, value in numbers.items()} for k in range(size)]
    return np.array([float(_number(form, point)) for point in each])


def _values(side: "sympy.Expr", statement: "Statement", values: Mapping[str, Any]) -> Float[np.ndarray, " P"]:
    """A side with the engine's forms in the place of its expectations."""
    shape = np.broadcast_shapes(*(np.shape(value) for value in values.values()))
    heights = _with(side, lambda e: _engine(statement.moments[e], values), values)
    curve = np.array(np.broadcast_to(heights, shape), float)
    if (np.abs(curve) > LARGEST).any() or np.isnan(curve).all():
        raise _beyond(f"A side of the formula is larger than {LARGEST:.1g} where it is drawn, or no number")
    return curve


def _drawable(digits: str) -> float:
    """A number of many digits as float64. Raises OutOfReachError for those that it takes for infinite or zero."""
    value = float(digits)
    if abs(value) > LARGEST or (value == 0 and Decimal(digits) != 0):
        raise _beyond(f"The value is about {Decimal(digits):.2e}")
    return value


def _beyond(what: str) -> OutOfReachError:
    return OutOfReachError(
        f"{what}: the figure is drawn and sampled in float64, which cannot hold such numbers and their squares.",
        "The closed form and the digits above it are exact; for a figure, rescale the covariance or the formula.",
    )


def _engine(moment: Any, values: Mapping[str, Any]) -> Any:
    """The closed form itself; where it contains an integral, the expectations of signs that equal it."""
    import sympy

    from theory.expressions.functions import Phi2
    from theory.gaussian.expectation import Quadrature

    if moment.closed_form.has(sympy.Integral, Phi2, Quadrature):
        return moment.numeric(**{symbol.name: values[symbol.name] for symbol in moment.parameters})
    return _number(moment.closed_form, values)


def _with(side: "sympy.Expr", number_of: Callable[["Expectation"], Any], values: Mapping[str, Any]) -> Any:
    """A side with a number, or an array of them, in the place of each expectation."""
    import sympy

    # No parameter of a user can have a name with a bracket.
    names = {e: sympy.Symbol(f"E[{k}]", real=True) for k, e in enumerate(side.atoms(_expectation()))}
    return _number(side.xreplace(names), {**values, **{symbol.name: number_of(e) for e, symbol in names.items()}})


def _measured(
    side: "sympy.Expr", statement: "Statement", rest: Mapping[str, float], name: str, at: np.ndarray, index: int
) -> tuple[np.ndarray, np.ndarray]:
    """The side at each mark with sampled expectations, from separate examples, and its standard error."""
    points = []
    for place, value in enumerate(at):
        values = {**rest, name: value}
        numbered = enumerate(statement.expectations)
        drawn = {e: _draws(e, values, EXAMPLES, (index, place, number)) for number, e in numbered}
        points.append(_side_of_means(drawn, side, values))
    means, errors = (np.array(column) for column in zip(*points, strict=True))
    return means, errors


def _draws(e: "Expectation", values: Mapping[str, float], count: int, seed: tuple[int, ...]) -> np.ndarray:
    """The integrand at `count` independent examples of its Gaussian."""
    root = _root(e.cov, values)
    z = np.random.default_rng(seed).standard_normal((count, len(root))) @ root.T
    variables = {f"z{k + 1}": z[:, k] for k in range(len(root))}
    return np.broadcast_to(_number(e.integrand, {**values, **variables}), count)


def _side_of_means(
    drawn: Mapping["Expectation", np.ndarray], side: "sympy.Expr", values: Mapping[str, float]
) -> tuple[float, float]:
    """The side at the means of all examples, and its standard error from the means of groups of them."""
    parts = {e: np.array([part.mean() for part in np.array_split(numbers, GROUPS)]) for e, numbers in drawn.items()}
    groups = np.broadcast_to(_with(side, parts.__getitem__, values), GROUPS)
    mean = _with(side, lambda e: drawn[e].mean(), values)
    return float(mean), float(np.std(groups, ddof=1) / np.sqrt(GROUPS))


def comparison_csv(view: Comparison) -> str:
    """The figure's numbers as comma-separated values, one row a point; a standard error where it is sampled."""
    rows = [
        {"curve": name, view.axis: float(x), "value": float(value), "standard error": ""}
        for name, values in view.sides.items()
        for x, value in zip(view.x, values, strict=True)
    ]
    rows += [
        {"curve": f"{name}, sampled", view.axis: float(x), "value": float(mean), "standard error": float(error)}
        for name, columns in view.sampled.items()
        for x, mean, error in zip(view.at, *columns, strict=True)
    ]
    if view.counterexample is not None:
        x, *sides = view.counterexample
        rows += [
            {"curve": f"{name}, counter-example", view.axis: x, "value": value, "standard error": ""}
            for name, value in zip(view.sides, sides, strict=True)
        ]
    return csv_text(rows)
