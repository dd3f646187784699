r"""The race between paths: moments that share singular vectors turn the flow into scalar equations, mode by mode.

With Sigma^yx(a) = U S(a) V' and Sigma^xx(a, b) = V D(a, b) V', weights that begin as W_e = R_t B_e R_s' (R = V at
inputs, U at outputs, an orthogonal matrix at each hidden node; B diagonal) stay so, and the entries b of B follow the
flow of the same graph with one unit a node. Source: Saxe, Sodhani and Lewallen, "The Neural Race Reduction" (2022).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from jaxtyping import Float

from theory.flow.graph import scalar
from theory.flow.graph.alignment import Alignment, align, lift, tied_nodes
from theory.flow.graph.conditions import Condition
from theory.flow.graph.diagonal import Modes, modes_of, shared_vectors
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.integrate import RELATIVE, split, weights_over_time
from theory.flow.graph.known import Known
from theory.flow.graph.moments import PathMoments
from theory.flow.graph.race_proof import RaceProof
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction, listed
from theory.problem import Problem
from theory.proof.derivation import Derivation

SHOWN = 8  # the most modes whose numbers are printed


@dataclass(frozen=True, eq=False)
class Race:
    """The scalar equations of a graph's modes. `scalars` is the flow of the graph with one unit a node.

    `strengths` are numbers b by weight, one for each of the n modes; a node with fewer units has fewer modes.
    """

    flow: GraphFlow
    scalars: GraphFlow
    modes: Modes
    conditions: tuple[Condition, ...]

    @property
    def moments(self) -> PathMoments:
        """S and D as the moments of the scalar graph: (n, 1, 1), one axis of modes before the last two."""
        return PathMoments(
            {key: values[:, None, None] for key, values in self.modes.S.items()},
            {pair: values[:, None, None] for pair, values in self.modes.D.items()},
        )

    def equations(self) -> dict[str, sympy.Expr]:
        """tau db/dt of every weight in one mode, as polynomials in b, S[a] and D[a,b]."""
        return scalar.equations(self.scalars)

    def over_time(
        self,
        start: Mapping[str, Float[np.ndarray, " n"]],
        times: Sequence[float],
        tau: float,
        relative: float = RELATIVE,
    ) -> dict[str, Float[np.ndarray, "T n"]]:
        """Return the strengths of every weight and mode at ascending times, with this relative tolerance per step."""
        columns = {name: np.asarray(values, dtype=float)[:, None, None] for name, values in start.items()}
        found = weights_over_time(self.scalars, columns, self.moments, tau, times, relative)
        return {name: values[..., 0, 0] for name, values in found.items()}

    def lift(
        self, strengths: Mapping[str, Float[np.ndarray, " n"]], bases: Mapping[str, Float[np.ndarray, "d n"]]
    ) -> dict[str, np.ndarray]:
        """The weights of the whole network with these strengths, in these bases of its nodes."""
        return lift(self.flow, strengths, bases)

    def align(self, weights: Mapping[str, np.ndarray]) -> Alignment:
        """Return the bases of the hidden nodes and the strengths that best fit given weights, and the misfit."""
        return align(self.flow, self.modes, weights)

    def derivation(self, weight: str) -> Derivation:
        """The proof of tau db/dt: orthogonal matrices cancel, then one entry of diagonal matrices."""
        return RaceProof(self.flow).of(weight)

    def error_derivation(self, output: str, opening: int) -> Derivation:
        """The proof of e(a) = S(a) - sum_j s_j b_j D(a_j, a)."""
        return RaceProof(self.flow).of_error(output, opening)


def race(problem: Problem, flow: GraphFlow, known: Known) -> Race | NotReduced:
    """Return the race of a problem's paths, or the conditions that fail.

    Raises OutOfReachError where the moments are too large, and for edges without weights that add up blocks.

    >>> from theory.flow.graph.data import flow_of
    >>> from theory.problem import Edge, FiniteData, GatedGraph, Node, NormalInitialisation, Training
    >>> deep = GatedGraph((Node("x", 2), Node("h", 2), Node("y", 2)), (Edge("x", "h", "A"), Edge("h", "y", "B")),
    ...     ("x",), ("y",))
    >>> data = FiniteData([[1, 1], [1, -1]], [[3, 1], [3, -1]])
    >>> task = Problem(data, deep, Training("half-mse", 1, NormalInitialisation(1, 0), (1,)))
    >>> flow = flow_of(task)
    >>> found = race(task, flow, Known(task, flow))
    >>> found.modes.S["y", 1].round(9).tolist()
    [3.0, 1.0]
    >>> found.equations()["A"]
    B*(-A*B*D[1,1] + S[1])
    """
    scalars = scalar.one_unit_a_node(flow)
    conditions = (_free_ends(flow), *shared_vectors(known))
    failed = tuple(condition for condition in conditions if not condition.holds)
    if failed:
        return NotReduced(failed)
    given = split(problem, flow)
    return Race(flow, scalars, modes_of(known, _grams(flow, given)), conditions)


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the race as formulas, and how far the problem's initial weights are from aligned ones."""
    found = race(problem, flow, known)
    if isinstance(found, NotReduced):
        return found
    scalars, modes, start = found.scalars, found.modes, found.align(split(problem, flow))
    lines = zip(scalar.plain(scalars), scalar.latex(scalars), strict=True)
    values = listed("S", {_label(flow, *key): numbers for key, numbers in modes.S.items()}, SHOWN)
    values += listed("D", {f"{a},{b}": numbers for (a, b), numbers in modes.D.items()}, SHOWN)
    return Reduction(
        "with weights $W = R_t B R_s^{\\top}$, $B$ diagonal and $R$ orthogonal at each node, every mode follows the "
        "flow of the same graph with one unit a node",
        found.conditions,
        (
            Part("one mode, with a number for each weight", tuple(Formula(*line) for line in lines)),
            Part("mode by mode, the strongest first; what is not listed is 0", values),
        ),
        tuple(found.error_derivation(*key) for key in flow.errors)
        + tuple(found.derivation(name) for name in flow.weights),
        (start.condition,),
        scalar.code(scalars),
        f"float64 leaves at most {modes.residual:.1g} of a moment off the diagonals",
    )


def _free_ends(flow: GraphFlow) -> Condition:
    """Return the condition that no edge without weights or shared weight ties an output's vectors to other ends."""
    first, ends = tied_nodes(flow), (flow.graph.inputs[0], *flow.graph.outputs)
    tied = [f"`{a}` and `{b}`" for i, a in enumerate(ends) for b in ends[i + 1 :] if first[a] == first[b]]
    says = "no shared weight and no edge without weights ties the bases of two ends of the graph"
    return Condition(says, not tied, f"{', '.join(tied)} are tied" if tied else "0", True)


def _label(flow: GraphFlow, output: str, a: int) -> str:
    return scalar.entry(flow.output_input(output, a)).name[2:-1]


def _grams(flow: GraphFlow, weights: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return W'W of the weights at the inputs, which determines the vectors of modes with equal moments."""
    first = {edge.weight for edge in flow.graph.edges if edge.source in flow.graph.inputs and edge.weight is not None}
    return [weights[name].T @ weights[name] for name in flow.weights if name in first]
