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
from tests.tolerances_of_graphs import GRAPH_STRENGTH
from theory.flow.graph.strengths import strengths
from theory.problem import loads
from theory.problem.routes import route_names

RACE = problem_file("race").read_text(encoding="utf-8")
MANY = (("replicates = 4", "replicates = 96"), ("samples = 4000", "samples = 1000"), ("seed = 0", "seed = 2"))
SHORT = (("times = [0.0, 1.0, 4.0, 16.0]", "times = [0.0, 0.5, 1.0]"),)


def race(*changes):
    """The text of the race with replaced words."""
    text = RACE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def gdln(tmp_path, capsys):
    """Run a verb on the race with replaced words; exit code, stdout and stderr."""

    def run(verb, *words, change=()):
        (tmp_path / "race.toml").write_text(race(*change))
        code = main([verb, str(tmp_path / "race.toml"), *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

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
    found = compare.answer(loads(text), "cpu")
    content = found.json()
    assert content["theory"]["flow_distance"] is None
    assert (content["distance"]["high"] < 2 * MARGIN).all()  # the noise of a single network's sample is in it
    assert content["verdicts"]["strengths of paths"]["p"] > content["verdicts"]["strengths of paths"]["level"]
    scatter = found.trained.run.parameters["R"].std(axis=0).max()
    assert scatter > MARGIN  # one prediction for all of them would be far off


def test_few_networks_decide_nothing(gdln):
    code, out, _ = gdln("compare", "--device", "cpu", change=SHORT)
    assert code == PASS
    assert "not decided: 4 replicates" in out
    assert "undefined" in out


def test_one_stream_of_data_gives_no_verdict(gdln):
    shared = ('initialisation = "shared"', 'initialisation = "shared"\nshared_stream = true')
    code, out, _ = gdln("compare", "--device", "cpu", change=(shared, *SHORT))
    assert code == PASS
    assert "no verdict: there is no time after the start, or the networks share one stream" in out
    assert "undefined" in out


def test_solve_has_sizes_and_strengths():
    problem = loads(RACE)
    answer = solve.answer(problem)
    content = answer.json()
    assert list(content["strengths"]) == list(route_names(problem.graph))
    for name, size in content["sizes"].items():
        assert abs(size - np.sqrt((answer.solution.weights[name] ** 2).sum(axis=(1, 2)))).max() <= GRAPH_STRENGTH
    flow = answer.solution.flow
    assert content["strengths"].keys() == strengths(flow, answer.solution.weights).keys()


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
    found = json.loads(out)
    assert (code, found["strengths"]) == (PASS, None)
    assert "2048 paths" in found["remarks"][0]
    assert len(found["sizes"]) == 22


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
        found = np.stack([content["map_modes"][f"context {context}, mode {mode}"] for mode in (1, 2)], axis=1)
        size, both = np.square(product).sum(axis=(1, 2)), abs(np.linalg.det(product))
        assert (abs(np.square(found).sum(axis=1) - size) <= GRAPH_STRENGTH * size).all()
        assert (abs(found.prod(axis=1) - both) <= GRAPH_STRENGTH * size).all()
    (tmp_path / "tasks.toml").write_text(TASKS)
    for verb in ("solve", "simulate", "compare"):
        assert main([verb, str(tmp_path / "tasks.toml")]) == PASS
        assert "singular values of the sums of paths in each context, or with the same gates" in capsys.readouterr().out
    both = compare.answer(problem, "cpu").json()
    assert list(both["theory"]["map_modes"]) == list(both["networks"]["map_modes"]) == list(content["map_modes"])
    assert set(both["networks"]["map_modes_standard_error"]) == set(content["map_modes"])
    assert "singular values" not in solve.answer(loads(RACE)).text()  # those of single paths to one output


def test_large_maps_have_no_modes_and_a_reason(tmp_path, capsys):
    zeros = [[0.0] * 600]
    text = TASKS.replace("dimension = 2", "dimension = 600").replace("times = [0.0, 4.0]", "times = [0.0]")
    text = text.replace(
        text[text.index("x = [") : text.index("[network]")], f"x = {zeros * 2}\ny = {zeros * 2}\ncontext = [0, 1]\n"
    )
    (tmp_path / "wide.toml").write_text(text.replace("samples = 400", "samples = 2"))
    for verb, said in (("solve", "notes"), ("simulate", "remarks")):
        assert main([verb, str(tmp_path / "wide.toml"), "--json"]) == PASS
        found = json.loads(capsys.readouterr().out)
        assert found["map_modes"] is None
        assert any("no modes of maps: The singular values of 2 maps" in note for note in found[said])


@pytest.mark.parametrize(
    ("loss", "noise", "said"),
    [(1 / 3, 1e-15, "0.3333333333"), (1.25e-13, 1e-15, "1.25e-13"), (-1e-16, 1e-15, "< 1e-15"), (0.0, 0.0, "0")],
)
def test_a_mean_square_has_the_digits_above_its_rounding(loss, noise, said):
    assert _to_rounding(loss, noise) == said
