"""The answer of `gdln solve` for a gated graph: loss, sizes of weights, paths and maps."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.graph_run import COLUMNS, bars, map_table, numbers, path_table, table, without_modes
from derivations.markdown import plain
from theory.flow.graph.integrate import GraphSolution, integrate
from theory.flow.graph.known import EPSILON
from theory.flow.graph.solutions import deep_linear, layered
from theory.flow.graph.solutions.deep_linear import DeepLinearSolution
from theory.flow.graph.solutions.layered import LayeredSolution
from theory.flow.graph.strengths import maps, modes, sizes, strengths
from theory.moments.feature_moments import squared_labels
from theory.problem import (
    AlwaysGate,
    ContextGate,
    GatedGraph,
    OutOfReachError,
    Problem,
    Table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SHOWN = 10  # significant digits
_ROUNDINGS = 64  # in a mean square, the difference of terms of the size of <y^2> or of the largest loss
_POINTS = 80  # of a smooth curve
_METHOD = "float64; the derived flow of the paths, integrated by DOP853 to a relative error of 1e-10 a step."
_WITHOUT_ROUNDING = (
    "Rounding of the start is left out; an integrated flow amplifies it where a weak mode waits behind learned ones."
)
_EXACT = {
    "balanced": "exact: a balanced deep linear network, each mode in closed form or by one quadrature; float64. "
    f"{_WITHOUT_ROUNDING}",
    "lambda-balanced": "exact: a deep linear network of two layers, from a start with "
    r"$W_2^\top W_2 - W_1 W_1^\top = \lambda\, \mathbb{1}$, on white inputs; float64. The rotation of the hidden units "
    "is that of the integrated flow.",
    "layered": "exact: every path passes one weight of each layer, and the weights of a layer stay equal in each mode, "
    f"which follows one equation, solved by quadrature; float64. {_WITHOUT_ROUNDING}",
}
_AS_A_GRAPH = (
    "the readout is learned, so this is the flow of the network's graph: `w.k` has the weights of unit k, `a.k` its "
    "readout, and the path through `hidden.k` is open where gate k is."
)
_MADE = (
    "the data are second moments, and some gates look at x: the answer is that of the examples made from the moments; "
    "other examples with the same moments open such gates differently."
)
_ROUTING = 3  # layers of a routing network: encoders, shared weights, decoders


@dataclass(frozen=True)
class GraphSolveAnswer:
    """The gradient flow of a graph at the problem's times."""

    problem: Problem
    solution: GraphSolution
    notes: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln solve --json` prints."""
        solution = self.solution
        return {
            "times": solution.times,
            "losses": solution.losses,
            "weights": solution.weights,
            "sizes": sizes(solution.flow, solution.weights),
            "strengths": strengths(solution.flow, solution.weights),
            "paths": [str(path) for path in solution.flow.paths],
            "maps": None if self._without_maps else maps(solution.flow, solution.weights, self.problem.data.contexts),
            "map_modes": None
            if self._without_maps
            else modes(solution.flow, solution.weights, self.problem.data.contexts),
            "exact": _exact(solution),
            "notes": (*self.notes, *self._without_maps),
            "digits": None,
        }

    @cached_property
    def _without_maps(self) -> tuple[str, ...]:
        """The reason why there are no modes of maps, where they would take long; else nothing."""
        return without_modes(self.solution.flow.graph, self.problem)

    def text(self) -> str:
        """Losses, sizes of weights and strengths of paths over time; the modes and the limit of a layered network."""
        solution, content = self.solution, self.json()
        noise = _ROUNDINGS * EPSILON * max(float(squared_labels(self.problem.data)), *solution.losses)
        losses = {"<|y - yhat|^2>": [_to_rounding(loss, noise) for loss in solution.losses]}
        lines = [
            *table(solution.times, losses | bars(numbers(content["sizes"]))),
            "",
            *path_table(solution.times, content["strengths"], numbers(content["strengths"])),
            *map_table(solution.times, content["map_modes"], numbers(content["map_modes"] or {}), content["strengths"]),
            "",
            *(_modes(solution, noise) if isinstance(solution, LayeredSolution) else ()),
            *(f"note: {plain(note)}" for note in (*content["notes"], "--json has the weights, by name.")),
        ]
        return "\n".join(lines)

    def figure(self) -> "Figure":
        """The loss, the sizes of weights and the strengths of paths along the flow, at many times."""
        from theory.flow.graph.picture import Curves, graph_picture
        from theory.flow.picture import fine_times

        at = np.array(self.solution.times)
        both = {*fine_times(at), *np.linspace(at[0], at[-1], _POINTS)} if len(at) > 1 else at  # for either kind of axis
        fine = integrate(self.problem, sorted(both))
        curves = sizes(fine.flow, fine.weights), strengths(fine.flow, fine.weights)
        return graph_picture([Curves("gradient flow", np.array(fine.times), fine.losses, *curves)])


def solved(problem: Problem, digits: int | None) -> GraphSolveAnswer:
    """The flow of the problem's graph in float64: exact where the graph is a deep linear network with such a solution.

    Raises OutOfReachError where digits are asked for, and for data without moments through the gates of a path.

    >>> from derivations.experiments.folders import problem_named
    >>> found = solved(problem_named("race"), None).solution
    >>> bool(found.losses[-1] < found.losses[0])
    True
    """
    if digits is not None:
        raise OutOfReachError(
            "The flow of a graph is integrated in float64: certified digits are out of reach.", "Leave out --digits."
        )
    about_form = () if isinstance(problem.network, GatedGraph) else (_AS_A_GRAPH,)
    gates = (gate for gate in problem.network.gates if not isinstance(gate, AlwaysGate | ContextGate))
    about_data = (_MADE,) if isinstance(problem.data, Table) and problem.data.moments and any(gates) else ()
    refused = []
    for exact in (deep_linear.solution, layered.solution):
        try:
            solution = exact(problem)
        except OutOfReachError as error:
            refused.append(error.message)
        else:
            return GraphSolveAnswer(problem, solution, (_EXACT[solution.family], *about_form, *about_data))
    return GraphSolveAnswer(
        problem,
        integrate(problem),
        (_METHOD, f"no exact solution applies: {' '.join(refused)}", *about_form, *about_data),
    )


def _exact(solution: GraphSolution) -> dict[str, Any] | None:
    """The exact solution for `gdln solve --json`: family, conditions, and modes and limit of a layered network."""
    if not isinstance(solution, DeepLinearSolution | LayeredSolution):
        return None
    content = {"family": solution.family, "conditions": [asdict(condition) for condition in solution.conditions]}
    if isinstance(solution, LayeredSolution):
        content |= {
            "layers": solution.layers,
            "start": solution.start,
            "conserved": solution.conserved,
            "limit": {"strengths": solution.limit, "weights": solution.limit_weights, "loss": solution.limit_loss},
        }
    return content


def _to_rounding(loss: float, noise: float) -> str:
    """Write a mean square with the digits above `noise`, the rounding of the terms that cancel in it."""
    if abs(loss) <= noise:
        return f"< {noise:.0e}" if noise else "0"
    return f"{loss:.{min(_SHOWN, 1 + int(log10(abs(loss) / noise)))}g}"


def _modes(solution: LayeredSolution, noise: float) -> Iterator[str]:
    """A line for each mode that moves, the strongest first: its strengths, what it conserves, and where it ends."""
    counts = [len(names) for names in solution.layers]
    domains = counts[0]
    yield f"layers, each of one strength in a mode: {' | '.join(', '.join(names) for names in solution.layers)}"
    if len(counts) == _ROUTING and counts == [domains, 1, domains] and domains > 1:
        yield f"a routing network: {domains} encoders and {domains} decoders around the shared {solution.layers[1][0]}"
    rows = zip(solution.start, solution.conserved, solution.limit, strict=True)
    words = [[_row(values) for values in row] for row in rows][:COLUMNS]
    heads = ("strengths at t = 0", "conserved, M b^2 less that of the layer before", "strengths at infinity")
    columns = {head: [row[index] for row in words] for index, head in enumerate(heads)}
    yield from table(range(1, len(words) + 1), columns, "mode")
    if len(solution.start) > COLUMNS:
        yield f"... {len(solution.start) - COLUMNS} more modes; --json has them all"
    yield f"<|y - yhat|^2> at infinity: {_to_rounding(solution.limit_loss, noise)}"
    yield ""


def _row(values: np.ndarray) -> str:
    return " ".join(f"{value:.4g}" for value in values)
