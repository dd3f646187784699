"""Each reduction against the unreduced flow, on problems made to satisfy its condition and on ones that miss it."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import asin, erfc, exp, pi, sqrt

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from derivations.experiments.folders import problem_named
from tests.theory.flow.graph.shared_vectors import shared
from tests.tolerances_of_graphs import GRAPH_FLOW, GRAPH_INTEGRATED, GRAPH_RACE, TWO_DIGITS
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.gate_values import gate_values
from theory.flow.graph.integrate import integrate
from theory.flow.graph.known import Known
from theory.flow.graph.moments import velocities
from theory.flow.graph.reduction import NotReduced, Reduction, reducers, reductions_of
from theory.flow.graph.reductions import circulant, symmetric
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DirectionGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Network,
    Node,
    NonlinearGP,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    SinglePulse,
    SiteGate,
    Table,
    Training,
)

SEEDS = range(8)
START = Training("half-mse", 1, NormalInitialisation("1/2", 0), (0, 1, 4))


def reduced(problem, name):
    """The reduction of a name."""
    flow = flow_of(problem)
    return reducers()[name](problem, flow, Known(problem, flow))


def error(flow, weights, moments, output, a):
    """E(a) = Sigma^yx(a) - sum of s_j W_j Sigma^xx(j, a), in NumPy, path by path."""
    total = moments.output_input[output, a].copy()
    for path in flow.ending(output):
        product = np.eye(flow.inputs)
        for edge in path.edges:
            product = weights[edge.weight] @ product
        total -= float(path.scale) * product @ moments.beside(path.opening, a)
    return total


def random_weights(flow, seed):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=flow.shape(name)) for name in flow.weights}


def proved(reduction):
    return all(check.passed for proof in reduction.derivations for check in proof.check())


SMALL = 1e-12  # some hundred roundings of a sum of ten terms
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


class TestExact:
    """Moments and gates in exact arithmetic against sums of fractions over the examples."""

    def test_gates_of_a_process(self):
        """Complementary half-spaces exclude each other; others are open together with the arcsine law's probability."""
        law = NonlinearGP(6, (2, 2), 1, "open", "unit-variance", (1, 0))
        gates = SiteGate(2, lo=0), SiteGate(2, hi=0), SiteGate(4, lo=0), DirectionGate({2: 3}, lo=0)
        flow = flow_of(Problem(law, Network("gated-linear", "sum", 4, gates), START))
        values = gate_values(law, flow)
        assert values.exclusive(1, 2)
        rho = exp(-4 / 4)
        assert abs(values.together[1, 3] - (1 / 4 + asin(rho) / (2 * pi))) <= GRAPH_RACE
        assert values.dependencies() == {4: {1: 1}}

    def test_slabs_of_a_process(self):
        """Slabs that tile a site exclude each other and add up to an open unit; soft gates are refused."""
        law = NonlinearGP(6, (2, 2), 1, "open", "unit-variance", (1, 0))
        slabs = SiteGate(2, hi=-1), SiteGate(2, lo=-1, hi="1/2"), SiteGate(2, lo="1/2")
        gates = *slabs, AlwaysGate(), SiteGate(2, lo=0)
        flow = flow_of(Problem(law, Network("gated-linear", "sum", 5, gates), START))
        values = gate_values(law, flow)
        assert [values.exclusive(a, b) for a, b in ((1, 2), (2, 3), (1, 3), (1, 5), (2, 5))] == [True] * 4 + [False]
        assert values.dependencies() == {4: {1: 1, 2: 1, 3: 1}}
        assert abs(values.together[1, 1] - erfc(1 / sqrt(2)) / 2) <= GRAPH_RACE
        soft = (SiteGate(2, lo=0, sharpness=2),)
        with pytest.raises(OutOfReachError, match="Soft gates"):
            gate_values(law, flow_of(Problem(law, Network("gated-linear", "sum", 1, soft), START)))

    def test_gates_of_pulses(self):
        law = SinglePulse(8, [[3, 4], [5, 6]], "zero-one", "none", [1, 0])
        gates = SiteGate(2, lo=1, on="input"), SiteGate(2, hi=1, on="input")
        flow = flow_of(Problem(law, Network("gated-linear", "sum", 2, gates), START))
        assert gate_values(law, flow).together == {
            (1, 1): Fraction(9, 16),
            (1, 2): 0,
            (2, 2): Fraction(7, 16),
        }  # the mean width 4.5 over 8 sites


def two_units(gates, context, x=((1, 2), (0, 1), (3, 1), (1, -1)), y=(1, 2, -1, 3)):
    """One hidden layer of two units on four examples."""
    law = FiniteData([list(row) for row in x], list(y), context=list(context))
    return Problem(law, Network("gated-linear", "mean", len(gates), tuple(gates)), START)


