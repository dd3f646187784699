"""Declarations of correlations: values against their definitions, problem files, and what is refused."""

from itertools import product

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from tests.correlation_cases import CASES, LAWS, MATERN, MOVING_AVERAGE, RATIONAL, RING_OF_SEVEN, WAVE, defined
from tests.sim.cases import grid, line, problem
from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_correlations import CORRELATION
from theory.moments.psd import psd_report
from theory.problem import (
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    dumps,
    latent_correlation,
    loads,
)
from theory.problem.correlations import CORRELATIONS, GAUSSIAN, correlation_of
from theory.problem.formulas import evaluate
from theory.problem.positivity import MOST_DENSE, smallest


def law_of(name, boundary, kind=NonlinearGP, **changes):
    """Seven sites with a correlation of the table, xi = 3/2 and 1 where it has a length."""
    declared, _, has_length = CASES[name]
    lengths = {"xi": ("3/2", 1) if has_length else ()}
    return line(kind, n=7, boundary=boundary, correlation=declared, **lengths | changes)


def test_every_kind_has_a_case():
    kinds = {correlation_of(declared, "test").kind for declared, _, _ in CASES.values()}
    assert kinds == set(CORRELATIONS)


@pytest.mark.parametrize(("name", "boundary"), LAWS)
def test_values_are_those_of_the_definition(name, boundary):
    law = law_of(name, boundary)
    for c in (0, 1):
        found = latent_correlation(law, c)
        for i, j in product(range(7), repeat=2):
            d = abs(i - j) if boundary == "open" else min(abs(i - j), 7 - abs(i - j))
            exact = defined(name, d, law.length(c))
            assert abs(found[i, j] - float(exact)) <= CORRELATION


@pytest.mark.parametrize(
    ("declared", "xi", "values"),
    [
        ({"kind": "table", "values": [1, "1/3", "1/6", "1/9"]}, (), (1, mpf(1) / 3, mpf(1) / 6, mpf(1) / 9)),
        # (3 + 2 cos(pi d/3) + cos(2 pi d/3) + 2 cos(pi d))/8: modes 0 and 3 occur once
        ({"kind": "spectrum", "values": [3, 1, "1/2", 2]}, (), (1, mpf(3) / 16, mpf(7) / 16, 0)),
        ("exponential", ("3/2", 1), tuple(mpmath.exp(-mpf(2) * d / 3) for d in range(4))),
    ],
)
def test_a_ring_of_an_even_number_of_sites_has_one_site_opposite(declared, xi, values):
    found = latent_correlation(line(n=6, boundary="ring", xi=xi, correlation=declared), 0)
    for i, j in product(range(6), repeat=2):
        assert abs(found[i, j] - float(values[min(abs(i - j), 6 - abs(i - j))])) <= CORRELATION


def test_the_smoothest_matern_is_that_of_its_bessel_function():
    law = line(n=7, xi=("3/2", 1), correlation={"kind": "matern", "smoothness": "21/2"})
    for d in range(1, 7):
        nu, s = mpf(21) / 2, mpmath.sqrt(21) * d / mpf("1.5")
        exact = 2 ** (1 - nu) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s)
        assert abs(latent_correlation(law, 0)[0, d] - float(exact)) <= CORRELATION


@pytest.mark.parametrize("name", ["gaussian", "exponential", "matern", "smoother matern", "damped cosine", "formula"])
def test_a_radial_kind_is_one_of_euclidean_distance(name):
    declared, _, _ = CASES[name]
    both = grid(shape=(3, 4), correlation=declared, grid="isotropic", xi=("1/2", "1/3"))
    apart = grid(shape=(3, 4), correlation=declared, grid="separable", xi=("1/2", "1/3"))
    for i, j in product(range(12), repeat=2):
        rows, columns = (abs(a - b) for a, b in zip(divmod(i, 4), divmod(j, 4), strict=True))
        exact = float(defined(name, mpmath.hypot(rows, columns), "0.5"))
        assert abs(latent_correlation(both, 0)[i, j] - exact) <= CORRELATION
        exact = float(defined(name, rows, "0.5") * defined(name, columns, "0.5"))
        assert abs(latent_correlation(apart, 0)[i, j] - exact) <= CORRELATION


@pytest.mark.parametrize(("name", "boundary"), LAWS)
@pytest.mark.parametrize("kind", [NonlinearGP, GaussianClone])
def test_problem_files_keep_it(name, boundary, kind):
    asked = problem(law_of(name, boundary, kind, gain=(1, "1/3")), Network("relu", "mean", 2))
    text = dumps(asked)
    assert loads(text) == asked
    assert ("xi =" in text) is CASES[name][2]
    assert ("correlation =" in text) is (name != "gaussian")
    assert 'gain = [1.0, "1/3"]' in text


