"""The problem of an experiment in the size of a profile, and what is recorded of its networks."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Settings
from derivations.statistics.comparison import seed_for
from sim.training.run import Run
from theory.claims.model import Outcome
from theory.problem import Problem


def sized(stem: str, settings: Settings, name: str) -> Problem:
    """Return the problem of STEM.toml with as many replicates as the profile takes and the seed of a name.

    >>> few, many = (sized("single-pulse", Settings(profile), "an example") for profile in ("quick", "full"))
    >>> few.simulated().replicates, many.simulated().replicates
    (32, 128)
    """
    problem = problem_named(stem)
    count = settings.scale * problem.simulated().replicates
    return replace(problem, simulation=replace(problem.simulated(), replicates=count, seed=seed_for(name)))


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over replicates, the first axis, and its standard error."""
    return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))


def record(run: Run, what: str, values: np.ndarray) -> dict[str, object]:
    """Return the evidence of a quantity at the times of a run, from its values (replicates, times)."""
    mean, error = mean_and_error(values)
    return {"times": run.times, what: mean, "standard_error": error, "replicates": len(values), "seed": run.seed}


def gravest(outcomes: Collection[Outcome]) -> Outcome:
    """Return the outcome of a rule with several parts.

    >>> print(gravest([Outcome.PASS, Outcome.INCONCLUSIVE]))
    INCONCLUSIVE
    """
    return next(one for one in (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS) if one in outcomes)
