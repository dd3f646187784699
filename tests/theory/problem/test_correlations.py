"""Declarations of correlations: values against their definitions, problem files, and what is refused."""

from itertools import product

import mpmath
import numpy as np
import pytest
import sympy

from tests.correlation_cases import CASES, LAWS, MOVING_AVERAGE, RING_OF_SEVEN, WAVE, defined
from tests.sim.cases import grid, line, problem
from tests.theory.problem.refusals import not_refused
from tests.tolerances import UNIT_ROUNDOFF
from tests.tolerances_of_correlations import CORRELATION
from theory.expressions import Names, parse
from theory.problem import (
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    OutOfReachError,
    dumps,
    latent_correlation,
    loads,
)
from theory.problem.correlations import CORRELATIONS, GAUSSIAN, correlation_of
from theory.problem.formulas import evaluate
from theory.problem.positivity import MOST_DENSE, length_text, longest_valid, smallest


def law_of(name, boundary, kind=NonlinearGP, **changes):
    """Seven sites with a correlation of the table, xi = 3/2 and 1 where it has a length."""
    declared, _, has_length = CASES[name]
    lengths = {"xi": ("3/2", 1) if has_length else ()}
    return line(kind, n=7, boundary=boundary, correlation=declared, **lengths | changes)


def test_values_are_those_of_the_definition_and_files_keep_them():
    wrong = []
    for name, boundary in LAWS:
        law = law_of(name, boundary, gain=(1, "1/3"))
        correlation = latent_correlation(law, 1)
        for i, j in product(range(7), repeat=2):
            d = abs(i - j) if boundary == "open" else min(abs(i - j), 7 - abs(i - j))
            if abs(correlation[i, j] - float(defined(name, d, law.length(1)))) > CORRELATION:
                wrong.append((name, boundary, i, j))
        for kind in (NonlinearGP, GaussianClone):
            question = problem(law_of(name, boundary, kind, gain=(1, "1/3")), Network("relu", "mean", 2))
            text = dumps(question)
            assert loads(text) == question
            assert ("xi =" in text) is CASES[name][2]
            assert ("correlation =" in text) is (name != "gaussian")
    assert wrong == []
    assert {correlation_of(declared, "test").kind for declared, _, _ in CASES.values()} == set(CORRELATIONS)


@pytest.mark.parametrize("name", ["exponential", "smoother matern", "damped cosine"])
def test_a_radial_kind_is_one_of_euclidean_distance(name):
    declared, _, _ = CASES[name]
    both = grid(shape=(2, 4), correlation=declared, grid="isotropic", xi=("1/2", "1/3"))
    apart = grid(shape=(2, 4), correlation=declared, grid="separable", xi=("1/2", "1/3"))
    for i, j in product(range(8), repeat=2):
        rows, columns = (abs(a - b) for a, b in zip(divmod(i, 4), divmod(j, 4), strict=True))
        exact = float(defined(name, mpmath.hypot(rows, columns), "0.5"))
        assert abs(latent_correlation(both, 0)[i, j] - exact) <= CORRELATION
        exact = float(defined(name, rows, "0.5") * defined(name, columns, "0.5"))
        assert abs(latent_correlation(apart, 0)[i, j] - exact) <= CORRELATION


def test_each_class_has_its_own():
    law = line(n=7, xi=(2, 0), correlation=("exponential", MOVING_AVERAGE), gain=(3, 1))
    assert [kernel.kind for kernel in law.kernels] == ["exponential", "table"]
    assert [float(gain) for gain in law.gains] == [3.0, 1.0]
    assert latent_correlation(law, 1)[0, 1] == float(np.float64(2) / 3)
    question = problem(law)
    assert 'correlation = ["exponential", { kind = "table", values = [1.0, "2/3", "1/3"] }]' in dumps(question)
    assert loads(dumps(question)) == question
    same = line(xi=(2, 1), correlation=("exponential", "exponential"), gain=(2, 2))
    assert (same.correlation, same.gain) == (correlation_of("exponential", "test"), 2)


