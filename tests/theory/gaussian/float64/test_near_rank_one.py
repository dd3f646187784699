"""Four signs whose correlations are nearly those of one variable: the error follows the condition."""

import numpy as np
import pytest
import sympy
import torch
from flint import arb

from theory.expressions.balls.precision import precision
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.certified.signs import four_signs as certified
from theory.gaussian.certified.signs import three_signs as certified_three
from theory.gaussian.float64 import closed_form
from theory.gaussian.float64.conditioned import MOST_ERROR, bounded_signs
from theory.gaussian.float64.signs import three_signs
from theory.gaussian.float64.tails import MOST_RECOMPUTED
from theory.problem.errors import InputError, OutOfReachError


def _factors(kind: str, spread: float, m: int, rng: np.random.Generator) -> np.ndarray:
    """Rows whose Gram matrix is that of the variables: all, or the first three, nearly collinear."""
    small = np.sqrt(spread) * rng.standard_normal((m, m))
    if kind == "rank one":
        return np.hstack([rng.choice([-1.0, 1.0], (m, 1)), small])
    apart = np.hstack([rng.standard_normal((m, 2)), np.zeros((m, m))])
    apart[:3, :2] = apart[0, :2]
    return apart + np.hstack([np.zeros((m, 2)), np.where(np.arange(m)[:, None] < 3, small, np.eye(m))])


@pytest.mark.parametrize("spread", [1e-6, 1e-12])
@pytest.mark.parametrize("kind", ["rank one", "three close"])
@pytest.mark.parametrize(("m", "at"), [(3, "thresholds"), (4, "thresholds"), (4, "zero")])
def test_the_bound_holds_and_is_small(kind, spread, m, at):
    rng = np.random.default_rng([3, m, int(-np.log10(spread)), len(kind)])
    factor = _factors(kind, spread, m, rng)
    unit = factor / np.linalg.norm(factor, axis=1)[:, None]
    r = [float(x) for x in (unit @ unit.T)[np.triu_indices(m, 1)]]
    h = tuple(rng.standard_normal(m)) if at == "thresholds" else None
    value, bound = bounded_signs(tuple(r), h)
    with precision(128):
        function = certified_three if m == 3 else certified
        exact = function(*map(arb, r), tuple(map(arb, h)) if h else None)
        missed = float(abs(arb(float(value)) - exact).upper())
    assert missed <= bound <= MOST_ERROR


def test_numeric_takes_nearly_equal_signs_from_balls():
    """Variables z + s y_k: r = 1/(1 + s^2) as a float does not tell s = 1e-7, the parameter does."""
    s = sympy.Symbol("s", positive=True)
    signs = sympy.Mul(*(sympy.sign(z(k)) for k in range(1, 5)))
    moment = expect(signs, sympy.Matrix(4, 4, lambda i, j: 1 + (s**2 if i == j else 0)))
    points = np.array([1e-8, 1e-7, 1e-3, 1.0])
    exact = np.array([float(moment.evaluate(20, s=float(x)).value) for x in points])
    assert np.abs(moment.numeric(s=points) - exact).max() <= MOST_ERROR
    assert np.abs(closed_form.evaluate(moment._value_form, {"s": points}) - exact).max() > MOST_ERROR
    tensor = torch.tensor(points, requires_grad=True)
    value = moment.numeric(s=tensor)
    assert np.abs(value.detach().numpy() - exact).max() <= MOST_ERROR
    value.sum().backward()
    assert float(tensor.grad[-1]) < 0


def test_tensors_keep_the_gradient_of_the_bounded_signs():
    r = torch.tensor([0.5, 1 - 1e-12], dtype=torch.float64, requires_grad=True)
    value, bound = bounded_signs((r,) * 6)
    assert abs(float(value[0].detach()) - 0.2) <= bound[0]
    value[0].backward()
    assert float(r.grad[0]) > 0
    assert float(r.grad[1]) == 0


def test_what_cannot_be_certified_is_refused_by_name():
    near = 1 - 1e-12
    with pytest.raises(OutOfReachError, match="nearly collinear"):
        bounded_signs((np.full(MOST_RECOMPUTED + 1, near),) * 6)
    with pytest.raises(InputError, match="of 4 variables are not positive semidefinite"):
        bounded_signs((near, near, near, near, near, near - 1e-10))
    with pytest.raises(InputError, match="3 or 4 signs"):
        bounded_signs((0.5, 0.5))
    with pytest.raises(ValueError, match="lie in"):
        three_signs(1.5, 0.0, 0.0, thresholds=(0.0, 0.0, 0.0))
