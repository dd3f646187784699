"""`gdln solve`, `simulate`, `compare` and `sweep` of a graph, as they are typed: text, JSON, pictures and bad input."""

import json
from itertools import pairwise

import numpy as np
import pytest

from derivations.answers import compare, solve
from derivations.answers.graph import _to_rounding
from derivations.answers.graph_compare import MARGIN, graph_view
from derivations.cli import main
from derivations.experiments.folders import problem_file
from derivations.output import OUT_OF_REACH, PASS
from tests.derivations.answers.problems import changed
from tests.tolerances_of_graphs import GRAPH_STRENGTH
from theory.problem import loads
from theory.problem.routes import route_names

RACE = problem_file("race").read_text(encoding="utf-8")
MANY = (("replicates = 4", "replicates = 96"), ("samples = 4000", "samples = 1000"), ("seed = 0", "seed = 2"))
SHORT = (("times = [0.0, 1.0, 4.0, 16.0]", "times = [0.0, 0.5, 1.0]"),)


def race(*changes):
    """The text of the race with replaced words."""
    return changed(RACE, *changes)


@pytest.fixture
def gdln(tmp_path, typed):
    """Run a verb on the race with replaced words; exit code, stdout and stderr."""

    def run(verb, *words, change=()):
        (tmp_path / "race.toml").write_text(race(*change))
        return typed(verb, tmp_path / "race.toml", *words)

    return run


@pytest.fixture(scope="module")
def compared():
    """96 networks of the short race beside the theory."""
    return compare.answer(loads(race(*MANY, *SHORT)), "cpu")


def test_the_networks_follow_the_prediction(compared):
    content = compared.json()
    assert set(content["verdicts"]) == {"loss", "sizes of weights", "strengths of paths"}
    for verdict in content["verdicts"].values():
        assert verdict["p"] > verdict["level"]
        assert verdict["margin"] > 0
    assert content["verdicts"]["sizes of weights"]["outcome"] == "PASS"
    assert (content["distance"]["high"] < MARGIN).all()


def test_a_wrong_prediction_is_rejected(monkeypatch):
    """Networks of labels half as large as those predicted."""
    from derivations.answers import graph_compare

    wrong = race(*MANY, *SHORT, ("y = [1.0, 0.0, -1.0, 0.5]", "y = [2.0, 0.0, -2.0, 1.0]"))
    monkeypatch.setattr(graph_compare, "graph_view", lambda problem: graph_view(loads(wrong)))
    content = compare.answer(loads(race(*MANY, *SHORT)), "cpu").json()
    assert {verdict["outcome"] for verdict in content["verdicts"].values()} == {"FAIL"}
    assert content["distance"]["low"][-1] > MARGIN


def test_each_network_is_held_against_its_own_start():
    text = race(*MANY, *SHORT, ('initialisation = "shared"', 'initialisation = "per-replicate"'))
    answer = compare.answer(loads(text), "cpu")
    content = answer.json()
    assert content["theory"]["flow_distance"] is None
    assert (content["distance"]["high"] < 2 * MARGIN).all()  # the noise of a single network's sample is in it
    assert content["verdicts"]["strengths of paths"]["p"] > content["verdicts"]["strengths of paths"]["level"]
    scatter = answer.trained.run.parameters["R"].std(axis=0).max()
    assert scatter > MARGIN  # one prediction for all of them would be far off


NONLINEAR = (
    (
        RACE[RACE.index("[data]") : RACE.index("[network]")],
        '[data]\nlaw = "nlgp"\nn = 2\nxi = [2.0, 1.0]\ngain = 1.0\nboundary = "open"\n'
        'normaliser = "unit-variance"\nlabels = [1.0, 0.0]\n\n',
    ),
    ('"site", site = 0, hi = 0.0 }', '"direction", v = [1, 2], on = "input", hi = 0.0 }'),
    *SHORT,
)


def test_data_without_exact_moments_are_refused_by_theory_and_trained(gdln):
    """A gate along x_0 + 2 x_1 of a nonlinear process: no moment through it is known."""
    for verb in ("solve", "compare"):
        code, _, err = gdln(verb, change=NONLINEAR)
        assert code == OUT_OF_REACH, err
        assert "moment" in err or "threshold" in err
    code, out, _ = gdln("simulate", "--json", change=NONLINEAR)
    assert code == PASS
    assert json.loads(out)["strengths"].keys() == set(route_names(loads(RACE).graph))


