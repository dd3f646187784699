"""The answer of `gdln amplifier`: phi and its elasticity for a marginal, and the flat state of a law."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from derivations.answers.reading import read_problem
from derivations.output import columns
from theory.expressions.language import parse
from theory.moments.amplifier import (
    Amplifier,
    FlatState,
    FormulaMarginal,
    certified_amplifier,
    critical_gain,
    flat_state_of,
    sampled,
    unit_marginal,
)
from theory.moments.amplifier.float64 import UNIT, require_sizes
from theory.moments.inputs import Density, Values, input_statistics
from theory.moments.sampled import is_estimated
from theory.problem import InputError, Law, OutOfReachError
from theory.problem.user_files import read_bytes, read_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CURVE = np.linspace(0.02, 0.98, 49)
_CURVE_CERTIFIED = np.linspace(0.04, 0.96, 24)  # each point is an integral in balls
_CURVE_DIGITS = 8
_MOST = 1000  # values of a
_SHOWN = 10  # digits of float64
_LARGEST = 2**28  # bytes of samples


@dataclass(frozen=True)
class MarginalInput:
    """The marginal as the user gives it: exactly one of `problem`, `marginal`, `values`, `samples`, `quantile`."""

    problem: Path | None = None
    marginal: str | None = None
    kind: str = "density"
    support: str = "-oo, oo"
    values: str | None = None
    samples: Path | None = None
    quantile: Path | None = None
    rescale: bool = False
    settings: tuple[str, ...] = ()  # of the problem, as those of theory.problem.load

    def __post_init__(self) -> None:
        ways = ("problem", "marginal", "values", "samples", "quantile")
        sources = [field.name for field in fields(self) if field.name in ways and getattr(self, field.name) is not None]
        if len(sources) != 1:
            raise InputError(
                f"{len(sources)} marginals are given; one is needed.",
                "Give a problem file, --marginal, --values, --samples or --quantile.",
            )
        if self.settings and self.problem is None:
            raise InputError("--set changes a problem, and none is given.", "Leave --set out.", "usage")
        if self.marginal is None and (self.kind, self.support) != ("density", "-oo, oo"):
            raise InputError(
                "--kind and --support say how a formula is read, and there is no formula.",
                "Give --marginal, or leave them out.",
            )


@dataclass(frozen=True)
class Row:
    """phi and the elasticity at one a; `error` bounds phi where it is certified, and is its standard error for samples.

    Values are decimal strings where certified. The elasticity is None where it is not defined or not computed.
    """

    a: sympy.Expr
    phi: str | float
    elasticity: str | float | None
    error: str | float | None


# phi and elasticity of a marginal at several a, as rows.
Source = Callable[[list[sympy.Expr]], list[Row]]


@dataclass(frozen=True)
class AmplifierAnswer:
    """phi and elasticity at several a. `method` is certified, float64 or samples; `flat` is the flat state of a law.

    `gain` is the gain at which the flat state changes its stability, where that was asked for.
    """

    name: str
    method: str
    rows: tuple[Row, ...]
    source: Source
    flat: FlatState | None = None
    gain: float | None = None

    def json(self) -> dict[str, Any]:
        """The object that `gdln amplifier --json` prints."""
        return {
            "marginal": self.name,
            "method": self.method,
            "at": [
                {"a": str(row.a), "phi": row.phi, "elasticity": row.elasticity, "error": row.error} for row in self.rows
            ],
            "flat": None
            if self.flat is None
            else {
                "a": self.flat.a,
                "elasticity": self.flat.elasticity,
                "critical_elasticity": self.flat.critical,
                "mode": self.flat.mode,
                "unstable": self.flat.unstable,
                "rates": self.flat.rates,
            },
            "critical_gain": self.gain,
        }

    def text(self) -> str:
        """The lines for a reader."""
        note = {
            "certified": "certified: all digits but the last two are correct",
            "float64": "float64, by quadrature",
            "samples": "estimates with standard errors; the elasticity without",
        }[self.method]
        lines = [f"marginal  {self.name}", f"          {note}"]
        table = [("a", "phi(a)", "d ln phi/d ln a", "error")]
        table += [(str(row.a), _word(row.phi), _word(row.elasticity), _word(row.error, 2)) for row in self.rows]
        lines += columns(table, str.ljust)
        if self.flat is not None:
            flat = self.flat
            q = fastest_mode(flat)
            said = "unstable" if flat.unstable else "stable"
            lines += [
                "",
                f"flat state of one ReLU neuron under the closure: {said}",
                f"  a_0 = {flat.a:.6g}, elasticity {flat.elasticity:.6g}, critical elasticity {flat.critical:.6g} "
                f"(mode {flat.mode})",
                f"  fastest mode {q}: rate {flat.rates[q]:.6g}/tau",
            ]
        if self.gain is not None:
            lines.append(f"  the stability changes at the gain {self.gain:.8g}")
        return "\n".join(lines)

    def figure(self) -> "Figure":
        """phi and the elasticity against a, beside those of a Gaussian pixel."""
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        from theory.flow.picture import COLOURS, STYLE

        a = _CURVE_CERTIFIED if self.method == "certified" else _CURVE
        rows = self.source([sympy.Rational(round(1000 * float(x)), 1000) for x in a])
        curves = ([float(row.phi) for row in rows], [float(row.elasticity) for row in rows])
        gaussian = (np.sqrt(2 / np.pi) * a, np.ones(len(a)))
        with rc_context(STYLE):
            figure = Figure(figsize=(8.4, 3.2), layout="constrained")
            axes = figure.subplots(1, 2)
            for axis, curve, plain, label in zip(axes, curves, gaussian, ("phi(a)", "d ln phi/d ln a"), strict=True):
                axis.plot(a, curve, color=COLOURS[0], label="this marginal")
                axis.plot(a, plain, "--", color="#777777", label="Gaussian")
                axis.set(xlabel="a", ylabel=label)
            axes[0].legend(fontsize=8, frameon=False)
        return figure


def _word(value: str | float | None, digits: int = _SHOWN) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.{digits}g}"


def answer(inputs: MarginalInput, at: str = "0.5", digits: int = 15, gains: str | None = None) -> AmplifierAnswer:
    """Return phi and its elasticity at the numbers in `at`, separated by commas; see `gdln amplifier --help`.

    Raises InputError for a marginal that is not one of mean 0 and variance 1, OutOfReachError for heavy tails.

    >>> answer(MarginalInput(values="-1: 1/2, 1: 1/2"), "3/5", 10).rows[0].phi
    '0.546745295246'
    """
    points = [parse(part) for part in at.split(",")]
    if len(points) > _MOST:
        raise InputError(f"{len(points)} values of a: at most {_MOST} are computed.", "Give fewer.")
    if not all(a.is_real and abs(a) <= 1 for a in points):
        wrong = next(a for a in points if not (a.is_real and abs(a) <= 1))
        raise InputError(f"a = {wrong} is not a correlation, -1 <= a <= 1.", "Give --at numbers between -1 and 1.")
    if gains is not None and inputs.problem is None:
        raise InputError("--gains is a question on a problem.", "Give a problem file.")
    if inputs.problem is not None:
        return _of_problem(inputs, points, gains)
    name, method, source, curve = _source(inputs, digits)
    return AmplifierAnswer(name, method, tuple(source(points)), curve)


def _source(inputs: MarginalInput, digits: int) -> tuple[str, str, Source, Source]:
    """The name, the method, phi at points, and phi along a curve."""
    if inputs.samples is not None:
        x = _numbers(inputs.samples, 1).ravel()
        source = _of_samples(x, inputs.rescale)
        return f"{len(x)} samples of {inputs.samples}", "samples", source, source
    if inputs.quantile is not None:
        marginal = _table(inputs.quantile)
        source = _in_float64(unit_marginal(marginal) if inputs.rescale else marginal)
        return f"quantiles of {inputs.quantile}", "float64", source, source
    if inputs.values is not None:
        exact = _values(inputs.values, inputs.rescale)
        return inputs.values, "certified", _certified(exact, digits), _certified(exact, _CURVE_DIGITS)
    if inputs.rescale:
        raise OutOfReachError(
            "A formula is not rescaled: its variance is known up to an error.",
            "Write the density with variance 1: r p(r x), r the standard deviation.",
        )
    ends = [part.strip() for part in inputs.support.split(",")]
    if len(ends) != 2:
        raise InputError(f"--support {inputs.support!r} has {len(ends)} ends.", 'Write "-sqrt(3), sqrt(3)".')
    formula = FormulaMarginal(inputs.marginal, inputs.kind, (ends[0], ends[1]))
    name = f"{inputs.kind} {inputs.marginal}"
    return name, "certified", _certified(formula, digits), _certified(formula, _CURVE_DIGITS)


def class_of_one(law: Law) -> int:
    """Return the number of the class y = 1, or 0 where there is none."""
    return list(law.labels).index(1) if 1 in law.labels else 0


def fastest_mode(flat: FlatState) -> int:
    """Return the mode that grows fastest, or decays slowest, of those that are not flat."""
    return int(np.argmax(flat.rates[1 : len(flat.rates) // 2 + 1])) + 1


def _of_problem(inputs: MarginalInput, points: list[sympy.Expr], gains: str | None) -> AmplifierAnswer:
    law = read_problem(inputs.problem, inputs.settings).data
    c = class_of_one(law)
    name, statistics = f"site 0 of class {c} of {law.law}", input_statistics(law, c)
    mean, variance = float(statistics.mean[0]), float(statistics.variance[0])
    if abs(mean) > UNIT or abs(variance - 1) > UNIT:
        name += f", less its mean {mean:.4g} and over its standard deviation {variance**0.5:.4g}"
    if is_estimated(law):
        x = statistics.x[:, 0]
        name, method, source = f"{name}, {len(x)} examples", "samples", _of_samples(x, True)
    else:
        method, source = "float64", _in_float64(unit_marginal(statistics.marginal(0)))
    gain = None
    if gains is not None:
        bracket = [float(parse(part)) for part in gains.split(",")]
        if len(bracket) != 2 or not 0 < bracket[0] < bracket[1]:
            raise InputError(f"--gains {gains!r} is not a bracket.", 'Write two gains in ascending order, "0.1, 3".')
        gain = critical_gain(law, *bracket)
    try:
        flat = flat_state_of(law)
    except InputError:
        # A law off the ring, or with other labels, has an amplifier and no flat state.
        if gains is not None:
            raise
        flat = None
    return AmplifierAnswer(name, method, tuple(source(points)), source, flat, gain)


def _certified(marginal: FormulaMarginal | Values, digits: int) -> Source:
    def source(points: list[sympy.Expr]) -> list[Row]:
        rows = []
        for a in points:
            phi, elasticity = certified_amplifier(marginal, a, digits)
            rows.append(Row(a, phi.value, None if elasticity is None else elasticity.value, phi.radius))
        return rows

    return source


def _in_float64(marginal: Density | Values) -> Source:
    amplifier = Amplifier(marginal)

    def source(points: list[sympy.Expr]) -> list[Row]:
        a = np.array([float(point) for point in points])
        inside = np.abs(a) < 1
        slopes = amplifier.elasticity(np.where(inside, a, 0.0))
        return [
            Row(point, float(phi), float(slope) if inner else None, None)
            for point, phi, slope, inner in zip(points, amplifier.at(a), slopes, inside, strict=True)
        ]

    return source


def _of_samples(x: np.ndarray, rescale: bool) -> Source:
    def source(points: list[sympy.Expr]) -> list[Row]:
        estimate = sampled(x, np.array([float(point) for point in points]), rescale)
        rows = zip(points, estimate.value.tolist(), estimate.elasticity.tolist(), estimate.error.tolist(), strict=True)
        return [Row(a, phi, slope if np.isfinite(slope) else None, error) for a, phi, slope, error in rows]

    return source


def _values(text: str, rescale: bool) -> Values:
    pairs = [part.split(":") for part in text.split(",")]
    if not all(len(pair) == 2 for pair in pairs):
        raise InputError(f"{text!r} does not give values with probabilities.", 'Write "-1: 1/2, 1: 1/2".')
    x, p = ([parse(pair[place]) for pair in pairs] for place in (0, 1))
    if rescale:
        mean = sum(each * weight for each, weight in zip(x, p, strict=True))
        variance = sum((each - mean) ** 2 * weight for each, weight in zip(x, p, strict=True))
        if not variance.is_positive:
            raise InputError("The values do not vary.", "Give two values at least, with positive probabilities.")
        x = [(each - mean) / sympy.sqrt(variance) for each in x]
    return Values(tuple(x), tuple(p))


def _numbers(path: Path, columns: int) -> np.ndarray:
    """The numbers in a .npy file, or in a text file of so many columns."""
    import io

    try:
        if path.suffix == ".npy":
            array = np.lib.format.read_array(io.BytesIO(read_bytes(path, _LARGEST)))
            if array.dtype.kind not in "fiu":
                raise InputError(f"{path} holds {array.dtype}, not real numbers.", "Save float64 or integers.", "file")
            return array.astype(float)
        rows = [line.replace(",", " ").split() for line in read_text(path, _LARGEST).splitlines()]
        numbers = [[float(word) for word in row] for row in rows if row and not row[0].startswith("#")]
    except (ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a table of numbers ({error}).", "Give numbers only.", "file") from None
    lengths = sorted({len(row) for row in numbers})
    if not numbers:
        raise InputError(f"{path} has no numbers.", "Give one row a line.", "file")
    if len(lengths) > 1:
        raise InputError(f"{path} has rows of {lengths[0]} and of {lengths[-1]} numbers.", "Give rows alike.", "file")
    if columns > 1 and lengths != [columns]:
        raise InputError(f"{path} has rows of {lengths[0]} numbers, not of {columns}.", "Give one row a line.", "file")
    return np.array(numbers)


def _table(path: Path) -> Density:
    """The marginal whose quantile function interpolates rows of p and x linearly."""
    p, x = _numbers(path, 2).T
    require_sizes(x, "quantile")
    if len(p) < 2 or not ((np.diff(p) > 0).all() and (np.diff(x) > 0).all()) or (p[0], p[-1]) != (0, 1):
        raise InputError(f"{path} is not a quantile table.", "Give p from 0 to 1 and x, both ascending.", "file")
    slopes = np.diff(p) / np.diff(x)

    def density(at: np.ndarray) -> np.ndarray:
        place = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(slopes) - 1)
        return np.where((at >= x[0]) & (at <= x[-1]), slopes[place], 0.0)

    return Density(density, lambda at: np.interp(at, x, p), float(x[0]), float(x[-1]))
