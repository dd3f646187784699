"""Proved expectations of products of steps, erfs, ReLUs, powers, exponentials and sines of jointly Gaussian variables.

    expect(expr, cov, mean=None, where=None)   the closed form of E[expr] for z ~ N(mean, cov), as a Moment
    expect(..., given="z1 + z2 = 1")           the same given linear observations
    conditional_law(given, cov, mean=None)     mean and covariance given linear observations, exact
    limit(moment, name, to)                    the limit of a Moment as a gain tends to 0 or to oo
    Moment        closed_form, kind, latex, derivation; evaluate(digits, ...) certified, numeric(...) in float64
    Certified     value, radius, digits and method of a certified number
    Expectation   E[integrand] as a SymPy expression that is not evaluated
    owens_t(h, a)           Owen's T of arrays, in float64
    two_signs(r, ...)       E[sign(z1 + h1) sign(z2 + h2)] of arrays of correlations, in float64
    three_signs(r12, ...)   the same for three signs
    four_signs(r12, ...)    the same for four signs; theory.gaussian.certified has all three as balls
    bounded_signs(r, h)     three or four signs with a bound on the error, certified near rank one

    >>> from theory.gaussian import expect
    >>> expect("sign(z1)*sign(z2)", "[[1, 1/2], [1/2, 1]]").closed_form
    1/3

The names are imported on first use, because the first six need SymPy and the others do not.
"""

from typing import TYPE_CHECKING

from theory.problem.first_use import on_first_use

if TYPE_CHECKING:
    from theory.gaussian.expectation import Expectation
    from theory.gaussian.float64.conditioned import bounded_signs
    from theory.gaussian.float64.owens_t import owens_t
    from theory.gaussian.float64.signs import four_signs, three_signs
    from theory.gaussian.float64.two_signs import two_signs
    from theory.gaussian.limits import limit
    from theory.gaussian.moment import Certified, Moment, expect
    from theory.gaussian.observations import conditional_law

__all__ = [
    "Certified",
    "Expectation",
    "Moment",
    "bounded_signs",
    "conditional_law",
    "expect",
    "four_signs",
    "limit",
    "owens_t",
    "three_signs",
    "two_signs",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "expectation": "Expectation",
        "float64.conditioned": "bounded_signs",
        "float64.owens_t": "owens_t",
        "float64.signs": "four_signs three_signs",
        "float64.two_signs": "two_signs",
        "limits": "limit",
        "moment": "Certified Moment expect",
        "observations": "conditional_law",
    },
)
