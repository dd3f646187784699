"""The closed forms of the data view at numbers, beside the second moments of the library, which has no formulas."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

from derivations.explore.closed_forms import beta, closed_form, d, form_of, h, n, r
from tests.tolerances_of_explorer import CLOSED_FORM
from theory.expressions.symbols import g, rho
from theory.moments.inputs import input_statistics
from theory.problem import Elliptical, GaussianClone, NonlinearGP, SinglePulse
from theory.problem.distributions.ising import Ising

LINE = NonlinearGP(5, (2, 1), "3/4", "open", "unit-variance", (1, 0))
SPHERE = Elliptical(
    5, (2, 1), {"kind": "discrete", "values": [1, 3], "probabilities": ["3/4", "1/4"]}, "open", "none", (1, 0)
)
FIELD = ("0.2", "-0.5")
LAWS = {
    "erf": replace(LINE, normaliser="none"),
    "erf, scaled": LINE,
    "cubic": replace(LINE, nonlinearity={"kind": "cubic", "c": "1/2"}),
    "uniform": replace(LINE, nonlinearity="uniform", gain=1, normaliser="none"),
    "sign": replace(LINE, nonlinearity="sign", gain=1),
    "elliptical": SPHERE,
    "elliptical, scaled": replace(SPHERE, normaliser="unit-variance"),
    "chain": Ising(6, "open", (1, 0), beta=("0.4", "-0.3")),
    "ring": Ising(6, "ring", (1, 0), xi=(2, 1)),
    "ring in a field": Ising(6, "ring", (1, 0), beta=("0.4", "-0.3"), h=FIELD),
}


def value(form, symbols):
    """The right side with its symbols replaced by their values, as long as there are some."""
    at = form.right
    values = {symbol: expression for symbol, expression in form.where if not isinstance(expression, str)}
    for _ in range(len(values) + 1):
        at = at.subs(values).subs(symbols)
    return float(at)


@pytest.mark.parametrize("name", LAWS)
def test_a_closed_form_is_the_second_moment(name):
    law = LAWS[name]
    for c in range(2):
        statistics = input_statistics(law, c)
        second = statistics.covariance + np.outer(statistics.mean, statistics.mean)
        for apart in (1, 3):
            if isinstance(law, Ising):
                symbols = {beta: law.coupling(c), h: float(law.h[c]), d: apart, n: law.n}
                symbols |= {} if any(law.h) else {r: np.tanh(law.coupling(c))}
            else:
                gain = sympy.Rational(getattr(law, "gain", 1))
                symbols = {rho: np.exp(-((apart / float(law.xi[c])) ** 2)), g: gain}
            error = value(form_of(law), symbols) - second[1, 1 + apart]
            assert abs(error) <= CLOSED_FORM * second[1, 1]


def test_other_laws_have_a_line_or_none():
    assert form_of(Ising(6, "open", (1, 0), xi=(2, 1), h=FIELD)) is None  # its sites differ
    assert closed_form(replace(LINE, nonlinearity="laplace", gain=1)) == ""
    assert form_of(replace(LINE, xi=(15, 1), n=40, boundary="ring", positive_part="clipped")) is None
    heavy = Elliptical(5, (2, 1), {"kind": "student-t", "dof": 2}, "open", "none", (1, 0))
    assert form_of(heavy) is None
    pulse = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    assert closed_form(pulse).startswith(r"\[ \mathbb{E}[u_k u_l] = ")
    assert closed_form(GaussianClone(5, (2, 1), "3/4", "open", "unit-variance", (1, 0))) == closed_form(LINE)
    assert "less its class mean" in closed_form(replace(LINE, means=(1, 0)))
    assert r"Z^{2} = \sum_c p_c" in closed_form(replace(LINE, gain=(1, 2)))
    assert r"\sum" not in closed_form(LINE)
