"""Tables and contexts through gates: against sums over the examples one by one, and the same data in fractions."""

from dataclasses import replace

import numpy as np
import pytest

from tests.theory.moments.definition import question, summed
from tests.tolerances_of_graphs import TABLE_FLOW, TABLE_SUM
from theory.flow import solve
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.constant_gates import constant_gates
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DirectionGate,
    FiniteData,
    OutOfReachError,
    RepeatedGate,
    SiteGate,
    Table,
)

N, SITES = 40, 3
CONTEXT = tuple(range(4)) * 10
GATES = (
    ContextGate([0, 2]),
    SiteGate(1, lo="1/4", on="input"),
    DirectionGate({0: 1, 2: "-1/3"}, lo=-1, hi="1/2", on="input"),
    ContextGate([1, 2, 3]),
    AlwaysGate(),
    RepeatedGate(0),
)
EVERY = ContextGate([0, 1, 2, 3])
SOFT = (SiteGate(0, lo="-1/2", hi=1, on="input", sharpness=3), DirectionGate([1, 2, 0], lo=0, on="input", sharpness=1))


def arrays(outputs, seed=0):
    """Examples in multiples of 1/64, so that fractions of them stay short."""
    rng = np.random.default_rng(seed)
    x, y = (np.round(64 * rng.normal(size=(N, columns))) / 64 for columns in (SITES, outputs))
    return {"x": x, "y": y, "context": np.array(CONTEXT), "weights": rng.integers(1, 5, N).astype(float)}


def table(folder, outputs=1, **changed):
    np.savez(folder / "data.npz", **arrays(outputs) | changed)
    return Table(str(folder / "data.npz"))


def finite(outputs=1):
    values = {name: array.tolist() for name, array in arrays(outputs).items()}
    return FiniteData(values["x"], values["y"], weights=values["weights"], context=values["context"])


def asked(law, gates, biases="none"):
    return question(law, *gates, biases=biases, times=(0, 1, 4))


@pytest.mark.parametrize(
    ("outputs", "gates", "biases"), [(2, GATES, "trained"), (1, SOFT, "none"), (1, (*GATES[:2], *SOFT), "trained")]
)
def test_moments_are_the_sums_over_the_examples(tmp_path, outputs, gates, biases):
    law = table(tmp_path, outputs)
    problem = asked(law, gates, biases)
    A, b = summed(problem.network, law.rows.x.T, law.rows.probabilities, law.rows.y, context=CONTEXT)
    moments = gated_moments(problem)
    assert abs(moments.A - A).max() <= TABLE_SUM * A.max()
    assert abs(moments.b.reshape(b.shape) - b).max() <= TABLE_SUM * A.max()
    y2 = sum(share * (y @ y) for share, y in zip(law.rows.probabilities, law.rows.y, strict=True))
    assert abs(moments.y2 - y2) <= TABLE_SUM * y2
    for c in range(law.classes):
        mine = law.category == c
        second = np.einsum("i,ij,ik->jk", law.rows.probabilities[mine], law.rows.x[mine], law.rows.x[mine])
        second /= law.rows.probabilities[mine].sum()
        assert abs(moments.covariances[c] - second).max() <= TABLE_SUM * max(abs(second).max(), 1)


@pytest.mark.parametrize(("outputs", "biases"), [(1, "none"), (2, "trained")])
def test_the_flow_is_that_of_the_same_data_in_fractions(tmp_path, outputs, biases):
    gates = GATES[:3]
    found, exact = solve(asked(table(tmp_path, outputs), gates, biases)), solve(asked(finite(outputs), gates, biases))
    assert found.rank == exact.rank
    assert abs(found.weights - exact.weights).max() <= TABLE_FLOW
    assert abs(found.losses - exact.losses).max() <= TABLE_FLOW
    assert abs(found.fixed_point - exact.fixed_point).max() <= TABLE_FLOW
    assert abs(found.mse - exact.mse) <= TABLE_FLOW


def test_a_table_has_no_certified_digits(tmp_path):
    problem = asked(table(tmp_path), (EVERY,))
    for refused in (lambda: solve(problem, digits=20), lambda: gated_moments_certified(problem, 20)):
        with pytest.raises(OutOfReachError, match="kept in float64, and have no certified digits"):
            refused()


def test_gates_that_never_change_are_named(tmp_path):
    law = table(tmp_path)
    gates = (EVERY, ContextGate([1]), SiteGate(0, lo=100, on="input"))
    assert constant_gates(law, asked(law, gates).network) == {0: True, 2: False}


def test_moments_given_by_context_are_added_up_over_the_open_contexts():
    """Sigma^yx(p) and Sigma^xx(p, q) are sums of probability times yx and xx; nothing else of the examples enters."""
    xx = ([[2, 1, 0], [1, 3, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 4]], [[0, 0, 0], [0, 5, 1], [0, 1, 2]])
    yx, shares = ([[1, 0, 0]], [[0, -1, 1]], [[0, 1, 1]]), ("1/2", "1/3", "1/6")
    given = [{"probability": p, "xx": a, "yx": b, "yy": [[2]]} for p, a, b in zip(shares, xx, yx, strict=True)]
    gates = (ContextGate([0, 2]), ContextGate([1, 2]), ContextGate([0]))
    problem = asked(Table(moments=given), gates)
    moments, p = gated_moments(problem), [1 / 2, 1 / 3, 1 / 6]
    for a, one in enumerate(gates):
        first = sum(p[c] * np.array(yx[c][0]) for c in one.open)
        assert abs(moments.sigma_yx[a] - first).max() <= TABLE_SUM
        for b, other in enumerate(gates):
            second = sum((p[c] * np.array(xx[c]) for c in set(one.open) & set(other.open)), np.zeros((3, 3)))
            assert abs(moments.sigma_xx[a, b] - second).max() <= TABLE_SUM
    assert (moments.sigma_xx[1, 2] == 0).all()
    assert abs(moments.y2 - 2) <= TABLE_SUM
    assert problem != replace(problem, data=Table(moments=given[::-1]))


@pytest.mark.parametrize("rows", [4096, 4097])
def test_long_tables_are_summed_whole(tmp_path, rows):
    """Sums are taken some thousand rows at a time: each row counts once, with its own weight."""
    rng = np.random.default_rng(1)
    x, y, weights = rng.normal(size=(rows, SITES)), rng.normal(size=(rows, 2)), rng.integers(1, 5, rows).astype(float)
    context = np.arange(rows) % 4
    law = table(tmp_path, 2, x=x, y=y, weights=weights, context=context)
    problem = asked(law, (GATES[0], GATES[3]), "trained")
    moments = gated_moments(problem)
    A, b = summed(problem.network, x.T, weights / weights.sum(), y, context=context)
    assert abs(moments.A - A).max() <= rows * TABLE_SUM / N * A.max()
    assert abs(moments.b.reshape(b.shape) - b).max() <= rows * TABLE_SUM / N * A.max()
