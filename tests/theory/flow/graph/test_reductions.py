"""Each reduction against the unreduced flow, on problems made to satisfy its condition and on ones that miss it."""

from dataclasses import replace
from fractions import Fraction
from math import asin, erfc, exp, pi, sqrt

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from tests.theory.flow.graph.shared_vectors import bent, shared
from tests.tolerances_of_graphs import GRAPH_FLOW, GRAPH_INTEGRATED, GRAPH_RACE, TWO_DIGITS
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.gate_values import gate_values
from theory.flow.graph.integrate import integrate, split
from theory.flow.graph.known import Known
from theory.flow.graph.moments import loss_from, velocities
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


class TestExact:
    """Moments and gates in exact arithmetic against sums of fractions over the examples."""

    def test_gates_of_contexts(self):
        law = FiniteData([[1], [2], [3], [4]], [0, 0, 0, 0], weights=[1, 2, 3, 4], context=[0, 1, 2, 0])
        gates = ContextGate([0]), ContextGate([1, 2]), AlwaysGate(), ContextGate([2])
        flow = flow_of(Problem(law, Network("gated-linear", "sum", 4, gates), START))
        values = gate_values(law, flow)
        assert values.together[1, 1] == Fraction(1, 2)
        assert values.together[2, 4] == Fraction(3, 10)
        assert values.exclusive(1, 2)
        assert not values.exclusive(2, 4)
        assert values.dependencies() == {3: {1: 1, 2: 1}}

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


class TestExclusive:
    """Paths that are never open together do not see each other."""

    def test_random_graphs(self):
        """The moments of exclusive pairs vanish, those of the others do not, and formulas keep just these."""
        reductions = 0
        for seed in SEEDS:
            problem = shared(seed).problem
            flow, reduction = flow_of(problem), reduced(problem, "exclusive")
            moments, gates = moments_of(problem, flow), Known(problem, flow).gates
            for (a, b), moment in moments.input_input.items():
                assert gates.exclusive(a, b) != moment.any()
            if isinstance(reduction, Reduction):
                reductions += 1
                assert proved(reduction)
                for formula in reduction.parts[0].formulas:
                    for (a, b), moment in moments.input_input.items():
                        assert moment.any() or f"Sxx[{a},{b}]" not in formula.plain
        assert reductions > 1

    def test_overlapping_gates_are_refused_with_their_probability(self):
        reduction = reduced(two_units((ContextGate([0, 1]), ContextGate([1, 2])), [0, 1, 1, 2]), "exclusive")
        assert isinstance(reduction, NotReduced)
        assert "E[g_1 g_2] = 1/2" in str(reduction)


def two_units(gates, context, x=((1, 2), (0, 1), (3, 1), (1, -1)), y=(1, 2, -1, 3)):
    """One hidden layer of two units on four examples."""
    law = FiniteData([list(row) for row in x], list(y), context=list(context))
    return Problem(law, Network("gated-linear", "mean", len(gates), tuple(gates)), START)


class TestRedundant:
    """Products of gates that are combinations of others."""

    def test_errors_depend_on_each_other(self):
        reductions = 0
        for seed in SEEDS:
            problem = bent(shared(seed).problem)
            flow, reduction = flow_of(problem), reduced(problem, "redundant")
            moments, weights = moments_of(problem, flow), random_weights(flow, seed)
            size = max(abs(moment).max() for moment in moments.input_input.values())
            size *= max(abs(weight).max() for weight in weights.values()) ** 3
            dependencies = Known(problem, flow).gates.dependencies()
            for output, a in flow.errors:
                if a in dependencies:
                    shares = dependencies[a].items()
                    expected = sum(float(c) * error(flow, weights, moments, output, b) for b, c in shares)
                    difference = abs(error(flow, weights, moments, output, a) - expected).max()
                    assert difference <= GRAPH_FLOW * size
            if isinstance(reduction, Reduction):
                reductions += 1
                assert proved(reduction)
        assert reductions > 1

    def test_two_redundant_units_keep_their_difference_and_compute_their_sum(self):
        problem = two_units((ContextGate([0, 1]), SiteGate(0, lo=0, on="input")), [0, 0, 1, 1])
        flow, reduction = flow_of(problem), reduced(problem, "redundant")
        assert [condition.says for condition in reduction.conditions] == ["$g_{2} = g_{1}$ with probability 1"]
        assert reduction.parts[-1].formulas[0].plain == "w.1 - w.0"
        weights = integrate(problem).weights
        difference = weights["w.1"] - weights["w.0"]
        assert abs(difference - difference[0]).max() <= GRAPH_INTEGRATED
        assert abs(weights["w.0"][-1] - weights["w.0"][0]).max() > 1e5 * GRAPH_INTEGRATED
        moments, start = moments_of(problem, flow), split(problem, flow)
        moved = {"w.0": start["w.0"] + 1, "w.1": start["w.1"] - 1}
        assert abs(loss_from(flow, start, moments, 4.0) - loss_from(flow, moved, moments, 4.0)) <= GRAPH_RACE

    def test_one_example_more_is_refused(self):
        """Gates that differ on one example: independent, by the smallest eigenvalue of their Gram matrix."""
        reduction = reduced(two_units((ContextGate([0, 1]), ContextGate([0])), [0, 0, 0, 1]), "redundant")
        assert isinstance(reduction, NotReduced)
        smallest = np.linalg.eigvalsh(np.array([[1, 3 / 4], [3 / 4, 3 / 4]]))[0]
        assert abs(float(reduction.conditions[0].off.split(",")[0]) - smallest) <= TWO_DIGITS * smallest


