"""The answer of `gdln simulate` for a gated graph or a deep network, and the tables of all answers about graphs.

Nothing here loads SymPy before a path is shown.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.about import about, indistinct, with_error
from derivations.output import columns
from theory.problem import (
    DeepNetwork,
    LossAtTimes,
    MapModesAtTimes,
    OutOfReachError,
    PathStrengthsAtTimes,
    Problem,
    WeightSizesAtTimes,
    dumps,
)
from theory.problem.graph import Graph
from theory.problem.maps import mode_names
from theory.problem.routes import route_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.flow.graph.picture import Curves

COLUMNS = 6  # weights or paths of a table; --json has them all
_DEEP_PATHS = "each input opens paths of its own; gdln paths has them at the initial weights."


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
        means = {"loss": self.loss.mean, "loss_standard_error": _error(self.loss)}
        means |= _by_name("sizes", weights, self.sizes)
        problem = self.problem
        listed = (("strengths", self.strengths, lambda: route_names(problem.graph)),)
        listed += (("map_modes", self.modes, lambda: mode_names(problem.graph, problem.data.contexts)),)
        for what, estimate, names in listed:
            absent = {what: None, f"{what}_standard_error": None}
            means |= absent if estimate is None else _by_name(what, names(), estimate)
        return means

    def json(self) -> dict[str, Any]:
        """The object that `gdln simulate --json` prints."""
        alignment = {} if self.alignment is None else self._alignment()
        return {"times": self.run.times, **self.means, **alignment, **about(self.run), "remarks": self.remarks}

    def arrays(self) -> dict[str, Any]:
        """The arrays of the .npz file: the problem as TOML, times, replicates, losses, and every weight by its name."""
        run = self.run
        named = {f"weight_{name}": array for name, array in run.parameters.items()}
        measured = {
            "times": run.times,
            "replicates": run.replicates,
            "diverged": run.diverged,
            "loss": self.loss.values,
        }
        measured |= {} if self.alignment is None else {"alignment": self.alignment}
        return {"problem": np.array(dumps(self.problem)), **measured, **named}

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
        alignment = {"alignment": self.alignment.mean(axis=0), "alignment_standard_error": error}
        if self.run.one_cluster:
            alignment["alignment_standard_error"] = None
        return {
            name: None if values is None else [None if np.isnan(value) else float(value) for value in values]
            for name, values in alignment.items()
        }

    def _alignment_in_words(self) -> dict[str, list[str]]:
        if self.alignment is None:
            return {}
        alignment = self._alignment()
        errors = alignment["alignment_standard_error"] or [None] * len(alignment["alignment"])
        pairs = zip(alignment["alignment"], errors, strict=True)
        return {"nu": ["singular" if mean is None else with_error(mean, error) for mean, error in pairs]}

    def _sizes(self) -> dict[str, list[str]]:
        return bars(numbers(self.means["sizes"]))

    def curves(self) -> "Curves":
        """The networks as marks of a picture: means with 99 % bars, without bars for one cluster of replicates."""
        from theory.flow.graph.picture import Curves

        means, penalty = self.means, "⟨log(1 + exp(−y ŷ))⟩"
        return Curves(
            f"{len(self.run.replicates)} networks",
            np.asarray(self.run.times),
            means["loss"],
            means["sizes"],
            means["strengths"] or {},
            means["loss_standard_error"],
            means["sizes_standard_error"] or {},
            means["strengths_standard_error"] or {},
            measured=True,
            loss_name=penalty if self.problem.training.loss == "cross-entropy" else "⟨|y − ŷ|²⟩",
        )

    def figure(self) -> "Figure":
        """The loss, the sizes of weights and the strengths of paths of the networks."""
        from theory.flow.graph.picture import graph_picture

        return graph_picture([self.curves()])


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
    estimates = measure_each(listed, run, device, backend="compiled", measuring=measuring, threads=threads)
    named = {"strengths": None, "modes": None} | dict(zip(observables, estimates, strict=True))
    nu = None
    if alignment:
        from sim.deep import label_alignment

        nu = label_alignment(run)[run.surviving()]
    remarks = (*indistinct(run.problem.data), *remarks)
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


def table(times: Sequence[float], entries: Mapping[str, Sequence[str]], head: str = "t") -> list[str]:
    """A line of headings and a line for each time; each column is as wide as its widest entry."""
    whole = {head: [f"{time:g}" for time in times], **entries}
    return columns([tuple(whole), *zip(*whole.values(), strict=True)])


def path_table(times: Sequence[float], values: Mapping[str, Any], words: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The strengths over time of the paths that are strongest at the end, and the strongest path if any is nonzero."""
    from theory.flow.graph.strengths import largest, strongest  # it loads SymPy

    shown = largest(values, COLUMNS)
    more = f"; the {COLUMNS} strongest of {len(values)} paths" if len(values) > COLUMNS else ""
    yield f"strength of each path, |product of its weights| times its scales{more}"
    yield from table(times, {name: words[name] for name in shown})
    if len(values) > 1 and (best := strongest(values)):
        listed = ", ".join(best[:COLUMNS]) + (", ..." if len(best) > COLUMNS else "")
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
        more = f"; the first {COLUMNS} of {len(values)}, --json has them all" if len(values) > COLUMNS else ""
        yield from ("", f"singular values of the sums of paths in each context, or with the same gates{more}")
        yield from table(times, {name: words[name] for name in list(values)[:COLUMNS]})


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
    return [with_error(value, standard_error) for value, standard_error in zip(mean, errors, strict=True)]
