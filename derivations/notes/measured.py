"""Claims on a problem: numbers of its exact solution and of trained networks, held against a formula in its fields.

The exact level takes the solution in float64 and allows its rounding, or half a unit in the last place of a number that
is written as a decimal. The simulated level of an equation is the test of the built-in claims
(`statistics.comparison`); bounds and orders are judged by Student's simultaneous intervals, as those of the
experiments. Several values of a field share the level.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from derivations.notes.reading import LEVEL, NoteClaim, Quantity, half_unit, quantity, related
from derivations.statistics.comparison import resampled_intervals, seed_for
from derivations.statistics.intervals import Intervals, intervals
from sim.measure import measure
from sim.measure.measuring import prepare_in_torch
from sim.measure.source import OnFresh, Source, values_of
from sim.random.streams import reference_normals
from sim.train import train
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome
from theory.claims.mutants import mutants
from theory.expressions.algebra import prove_equal
from theory.expressions.language import Names, parse
from theory.flow import Solution, discrete, solve
from theory.flow.linear.accuracy import EPS, ROUNDINGS
from theory.moments.null_levels import gaussian_ratio
from theory.problem import OBSERVABLES, InputError, Network, OutOfReachError, Problem, WorkbenchError, dumps
from theory.problem.numbers import nearest
from theory.problem.observables import WORDS
from theory.problem.toml import tables_of

# The numbers of a solution that are no observables, with their axes.
SOLVED = {"mse": (), "rate": ("rate",), "rank": (), "condition": ()}
OF_SOLUTIONS = {
    "mse": "<(y - yhat)^2> at the optimum",
    "rate": "the decay rates of gradient flow in 1/tau, ascending",
    "rank": "the rank of the gated moments",
    "condition": "the largest eigenvalue over the smallest that is not 0",
}
DATA, OF_GRAPHS = ("input-output-moment", "input-moment"), ("weight-sizes", "path-strengths", "map-modes")
NAMES = tuple(name for name, kind in OBSERVABLES.items() if kind.axes[0] == "time" or name in DATA)
PEAK = "peak"  # the weight of a unit that is largest in size, with its sign
MARGIN = 0.02  # of equivalence where a claim states networks and no margin
_FEW = 1e-3  # a share of a number by which steps of descent may differ from the flow without a word
# The largest slope of a ratio that has an order, where it halves or is so small; one that halves may still vanish.
SLOPE, SETTLED, FALLING = 0.02, 0.001, 0.5
FOREVER = ("oo", "infinity")
RANDOM = "random"
NO_FIELDS = ("times", "seed", "w0")


@dataclass(frozen=True)
class Case:
    """One problem of a claim, the values that were varied, and the quantity that the claim names."""

    claim: NoteClaim
    values: Mapping[str, Any]
    problem: Problem
    what: Quantity

    @property
    def name(self) -> str:
        """The observable, or a number of the solution."""
        return WORDS.get(self.what.name, self.what.name)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The axes of the number behind its time. Raises InputError for an unknown name, or too many indices."""
        known = (*SOLVED, PEAK, *NAMES, *WORDS)
        if self.name not in known:
            hint = f"{nearest(self.name, known)}gdln validate --names FILE lists the names of a problem."
            raise InputError(f"{self.what.name} names no number of a problem.", hint)
        model = getattr(self.problem.network, "model", "")
        if self.name in SOLVED and model != "gated-linear":
            hint = "State loss at a time, and networks = 64."
            raise InputError(f"{self.what.name} belongs to an exact solution, which {model} networks lack.", hint)
        axes: tuple[str, ...] = SOLVED[self.name] if self.name in SOLVED else self._kind.axes  # noqa: SIM401 - lazily
        axes = axes[:2] if self.name == PEAK else axes
        axes = axes[1:] if axes[:1] == ("time",) else axes
        if len(self.what.entry) > len(axes):
            listed = ", ".join(axes) or "none"
            raise InputError(f"{self.what} has {len(self.what.entry)} indices.", f"Its axes are: {listed}.")
        sizes = {"unit": getattr(self.problem.network, "units", None), "site": self.problem.data.n}
        for axis, index in zip(axes, self.what.entry, strict=False):
            if sizes.get(axis) is not None and index >= sizes[axis]:
                raise InputError(f"{self.what}: {axis} {index} is outside of {sizes[axis]}.", "Indices count from 0.")
        return axes

    @property
    def _kind(self) -> type:
        return OBSERVABLES["weights" if self.name == PEAK else self.name]

    @property
    def timed(self) -> bool:
        """Whether the number has a time."""
        return self.name not in SOLVED and self._kind.axes[0] == "time"

    @property
    def time(self) -> Fraction | None:
        """The time; None for infinity. Raises InputError for another text, or where a time is needed or makes none."""
        if self.what.time is not None and not self.timed:
            raise InputError(f"{self.what.name} has no time.", f"Drop `at {self.what.time}`.")
        if self.what.time is None or self.what.time in FOREVER:
            return None
        try:
            time = Fraction(self.what.time)
        except (ValueError, ZeroDivisionError):
            time = Fraction(-1)
        if time < 0:
            raise InputError(f"{self.what.time} is no time.", "Write at 32, or at infinity.")
        return time

    @cached_property
    def fields(self) -> dict[str, Fraction]:
        """The numbers of the problem by name: fields of the data, the number of units, and the time."""
        numbers = dict(_numbers(self.problem))
        if self.time is not None:
            numbers["t"] = self.time
        if self.name == "participation-ratio":
            numbers[RANDOM] = Fraction(gaussian_ratio(self.problem.data.n))
        return numbers

    def right(self, form: sympy.Expr) -> float:
        """Return a right side at the fields of the problem. Raises InputError where it is not a number."""
        value = form.xreplace({sympy.Symbol(name, real=True): sympy.Rational(x) for name, x in self.fields.items()})
        try:
            number = complex(sympy.N(value, 30))
        except TypeError:
            number = complex("nan")
        if number.imag or not np.isfinite(number.real):
            raise InputError(f"{form} is not a finite number at {self.place or 'the problem'}.", "Change the formula.")
        return number.real

    @property
    def place(self) -> str:
        """The varied values in words."""
        return ", ".join(f"{key} = {value}" for key, value in self.values.items())

    @cached_property
    def exact(self) -> tuple[np.ndarray, float]:
        """the entries that the claim names by the exact solution, and the bound on their rounding.

        Raises OutOfReachError where the problem, or the number, has no exact value.
        """
        solution = solve(self.problem)
        if solution.uncertainty is not None:
            raise OutOfReachError("the moments of the data are estimated, not exact", "State networks = 32.")
        values = np.asarray(self._of_solution(solution), dtype=float)
        scale = float(np.abs(values).max()) if values.size else 0.0
        rounding = ROUNDINGS * EPS * float(solution.condition) * max(scale, 1.0)
        return self._entries(values), rounding

    def _of_solution(self, solution: Solution) -> np.ndarray:
        if self.name in SOLVED:
            return np.asarray(getattr(solution, "rates" if self.name == "rate" else self.name), dtype=float)
        if not self.timed:
            raise OutOfReachError(f"{self.name} is measured on examples", "State networks = 32.")
        if self.name == "loss":
            if self.time is None:
                return np.asarray(solution.mse, dtype=float)
            return np.asarray(solve(self.problem, times=(self.time,)).losses[0], dtype=float)
        weights = solution.fixed_point if self.time is None else solution.at(self.time)
        if self.name in ("weights", PEAK):
            return _peaks(weights) if self.name == PEAK else weights
        parameters = {"w": np.asarray(weights, dtype=float)[None, None]}
        source = Source(self.problem, (0,), "cpu", reference_normals, parameters, prepare_in_torch)
        values = values_of(self._kind(), source)
        if isinstance(values, OnFresh):
            raise OutOfReachError(f"{self.name} is measured on examples", "State networks = 32.")
        return np.asarray(values)[0, 0]

    def _entries(self, values: np.ndarray, first: int = 0) -> np.ndarray:
        """Return the entries that the claim names; `first` axes stand before them."""
        shape = values.shape[first:]
        if any(index >= size for index, size in zip(self.what.entry, shape, strict=False)):
            raise InputError(f"{self.what} is outside of the shape {shape}.", "Indices count from 0.")
        return values[(slice(None),) * first + self.what.entry]

    def index(self) -> int | None:
        """Return the place of the time among those of the networks; None for a number without a time.

        Raises InputError for a number that networks do not have, and for another time.
        """
        if self.name in SOLVED:
            raise InputError(f"{self.name} belongs to the exact solution.", "Of networks, state loss at a time.")
        if not self.timed:
            return None
        if self.time is None:
            raise InputError(f"{self.what} has no time.", f"Write {self.what.name} at 32: networks train so long.")
        times = list(self.problem.training.times)
        if self.time not in times:
            listed = ", ".join(f"{float(t):g}" for t in times)
            raise InputError(f"The problem has no time {float(self.time):g}.", f"Its times are: {listed}.")
        return times.index(self.time)

    def measured(self) -> np.ndarray:
        """Train the networks, and return the entries for each, (R, ...). Raises as training does."""
        networks, settings = self.claim.networks, self.problem.simulated()
        seed = seed_for(f"{self.claim.id}/{self.place}")
        settings = replace(settings, seed=seed, replicates=networks or settings.replicates, shared_stream=False)
        problem, index = replace(self.problem, simulation=settings), self.index()
        source = train(problem, "auto") if self.timed else problem
        estimate = measure(self._kind(), source)
        if estimate.diverged:
            raise OutOfReachError(f"{estimate.diverged} networks diverged", "Lower the learning rate.")
        values = estimate.values if index is None else estimate.values[:, index]
        return self._entries(_peaks(values) if self.name == PEAK else values, 1)


