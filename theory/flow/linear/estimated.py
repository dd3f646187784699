"""The solution of a problem whose moments are estimated from examples, with standard errors by the jackknife.

Every number f of the solution is a smooth function of the moments. With f_g computed without group g of G groups,

    standard error^2 = (G - 1)/G sum_g (f_g - mean f_g)^2,   bias = (G - 1) (mean f_g - f).

One rule thus gives the errors of weights, losses, rates and optimum, by the code that computes the numbers themselves;
influence functions would need the derivative of each. The errors are known to about 1/sqrt(2 (G - 1)), 13 % of
themselves: f +- 2.04 standard errors (Student's t with G - 1 degrees of freedom) covers 95 %.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from theory.flow.linear.accuracy import EPS, FLOAT64_ERROR, ROUNDINGS, WORST_ERROR
from theory.flow.linear.convention import convention
from theory.flow.linear.parameters import Parameters, initial
from theory.flow.linear.relaxation import FlowNumbers, Modes, relax
from theory.moments.estimated import estimated_moments_of
from theory.moments.feature_moments import Structure
from theory.moments.table import SampleMoments
from theory.problem import OutOfReachError, Problem
from theory.problem.distributions.sampled import GROUPS

# A unit's w(inf) is known if its standard errors are below half of the size of the fields, of w(inf) itself or of the
# largest w at the times (root mean squares): what is wide of two standard errors cannot be noise.
IDENTIFIED = 0.5
CORRECTED = ("mse", "losses")


@dataclass(frozen=True)
class Uncertainty:
    """How a solution was estimated: from how many examples of which seed, in how many groups, and its errors.

    errors: the standard errors of the numbers of the solution, by their names. subtracted: the biases that were
    subtracted from mse and losses, which the fit to the same examples makes too small, by about P/N of the optimum.
    identified: for each unit (and output) whether the standard errors of w(inf) are below half of the size of the
    fields: of w(inf), or of the largest w at the times.
    """

    examples: int
    seed: int
    groups: int
    errors: dict[str, Any]
    subtracted: dict[str, Any]
    identified: Bool[np.ndarray, "K *m"]

    def json(self) -> dict[str, Any]:
        """The object that `gdln solve --json` prints beside the numbers."""
        return {
            "examples": self.examples,
            "seed": self.seed,
            "groups": self.groups,
            "standard_errors": self.errors,
            "bias_subtracted": self.subtracted,
            "fixed_point_identified": self.identified.tolist(),
        }


@dataclass(frozen=True)
class Estimated:
    """The numbers of a flow on estimated moments, their standard errors in the same form, and what is said of them."""

    numbers: FlowNumbers
    errors: FlowNumbers
    structure: Structure
    subtracted: dict[str, Any]
    identified: Bool[np.ndarray, "K *m"]
    notes: tuple[str, ...]


def estimated(problem: Problem, digits: int | None = None) -> Estimated:
    """Return the numbers of gradient flow on the moments of examples that the law draws, with their errors.

    Raises OutOfReachError for digits, and as `theory.moments.estimated.estimated_moments` does.
    """
    law = problem.data
    if digits is not None:
        raise OutOfReachError(
            f'--digits {digits}: the moments of the law "{law.law}" are estimated from {law.estimate.examples} '
            "examples, and certified digits would be those of the estimate.",
            "Leave --digits out; the answer has standard errors, which data.estimate.examples lowers.",
        )
    moments = estimated_moments_of(problem)
    modes = Modes.of(moments.whole)
    error = ROUNDINGS * EPS * modes.condition()
    cut = modes.largest * ROUNDINGS * EPS / WORST_ERROR if error > WORST_ERROR else 0.0
    start, rules = initial(problem), convention(problem)
    times = [float(time) for time in problem.training.elapsed]

    def flow(sample: SampleMoments, modes: Modes | None = None) -> FlowNumbers:
        return replace(relax(sample, start, rules, times, modes, cut, ROUNDINGS * EPS), near_null=None)

    whole, rest = flow(moments.whole, modes), [flow(moments.without(group)) for group in range(GROUPS)]
    names = [field.name for field in fields(FlowNumbers) if field.name != "near_null"]
    left_out = {name: np.stack([getattr(each, name) for each in rest]) for name in names}
    errors = FlowNumbers(**{name: standard_error(values) for name, values in left_out.items()})
    biases = {name: bias(left_out[name], getattr(whole, name)) for name in CORRECTED}
    structure = Structure(sum(int((lam > cut).sum()) for lam in modes.values), len(whole.rates), False, ())
    identified = _identified(problem, whole, errors)
    return Estimated(
        numbers=replace(whole, **{name: np.asarray(getattr(whole, name) - bias) for name, bias in biases.items()}),
        errors=errors,
        structure=structure,
        subtracted={name: bias.item() if bias.ndim == 0 else bias for name, bias in biases.items()},
        identified=identified,
        notes=_notes(problem, structure, float(biases["mse"]), identified, cut, error),
    )


def _identified(problem: Problem, whole: FlowNumbers, errors: FlowNumbers) -> Bool[np.ndarray, "K *m"]:
    shape = problem.network.units, problem.data.n, problem.data.outputs
    end, path, apart = (_size(Parameters.of(theta, *shape).weights) for theta in (whole.end, whole.path, errors.end))
    return apart <= IDENTIFIED * np.maximum(end, path.max())


def standard_error(left_out: Float[np.ndarray, "G *any"]) -> Float[np.ndarray, "*any"]:
    """Return the jackknife's standard error of a number, from its values without each of the groups.

    >>> standard_error(np.full((GROUPS, 1), 2.0)).tolist()
    [0.0]
    """
    apart = left_out - left_out.mean(axis=0)
    return np.asarray(np.sqrt((GROUPS - 1) / GROUPS * (apart**2).sum(axis=0)))


def bias(left_out: Float[np.ndarray, "G *any"], whole: Any) -> Float[np.ndarray, "*any"]:
    """Return the jackknife's bias of a number, from its values without each of the groups.

    >>> bias(np.full((GROUPS, 1), 2.0), np.array([2.0])).tolist()
    [0.0]
    """
    return np.asarray((GROUPS - 1) * (left_out.mean(axis=0) - whole))


def _size(field: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    return np.asarray(np.sqrt((field**2).mean(axis=-1)))


def _notes(
    problem: Problem, structure: Structure, bias: float, identified: np.ndarray, cut: float, error: float
) -> tuple[str, ...]:
    size, estimate = structure.rows, problem.data.estimate
    notes = [
        f"the moments are estimated from {estimate.examples} examples of the law (seed {estimate.seed}); (standard "
        f"errors) by leaving out each of {GROUPS} groups; +-2.04 of them cover 95 %, of rates that nearly meet "
        "somewhat less.",
        f"mse and losses are corrected for the fit to the same examples, the optimum by {-bias:.2g} "
        f"(about P/N = {size / estimate.examples:.2g} of it); weights, rates and condition are not.",
    ]
    unknown = [str(unit) for unit in np.flatnonzero(~identified.reshape(len(identified), -1).all(axis=1))]
    if unknown:
        notes.append(
            f"w(inf) of {'units' if len(unknown) > 1 else 'unit'} {', '.join(unknown)} is not identified: its standard "
            "errors exceed half of the fields. Use more examples, or w(t) at earlier times, whose errors are smaller."
        )
    if cut:
        notes.append(
            f"{size - structure.rank} of {size} modes have eigenvalues of A of at most {cut:.3g}, too near 0 for "
            "float64: they are held at w0, also in w(inf)."
        )
    elif error > FLOAT64_ERROR:
        notes.append(
            f"float64 bounds the relative rounding error of w(inf) by {error:.1g}, beside the standard errors."
        )
    return tuple(notes)
