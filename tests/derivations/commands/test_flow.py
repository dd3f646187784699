"""gdln flow as a user calls it: formulas, code, a drawing, the JSON contract and exit codes; graphs in other verbs."""

import json
from xml.etree import ElementTree

import pytest

from derivations import cli
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from derivations.publish.graph_drawing import drawing
from tests.tolerances import SIM_SUMS
from theory.flow.graph.paths import paths_of
from theory.problem import Edge, GatedGraph, Graph, Node, Parameter, SiteGate

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def race(request):
    return str(request.config.rootpath / "derivations/experiments/problems/race.toml")


def said(capsys, *words):
    """The exit code, stdout and stderr of a command."""
    code = cli.main(list(map(str, words)))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_paths_through_an_edge_are_highlighted():
    nodes = Node("x", 1), Node("a", 1), Node("b", 1), Node("y", 1)
    edges = Edge("x", "a", "A"), Edge("x", "b", "B"), Edge("a", "y", "C"), Edge("b", "y", "D")
    weights = tuple(Parameter(name, (1, 1)) for name in "ABCD")
    graph = Graph(nodes, edges, weights, ("x",), ("y",))
    root = ElementTree.fromstring(drawing(graph, paths_of(graph), "C"))
    lines = [path for path in root.iter(f"{SVG}path") if path.get("fill") == "none"]
    colours = [line.get("stroke") for line in lines]
    assert len(set(colours)) == 2
    assert [colours.count(colour) for colour in dict.fromkeys(colours)] == [2, 2]
    plain = ElementTree.fromstring(drawing(graph))
    assert len({line.get("stroke") for line in plain.iter(f"{SVG}path") if line.get("fill") == "none"}) == 1


def test_a_drawing_shows_depths_gates_and_edges_without_weights():
    """Nodes stand in the column of their longest path; g marks gates; an edge without weights is dashed."""
    gate = SiteGate(0, lo=0, on="input")
    nodes = Node("x", 2), Node("a", 2, (gate,)), Node("b", 2), Node("y", 2)
    edges = Edge("x", "a", "A"), Edge("a", "b"), Edge("x", "b", "B", gate), Edge("b", "y", "C"), Edge("x", "y", "D")
    graph = GatedGraph(nodes, edges, ("x",), ("y",)).graph
    root = ElementTree.fromstring(drawing(graph))
    texts = {element.text: float(element.get("x")) for element in root.iter(f"{SVG}text")}
    columns = [texts[name] for name in ("x", "a", "b", "y")]
    assert columns == sorted(columns)
    assert len(set(columns)) == 4
    assert {"A", "B · g", "C", "D"} <= set(texts)
    assert [element.text for element in root.iter(f"{SVG}text")].count("g") == 1
    lines = [line for line in root.iter(f"{SVG}path") if line.get("fill") == "none"]
    (dashed,) = (line for line in lines if line.get("stroke-dasharray"))
    start = float(dashed.get("d")[1:].split(",")[0])
    assert len(lines) == 5
    assert columns[1] < start < columns[2]  # from a to b


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (["--weight", "Q"], BAD_INPUT, "trains no weight Q"),
        (["--format", "fortran"], BAD_INPUT, "--format fortran"),
        (["--plot", "race.png"], BAD_INPUT, "written as .svg"),
        (["--plot", "missing/race.svg"], BAD_INPUT, "does not exist"),
    ],
)
def test_bad_input(race, capsys, words, code, named):
    found, _, err = said(capsys, "flow", race, *words)
    assert found == code
    assert named in err


def test_a_network_that_gates_itself_has_no_paths(request, capsys):
    file = request.config.rootpath / "derivations/experiments/problems/relu-training.toml"
    code, _, err = said(capsys, "flow", file)
    assert code == OUT_OF_REACH
    assert "activation relu" in err


def test_solve_and_simulate_a_graph(race, capsys, tmp_path):
    code, out, _ = said(capsys, "solve", race, "--json")
    solved = json.loads(out)
    assert code == PASS
    assert solved["losses"] == sorted(solved["losses"], reverse=True)
    out_file = tmp_path / "race.npz"
    code, out, _ = said(capsys, "simulate", race, "--json", "--out", out_file)
    trained = json.loads(out)
    assert code == PASS
    assert out_file.exists()
    for name, size in trained["sizes"].items():
        start = sum(x * x for row in solved["weights"][name][0] for x in row) ** 0.5
        assert abs(size[0] - start) <= SIM_SUMS
    assert trained["loss"][-1] < trained["loss"][0] / 100


def test_a_graph_has_no_certified_digits(race, capsys):
    code, _, err = said(capsys, "solve", race, "--digits", "20")
    assert code == OUT_OF_REACH
    assert "graph" in err
