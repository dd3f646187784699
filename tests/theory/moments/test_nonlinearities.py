"""Moments of f(gain z)/Z for every nonlinearity f, against the integrals that define them."""

from fractions import Fraction
from itertools import pairwise, product
from math import exp, inf, sqrt

import numpy as np
import pytest
from scipy import stats

from tests.sim.cases import gated, line
from tests.theory.nonlinear_cases import (
    BINARY_AND_MORE,
    EVERY,
    REACH,
    TABLE,
    cross,
    function,
    kinks,
    mean_square,
    nodes,
)
from tests.tolerances import CUBIC_SIGNS, GAIN_LIMIT, MARGINAL_CUMULATIVE, NONLINEAR, UNIT_ROUNDOFF
from theory.expressions.balls.precision import precision
from theory.moments import feature_moments
from theory.moments.arithmetic import FLOAT64, certified
from theory.moments.infinite_line import line_bound
from theory.moments.inputs import input_statistics
from theory.moments.nonlinearities import functions, series
from theory.moments.relu_gates import exact_moment
from theory.moments.statistics import class_statistics, two_site_block
from theory.problem import (
    Algebraic,
    AlwaysGate,
    Cubic,
    DirectionGate,
    GaussianClone,
    Identity,
    InputError,
    Nonlinearity,
    OutOfReachError,
    SiteGate,
)
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

KINDS = [kind for kind in EVERY if kind != "erf"]
CLOSED = ["sign", "identity", "cubic", "uniform"]
CERTIFIED_DIGITS = 30


def of(nonlinearity, kind=None, **changes):
    """The statistics of class 0 of a line of 5 sites, with xi = 2."""
    law = line(**{"n": 5, "nonlinearity": nonlinearity} | ({} if kind is None else {"kind": kind}) | changes)
    return class_statistics(law, 0, FLOAT64)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rho", [exp(-1 / 4), exp(-1 / 100)])
def test_the_covariance_is_the_double_integral(kind, rho):
    """E f(z1) f(z2)/E f^2 at the correlations of neighbours for xi = 2 and 10."""
    f = function(EVERY[kind])
    exact = cross(f, f, EVERY[kind], rho) / mean_square(EVERY[kind])
    statistics = of(EVERY[kind], xi=(2 if rho < 0.9 else 10, 1))
    assert abs(float(statistics.covariances[1]) - exact) < NONLINEAR
    assert abs(float(statistics.covariances[0]) - 1) < NONLINEAR


@pytest.mark.parametrize("gain", ["1/2", 3, 8])
@pytest.mark.parametrize("xi", [2, 10])
def test_the_moments_of_a_tanh_at_any_gain_are_its_integrals(gain, xi):
    f, rho = lambda z: np.tanh(float(Fraction(gain)) * z), exp(-1 / xi**2)
    z, weight = nodes(np.unique([*np.linspace(0, REACH, 400), *(2.0 ** -np.arange(12))]))
    square = 2 * weight @ (stats.norm.pdf(z) * f(z) ** 2)
    statistics = of("tanh", gain=gain, xi=(xi, 1))
    assert abs(float(statistics.covariances[1]) - cross(f, f, EVERY["tanh"], rho) / square) < NONLINEAR
    force = cross(np.sign, f, EVERY["tanh"], rho) / square**0.5
    assert abs(float(statistics.half_space(np.array([1]))[0]) - force) < NONLINEAR
    own = input_statistics(line(n=5, nonlinearity="tanh", gain=gain, xi=(xi, 1)), 0)
    fourth = 2 * weight @ (stats.norm.pdf(z) * f(z) ** 4)
    assert abs(own.kurtosis[0] - (fourth / square**2 - 3)) < NONLINEAR


@pytest.mark.parametrize("kind", KINDS)
def test_the_moment_through_a_half_space_is_the_double_integral(kind):
    statistics = of(EVERY[kind], normaliser="none")
    exact = cross(np.sign, function(EVERY[kind]), EVERY[kind], exp(-1 / 4))
    assert abs(float(statistics.half_space(np.array([1]))[0]) - exact) < NONLINEAR


@pytest.mark.parametrize("kind", CLOSED)
def test_certified_and_float64_numbers_agree(kind):
    law = line(n=5, nonlinearity=EVERY[kind])
    plain = class_statistics(law, 0, FLOAT64)
    lags = np.arange(5)
    with precision(digits=CERTIFIED_DIGITS):
        balls = class_statistics(law, 0, certified())
        for name in ("covariance", "half_space"):
            exact = np.array([float(ball) for ball in getattr(balls, name)(lags)])
            assert np.abs(getattr(plain, name)(lags) - exact).max() < NONLINEAR
        exact = two_site_block(balls, 1, 2).astype(float)
        assert np.abs(two_site_block(plain, 1, 2) - exact).max() < CUBIC_SIGNS


