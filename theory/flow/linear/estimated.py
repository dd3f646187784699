"""The solution of a problem whose moments are estimated from examples, with standard errors by the jackknife.

Every number f of the solution is a smooth function of the moments. With f_g computed without group g of G groups,

    standard error^2 = (G - 1)/G sum_g (f_g - mean f_g)^2,   bias = (G - 1) (mean f_g - f).

One rule thus gives the errors of weights, losses, rates and optimum, by the code that computes the numbers themselves;
influence functions would need the derivative of each. The errors are known to about 1/sqrt(2 (G - 1)), 13 % of
themselves: f +- 2.04 standard errors (Student's t with G - 1 degrees of freedom) covers 95 %.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from theory.flow.linear.convention import convention
from theory.flow.linear.parameters import initial
from theory.flow.linear.relaxation import Modes, relax
from theory.flow.linear.solution import EPS, FLOAT64_ERROR, ROUNDINGS, WORST_ERROR, Solution, collected
from theory.moments.estimated import SampleMoments, estimated_moments
from theory.moments.feature_moments import Structure
from theory.problem import OutOfReachError, Problem
from theory.problem.distributions.sampled import GROUPS

# A unit's w(inf) is known if its standard errors are below half of the size of the fields, of w(inf) itself or of the
# largest w at the times (root mean squares): what is wide of two standard errors cannot be noise.
IDENTIFIED = 0.5
NAMES = ("mse", "fixed_point", "rates", "weights", "condition", "losses")
BIASES = ("hidden_biases", "output_bias", "fixed_hidden_biases", "fixed_output_bias")
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


def estimated(problem: Problem, digits: int | None = None) -> Solution:
    """Return the solution with its `uncertainty`: gradient flow on the moments of examples that the law draws.

    Raises OutOfReachError for digits, and as `theory.moments.estimated.estimated_moments` does.
    """
    if digits is not None:
        raise OutOfReachError(
            f'--digits {digits}: the moments of the law "{problem.data.law}" are estimated from '
            f"{problem.data.estimate.examples} examples, and certified digits would be those of the estimate.",
            "Leave --digits out; the answer has standard errors, which data.estimate.examples lowers.",
        )
    moments = estimated_moments(problem.data, problem.one_layer)
    modes = Modes.of(moments.whole)
    error = ROUNDINGS * EPS * modes.condition()
    cut = modes.largest * ROUNDINGS * EPS / WORST_ERROR if error > WORST_ERROR else 0.0
    moving = sum(int((lam > cut).sum()) for lam in modes.values)
    structure = Structure(moving, len(moments.whole.second), False, ())
    start, rules = initial(problem), convention(problem)
    times = [float(time) for time in problem.training.elapsed]

    def solved(sample: SampleMoments, modes: Modes | None = None) -> Solution:
        numbers = relax(sample, start, rules, times, modes, cut, ROUNDINGS * EPS)
        return collected(problem, numbers, structure, ())

    whole, rest = solved(moments.whole, modes), [solved(moments.without(group)) for group in range(GROUPS)]
    names = [name for name in (*NAMES, *BIASES) if getattr(whole, name) is not None]
    left_out = {name: np.stack([np.asarray(getattr(each, name)) for each in rest]) for name in names}
    errors = {name: _standard_error(values) for name, values in left_out.items()}
    biases = {name: _bias(left_out[name], getattr(whole, name)) for name in CORRECTED}
    uncertainty = Uncertainty(
        problem.data.estimate.examples,
        problem.data.estimate.seed,
        GROUPS,
        {name: _plain(value) for name, value in errors.items()},
        {name: _plain(value) for name, value in biases.items()},
        _size(errors["fixed_point"]) <= IDENTIFIED * np.maximum(_size(whole.fixed_point), _size(whole.weights).max()),
    )
    return replace(
        whole,
        mse=float(whole.mse - biases["mse"]),
        losses=whole.losses - biases["losses"],
        notes=_notes(uncertainty, moving, cut, error),
        uncertainty=uncertainty,
    )


def _standard_error(left_out: Float[np.ndarray, "G *any"]) -> Float[np.ndarray, "*any"]:
    apart = left_out - left_out.mean(axis=0)
    return np.asarray(np.sqrt((GROUPS - 1) / GROUPS * (apart**2).sum(axis=0)))


def _bias(left_out: Float[np.ndarray, "G *any"], whole: Any) -> Float[np.ndarray, "*any"]:
    return np.asarray((GROUPS - 1) * (left_out.mean(axis=0) - whole))


def _size(field: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    return np.asarray(np.sqrt((field**2).mean(axis=-1)))


def _plain(value: np.ndarray) -> Any:
    return value.item() if value.ndim == 0 else value


def _notes(known: Uncertainty, moving: int, cut: float, error: float) -> tuple[str, ...]:
    size = len(known.errors["rates"])
    notes = [
        f"the moments are estimated from {known.examples} examples of the law (seed {known.seed}); (standard "
        f"errors) by leaving out each of {known.groups} groups; +-2.04 of them cover 95 %, of rates that nearly meet "
        "somewhat less.",
        f"mse and losses are corrected for the fit to the same examples, the optimum by {-known.subtracted['mse']:.2g} "
        f"(about P/N = {size / known.examples:.2g} of it); weights, rates and condition are not.",
    ]
    unknown = [str(unit) for unit in np.flatnonzero(~known.identified.reshape(len(known.identified), -1).all(1))]
    if unknown:
        notes.append(
            f"w(inf) of {'units' if len(unknown) > 1 else 'unit'} {', '.join(unknown)} is not identified: its standard "
            "errors exceed half of the fields. Use more examples, or w(t) at earlier times, whose errors are smaller."
        )
    if cut:
        notes.append(
            f"{size - moving} of {size} modes have eigenvalues of A of at most {cut:.3g}, too near 0 for float64: they "
            "are held at w0, also in w(inf)."
        )
    elif error > FLOAT64_ERROR:
        notes.append(
            f"float64 bounds the relative rounding error of w(inf) by {error:.1g}, beside the standard errors."
        )
    return tuple(notes)
