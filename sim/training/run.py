"""The result of training: the parameters of every replicate at the problem's times."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.networks.examples import Examples
from sim.training.stability import EXAMPLES, UNEXPLAINED, largest_stable_rate, unexplained
from sim.training.state import Replicate, State, beginning
from theory.problem import InputError, Network, OutOfReachError, Problem, WorkbenchError


class DivergedError(WorkbenchError):
    """Too few replicates did not diverge for a standard error."""

    exit_code = 1
    default_kind = "diverged"


@dataclass(frozen=True)
class Run:
    """One training run of S replicates; entry s of every array belongs to the replicate with number replicates[s].

    `parameters` are arrays (S, T, ...) in float64 by the names of the problem's parameters. A replicate has
    diverged where it ends with a loss that neither labels nor start explain (`sim.training.stability.unexplained`), or
    where a weight passed the limit of `sim.training.state.largest_weight`, below which it is frozen. It has no results.
    `sample` holds the examples of a full-batch run. `wall_time` is in seconds. `backend` is the name of the back end;
    `fallback` is the reason why torch took the steps where compiled loops might have, else None. `dtype` is the
    floating-point type of training. `sim.train.train(..., resume=state)` continues from `state`.
    """

    problem: Problem
    replicates: tuple[int, ...]
    times: Float[np.ndarray, " T"]
    parameters: Mapping[str, Float[np.ndarray, "S T ..."]]
    diverged: Bool[np.ndarray, " S"]
    seed: int
    device: str
    steps: int
    wall_time: float
    sample: Examples | None = None
    backend: str = "reference"
    fallback: str | None = None
    state: State | None = None
    dtype: str = "float64"

    @property
    def weights(self) -> Float[np.ndarray, "S T K *m n"]:
        """The weights w_k of one hidden layer. Raises OutOfReachError for others, whose weights have other names."""
        return fields_of(self.problem, self.parameters)

    @property
    def biases(self) -> Float[np.ndarray, "S T C"] | None:
        """The biases b_1, ..., b_K and then b_out; None where the network has none."""
        return biases_of(self.parameters)

    @property
    def readout(self) -> Float[np.ndarray, "S T *m K"] | None:
        """The readout weights a_1, ..., a_K; None where the network does not train them."""
        return self.parameters.get("a")

    @property
    def one_cluster(self) -> bool:
        """Whether all replicates are trained on the same examples, so that they are not independent."""
        return self.problem.simulated().shared_stream

    def surviving(self) -> np.ndarray:
        """Return the indices s of the replicates that did not diverge.

        Raises InputError for a run of one replicate, and DivergedError where fewer than two remain.
        """
        if len(self.diverged) < 2:
            raise InputError("The run has one replicate; a standard error needs two.", "Train more replicates.")
        kept = np.flatnonzero(~self.diverged)
        if len(kept) < 2:
            rate = float(self.problem.simulated().learning_rate)
            raise DivergedError(
                f"{self.diverged.sum()} of {len(self.diverged)} replicates diverged at the learning rate {rate:g}"
                f"{self._when()}, and fewer than the two that a standard error needs are left.",
                _calmer(self.problem),
            )
        return kept

    def _when(self) -> str:
        """Return the first time at which the losses of all diverged networks show it, in words; "" if none does."""
        starts = beginning([Replicate(self.problem, number) for number in self.replicates]).parameters
        for index, time in enumerate(self.times):
            then = {name: torch.from_numpy(array[:, index]) for name, array in self.parameters.items()}
            if unexplained(self.problem, starts, then, self.sample)[self.diverged].all():
                return (
                    f" by t = {time:g}, to losses above {UNEXPLAINED:,} times that of the output 0 and of their start"
                )
        return ""


def fields_of(problem: Problem, parameters: Mapping[str, np.ndarray]) -> Float[np.ndarray, "S T K *m n"]:
    """Return the weights w_k of one hidden layer. Raises OutOfReachError for networks that may have several layers.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> problem = Problem(law, Network("relu", "mean", 1), Training("mse", 1, NormalInitialisation(1, 0), (1,)))
    >>> fields_of(problem, {"w": np.ones((1, 1, 1, 4))}).shape
    (1, 1, 1, 4)
    """
    if not isinstance(problem.network, Network):
        named = ", ".join(parameters)
        message = "The fields w_k belong to networks with one hidden layer"
        problem.refuse_deep(f"{message}; this deep network has the weights {named}.")
        raise OutOfReachError(
            f"{message}; this graph has the weights {named}.",
            "Measure loss, weight-sizes, path-strengths or map-modes, or read run.parameters by name.",
        )
    return parameters["w"]


def biases_of(parameters: Mapping[str, np.ndarray]) -> Float[np.ndarray, "S T C"] | None:
    """Return the biases of the hidden units, then of the outputs, along one axis; None where the network has none.

    >>> biases_of({"b": np.zeros((1, 1, 2)), "b_out": np.ones((1, 1, 1))}).tolist()
    [[[0.0, 0.0, 1.0]]]
    """
    if "b" not in parameters:
        return None
    hidden, output = parameters["b"], parameters["b_out"]
    return np.concatenate([hidden.reshape(*hidden.shape[:2], -1), output], axis=2)


def _calmer(problem: Problem) -> str:
    """Return advice against divergence, with the largest stable rate where there is one."""
    stable = isinstance(problem.network, Network) and not problem.network.trains_readout
    if not stable or problem.simulated().optimizer != "sgd":
        return "Use a smaller simulation.learning_rate."
    return (
        f"On {EXAMPLES} examples the largest stable simulation.learning_rate is about "
        f"{largest_stable_rate(problem):.3g}; small batches need a smaller one."
    )
