"""Estimates: one measured value of an observable for each replicate, their mean and its standard error."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.problem import InputError, Observable, Problem


@dataclass(frozen=True)
class Estimate:
    """An observable measured on R replicates: `values` (R, ...) in float64, one entry for each that did not diverge.

    `diverged` counts the replicates left out; means over the rest are conditional on not diverging.
    """

    observable: Observable
    problem: Problem
    values: Float[np.ndarray, "R ..."]
    seed: int
    diverged: int = 0

    @property
    def replicates(self) -> int:
        """R, the number of independent values."""
        return len(self.values)

    @property
    def mean(self) -> Float[np.ndarray, "..."]:
        """The mean over replicates."""
        return self.values.mean(axis=0)

    @property
    def one_cluster(self) -> bool:
        """Whether the replicates saw the same examples (`simulation.shared_stream`): then they are not independent."""
        return self.problem.simulated().shared_stream

    @property
    def standard_error(self) -> Float[np.ndarray, "..."]:
        """sd/sqrt(R), sd over replicates with R - 1 in the denominator. Raises InputError for one cluster."""
        refuse_one_cluster(self)
        # Deviations from the first replicate: equal values then have the spread 0, without rounding of a mean.
        return (self.values - self.values[:1]).std(axis=0, ddof=1) / np.sqrt(self.replicates)


def refuse_one_cluster(estimate: Estimate) -> None:
    """Raise InputError where replicates that share their data would be treated as independent."""
    if estimate.one_cluster:
        raise InputError(
            f"The {estimate.replicates} replicates share one stream of examples: they are one cluster, so that their "
            "scatter gives no standard error.",
            "Leave out simulation.shared_stream, or compare the networks with each other only.",
            "one-cluster",
        )
