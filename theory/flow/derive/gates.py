"""Exclusive and redundant gates: the flow of one unit (notes, sections 3.4 and 3.5, eq. 19-32, corrected)."""

import sympy
from sympy import Eq, Tuple, oo

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.expressions.symbols import K, t, tau
from theory.flow.derive.gradient import entry, reading
from theory.flow.derive.modes import relax
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import quadratic as rules_quadratic  # noqa: F401 - they register the rules named below

u1, u2 = sympy.Function("u_1"), sympy.Function("u_2")  # v.w_1(t) and v.w_2(t) for an eigenvector v of A_11
half_sum, half_difference = sympy.Function("sigma"), sympy.Function("Delta")
u10, u20 = sympy.symbols("u10 u20", real=True)
c1 = sympy.Symbol("c1", real=True)  # v.b_1
lam = sympy.Symbol("lambda", nonnegative=True)  # A_11 v = lam v

# Unit 1 and the rest: weights, velocities, moments; block A_1r collects <g_1 g_l x x^T> for all l other than 1.
w1, w2, wr, w1_dot, w2_dot = sympy.symbols(r"w_1 w_2 w_r \dot{w}_1 \dot{w}_2", commutative=False)
b1, A11, A1r, v = sympy.symbols("b_1 A_11 A_1r v", commutative=False)

# Entries of A_11 and b_1 for two inputs, and the two weights of unit 1.
a11, a22 = sympy.symbols("a11 a22", positive=True)
a12 = sympy.Symbol("a12", real=True)
b_first, b_second = sympy.symbols("b1 b2", real=True)
w_first, w_second = sympy.Function("w_11"), sympy.Function("w_12")


def _exclusive_flow() -> tuple[Step, ...]:
    return (
        *entry(K, "flow.gradient.entry"),
        Step(
            Eq(K * tau * w1_dot, b1 - (A11 * w1 + A1r * wr) / K, evaluate=False),
            "the weights of unit 1; the other units are collected in w_r",
            "stack",
            (reading(w1_dot, b1, A11 * w1 + A1r * wr),),
        ),
        Step(
            Eq(K * tau * w1_dot, b1 - A11 * w1 / K, evaluate=False),
            "exclusive gates: g_1 g_l = 0 almost surely, so <g_1 g_l x x^T> = 0",
            "block",
            (A1r,),
        ),
    )


def exclusive_mode() -> Derivation:
    """u_1(t) = exp(-lam t/(K^2 tau)) u_1(0) + (t/(K tau)) phi(lam t/(K^2 tau)) c_1 with lam, c_1 of A_11, b_1.

    Notes, eq. (19)-(25), corrected: printed without the second factor 1/K.
    """
    ode = Eq(K * tau * u1(t).diff(t), c1 - lam * u1(t) / K, evaluate=False)
    solution = Eq(u1(t), relax(ode, u1(t), u10), evaluate=False)
    steps = (
        *_exclusive_flow(),
        Step(
            ode,
            "project on an eigenvector of A_11",
            "project",
            (v, Tuple(A11, lam), Tuple(w1, w1_dot, u1(t)), Tuple(b1, c1)),
        ),
        Step(solution, "variation of constants", "solve-ode", (t, Tuple(u1(t), u10))),
    )
    return Derivation("flow.exclusive.mode", solution, steps)


