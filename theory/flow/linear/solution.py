"""The exact solution of a gated-linear problem: theory.flow.solve."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.flow.linear.convention import convention
from theory.flow.linear.parameters import Parameters, initial
from theory.flow.linear.reduction import gate_rank, kernel_size, parts, rank
from theory.flow.linear.relaxation import FlowNumbers, relax
from theory.moments import gate_basis, gated_moments
from theory.moments.pulse import exact_moments
from theory.problem import InputError, OutOfReachError, Problem, SinglePulse

EPS = float(np.finfo(float).eps)
# A and its eigenvectors carry a few roundings relative to the largest eigenvalue (entries: at most 8; symmetric
# eigensolver and transforms: about as many); the condition number carries them into w(inf) and the optimum.
ROUNDINGS = 16
# Beyond this bound on the relative error of w(inf) float64 is left for Arb, where the size allows that...
FLOAT64_ERROR = 1e-10
# ... and beyond this one float64 is not given at all.
WORST_ERROR = 1e-6
# Digits carried when Arb stands in for float64: 17 identify a double, three more round it correctly.
FLOAT64_DIGITS = 20
MOST_DIGITS = 1000
# Rows of a kernel whose eigenbasis in balls takes seconds to a minute; circulant kernels need no eigensolver.
MOST_ROWS = 160
MOST_CIRCULANT_ROWS = 400


@dataclass(frozen=True)
class Solution:
    """Gradient flow on the population loss; numbers are float64, or decimal strings where digits were asked for.

    mse: <(y - yhat)^2> at the optimum, <y^2> - b.A^+ b (no factor 1/2). fixed_point: w(inf) from w0,
    A^+ b/s + (I - A A^+) w0. rates: ascending eigenvalues ell s^2 lambda(A) of the flow's generator in 1/tau, exactly
    0 where gates are linearly dependent. weights: w(t) at `times`, which are t, not t/tau. losses:
    <(y - yhat)^2> there.
    condition: largest over smallest nonzero eigenvalue of A. rank: of A, from the gates' exact linear dependence; for
    single pulses from A in fractions.
    notes: how the numbers were found. digits: None for float64.

    With biases theta = (w, b_1, ..., b_K, b_out) stands for w: P = K n + K + 1 rates, and hidden_biases, output_bias
    at `times`, fixed_hidden_biases, fixed_output_bias at infinity. Without them P = K n and these four are None.
    """

    mse: Any
    fixed_point: Shaped[np.ndarray, "K n"]
    rates: Shaped[np.ndarray, " P"]
    weights: Shaped[np.ndarray, "T K n"]
    condition: Any
    rank: int
    times: Shaped[np.ndarray, " T"]
    losses: Shaped[np.ndarray, " T"]
    notes: tuple[str, ...]
    digits: int | None = None
    hidden_biases: Shaped[np.ndarray, "T K"] | None = None
    output_bias: Shaped[np.ndarray, " T"] | None = None
    fixed_hidden_biases: Shaped[np.ndarray, " K"] | None = None
    fixed_output_bias: Any = None


def solve(problem: Problem, digits: int | None = None) -> Solution:
    """Fixed point, rates, trajectory and losses of tau dw/dt = ell s (b - s A w) (notes, eq. 8-16, corrected).

    Float64 by default; where the condition number takes more digits than float64 has, the same numbers come from
    certified balls and `notes` says so. With `digits`, every number is a decimal string of that many correct
    significant digits (entries below 10^-digits of the largest in their array, of weights and biases together: as
    many as are certain).

    Raises OutOfReachError for networks without fixed gates, gates without closed moments, and problems too large
    and too ill-conditioned; InputError for digits outside 1..1000.
    """
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise InputError(
            f"digits = {digits!r} must be a whole number from 1 to {MOST_DIGITS}.", "Ask for 30, for example."
        )
    structure = Structure.of(problem)
    if digits is not None:
        structure.require_certifiable(f"{digits} certified digits are out of reach")
        numbers, working = _certified(problem, digits)
        note = f"certified by ball arithmetic at {working} working digits; each number is rounded to {digits} digits."
        return _solution(problem, numbers, structure, (*structure.notes, note), digits)
    moments = gated_moments(problem)
    times = [float(time) for time in problem.training.elapsed]
    numbers = relax(moments, initial(problem), convention(problem), times, problem.data.boundary)
    error = ROUNDINGS * EPS * float(numbers.condition)
    accuracy = f"float64; condition {float(numbers.condition):.3g} bounds the relative error of w(inf) by {error:.1g}"
    if error <= FLOAT64_ERROR or (error <= WORST_ERROR and not structure.certifiable):
        return _solution(problem, numbers, structure, (*structure.notes, accuracy + "."))
    structure.require_certifiable(
        f"the condition number {float(numbers.condition):.3g} leaves float64 no digits (error bound {error:.1g})"
    )
    numbers = _certified(problem, FLOAT64_DIGITS)[0].mapped(lambda strings: strings.astype(float))
    why = (
        f"condition {float(numbers.condition):.3g}: float64 arithmetic would leave w(inf) fewer than ten digits, so "
        "everything was solved in certified balls and rounded to float64."
    )
    return _solution(problem, numbers, structure, (*structure.notes, why))


@dataclass(frozen=True)
class Structure:
    """What the gates' exact linear algebra says before any number is computed."""

    rank: int
    rows: int
    circulant: bool
    notes: tuple[str, ...]

    @classmethod
    def of(cls, problem: Problem) -> "Structure":
        """The structure of a problem; OutOfReachError where its gates have no closed moments."""
        if isinstance(problem.data, SinglePulse):
            return cls._exact(problem)
        n, units = problem.data.n, problem.network.units
        gates = gate_basis(problem.network, problem.data.latent)
        found, independent, whole = parts(gates), gate_rank(gates), rank(gates, n)
        size, biases = units * n + len(gates.constants), whole - n * independent
        rows = max(kernel_size(part, n) for part in found)
        circulant = problem.data.boundary == "ring" and all(part.stationary for part in found)
        notes = []
        if whole < size:
            with_biases = f", and {biases} of {units + 1} biases" if biases else ""
            notes.append(
                f"{units} gates, {independent} linearly independent{with_biases}: rank {whole} of {size}; "
                f"the other directions keep {'their initial values' if biases else 'w0'}."
            )
        pieces = sum(len(part.weights.vectors) if part.stationary else 1 for part in found)
        solved = "diagonalised by the DFT" if circulant else f"kernels of at most {rows} rows"
        notes.append(f"A decouples into {pieces} block{'s' if pieces > 1 else ''}; {solved}.")
        return cls(whole, rows, circulant, tuple(notes))

    @classmethod
    def _exact(cls, problem: Problem) -> "Structure":
        """The structure of an A of exact numbers, whose rank is not that of the gates alone."""
        from theory.flow.linear.exact_range import pieces, structure_notes

        exact = exact_moments(problem.data, problem.network)
        found = pieces(exact)
        ranks = [len(piece.norms) for piece in found]
        circulant = all(piece.circulant for piece in found)
        return cls(sum(ranks), max(ranks), circulant, structure_notes(exact))

    @property
    def certifiable(self) -> bool:
        """Whether balls are affordable at this size."""
        return self.rows <= (MOST_CIRCULANT_ROWS if self.circulant else MOST_ROWS)

    def require_certifiable(self, why: str) -> None:
        """Raise OutOfReachError, beginning with `why`, where balls are not affordable."""
        if not self.certifiable:
            raise OutOfReachError(
                f"{why}, and a coupled kernel of {self.rows} rows is too large for arbitrary precision.",
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
    path = Parameters(numbers.weights, numbers.biases)
    end = Parameters(numbers.fixed_point, numbers.fixed_biases)
    return Solution(
        mse=numbers.mse.item(),
        fixed_point=numbers.fixed_point,
        rates=numbers.rates,
        weights=numbers.weights,
        condition=numbers.condition.item(),
        rank=structure.rank,
        times=shown,
        losses=numbers.losses,
        notes=notes,
        digits=digits,
        hidden_biases=path.hidden_biases,
        output_bias=path.output_bias,
        fixed_hidden_biases=end.hidden_biases,
        fixed_output_bias=None if end.biases is None else end.output_bias.item(),
    )


def _decimal(x: Fraction, digits: int) -> str:
    with localcontext(prec=digits):
        return str(Decimal(x.numerator) / Decimal(x.denominator))