def _peaks(weights: np.ndarray) -> np.ndarray:
    place = np.abs(weights).argmax(axis=-1)[..., None]
    return np.take_along_axis(weights, place, axis=-1)[..., 0]


def _numbers(problem: Problem) -> Iterator[tuple[str, Fraction]]:
    """Yield the numbers of [data], [network], [training] and [simulation]; a list gives xi0, xi1, ...."""
    for table in tables_of(dumps(problem), "problem").values():
        for key, value in table.items() if isinstance(table, Mapping) else ():
            if key in NO_FIELDS:
                continue
            entries = {f"{key}{k}": one for k, one in enumerate(value)} if isinstance(value, list) else {key: value}
            for name, one in entries.items():
                try:
                    yield name, Fraction(str(one)) if not isinstance(one, bool | Mapping | list) else Fraction("")
                except ValueError:
                    continue
    yield "n", Fraction(problem.data.n)
    if hasattr(problem.network, "units"):
        yield "units", Fraction(problem.network.units)


def check(one: NoteClaim) -> None:
    """Raise InputError, with the place in the note, for a name, an entry, a time or a right side that is none."""
    try:
        cases = [Case(one, values, problem, quantity(one.sentence.left)) for values, problem in one.varied]
        form = _right(one, cases[0])
        _ = [(case.axes, case.time, case.right(form)) for case in cases]
        if one.trained:
            _ = [case.index() for case in cases]
        if one.sentence.relation == "~":
            _axis(cases)
    except InputError as error:
        raise InputError(f"{one.place}: {error.message}", error.hint, error.kind) from None


