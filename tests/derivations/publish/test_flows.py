"""The flow of a starter problem on a page: its parts, its drawing, and what is said of another part."""

from derivations.experiments.folders import problem_named
from derivations.publish import compose, files, flows
from theory.flow.graph.conditions import Condition
from theory.flow.graph.data import flow_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.reduction import Reduction, reducers
from theory.problem import Edge, GatedGraph, Node, SiteGate


def test_parts():
    """Every part exists for an example, and display formulas are closed."""
    for part in ("paths", "flow", *reducers()):
        text = flows.section(f"switch {part}", "page.md, line 1")
        assert text.endswith("\n"), part
        assert text.count("$$") % 2 == 0, part
        if part == "flow":
            assert text.count(" &= ") == len(flow_of(problem_named("switch")).weights) + 3
        elif part != "paths":
            assert text.startswith(f"**{part}** ")


HOLDS, FLOATS = Condition("A is 0", True, "0", True), Condition("B is 0", True, "1e-17 of B", False)


def test_one_condition_in_floats_makes_the_check_one_in_floats():
    for decided, words in (
        ((HOLDS, HOLDS), "checked exactly: A is 0; A is 0"),
        ((HOLDS, FLOATS), "checked in float64, within its rounding: A is 0; B is 0"),
        ((HOLDS, HOLDS, HOLDS, FLOATS), "checked in float64, within its rounding: A is 0; A is 0; A is 0; and 1 more"),
    ):
        assert list(flows.conditions(Reduction("", decided))) == [words]


def test_the_table_of_paths_has_the_number_of_the_gates_of_each():
    """Two of three paths pass no gate and see the same data; an edge without weights adds no letter."""
    gate = SiteGate(0, lo=0, on="input")
    nodes = Node("x", 2), Node("a", 2), Node("b", 2, (gate,)), Node("c", 2), Node("y", 2)
    edges = (
        Edge("x", "a", "A"),
        Edge("x", "b", "B"),
        Edge("x", "c", "C"),
        Edge("a", "y"),
        Edge("b", "y"),
        Edge("c", "y"),
    )
    flow = GraphFlow(GatedGraph(nodes, edges, ("x",), ("y",)).graph, "half-mse")
    rows = [line.split(" | ") for line in flows.paths(flow).splitlines() if line.startswith("| x")]
    assert rows == [["| x → a → y", "$A$", "1 |"], ["| x → b → y", "$B$", "2 |"], ["| x → c → y", "$C$", "1 |"]]


def test_the_stored_drawing_is_the_drawn_one_and_an_edited_one_is_stale(tmp_path):
    text = compose.Book({}, {"page": "# Page\n\n{drawing switch}\n"}).drawings("page")["switch"]
    made = files.Files({"figures/switch.svg": text}, {})
    assert files.compare(made, compose.BOOK, whole=False) == []
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "switch.svg").write_text(text.replace("P1", "P7"), encoding="utf-8")
    assert [each.status for each in files.compare(made, tmp_path, whole=False)] == ["stale"]
