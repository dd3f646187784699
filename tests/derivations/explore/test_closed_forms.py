"""The closed forms of the data view at numbers, beside the definitions: sums over states, integrals of the density."""

from dataclasses import replace
from itertools import product
from math import erf, sqrt

import numpy as np
import pytest
import sympy
from scipy.integrate import dblquad, quad

from derivations.explore.closed_forms import beta, closed_form, d, form_of, h, n, r
from tests.tolerances import EXPLORER_FORMS
from theory.expressions.symbols import g, rho
from theory.problem import Elliptical, GaussianClone, NonlinearGP, SinglePulse, latent_correlation
from theory.problem.distributions.ising import Ising

LINE = NonlinearGP(5, (2, 1), 1, "open", "unit-variance", (1, 0))
FUNCTIONS = {
    "erf": (lambda v: erf(v), "erf", 0.75),
    "cubic": (lambda v: v + v**3 / 2, {"kind": "cubic", "c": "1/2"}, 0.75),
    "uniform": (lambda v: erf(v / sqrt(2)), "uniform", 1),
    "sign": (lambda v: np.sign(v), "sign", 1),
}


def value(form, given):
    """The right side with its symbols replaced by their values, as long as there are some."""
    at = form.right
    values = {symbol: own for symbol, own in form.where if not isinstance(own, str)}
    for _ in range(len(values) + 1):
        at = at.subs(values).subs(given)
    return float(at)


def mean_of(f, gain, correlation):
    """E f(gain z1) f(gain z2) over the density, quadrant by quadrant: a sign jumps at 0."""
    root = sqrt(1 - correlation**2)

    def integrand(b, a):
        square = (a * a - 2 * correlation * a * b + b * b) / (2 * root * root)
        return f(gain * a) * f(gain * b) * np.exp(-square) / (2 * np.pi * root)

    ends = ((-9, 0), (0, 9))
    return sum(dblquad(integrand, *x, *y, epsabs=1e-10)[0] for x, y in product(ends, ends))


CASES = [("erf", "none"), ("cubic", "unit-variance"), ("uniform", "none"), ("sign", "unit-variance")]


@pytest.mark.parametrize(("name", "normaliser"), CASES)
def test_a_function_of_a_gaussian_latent(name, normaliser):
    f, declared, gain = FUNCTIONS[name]
    law = replace(LINE, nonlinearity=declared, gain=str(gain), normaliser=normaliser)
    correlation = float(latent_correlation(law, 0)[0, 1])
    square = 2 * quad(lambda z: f(gain * z) ** 2 * np.exp(-z * z / 2), 0, 9, epsabs=1e-10)[0] / sqrt(2 * np.pi)
    expected = mean_of(f, gain, correlation) / (square if normaliser == "unit-variance" else 1)
    assert abs(value(form_of(law), {rho: correlation, g: sympy.Rational(str(gain))}) - expected) <= EXPLORER_FORMS


def enumerated(law, c, i, j):
    """E x_i x_j as a sum over all states of a chain."""
    states = np.array(list(product((-1, 1), repeat=law.n)))
    last = law.n if law.boundary == "ring" else law.n - 1
    bonds = sum(states[:, k] * states[:, (k + 1) % law.n] for k in range(last))
    weight = np.exp(law.coupling(c) * bonds + float(law.h[c]) * states.sum(axis=1))
    return float((weight * states[:, i] * states[:, j]).sum() / weight.sum())


@pytest.mark.parametrize(
    ("boundary", "given", "field"),
    [
        ("open", {"beta": ("0.4", "-0.3")}, ()),
        ("ring", {"xi": (2, 1)}, ()),
        ("ring", {"beta": ("0.4", "-0.3")}, ("0.2", "-0.5")),
        ("open", {"xi": (2, 1)}, ("0.2", "-0.5")),
    ],
)
def test_a_chain_of_spins(boundary, given, field):
    law = Ising(6, boundary, (1, 0), h=field, **given)
    form = form_of(law)
    if field and boundary == "open":
        assert form is None  # the sites of an open chain in a field differ
        return
    for c, apart in product(range(2), range(1, 4)):
        point = {beta: law.coupling(c), h: float(law.h[c]), d: apart, n: 6}
        if "xi" in given and not field:
            point[r] = np.tanh(law.coupling(c))
        assert abs(value(form, point) - enumerated(law, c, 1, 1 + apart)) <= EXPLORER_FORMS


@pytest.mark.parametrize("normaliser", ["none", "unit-variance"])
def test_an_elliptical_law(normaliser):
    """E r^2 of a discrete scale is the sum over its values."""
    scale = {"kind": "discrete", "values": [1, 3], "probabilities": ["3/4", "1/4"]}
    law = Elliptical(5, (2, 1), scale, "open", normaliser, (1, 0))
    second = 3 / 4 * 1 + 1 / 4 * 9
    expected = 0.3 * (second if normaliser == "none" else 1)
    assert abs(value(form_of(law), {rho: 0.3}) - expected) <= EXPLORER_FORMS


def test_other_laws_have_a_line_or_none():
    assert closed_form(replace(LINE, nonlinearity="laplace")) == ""
    assert form_of(replace(LINE, xi=(15, 1), n=40, boundary="ring", positive_part="clipped")) is None
    heavy = Elliptical(5, (2, 1), {"kind": "student-t", "dof": 2}, "open", "none", (1, 0))
    assert form_of(heavy) is None
    pulse = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    assert closed_form(pulse).startswith(r"\[ \mathbb{E}[u_k u_l] = ")
    assert closed_form(GaussianClone(5, (2, 1), 1, "open", "unit-variance", (1, 0))) == closed_form(LINE)
    assert "less its class mean" in closed_form(replace(LINE, means=(1, 0)))
    assert r"Z^{2} = \sum_c p_c" in closed_form(replace(LINE, gain=(1, 2)))
    assert r"\sum" not in closed_form(LINE)