def judge(one: NoteClaim, progress: Any = lambda _share: None) -> tuple[Claim, tuple[CheckResult, ...]]:
    """Return the claim and the result of each level of a claim on a problem.

    Raises InputError for a name, an entry, a time or a right side that is none, with the place in the note.
    """
    sentence = one.sentence
    try:
        cases = [Case(one, values, problem, quantity(sentence.left)) for values, problem in one.varied]
        form = _right(one, cases[0])
        claim = Claim(one.id, one.title, Kind.EMPIRICAL, related(str(cases[0].what), sentence.relation, form))
        _ = [(case.axes, case.time, case.right(form)) for case in cases]
        results = [_exact(one, cases, form)]
        results += _trained(one, cases, form, progress) if one.trained else []
    except InputError as error:
        raise InputError(f"{one.place}: {error.message}", error.hint, error.kind) from None
    if results[0].outcome is Outcome.SKIPPED and not one.trained:
        said = f"{results[0].where}; state networks = 32 to train some"
        results = [replace(results[0], outcome=Outcome.INCONCLUSIVE, where=said)]
    elif results[0].outcome is not Outcome.SKIPPED and sentence.relation == "=":
        results.insert(1, _control(one, cases, form))
    return claim, tuple(results)


def _right(one: NoteClaim, case: Case) -> sympy.Expr:
    """Return the right side in the fields of the problem."""
    if RANDOM not in case.fields and re.search(rf"\b{RANDOM}\b", one.sentence.right):
        raise InputError(
            f"{RANDOM} is the participation ratio of random weights.", "Use it beside participation-ratio."
        )
    names = {name: sympy.Symbol(name, real=True) for name in case.fields}
    try:
        return parse(one.sentence.right, Names(parameters=names))
    except InputError as error:
        listed = ", ".join(names)
        raise InputError(f"{error.message}", f"{error.hint} The fields of the problem are: {listed}.") from None


