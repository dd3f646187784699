"""`gdln paths` as it is typed: paths, outputs and kernels of small networks, the picture, and what it refuses."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from derivations import cli
from derivations.answers import paths
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.deep_cases import CLOSED, DATA, FIXED, GATINGS, drawn, problem_of
from tests.tolerances_of_paths import DEEP_PASS
from theory.problem import (
    BernoulliGates,
    CircularConvolution,
    FiniteData,
    InitialByName,
    OwnGates,
    Training,
    dumps,
)

TOY = """
[data]
law = "finite"
x = [[1, 2], [2, 1], [-1, -3]]
y = [1, 0, 2]
[network]
model = "deep"
widths = [2, 2]
gating = { kind = "own", gate = { kind = "hard", at_zero = "closed" } }
[training]
loss = "half-mse"
tau = 1
times = [1]
w0 = { Theta_1 = [[1, 1], [1, -1]], Theta_2 = [[1, 1], [-2, 5]], Theta_3 = [["1/2", 3]] }
"""


@pytest.fixture
def toy(tmp_path):
    (file := tmp_path / "toy.toml").write_text(TOY)
    return file


def said(capsys, *words):
    code = cli.main(["paths", *map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def written(tmp_path, problem):
    (file := tmp_path / "problem.toml").write_text(dumps(problem))
    return file


def test_a_toy_network_by_hand(toy, capsys):
    """q_1 = (3, -1), (3, 1), (-4, 2) and q_2 = (3, -6), (4, -1), (2, 10)."""
    code, found = said(capsys, toy)
    assert (code, found["schema"], found["paths"], found["nodes"]) == (PASS, "gdln.paths/1", "8", [2, 2, 2, 1])
    assert [one["gates"] for one in found["inputs"]] == [
        [["1", "0"], ["1", "0"]],
        [["1", "1"], ["1", "0"]],
        [["0", "1"], ["1", "1"]],
    ]
    assert [one["active"] for one in found["inputs"]] == ["2", "4", "4"]
    assert [one["output"] for one in found["inputs"]] == ["3/2", "2", "31"]
    assert [one["output_over_paths"] for one in found["inputs"]] == ["3/2", "2", "31"]
    assert found["inputs"][0]["active_paths"] == [
        {"path": [0, 0, 0], "feature": "1", "value": "1/2"},
        {"path": [1, 0, 0], "feature": "2", "value": "1/2"},
    ]
    assert found["overlap"] == [["1", "1", "0"], ["1", "2", "1"], ["0", "1", "2"]]
    assert found["path_kernel"] == [["5", "4", "0"], ["4", "10", "-5"], ["0", "-5", "20"]]
    assert (found["bundle_kernel"], found["torch"]) == (None, None)


def test_the_tangent_kernel_is_that_of_differences(toy, capsys):
    """The output is linear in each weight while the gates stay: differences of a step of 1 are derivatives."""
    found = said(capsys, toy)[1]
    first, second, third = ([[1, 1], [1, -1]], [[1, 1], [-2, 5]], [[Fraction(1, 2), 3]])
    slopes = []
    for one in found["inputs"]:
        gates = [[int(g) for g in level] for level in one["gates"]]
        x = [Fraction(value) for value in one["x"]]

        def output(layers, x=x, gates=gates):
            z = x
            for layer, own in zip(layers, [*gates, [1]], strict=True):
                z = [g * sum(w * v for w, v in zip(row, z, strict=True)) for g, row in zip(own, layer, strict=True)]
            return z[0]

        own = []
        for number, layer in enumerate((first, second, third)):
            for i, j in product(range(len(layer)), range(2)):
                layers = [[list(row) for row in each] for each in (first, second, third)]
                layers[number][i][j] += 1
                own.append(output(layers) - output((first, second, third)))
        slopes.append(own)
    expected = [[str(sum(a * b for a, b in zip(one, other, strict=True))) for other in slopes] for one in slopes]
    assert found["tangent_kernel"] == expected


@pytest.mark.parametrize("inputs", ["3", "0,0", "-1", "a", "", "0,,1"])
def test_inputs_that_are_none_are_refused(toy, capsys, inputs):
    code, found = said(capsys, toy, f"--inputs={inputs}")
    assert (code, found["error"]["kind"]) == (BAD_INPUT, "inputs")


@pytest.mark.parametrize("name", [*GATINGS, "fixed"])
@pytest.mark.parametrize("shape", ["full", "shared"])
def test_every_kind_of_network_is_answered_with_both_sums_equal_and_as_in_torch(shape, name, tmp_path, capsys):
    gating = FIXED[shape] if name == "fixed" else GATINGS[name]
    code, found = said(capsys, written(tmp_path, problem_of(shape, gating)), "--torch")
    assert code == PASS
    size = 1
    for one in found["inputs"]:
        assert one["output"] == one["output_over_paths"]
        terms = [Fraction(term["feature"]) * Fraction(term["value"]) for term in one["active_paths"]]
        assert sum(terms) == Fraction(one["output"])
        assert len(terms) == int(one["active"])
        size = max(size, sum(map(abs, terms)))
    assert found["torch"]["gates"] == 0
    assert found["torch"]["difference"] <= DEEP_PASS * size
    assert (found["bundle_kernel"] is None) == (shape == "full")


def test_more_paths_than_can_be_listed_are_counted(tmp_path, capsys):
    file = written(tmp_path, drawn((60, 60, 60), BernoulliGates("1/2", 0)))
    code, found = said(capsys, file)
    assert (code, found["paths"]) == (PASS, str(3 * 60**3))
    for one in found["inputs"]:
        opened = [sum(g == "1" for g in level) for level in one["gates"]]
        assert one["active"] == str(3 * opened[0] * opened[1] * opened[2])
        assert (one["active_paths"], one["output_over_paths"]) == (None, None)
    assert cli.main(["paths", str(file)]) == PASS
    text = capsys.readouterr().out
    assert "at most 100000, for all inputs together, are listed" in text
    assert "of 60 open)" in text


def test_many_inputs_are_refused_with_the_remedy(tmp_path, capsys):
    data = FiniteData([[s, 1] for s in range(101)], [0] * 101)
    file = written(tmp_path, drawn((2,), OwnGates(CLOSED), data))
    code, found = said(capsys, file)
    assert (code, found["error"]["kind"]) == (OUT_OF_REACH, "out-of-reach")
    assert "--inputs" in found["error"]["hint"]
    few = ",".join(map(str, range(20)))
    assert said(capsys, file, "--inputs", few)[0] == PASS
    assert cli.main(["paths", str(file), "--inputs", few]) == PASS
    assert "20 rows, all of them with --json" in capsys.readouterr().out


def test_other_networks_are_refused(capsys):
    code, found = said(capsys, "derivations/experiments/problems/three-sites.toml")
    assert code == OUT_OF_REACH
    assert 'network.model = "gated-linear"' in found["error"]["message"]
    assert "gdln new" in found["error"]["hint"]


def test_the_picture_has_a_panel_for_each_input_and_its_numbers():
    figure = paths.answer(problem_of("full", OwnGates(CLOSED))).figure()
    assert [axis.get_title() for axis in figure.axes] == [
        f"input {s}: {one.active} of 18 paths active"
        for s, one in enumerate(paths.answer(problem_of("full", OwnGates(CLOSED))).inputs)
    ]
    assert [text.get_text() for text in figure.axes[2].texts[:3]] == ["0.5", "1", "1"]


def test_convolutional_nodes_are_channel_and_position():
    answer = paths.answer(problem_of("shared", OwnGates(CLOSED)))
    assert isinstance(answer.declared.architecture, CircularConvolution)
    assert answer.named((2, 4, 8)) == "2-1.1-2.2"  # of 3 positions
    assert len(answer.inputs) == len(DATA.x)
    assert "paths that are active for both inputs" in answer.text()
    assert "kernel of bundles" in answer.text()


def test_a_gate_that_float64_decides_otherwise_is_counted():
    """0.1 + 0.2 - 0.3 is 0 as fractions, where the gate is closed, and positive in float64."""
    data, start = FiniteData([[1, 1, 1]], [0]), (("Theta_1", [["0.1", "0.2", "-0.3"]]), ("Theta_2", [[1]]))
    problem = replace(drawn((1,), OwnGates(CLOSED), data), training=Training("mse", 1, InitialByName(start), (1,)))
    answer = paths.answer(problem, in_torch=True)
    assert answer.inputs[0].active == 0
    assert answer.in_torch.gates == 1
    assert answer.in_torch.difference > 0
