"""Closed forms over arrays: near |r| = 1 as accurate as promised, the same in tensors, and never NaN in silence."""

from itertools import combinations, product

import numpy as np
import pytest
import sympy
import torch
from flint import acb, arb, ctx
from sympy import Heaviside, Matrix, asin, sign, sqrt
from sympy import Rational as Q

from tests import tolerances
from theory.expressions.balls.closed_form import ball
from theory.expressions.functions import OwensT, Phi
from theory.expressions.symbols import z
from theory.gaussian.certified.signs import four_signs, three_signs, two_signs
from theory.gaussian.expectation import Expectation
from theory.gaussian.float64.closed_form import evaluate
from theory.problem.errors import InputError, OutOfReachError

g = sympy.Symbol("g", positive=True)
rho, theta = sympy.symbols("rho theta", real=True)
# Two sites and what erf(g .) of the second and the first becomes.
TWICE = 1 + 2 * g**2
COV = Matrix(
    [
        [1, rho, sqrt(2) * g * rho, sqrt(2) * g],
        [rho, 1, sqrt(2) * g, sqrt(2) * g * rho],
        [sqrt(2) * g * rho, sqrt(2) * g, TWICE, 2 * g**2 * rho],
        [sqrt(2) * g, sqrt(2) * g * rho, 2 * g**2 * rho, TWICE],
    ]
)
SHIFTS = [(0,), (theta,), (0, 0), (theta, Q(1, 2)), (theta, 0, -theta), (0, 0, 0, 0), (theta, -theta, 0, Q(1, 3))]


def product_of_signs(shifts, cov=COV):
    """E[prod sign(z_k + c_k)]."""
    m = len(shifts)
    return Expectation(sympy.Mul(*(sign(z(k + 1) + c) for k, c in enumerate(shifts))), cov[:m, :m])


def certified(shifts, values, cov=COV):
    """The same as a ball, from the covariance at exactly these floats."""
    table = {symbol: acb(value) for symbol, value in values.items()}
    m = len(shifts)
    with ctx.workprec(400):
        entries = [[ball(cov[i, j], table).real for j in range(m)] for i in range(m)]
        roots = [entries[i][i].sqrt() for i in range(m)]
        h = [ball(sympy.Add(c), table).real / root for c, root in zip(shifts, roots, strict=True)]
        r = [entries[i][j] / (roots[i] * roots[j]) for i, j in combinations(range(m), 2)]
    with ctx.workprec(120):
        if m == 1:
            return (h[0] / arb(2).sqrt()).erf()
        return {2: two_signs, 3: three_signs, 4: four_signs}[m](*r, thresholds=tuple(h))


def test_leaves_against_balls():
    for shifts, (gain, correlation) in product(SHIFTS, ((1.0, 0.5), (0.01, -0.99), (100.0, 0.999999))):
        form = product_of_signs(shifts)
        values = {symbol: value for symbol, value in ((g, gain), (rho, correlation), (theta, 0.3))}
        named = {symbol.name: value for symbol, value in values.items() if symbol in form.free_symbols}
        exact = float(certified(shifts, values)) if any(shifts) or len(shifts) % 2 == 0 else 0.0
        assert abs(float(evaluate(form, named)) - exact) < tolerances.NUMERIC_LEAF, (shifts, values)


def test_angles_near_one_keep_their_digits():
    """asin of a correlation 1/(1 + e): 1 - r^2 = e (2 + e)/(1 + e)^2 is formed before numbers are."""
    distance = 1e-12
    e = sympy.Symbol("e", positive=True)
    cov = Matrix([[1 + e, 1], [1, 1 + e]])
    with ctx.workprec(200):
        r = 1 / (1 + arb(distance))
        exact = float(2 * r.asin() / arb.pi())
    slack = tolerances.ORTHANT_PAIR
    assert abs(float(evaluate(asin(1 / (1 + e)) * 2 / sympy.pi, {"e": distance})) - exact) < slack
    assert abs(float(evaluate(1 - sympy.acos(1 / (1 + e)) * 2 / sympy.pi, {"e": distance})) - exact) < slack
    assert abs(float(evaluate(product_of_signs((0, 0), cov), {"e": distance})) - exact) < slack


