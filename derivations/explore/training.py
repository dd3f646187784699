"""Networks trained side by side, snapshot by snapshot, so that a page can show the training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

from theory.problem import Problem


@dataclass(frozen=True)
class Learned:
    """Results of S networks at the first snapshots: weights (S, t, K, n), losses <(y - yhat)^2> (S, t).

    `parameters` (S, t, ...) have their names; a graph has no fields, and its `weights` are None. The numbers of a
    network that has diverged are NaN.
    """

    weights: Float[np.ndarray, "S t K n"] | None
    losses: Float[np.ndarray, "S t"]
    parameters: Mapping[str, Float[np.ndarray, "S t ..."]] = field(default_factory=dict)


# Called with the share that is done, and after a snapshot with what the networks have learned; ends it by raising.
Report = Callable[[float, Mapping[str, Learned] | None], None]


def train_together(
    problems: Mapping[str, Problem], report: Report | None = None, replicates: Sequence[int] | None = None
) -> dict[str, Learned]:
    """Train problems, by name, side by side through the times that they share, and return what they have learned.

    `replicates` are the numbers of the networks to train, all where it is None. No network depends on the others.
    """
    from sim.measure import measure
    from sim.train import train
    from theory.problem import LossAtTimes

    states = dict.fromkeys(problems)
    parameters: dict[str, list[Mapping[str, np.ndarray]]] = {name: [] for name in problems}
    losses: dict[str, list[np.ndarray]] = {name: [] for name in problems}
    learned: dict[str, Learned] = {}
    times = next(iter(problems.values())).training.times
    for snapshot, time in enumerate(times):
        for place, (name, problem) in enumerate(problems.items()):
            part = replace(problem, training=replace(problem.training, times=(time,)))
            begun = snapshot + place / len(problems)

            def step(done: int, total: int, begun: float = begun) -> None:
                if report is not None:
                    report((begun + done / max(total, 1) / len(problems)) / len(times), None)

            run = train(part, "cpu", replicates=replicates, resume=states[name], progress=step, compile_steps=False)
            states[name] = run.state
            parameters[name].append({key: array[:, 0].copy() for key, array in run.parameters.items()})
            losses[name].append(np.full(len(run.diverged), np.nan))
            losses[name][-1][run.surviving()] = measure(LossAtTimes(), run, "cpu").values[:, 0]
            for array in parameters[name][-1].values():
                array[run.diverged] = np.nan
            learned[name] = _learned(parameters[name], losses[name])
        if report is not None:
            report((snapshot + 1) / len(times), dict(learned))
    return learned


def joined(first: Mapping[str, Learned], more: Mapping[str, Learned]) -> dict[str, Learned]:
    """Return what two groups of networks of the same problems have learned as that of one group."""
    return {name: _side_by_side(one, more[name]) for name, one in first.items()}


def _side_by_side(one: Learned, other: Learned) -> Learned:
    parameters = {key: np.concatenate([array, other.parameters[key]]) for key, array in one.parameters.items()}
    return Learned(parameters.get("w"), np.concatenate([one.losses, other.losses]), parameters)


def _learned(snapshots: list[Mapping[str, np.ndarray]], losses: list[np.ndarray]) -> Learned:
    along = {name: np.stack([snapshot[name] for snapshot in snapshots], axis=1) for name in snapshots[0]}
    return Learned(along.get("w"), np.stack(losses, axis=1), along)
