"""The small-bump network solved: a site gate and its complement decouple for all times (small-bump note).

The note computes the moments and stops at the ODEs, "no idea how to decouple". Under x -> -x the two gates exchange,
so A = diag(S, S)/2 with S = <x x^T> and b_2 = -b_1: one basis, that of S, decouples both units at every time.
With a = asin(kappa R_1 e_i) and D = asin(kappa^2 R_1) + asin(kappa^2 R_0), entry by entry, S = D/(pi Z^2) and
b_1 = a/(2 pi Z). On a ring D is circulant, and its modes are those of the discrete Fourier transform. The oracle
follows the gradient flow of the loss by quadrature; it uses neither arcsines nor modes.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Tuple, asin, exp, oo, pi, sqrt

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import relax
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA
from theory.claims.gradient_flow import entry, reading
from theory.claims.model import Claim, Kind, Level, Point, Source
from theory.claims.small_bump import (
    A0,
    A1,
    ASSUMPTIONS,
    D0,
    D1,
    LAWS,
    MOMENTS,
    PARAMS,
    Z,
    a0,
    a1,
    d0,
    d1,
    float64_solution,
    quadratic_loss,
)
from theory.expressions.symbols import n, t, tau
from theory.proof.derivation import Derivation, Step

# The two rows of weights as non-commuting vectors, the blocks of A, and an eigenvector of S (as a row).
W1, W2, W1_dot, W2_dot = sympy.symbols(r"W_1 W_2 \dot{W}_1 \dot{W}_2", commutative=False)
b1, b2, A11, A12, A21, A22, S, v = sympy.symbols("b_1 b_2 A_11 A_12 A_21 A_22 S v", commutative=False)

first, second = sympy.Function("u_1"), sympy.Function("u_2")  # v.W_1(t), v.W_2(t)
u10, u20 = sympy.symbols("u10 u20", real=True)
pull = sympy.Symbol("c1", real=True)  # v.b_1
eigenvalue = sympy.Symbol("s", positive=True)  # S v = s v; S is regular for a regular correlation matrix
a_mode = sympy.Symbol("a", real=True)  # v.asin(kappa R_1 e_i)
d_mode = sympy.Symbol("d", positive=True)  # eigenvalue of asin(kappa^2 R_1) + asin(kappa^2 R_0)

weight = sympy.Function("W_11")  # two sites, the gate at the first: the weight at its site

a = sympy.IndexedBase("a")  # first column of a circulant matrix: A_jk = a[(j - k) mod n]
j, k, d, q = sympy.symbols("j k d q", integer=True)


def small_bump_modes() -> Derivation:
    """Derive u_1(t) = exp(-s t/(8 tau)) u_1(0) + (t/(2 tau)) phi(s t/(8 tau)) c_1, S v = s v; u_2 with -c_1."""
    steps = _decoupled()
    return Derivation("flow.small_bump.modes", steps[-1].expr, steps)


def small_bump_fixed_point() -> Derivation:
    """Derive u_1(oo) = 2 Z a/d: W_1(oo) = 2 Z [asin(kappa^2 R_1) + asin(kappa^2 R_0)]^-1 asin(kappa R_1 e_i).

    a and d are components of a and D in the basis of the modes of D.
    """
    return _unit_at_rest("flow.small_bump.first", 0)


def small_bump_second_fixed_point() -> Derivation:
    """Derive u_2(oo) = -2 Z a/d: W_2(oo) = -W_1(oo)."""
    return _unit_at_rest("flow.small_bump.second", 1)


def two_sites_fixed_point() -> Derivation:
    """Derive W_11(oo) = Z [(a0 + a1)/(D0 + D1) + (a0 - a1)/(D0 - D1)]: two sites, the weight at the gate's site.

    The modes of a ring of two sites are the sum and the difference: (a0 +- a1)/sqrt(2), D0 +- D1.
    """
    signs = (1, -1)
    ends = [sympy.Function(name)(oo) for name in ("u_plus", "u_minus")]
    values = [2 * Z * (a0 + sign * a1) / sqrt(2) / (d0 + sign * d1) for sign in signs]
    site = weight(oo)
    in_modes = Tuple(*(Eq(end, value, evaluate=False) for end, value in zip(ends, values, strict=True)))
    at_site = Eq(site, Z * ((a0 + a1) / (d0 + d1) + (a0 - a1) / (d0 - d1)), evaluate=False)
    explicit = Eq(site, at_site.rhs.subs(MOMENTS), evaluate=False)
    steps = (
        *small_bump_fixed_point().steps,
        Step(
            in_modes,
            "two sites: (1, 1)/sqrt(2) and (1, -1)/sqrt(2) are the eigenvectors of D = [[D0, D1], [D1, D0]]",
            "stack",
            tuple(
                Tuple(Tuple(first(oo), end), Tuple(a_mode, (a0 + sign * a1) / sqrt(2)), Tuple(d_mode, d0 + sign * d1))
                for end, sign in zip(ends, signs, strict=True)
            ),
        ),
        Step(at_site, "back to the first site", "linear-change", (Tuple(site, (ends[0] + ends[1]) / sqrt(2)),)),
        Step(explicit, "the arcsine laws at distance 0 and 1", "substitute", MOMENTS),
    )
    return Derivation("flow.small_bump.two_sites", explicit, steps)


def circulant_mode() -> Derivation:
    """Derive sum_k a[(j-k) mod n] e^{2 pi i q k/n} = e^{2 pi i q j/n} sum_d a[d] e^{-2 pi i q d/n}: the ring's modes.

    The DFT of its first column gives the eigenvalues of a circulant matrix; notes, section 5 (for odd-type gates the
    block A_11 is circulant on a ring, blocks between different half-spaces are not).
    """
    wave = exp(2 * pi * sympy.I * q * k / n)
    applied = sympy.Sum(a[sympy.Mod(j - k, n)] * wave, (k, 0, n - 1))
    phase = exp(2 * pi * sympy.I * q * j / n)
    eigen = phase * sympy.Sum(a[d] * exp(-2 * pi * sympy.I * q * d / n), (d, 0, n - 1))
    steps = (
        Step(applied, "row j of the circulant matrix applied to the wave q", "definition"),
        Step(eigen, "k = j - d mod n; the wave has period n", "cyclic-shift", (Tuple(k, j - d), phase)),
    )
    return Derivation("flow.ring.mode", Eq(applied, eigen, evaluate=False), steps)


def _unit_at_rest(name: str, which: int) -> Derivation:
    modes = _decoupled()
    settled = Tuple(
        *(Eq(u.lhs.subs(t, oo), sympy.limit(u.rhs.rewrite(exp), t, oo), evaluate=False) for u in modes[-1].expr)
    )
    sign = (1, -1)[which]
    result = Eq(settled[which].lhs, sign * 2 * Z * a_mode / d_mode, evaluate=False)
    steps = (
        *modes,
        Step(settled, "the transient decays at the rate s/(8 tau)", "limit", (t,)),
        Step(settled[which], "one of the two units", "select"),
        Step(
            result,
            "arcsine laws: S = D/(pi Z^2), and b_1 = asin(kappa R_1 e_i)/(2 pi Z) with the class prior 1/2",
            "substitute",
            (Tuple(pull, a_mode / (2 * pi * Z)), Tuple(eigenvalue, d_mode / (pi * Z**2))),
        ),
    )
    return Derivation(name, result, steps)


def _decoupled() -> tuple[Step, ...]:
    coupled = Tuple(
        Eq(2 * tau * W1_dot, b1 - (A11 * W1 + A12 * W2) / 2, evaluate=False),
        Eq(2 * tau * W2_dot, b2 - (A21 * W1 + A22 * W2) / 2, evaluate=False),
    )
    separate = Tuple(
        Eq(2 * tau * W1_dot, b1 - A11 * W1 / 2, evaluate=False),
        Eq(2 * tau * W2_dot, b2 - A22 * W2 / 2, evaluate=False),
    )
    one_basis = Tuple(
        Eq(2 * tau * W1_dot, b1 - S * W1 / 4, evaluate=False),
        Eq(2 * tau * W2_dot, -b1 - S * W2 / 4, evaluate=False),
    )
    modes = Tuple(
        Eq(2 * tau * first(t).diff(t), pull - eigenvalue * first(t) / 4, evaluate=False),
        Eq(2 * tau * second(t).diff(t), -pull - eigenvalue * second(t) / 4, evaluate=False),
    )
    solved = Tuple(
        Eq(first(t), relax(modes[0], first(t), u10), evaluate=False),
        Eq(second(t), relax(modes[1], second(t), u20), evaluate=False),
    )
    return (
        *entry(sympy.Integer(2), "flow.gradient.small_bump"),
        Step(
            coupled,
            "the rows W_1 and W_2; h = A W",
            "stack",
            (reading(W1_dot, b1, A11 * W1 + A12 * W2), reading(W2_dot, b2, A21 * W1 + A22 * W2)),
        ),
        Step(separate, "g_1 g_2 = 0 almost surely: the gates exclude each other", "block", (A12, A21)),
        Step(one_basis, "x -> -x exchanges the gates and leaves the data alone", "half-spaces", (A11, A22, S, b1, b2)),
        Step(
            modes,
            "project on an eigenvector of S",
            "project",
            (v, Tuple(S, eigenvalue), Tuple(W1, W1_dot, first(t)), Tuple(W2, W2_dot, second(t)), Tuple(b1, pull)),
        ),
        Step(
            solved,
            "both units relax at the rate s/(8 tau)",
            "solve-ode",
            (t, Tuple(first(t), u10), Tuple(second(t), u20)),
        ),
    )


def _at_rest(point: Point, digits: int) -> mpf:
    """The gradient flow of the quadratic loss run to its end: the weight of unit 1 at the gate's site."""
    with mpmath.workdps(digits + 30):
        return finite_data.flow_limit(quadratic_loss(point, digits + 20), [mpf(0)] * 4, digits)[0]


WEIGHT = Claim(
    id="flow.small_bump.two_sites",
    title="Where the small-bump weight at the gate's site comes to rest: 2 Z D^-1 a",
    kind=Kind.EQUATION,
    statement=Eq(
        weight(oo),
        sqrt(2 * asin(KAPPA**2) / pi) * ((A0 + A1) / (D0 + D1) + (A0 - A1) / (D0 - D1)),
        evaluate=False,
    ),
    params=PARAMS,
    assumptions=ASSUMPTIONS,
    sources=(Source(BUMP_NOTE, "after (13)", note="'no idea how to decouple the ODEs': one basis, that of <x x^T>"),),
    oracle=_at_rest,
    derive=two_sites_fixed_point,
    numeric=lambda g, rho1, rho0: float64_solution(g, rho1, rho0).fixed_point[0, 0],
    cites=LAWS,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (WEIGHT,)
