"""Signs at thresholds in float64: against reference values from the definition, and against their own symmetries."""

import json
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erf

from tests import tolerances
from tests.paths import ORACLES
from tests.theory.gaussian.reference_order import thresholds_first
from theory.gaussian.float64 import signs
from theory.gaussian.float64.owens_t import owens_t
from theory.gaussian.float64.signs import four_signs, three_signs
from theory.gaussian.float64.two_signs import two_signs

shifted_pair, shifted_triple, shifted_quad = (
    thresholds_first(function, m) for m, function in ((2, two_signs), (3, three_signs), (4, four_signs))
)
FILE = ORACLES / "gaussian_thresholds.json"
ORACLE = json.loads(FILE.read_text(encoding="utf-8"))
FUNCTIONS = {"owens_t": owens_t, "pair": shifted_pair, "triple": shifted_triple, "quad": shifted_quad}
BY_SIZE = {2: shifted_pair, 3: shifted_triple, 4: shifted_quad}


def expectation(h, r):
    """E of the product of the signs for thresholds (m, ...) and a matrix of correlations (m, m, ...)."""
    m = len(h)
    return BY_SIZE[m](*h, *(r[i][j] for i, j in combinations(range(m), 2)))


@st.composite
def problems(draw, least=2):
    """Thresholds and a correlation matrix: generic, with a close pair, nearly singular, or attenuated by gains."""
    m = draw(st.integers(least, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    vectors = rng.normal(size=(m, m))
    kind = draw(st.sampled_from(["generic", "close", "flat", "gains"]))
    if kind == "close":
        vectors[1] = vectors[0] + 10.0 ** rng.uniform(-5, -1) * vectors[1]
    if kind == "flat":
        vectors[:, -1] *= 10.0 ** rng.uniform(-6, 0)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    r = vectors @ vectors.T
    np.fill_diagonal(r, 1)
    if kind == "gains":
        gains = 10.0 ** rng.uniform(-2, 2, size=m)
        kappa = np.sqrt(2) * gains / np.sqrt(1 + 2 * gains**2)
        r = kappa[:, None] * r * kappa
        np.fill_diagonal(r, 1)
    return rng.normal(size=m) * 10.0 ** draw(st.sampled_from([-3, 0, 0.5, 1.3])), r


def test_every_function_against_its_definition():
    for row in ORACLE:
        arguments, value = [float(Fraction(x)) for x in row["args"]], float(row["value"])
        allowed = tolerances.THRESHOLD_SIGNS
        if row["kind"] == "owens_t":
            allowed = tolerances.owens_t(*arguments) * abs(value)
        assert abs(float(FUNCTIONS[row["kind"]](*arguments)) - value) <= allowed, row


def test_owens_t_at_its_ends():
    h = np.array([0.0, 0.5, 3.0, 50.0, np.inf])
    q = (1 - erf(h / np.sqrt(2))) / 2
    assert np.abs(owens_t(h, np.inf) - q / 2).max() <= tolerances.UNIT_ROUNDOFF
    assert np.abs(owens_t(h, 1.0) - q * (1 - q) / 2).max() <= tolerances.UNIT_ROUNDOFF
    assert (owens_t(h, -np.inf) == -owens_t(h, np.inf)).all()
    assert (owens_t(-h, 0.3) == owens_t(h, 0.3)).all()


def test_the_integrals_with_thresholds_tend_to_those_without():
    """A threshold that is not 0 takes the other integrand."""
    tiny = 1e-200
    r = np.linspace(-1, 1, 41)
    assert np.abs(shifted_pair(tiny, 0.0, r) - two_signs(r)).max() <= tolerances.ORTHANT_PAIR
    four = (0.5, 0.3, -0.2, 0.4, 0.1, 0.6)
    assert abs(float(shifted_quad(tiny, 0, 0, 0, *four)) - float(four_signs(*four))) < tolerances.ORTHANT_QUAD
    assert abs(float(shifted_triple(0, tiny, 0, 0.5, 0.3, 0.4))) <= tolerances.ORTHANT_PAIR


def test_thresholds_that_are_zero_have_derivatives():
    """dE/dh2 at h = 0 is 2 phi(0) E[s1 s3 | z2 = 0], with the conditional correlation of the other two."""
    h = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    shifted_triple(*h, 0.5, 0.3, 0.4).backward()
    partial = (0.3 - 0.5 * 0.4) / np.sqrt((1 - 0.5**2) * (1 - 0.4**2))
    expected = np.sqrt(2 / np.pi) * float(two_signs(partial))
    assert abs(float(h.grad[1]) - expected) <= tolerances.ORTHANT_PAIR


def test_the_gap_may_be_known_better():
    """1 - r^2 = 1e-20 at h = 0: the angle is 1e-10 below pi/2."""
    assert abs(float(shifted_pair(0.0, 0.0, 1.0, 1e-20)) - (1 - 2e-10 / np.pi)) <= tolerances.ORTHANT_PAIR


@given(problems())
@settings(max_examples=20)
def test_order_does_not_matter(problem):
    h, r = problem
    orders = list(permutations(range(len(h))))
    values = [
        float(expectation(h[list(p)], r[np.ix_(p, p)])) for p in (orders[0], orders[-1], orders[len(orders) // 2])
    ]
    assert max(values) - min(values) < tolerances.THRESHOLD_SIGNS


@given(problems(), st.floats(-3, 3), st.sampled_from([1.0, -1.0]))
@settings(max_examples=20)
def test_equal_variables_are_reduced(problem, shift, side):
    """s(z + a) s(z + b) = 1 - s(z + max) + s(z + min): one more variable that is `side` times the last."""
    h, r = problem
    if len(h) == 4:
        h, r = h[:3], r[:3, :3]
    m = len(h)
    other = float(expectation(h[:-1], r[:-1, :-1])) if m > 2 else float(erf(h[0] / np.sqrt(2)))
    more = np.block([[r, side * r[:, -1:]], [side * r[-1:], np.ones((1, 1))]])
    value = float(expectation(np.append(h, side * shift), more))
    high, low = (float(expectation([*h[:-1], x], r)) for x in (max(h[-1], shift), min(h[-1], shift)))
    assert abs(value - side * (other - high + low)) < tolerances.THRESHOLD_SIGNS


@pytest.mark.parametrize("large", [40.0, np.inf])
def test_saturated_thresholds_are_constants(large):
    r = (0.5, 0.3, -0.2, 0.4, 0.1, 0.6)
    three = float(shifted_triple(-0.5, 1.0, 0.2, 0.4, 0.1, 0.6))
    assert abs(float(shifted_quad(large, -0.5, 1.0, 0.2, *r)) - three) < tolerances.THRESHOLD_SIGNS
    assert float(shifted_pair(-large, large, 0.9)) == -1.0
    assert float(shifted_quad(large, -large, large, large, *r)) == -1.0
    assert float(owens_t(large, 0.5)) < tolerances.UNIT_ROUNDOFF


def test_shapes_broadcast():
    h = np.linspace(-2, 2, 7)
    out = shifted_quad(h[:, None], 0.1, 0.2, 0.3, 0.1, 0.2, 0.1, np.array([0.3, 0.9, 0.5]), 0.1, 0.2)[:, :2]
    assert out.shape == (7, 2)
    alone = float(shifted_quad(h[3], 0.1, 0.2, 0.3, 0.1, 0.2, 0.1, 0.9, 0.1, 0.2))
    assert abs(out[3, 1] - alone) < tolerances.THRESHOLD_SIGNS  # NumPy may round arrays and numbers differently
    assert shifted_triple(np.zeros((0, 2)), 0, 0, 0.1, 0.1, 0.1).shape == (0, 2)


WRONG = [
    (shifted_pair, (0, 0, 1.5)),
    (shifted_pair, (np.nan, 0, 0.5)),
    (shifted_triple, (0, 0, 0, 0.9, 0.9, -0.9)),
    (shifted_triple, (0, 0, 0, 1.0, 0.9, -0.9)),
    (shifted_triple, (0, 0, 0, 1.1, 0.0, 0.0)),
    (shifted_quad, (0, 1, 0, 0, 0.9, 0.9, -0.9, -0.9, 0.9, 0.9)),
    (shifted_quad, (0, 1, 0, 0, 0.9, np.nan, -0.9, -0.9, 0.9, 0.9)),
]


def test_what_is_no_correlation_matrix_is_refused():
    for function, arguments in WRONG:
        with pytest.raises(ValueError, match="correlations"):
            function(*arguments)


# --- tensors ---------------------------------------------------------------------------------------------------------

SIX = [(0.5, 0.97), (0.2, 0.1), (-0.3, 0.12), (0.1, 0.11), (-0.2, 0.12), (0.4, 0.9)]
POINTS = [
    (owens_t, [(0.3, -1.2, 0.0), (0.4, 3.0, -0.7)]),
    (shifted_pair, [(0.3, 1.2, 0.0), (-0.4, 1.0, 0.0), (0.5, -0.99, 0.2)]),
    (shifted_triple, [(0.3, 0.0), (-0.4, 0.0), (1.0, 0.5), (0.5, 0.97), (0.2, 0.1), (-0.3, 0.2)]),
    (shifted_quad, [(0.3, 0.0), (-0.4, 0.0), (1.0, 0.0), (0.2, 0.0), *SIX]),
    (four_signs, SIX),
    (two_signs, [(0.5, -0.99)]),
]


def test_tensors_give_what_numpy_gives():
    for function, columns in POINTS:
        out = function(*(torch.tensor(column, dtype=torch.float64) for column in columns))
        assert out.dtype == torch.float64
        assert np.abs(out.numpy() - function(*map(np.array, columns))).max() <= tolerances.THRESHOLD_TORCH


@pytest.mark.parametrize(("function", "columns"), POINTS)
def test_gradients(function, columns):
    tensors = [torch.tensor(column, dtype=torch.float64, requires_grad=True) for column in columns]
    assert torch.autograd.gradcheck(function, tensors)
    if function is not shifted_quad:
        assert torch.autograd.gradgradcheck(function, tensors)


def test_a_single_precision_tensor_is_computed_in_double():
    r = torch.tensor([0.5], dtype=torch.float32, requires_grad=True)
    out = shifted_pair(0.1, 0.2, r)
    assert out.dtype == torch.float64
    out.sum().backward()
    assert r.grad.dtype == torch.float32


def test_rules_have_enough_nodes_for_the_bound():
    """The remainder 4 U rho^-(2n-1)/(d (rho - 1)) with the best distance d from the edge of the strip."""
    d = np.linspace(0, np.pi / 4, 401)[1:-1]
    for end, count in signs.RULES:
        axis = (np.pi / 2 - 2 * d) / end
        rho = axis + np.sqrt(1 + axis**2)
        remainder = (4 * end / d * rho ** (1 - 2 * count) / (rho - 1)).min()
        assert remainder < (tolerances.THRESHOLD_PROVED if end <= 10 else tolerances.THRESHOLD_PROVED_CLOSE)
