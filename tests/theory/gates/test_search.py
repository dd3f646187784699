"""The best gates against a brute force over all gates, and half-spaces against linear programs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from tests.tolerances_of_laws import GATES_LSTSQ, GATES_RANK
from theory.gates import KINDS, loss_of, optimum, separable, support_of
from theory.problem import FiniteData, InputError, NonlinearGP, OutOfReachError, SinglePulse

RING = SinglePulse(3, ((1, 2), (3, 3)), "zero-one", "none", (1, -1))


def data(seed, inputs=5, sites=2, classes=3):
    """Random inputs of small whole numbers, some twice with different labels, with random weights."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-2, 3, (inputs, sites))
    return FiniteData(
        x.tolist(), rng.integers(0, classes, inputs).tolist(), weights=rng.integers(1, 4, inputs).tolist()
    )


def lost(law, gates):
    """<(y - yhat)^2> of the best weights by singular values; gates[k](x) are functions of x."""
    weights = np.sqrt(np.array(law.example_probabilities, float))
    x, y = np.array(law.x, float), np.array(law.y, float)
    columns = np.concatenate([np.array([gate[tuple(row)] for row in law.x])[:, None] * x for gate in gates], axis=1)
    left, sizes, _ = np.linalg.svd(weights[:, None] * columns, full_matrices=False)
    kept = left[:, sizes > GATES_RANK]
    target = weights * y
    return np.sum((target - kept @ (kept.T @ target)) ** 2)


def cut_by_half_spaces(x):
    """The sets that a half-space cuts out, each decided by a linear program: v.x >= t + 1 inside, <= t - 1 outside."""
    sets = set()
    for bits in product((0, 1), repeat=len(x)):
        signs = np.where(np.array(bits), 1, -1)
        rows = -signs[:, None] * np.concatenate([x, -np.ones((len(x), 1))], axis=1)
        solved = linprog(np.zeros(x.shape[1] + 1), rows, -np.ones(len(x)), bounds=(None, None), method="highs")
        if solved.status == 0:
            sets.add(bits)
    return sets


def brute(law, gates):
    """The least loss over all tuples of gates."""
    inputs = sorted({x for x in law.x if any(x)})
    least = np.inf
    for chosen in product(product((0, 1), repeat=len(inputs)), repeat=gates):
        values = [dict(zip(inputs, bits, strict=True)) | {(Fraction(0),) * law.n: 0} for bits in chosen]
        least = min(least, lost(law, values))
    return least


def test_the_least_loss_of_all_gates():
    for law, gates in ((data(0), 2), (data(11, inputs=4), 3)):
        assert abs(float(optimum(support_of(law), gates).mse) - brute(law, gates)) <= GATES_LSTSQ * 4


def test_another_kind_has_another_loss():
    """On pulses of three sites the brute force over exclusive gates is not the least loss of any gates."""
    support = support_of(RING)
    assert optimum(support, 2).mse == Fraction(1, 188)
    assert optimum(support, 2, "exclusive").mse == Fraction(1, 84)
    assert optimum(support, 2, "tiling half-spaces").mse == Fraction(1, 36)


@pytest.mark.parametrize("kind", KINDS)
def test_kept_gatings_have_the_least_loss_and_no_other(kind):
    """The losses of all gatings, one by one: the least, how often it occurs, and the next."""
    support = support_of(data(3, inputs=4))
    best = optimum(support, 2, kind)
    size = support.size
    allowed = np.flatnonzero(separable(support.x)).tolist() if kind.endswith("half-spaces") else range(2**size)
    losses = {}
    for one, other in product(allowed, repeat=2):
        if one < other:
            continue  # a pair and its exchange count once
        together = [(one >> a & 1) + (other >> a & 1) for a in range(size)]
        if ("exclusive" in kind and max(together) > 1) or ("tiling" in kind and set(together) != {1}):
            continue
        opened = np.array([[one >> a & 1, other >> a & 1] for a in range(size)], dtype=bool)
        losses[one, other] = loss_of(support, opened)
    ordered = sorted(set(losses.values()))
    assert best.mse == ordered[0]
    assert best.following == ordered[1]
    winners = {frozenset(pair) for pair, loss in losses.items() if loss == ordered[0]}
    assert {frozenset(gating) for gating in best.gatings} == winners
    assert best.count == len(winners)


def test_half_spaces_are_those_of_linear_programs():
    for seed, sites in ((0, 1), (1, 2), (2, 2), (3, 3)):
        x = np.unique(np.random.default_rng(seed).integers(-1, 2, (6, sites)), axis=0)
        expected = {sum(bit << a for a, bit in enumerate(bits)) for bits in cut_by_half_spaces(x.astype(float))}
        assert set(np.flatnonzero(separable(x)).tolist()) == expected
    # Of n bits there are 4, 14 and 104 threshold functions for n = 1, 2, 3.
    assert [int(separable(np.array(list(product((0, 1), repeat=n)))).sum()) for n in (1, 2, 3)] == [4, 14, 104]


def test_equal_inputs_are_united_and_zero_is_lost():
    """The labels 1 and 0 of the same input lose their variance; the input 0 loses the square of its label."""
    support = support_of(FiniteData([[1, 2], [1, 2], [0, 0], [3, 0]], [1, 0, 2, 1]))
    assert support.size == 2
    assert support.lost == Fraction(1, 4) * (Fraction(1, 2) + 4)
    assert support.means == ((Fraction(1, 2),), (Fraction(1),))


def test_labels_of_two_numbers_are_fitted_side_by_side():
    x = [[1, 0], [0, 1], [1, 1]]
    both = support_of(FiniteData(x, [[1, 0], [0, 2], [3, 1]]))
    each = [support_of(FiniteData(x, labels)) for labels in ([1, 0, 3], [0, 2, 1])]
    opened = np.array([[1], [1], [1]], dtype=bool)
    assert loss_of(both, opened) == sum(loss_of(one, opened) for one in each)
    assert loss_of(both, opened) > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: support_of(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))), OutOfReachError, '"nlgp" has no list'),
        (lambda: support_of(FiniteData([[1], [2]], [1, 0], context=[0, 1])), OutOfReachError, "have contexts"),
        (lambda: optimum(support_of(RING), 5), InputError, "gates = 5 is more than 4"),
        (lambda: optimum(support_of(RING), 2, "halfspaces"), InputError, "kind = 'halfspaces' is not known"),
        (
            lambda: optimum(support_of(SinglePulse(9, ((1, 2), (3, 4)), "zero-one", "none", (1, 0))), 2),
            OutOfReachError,
            "36 different nonzero inputs",
        ),
        (lambda: separable(np.arange(17)[:, None]), OutOfReachError, "17 inputs have 2\\^17 subsets"),
        (lambda: loss_of(support_of(RING), np.ones((3, 1), dtype=bool)), InputError, "given on 3 inputs of 7"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_long_search_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("theory.gates.search.MOST_SOLVED", 100)
    with pytest.raises(OutOfReachError, match="has solved 100 least-squares problems and is not through"):
        optimum(support_of(RING), 2)


def test_data_of_the_input_zero_alone():
    """No weight sees the input 0: the loss is <y^2>, and there is one gating of no input."""
    best = optimum(support_of(FiniteData([[0, 0]], [3])), 2)
    assert (best.mse, best.count, best.following) == (9, 1, None)