def test_uniform_inputs_are_those_of_an_erf_at_gain_one_over_root_two():
    near = Fraction("0.70710678118654752440084436210484903928")
    gates = (
        SiteGate(1, lo=0),
        SiteGate(3, lo="1/2"),
        SiteGate(2, lo="1/4", on="input"),
        DirectionGate({0: 1, 4: 2}, lo=0),
    )
    uniform, erf = (
        feature_moments(law, gated(gates)) for law in (line(n=5, nonlinearity="uniform"), line(n=5, gain=near))
    )
    assert np.abs(uniform.A.dense() - erf.A.dense()).max() < NONLINEAR
    assert np.abs(uniform.b - erf.b).max() < NONLINEAR


def test_signs_are_the_limit_of_large_gain():
    sign, erf = of("sign"), of("erf", gain=10**8)
    for i, j in ((1, 2), (0, 4)):
        assert np.abs(two_site_block(sign, i, j) - two_site_block(erf, i, j)).max() < GAIN_LIMIT
    four = input_statistics(sign.law, 0)
    sites = np.array(list(product(range(5), repeat=4))).T
    assert np.abs(four.fourth(*sites) - input_statistics(line(n=5, gain=10**8), 0).fourth(*sites)).max() < GAIN_LIMIT
    assert four.fourth(*np.array([[1], [2], [1], [2]])).tolist() == [1.0]


def test_a_cubic_with_a_small_cube_is_the_identity():
    """Two formulas: Hermite polynomials in the plane of two signs, and those of the Gaussian clone."""
    gates = (SiteGate(1, lo=0), SiteGate(3, hi=0), DirectionGate({0: 1, 4: 2}, lo=0))
    identity, cubic = (
        feature_moments(line(n=5, nonlinearity=f), gated(gates)).A.dense() for f in (Identity(), Cubic("1e-30"))
    )
    assert np.abs(identity - cubic).max() < CUBIC_SIGNS
    tail = (SiteGate(1, lo="1/2"), AlwaysGate())
    identity, cubic = (feature_moments(line(n=5, nonlinearity=f), gated(tail)) for f in (Identity(), Cubic("1e-30")))
    assert np.abs(identity.A.dense() - cubic.A.dense()).max() < CUBIC_SIGNS
    assert np.abs(identity.b - cubic.b).max() < CUBIC_SIGNS


def by_angles(statistics, i, j, f):
    """E[s_i s_j f(u_k) f(u_l)] of a polynomial f: exact rules for the radius, the angle on arcs, and what is left."""
    rho = statistics.correlations[statistics.lags]
    r = rho[i, j]
    turn = np.arccos(r)
    ends = np.sort(np.concatenate([[-np.pi / 2, np.pi / 2, 3 * np.pi / 2], np.array([-np.pi / 2, np.pi / 2]) + turn]))
    unit, weight = np.polynomial.legendre.leggauss(20)
    theta = (ends[:-1, None] + np.diff(ends)[:, None] * (1 + unit) / 2).ravel()
    arc = (np.diff(ends)[:, None] * weight / 2).ravel() / (2 * np.pi)
    half_square, radial = np.polynomial.laguerre.laggauss(12)
    A, B = (np.sqrt(2 * half_square)[:, None] * part for part in (np.cos(theta), np.sin(theta)))
    signs = np.sign(A) * np.sign(r * A + np.sqrt(1 - r * r) * B)
    plane = radial[:, None] * arc * signs
    normal, share = np.polynomial.hermite_e.hermegauss(8)
    share = share / share.sum()
    found = np.empty((len(rho), len(rho)))
    for k, l in np.ndindex(found.shape):
        q = [(rho[j, site] - r * rho[i, site]) / np.sqrt(1 - r * r) for site in (k, l)]
        left = rho[k, l] - rho[i, k] * rho[i, l] - q[0] * q[1]
        own = [max(0.0, 1 - rho[i, site] ** 2 - part**2) for site, part in zip((k, l), q, strict=True)]
        slope = left / sqrt(own[0]) if own[0] > NONLINEAR else 0.0
        rest = sqrt(max(0.0, own[1] - slope**2))
        first = rho[i, k] * A + q[0] * B
        second = rho[i, l] * A + q[1] * B
        total = 0.0
        for (x, p), (y, s) in product(zip(normal, share, strict=True), repeat=2):
            total += p * s * (plane * f(first + sqrt(own[0]) * x) * f(second + slope * x + rest * y)).sum()
        found[k, l] = total
    return found


