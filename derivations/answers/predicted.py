"""Numbers that a function predicts beside those of trained networks, by the test that judges the claims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.statistics.comparison import Agreement, agreement_of, judged
from sim.measure import Estimate, measure
from sim.measure.estimate import refuse_one_cluster
from sim.train import train
from theory.claims.model import Outcome
from theory.problem import OBSERVABLES, InputError, Problem
from theory.problem.numbers import one_of, positive, shown
from theory.problem.observables import WORDS

# What the networks of a problem have at each of its times.
NAMES = tuple(name for name, kind in OBSERVABLES.items() if kind.axes[0] == "time")
_VERDICTS = {Outcome.PASS: "equivalent", Outcome.FAIL: "different", Outcome.INCONCLUSIVE: "undecided"}

Predict = Callable[[Problem, float], Any]


@dataclass(frozen=True)
class PredictedAnswer:
    """A prediction (T, ...) beside an observable of trained networks: `outcome`, the `reason` for it, and the test.

    `margin` is the share of the largest prediction within which all numbers have to lie to be equivalent, `level` that
    of the test, which is that of the simultaneous intervals.
    """

    estimate: Estimate
    prediction: Float[np.ndarray, "T ..."]
    margin: float
    level: float
    agreement: Agreement
    outcome: Outcome
    reason: str

    @property
    def verdict(self) -> str:
        """In a word: "equivalent", "different" or "undecided"."""
        return _VERDICTS[self.outcome]

    def json(self) -> Mapping[str, Any]:
        """The verdict, the numbers of the test, and means, standard errors and predictions."""
        test = self.agreement
        return {
            "observable": self.estimate.observable.name,
            "times": [float(t) for t in self.estimate.problem.training.times],
            "verdict": self.verdict,
            "reason": self.reason,
            "p": test.p,
            "level": self.level,
            "bound": test.bound,
            "margin": test.margin,
            "worst_entry": test.worst_entry,
            "replicates": test.replicates,
            "diverged": test.diverged,
            "prediction": self.prediction,
            "mean": self.estimate.mean,
            "standard_error": self.estimate.standard_error,
        }

    def text(self) -> str:
        """The verdict, why, and the entry that lies farthest off in standard errors."""
        test, axes = self.agreement, self.estimate.observable.axes
        place = test.worst_entry
        times = self.estimate.problem.training.times
        named = [f"t = {float(times[place[0]]):g}"]
        named += [f"{axis.replace('_', ' ')} {index}" for axis, index in zip(axes[1:], place[1:], strict=False)]
        mean, error = (float(values[place]) for values in (self.estimate.mean, self.estimate.standard_error))
        return "\n".join(
            [
                f"{self.estimate.observable.name} of {test.replicates} networks beside the prediction",
                f"{self.verdict}: {self.reason.removeprefix('not decided: ')}",
                f"networks are within {test.bound:.3g} of the prediction ({100 * (1 - self.level):.3g} %); the margin, "
                f"{100 * self.margin:.3g} % of its largest, is {test.margin:.3g}",
                f"farthest: {', '.join(named)}: prediction {float(self.prediction[place]):.6g}, networks {mean:.6g} "
                f"+- {error:.2g}",
            ]
        )


def answer(
    problem: Problem,
    predict: Predict,
    observable: str = "weights",
    *,
    margin: float = 0.02,
    level: float = 0.01,
    device: str = "auto",
) -> PredictedAnswer:
    """Train the networks of `problem` and hold `predict(problem, t)` against an observable at each of its times.

    `predict` returns the numbers of one network at the time t: (K, n) for weights, (K,) for what each unit has, a
    number for the loss. The test is not rejected for a true prediction with the probability 1 - `level`; equivalent is
    what is not rejected and certainly within `margin` of the largest prediction. Raises InputError for numbers of
    another shape or that are not finite, and for a problem without [simulation]; DivergedError and OutOfReachError as
    training does.

    >>> from theory.problem import load
    >>> from derivations.experiments.folders import problem_file
    >>> from theory.flow import mse_at, solve
    >>> bump = load(problem_file("small-bump"))
    >>> answer(bump, lambda _problem, _t: 0.3, "loss").verdict
    'different'
    """
    chosen = OBSERVABLES[one_of(WORDS.get(observable, observable), "observable", NAMES)]()
    share = float(positive(margin, "margin", "two numbers are never equal exactly"))
    certain = float(positive(level, "level", "a test may fail"))
    if certain >= 1:
        raise InputError(f"level = {certain:g} is not below 1.", "Give 0.01, say.")
    try:
        signature(predict).bind(problem, 0.0)
    except TypeError as error:
        raise InputError(f"predict cannot take a problem and a time: {error}.", "Write predict(problem, t).") from None
    estimate = measure(chosen, train(problem, device), device)
    refuse_one_cluster(estimate)
    prediction = np.stack(
        [_numbers(predict, problem, float(t), estimate.values.shape[2:]) for t in problem.training.times]
    )
    agreement = agreement_of(
        estimate.values,
        prediction,
        margin=share,
        level=certain,
        seed=problem.simulated().seed,
        diverged=estimate.diverged,
    )
    return PredictedAnswer(estimate, prediction, share, certain, agreement, *judged(agreement, certain))


def _numbers(predict: Predict, problem: Problem, t: float, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
    prediction = predict(problem, t)
    try:
        numbers = np.asarray(prediction, dtype=float)
    except (TypeError, ValueError):
        message = f"predict at t = {t:g}: {shown(prediction)} is no array of numbers."
        raise InputError(message, "Return the numbers of one network.") from None
    if numbers.shape != shape:
        raise InputError(
            f"The prediction at t = {t:g} has the shape {numbers.shape}, that of the networks is {shape}.",
            "Return the numbers of one network.",
        )
    if not np.isfinite(numbers).all():
        raise InputError(f"The prediction at t = {t:g} is not finite.", "Choose times at which it is.")
    return numbers
