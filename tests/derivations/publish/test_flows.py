"""The flow of a starter problem on a page: its parts, its drawing, and what is said of another part."""

import pytest

from derivations.experiments.folders import problem_named
from derivations.publish import book_figures, compose, flows
from theory.flow.graph.conditions import Condition
from theory.flow.graph.data import flow_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.reduction import Reduction, reducers
from theory.problem import Edge, GatedGraph, InputError, Node, SiteGate


@pytest.mark.parametrize("part", ["paths", "flow", *reducers()])
def test_parts(part):
    """Every part is there for an example, and display formulas are closed."""
    text = flows.section(f"switch {part}", "page.md, line 1")
    assert text.endswith("\n")
    assert text.count("$$") % 2 == 0
    if part == "flow":
        assert text.count(" &= ") == len(flow_of(problem_named("switch")).weights) + 3
    elif part != "paths":
        assert text.startswith(f"**{part}** ")


def test_another_part_is_named():
    with pytest.raises(InputError, match=r"page.md, line 7: there is no part 'raze'"):
        flows.section("switch raze", "page.md, line 7")


def test_a_missing_a_stale_and_a_left_over_drawing_are_found(tmp_path):
    book = compose.Book({}, {"page": "# Page\n\n{drawing switch}\n"})
    drawings = book.drawings("page")
    assert drawings["switch"].startswith("<svg")
    inside = tmp_path / book_figures.FOLDER
    inside.mkdir()
    (inside / "old.svg").write_text("", encoding="utf-8")

    def found():
        return [(each.page, each.status) for each in compose.compare_drawings(drawings, tmp_path, whole=True)]

    assert found() == [("figures/switch.svg", "missing"), ("figures/old.svg", "left over")]
    (inside / "old.svg").unlink()
    (inside / "switch.svg").write_text(drawings["switch"].replace("P1", "P7"), encoding="utf-8")
    assert found() == [("figures/switch.svg", "stale")]
    (inside / "switch.svg").write_text(drawings["switch"], encoding="utf-8")
    assert found() == []
    assert book.render("page").endswith("![The graph of the problem switch](figures/switch.svg)\n")


HOLDS, FLOATS = Condition("A is 0", True, "0", True), Condition("B is 0", True, "1e-17 of B", False)
MISSES = Condition("the start is equal", False, "0.25 of the norm", False)


@pytest.mark.parametrize(
    ("decided", "said"),
    [
        ((HOLDS, HOLDS), "checked exactly: A is 0; A is 0"),
        ((HOLDS, FLOATS), "checked in float64, within its rounding: A is 0; B is 0"),
        ((FLOATS, FLOATS), "checked in float64, within its rounding: B is 0; B is 0"),
        ((HOLDS, HOLDS, HOLDS, FLOATS), "checked in float64, within its rounding: A is 0; A is 0; A is 0; and 1 more"),
    ],
)
def test_one_condition_in_floats_makes_the_check_one_in_floats(decided, said):
    assert list(flows.conditions(Reduction("", decided))) == [said]


def test_a_start_that_misses_a_condition_is_said():
    _, held, missed = flows.conditions(Reduction("", (HOLDS,), start=(HOLDS, MISSES)))
    assert held == "it needs that A is 0: here this holds"
    assert missed == "it needs that the start is equal: here this does not hold, off by 0.25 of the norm"


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