def test_two_signs_and_two_cubics():
    statistics = of(Cubic("1/2"), normaliser="none")
    exact = by_angles(statistics, 1, 3, lambda u: u + u**3 / 2)
    assert np.abs(two_site_block(statistics, 1, 3) - exact).max() < CUBIC_SIGNS


def test_the_tail_of_a_cubic():
    """E[T f(u_k) f(u_l)] by Gauss-Legendre in u_i beyond the threshold and Gauss-Hermite in what is left."""
    law = line(n=4, nonlinearity=Cubic("1/2"), normaliser="none", labels=(1, 1), xi=(2, 2))
    found = feature_moments(law, gated((SiteGate(1, lo="1/2"),)))
    unit, weight = np.polynomial.legendre.leggauss(60)
    u = 0.5 + 6 * (1 + unit)
    density = 6 * weight * np.exp(-u * u / 2) / np.sqrt(2 * np.pi)
    normal, share = np.polynomial.hermite_e.hermegauss(8)
    share = share / share.sum()
    rho = np.exp(-(np.subtract.outer(np.arange(4), np.arange(4)) ** 2) / 4)
    f = lambda v: v + v**3 / 2  # noqa: E731
    for k, l in ((0, 0), (0, 3), (1, 2), (1, 1)):
        left = rho[k, l] - rho[1, k] * rho[1, l]
        own = [max(0.0, 1 - rho[1, site] ** 2) for site in (k, l)]
        slope = left / sqrt(own[0]) if own[0] else 0.0
        rest = sqrt(max(0.0, own[1] - slope**2))
        total = sum(
            p * s * density @ (f(rho[1, k] * u + sqrt(own[0]) * x) * f(rho[1, l] * u + slope * x + rest * y))
            for (x, p), (y, s) in product(zip(normal, share, strict=True), repeat=2)
        )
        assert abs(found.A.dense()[k, l] - total) < CUBIC_SIGNS
    mean = sum(
        p * density @ f(rho[1, 0] * u + sqrt(1 - rho[1, 0] ** 2) * x) for x, p in zip(normal, share, strict=True)
    )
    assert abs(found.b[0] - mean) < CUBIC_SIGNS


@pytest.mark.parametrize("kind", KINDS)
def test_the_clone_has_the_covariance_of_its_law(kind):
    law, clone = of(EVERY[kind]), of(EVERY[kind], kind=GaussianClone)
    assert np.abs(law.covariances - clone.covariances).max() < NONLINEAR
    r, less = clone._correlation
    assert np.abs(r + less - 1).max() < NONLINEAR
    assert input_statistics(clone.law, 0).kurtosis.tolist() == [0.0] * 5


def test_the_covariance_of_a_table_with_atoms():
    f, square = function(BINARY_AND_MORE), functions.moment(BINARY_AND_MORE, 2)
    exact = cross(f, f, BINARY_AND_MORE, exp(-1 / 4)) / square
    assert abs(float(of(BINARY_AND_MORE).covariances[1]) - exact) < NONLINEAR
    assert abs(square - 2 * (1 / 4 + 7 / 12)) < NONLINEAR  # E x^2 = 2 [1/4 + (1/4) int_1^2 x^2 dx]


def test_a_series_and_a_structure_function_are_one_covariance():
    """The two methods at a correlation at which both are exact."""
    for nonlinearity in (EVERY["laplace"], Algebraic(5)):
        shares, rest = series.squared_coefficients(nonlinearity)
        order = 2 * np.arange(series.TERMS) + 1.0
        rho = 0.7
        assert rest * rho ** (2 * series.TERMS + 1) < UNIT_ROUNDOFF
        lost = series._structure(nonlinearity, rho, 1 - rho**2) / functions.moment(nonlinearity, 2)
        assert abs(lost - (1 - shares @ rho**order)) < NONLINEAR
        assert series.correlation_lost(nonlinearity, -rho, 1 - rho**2) == 2 - series.correlation_lost(
            nonlinearity, rho, 1 - rho**2
        )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("sign", "identity")])
