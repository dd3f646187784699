"""The answers of `gdln solve` and `gdln simulate` for a gated graph: loss, sizes of weights and strengths of paths."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.about import about
from derivations.markdown import plain
from theory.flow.graph.integrate import GraphSolution, integrate
from theory.flow.graph.solutions.deep_linear import solution
from theory.flow.graph.strengths import largest, sizes, strengths
from theory.problem import LossAtTimes, OutOfReachError, PathStrengthsAtTimes, Problem, WeightSizesAtTimes, dumps
from theory.problem.routes import route_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.flow.graph.picture import Curves

_SHOWN = 10  # significant digits
_COLUMNS = 6  # weights or paths of a table; --json has them all
_POINTS = 80  # of a smooth curve
_METHOD = "float64; the derived flow of the paths, integrated by DOP853 to a relative error of 1e-10 a step."
_EXACT = {
    "balanced": "exact: a balanced deep linear network, each mode in closed form or by one quadrature; float64.",
    "lambda-balanced": "exact: a deep linear network of two layers, from a start with "
    r"$W_2^\top W_2 - W_1 W_1^\top = \lambda\, \mathbb{1}$, on white inputs; float64. The rotation of the hidden units "
    "is that of the integrated flow.",
}


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
            "notes": self.notes,
            "digits": None,
        }

    def text(self) -> str:
        """Losses, sizes of weights and strengths of paths over time."""
        found, content = self.solution, self.json()
        losses = {"<|y - yhat|^2>": [f"{loss:.{_SHOWN}g}" for loss in found.losses]}
        lines = [
            *table(found.times, losses | bars(numbers(content["sizes"]))),
            "",
            *path_table(found.times, content["strengths"], numbers(content["strengths"])),
            "",
            *(f"note: {plain(note)}" for note in (*self.notes, "--json has the weights, by name.")),
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
    """A trained graph: loss, sizes |W| (Frobenius) of its weights and strengths |s_p W_p| of its paths, by their names.

    `strengths` is None, and a remark says why, where the graph has more paths than are listed.
    """

    problem: Problem
    run: Any  # sim.training.run.Run, which loads torch
    loss: Any  # sim.measure.estimate.Estimate, as the others
    sizes: Any
    strengths: Any | None
    remarks: tuple[str, ...]

    @cached_property
    def means(self) -> dict[str, Any]:
        """The means and standard errors of what is measured; errors are None where the replicates are one cluster."""
        weights = [parameter.name for parameter in self.problem.parameters]
        found = {"loss": self.loss.mean, "loss_standard_error": _error(self.loss)}
        found |= _by_name("sizes", weights, self.sizes)
        if self.strengths is None:
            return found | {"strengths": None, "strengths_standard_error": None}
        return found | _by_name("strengths", route_names(self.problem.graph), self.strengths)

    def json(self) -> dict[str, Any]:
        """The object that `gdln simulate --json` prints."""
        return {"times": self.run.times, **self.means, **about(self.run), "remarks": self.remarks}

    def arrays(self) -> dict[str, Any]:
        """The arrays of the .npz file: the problem as TOML, times, replicates, losses, and every weight by its name."""
        run = self.run
        named = {f"weight_{name}": array for name, array in run.parameters.items()}
        found = {"times": run.times, "replicates": run.replicates, "diverged": run.diverged, "loss": self.loss.values}
        return {"problem": np.array(dumps(self.problem)), **found, **named}

    def text(self) -> str:
        """Loss, sizes of the weights and strengths of the paths over time."""
        content, means, run = self.json(), self.means, self.run
        name = "<log(1+e^(-y yhat))>" if self.problem.training.loss == "cross-entropy" else "<|y - yhat|^2>"
        lost = content["diverged"]
        lines = [
            f"{content['replicates']} replicates, {content['steps']} steps, device {content['device']}, "
            f"{content['dtype']}, seed {content['seed']}, back end {run.backend}",
            "",
            "mean (standard error) over replicates",
            *table(run.times, {name: with_errors(means["loss"], means["loss_standard_error"])} | self._sizes()),
        ]
        if means["strengths"] is not None:
            errors = means["strengths_standard_error"]
            shown = {path: with_errors(mean, errors and errors[path]) for path, mean in means["strengths"].items()}
            lines += ["", *path_table(run.times, means["strengths"], shown)]
        lines += [f"{lost} of {content['replicates']} replicates diverged and are left out."] if lost else []
        return "\n".join([*lines, *(f"\nnote: {remark}" for remark in self.remarks)])

    def _sizes(self) -> dict[str, list[str]]:
        return bars(numbers(self.means["sizes"]))

    def curves(self) -> "Curves":
        """The networks as marks of a picture: means with 99 % bars, which one cluster of replicates has not."""
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
    try:
        exact = solution(problem)
    except OutOfReachError as error:
        return GraphSolveAnswer(problem, integrate(problem), (_METHOD, f"integrated: {error.message}"))
    return GraphSolveAnswer(problem, exact, (_EXACT[exact.family],))


def measured(run: Any, device: str, measuring: Callable[[str], None], threads: int) -> GraphSimulateAnswer:
    """The trained graph of a run (sim.training.run.Run): loss on fresh examples, sizes of weights, path strengths."""
    from sim.measure import measure_each

    observables, remarks = [LossAtTimes(), WeightSizesAtTimes()], ()
    try:
        route_names(run.problem.graph)
        observables.append(PathStrengthsAtTimes())
    except OutOfReachError as error:
        remarks = (f"no strengths of paths: {error.message}",)
    loss, weights, *paths = measure_each(
        observables, run, device, backend="compiled", measuring=measuring, threads=threads
    )
    return GraphSimulateAnswer(run.problem, run, loss, weights, next(iter(paths), None), remarks)


def _error(estimate: Any) -> np.ndarray | None:
    return None if estimate.one_cluster else estimate.standard_error


def _by_name(what: str, names: Sequence[str], estimate: Any) -> dict[str, Any]:
    """Means and standard errors by the name of a weight or path, each (T)."""
    error = _error(estimate)
    return {
        what: dict(zip(names, estimate.mean.T, strict=True)),
        f"{what}_standard_error": None if error is None else dict(zip(names, error.T, strict=True)),
    }


def table(times: Sequence[float], columns: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A line of headings and a line for each time; each column is as wide as its widest entry."""
    whole = {"t": [f"{time:g}" for time in times], **columns}
    widths = [max(map(len, (name, *words))) for name, words in whole.items()]
    for row in (tuple(whole), *zip(*whole.values(), strict=True)):
        yield "  ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))


def path_table(times: Sequence[float], values: Mapping[str, Any], words: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The strengths over time of the paths that are strongest at the end; the strongest of all, unless none has any."""
    shown = largest(values, _COLUMNS)
    more = f"; the {_COLUMNS} strongest of {len(values)} paths" if len(values) > _COLUMNS else ""
    yield f"strength of each path, |product of its weights| times its scales{more}"
    yield from table(times, {name: words[name] for name in shown})
    if any(value[-1] > 0 for value in values.values()):
        yield f"strongest at t = {times[-1]:g}: {max(values, key=lambda name: values[name][-1])}"


def numbers(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """Values by name as words of four digits."""
    return {name: [f"{value:.4g}" for value in array] for name, array in values.items()}


def bars(words: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Words by the name of a weight W under the heading |W|."""
    return {f"|{name}|": column for name, column in words.items()}


def with_errors(mean: np.ndarray, error: np.ndarray | None) -> list[str]:
    """Means with their standard errors; alone where the networks are one cluster."""
    if error is None:
        return [f"{value:.4g}" for value in mean]
    return [f"{value:.4g} ({own:.1g})" for value, own in zip(mean, error, strict=True)]
