"""Reductions of problems that miss one condition, or miss it by little; groups and sums against the examples."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from tests.theory.flow.graph.shared_vectors import shared
from tests.theory.flow.graph.test_reductions import SEEDS, START, error, proved, random_weights, reduced, two_units
from tests.tolerances_of_graphs import GRAPH_FLOW, GRAPH_INTEGRATED, TWO_DIGITS
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.integrate import integrate
from theory.flow.graph.reduction import NotReduced, Reduction
from theory.problem import (
    AlwaysGate,
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Network,
    Node,
    Problem,
    Table,
)

SMALL = (1e-3, 1e-12)  # 1e-12 is some hundred roundings of a sum of ten terms
SUMS = "the outputs depend on the weights through these sums alone"


def tabled(folder, x, y, context, weights=None):
    """A table of examples, which has no exact moments."""
    arrays = {"x": x, "y": y, "context": context} | ({} if weights is None else {"weights": weights})
    np.savez(folder / "data.npz", **arrays)
    return Table(str(folder / "data.npz"))


def shifts(chosen, base=(1, -2, 0, 3, 1)):
    """Some of the five shifts of a pattern on a ring of five sites; all five together have circulant moments."""
    return [[base[(site + shift) % 5] for site in range(5)] for shift in chosen]


def off_circulant(moment):
    """|M - its mean over all shifts| / |M|, by shifting M."""
    mean = sum(np.roll(np.roll(moment, k, axis=0), k, axis=1) for k in range(5)) / 5
    return np.linalg.norm(moment - mean) / np.linalg.norm(moment)


def amount(condition):
    """The number in the words on how far a condition fails."""
    return float(condition.off.split()[0])


class TestEveryMomentIsCirculant:
    """One moment of several that is not circulant is enough to refuse, whichever it is."""

    # Contexts 1 and 2 hold the same shifts, those that context 0 lacks: each of them completes context 0.
    ROWS, CONTEXT = shifts([0, 1, 2, 3, 4, 2, 3, 4]), [0, 0, 1, 1, 1, 2, 2, 2]

    def problem(self, *gates, law=None):
        law = law or FiniteData(self.ROWS, [1, 2, 0, -1, 1, 3, 0, 1], context=self.CONTEXT)
        return Problem(law, Network("gated-linear", "mean", len(gates), gates), START)

    @pytest.mark.parametrize(
        ("gates", "pair"),
        [
            ((ContextGate([0, 1]), ContextGate([0, 1, 2])), (2, 2)),
            ((ContextGate([0, 1]), ContextGate([0, 2])), (1, 2)),  # alone, both see all shifts
            ((ContextGate([0, 2]), ContextGate([0, 1]), ContextGate([1, 2])), (1, 2)),
        ],
    )
    def test_the_moment_that_is_not_is_named(self, gates, pair):
        problem = self.problem(*gates)
        moments = moments_of(problem, flow_of(problem)).input_input
        assert off_circulant(moments[1, 1]) <= GRAPH_FLOW
        reduction = reduced(problem, "circulant")
        assert isinstance(reduction, NotReduced)
        (condition,) = reduction.conditions
        assert condition.says == f"`Sxx[{pair[0]},{pair[1]}]` is circulant"
        expected = off_circulant(moments[pair])
        assert abs(amount(condition) - expected) <= TWO_DIGITS * expected

    def test_the_control(self):
        """The same examples behind gates that pass whole rings."""
        law = FiniteData(shifts([0, 1, 2, 3, 4] * 2), [1, 2, 0, -1, 1, 3, 0, 1, 1, 2], context=[0] * 5 + [1] * 5)
        gates = ContextGate([0]), ContextGate([0, 1]), ContextGate([1])
        assert isinstance(reduced(self.problem(*gates, law=law), "circulant"), Reduction)

    @pytest.mark.parametrize("moved", [0.0, *SMALL])
    def test_a_table_is_refused_beyond_rounding(self, tmp_path, moved):
        """Every site of every example in floats, one of them moved by a share of itself."""
        rows = np.array(shifts(range(5), (0.1, -0.7, 0.3, 1.9, 0.7)))
        rows[0, 3] *= 1 + moved
        problem = self.problem(AlwaysGate(), law=tabled(tmp_path, rows, np.arange(5.0), np.zeros(5, dtype=int)))
        reduction = reduced(problem, "circulant")
        assert isinstance(reduction, NotReduced) is (moved > 0)
        if moved:
            expected = off_circulant(moments_of(problem, flow_of(problem)).input_input[1, 1])
            assert abs(amount(reduction.conditions[0]) - expected) <= TWO_DIGITS * expected


class TestGroups:
    """The groups of paths that do not see each other, and the weights that they share, by the moments."""

    def said(self, problem):
        """The groups and the shared weights in the words of the reduction; one group where the paths stay together."""
        reduction, flow = reduced(problem, "exclusive"), flow_of(problem)
        if isinstance(reduction, NotReduced):
            return None
        words = [part.says for part in reduction.parts[1:]]
        if "one group" in words[0]:
            return {frozenset(flow.numbers)}, set()
        groups = {frozenset(map(int, re.findall(r"\d+", each))) for each in re.findall(r"a = ([\d, ]+)\$", words[0])}
        return groups, set(re.findall(r"`(.+?)`", words[1]))

    def expected(self, problem):
        """Paths see each other where they end at one output and their moment of the inputs is not 0."""
        flow = flow_of(problem)
        moments, numbers = moments_of(problem, flow), list(flow.numbers)
        sees = np.zeros((len(numbers), len(numbers)))
        for one in flow.paths:
            for other in flow.paths:
                meet = one.edges[-1].target == other.edges[-1].target
                sees[one.opening - 1, other.opening - 1] += meet and moments.beside(one.opening, other.opening).any()
        count, labels = connected_components(sees, directed=False)
        groups = {frozenset(numbers[i] for i in np.flatnonzero(labels == part)) for part in range(count)}
        edges = {group: {e.weight for p in flow.paths if p.opening in group for e in p.edges} for group in groups}
        return groups, {name for name in flow.weights if sum(name in weights for weights in edges.values()) > 1}

    def compare(self, problem):
        said, (groups, weights) = self.said(problem), self.expected(problem)
        assert said == (groups, weights if len(groups) > 1 else set())
        return groups, weights

    def test_random_graphs(self):
        problems = [shared(seed).problem for seed in SEEDS]
        reductions = [problem for problem in problems if self.said(problem) is not None]
        assert len(reductions) > 1
        for problem in reductions:
            self.compare(problem)

    def graph(self, *pathways):
        """One hidden node for each pathway (contexts, weight from x, output) on six examples in contexts 0 to 5."""
        gates = [ContextGate(contexts) for contexts, _, _ in pathways]
        outputs = sorted({output for _, _, output in pathways})
        nodes = (Node("x", 2), *(Node(f"h{k}", 2, (gate,)) for k, gate in enumerate(gates)))
        nodes += tuple(Node(output, 1) for output in outputs)
        edges = tuple(Edge("x", f"h{k}", weight) for k, (_, weight, _) in enumerate(pathways))
        edges += tuple(Edge(f"h{k}", output, f"out{k}") for k, (_, _, output) in enumerate(pathways))
        x = [[1, 2], [0, 1], [3, 1], [1, -1], [2, 2], [1, 0]]
        labels = [[each + k for k in range(len(outputs))] for each in (1, 2, -1, 3, 0, 1)]
        law = FiniteData(x, labels if len(outputs) > 1 else [row[0] for row in labels], context=list(range(6)))
        return Problem(law, GatedGraph(nodes, edges, ("x",), tuple(outputs)), START)

    def test_paths_to_different_outputs_do_not_meet(self):
        """Gates 1 and 2 overlap, and end at different outputs: the errors of one have no weight of the other."""
        problem = self.graph(([0, 1], "A", "y"), ([1, 2], "B", "z"), ([3, 4, 5], "C", "y"))
        groups, _ = self.compare(problem)
        assert groups == {frozenset({1}), frozenset({2}), frozenset({3})}

    def test_a_path_links_all_groups_that_it_sees(self):
        rest = ([3, 4, 5], "D", "y")
        groups, _ = self.compare(self.graph(([0], "A", "y"), ([1], "B", "y"), ([0, 1, 2], "C", "y"), rest))
        assert groups == {frozenset({1, 2, 3}), frozenset({4})}
        apart = ([0], "A", "y"), ([1], "B", "y"), ([2], "C", "y")
        groups, _ = self.compare(self.graph(*apart, ([0, 1, 2, 3, 4, 5], "D", "y")))
        assert groups == {frozenset({1, 2, 3, 4})}

    def test_weights_of_any_two_groups_are_shared(self):
        """The first and the third of three groups share a weight, and the second shares none."""
        problem = self.graph(([0, 1], "A", "y"), ([2, 3], "B", "y"), ([4, 5], "A", "y"))
        _, weights = self.compare(problem)
        assert weights == {"A"}

    @pytest.mark.parametrize("rare", [10**3, 10**15])
    def test_gates_that_are_rarely_open_together_are_not_exclusive(self, tmp_path, rare):
        """One example of weight 1 beside many that are as heavy as `rare` opens both gates."""
        gates = ContextGate([0, 1]), ContextGate([1, 2])
        x, y, context, weights = [[1, 2], [0, 1], [3, 1]], [1, 2, -1], [0, 1, 2], [rare, 1, rare]
        exact = FiniteData(x, y, context=context, weights=weights)
        rows = tabled(tmp_path, np.array(x), np.array(y), np.array(context), np.array(weights, dtype=float))
        for law, chance in ((exact, f"1/{2 * rare + 1}"), (rows, f"{1 / (2 * rare + 1):.4g}")):
            reduction = reduced(Problem(law, Network("gated-linear", "mean", 2, gates), START), "exclusive")
            assert isinstance(reduction, NotReduced)
            assert reduction.conditions[0].off == f"E[g_1 g_2] = {chance}"


def terms_of(side):
    """The terms of a printed sum of products: (factor, names of matrices) each."""
    reduction = []
    for sign, term in re.findall(r"(^-?|[+-] )([^+-]+)", side):
        words = term.split()
        factor = Fraction(words.pop(0)) if words[0][0].isdigit() else Fraction(1)
        reduction.append((-factor if sign.startswith("-") else factor, words))
    return reduction


def sums_of(reduction):
    """The sums M of a redundant network by name, as terms, read from the formulas."""
    (part,) = (part for part in reduction.parts if part.says == SUMS)
    return {name: terms_of(side) for name, side in (formula.plain.split(" = ") for formula in part.formulas)}


def check_errors(problem, seed):
    """Every error that the reduction prints, at random weights, is that of all paths; the number of errors."""
    reduction, flow = reduced(problem, "exclusive"), flow_of(problem)
    if isinstance(reduction, NotReduced):
        return 0
    moments, weights, several = moments_of(problem, flow), random_weights(flow, seed), len(flow.graph.outputs) > 1
    matrices = weights | {f"Sxx[{a},{b}]": array for (a, b), array in moments.input_input.items()}
    exact = {}
    for output, a in flow.errors:
        key = f"{output},{a}" if several else f"{a}"
        matrices[f"Syx[{key}]"] = moments.output_input[output, a]
        exact[f"E[{key}]"] = error(flow, weights, moments, output, a)
    for formula in reduction.parts[0].formulas:
        name, side = formula.plain.split(" = ")
        terms = [] if side == "0" else terms_of(side)
        total = sum((float(k) * reduce(np.matmul, [matrices[word] for word in words]) for k, words in terms), 0.0)
        assert abs(total - exact[name]).max() <= GRAPH_FLOW * max(1, abs(exact[name]).max())
    return len(reduction.parts[0].formulas)


class TestErrors:
    """The errors without the paths that are never open together, in numbers."""

    def test_random_graphs(self):
        assert sum(check_errors(shared(seed).problem, seed) for seed in SEEDS) > 5

    def test_a_path_that_is_never_open(self):
        """Two gates without a context in common: its error is 0, and so is its share of the others."""
        nodes = Node("x", 2), Node("a", 2, (ContextGate([0]),)), Node("b", 2, (ContextGate([1]),)), Node("y", 1)
        edges = Edge("x", "a", "A"), Edge("a", "b", "B"), Edge("b", "y", "C"), Edge("a", "y", "D"), Edge("x", "b", "F")
        law = FiniteData([[1, 2], [0, 1], [3, 1]], [1, 2, -1], context=[0, 1, 1])
        problem = Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), START)
        assert check_errors(problem, 0) == 3
        formulas = [formula.plain for formula in reduced(problem, "exclusive").parts[0].formulas]
        assert sum(formula.endswith("= 0") for formula in formulas) == 1


class TestSums:
    """The outputs by the sums over redundant gates equal those of the network, on every example."""

    def outputs_by_paths(self, flow, weights, output, opened, x):
        total = np.zeros(flow.graph.node(output).dimension)
        for path in flow.paths:
            if path.target == output and opened[path.opening]:
                h = x
                for edge in path.edges:
                    h = float(flow.graph.node(edge.target).scale) * weights[edge.weight] @ h
                total += h
        return total

    def test_the_sums_give_the_outputs(self):
        """yhat = sum of g_b M_b x over the independent b, and by the paths, scales included."""
        factors = set()
        for seed in SEEDS:
            problem = shared(seed).problem
            flow, reduction = flow_of(problem), reduced(problem, "redundant")
            if isinstance(reduction, NotReduced):
                continue
            weights, sums, several = random_weights(flow, seed), sums_of(reduction), len(flow.graph.outputs) > 1
            factors |= {abs(factor) for terms in sums.values() for factor, _ in terms}
            for x, context in zip(np.array(problem.data.x, dtype=float), problem.data.context, strict=True):
                is_open = {a: all(context in g.open for g in product) for a, product in enumerate(flow.openings, 1)}
                for output in flow.graph.outputs:
                    by_paths, by_sums = self.outputs_by_paths(flow, weights, output, is_open, x), 0.0
                    for a in (a for a in is_open if is_open[a]):
                        for factor, names in sums.get(f"M[{output},{a}]" if several else f"M[{a}]", []):
                            by_sums += float(factor) * reduce(lambda h, name: weights[name] @ h, reversed(names), x)
                    assert abs(by_sums - by_paths).max() <= GRAPH_FLOW * max(1, abs(by_paths).max()), seed
        assert len(factors) > 1

    def test_shares_that_are_fractions(self):
        """Three gates of two contexts each and one that is always open: g_4 = (g_1 + g_2 + g_3)/2."""
        gates = ContextGate([0, 1]), ContextGate([0, 2]), ContextGate([1, 2]), AlwaysGate()
        problem = two_units(gates, [0, 1, 2, 2])
        reduction, weights = reduced(problem, "redundant"), integrate(problem).weights
        said = "$g_{4} = 1/2 g_{1} + 1/2 g_{2} + 1/2 g_{3}$ with probability 1"
        assert [condition.says for condition in reduction.conditions] == [said]
        assert reduction.parts[-1].formulas[0].plain == "w.3 - 1/2 w.0 - 1/2 w.1 - 1/2 w.2"
        assert proved(reduction)
        kept = weights["w.3"] - (weights["w.0"] + weights["w.1"] + weights["w.2"]) / 2
        assert abs(kept - kept[0]).max() <= GRAPH_INTEGRATED
        assert abs(weights["w.3"][-1] - weights["w.3"][0]).max() > 1e5 * GRAPH_INTEGRATED


class TestNearlySymmetric:
    """Weights that are nearly equal, and networks that are symmetric but for a number."""

    def twins(self, law, second, scale=1):
        """Two pathways behind the contexts 0 and 1, the second with a first weight and a scale of its own."""
        nodes = Node("x", 2), Node("a", 1, (ContextGate([0]),)), Node("b", 1, (ContextGate([1]),), scale=scale)
        edges = Edge("x", "a", "A"), Edge("x", "b", "B"), Edge("a", "y", "C"), Edge("b", "y", "D")
        start = InitialByName((("A", ((0.3, 0.1),)), ("B", (tuple(second),)), ("C", ((0.5,),)), ("D", ((0.5,),))))
        return Problem(law, GatedGraph((*nodes, Node("y", 1)), edges, ("x",), ("y",)), replace(START, w0=start))

    LAW = FiniteData([[1, 2], [0, 1], [1, 2], [0, 1]], [1, 2, 1, 2], context=[0, 0, 1, 1])

    @pytest.mark.parametrize("moved", [0.0, 1e-3, 1e-15])
    def test_a_start_is_equal_or_not(self, moved):
        (first, _) = reduced(self.twins(self.LAW, (0.3 + moved, 0.1)), "symmetric").start
        assert first.holds is (moved == 0)
        if moved:
            expected = (0.3 + moved - 0.3) / np.hypot(0.3, 0.1)
            assert abs(amount(first) - expected) <= TWO_DIGITS * expected

    @pytest.mark.parametrize("moved", [0.0, *SMALL])
    def test_moments_of_a_table_are_equal_within_rounding(self, tmp_path, moved):
        x, y = np.array([[0.1, 0.7], [0.3, -0.2]] * 2), np.array([0.7, 0.1, 0.7, 0.1 * (1 + moved)])
        reduction = reduced(self.twins(tabled(tmp_path, x, y, np.array([0, 0, 1, 1])), (0.3, 0.1)), "symmetric")
        assert isinstance(reduction, NotReduced) is (moved > 0)

    @pytest.mark.parametrize("scale", [1, Fraction(1, 2)])
    def test_pathways_that_see_one_error_at_different_scales_part(self, scale):
        """Both pathways are always open and have the same error; the second one moves by its scale times as much."""
        problem = self.twins(self.LAW, (0.3, 0.1), scale)
        nodes = tuple(replace(node, gates=()) for node in problem.network.nodes)
        problem = replace(problem, network=replace(problem.network, nodes=nodes))
        reduction, weights = reduced(problem, "symmetric"), integrate(problem).weights
        apart = abs(weights["A"] - weights["B"]).max()
        assert isinstance(reduction, Reduction) is (scale == 1)
        assert apart <= GRAPH_INTEGRATED if scale == 1 else apart > 1e5 * GRAPH_INTEGRATED