def _exact(one: NoteClaim, cases: list[Case], form: sympy.Expr) -> CheckResult:
    """Hold the exact solution against the right side at every value."""
    try:
        held = [(case, *case.exact, case.right(form)) for case in cases]
    except OutOfReachError as error:
        return CheckResult(one.id, Level.FLOATING, Outcome.SKIPPED, where=error.message)
    relation = one.sentence.relation
    if relation == "~":
        left = np.array([float(np.abs(values).max()) for _, values, _, _ in held])
        return _slope(one, Level.FLOATING, cases, left, np.array([right for *_, right in held]))
    worst = None
    for case, values, rounding, right in held:
        allowed = max(_half_unit(one), rounding)
        gaps = _gaps(relation, values, right)
        gap = float(gaps.max())
        if worst is None or gap - allowed > worst[0] - worst[1]:
            where = f"{case.what} is {float(values.reshape(-1)[int(gaps.argmax())]):.15g}, the right side {right:.15g}"
            worst = gap, allowed, where + (f" at {case.place}" if case.place else "")
    gap, allowed, where = worst
    outcome = Outcome.FAIL if gap > allowed else Outcome.PASS
    # A bound that is met to the rounding, and digits beyond it, are not decided.
    near = gap > -allowed if relation != "=" else 0 < _half_unit(one) < max(rounding for _, _, rounding, _ in held)
    if outcome is Outcome.PASS and near:
        outcome, where = Outcome.INCONCLUSIVE, f"{where}: float64 does not tell them apart"
    return CheckResult(one.id, Level.FLOATING, outcome, max(gap, 0.0), allowed, where)


def _gaps(relation: str, values: np.ndarray, right: float) -> np.ndarray:
    """Return by how much each value breaks the relation; negative where a bound holds with room."""
    gap = np.atleast_1d(values - right).reshape(-1)
    return np.abs(gap) if relation == "=" else gap if "<" in relation else -gap


def _half_unit(one: NoteClaim) -> float:
    """Return half a unit in the last place of a decimal to which a number is equal; else 0."""
    half = half_unit(one.sentence.right) if one.sentence.relation == "=" else None
    # The float of the written number may lie a rounding away from it.
    return 0.0 if half is None else float(half) * (1 + EPS) + EPS * abs(float(one.sentence.right))