def test_bad_declarations_are_named():
    cases = [
        ({"correlation": "exponental"}, "data.correlation.kind = 'exponental' is not known"),
        ({"correlation": {"kind": "matern", "smoothness": 1}}, "smoothness = 1 is not one of 1/2, 3/2"),
        ({"correlation": ("gaussian",)}, "data.correlation has 1 entries, data.labels 2"),
        ({"correlation": MOVING_AVERAGE}, "data.xi = (2, 1) is not used: a correlation of the kind table"),
        ({"correlation": ("exponential", MOVING_AVERAGE)}, "data.xi[1] = 1 is not used"),
        ({"correlation": "exponential", "xi": (0, 1)}, "data.xi[0] = 0 must be > 0: it is the correlation length."),
        ({"correlation": {"kind": "table", "values": ["1/2"]}, "xi": ()}, "values[0] = 1/2 must be 1"),
        ({"correlation": {"kind": "table", "values": [1, 2]}, "xi": ()}, "values[1] = 2 is no correlation"),
        ({"correlation": {"kind": "table", "values": [1, 0, 0, 0, 0]}, "xi": ()}, "have the distances 0 to 3"),
        (
            {"correlation": {"kind": "table", "values": [1, 0, 0, 0, 0]}, "xi": (), "n": 6, "boundary": "ring"},
            "have the distances 0 to 3",
        ),
        (
            {"correlation": {"kind": "table", "values": [1, "9/10"]}, "xi": ()},
            "eigenvalue -0.456",
        ),
        ({"correlation": {"kind": "spectrum", "values": [1]}, "xi": ()}, "at least two numbers"),
        ({"correlation": {"kind": "spectrum", "values": [1, -1]}, "xi": ()}, "values[1] = -1 is negative"),
        ({"correlation": {"kind": "spectrum", "values": [1, 1]}, "xi": ()}, "needs at least n = 4 frequencies"),
        ({"correlation": RING_OF_SEVEN, "xi": (), "boundary": "ring"}, "a ring of 4 sites has the modes 0 to 2"),
        ({"correlation": {"kind": "formula", "formula": "exp(-d"}}, "is not a formula: it lacks a"),
        ({"correlation": {"kind": "formula", "formula": "sin(d)/d"}}, "has no finite value at d = 0"),
        ({"correlation": {"kind": "formula", "formula": "2*exp(-d)"}}, "is 2 at d = 0 and xi = 1"),
        ({"correlation": {"kind": "formula", "formula": "1 + d"}}, "is no correlation at xi = 2"),
        ({"correlation": {"kind": "formula", "formula": "1 - 3*d"}}, "here its values are -8 to 1"),
        ({"correlation": {"kind": "formula", "formula": "__import__(d)"}}, "function __import__ is not known"),
        ({"correlation": {"kind": "formula", "formula": "1 - tanh(d)"}}, "tanh is not offered here. Functions: "),
        ({"correlation": {"kind": "formula", "formula": "1 - Heaviside(d - 1/2)*2"}}, "eigenvalue -2.00"),
        ({"gain": (1, 0)}, "data.gain[1] = 0 must be > 0"),
    ]
    assert not_refused(lambda changes: line(**changes), cases) == []


def test_bad_grids_are_named():
    cases = [
        ({"correlation": "exponential"}, "data.grid = '' is not known"),
        ({"correlation": MOVING_AVERAGE, "xi": (), "grid": "isotropic"}, "kind table has no values at the Euclidean"),
        (
            {"correlation": "exponential", "grid": "isotropic", "boundary": "torus", "positive_part": "clipped"},
            "an isotropic correlation has no axes",
        ),
        (
            {"correlation": WAVE, "grid": "isotropic", "xi": (20, 20), "shape": (8, 8)},
            'NonlinearGP2D(shape=[8, 8], xi=20, boundary="open", correlation="damped-cosine"): the covariance',
        ),
    ]
    assert not_refused(lambda changes: grid(**changes), cases) == []


