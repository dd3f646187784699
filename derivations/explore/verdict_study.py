"""How often the rules of `verdict` call two seeds of one problem different.

Each problem is trained with many seeds. Groups of networks of two seeds are compared as the page compares A and B: they
have opposite verdicts where one is local and the other is not, and are called apart where the interval of their
difference leaves out zero. The file keeps the ratio of every network, so that the pairs can be counted again.

`python -m derivations.explore.verdict_study` repeats it in five minutes and stores the file.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.atomic import write_text
from derivations.experiments.folders import problem_named
from derivations.explore import fields_page, two_laws
from derivations.explore.gain_sweep import NETWORKS
from derivations.explore.training import train_together
from derivations.explore.verdict import STUDY, difference, ratios, sign
from derivations.statistics.locality import LOCAL, NOT_LOCAL, locality
from theory.problem import Problem

SEEDS = 40  # groups of a problem, each of as many networks as the page trains
DIGITS = 6  # of a stored ratio


def problems() -> dict[str, Problem]:
    """Return the problems of the study: a law and its Gaussian clone on a ring, and the first one of the explorer."""
    ring, bump = problem_named("relu-training"), two_laws.ungated(problem_named("small-bump"))
    chosen = {"relu-training": ring, "its Gaussian clone": two_laws.other_side(ring, "gaussian"), "small-bump": bump}
    return {name: fields_page.as_trained(problem, {"networks": NETWORKS}) for name, problem in chosen.items()}


def measured(problem: Problem, seed: int) -> Float[np.ndarray, " S"]:
    """Return the ratios of the networks of a seed at the last time."""
    seeded = replace(problem, simulation=replace(problem.simulated(), seed=seed))
    return ratios(seeded, train_together({"own": seeded})["own"], -1)


def counted(groups: Float[np.ndarray, "G S"], n: int) -> dict[str, int]:
    """Return the number of pairs of groups, of those with opposite verdicts, and of those that are called apart."""
    words = [locality(group, n).word for group in groups]
    pairs = list(combinations(range(len(groups)), 2))
    opposite = sum({words[i], words[j]} == {LOCAL, NOT_LOCAL} for i, j in pairs)
    apart = sum(sign(difference(groups[i], groups[j])) != 0 for i, j in pairs)
    return {"pairs": len(pairs), "opposite": opposite, "apart": apart}


def study() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Train every problem with every seed; yield its name, its counts and its ratios."""
    for name, problem in problems().items():
        groups = np.stack([measured(problem, seed) for seed in range(SEEDS)]).round(DIGITS)
        yield name, {"n": problem.data.n, **counted(groups, problem.data.n), "ratios": groups.tolist()}


if __name__ == "__main__":
    content = {"networks": NETWORKS, "problems": dict(study())}
    write_text(STUDY, json.dumps(content) + "\n")
