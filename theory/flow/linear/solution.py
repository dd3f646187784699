"""The exact solution of a gated-linear problem: theory.flow.solve."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Shaped

from theory.flow.linear.accuracy import EPS, FLOAT64_ERROR, ROUNDINGS, WORST_ERROR
from theory.flow.linear.convention import convention
from theory.flow.linear.estimated import Uncertainty, estimated
from theory.flow.linear.near_null import NearNull, notes_of
from theory.flow.linear.parameters import Parameters, initial
from theory.flow.linear.relaxation import FlowNumbers, Modes, relax
from theory.moments import moments_of
from theory.moments.feature_moments import Structure
from theory.problem import InputError, OutOfReachError, Problem, load
from theory.problem.distributions.sampled import GROUPS, SampledLaw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Digits when Arb replaces float64: 17 identify a double, and three more round it correctly.
FLOAT64_DIGITS = 20
MOST_DIGITS = 1000
# Rows of a kernel whose eigenbasis in balls takes seconds to a minute; circulant kernels need no eigensolver.
MOST_ROWS = 160
MOST_CIRCULANT_ROWS = 4096
# Seconds that integrals in balls may take where float64 was asked for.
MOST_SECONDS = 5
_SHOWN_TIMES = 6
# Numbers of a solution that have standard errors where they are estimated.
_UNCERTAIN = ("mse", "fixed_point", "rates", "weights", "condition", "losses", "hidden_biases", "output_bias")
_UNCERTAIN += ("fixed_hidden_biases", "fixed_output_bias")


@dataclass(frozen=True, repr=False)
class Solution:
    """Gradient flow on the population loss; numbers are float64, or decimal strings where digits were asked for.

    mse: <(y - yhat)^2> at the optimum, <y^2> - b.A^+ b (no factor 1/2). fixed_point: w(inf) from w0,
    A^+ b/s + (I - A A^+) w0. rates: ascending eigenvalues ell s^2 lambda(A) of the flow's generator in 1/tau, exactly
    0 where gates are linearly dependent. weights: w(t) at `times`, which are t, not t/tau. losses:
    <(y - yhat)^2> there.
    condition: largest over smallest nonzero eigenvalue of A, of those that are not near_null. rank: of A, from the
    gates' exact linear dependence; for laws of finitely many inputs from A in fractions.
    notes: how the numbers were computed. digits: None for float64. near_null: the modes that were held at w0 because
    their eigenvalues are too near 0 for float64, with error bounds; None where there are none. With such modes, mse is
    the optimum over the others, fixed_point is w(0) along the held ones, and eigenvalues below 0 by rounding are 0.
    in_balls: float64 numbers are certified ones, rounded once.

    With trained biases theta = (w, b_1, ..., b_K, b_out) stands for w: P = K n + K + 1 rates, and hidden_biases,
    output_bias at `times`, fixed_hidden_biases, fixed_output_bias at infinity. Without them, and where they are fixed,
    P = K n and these four are None; fixed biases enter mse, weights and losses.

    With labels of m > 1 numbers each output has the same A and its own b: fixed_point and weights are (..., K, m, n),
    hidden biases (..., K, m) and output biases (..., m); rates, condition and rank are those of one output, mse and
    losses are sums over all. problem: the problem that was solved.

    uncertainty: for a law that is known by its examples, how the moments were estimated, and the standard errors of all
    numbers; None where the moments are exact. mse and losses are then corrected for their bias.
    """

    mse: Any
    fixed_point: Shaped[np.ndarray, "K *m n"]
    rates: Shaped[np.ndarray, " P"]
    weights: Shaped[np.ndarray, "T K *m n"]
    condition: Any
    rank: int
    times: Shaped[np.ndarray, " T"]
    losses: Shaped[np.ndarray, " T"]
    notes: tuple[str, ...]
    digits: int | None = None
    hidden_biases: Shaped[np.ndarray, "T K *m"] | None = None
    output_bias: Shaped[np.ndarray, "T *m"] | None = None
    fixed_hidden_biases: Shaped[np.ndarray, "K *m"] | None = None
    fixed_output_bias: Any = None
    near_null: NearNull | None = None
    in_balls: bool = False
    problem: Problem | None = None
    uncertainty: Uncertainty | None = None

    def __repr__(self) -> str:
        """Return one line: the size of the problem, its optimum, rank and condition, and the names of the arrays."""
        units, *outputs, n = self.fixed_point.shape
        said = f", {outputs[0]} outputs" if outputs else ""
        least, condition = (x if isinstance(x, str) else f"{x:.6g}" for x in (self.mse, self.condition))
        times = ", ".join(str(t) if isinstance(t, str) else f"{t:g}" for t in self.times[:_SHOWN_TIMES])
        times += ", ..." if len(self.times) > _SHOWN_TIMES else ""
        return (
            f"<Solution: {units} units of {n} sites{said}; mse {least}, rank {self.rank} of {len(self.rates)}, "
            f"condition {condition}; fixed_point, rates, weights and losses at t = {times}>"
        )

    def at(self, time: Any) -> Shaped[np.ndarray, "K *m n"]:
        """Return w(t) at any `time` t >= 0, by a new solution with the same accuracy.

        >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
        >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
        >>> solution = solve(Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,))))
        >>> solution.at(2).round(6).tolist()
        [[0.632121, -0.632121]]
        """
        return solve(self._question(), self.digits, times=(time,)).weights[0]

    def plot(self) -> "Figure":
        """Return a figure of the fields at up to three times and at infinity, and of the loss against time.

        `solution.plot().savefig("fields.png")` writes it. Raises OutOfReachError for labels of several numbers.
        """
        from theory.flow.picture import Series, fine_times, picture, require_one_output

        question, curve = self._question(), None
        require_one_output(question.data)
        times, weights, losses, end = (
            numbers.astype(float) for numbers in (self.times, self.weights, self.losses, self.fixed_point)
        )
        if len(times) > 1:
            dense = solve(question, times=fine_times(times))
            curve = Series("", dense.times, dense.weights, dense.losses)
        name = "gradient flow" if self.uncertainty is None else "gradient flow on estimated moments"
        flow = Series(name, times, weights, losses, end=end, least=float(self.mse), curve=curve)
        return picture(question.data, [flow])

    def _question(self) -> Problem:
        if self.problem is None:
            raise InputError("This solution has no problem to plot.", "Use a solution from theory.flow.solve.")
        return self.problem


def solve(problem: Problem | str | Path, digits: int | None = None, times: Sequence[Any] | None = None) -> Solution:
    """Fixed point, rates, trajectory and losses of tau dw/dt = ell s (b - s A w) (notes, eq. 8-16, corrected).

    Numbers are float64 by default. Where the condition number requires more digits than float64 has, they come from
    certified balls, and `notes` says so. Where balls are too slow, modes whose eigenvalues float64 does not separate
    from 0 keep their initial values; `near_null` and `notes` give their number and proved bounds on the error. With
    `digits`, every number is a decimal string of that many correct significant digits (entries below 10^-digits of the
    largest in their array, of weights and biases together: as many as are certain). `problem` may also be the path of a
    problem file. `times`, t >= 0 and increasing, replace those of the problem. A law that is known by its examples has
    estimated moments, and the solution an `uncertainty`, its standard errors.

    Raises OutOfReachError for networks without fixed gates, laws and gates without closed moments, and digits of
    problems too large or too ill-conditioned; InputError for digits outside 1..1000.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,)))
    >>> solve(problem).fixed_point.tolist(), solve(problem, digits=20).weights[0, 0].tolist()
    ([[1.0, -1.0]], ['0.39346934028736657640', '-0.39346934028736657640'])
    """
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise InputError(
            f"digits = {digits!r} must be a whole number from 1 to {MOST_DIGITS}.", "Ask for 30, for example."
        )
    if not isinstance(problem, Problem):
        problem = load(problem)
    if times is not None:
        problem = replace(problem, training=replace(problem.training, times=tuple(times)))
    if isinstance(problem.data, SampledLaw):
        return _estimated(problem, digits)
    moments, rules = moments_of(problem), convention(problem)
    structure = moments.structure
    if digits is not None:
        require_certifiable(structure, f"{digits} certified digits are out of reach")
        numbers, working = _certified(problem, digits)
        note = f"certified by ball arithmetic at {working} working digits; each number is rounded to {digits} digits."
        return _solution(problem, numbers, structure, (*structure.notes, note), digits)
    times = [float(time) for time in problem.training.elapsed]
    modes = Modes.of(moments)
    condition, rounding = modes.condition(), ROUNDINGS * EPS * moments.amplification
    error = rounding * condition

    def plain() -> Solution:
        accuracy = f"float64; condition {condition:.3g} bounds the relative error of w(inf) by {error:.1g}."
        numbers = relax(moments, initial(problem), rules, times, modes)
        return _solution(problem, numbers, structure, (*structure.notes, accuracy))

    if error <= FLOAT64_ERROR:
        return plain()
    if certifiable(structure) and moments.certified_seconds <= MOST_SECONDS:
        with suppress(OutOfReachError):
            numbers = _certified(problem, FLOAT64_DIGITS)[0].mapped(lambda strings: strings.astype(float))
            why = (
                f"condition {condition:.3g}: float64 arithmetic would leave w(inf) fewer than ten digits, so "
                "everything was solved in certified balls and rounded to float64."
            )
            return replace(_solution(problem, numbers, structure, (*structure.notes, why)), in_balls=True)
    if error <= WORST_ERROR:
        return plain()
    if rounding > WORST_ERROR:
        raise OutOfReachError(
            f"The gates are differences of half-spaces that are {moments.amplification:.1e} times as probable: float64 "
            "leaves their moments too few digits, and certified digits are out of reach at this size.",
            "Use wider slabs, or fewer sites or units.",
        )
    cut = modes.largest * rounding / WORST_ERROR
    numbers = relax(moments, initial(problem), rules, times, modes, cut, rounding)
    why = notes_of(numbers.near_null, structure.rank, [float(time) for time in problem.training.times], WORST_ERROR)
    return _solution(problem, numbers, structure, (*structure.notes, *why))


def _estimated(problem: Problem, digits: int | None) -> Solution:
    """The solution on estimated moments, with its uncertainty."""
    found = estimated(problem, digits)
    value, error = (_solution(problem, each, found.structure, found.notes) for each in (found.numbers, found.errors))
    errors = {name: getattr(error, name) for name in _UNCERTAIN if getattr(error, name) is not None}
    settings = problem.data.estimate
    known = Uncertainty(settings.examples, settings.seed, GROUPS, errors, found.subtracted, found.identified)
    return replace(value, uncertainty=known)


def certifiable(structure: Structure) -> bool:
    """Whether balls are affordable at this size.

    >>> certifiable(Structure(800, 800, True, ())), certifiable(Structure(800, 800, False, ()))
    (True, False)
    """
    return structure.rows <= (MOST_CIRCULANT_ROWS if structure.circulant else MOST_ROWS)


def require_certifiable(structure: Structure, why: str) -> None:
    """Raise OutOfReachError, beginning with `why`, where balls are not affordable.

    >>> require_certifiable(Structure(800, 800, False, ()), "30 digits are out of reach")
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: 30 digits are out of reach, and a coupled kernel of 800 rows is too ...
    """
    if not certifiable(structure):
        raise OutOfReachError(
            f"{why}, and a coupled kernel of {structure.rows} rows is too large for arbitrary precision.",
            "Use a smaller n, fewer overlapping gates, a shorter xi, a higher gain; or test A, b and w(t) at "
            "early times, which are well conditioned (theory.moments, theory.flow.discrete).",
        )


def _certified(problem: Problem, digits: int) -> tuple[FlowNumbers, int]:
    """The numbers as decimal strings, and the working digits they took."""
    from theory.flow.linear.certified import certified_flow, decimals

    numbers, working = certified_flow(problem, digits)
    return numbers.mapped(lambda balls: decimals(balls, digits)), working


def _solution(
    problem: Problem, numbers: FlowNumbers, structure: Structure, notes: tuple[str, ...], digits: int | None = None
) -> Solution:
    times = problem.training.times
    shown = np.array([_decimal(time, digits) for time in times] if digits else [float(time) for time in times])
    units, n, outputs = problem.network.units, problem.data.n, problem.data.outputs
    path, end = (Parameters.of(theta, units, n, outputs) for theta in (numbers.path, numbers.end))
    return Solution(
        mse=numbers.mse.item(),
        fixed_point=end.weights,
        rates=numbers.rates,
        weights=path.weights,
        condition=numbers.condition.item(),
        rank=structure.rank,
        times=shown,
        losses=numbers.losses,
        notes=notes,
        digits=digits,
        hidden_biases=path.hidden_biases,
        output_bias=path.output_bias,
        fixed_hidden_biases=end.hidden_biases,
        near_null=numbers.near_null,
        fixed_output_bias=end.output_bias.item() if end.biases is not None and outputs == 1 else end.output_bias,
        problem=problem,
    )


def _decimal(x: Fraction, digits: int) -> str:
    with localcontext(prec=digits):
        return str(Decimal(x.numerator) / Decimal(x.denominator))