def test_problem_files_without_it_are_as_before():
    text = dumps(problem(line()))
    assert "correlation" not in text
    assert "grid" not in dumps(problem(grid()))
    assert loads(text.replace("[network]", 'correlation = "gaussian"\n[network]')) == problem(line())
    written = text.replace("[network]", '[data.correlation]\nkind = "matern"\nsmoothness = 1.5\n[network]')
    assert loads(written).data.correlation == correlation_of(MATERN, "test")


def test_each_class_has_its_own():
    law = line(n=7, xi=(2, 0), correlation=("exponential", MOVING_AVERAGE), gain=(3, 1))
    assert [kernel.kind for kernel in law.kernels] == ["exponential", "table"]
    assert [float(gain) for gain in law.gains] == [3.0, 1.0]
    assert latent_correlation(law, 1)[0, 1] == float(np.float64(2) / 3)
    asked = problem(law)
    assert 'correlation = ["exponential", { kind = "table", values = [1.0, "2/3", "1/3"] }]' in dumps(asked)
    assert loads(dumps(asked)) == asked
    same = line(xi=(2, 1), correlation=("exponential", "exponential"), gain=(2, 2))
    assert (same.correlation, same.gain) == (correlation_of("exponential", "test"), 2)


BAD = [
    ({"correlation": "exponental"}, r"data\.correlation\.kind = 'exponental' is not known.*Did you mean `exponential`"),
    ({"correlation": 3}, r"data\.correlation = 3 must be the word of a kind"),
    ({"correlation": {"smoothness": 1}}, "must be the word of a kind, or a table with `kind`"),
    ({"correlation": "matern"}, "needs `smoothness`"),
    ({"correlation": MATERN | {"length": 1}}, "unknown key 'length'"),
    ({"correlation": {"kind": "matern", "smoothness": 1}}, "smoothness = 1 is not one of 1/2, 3/2"),
    ({"correlation": {"kind": "matern", "smoothness": "23/2"}}, "23/2 is not one of"),
    ({"correlation": {"kind": "damped-cosine", "wavelength": 0}}, r"wavelength = 0 must be > 0"),
    ({"correlation": ("gaussian",)}, r"data\.correlation has 1 entries, data\.labels 2"),
    ({"correlation": MOVING_AVERAGE}, r"data\.xi = \(2, 1\) is not used: a correlation of the kind table"),
    ({"correlation": ("exponential", MOVING_AVERAGE)}, r"data\.xi\[1\] = 1 is not used.*Write 0"),
    ({"correlation": "exponential", "xi": ()}, r"data\.xi = \(\) must be a list of numbers"),
    ({"correlation": "exponential", "xi": (0, 1)}, r"data\.xi\[0\] = 0 must be > 0: it is the correlation length\."),
    ({"correlation": {"kind": "table", "values": []}, "xi": ()}, "must be a list of numbers"),
    ({"correlation": {"kind": "table", "values": ["1/2"]}, "xi": ()}, r"values\[0\] = 1/2 must be 1"),
    ({"correlation": {"kind": "table", "values": [1, 2]}, "xi": ()}, r"values\[1\] = 2 is no correlation"),
    ({"correlation": {"kind": "table", "values": [1, "-3/2"]}, "xi": ()}, r"values\[1\] = -3/2 is no correlation"),
    ({"correlation": {"kind": "table", "values": [1, 0, 0, 0, 0]}, "xi": ()}, "have the distances 0 to 3"),
    (
        {"correlation": {"kind": "table", "values": [1, 0, 0, 0, 0]}, "xi": (), "n": 6, "boundary": "ring"},
        "have the distances 0 to 3",
    ),
    ({"correlation": {"kind": "table", "values": [1, "9/10"]}, "xi": ()}, "eigenvalue -0.456, at 0.5 cycles a site"),
    ({"correlation": {"kind": "spectrum", "values": [1]}, "xi": ()}, "at least two numbers"),
    ({"correlation": {"kind": "spectrum", "values": [1, -1]}, "xi": ()}, r"values\[1\] = -1 is negative"),
    ({"correlation": {"kind": "spectrum", "values": [0, 0]}, "xi": ()}, "are all 0"),
    ({"correlation": {"kind": "spectrum", "values": [1, 1]}, "xi": ()}, "needs at least n = 4 frequencies"),
    ({"correlation": RING_OF_SEVEN, "xi": (), "boundary": "ring"}, "a ring of 4 sites has the modes 0 to 2"),
    ({"correlation": {"kind": "formula", "formula": 3}}, "formula = 3 must be a text"),
    ({"correlation": {"kind": "formula", "formula": "exp(-d/x)"}}, "The name x in 'exp.-d/x.' is not known"),
    ({"correlation": {"kind": "formula", "formula": "exp(-d"}}, "is not a formula: it lacks a .."),
    ({"correlation": {"kind": "formula", "formula": "sin(d)/d"}}, "has no finite value at d = 0"),
    ({"correlation": {"kind": "formula", "formula": "2*exp(-d)"}}, "is 2 at d = 0 and xi = 1"),
    ({"correlation": {"kind": "formula", "formula": "1 + d"}}, "is no correlation at xi = 2"),
    ({"correlation": {"kind": "formula", "formula": "1 - 3*d"}}, "here its values are -8 to 1"),
    ({"correlation": {"kind": "formula", "formula": "__import__(d)"}}, "function __import__ is not known"),
    ({"correlation": {"kind": "formula", "formula": "owens_t(d, 1)"}}, "function owens_t is not known"),
    ({"correlation": {"kind": "formula", "formula": "1 - Heaviside(d - 1/2)*2"}}, "eigenvalue -2.00"),
    ({"gain": (1, 0)}, r"data\.gain\[1\] = 0 must be > 0"),
    ({"gain": (1,)}, r"data\.gain has 1 entries"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_declarations_are_named(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        line(**changes)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"correlation": "exponential"}, "data.grid = '' is not known"),
        ({"correlation": "exponential", "grid": "round"}, "data.grid = 'round' is not known"),
        ({"correlation": MOVING_AVERAGE, "xi": (), "grid": "isotropic"}, "kind table has no values at the Euclidean"),
        (
            {"correlation": "exponential", "grid": "isotropic", "boundary": "torus", "positive_part": "clipped"},
            "an isotropic correlation has no axes",
        ),
        (
            {"correlation": WAVE, "grid": "isotropic", "xi": (20, 20), "shape": (8, 8)},
            r'NonlinearGP2D\(shape=\[8, 8\], xi=20, boundary="open", correlation="damped-cosine"\): the covariance',
        ),
    ],
)
def test_bad_grids_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        grid(**changes)


