"""`gdln paths` on every kind of network, with many inputs, and where float64 decides a gate otherwise."""

from dataclasses import replace
from fractions import Fraction

from derivations.answers import paths
from derivations.output import OUT_OF_REACH, PASS
from tests.deep_cases import CLOSED, DATA, FIXED, GATINGS, drawn, problem_of
from tests.tolerances_of_paths import DEEP_PASS
from theory.problem import CircularConvolution, FiniteData, InitialByName, OwnGates, Training, dumps


def test_every_kind_of_network_is_answered_with_both_sums_equal_and_as_in_torch(tmp_path, gdln):
    file = tmp_path / "problem.toml"
    for shape in ("full", "shared"):
        for name, gating in {**GATINGS, "fixed": FIXED[shape]}.items():
            file.write_text(dumps(problem_of(shape, gating)))
            code, answer = gdln("paths", file, "--torch")
            assert code == PASS, name
            size = 1
            for one in answer["inputs"]:
                assert one["output"] == one["output_over_paths"]
                terms = [Fraction(term["feature"]) * Fraction(term["value"]) for term in one["active_paths"]]
                assert (sum(terms), len(terms)) == (Fraction(one["output"]), int(one["active"]))
                size = max(size, sum(map(abs, terms)))
            assert answer["torch"]["gates"] == 0
            assert answer["torch"]["difference"] <= DEEP_PASS * size
            assert (answer["bundle_kernel"] is None) == (shape == "full")


def test_many_inputs_are_refused_with_the_remedy(tmp_path, gdln, refusal):
    data = FiniteData([[s, 1] for s in range(101)], [0] * 101)
    (file := tmp_path / "problem.toml").write_text(dumps(drawn((2,), OwnGates(CLOSED), data)))
    code, message = refusal("paths", file)
    assert (code, "--inputs" in message) == (OUT_OF_REACH, True)
    assert gdln("paths", file, "--inputs", ",".join(map(str, range(20))))[0] == PASS


def test_convolutional_nodes_are_channel_and_position():
    answer = paths.answer(problem_of("shared", OwnGates(CLOSED)))
    assert isinstance(answer.declared.architecture, CircularConvolution)
    assert answer.named((2, 4, 8)) == "2-1.1-2.2"  # of 3 positions
    assert len(answer.inputs) == len(DATA.x)
    assert "kernel of bundles" in answer.text()


def test_a_gate_that_float64_decides_otherwise_is_counted():
    """0.1 + 0.2 - 0.3 is 0 as fractions, where the gate is closed, and positive in float64."""
    data, start = FiniteData([[1, 1, 1]], [0]), (("Theta_1", [["0.1", "0.2", "-0.3"]]), ("Theta_2", [[1]]))
    problem = replace(drawn((1,), OwnGates(CLOSED), data), training=Training("mse", 1, InitialByName(start), (1,)))
    answer = paths.answer(problem, in_torch=True)
    assert answer.inputs[0].active == 0
    assert answer.in_torch.gates == 1
    assert answer.in_torch.difference > 0