class TestRedundant:
    """Products of gates that are combinations of others."""

    def test_one_example_more_is_refused(self):
        """Gates that differ on one example: independent, by the smallest eigenvalue of their Gram matrix."""
        reduction = reduced(two_units((ContextGate([0, 1]), ContextGate([0])), [0, 0, 0, 1]), "redundant")
        assert isinstance(reduction, NotReduced)
        smallest = np.linalg.eigvalsh(np.array([[1, 3 / 4], [3 / 4, 3 / 4]]))[0]
        assert abs(float(reduction.conditions[0].off.split(",")[0]) - smallest) <= TWO_DIGITS * smallest


class TestSymmetric:
    """Weights that stay equal."""

    def twins(self, law, second, scale=1):
        """Two pathways behind the contexts 0 and 1, the second with a first weight and a scale of its own."""
        nodes = Node("x", 2), Node("a", 1, (ContextGate([0]),)), Node("b", 1, (ContextGate([1]),), scale=scale)
        edges = Edge("x", "a", "A"), Edge("x", "b", "B"), Edge("a", "y", "C"), Edge("b", "y", "D")
        start = InitialByName((("A", ((0.3, 0.1),)), ("B", (tuple(second),)), ("C", ((0.5,),)), ("D", ((0.5,),))))
        return Problem(law, GatedGraph((*nodes, Node("y", 1)), edges, ("x",), ("y",)), replace(START, w0=start))

    LAW = FiniteData([[1, 2], [0, 1], [1, 2], [0, 1]], [1, 2, 1, 2], context=[0, 0, 1, 1])

    @pytest.mark.parametrize("moved", [0.0, 1e-15])
    def test_a_start_is_equal_or_not(self, moved):
        (first, _) = reduced(self.twins(self.LAW, (0.3 + moved, 0.1)), "symmetric").start
        assert first.holds is (moved == 0)
        if moved:
            expected = (0.3 + moved - 0.3) / np.hypot(0.3, 0.1)
            assert abs(amount(first) - expected) <= TWO_DIGITS * expected

    @pytest.mark.parametrize("moved", [0.0, SMALL])
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
        if scale == 1:
            assert [formula.plain for formula in reduction.parts[0].formulas] == ["A = B", "C = D"]
            assert proved(reduction)
        assert apart <= GRAPH_INTEGRATED if scale == 1 else apart > 1e5 * GRAPH_INTEGRATED

    @pytest.mark.parametrize("seed", SEEDS[:4])
    def test_random_graphs(self, seed):
        """Equal weights have equal velocities in the classes of the reduction; joining two of these breaks that."""
        problem = shared(seed).problem
        flow = flow_of(problem)
        known, moments = Known(problem, flow), moments_of(problem, flow)
        first = symmetric.representatives(symmetric.moments_by_key(flow, known))
        classes = symmetric.coarsest(flow, first.__getitem__)
        weights = random_weights(flow, seed)

        def spread(groups):
            equal = {name: weights[groups[name]] for name in flow.weights}
            moved = velocities(flow, equal, moments)
            return max(abs(moved[name] - moved[groups[name]]).max() for name in flow.weights)

        size = max(abs(moment).max() for moment in moments.input_input.values())
        assert spread(classes) <= GRAPH_FLOW * size * 100
        roots = list(dict.fromkeys(classes.values()))
        for i, one in enumerate(roots):
            for other in roots[i + 1 :]:
                if flow.shape(one) == flow.shape(other):
                    joined = {name: one if root == other else root for name, root in classes.items()}
                    assert spread(joined) > GRAPH_INTEGRATED


def test_shared_weights_are_named():
    reduction = reduced(problem_named("race"), "tied")
    assert [part.says.split()[0] for part in reduction.parts] == ["`decode`"]