def exclusive_fixed_point() -> Derivation:
    """w_1(oo) = K A_11^-1 b_1, first entry for two inputs and regular A_11.

    Notes, eq. (26), corrected: the printed form keeps the transient at t = oo and lacks the factor K.
    """
    first, second = w_first(oo), w_second(oo)
    flow = Tuple(
        Eq(K * tau * w_first(t).diff(t), b_first - (a11 * w_first(t) + a12 * w_second(t)) / K, evaluate=False),
        Eq(K * tau * w_second(t).diff(t), b_second - (a12 * w_first(t) + a22 * w_second(t)) / K, evaluate=False),
    )
    at_rest = Tuple(
        Eq(0, b_first - (a11 * first + a12 * second) / K, evaluate=False),
        Eq(0, b_second - (a12 * first + a22 * second) / K, evaluate=False),
    )
    values = sympy.Matrix([[a11, a12], [a12, a22]]).LUsolve(sympy.Matrix([K * b_first, K * b_second]))
    result, other = (K * sympy.cancel(value / K) for value in values)
    settled = Eq(first, result, evaluate=False)
    steps = (
        *entry(K, "flow.gradient.entry"),
        Step(
            flow,
            "the two weights of unit 1; exclusive gates leave A_11 alone",
            "stack",
            (
                reading(w_first(t).diff(t), b_first, a11 * w_first(t) + a12 * w_second(t)),
                reading(w_second(t).diff(t), b_second, a12 * w_first(t) + a22 * w_second(t)),
            ),
        ),
        Step(
            at_rest,
            "A_11 is regular, so every mode decays to its limit",
            "rest",
            (Tuple(w_first(t), first), Tuple(w_second(t), second), a11 * a22 - a12**2 > 0),
        ),
        Step(settled, "Cramer's rule", "solve-linear", (Tuple(first, result), Tuple(second, other))),
    )
    return Derivation("flow.exclusive.fixed_point", settled, steps)


def redundant_first() -> Derivation:
    """u_1(t) = Delta + sigma(t) for g_1 = g_2 = g and every other gate exclusive to them; notes, eq. (31), corrected.

    sigma(t) = exp(-2 lam t/(K^2 tau)) sigma(0) + (t/(K tau)) phi(2 lam t/(K^2 tau)) c_1 is the half sum, and
    Delta = (u_1(0) - u_2(0))/2 stays. The printed form drops Delta and has the rate lam in place of 2 lam.
    """
    return _redundant("flow.redundant.first", 0)


def redundant_second() -> Derivation:
    """u_2(t) = sigma(t) - Delta; notes, eq. (32), corrected: the printed form subtracts 2 Delta."""
    return _redundant("flow.redundant.second", 1)


def _redundant(name: str, which: int) -> Derivation:
    sigma, delta = half_sum(t), half_difference(t)
    sigma0, delta0 = (u10 + u20) / 2, (u10 - u20) / 2
    pull = c1 - lam * (u1(t) + u2(t)) / K
    vectors = Tuple(
        *(Eq(K * tau * dot, b1 - A11 * (w1 + w2) / K, evaluate=False) for dot in (w1_dot, w2_dot)),
    )
    modes = Tuple(*(Eq(K * tau * u(t).diff(t), pull, evaluate=False) for u in (u1, u2)))
    decoupled = Tuple(
        Eq(K * tau * sigma.diff(t), c1 - 2 * lam * sigma / K, evaluate=False),
        Eq(K * tau * delta.diff(t), 0, evaluate=False),
    )
    solved = Tuple(
        Eq(sigma, relax(decoupled[0], sigma, sigma0), evaluate=False),
        Eq(delta, delta0, evaluate=False),
    )
    back = Tuple(
        Eq(u1(t), solved[0].rhs + solved[1].rhs, evaluate=False),
        Eq(u2(t), solved[0].rhs - solved[1].rhs, evaluate=False),
    )
    steps = (
        *entry(K, "flow.gradient.entry"),
        Step(
            vectors,
            "g_1 = g_2 gives b_1 = b_2 and A_11 = A_12 = A_22; the other gates are exclusive to g_1",
            "stack",
            tuple(reading(dot, b1, A11 * (w1 + w2)) for dot in (w1_dot, w2_dot)),
        ),
        Step(
            modes,
            "project on an eigenvector of A_11",
            "project",
            (v, Tuple(A11, lam), Tuple(w1, w1_dot, u1(t)), Tuple(w2, w2_dot, u2(t)), Tuple(b1, c1)),
        ),
        Step(
            decoupled,
            "half sum and half difference decouple",
            "linear-change",
            (Tuple(sigma, (u1(t) + u2(t)) / 2), Tuple(delta, (u1(t) - u2(t)) / 2)),
        ),
        Step(
            solved,
            "the half sum relaxes at twice the rate, the half difference stays",
            "solve-ode",
            (t, Tuple(sigma, sigma0), Tuple(delta, delta0)),
        ),
        Step(
            back,
            "back to the two units",
            "linear-change",
            (Tuple(u1(t), sigma + delta), Tuple(u2(t), sigma - delta)),
        ),
        Step(back[which], "one of the two units", "select"),
    )
    return Derivation(name, back[which], steps)
