"""Networks trained in a separate thread, snapshot by snapshot, so that views can show the training.

A stop takes effect at the next gradient step; what was learned up to the last snapshot stays. Before the process ends
`stop_all` must end them: a thread that the interpreter leaves inside torch aborts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Thread
from weakref import WeakSet

import numpy as np
from jaxtyping import Float

from theory.problem import Problem, WorkbenchError


@dataclass(frozen=True)
class Learned:
    """Results of S networks at the first snapshots: weights (S, t, K, n), losses <(y - yhat)^2> (S, t).

    `parameters` (S, t, ...) have their names; a graph has no fields, and its `weights` are None.
    """

    weights: Float[np.ndarray, "S t K n"] | None
    losses: Float[np.ndarray, "S t"]
    parameters: Mapping[str, Float[np.ndarray, "S t ..."]] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """The state of the training: the networks by name, the share that is done, and the error, if any."""

    learned: dict[str, Learned]
    share: float
    running: bool
    error: WorkbenchError | None


class _StoppedError(Exception):
    pass


_BEGUN: "WeakSet[Training]" = WeakSet()


def stop_all() -> None:
    """End every training of this process; returns when all have ended."""
    begun = list(_BEGUN)
    for training in begun:
        training.stop()
    for training in begun:
        training.wait()


class Training:
    """Trains problems, by name, side by side through the times that they share; starts at once.

    `version` grows with every snapshot, so that a page knows when there is something new to draw.
    """

    def __init__(self, problems: Mapping[str, Problem]) -> None:
        self._problems = dict(problems)
        self._lock, self._stop = Lock(), Event()
        self._parameters: dict[str, list[Mapping[str, np.ndarray]]] = {name: [] for name in problems}
        self._losses: dict[str, list[np.ndarray]] = {name: [] for name in problems}
        self._share, self._error, self.version = 0.0, None, 0
        self._thread = Thread(target=self._run, daemon=True)
        _BEGUN.add(self)
        self._thread.start()

    def stop(self) -> None:
        """End the training; returns at once."""
        self._stop.set()

    def wait(self) -> None:
        """Return when the training has ended."""
        self._thread.join()

    @property
    def progress(self) -> Progress:
        """Return the current state of the training."""
        with self._lock:
            learned = {
                name: _learned(snapshots, self._losses[name])
                for name, snapshots in self._parameters.items()
                if snapshots
            }
            return Progress(learned, self._share, self._thread.is_alive(), self._error)

    def _run(self) -> None:
        try:
            self._train()
        except _StoppedError:
            pass
        except WorkbenchError as error:
            self._error = error
        self.version += 1

    def _train(self) -> None:
        from sim.measure import measure
        from sim.train import train
        from sim.training.backends.choice import fastest_in_torch
        from sim.training.schedule import device_named
        from theory.problem import LossAtTimes

        backend = fastest_in_torch(device_named("cpu"))
        states = dict.fromkeys(self._problems)
        times = next(iter(self._problems.values())).training.times
        for snapshot, time in enumerate(times):
            for place, (name, problem) in enumerate(self._problems.items()):
                part = replace(problem, training=replace(problem.training, times=(time,)))
                begun = snapshot + place / len(self._problems)

                def report(done: int, total: int, begun: float = begun) -> None:
                    if self._stop.is_set():
                        raise _StoppedError
                    self._share = (begun + done / max(total, 1) / len(self._problems)) / len(times)

                run = train(part, "cpu", resume=states[name], progress=report, backend=backend)
                states[name] = run.state
                loss = measure(LossAtTimes(), run, "cpu")
                with self._lock:
                    self._parameters[name].append({key: array[:, 0] for key, array in run.parameters.items()})
                    self._losses[name].append(loss.values[:, 0])
            self._share = (snapshot + 1) / len(times)
            self.version += 1


def _learned(snapshots: list[Mapping[str, np.ndarray]], losses: list[np.ndarray]) -> Learned:
    along = {name: np.stack([snapshot[name] for snapshot in snapshots], axis=1) for name in snapshots[0]}
    return Learned(along.get("w"), np.stack(losses, axis=1), along)