def _control(one: NoteClaim, cases: list[Case], form: sympy.Expr) -> CheckResult:
    """Every altered right side must break the claim at some value, or be the same function."""
    killed, survivors = 0, []
    for mutant in mutants(form):
        try:
            breaks = any(
                _gaps("=", case.exact[0], case.right(mutant)).max() > max(_half_unit(one), case.exact[1])
                for case in cases
            )
        except InputError:
            breaks = True
        killed += breaks
        if not breaks and prove_equal(mutant, form) is not True:
            survivors.append(mutant)
    if fixed := _fixed(form, cases):
        return CheckResult(one.id, Level.NEGATIVE_CONTROL, Outcome.INCONCLUSIVE, where=fixed)
    if survivors:
        said = f"these values do not tell the right side from {survivors[0]}; vary a field"
        return CheckResult(one.id, Level.NEGATIVE_CONTROL, Outcome.INCONCLUSIVE, float(len(survivors)), 0.0, said)
    return CheckResult(one.id, Level.NEGATIVE_CONTROL, Outcome.PASS, 0.0, 0.0, f"{killed} altered formulas rejected")


def _fixed(form: sympy.Expr, cases: list[Case]) -> str:
    """Return a sentence on the fields of the right side that have one value in all cases; empty where none has."""
    single = sorted(name for name in map(str, form.free_symbols) if len({case.fields[name] for case in cases}) == 1)
    fixed = ", ".join(name for name in single if name not in ("t", RANDOM))
    return f"one value of {fixed} does not test a formula in it; vary it, or write the number" if fixed else ""


def _trained(one: NoteClaim, cases: list[Case], form: sympy.Expr, progress: Any) -> list[CheckResult]:
    """Train the networks of every value, and judge all by one level."""
    samples = []
    try:
        for done, case in enumerate(cases):
            values = case.measured()
            flat, level, doubt = values.reshape(len(values), -1), LEVEL / len(cases), ""
            if one.sentence.relation == "=":
                known, doubt = resampled_intervals(flat, level, seed_for(f"{one.id}/{case.place}/resamples"))
            else:
                known = intervals(flat, level)
            samples.append(Sample(case, known, doubt, len(values), case.right(form)))
            progress((done + 1) / len(cases))
    except InputError:
        raise
    except WorkbenchError as error:
        return [CheckResult(one.id, Level.SIMULATED, Outcome.INCONCLUSIVE, where=error.message)]
    doubt = next((sample.doubt for sample in samples if sample.doubt), "")
    if one.sentence.relation == "~":
        results = [_trained_slope(one, samples)]
    elif one.sentence.relation == "=":
        results = [_equal(one, samples), _trained_control(one, samples, form)]
    else:
        results = [_bounded(one, samples)]
    if doubt:
        known = "" if "inf" in results[0].where else f": {results[0].where}"
        results[0] = CheckResult(one.id, Level.SIMULATED, Outcome.INCONCLUSIVE, where=doubt + known)
    return results


@dataclass(frozen=True)
class Sample:
    """What networks show of one problem of a claim, and the right side there.

    `doubt` says why the level of the intervals is not shown; it is empty where it is.
    """

    case: Case
    known: Intervals
    doubt: str
    networks: int
    right: float

    def describe(self, place: int, places: int = 5) -> str:
        """One entry with its interval, beside the right side."""
        entry = Intervals(*(part[place : place + 1] for part in (self.known.mean, self.known.low, self.known.high)))
        at = f" at {self.case.place}" if self.case.place else ""
        networks = f"{self.case.what} {entry.describe(places)} of {self.networks} networks"
        return f"{networks}, right side {self.right:.6g}{at}"