def test_the_marginal_is_the_law_of_the_latent_carried_along(kind):
    law = line(nonlinearity=EVERY[kind], normaliser="none")
    marginal, f = input_statistics(law, 0).marginal(0), function(EVERY[kind])
    z = np.array([-2.0, -1.0, -0.25, 0.25, 0.5, 1.0, 1.5, 2.0])
    x, exact = f(z), stats.norm.cdf(z)
    assert np.abs(marginal.cumulative(x) - exact).max() < MARGINAL_CUMULATIVE
    nodes, weights = np.polynomial.legendre.leggauss(40)
    for low, high in pairwise(x[3:]):
        bends = [float(end) for end in getattr(EVERY[kind], "x", ()) if low < end < high]
        ends = np.array([low, *bends, high])
        inside = ends[:-1, None] + np.diff(ends)[:, None] * (1 + nodes) / 2
        mass = (marginal.density(inside) * weights).sum(axis=1) @ np.diff(ends) / 2
        assert abs(mass - np.diff(marginal.cumulative(np.array([low, high])))[0]) < NONLINEAR
    far = 1.0 if kind in ("uniform", "tanh") else 3.0 if kind == "quantile" else inf
    assert marginal.high == -marginal.low == far
    if far < inf:
        assert marginal.cumulative(np.array([-2 * far, 2 * far])).tolist() == [0.0, 1.0]
        assert marginal.density(np.array([-2 * far, 2 * far])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("nonlinearity", "kurtosis"),
    [("sign", -2.0), ("uniform", -1.2), ("identity", 0.0), ("logistic", 1.2), ("laplace", 3.0)],
)
def test_the_kurtosis_of_named_marginals(nonlinearity, kurtosis):
    found = input_statistics(line(nonlinearity=nonlinearity), 0).kurtosis
    assert np.abs(found - kurtosis).max() < NONLINEAR


@pytest.mark.parametrize("nonlinearity", [EVERY["laplace"], EVERY["logistic"], Algebraic(12), TABLE], ids=repr)
@pytest.mark.parametrize("order", [2, 4])
def test_moments_of_quantile_functions_are_their_integrals(nonlinearity, order):
    z, weight = nodes(np.unique([*np.linspace(0, REACH, 60), *kinks(nonlinearity)]))
    exact = 2 * weight @ (stats.norm.pdf(z) * function(nonlinearity)(z) ** order)
    assert abs(functions.moment(nonlinearity, order) / exact - 1) < NONLINEAR


def test_fourth_moments_of_cubics_at_different_sites():
    """E f_1 f_2 f_3 f_4 by Gauss-Hermite sums over independent variables, exact for polynomials."""
    law = line(nonlinearity=Cubic("1/2"), normaliser="none")
    statistics = input_statistics(law, 0)
    rho = np.exp(-(np.subtract.outer(np.arange(4), np.arange(4)) ** 2) / 4)
    normal, share = np.polynomial.hermite_e.hermegauss(8)
    e = np.stack(np.meshgrid(*[normal] * 4, indexing="ij")).reshape(4, -1)
    weight = np.prod(np.stack(np.meshgrid(*[share / share.sum()] * 4, indexing="ij")), axis=0).ravel()
    u = np.linalg.cholesky(rho) @ e
    f = u + u**3 / 2
    for sites in ((0, 1, 2, 3), (0, 0, 1, 3), (2, 2, 2, 1), (3, 3, 3, 3)):
        exact = weight @ np.prod(f[list(sites)], axis=0)
        assert abs(float(statistics.fourth(*np.array(sites)[:, None])[0]) / exact - 1) < CUBIC_SIGNS


def test_solved_gates():
    """The two sides of one site need no product of two signs: the features are independent for every f."""
    for kind, nonlinearity in EVERY.items():
        moments = feature_moments(line(nonlinearity=nonlinearity), gated())
        assert moments.structure.rank == 8, kind
        assert np.linalg.eigvalsh(moments.A.dense())[0] > NONLINEAR, kind


