"""Every derivation of the flow is checked step by step, and every rule refuses a wrong step planted for it."""

from dataclasses import replace

import pytest
import sympy
from sympy import Eq, Rational, Tuple

from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.flow.derive import bias_gradient, gates, gradient, least_squares, modes, singular, small_bump
from theory.proof.derivation import RULES

DERIVATIONS = (
    gradient.gradient_flow,
    gradient.mean_readout_flow,
    gradient.two_unit_flow,
    bias_gradient.hidden_bias_flow,
    bias_gradient.output_bias_flow,
    modes.mode_solution,
    modes.mode_fixed_point,
    modes.null_mode_fixed_point,
    singular.singular_fixed_point,
    gates.exclusive_mode,
    gates.exclusive_fixed_point,
    gates.redundant_first,
    gates.redundant_second,
    least_squares.loss_structural,
    least_squares.loss_value,
    least_squares.loss_class_means,
    least_squares.loss_labels,
    least_squares.loss_intercept,
    least_squares.gate_objective,
    least_squares.printed_objective_is_constant,
    small_bump.small_bump_modes,
    small_bump.small_bump_fixed_point,
    small_bump.small_bump_second_fixed_point,
    small_bump.two_sites_fixed_point,
    small_bump.two_sites_loss,
    small_bump.circulant_mode,
)
FAMILIES = {f"theory.proof.rules.{family}" for family in ("modes", "quadratic", "ring", "sums")}
RULES_OF_THE_FLOW = {name for name, checker in RULES.items() if checker.__module__ in FAMILIES}


@pytest.mark.parametrize("derive", DERIVATIONS, ids=lambda derive: derive.__name__)
def test_every_step_follows(derive):
    assert [check.error for check in derive().check() if not check.passed] == []


def test_ids_are_given_once():
    ids = [derive().id for derive in DERIVATIONS]
    assert len(set(ids)) == len(ids)


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


s, lam = gradient.readout, modes.lam
_WAVE = sympy.exp(-2 * sympy.pi * sympy.I * small_bump.q * small_bump.d / gradient.n)

# rule, derivation, a slip
PLANTED = (
    ("gradient", gradient.gradient_flow, right(lambda f: 2 * f)),
    ("gradient", bias_gradient.hidden_bias_flow, right(lambda f: f / gradient.readout)),
    ("gradient", bias_gradient.output_bias_flow, right(lambda f: f * gradient.readout)),
    ("gradient", gradient.gradient_flow, right(lambda f: f / s)),
    (
        "gradient",
        gradient.gradient_flow,
        exchange(gradient.x[gradient.mu, gradient.i], gradient.x[gradient.mu, gradient.j]),
    ),
    ("average", gradient.gradient_flow, right(lambda f: f.subs(-s, -1))),
    ("average", gradient.gradient_flow, swap(gradient.b[gradient.k, gradient.i], gradient.b[gradient.i, gradient.k])),
    ("name", gradient.mean_readout_flow, swap(gradient.force, gradient.drive)),
    ("rescale", gradient.mean_readout_flow, right(lambda f: f * K)),
    ("stack", modes.mode_solution, right(lambda f: f - modes.b)),
    ("project", modes.mode_solution, right(lambda f: f.subs(lam, 2 * lam))),
    ("project", gates.redundant_first, right(lambda f: -f)),
    ("solve-ode", modes.mode_solution, swap(K**2, K)),
    ("solve-ode", modes.mode_solution, right(lambda f: f + 1)),
    ("solve-ode", modes.mode_solution, right(lambda f: f.subs(phi1(lam * t / (K**2 * tau)), 1))),
    # the printed kind of solution: true for lam > 0, without a value at lam = 0
    ("solve-ode", modes.mode_solution, right(lambda f: f.replace(phi1, lambda z: (1 - sympy.exp(-z)) / z))),
    ("limit", modes.mode_fixed_point, right(lambda f: f / K)),
    ("limit", small_bump.small_bump_fixed_point, right(lambda f: -f)),
    ("block", gates.exclusive_mode, right(lambda f: f - gates.A1r * gates.wr / K)),
    ("linear-change", gates.redundant_first, swap(2 * lam, lam)),
    ("linear-change", singular.singular_fixed_point, right(lambda f: f + singular.y)),
    ("select", gates.redundant_first, right(lambda f: f - gates.u10)),
    ("rest", gates.exclusive_fixed_point, swap(K, 1 / K)),
    ("solve-linear", gates.exclusive_fixed_point, right(lambda f: f / K)),
    ("least-squares", least_squares.loss_class_means, right(lambda f: 1 - f)),
    ("complete-square", least_squares.loss_structural, right(lambda f: f + least_squares.label_square)),
    ("minimum", least_squares.loss_structural, right(lambda f: 2 * f)),
    ("half-spaces", small_bump.small_bump_modes, swap(small_bump.S, 2 * small_bump.S)),
    ("cyclic-shift", small_bump.circulant_mode, exchange(_WAVE, 1 / _WAVE)),
)