def _equal(one: NoteClaim, samples: list[Sample]) -> CheckResult:
    """Judge an equation as one of the workbench: not rejected, and equivalent within the margin.

    A claim that states its margin says no more than that: a difference within it is none.
    """
    results = []
    for sample in samples:
        # A number that is written as a decimal claims its digits, and no more.
        allowed = max((one.within or MARGIN) * abs(sample.right), _tolerated(one, sample.right))
        near, far = _apart(sample.known, sample.right), _reach(sample.known, sample.right)
        rejected, equivalent = near.max() > _tolerated(one, sample.right), far.max() <= allowed
        outcome = Outcome.FAIL if rejected else Outcome.PASS if equivalent else Outcome.INCONCLUSIVE
        where = sample.describe(int(near.argmax() if rejected else far.argmax()))
        if rejected and one.within is None and equivalent:
            where += f'; they differ, by less than {MARGIN:.0%}: within = "{MARGIN:.0%}" allows for it'
        if rejected:
            where += _by_steps(sample)
        size = abs(sample.right) or 1.0  # the margin is a share of the right side
        results.append(CheckResult(one.id, Level.SIMULATED, outcome, float(far.max()) / size, allowed / size, where))
    return _worst(results)


def _by_steps(sample: Sample) -> str:
    """Return what gradient descent in steps gives in place of the flow, where its exact law is known for the number."""
    case = sample.case
    if case.name not in ("weights", PEAK):
        return ""
    try:
        weights, flow = discrete(case.problem).weights[case.index()], case.exact[0]
    except (InputError, OutOfReachError):
        return ""
    steps = case._entries(_peaks(weights) if case.name == PEAK else weights)
    if steps.ndim or abs(float(steps - flow)) < _FEW * abs(float(flow)):
        return ""
    return (
        f"; the flow gives {float(flow):.6g} and descent by steps of this size {float(steps):.6g}: "
        "a smaller simulation.learning_rate brings networks nearer to the flow"
    )


def _tolerated(one: NoteClaim, right: float) -> float:
    """Return how far from the right side the networks may certainly lie: the stated margin, or the digits written."""
    return _half_unit(one) if one.within is None else one.within * abs(right)


def _trained_control(one: NoteClaim, samples: list[Sample], form: sympy.Expr) -> CheckResult:
    """Altered right sides must be rejected by the same intervals, at some value."""
    if fixed := _fixed(form, [sample.case for sample in samples]):
        return CheckResult(one.id, Level.NEGATIVE_CONTROL, Outcome.INCONCLUSIVE, where=fixed)
    altered = list(mutants(form))
    left = [mutant for mutant in altered if not any(_rejects(one, sample, mutant) for sample in samples)]
    survivors = [str(mutant) for mutant in left if prove_equal(mutant, form) is not True]
    said = f"{len(altered) - len(left)} altered formulas rejected"
    said += f"; the test cannot tell the right side from {min(survivors, key=len)}" if survivors else ""
    outcome = Outcome.PASS if len(left) < len(altered) else Outcome.INCONCLUSIVE
    return CheckResult(one.id, Level.NEGATIVE_CONTROL, outcome, float(len(survivors)), 0.0, said)


def _rejects(one: NoteClaim, sample: Sample, form: sympy.Expr) -> bool:
    try:
        wrong = sample.case.right(form)
    except InputError:  # it is no number here
        return True
    return bool(_apart(sample.known, wrong).max() > _tolerated(one, wrong))


def _apart(known: Intervals, right: float) -> np.ndarray:
    """Return the least distance of each interval from a number."""
    return np.maximum(np.maximum(known.low - right, right - known.high), 0.0)


def _reach(known: Intervals, right: float) -> np.ndarray:
    """Return the largest distance of each interval from a number."""
    return np.maximum(np.abs(known.low - right), np.abs(known.high - right))


def _worst(results: list[CheckResult]) -> CheckResult:
    order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS)
    return min(results, key=lambda result: order.index(result.outcome))


def _bounded(one: NoteClaim, samples: list[Sample]) -> CheckResult:
    """Judge a bound by the intervals of all entries and values together."""
    below, results = "<" in one.sentence.relation, []
    for sample in samples:
        known = sample.known
        outcome = known.below(sample.right) if below else known.above(sample.right)
        extreme = int((known.high if below else -known.low).argmax())
        results.append(CheckResult(one.id, Level.SIMULATED, outcome, where=sample.describe(extreme)))
    return _worst(results)