REFUSED = {
    "directions, sign": ("sign", (DirectionGate({0: 1, 2: 1}, lo=1),), "Hard gates along several sites and inputs"),
    "directions of inputs, sign": ("sign", (DirectionGate({0: 1, 2: 1}, lo=0, on="input"),), "x_i .- x_j is 0"),
    "soft input, sign": ("sign", (SiteGate(1, lo=0, on="input", sharpness=1),), "irrational values"),
    "soft, uniform": ("uniform", (SiteGate(1, lo=0, sharpness=1),), "sharpness 1 is .1 . x Z./2"),
    "direction of inputs": (Cubic(1), (DirectionGate({0: 1, 2: 2}, lo=0, on="input"),), "as many variables"),
    "many sites, soft input of laplace": (
        "laplace",
        (SiteGate(1, lo=0, on="input", sharpness=1),),
        "thresholds, whose second moments take",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_known_is_refused_by_name(case):
    nonlinearity, gates, message = REFUSED[case]
    law = line(nonlinearity=nonlinearity, **({"n": 60} if "many" in case else {}))
    with pytest.raises(OutOfReachError, match=message):
        feature_moments(law, gated(gates)).A.dense()


def test_moments_that_take_too_long_are_refused_before_the_first_integral():
    """2 classes of 200 * 201/2 pairs of sites, through each of two tails and through both."""
    law, gates = line(nonlinearity="laplace", n=200), (SiteGate(1, lo=1), SiteGate(2, lo=1))
    with pytest.raises(OutOfReachError, match=r"are 120600 integrals .* about 1809 s; more than 900 s is refused"):
        feature_moments(law, gated(gates))
    matrix = NonlinearGPMatrix("laplace", [1, 0], [np.eye(200)] * 2, np.ones((2, 200)))
    with pytest.raises(OutOfReachError, match="are 120600 integrals"):
        feature_moments(matrix, gated(gates))


def test_means_and_gates_on_binary_inputs_are_refused():
    law = line(nonlinearity="sign", means=((1, 0, 0, 0), (0, 0, 0, 0)))
    with pytest.raises(OutOfReachError, match="class means move the bound"):
        feature_moments(law, gated([SiteGate(0, lo=0, on="input")]))


def test_a_gate_that_never_opens_alone():
    with pytest.raises(InputError, match="No gate of this network ever opens"):
        feature_moments(line(nonlinearity="sign"), gated([SiteGate(0, lo=2, on="input")]))


def test_class_means_of_a_table_with_atoms_are_refused_where_features_depend():
    law = line(nonlinearity=BINARY_AND_MORE, means=((1, 0, 0, 0), (0, 0, 0, 0)))
    with pytest.raises(OutOfReachError, match="class means beside an irrational Z"):
        feature_moments(law, gated([SiteGate(0, lo=0), SiteGate(0, lo="1/4"), AlwaysGate()], biases="trained"))


@pytest.mark.parametrize("kind", [None, GaussianClone])
def test_a_clipped_ring_is_refused(kind):
    ring = {"n": 9, "xi": (5, 4), "boundary": "ring", "positive_part": "clipped", "nonlinearity": "identity"}
    with pytest.raises(OutOfReachError, match=r"for identity\(z\) on a ring that is clipped in every class"):
        feature_moments(line(**ring | ({"kind": kind} if kind else {})), gated([AlwaysGate()]))


def test_more_refusals():
    with pytest.raises(OutOfReachError, match=r"k = 2\.1 have much of their weight"):
        _ = of(Algebraic("21/10")).covariances
    law = line(nonlinearity="laplace")
    with pytest.raises(OutOfReachError, match="known in float64 alone"), precision(digits=20):
        _ = class_statistics(law, 0, certified()).covariances
    with pytest.raises(OutOfReachError, match="no exact fourth moments of different sites"):
        input_statistics(law, 0).fourth(*np.arange(4)[:, None])
    with pytest.raises(OutOfReachError, match="k = 4 has an infinite moment of order 4"):
        _ = input_statistics(line(nonlinearity=Algebraic(4)), 0).kurtosis
    with pytest.raises(OutOfReachError, match="has no density"):
        input_statistics(line(nonlinearity=BINARY_AND_MORE), 0).marginal(0)
    with pytest.raises(OutOfReachError, match="those of x = erf"):
        exact_moment(law, 0, {1: 1})
    assert line_bound(law, lambda: pytest.fail("not needed"), gaussian=False) == inf


def test_a_nonlinearity_that_nobody_wrote_is_refused():
    class MadeUp(Nonlinearity):
        kind = "made-up"

    for ask in (lambda law: class_statistics(law, 0, FLOAT64), lambda law: input_statistics(law, 0)):
        with pytest.raises(OutOfReachError, match="MadeUp has no exact moments"):
            ask(line(nonlinearity=MadeUp()))
    for ask in (functions.values, functions.moment, functions.marginal):
        with pytest.raises(OutOfReachError, match="MadeUp has no quantile function"):
            ask(MadeUp(), np.zeros(2) if ask is functions.values else 2.0 if ask is functions.marginal else 2)


def test_tables_take_positive_kinks_alone():
    assert functions.kinks(TABLE).size == 2
