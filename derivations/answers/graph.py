"""The answers of `gdln solve` and `gdln simulate` for a gated graph: loss, sizes of weights, paths and maps.

`gdln simulate` answers for a deep network likewise, without paths and maps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.about import about
from derivations.markdown import plain
from theory.flow.graph.integrate import GraphSolution, integrate
from theory.flow.graph.known import EPSILON
from theory.flow.graph.solutions import deep_linear, layered
from theory.flow.graph.solutions.deep_linear import DeepLinearSolution
from theory.flow.graph.solutions.layered import LayeredSolution
from theory.flow.graph.strengths import largest, maps, modes, sizes, strengths, strongest
from theory.moments.feature_moments import squared_labels
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DeepNetwork,
    GatedGraph,
    LossAtTimes,
    MapModesAtTimes,
    OutOfReachError,
    PathStrengthsAtTimes,
    Problem,
    Table,
    WeightSizesAtTimes,
    dumps,
)
from theory.problem.graph import Graph
from theory.problem.maps import mode_names
from theory.problem.routes import route_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.flow.graph.picture import Curves

_SHOWN = 10  # significant digits
_COLUMNS = 6  # weights or paths of a table; --json has them all
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
_DEEP_PATHS = "each input opens paths of its own; gdln paths has them at the initial weights."
_ROUTING = 3  # layers of a routing network: encoders, shared weights, decoders


@dataclass(frozen=True)
class GraphSolveAnswer:
    """The gradient flow of a graph at the problem's times."""

    problem: Problem
    solution: GraphSolution
    notes: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln solve --json` prints."""
        found = self.solution
        return {
            "times": found.times,
            "losses": found.losses,
            "weights": found.weights,
            "sizes": sizes(found.flow, found.weights),
            "strengths": strengths(found.flow, found.weights),
            "paths": [str(path) for path in found.flow.paths],
            "maps": None if self._without_maps else maps(found.flow, found.weights, self.problem.data.contexts),
            "map_modes": None if self._without_maps else modes(found.flow, found.weights, self.problem.data.contexts),
            "exact": _exact(found),
            "notes": (*self.notes, *self._without_maps),
            "digits": None,
        }

    @cached_property
    def _without_maps(self) -> tuple[str, ...]:
        """The reason why there are no modes of maps, where they would take long; else nothing."""
        return without_modes(self.solution.flow.graph, self.problem)

    def text(self) -> str:
        """Losses, sizes of weights and strengths of paths over time; the modes and the limit of a layered network."""
        found, content = self.solution, self.json()
        noise = _ROUNDINGS * EPSILON * max(float(squared_labels(self.problem.data)), *found.losses)
        losses = {"<|y - yhat|^2>": [_to_rounding(loss, noise) for loss in found.losses]}
        lines = [
            *table(found.times, losses | bars(numbers(content["sizes"]))),
            "",
            *path_table(found.times, content["strengths"], numbers(content["strengths"])),
            *map_table(found.times, content["map_modes"], numbers(content["map_modes"] or {}), content["strengths"]),
            "",
            *(_modes(found, noise) if isinstance(found, LayeredSolution) else ()),
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
        found = fine.flow, fine.weights
        return graph_picture(
            [Curves("gradient flow", np.array(fine.times), fine.losses, sizes(*found), strengths(*found))]
        )


@dataclass(frozen=True)
class GraphSimulateAnswer:
    """A trained graph: loss, sizes |W| (Frobenius) of its weights, strengths |s_p W_p| of its paths, modes of its maps.

    `strengths` and `modes` are None, and a remark says why, where the graph has more paths than are listed and for deep
    networks, and `modes` for large maps. `alignment` has nu = y^T (K/tr K)^-1 y of the networks that did not diverge,
    (R, T), where it was asked for; NaN where the tangent kernel K is singular.
    """

    problem: Problem
    run: Any  # sim.training.run.Run, which loads torch
    loss: Any  # sim.measure.estimate.Estimate, as the others
    sizes: Any
    strengths: Any | None
    modes: Any | None
    remarks: tuple[str, ...]
    alignment: np.ndarray | None = None

    @cached_property
    def means(self) -> dict[str, Any]:
        """Return the measured means and standard errors; errors are None where the replicates are one cluster."""
        weights = [parameter.name for parameter in self.problem.parameters]
        found = {"loss": self.loss.mean, "loss_standard_error": _error(self.loss)}
        found |= _by_name("sizes", weights, self.sizes)
        problem = self.problem
        listed = (("strengths", self.strengths, lambda: route_names(problem.graph)),)
        listed += (("map_modes", self.modes, lambda: mode_names(problem.graph, problem.data.contexts)),)
        for what, estimate, names in listed:
            absent = {what: None, f"{what}_standard_error": None}
            found |= absent if estimate is None else _by_name(what, names(), estimate)
        return found

    def json(self) -> dict[str, Any]:
        """The object that `gdln simulate --json` prints."""
        own = {} if self.alignment is None else self._alignment()
        return {"times": self.run.times, **self.means, **own, **about(self.run), "remarks": self.remarks}

    def arrays(self) -> dict[str, Any]:
        """The arrays of the .npz file: the problem as TOML, times, replicates, losses, and every weight by its name."""
        run = self.run
        named = {f"weight_{name}": array for name, array in run.parameters.items()}
        found = {"times": run.times, "replicates": run.replicates, "diverged": run.diverged, "loss": self.loss.values}
        found |= {} if self.alignment is None else {"alignment": self.alignment}
        return {"problem": np.array(dumps(self.problem)), **found, **named}

    def text(self) -> str:
        """Loss, sizes of the weights and strengths of the paths over time."""
        content, means, run = self.json(), self.means, self.run
        name = "<log(1+e^(-y yhat))>" if self.problem.training.loss == "cross-entropy" else "<|y - yhat|^2>"
        lost, nu = content["diverged"], self._alignment_in_words()
        lines = [
            f"{content['replicates']} replicates, {content['steps']} steps, device {content['device']}, "
            f"{content['dtype']}, seed {content['seed']}, back end {run.backend}",
            "",
            "mean (standard error) over replicates",
            *table(run.times, {name: with_errors(means["loss"], means["loss_standard_error"])} | nu | self._sizes()),
        ]
        shown = {what: self._with_errors(what) for what in ("strengths", "map_modes")}
        if means["strengths"] is not None:
            lines += ["", *path_table(run.times, means["strengths"], shown["strengths"])]
            lines += map_table(run.times, means["map_modes"], shown["map_modes"], means["strengths"])
        lines += [f"{lost} of {content['replicates']} replicates diverged and are left out."] if lost else []
        return "\n".join([*lines, *(f"\nnote: {remark}" for remark in self.remarks)])

    def _with_errors(self, what: str) -> dict[str, list[str]]:
        """The means of a quantity by name, with standard errors, as words."""
        means, errors = self.means[what] or {}, self.means[f"{what}_standard_error"]
        return {name: with_errors(mean, errors and errors[name]) for name, mean in means.items()}

    def _alignment(self) -> dict[str, list[float | None] | None]:
        """Means and standard errors of nu; None at a time at which the kernel of a network is singular."""
        error = self.alignment.std(axis=0, ddof=1) / len(self.alignment) ** 0.5
        found = {"alignment": self.alignment.mean(axis=0), "alignment_standard_error": error}
        if self.run.one_cluster:
            found["alignment_standard_error"] = None
        return {
            name: None if values is None else [None if np.isnan(value) else float(value) for value in values]
            for name, values in found.items()
        }

    def _alignment_in_words(self) -> dict[str, list[str]]:
        if self.alignment is None:
            return {}
        found = self._alignment()
        errors = found["alignment_standard_error"] or [None] * len(found["alignment"])
        pairs = zip(found["alignment"], errors, strict=True)
        return {"nu": ["singular" if mean is None else with_error(mean, error) for mean, error in pairs]}

    def _sizes(self) -> dict[str, list[str]]:
        return bars(numbers(self.means["sizes"]))

    def curves(self) -> "Curves":
        """The networks as marks of a picture: means with 99 % bars, without bars for one cluster of replicates."""
        from theory.flow.graph.picture import Curves

        found, penalty = self.means, "⟨log(1 + exp(−y ŷ))⟩"
        return Curves(
            f"{len(self.run.replicates)} networks",
            np.asarray(self.run.times),
            found["loss"],
            found["sizes"],
            found["strengths"] or {},
            found["loss_standard_error"],
            found["sizes_standard_error"] or {},
            found["strengths_standard_error"] or {},
            measured=True,
            loss_name=penalty if self.problem.training.loss == "cross-entropy" else "⟨|y − ŷ|²⟩",
        )

    def figure(self) -> "Figure":
        """The loss, the sizes of weights and the strengths of paths of the networks."""
        from theory.flow.graph.picture import graph_picture

        return graph_picture([self.curves()])


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
            found = exact(problem)
        except OutOfReachError as error:
            refused.append(error.message)
        else:
            return GraphSolveAnswer(problem, found, (_EXACT[found.family], *about_form, *about_data))
    return GraphSolveAnswer(
        problem,
        integrate(problem),
        (_METHOD, f"no exact solution applies: {' '.join(refused)}", *about_form, *about_data),
    )


def _exact(found: GraphSolution) -> dict[str, Any] | None:
    """The exact solution for `gdln solve --json`: family, conditions, and modes and limit of a layered network."""
    if not isinstance(found, DeepLinearSolution | LayeredSolution):
        return None
    content = {"family": found.family, "conditions": [asdict(condition) for condition in found.conditions]}
    if isinstance(found, LayeredSolution):
        content |= {
            "layers": found.layers,
            "start": found.start,
            "conserved": found.conserved,
            "limit": {"strengths": found.limit, "weights": found.limit_weights, "loss": found.limit_loss},
        }
    return content


def _to_rounding(loss: float, noise: float) -> str:
    """Write a mean square with the digits above `noise`, the rounding of the terms that cancel in it."""
    if abs(loss) <= noise:
        return f"< {noise:.0e}" if noise else "0"
    return f"{loss:.{min(_SHOWN, 1 + int(log10(abs(loss) / noise)))}g}"


def _modes(found: LayeredSolution, noise: float) -> Iterator[str]:
    """A line for each mode that moves, the strongest first: its strengths, what it conserves, and where it ends."""
    counts = [len(names) for names in found.layers]
    domains = counts[0]
    yield f"layers, each of one strength in a mode: {' | '.join(', '.join(names) for names in found.layers)}"
    if len(counts) == _ROUTING and counts == [domains, 1, domains] and domains > 1:
        yield f"a routing network: {domains} encoders and {domains} decoders around the shared {found.layers[1][0]}"
    rows = zip(found.start, found.conserved, found.limit, strict=True)
    words = [[_row(own) for own in row] for row in rows][:_COLUMNS]
    heads = ("strengths at t = 0", "conserved, M b^2 less that of the layer before", "strengths at infinity")
    columns = {head: [row[index] for row in words] for index, head in enumerate(heads)}
    yield from table(range(1, len(words) + 1), columns, "mode")
    if len(found.start) > _COLUMNS:
        yield f"... {len(found.start) - _COLUMNS} more modes; --json has them all"
    yield f"<|y - yhat|^2> at infinity: {_to_rounding(found.limit_loss, noise)}"
    yield ""


def _row(values: np.ndarray) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def measured(
    run: Any, device: str, measuring: Callable[[str], None], threads: int, alignment: bool = False
) -> GraphSimulateAnswer:
    """The trained graph or deep network of a run (sim.training.run.Run): loss on fresh examples, sizes of weights.

    A graph has strengths of paths and modes of maps besides, a deep network its `alignment` where it is asked for.
    """
    from sim.measure import measure_each

    observables = {"loss": LossAtTimes(), "sizes": WeightSizesAtTimes()}
    along, remarks = _along_paths(run.problem)
    observables |= along
    listed = tuple(observables.values())
    found = measure_each(listed, run, device, backend="compiled", measuring=measuring, threads=threads)
    named = {"strengths": None, "modes": None} | dict(zip(observables, found, strict=True))
    nu = None
    if alignment:
        from sim.deep import label_alignment

        nu = label_alignment(run)[run.surviving()]
    return GraphSimulateAnswer(run.problem, run, **named, remarks=remarks, alignment=nu)


def _along_paths(problem: Problem) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The observables of the paths of a network, and why some are left out."""
    if isinstance(problem.network, DeepNetwork):
        return {}, (_DEEP_PATHS,)
    try:
        route_names(problem.graph)
    except OutOfReachError as error:
        return {}, (f"no strengths of paths, and no modes of maps: {error.message}",)
    remarks = without_modes(problem.graph, problem)
    return {"strengths": PathStrengthsAtTimes()} | ({} if remarks else {"modes": MapModesAtTimes()}), remarks


def _error(estimate: Any) -> np.ndarray | None:
    return None if estimate.one_cluster else estimate.standard_error


def _by_name(what: str, names: Sequence[str], estimate: Any) -> dict[str, Any]:
    """Means and standard errors by the name of a weight or path, each (T)."""
    error = _error(estimate)
    return {
        what: dict(zip(names, estimate.mean.T, strict=True)),
        f"{what}_standard_error": None if error is None else dict(zip(names, error.T, strict=True)),
    }


def table(times: Sequence[float], columns: Mapping[str, Sequence[str]], head: str = "t") -> Iterator[str]:
    """A line of headings and a line for each time; each column is as wide as its widest entry."""
    whole = {head: [f"{time:g}" for time in times], **columns}
    widths = [max(map(len, (name, *words))) for name, words in whole.items()]
    for row in (tuple(whole), *zip(*whole.values(), strict=True)):
        yield "  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))


def path_table(times: Sequence[float], values: Mapping[str, Any], words: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The strengths over time of the paths that are strongest at the end, and the strongest path if any is nonzero."""
    shown = largest(values, _COLUMNS)
    more = f"; the {_COLUMNS} strongest of {len(values)} paths" if len(values) > _COLUMNS else ""
    yield f"strength of each path, |product of its weights| times its scales{more}"
    yield from table(times, {name: words[name] for name in shown})
    if len(values) > 1 and (best := strongest(values)):
        listed = ", ".join(best[:_COLUMNS]) + (", ..." if len(best) > _COLUMNS else "")
        said = f"all {len(values)} paths" if len(best) == len(values) > 1 else listed
        yield f"strongest at t = {times[-1]:g}: {said}"


def map_table(
    times: Sequence[float],
    values: Mapping[str, Any] | None,
    words: Mapping[str, Sequence[str]],
    paths: Mapping[str, Any],
) -> Iterator[str]:
    """The first modes of maps over time, unless each is the strength of one of the `paths`."""
    if values and not values.keys() <= paths.keys():
        more = f"; the first {_COLUMNS} of {len(values)}, --json has them all" if len(values) > _COLUMNS else ""
        yield from ("", f"singular values of the sums of paths in each context, or with the same gates{more}")
        yield from table(times, {name: words[name] for name in list(values)[:_COLUMNS]})


def without_modes(graph: Graph, problem: Problem) -> tuple[str, ...]:
    """The reason why the maps of a graph have no modes here; () where they have."""
    try:
        mode_names(graph, problem.data.contexts)
    except OutOfReachError as error:
        return (f"no modes of maps: {error.message}",)
    return ()


def numbers(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Values by name as words of four digits."""
    return {name: [f"{value:.4g}" for value in array] for name, array in values.items()}


def bars(words: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Words by the name of a weight W under the heading |W|."""
    return {f"|{name}|": column for name, column in words.items()}


def with_errors(mean: np.ndarray, error: np.ndarray | None) -> list[str]:
    """Return means with their standard errors, which are left out where the networks are one cluster."""
    errors = [None] * len(mean) if error is None else error
    return [with_error(value, own) for value, own in zip(mean, errors, strict=True)]


def with_error(mean: float, error: float | None) -> str:
    """Return a mean with its standard error, if there is one."""
    return f"{mean:.4g}" if error is None else f"{mean:.4g} ({error:.1g})"