def test_too_many_paths_are_no_reason_not_to_train(gdln):
    """Eleven pairs of parallel edges are 2^11 paths: the flow is refused by its number of paths, training goes on."""
    nodes = "".join(f'[[network.nodes]]\nname = "h{k}"\ndimension = 1\n' for k in range(10))
    names = ["x", *(f"h{k}" for k in range(10)), "y"]
    edges = "".join(
        f'[[network.edges]]\nfrom = "{one}"\nto = "{other}"\nweight = "{weight}{place}"\n'
        for place, (one, other) in enumerate(pairwise(names))
        for weight in ("A", "B")
    )
    whole = RACE[RACE.index('[[network.nodes]]\nname = "x"') : RACE.index("[training]")]
    ends = '[[network.nodes]]\nname = "x"\ndimension = 2\n[[network.nodes]]\nname = "y"\ndimension = 1\n'
    change = ((whole, ends + nodes + edges), *SHORT)
    code, _, err = gdln("solve", change=change)
    assert code == OUT_OF_REACH
    assert "2048 paths" in err
    code, out, _ = gdln("simulate", "--json", change=change)
    answer = json.loads(out)
    assert (code, answer["strengths"]) == (PASS, None)
    assert "2048 paths" in answer["remarks"][0]
    assert len(answer["sizes"]) == 22


TASKS = """
[data]
law = "finite"
x = [[1, 0], [0, 1], [1, 0], [0, 1]]
y = [[1, 0], [0, 2], [0, 1], [1, 0]]
context = [0, 0, 1, 1]
[network]
model = "gated-graph"
inputs = ["x"]
outputs = ["y"]
nodes = [{ name = "x", dimension = 2 }, { name = "h", dimension = 2 }, { name = "y", dimension = 2 }]
edges = [
    { from = "x", to = "h", weight = "A" },
    { from = "h", to = "y", weight = "B", gate = { kind = "context", open = [0] } },
    { from = "h", to = "y", weight = "C", gate = { kind = "context", open = [1] } },
]
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.3, seed = 0 }
times = [0.0, 4.0]
[simulation]
mode = "full-batch"
samples = 400
learning_rate = 0.1
replicates = 3
seed = 0
"""


def test_the_map_of_each_context_stands_beside_theory(tmp_path, capsys):
    """B A in context 0 and C A in context 1: matrices and singular values of theory, modes of networks."""
    problem = loads(TASKS)
    answer = solve.answer(problem)
    content, weights = answer.json(), answer.solution.weights
    for context, decoder in ((0, "B"), (1, "C")):
        product = np.einsum("tij,tjk->tik", weights[decoder], weights["A"])
        assert abs(content["maps"][f"context {context}"] - product).max() <= GRAPH_STRENGTH * abs(product).max()
        answer = np.stack([content["map_modes"][f"context {context}, mode {mode}"] for mode in (1, 2)], axis=1)
        size, both = np.square(product).sum(axis=(1, 2)), abs(np.linalg.det(product))
        assert (abs(np.square(answer).sum(axis=1) - size) <= GRAPH_STRENGTH * size).all()
        assert (abs(answer.prod(axis=1) - both) <= GRAPH_STRENGTH * size).all()
    (tmp_path / "tasks.toml").write_text(TASKS)
    for verb in ("solve", "simulate", "compare"):
        assert main([verb, str(tmp_path / "tasks.toml")]) == PASS
        assert "singular values of the sums of paths in each context, or with the same gates" in capsys.readouterr().out
    both = compare.answer(problem, "cpu").json()
    assert list(both["theory"]["map_modes"]) == list(both["networks"]["map_modes"]) == list(content["map_modes"])
    assert set(both["networks"]["map_modes_standard_error"]) == set(content["map_modes"])
    assert "singular values" not in solve.answer(loads(RACE)).text()  # those of single paths to one output


def test_large_maps_have_no_modes_and_a_reason(monkeypatch, tmp_path, capsys):
    """Two maps of 2 inputs to 2 outputs are 2 * 2^3 products."""
    (tmp_path / "tasks.toml").write_text(TASKS)
    for most in (16, 15):
        monkeypatch.setattr("theory.problem.maps.MOST_WORK", most)
        for verb, notes in (("solve", "notes"), ("simulate", "remarks")):
            assert main([verb, str(tmp_path / "tasks.toml"), "--json"]) == PASS
            answer = json.loads(capsys.readouterr().out)
            refused = any("no modes of maps: The singular values of 2 maps" in note for note in answer[notes])
            assert (answer["map_modes"] is None) == refused == (most == 15)


@pytest.mark.parametrize(
    ("loss", "noise", "said"),
    [(1 / 3, 1e-15, "0.3333333333"), (1.25e-13, 1e-15, "1.25e-13"), (-1e-16, 1e-15, "< 1e-15"), (0.0, 0.0, "0")],
)
def test_a_mean_square_has_the_digits_above_its_rounding(loss, noise, said):
    assert _to_rounding(loss, noise) == said