@pytest.mark.parametrize(("name", "derive", "slip"), PLANTED, ids=lambda value: getattr(value, "__name__", str(value)))
def test_a_wrong_step_is_refused(name, derive, slip):
    derivation = derive()
    index = next(index for index, step in enumerate(derivation.steps) if step.rule == name)
    wrong = replace(derivation.steps[index], expr=slip(derivation.steps[index].expr))
    assert wrong.expr != derivation.steps[index].expr
    steps = (*derivation.steps[:index], wrong, *derivation.steps[index + 1 :])
    check = replace(derivation, steps=steps).check()[index]
    assert not check.passed
    assert check.error


def test_every_rule_has_a_wrong_step():
    assert {name for name, _, _ in PLANTED} == RULES_OF_THE_FLOW


# rule, derivation, what the rule is told instead
MISLED = (
    ("rescale", gradient.mean_readout_flow, lambda using: (sympy.Symbol("factor", real=True),)),
    ("rest", gates.exclusive_fixed_point, lambda using: using[:2]),  # no word that the determinant is positive
    ("solve-linear", gates.exclusive_fixed_point, lambda using: (Tuple(using[0][0], 2 * using[0][1]), using[1])),
    ("least-squares", least_squares.loss_value, lambda using: (Tuple(using[0][0], 2 * using[0][1]), using[1])),
    ("stack", modes.mode_solution, lambda using: ()),
    ("half-spaces", small_bump.small_bump_modes, lambda using: (*using[:4], using[3])),
    ("cyclic-shift", small_bump.circulant_mode, lambda using: (Tuple(using[0][0], 2 * small_bump.d), using[1])),
    ("solve-ode", modes.mode_solution, lambda using: (using[0], Tuple(using[1][0], 2 * modes.u0))),
)


@pytest.mark.parametrize(
    ("name", "derive", "mislead"), MISLED, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_a_wrong_premise_of_a_rule_is_refused(name, derive, mislead):
    derivation = derive()
    index = next(index for index, step in enumerate(derivation.steps) if step.rule == name)
    step = derivation.steps[index]
    wrong = replace(step, using=mislead(step.using))
    steps = (*derivation.steps[:index], wrong, *derivation.steps[index + 1 :])
    assert not replace(derivation, steps=steps).check()[index].passed


def test_a_transient_that_may_stay_has_no_limit():
    """For lam >= 0 the limit is not K c/lam: the mode may be still."""
    derivation = modes.mode_fixed_point()
    moving, _, settled = derivation.steps
    check = replace(derivation, steps=(moving, settled)).check()[1]
    assert "need not decay" in check.error


def test_printed_objective_is_one_by_rank():
    """Notes, eq. (18) as printed, three components: the matrix has rank 2 and its pseudo-inverse gives 1."""
    first, second = sympy.Matrix([1, 2, -1]), sympy.Matrix([Rational(1, 3), 0, 2])
    outer = first * first.T + second * second.T
    assert outer.rank() == 2
    assert (first.T * outer.pinv() * first)[0] == 1
    parallel = first * first.T + (3 * first) * (3 * first).T
    assert (first.T * parallel.pinv() * first)[0] == Rational(1, 10)  # 1/(1 + c^2) for m_0 = c m_1
