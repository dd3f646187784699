"""Every derivation of the areas flow, ols and race is checked step by step, and every rule refuses a wrong step."""

from dataclasses import replace
from functools import cache

import sympy
from sympy import Eq, Rational, Tuple

from theory.claims import gradient_flow
from theory.claims.areas.flow import (
    _bias_gradient,
    _modes,
    _units,
    _weight_gradient,
    descent,
    exclusive,
    fixed_point,
    mode,
    moving_gates,
    redundant,
    small_bump,
)
from theory.claims.areas.ols import _least_squares
from theory.claims.areas.race import routing, sharing
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import RULES

FAMILIES = {
    f"theory.proof.rules.{family}" for family in ("components", "modes", "quadratic", "recursion", "ring", "sums")
}
RULES_OF_THE_FLOW = {name for name, checker in RULES.items() if checker.__module__ in FAMILIES}


def right(change):
    """A slip on the right side of an equation, the first one of several."""

    def slip(statement):
        if isinstance(statement, Tuple):
            return Tuple(slip(statement[0]), *statement[1:])
        return Eq(statement.lhs, change(statement.rhs), evaluate=False)

    return slip


def swap(old, new):
    """A slip that puts `new` in the place of `old` anywhere."""
    return lambda statement: statement.subs(old, new)


def exchange(old, new):
    """The same for whole nodes, also under a sum, where `subs` leaves bound symbols alone."""
    return lambda statement: statement.xreplace({old: new})


s, lam = gradient_flow.readout, _modes.lam

# rule, derivation, a slip
PLANTED = (
    ("gradient", _weight_gradient.general_flow, right(lambda f: 2 * f)),
    ("gradient", _bias_gradient.hidden_bias_flow, right(lambda f: f / gradient_flow.readout)),
    ("gradient", _bias_gradient.output_bias_flow, right(lambda f: f * gradient_flow.readout)),
    ("gradient", _weight_gradient.general_flow, right(lambda f: f / s)),
    (
        "gradient",
        _weight_gradient.general_flow,
        exchange(
            gradient_flow.x[gradient_flow.mu, gradient_flow.i], gradient_flow.x[gradient_flow.mu, gradient_flow.j]
        ),
    ),
    ("average", _weight_gradient.general_flow, right(lambda f: f.subs(-s, -1))),
    (
        "average",
        _weight_gradient.general_flow,
        swap(gradient_flow.b[gradient_flow.k, gradient_flow.i], gradient_flow.b[gradient_flow.i, gradient_flow.k]),
    ),
    ("name", _weight_gradient.general_flow, swap(gradient_flow.force, gradient_flow.drive)),
    ("rescale", _weight_gradient.general_flow, right(lambda f: f * K)),
    ("stack", mode.mode_solution, right(lambda f: f - _modes.b)),
    ("project", mode.mode_solution, right(lambda f: f.subs(lam, 2 * lam))),
    ("project", redundant.redundant_first, right(lambda f: -f)),
    ("solve-ode", mode.mode_solution, swap(K**2, K)),
    ("solve-ode", mode.mode_solution, right(lambda f: f + 1)),
    ("solve-ode", mode.mode_solution, right(lambda f: f.subs(phi1(lam * t / (K**2 * tau)), 1))),
    # the printed kind of solution: true for lam > 0, without a value at lam = 0
    ("solve-ode", mode.mode_solution, right(lambda f: f.replace(phi1, lambda z: (1 - sympy.exp(-z)) / z))),
    ("solve-ode", moving_gates.turning_mode, swap(moving_gates.omega, 2 * moving_gates.omega)),
    ("limit", fixed_point.mode_fixed_point, right(lambda f: f / K)),
    ("limit", small_bump.two_sites_fixed_point, right(lambda f: -f)),
    ("block", exclusive.exclusive_mode, right(lambda f: f - _units.A1r * _units.wr / K)),
    ("change-of-unknowns", redundant.redundant_first, swap(2 * lam, lam)),
    ("change-of-unknowns", fixed_point.singular_fixed_point, right(lambda f: f + fixed_point.y)),
    ("select", redundant.redundant_first, right(lambda f: f - _units.u10)),
    ("rest", exclusive.exclusive_fixed_point, swap(K, 1 / K)),
    ("solve-linear", exclusive.exclusive_fixed_point, right(lambda f: f / K)),
    ("least-squares", _least_squares.loss_class_means, right(lambda f: 1 - f)),
    ("complete-square", _least_squares.loss_value, right(lambda f: f + _least_squares.label_square)),
    ("minimum", _least_squares.loss_value, right(lambda f: 2 * f)),
    ("components", _least_squares.loss_value, right(lambda f: f + _least_squares.b1)),
    ("half-spaces", small_bump.first_mode, swap(small_bump.S, 2 * small_bump.S)),
    ("euler-step", descent.mode_descent, right(lambda f: f + descent.eta)),
    ("euler-step", descent.mode_descent, swap(descent.eta, descent.eta / K)),
    ("separate", routing.time_by_quadrature, right(lambda f: 2 * f)),
    ("separate", routing.balanced_time, swap(routing.y0, routing.y1)),
    ("separate", sharing.time_of_sharing, swap(sharing.m, sharing.m + 1)),
    ("induction", descent.mode_descent, swap(descent.eta, 2 * descent.eta)),
    ("induction", descent.mode_descent, right(lambda f: f + 1)),
)


