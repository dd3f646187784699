"""The answers of `gdln solve` and `gdln simulate` for a gated graph: weights by name and the loss over time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from derivations.markdown import plain
from theory.flow.graph.integrate import GraphSolution, integrate
from theory.flow.graph.solutions.deep_linear import solution
from theory.problem import GatedGraph, LossAtTimes, OutOfReachError, Problem, dumps

_SHOWN = 10  # significant digits


def refuse_picture(problem: Problem) -> None:
    """Raise OutOfReachError for a graph: `--plot` of solve, simulate and compare draws fields of one hidden layer."""
    if isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            "The picture of solve, simulate and compare shows fields of one hidden layer, and this network is a graph.",
            "Draw the graph with gdln flow --plot, or read weights and losses from --json.",
        )


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
            "paths": [str(path) for path in found.flow.paths],
            "notes": self.notes,
            "digits": None,
        }

    def text(self) -> str:
        """Losses and the sizes of the weights over time."""
        found, names = self.solution, list(self.solution.weights)
        lines = _table(found.times, names, {"<|y - yhat|^2>": [f"{loss:.{_SHOWN}g}" for loss in found.losses]})
        sizes = {name: np.linalg.norm(found.weights[name], axis=(1, 2)) for name in names}
        rows = [line + _sizes(sizes, index) for index, line in enumerate(lines[1:])]
        notes = [f"note: {plain(note)}" for note in (*self.notes, "--json has the weights, by name.")]
        return "\n".join([lines[0], *rows, "", *notes])


_METHOD = "float64; the derived flow of the paths, integrated by DOP853 to a relative error of 1e-10 a step."
_EXACT = {
    "balanced": "exact: a balanced deep linear network, each mode in closed form or by one quadrature; float64.",
    "lambda-balanced": "exact: a deep linear network of two layers, from a start with "
    r"$W_2^\top W_2 - W_1 W_1^\top = \lambda\, \mathbb{1}$, on white inputs; float64. The rotation of the hidden units "
    "is that of the integrated flow.",
}


@dataclass(frozen=True)
class GraphSimulateAnswer:
    """A trained graph: loss and sizes |W| (Frobenius) of its weights, with means and standard errors."""

    problem: Problem
    run: Any  # sim.training.run.Run, which loads torch
    loss: Any  # sim.measure.estimate.Estimate

    @property
    def sizes(self) -> Mapping[str, np.ndarray]:
        """|W| of every replicate and time, by name: (S, T)."""
        kept = {name: array[~self.run.diverged] for name, array in self.run.parameters.items()}
        return {name: np.linalg.norm(array, axis=(2, 3)) for name, array in kept.items()}

    def json(self) -> dict[str, Any]:
        """The object that `gdln simulate --json` prints."""
        run, error = self.run, None if self.loss.one_cluster else self.loss.standard_error
        return {
            "times": run.times,
            "loss": self.loss.mean,
            "loss_standard_error": error,
            "sizes": {name: size.mean(axis=0) for name, size in self.sizes.items()},
            **about(run),
            "remarks": (),
        }

    def arrays(self) -> dict[str, Any]:
        """The arrays of the .npz file: the problem as TOML, times, replicates, losses, and every weight by its name."""
        run = self.run
        named = {f"weight_{name}": array for name, array in run.parameters.items()}
        found = {"times": run.times, "replicates": run.replicates, "diverged": run.diverged, "loss": self.loss.values}
        return {"problem": np.array(dumps(self.problem)), **found, **named}

    def text(self) -> str:
        """Loss and sizes of the weights over time."""
        content, run = self.json(), self.run
        error = content["loss_standard_error"]
        losses = [
            f"{loss:.4g}" + ("" if error is None else f" ({error[index]:.1g})")
            for index, loss in enumerate(content["loss"])
        ]
        name = "<log(1+e^(-y yhat))>" if self.problem.training.loss == "cross-entropy" else "<|y - yhat|^2>"
        lines = _table(run.times, list(self.sizes), {name: losses})
        sizes = content["sizes"]
        head = (
            f"{content['replicates']} replicates, {content['steps']} steps, device {content['device']}, "
            f"{content['dtype']}, seed {content['seed']}, back end {run.backend}"
        )
        rows = [line + _sizes(sizes, index) for index, line in enumerate(lines[1:])]
        lost = content["diverged"]
        ends = [f"{lost} of {content['replicates']} replicates diverged and are left out."] if lost else []
        return "\n".join([head, "", "mean (standard error) over replicates", lines[0], *rows, *ends])


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


def simulated(
    problem: Problem,
    device: str,
    backend: str,
    memory: int | None,
    progress: Callable[[int, int], None] | None,
    measuring: Callable[[str], None],
    threads: int,
) -> GraphSimulateAnswer:
    """The problem's graph, trained, and its loss on fresh examples."""
    from sim.measure import measure_each
    from sim.train import train

    run = train(problem, device, progress=progress, backend=backend, memory=memory, threads=threads)
    (loss,) = measure_each((LossAtTimes(),), run, device, measuring=measuring, threads=threads)
    return GraphSimulateAnswer(problem, run, loss)


def about(run: Any) -> dict[str, Any]:
    """The facts of a training run (sim.training.run.Run) that `gdln simulate --json` prints for every network."""
    return {
        "replicates": len(run.replicates),
        "diverged": int(run.diverged.sum()),
        "device": run.device,
        "backend": run.backend,
        "dtype": run.dtype,
        "fallback": run.fallback,
        "seed": run.seed,
        "steps": run.steps,
    }


def _table(times: Any, names: list[str], columns: Mapping[str, list[str]]) -> list[str]:
    """A line of headings and a line a time; the sizes of the weights are added behind."""
    heading = f"{'t':>10}" + "".join(f"  {name:>20}" for name in columns)
    heading += "".join(f"  {f'|{name}|':>10}" for name in names)
    rows = zip(times, *columns.values(), strict=True)
    return [heading, *(f"{time:>10g}" + "".join(f"  {value:>20}" for value in values) for time, *values in rows)]


def _sizes(sizes: Mapping[str, Any], index: int) -> str:
    return "".join(f"  {size[index]:>10.4g}" for size in sizes.values())