class TestSymmetric:
    """Weights that stay equal."""

    def twins(self, context, y=(1, 1, 1, 1), equal=True):
        """Two pathways of two layers, behind the contexts 0 and 1, whose weights begin equal."""
        nodes = (Node("x", 2), Node("a", 2, (ContextGate([0]),)), Node("b", 2, (ContextGate([1]),)), Node("y", 1))
        edges = Edge("x", "a", "A"), Edge("x", "b", "B"), Edge("a", "y", "C"), Edge("b", "y", "D")
        first, last = ((0.3, 0.1), (-0.2, 0.4)), ((0.5, -0.1),)
        other = first if equal else ((0.3, 0.1), (-0.2, 0.5))
        start = InitialByName((("A", first), ("B", other), ("C", last), ("D", last)))
        law = FiniteData([[1, 2], [0, 1], [1, 2], [0, 1]], list(y), context=list(context))
        return Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), replace(START, w0=start))

    def test_equal_for_ever(self):
        problem = self.twins([0, 0, 1, 1])
        reduction, weights = reduced(problem, "symmetric"), integrate(problem).weights
        assert [formula.plain for formula in reduction.parts[0].formulas] == ["A = B", "C = D"]
        assert all(condition.holds for condition in (*reduction.conditions, *reduction.start))
        assert proved(reduction)
        assert abs(weights["A"] - weights["B"]).max() <= GRAPH_INTEGRATED
        assert abs(weights["C"] - weights["D"]).max() <= GRAPH_INTEGRATED
        assert abs(weights["A"][-1] - weights["A"][0]).max() > 1e5 * GRAPH_INTEGRATED

    def test_an_unequal_start_is_named(self):
        reduction = reduced(self.twins([0, 0, 1, 1], equal=False), "symmetric")
        assert [condition.holds for condition in reduction.start] == [False, True]
        size = 0.1 / np.linalg.norm([[0.3, 0.1], [-0.2, 0.5]])
        assert abs(float(reduction.start[0].off.split()[0]) - size) <= TWO_DIGITS * size

    @pytest.mark.parametrize("seed", SEEDS[:4])
    def test_random_graphs(self, seed):
        """Equal weights have equal velocities in the classes that are found; joining two of these breaks that."""
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


class TestTied:
    """A shared weight follows the sum of the gradients of its edges."""

    def test_the_sum(self):
        problem = problem_named("race")
        flow, reduction = flow_of(problem), reduced(problem, "tied")
        assert [part.says.split()[0] for part in reduction.parts] == ["`decode`"]
        edges = tuple(
            replace(edge, weight=f"decode_{edge.source}") if edge.weight == "decode" else edge
            for edge in problem.network.edges
        )
        network = replace(problem.network, edges=edges)
        apart = flow_of(replace(problem, network=network, simulation=None))
        weights, moments = random_weights(flow, 0), moments_of(problem, flow)
        both = weights | {"decode_right": weights["decode"], "decode_left": weights["decode"]}
        moved = velocities(apart, both, moments)
        expected = moved["decode_right"] + moved["decode_left"]
        assert abs(velocities(flow, weights, moments)["decode"] - expected).max() <= GRAPH_FLOW * abs(expected).max()


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

    def test_a_moved_number_is_refused_with_the_amount(self):
        problem = self.ring(1, moved=Fraction(1, 100))
        reduction = reduced(problem, "circulant")
        moment = moments_of(problem, flow_of(problem)).input_input[1, 1]
        mean = sum(np.roll(np.roll(moment, k, axis=0), k, axis=1) for k in range(5)) / 5
        off = np.linalg.norm(moment - mean) / np.linalg.norm(moment)
        assert abs(float(reduction.conditions[0].off.split()[0]) - off) <= TWO_DIGITS * off
        assert reduction.conditions[0].exact


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
