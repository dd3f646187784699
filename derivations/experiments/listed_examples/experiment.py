"""Do networks trained on laws of listed examples follow gradient descent on the sums over these examples?

Decision rule, fixed before the run, for each of four problem files: mean weights are compared with the prediction as
registered claims are (`derivations.statistics.comparison`), at the level of 1 % for all files together and within 1 %
of the largest predicted weight. Control: the same weights must not pass beside the prediction of another law.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from derivations.experiments.control import control
from derivations.experiments.data_files import small_data_sets
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.experiments.sized import sized
from derivations.statistics.comparison import agreement_of, judged, seed_for
from sim.measure import Estimate, measure
from sim.train import train
from theory.claims.areas.law.examples import MARGIN
from theory.claims.model import CheckResult, Claim, Level
from theory.flow.linear.descent import discrete
from theory.problem import Law, WeightsAtTimes

CLAIM = "law.examples.trained"
_LEVEL = 0.01


def _other_categories(law: Law) -> Law:
    """The law of images in which the classes have exchanged their second categories."""
    (a, b), (c, d) = law.categories
    return replace(law, categories=((a, d), (c, b)))


def _other_weights(law: Law) -> Law:
    """The law of two contexts with exchanged probabilities."""
    one, other = law.moments
    moments = replace(one, probability=other.probability), replace(other, probability=one.probability)
    return replace(law, moments=moments)


RIVALS: Mapping[str, tuple[str, Callable[[Law], Law]]] = {
    "listed-pairs": ("the labels in reverse order", lambda law: replace(law, y=law.y[::-1])),
    "made-from-moments": ("exchanged probabilities of the contexts", _other_weights),
    "small-mnist": ("other categories in the classes", _other_categories),
    "small-fashion-mnist": ("other categories in the classes", _other_categories),
}


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train networks on each law and judge their weights beside both predictions."""
    del claims
    results: list[CheckResult] = []
    estimates = {}
    with small_data_sets():
        for index, (name, (said, rival)) in enumerate(RIVALS.items()):
            problem = sized(name, settings, f"listed_examples/{name}")
            estimate = measure(WeightsAtTimes(), train(problem, device=settings.device), settings.device)
            other = discrete(replace(problem, data=rival(problem.data))).weights
            results.append(decide(estimate, discrete(problem).weights, name))
            results.append(control(decide(estimate, other, name), f"the weights on {name} beside {said}"))
            estimates[f"{CLAIM}/{name}"] = {
                "mean": estimate.mean,
                "standard_error": estimate.standard_error,
                "replicates": estimate.replicates,
            }
            progress("training on listed examples", (index + 1) / len(RIVALS))
    return Finding(results=tuple(results), estimates=estimates)


def decide(estimate: Estimate, prediction: Float[np.ndarray, "T K n"], name: str) -> CheckResult:
    """The rule on the weights of one problem file and a prediction."""
    agreement = agreement_of(
        estimate.values,
        prediction,
        margin=float(MARGIN),
        level=_LEVEL / len(RIVALS),
        seed=seed_for(f"{CLAIM}/{name}"),
        diverged=estimate.diverged,
    )
    outcome, why = judged(agreement, _LEVEL / len(RIVALS))
    return CheckResult(CLAIM, Level.SIMULATED, outcome, agreement.bound, agreement.margin, f"{name}: {why}")


EXPERIMENT = Experiment("listed_examples", "Laws of listed examples", (CLAIM,), run)
