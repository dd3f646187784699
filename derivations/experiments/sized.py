"""The problem of a file in the size and with the seed of an experiment."""

from dataclasses import replace

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Settings
from derivations.statistics.comparison import seed_for
from theory.problem import Problem


def sized(stem: str, settings: Settings, experiment: str) -> Problem:
    """Return the problem of STEM.toml with as many replicates as the profile takes and a seed of the experiment's own.

    >>> few, many = (sized("single-pulse", Settings(profile), "an example") for profile in ("quick", "full"))
    >>> few.simulated().replicates, many.simulated().replicates
    (32, 128)
    """
    problem = problem_named(stem)
    count = settings.scale * problem.simulated().replicates
    return replace(
        problem, simulation=replace(problem.simulated(), replicates=count, seed=seed_for(f"{experiment}/{stem}"))
    )