def _trained_slope(one: NoteClaim, samples: list[Sample]) -> CheckResult:
    """Judge the order of the largest entry of the means."""
    places = [int(np.abs(sample.known.mean).argmax()) for sample in samples]
    means = np.array([abs(sample.known.mean[place]) for sample, place in zip(samples, places, strict=True)])
    reaches = np.array(
        [(sample.known.high - sample.known.low)[place] / 2 for sample, place in zip(samples, places, strict=True)]
    )
    rights = np.array([sample.right for sample in samples])
    cases = [sample.case for sample in samples]
    return _slope(one, Level.SIMULATED, cases, means, rights, reaches / np.where(means > 0, means, 1.0))


def _slope(
    one: NoteClaim,
    level: Level,
    cases: list[Case],
    left: np.ndarray,
    right: np.ndarray,
    errors: np.ndarray | None = None,
) -> CheckResult:
    """Judge l ~ r: the slope of log |l/r| along the varied field must vanish towards its last value.

    `errors` are the relative half-widths of the intervals of l, which count against it.
    """
    (key,), axis = cases[0].values, _axis(cases)
    if not (left != 0).all() or not (right != 0).all():
        return CheckResult(one.id, level, Outcome.FAIL, where="a side is 0, which has no order")
    steps = np.diff(np.log(axis))
    slopes = np.abs(np.diff(np.log(np.abs(left / right))) / steps)
    noise = np.zeros(len(slopes)) if errors is None else (errors[1:] + errors[:-1]) / np.abs(steps)
    last, before = float(slopes[-1]), float(slopes[-2])
    settled = last + noise[-1] <= SLOPE and (last <= FALLING * before or last <= SETTLED)
    failing = last - noise[-1] > SLOPE and last - noise[-1] > FALLING * (before + noise[-2])
    outcome = Outcome.PASS if settled else Outcome.FAIL if failing else Outcome.INCONCLUSIVE
    where = f"l/r has slopes of size {before:.3g}, then {last:.3g} in {key}, the last from {axis[-2]:g} to {axis[-1]:g}"
    return CheckResult(one.id, level, outcome, last, SLOPE, where)


def _axis(cases: list[Case]) -> np.ndarray:
    """Return the values of the one field that varies. Raises InputError for fewer than three, or no sizes."""
    if len(cases) < 3 or len(cases[0].values) != 1:
        raise InputError("~ needs one field with three values or more.", 'Write vary = { "data.gain" = [1, 10, 100] }.')
    (key,) = cases[0].values
    try:
        axis = np.array([float(Fraction(str(case.values[key]))) for case in cases])
    except ValueError:
        raise InputError(f"{key} has no size, and ~ compares orders along it.", "Vary a number.") from None
    if not (axis > 0).all() or len(set(axis)) < len(axis):
        raise InputError(f"~ compares orders along {key}: its values are sizes.", "Give positive values, each once.")
    return axis


def names(problem: Problem) -> dict[str, Any]:
    """Return what a claim on the problem may name: numbers with axes and definition, and fields with their values."""
    layer = isinstance(problem.network, Network)
    numbers = {}
    if layer and problem.network.model == "gated-linear":
        numbers = {name: {"axes": [*axes], "definition": OF_SOLUTIONS[name]} for name, axes in SOLVED.items()}
    if layer:
        numbers[PEAK] = {"axes": ["time", "unit"], "definition": "the weight of a unit that is largest in size"}
    back = {name: alias for alias, name in WORDS.items()}
    for name in NAMES:
        if name == "loss" or (name in OF_GRAPHS) is not layer:
            kind = OBSERVABLES[name]
            said = " ".join((kind.__doc__ or "").split("\n\n")[0].split()).rsplit(": array")[0]
            numbers[back.get(name, name)] = {"axes": [*kind.axes], "definition": said}
    return {"numbers": numbers, "fields": {name: str(value) for name, value in _numbers(problem)}}
