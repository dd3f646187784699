"""`gdln bench kernels`: every contender computes the kernel of the same network, and a goal is judged by its ratio."""

import json

import numpy as np
import pytest
import torch

from derivations.benchmarks import kernels as bench
from derivations.benchmarks.peers import tangents
from derivations.cli import main
from sim.kernels import tangent_kernel
from tests.derivations.benchmarks import tables
from tests.tolerances_of_empirical_kernels import PEER_INVERSE_COSINE, PEER_KERNELS
from theory.kernels.infinite import WideNetwork, gram_kernels
from theory.problem import InputError, OutOfReachError


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        return bench.measure(points=12, rounds=2)


def test_every_contender_has_the_same_kernel(measured):
    for kind in ("tangent", "path"):
        part = measured[kind]
        timed = {name for name, took in part["seconds"].items() if not isinstance(took, str)}
        assert set(part["apart"]) == set(part["ratios"]) == timed - {"sim"}
        assert max(part["apart"].values()) <= PEER_KERNELS
        assert all(low <= part["seconds"][name] <= high for name, (low, high) in part["range"].items())
    assert {"sim", "layerwise", "jacobian", "vector", *tangents.NEURAL_TANGENTS} == set(measured["tangent"]["seconds"])


def test_a_wrong_kernel_would_be_noticed():
    """Without its last layer, or with another seed, the kernel of a contender is farther away than is allowed."""
    weights, inputs = bench._network(12)
    own = tangent_kernel(weights, inputs, activation=torch.relu)
    other, _ = bench._network(12, seed=1)
    wrong = {
        "layer": own - inputs @ inputs.T,
        "seed": tangent_kernel([*weights[:-1], other[-1]], inputs, activation=torch.relu),
    }
    assert min(bench._apart({"sim": own, **wrong}).values()) > 1000 * PEER_KERNELS


def test_goals_are_judged_by_the_ratios(measured):
    first, second = measured["tangent"]["goals"]
    assert first["ratio"] == measured["tangent"]["ratios"]["jacobian"]
    assert first["reached"] == (first["ratio"] >= first["goal"] == 40)
    if tangents.installed() is None:
        assert second["reached"] is second["ratio"] is None
        assert "goal 1 x neural-tangents: not measured" in bench.text(measured)
    else:
        ratios = [measured["tangent"]["ratios"][name] for name in tangents.NEURAL_TANGENTS]
        assert second["ratio"] == min(ratios)
        assert second["reached"] == (min(ratios) >= 1)
    assert "| tangent | sim |" in tables.kernels(measured)


def test_errors_of_float32_are_stated_and_are_those_of_rounding(measured):
    errors = measured["errors"]
    assert 0 < errors["tangent"] <= PEER_KERNELS
    assert 0 < errors["path"] <= PEER_KERNELS
    assert measured["larger"]["points"] == 4 * 12


@pytest.mark.parametrize("name", tangents.NEURAL_TANGENTS)
def test_neural_tangents_computes_the_same_kernel(name):
    pytest.importorskip("neural_tangents", reason="neural-tangents is not installed (extra `peers-kernels`)")
    weights, inputs = bench._network(12)
    arrays = [matrix.numpy() for matrix in weights]
    found = torch.as_tensor(np.array(tangents.neural_tangents(name, arrays, inputs.numpy())()))
    own = tangent_kernel(weights, inputs, activation=torch.relu)
    assert bench._apart({"sim": own, name: found})[name] <= PEER_KERNELS


def test_the_recursion_of_neural_tangents_is_that_of_the_same_network():
    """Up to its inverse cosine, which loses half of the digits of float32 on the diagonal."""
    pytest.importorskip("neural_tangents", reason="neural-tangents is not installed (extra `peers-kernels`)")
    _, inputs = bench._network(12)
    found = np.array(tangents.recursion(4, inputs.numpy())(), float)
    x = inputs.numpy().astype(float)
    exact = gram_kernels(x @ x.T / x.shape[1], WideNetwork("relu", 4)).ntk
    apart = np.abs(found - exact)
    assert apart.max() <= PEER_INVERSE_COSINE * exact.max()
    np.fill_diagonal(apart, 0)
    assert apart.max() <= PEER_KERNELS * exact.max()


def test_the_recursion_is_judged_where_its_error_is_small(measured):
    found = measured["recursion"]
    assert found["errors"]["theory float64"] == 0
    assert 0 < found["errors"]["theory float32"] <= PEER_KERNELS
    assert found["goal"]["way"] in ("theory float32", "theory float64")
    assert found["errors"][found["goal"]["way"]] <= found["goal"]["largest error"]
    if tangents.installed() is not None:
        assert found["goal"]["reached"] == (found["ratios"][found["goal"]["way"]] >= 4)


def test_missing_neural_tangents_are_named(monkeypatch):
    monkeypatch.setattr(tangents, "find_spec", lambda _name: None)
    with pytest.raises(OutOfReachError, match="needs neural-tangents, which is not installed"):
        tangents.neural_tangents("nt-structured", [], np.empty((0, 0)))
    assert tangents.installed() is None


def test_the_number_of_points_is_an_option_of_this_benchmark_alone(monkeypatch, capsys):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(bench, "ROUNDS", 1)
    assert main(["bench", "kernels", "--points", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"] == 3
    assert main(["bench", "train", "--points", "3"]) == 2
    assert "--points belongs to gdln bench kernels" in capsys.readouterr().err
    with pytest.raises(InputError, match="points"):
        bench.measure(points=1)
    with pytest.raises(OutOfReachError, match="4 times 10000000 points would take"):
        bench.measure(points=10_000_000)