@cache
def derivation(derive):
    """A derivation, built once."""
    return derive()


def is_proved(name, derive, change):
    """Whether the first step by a rule passes after a change of it."""
    whole = derivation(derive)
    index = next(index for index, step in enumerate(whole.steps) if step.rule == name)
    wrong = change(whole.steps[index])
    assert wrong != whole.steps[index], (name, derive)
    return replace(whole, steps=(whole.steps[index - 1], wrong)).check()[1].passed


def test_wrong_steps_are_refused():
    proved = [
        (name, derive.__name__, number)
        for number, (name, derive, slip) in enumerate(PLANTED)
        if is_proved(name, derive, lambda step, slip=slip: replace(step, expr=slip(step.expr)))
    ]
    assert proved == []


def test_every_rule_has_a_wrong_step():
    assert {name for name, _, _ in PLANTED} >= RULES_OF_THE_FLOW


_SINGULAR = Tuple(sympy.ImmutableMatrix([[4, 0], [0, 0]]), sympy.ImmutableMatrix([[Rational(1, 4), 0], [0, 0]]))

# rule, derivation, what the rule is told instead
MISLED = (
    ("rescale", _weight_gradient.general_flow, lambda using: (sympy.Symbol("factor", real=True),)),
    ("rest", exclusive.exclusive_fixed_point, lambda using: using[:2]),  # no word that the determinant is positive
    ("solve-linear", exclusive.exclusive_fixed_point, lambda using: (Tuple(using[0][0], 2 * using[0][1]), using[1])),
    ("least-squares", _least_squares.loss_class_means, lambda using: (Tuple(using[0][0], 2 * using[0][1]), using[1])),
    ("stack", mode.mode_solution, lambda using: ()),
    # no pseudo-inverse, and a force that a singular A does not reach
    ("components", _least_squares.loss_value, lambda using: (*using[:2], Tuple(using[2][0], using[2][0]), *using[3:])),
    ("components", _least_squares.loss_value, lambda using: (*using[:2], _SINGULAR, *using[3:])),
    ("half-spaces", small_bump.first_mode, lambda using: (*using[:4], using[3])),
    ("solve-ode", mode.mode_solution, lambda using: (using[0], Tuple(using[1][0], 2 * _modes.u0))),
)


def test_wrong_premises_of_rules_are_refused():
    proved = [
        (name, derive.__name__, number)
        for number, (name, derive, mislead) in enumerate(MISLED)
        if is_proved(name, derive, lambda step, mislead=mislead: replace(step, using=mislead(step.using)))
    ]
    assert proved == []


def test_a_transient_that_may_stay_has_no_limit():
    """For lam >= 0 the limit is not K c/lam: the mode may be still."""
    derivation = fixed_point.mode_fixed_point()
    moving, _, settled = derivation.steps
    check = replace(derivation, steps=(moving, settled)).check()[1]
    assert "need not decay" in check.error