class TestCirculant:
    """Moments that are circulant, and what their Fourier basis decouples."""

    def ring(self, seed, moved=Fraction(0), units=1):
        rng = np.random.default_rng(seed)
        base = [Fraction(int(number), 4) for number in rng.integers(-8, 9, size=5)]
        rows = [[base[(site + shift) % 5] for site in range(5)] for shift in range(5)]
        rows[0][0] += moved
        law = FiniteData(rows, [int(label) for label in rng.integers(-3, 4, size=5)])
        return Problem(law, Network("gated-linear", "mean", units, (AlwaysGate(),) * units), START)

    def test_columns_learn_independently_in_one_layer(self):
        """In the Fourier basis a column's velocity is S_q - lambda_q w_q, and no other column changes it."""
        problem = self.ring(0, units=2)
        flow, reduction = flow_of(problem), reduced(problem, "circulant")
        assert proved(reduction)
        assert reduction.conditions[0].exact
        assert "independently" in reduction.parts[-1].says
        moments = moments_of(problem, flow)
        spectrum = circulant.spectrum(moments.input_input[1, 1])
        times = [0.0, 1.0, 4.0]
        weights = integrate(problem, times).weights
        start = np.fft.rfft(weights["w.0"][0, 0]), np.fft.rfft(weights["w.1"][0, 0])
        driven = np.fft.rfft(moments.output_input["y", 1][0])
        for index, time in enumerate(times):  # tau d(sum of both)/dt = 2 s (S - s (sum) lambda), s = 1/2
            decay = np.exp(-spectrum * time / 2)
            sum_of_both = (start[0] + start[1]) * decay + 2 * driven * (1 - decay) / spectrum
            found_sum = np.fft.rfft((weights["w.0"] + weights["w.1"])[index, 0])
            assert abs(found_sum - sum_of_both).max() <= 10 * GRAPH_INTEGRATED


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
        law = FiniteData(shifts([0, 1, 2, 3, 4] * 2), [1, 2, 0, -1, 1, 3, 0, 1, 1, 2], context=[0] * 5 + [1] * 5)
        whole_rings = ContextGate([0]), ContextGate([0, 1]), ContextGate([1])
        assert isinstance(reduced(self.problem(*whole_rings, law=law), "circulant"), Reduction)

    @pytest.mark.parametrize("moved", [0.0, SMALL])
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

    def test_a_path_links_all_groups_that_it_sees(self):
        """Path 3 sees 1 and 2, which do not see each other; the first and the last of three groups share a weight."""
        pathways = ([0], "A"), ([1], "B"), ([0, 1, 2], "C"), ([3], "D"), ([4, 5], "A")
        nodes = [Node(f"h{k}", 2, (ContextGate(contexts),)) for k, (contexts, _) in enumerate(pathways)]
        edges = [Edge("x", f"h{k}", weight) for k, (_, weight) in enumerate(pathways)]
        edges += [Edge(f"h{k}", "y", f"out{k}") for k in range(5)]
        x = [[1, 2], [0, 1], [3, 1], [1, -1], [2, 2], [1, 0]]
        network = GatedGraph((Node("x", 2), *nodes, Node("y", 1)), tuple(edges), ("x",), ("y",))
        problem = Problem(FiniteData(x, [1, 2, -1, 3, 0, 1], context=list(range(6))), network, START)
        assert self.compare(problem) == ({frozenset({1, 2, 3}), frozenset({4}), frozenset({5})}, {"A"})

    def test_gates_that_are_rarely_open_together_are_not_exclusive(self, tmp_path):
        """One example of weight 1 beside many that are as heavy as `rare` opens both gates."""
        rare = 10**15
        gates = ContextGate([0, 1]), ContextGate([1, 2])
        x, y, context, weights = [[1, 2], [0, 1], [3, 1]], [1, 2, -1], [0, 1, 2], [rare, 1, rare]
        exact = FiniteData(x, y, context=context, weights=weights)
        rows = tabled(tmp_path, np.array(x), np.array(y), np.array(context), np.array(weights, dtype=float))
        for law, chance in ((exact, f"1/{2 * rare + 1}"), (rows, f"{1 / (2 * rare + 1):.4g}")):
            reduction = reduced(Problem(law, Network("gated-linear", "mean", 2, gates), START), "exclusive")
            assert isinstance(reduction, NotReduced)
            assert reduction.conditions[0].off == f"E[g_1 g_2] = {chance}"
            assert not reduction.conditions[0].holds


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
    assert proved(reduction)
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
            assert proved(reduction)
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


def test_every_problem_gets_an_answer_from_every_file():
    """A reduction that is out of reach says why, by the same words as the moments."""
    problem = problem_named("small-bump")
    nodes = Node("x", 40), Node("h", 2, (SiteGate(3, lo=0),)), Node("k", 2, (SiteGate(9, lo=0),)), Node("y", 1)
    edges = Edge("x", "h", "A"), Edge("h", "k", "B"), Edge("k", "y", "C")
    training = replace(problem.training, w0=NormalInitialisation(1, 0))
    deep = Problem(problem.data, GatedGraph(nodes, edges, ("x",), ("y",)), training)
    reduction = reductions_of(deep, flow_of(deep))
    assert set(reduction) == set(reducers())
    assert isinstance(reduction["conserved"], Reduction)
    assert "several gates" in str(reduction["race"])
