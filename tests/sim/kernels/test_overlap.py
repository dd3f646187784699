"""Overlap and path kernel against loops over all paths."""

import pytest
import torch

from sim.kernels import overlap, path_kernel
from tests.sim.kernels.networks import all_paths, hard_gates, path_features, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL
from theory.problem import InputError, OutOfReachError

ROWS, COLUMNS = 5, 4


def by_loop(gates, others):
    """The number of hidden paths that are active for both inputs, by Definition 2.2 of the NPK paper."""
    return [
        [
            sum(
                all(gate[s, i] and other[t, i] for gate, other, i in zip(gates, others, path[1:], strict=True))
                for path in all_paths(1, gates)
            )
            for t in range(len(others[0]))
        ]
        for s in range(len(gates[0]))
    ]


@pytest.mark.parametrize("widths", [(4,), (3, 4), (3, 2, 4)], ids=str)
def test_the_overlap_counts_paths(widths):
    gates, others = hard_gates(ROWS, widths), hard_gates(COLUMNS, widths, seed=6)
    assert overlap(gates).tolist() == by_loop(gates, gates)
    assert overlap(gates, others, block=2).tolist() == by_loop(gates, others)
    assert overlap([g.float() for g in gates]).tolist() == by_loop(gates, gates)
    for layer in range(len(widths) - 1):
        assert overlap(gates[:layer] + gates[layer + 1 :]).tolist() != by_loop(gates, gates)


@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
def test_the_path_kernel_is_the_gram_matrix_of_the_path_features(soft):
    """Lemma 2.1 of the NPK paper, H = Sigma o Lambda, which holds for soft gates too."""
    x, y = points(ROWS, 3), points(COLUMNS, 3, seed=5)
    gates, others = hard_gates(ROWS, (4, 2, 3)), hard_gates(COLUMNS, (4, 2, 3), seed=6)
    if soft:
        gates, others = ([0.3 + 0.6 * g.double() for g in own] for own in (gates, others))
    phi, psi = (path_features(*pair) for pair in ((x, [g.double() for g in gates]), (y, [g.double() for g in others])))
    for found, exact in (
        (path_kernel(x, gates), phi @ phi.T),
        (path_kernel(x, gates, y, others, block=2), phi @ psi.T),
    ):
        assert float((found - exact).abs().max()) <= EMPIRICAL_KERNEL * float(exact.abs().max())


def test_paths_beyond_the_largest_number_are_named_with_the_remedy():
    gates = [torch.ones(2, 128) for _ in range(20)]
    with pytest.raises(OutOfReachError, match=r"up to about 1e42, is larger than 3.4e\+38.*layer_scale"):
        overlap(gates)
    assert overlap(gates, layer_scale=1 / 128).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_gates_that_do_not_fit_are_named():
    for call, message in [
        (lambda g: overlap([]), "gates is empty"),
        (lambda g: overlap([g[0], g[1][:2]]), r"gates\[1\] has shape \(2, 3\); 5 inputs .* need \(5, 3\)"),
        (lambda g: overlap(g, [g[0]]), "other has 1 entries, but the network has 2 hidden layers"),
        (lambda g: overlap(g, layer_scale=0.0), "layer_scale = 0.0 must be positive"),
        (
            lambda g: overlap([g[0].float(), g[1].double()]),
            r"gates\[1\] is torch.float64 on cpu, the others are torch.f",
        ),
        (lambda g: path_kernel(points(4, 3), g), r"gates\[0\] has shape \(5, 4\); 4 inputs .* need \(4, 4\)"),
        (lambda g: path_kernel(points(5, 3), g, points(5, 3)), "needs both `other` and `other_gates`"),
        (lambda g: path_kernel(points(5, 3), g, points(5, 2), g), "other has 2 columns, inputs has 3"),
    ]:
        with pytest.raises(InputError, match=message):
            call(hard_gates(ROWS, (4, 3)))
