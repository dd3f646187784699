"""The drawing of `gdln flow --plot`."""

from xml.etree import ElementTree

from derivations.publish.graph_drawing import drawing
from theory.flow.graph.paths import paths_of
from theory.problem import Edge, GatedGraph, Graph, Node, Parameter, SiteGate

SVG = "{http://www.w3.org/2000/svg}"


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