@pytest.mark.parametrize("boundary", ["open", "ring"])
def test_the_smallest_eigenvalue_decides(boundary):
    """Random tables against the eigenvalues of the matrix, written out."""
    apart = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    apart = apart if boundary == "open" else np.minimum(apart, 9 - apart)
    valid = set()
    for seed in range(6):
        numbers = [100, *np.random.default_rng(seed).integers(-45, 46, size=3).tolist()]
        lam = np.linalg.eigvalsh(np.array([*numbers, 0, 0, 0, 0, 0])[apart] / 100)
        kernel = correlation_of({"kind": "table", "values": [1, *(f"{entry}/100" for entry in numbers[1:])]}, "test")
        least = smallest(kernel, (9,), boundary, 0.0, True)
        assert abs(least.eigenvalue - lam[0]) <= least.rounding + 81 * UNIT_ROUNDOFF
        assert least.valid == smallest(kernel, (9,), boundary, 0.0).valid == (lam[0] >= 0)
        valid.add(least.valid)
        if least.valid:
            assert line(n=9, boundary=boundary, xi=(), correlation=kernel).kernels == (kernel, kernel)
        else:
            with pytest.raises(InputError, match="not positive semidefinite"):
                line(n=9, boundary=boundary, xi=(), correlation=kernel)
    assert valid == {True, False}


def test_too_many_open_sites_are_refused_where_the_embedding_does_not_decide():
    tail = {"kind": "formula", "formula": "exp(-(d/xi)**2)"}
    assert line(n=64, xi=(9, 9), correlation=tail).n == 64
    with pytest.raises(OutOfReachError, match=f"more than {MOST_DENSE} sites are not diagonalised"):
        line(n=MOST_DENSE + 1, xi=(1000, 1000), correlation=tail)


def test_numpy_and_sympy_read_the_same_formula():
    d, xi = sympy.symbols("d xi", positive=True)
    formulas = [
        "cos(pi*d/4)*exp(-d/xi) + 0",
        "max(1 - d/4, 0)",
        "erfc(d/xi)*relu(1 - d/9)*sqrt(1 - d/10)",
        "atan2(1, d + 1)*4/pi",
    ]
    for text, at in product(formulas, (0, 1, 3)):
        formula = parse(text, Names(parameters={"d": d, "xi": xi}))
        exact = float(formula.subs({d: at, xi: sympy.Rational(3, 2)}).doit().evalf(30))
        assert abs(float(evaluate(text, {"d": np.array(float(at)), "xi": np.array(1.5)})) - exact) <= CORRELATION


@pytest.mark.parametrize(("n", "longest"), [(40, "3.6443"), (100, "5.6977")])
def test_the_longest_gaussian_correlation_of_a_ring(n, longest):
    """In 80 digits its matrix has a Cholesky factor just below that length and none just above it."""
    low, high = longest_valid(GAUSSIAN, (n,), "ring", n / 4)
    assert length_text((low, high)) == longest

    def factor(xi):
        row = [mpmath.exp(-((min(d, n - d) / mpmath.mpf(xi)) ** 2)) for d in range(n)]
        return mpmath.cholesky(mpmath.matrix([[row[abs(i - j)] for j in range(n)] for i in range(n)]))

    with mpmath.workdps(80):
        factor(low * (1 - 1e-9))
        with pytest.raises(ValueError, match="positive-definite"):
            factor(high * (1 + 1e-9))


def test_a_length_that_rounding_hides_is_a_range():
    formula = correlation_of({"kind": "formula", "formula": "exp(-(d/xi)**2)"}, "data.correlation")
    low, high = longest_valid(formula, (40,), "ring", 10.0)
    assert low < 3.6443 < high < 3.7
