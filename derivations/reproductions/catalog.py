"""The registered experiments of the sources, by name: every module of `sources` that has a REPRODUCTION."""

from collections.abc import Sequence
from functools import cache

import derivations.reproductions.sources as sources
from derivations.reproductions.model import Reproduction
from theory.problem import InputError
from theory.problem.discovery import modules
from theory.problem.numbers import one_of


@cache
def reproductions() -> dict[str, Reproduction]:
    """Return the experiments by name. Loads torch. Raises InputError where two have one name.

    >>> reproductions()["dgn-fig-10"].place
    'Figure 10 (Experiment 8)'
    """
    experiments: dict[str, Reproduction] = {}
    for module in modules(sources.__name__, sources.__path__):
        experiment = getattr(module, "REPRODUCTION", None)
        if experiment is None:
            continue
        if experiment.name in experiments:
            raise InputError(
                f"Two experiments are called {experiment.name!r}.", f"Rename the one in {module.__name__}."
            )
        experiments[experiment.name] = experiment
    return experiments


def named(names: Sequence[str]) -> tuple[Reproduction, ...]:
    """Return the experiments of these names. Raises InputError for an unknown one.

    >>> [one.name for one in named(["dgn-fig-10"])]
    ['dgn-fig-10']
    """
    known = reproductions()
    return tuple(known[one_of(name, "NAME", known)] for name in dict.fromkeys(names))