def test_a_gaussian_grid_needs_no_word():
    assert grid(grid="isotropic") == grid() == grid(grid="separable")


def test_a_file_may_leave_out_a_length_that_no_kind_has():
    text = dumps(problem(law_of("moving average", "open")))
    with pytest.raises(InputError, match=r"lacks `xi`"):
        loads(text.replace("correlation = { kind", 'correlation = "exponential" # { kind'))


# The smallest eigenvalue


@pytest.mark.parametrize("boundary", ["open", "ring"])
@pytest.mark.parametrize("seed", range(6))
def test_the_smallest_eigenvalue_decides(boundary, seed):
    """Random tables against the eigenvalues of the matrix, written out."""
    rng = np.random.default_rng(seed)
    values = [1, *(f"{int(entry)}/100" for entry in rng.integers(-45, 46, size=3))]
    numbers = {lag: float(values[lag]) if lag == 0 else int(values[lag].split("/")[0]) / 100 for lag in range(4)}
    apart = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    apart = apart if boundary == "open" else np.minimum(apart, 9 - apart)
    lam = np.linalg.eigvalsh(np.vectorize(lambda d: numbers.get(d, 0.0))(apart))
    kernel = correlation_of({"kind": "table", "values": values}, "test")
    found = smallest(kernel, (9,), boundary, 0.0, True)
    assert abs(found.eigenvalue - lam[0]) <= found.rounding + 81 * UNIT_ROUNDOFF
    assert found.valid == smallest(kernel, (9,), boundary, 0.0).valid == (lam[0] >= 0)
    if lam[0] < 0:
        with pytest.raises(InputError, match="not positive semidefinite"):
            line(n=9, boundary=boundary, xi=(), correlation=kernel)
    else:
        assert line(n=9, boundary=boundary, xi=(), correlation=kernel).kernels == (kernel, kernel)