FORMS = [
    product_of_signs((theta, 0)) * g + Heaviside(theta) - Phi(rho),
    product_of_signs((theta, 0, Q(1, 2))),
    product_of_signs((0, 0, 0, 0)) + asin(rho * sqrt(2) * g / sqrt(TWICE)),
    product_of_signs((theta, 0, Q(1, 2), -1)),
    OwensT(theta, g) * sympy.exp(-rho) + sympy.log(g) * sympy.Max(theta, rho, 1) / sympy.sqrt(g) ** 3,
    sympy.erfc(theta) + abs(rho) * sympy.sign(theta) + sympy.cos(rho) ** 2 + sympy.Min(g, 2) ** rho,
]


@pytest.mark.parametrize("form", FORMS)
def test_tensors(form):
    columns = {"g": [0.7, 1.3], "rho": [0.4, -0.6], "theta": [0.3, -0.2]}
    columns = {name: column for name, column in columns.items() if name in {str(s) for s in form.free_symbols}}
    tensors = {name: torch.tensor(x, dtype=torch.float64, requires_grad=True) for name, x in columns.items()}
    arrays = evaluate(form, {name: np.array(x) for name, x in columns.items()})
    assert arrays.shape == (2,)
    assert np.abs(evaluate(form, tensors).detach().numpy() - arrays).max() <= tolerances.THRESHOLD_TORCH
    assert torch.autograd.gradcheck(
        lambda *x: evaluate(form, dict(zip(columns, x, strict=True))), tuple(tensors.values())
    )


def test_shapes_and_numbers():
    form = product_of_signs((theta, 0))
    out = evaluate(form, {"theta": np.linspace(-1, 1, 5)[:, None], "rho": np.array([0.1, 0.2, 0.3])})
    assert out.shape == (5, 3)
    assert evaluate(product_of_signs((0, 0, 0)), {"g": 1.0, "rho": np.zeros(4)}).shape == (4,)
    assert float(evaluate(sympy.pi * 2 - sympy.E, {})) == 2 * np.pi - np.e


INDEFINITE = Matrix([[1, rho, rho], [rho, 1, -rho], [rho, -rho, 1]])
REFUSED = [
    (asin(rho), {"rho": 1.5}, "inverse sine of 1.5"),
    (sympy.log(rho), {"rho": -1}, "logarithm of -1"),
    (sqrt(rho), {"rho": -2}, "root of -2"),
    (rho**-2, {"rho": np.array([1.0, 0])}, "division by 0"),
    (1 / sqrt(rho), {"rho": 0}, "division by"),
    (g + 1, {"g": -1}, "it is positive"),
    (g + rho, {"g": 1}, "rho, which has no value"),
    (g + 1, {"g": 1, "x": 2}, "does not depend on x"),
    (rho + 1, {"rho": np.nan}, "rho is NaN"),
    (sympy.exp(rho), {"rho": 1e4}, "no finite value"),
    (product_of_signs((0, 0)), {"rho": 1.25}, "1 - r\\^2 = -0.5625"),
    (product_of_signs((theta, 0, 0)), {"g": 1, "rho": 1.25, "theta": 0}, "positive semidefinite"),
    # Every pair is a correlation, the three are not.
    (product_of_signs((1, 0, 0), INDEFINITE), {"rho": 0.9}, "of 3 variables are not positive semidefinite"),
    (product_of_signs((0, 1), Matrix([[rho, 0], [0, 1]])), {"rho": -1}, "variance must be positive; found -1"),
]


def test_what_has_no_value_is_an_input_error():
    for form, values, message in REFUSED:
        with pytest.raises(InputError, match=message):
            evaluate(form, values)


def test_what_has_no_rule_is_out_of_reach():
    pair = COV[:2, :2]
    for form in (sympy.gamma(g), Expectation(sign(z(1)) * z(2), pair), Expectation(sign(z(1) + z(2)), pair)):
        with pytest.raises(OutOfReachError, match="rule"):
            evaluate(form, {str(symbol): 0.5 for symbol in form.free_symbols})