@pytest.mark.parametrize(("name", "boundary"), [(name, b) for name in CASES for b in ("open", "ring")])
def test_what_a_theorem_promises_is_so(name, boundary):
    """A kind that calls itself positive has no negative eigenvalue beyond rounding, at short and long lengths."""
    kernel = correlation_of(CASES[name][0], "test")
    for n, xi in product((2, 3, 7, 8, 20), (0.1, 1.0, 5.0, 1000.0)):
        sites = n if name not in ("ring spectrum", "density") else 7
        if name == "ring spectrum" and boundary == "open":
            continue
        if name == "density" and boundary == "ring":
            continue
        if kernel.positive(boundary, isotropic=False):
            assert smallest(kernel, (sites,), boundary, xi, True).valid
    for shape in ((3, 4), (6, 6)):
        if kernel.radial and kernel.positive(boundary, isotropic=True):
            assert smallest(kernel, shape, boundary, 2.0, True).valid


def test_wrapping_breaks_what_no_theorem_keeps():
    for kernel, xi in ((GAUSSIAN, 5.0), (correlation_of(MATERN, "test"), 9.0), (correlation_of(WAVE, "test"), 9.0)):
        assert not kernel.positive("ring", isotropic=False)
        assert not smallest(kernel, (12,), "ring", xi).valid
    isotropic = correlation_of("exponential", "test")
    assert not isotropic.positive("torus", isotropic=True)
    assert not smallest(isotropic, (8, 8), "torus", 20.0).valid
    assert not smallest(correlation_of(WAVE, "test"), (8, 8), "open", 20.0).valid


def test_too_many_open_sites_are_refused_where_the_embedding_does_not_decide():
    tail = {"kind": "formula", "formula": "exp(-(d/xi)**2)"}
    assert line(n=64, xi=(9, 9), correlation=tail).n == 64
    with pytest.raises(OutOfReachError, match=f"more than {MOST_DENSE} sites are not diagonalised"):
        line(n=MOST_DENSE + 1, xi=(1000, 1000), correlation=tail)


def test_the_report_has_each_class_and_axis():
    (one,) = {report.shape for report in psd_report(grid(shape=(3, 3)))}
    assert one == (3,)
    reports = psd_report(grid(shape=(3, 4), correlation=("exponential", MATERN), grid="separable"), longest=True)
    assert [(report.c, report.kind, report.shape) for report in reports] == [
        (0, "exponential", (3,)),
        (0, "exponential", (4,)),
        (1, "matern", (3,)),
        (1, "matern", (4,)),
    ]
    assert all(report.valid and report.proved and report.regular and report.longest is None for report in reports)
    torus = grid(shape=(4, 4), boundary="torus", correlation="exponential", grid="isotropic", xi=("1/2", "1/2"))
    (first, _) = psd_report(torus, longest=True)
    assert first.valid
    assert not first.proved
    kernel = correlation_of("exponential", "test")
    assert smallest(kernel, (4, 4), "torus", first.longest * 0.99).valid
    assert not smallest(kernel, (4, 4), "torus", first.longest * 1.01).valid


def test_a_law_without_a_latent_has_no_report():
    from theory.problem import FiniteData

    with pytest.raises(InputError, match="has no latent Gaussian process"):
        psd_report(FiniteData([[1, 0], [0, 1]], [1, 0]))


# Formulas in NumPy

FORMULAS = [
    "exp(-d/xi)",
    "1/(1 + (d/xi)**2)",
    "cos(pi*d/4)*exp(-d/xi) + 0",
    "max(1 - d/4, 0)",
    "erfc(d/xi)*relu(1 - d/9)*sqrt(1 - d/10)",
    "erf(d) + 1 - abs(0)",
    "(1 + d/xi)*exp(-(d/xi))",
    "-(-1)*0.7**d",
    "atan2(1, d + 1)*4/pi",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_numpy_and_sympy_read_the_same_formula(text):
    import sympy

    from theory.expressions import Names, parse

    d, xi = sympy.symbols("d xi", positive=True)
    formula = parse(text, Names(parameters={"d": d, "xi": xi}))
    for at in (0, 1, 3):
        exact = float(formula.subs({d: at, xi: sympy.Rational(3, 2)}).doit().evalf(30))
        assert abs(float(evaluate(text, {"d": np.array(float(at)), "xi": np.array(1.5)})) - exact) <= CORRELATION


def test_rational_formula_is_exact_enough():
    assert latent_correlation(line(n=3, xi=(1, 1), correlation=RATIONAL), 0)[0].tolist() == [1.0, 0.5, 0.2]


def test_a_shape_is_given_with_the_grid():
    assert isinstance(grid(correlation=MATERN, grid="isotropic"), NonlinearGP2D)
