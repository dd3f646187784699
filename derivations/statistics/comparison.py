"""A prediction against trained networks: one omnibus test and one equivalence bound for each claim.

With D_s the deviation of replicate s from the prediction, the statistic is the studentised maximum
T = max_j |mean_s D_sj| / se_j. Its law comes from resampling whole replicates (`resampling`), which holds the level for
skewed replicates too. A claim passes when it is not rejected *and* every entry's simultaneous interval lies within
margin x max|prediction|; not rejected but not equivalent is INCONCLUSIVE. So is a comparison with fewer replicates,
more entries or a more skewed sample than those for which the test is shown to hold its level (`calibration`).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from jaxtyping import Float
from scipy.special import stdtrit  # scipy.stats takes a second to import

from derivations.statistics import calibration
from derivations.statistics.intervals import Intervals
from derivations.statistics.resampling import (
    RESAMPLES,
    critical_value,
    mean_and_error,
    p_value,
    resampled_maxima,
    skewness,
    skewness_error,
    studentise,
    varies,
)
from sim.measure import Estimate
from sim.measure.estimate import refuse_one_cluster
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import InputError

_REQUIRED_POWER = 0.99
_MOST_REPLICATES = 4096  # where the search for a sufficient number stops
_BLOCK = 256  # normal vectors handled at once, which bounds the memory by 256 x entries
# Increased when the meaning of a registration changes (observable, times, margin, wrong forms), so that seeds are
# never chosen. The law of the statistic under the truth is no part of it: it is calibrated on synthetic replicates.
SEED_VERSION = 1


@dataclass(frozen=True)
class Agreement:
    """The distance of an estimate from a prediction, before any decision.

    `p` is the omnibus p-value, `bound` the largest |deviation| + critical x se over entries, `margin` what it may
    reach, `powers` the probability with which each registered wrong form would be rejected. `skewness` is the largest
    |skewness| among the `moving` entries of the sample (those that differ between replicates), `skewness_error` its
    jackknife error, `skewness_limit` how large it may be for a decision.
    """

    p: float
    statistic: float
    critical: float
    bound: float
    margin: float
    worst_entry: tuple[int, ...]
    replicates: int
    diverged: int
    powers: Mapping[str, float]
    rejected_alternatives: Mapping[str, bool]
    moving: int
    skewness: float
    skewness_error: float
    skewness_limit: float

    @property
    def shown(self) -> bool:
        """Whether the test is shown to hold its level for such a sample; without spread there is nothing to test."""
        return not self.moving or 0 < self.skewness_limit >= self.skewness


def seed_for(claim_id: str) -> int:
    """The simulation seed of a claim: a hash of its id and the version of the procedure."""
    return int.from_bytes(hashlib.sha256(f"{claim_id}/{SEED_VERSION}".encode()).digest()[:4], "big")


def agreement(claim: Claim, estimate: Estimate) -> Agreement:
    """Measure `estimate` against the prediction registered with `claim`."""
    registered = claim.registration
    if registered is None:
        raise InputError(f"{claim.id} has no registered experiment.", "Register one in the claim before comparing.")
    refuse_one_cluster(estimate)
    prediction = np.asarray(registered.predict(estimate.problem), dtype=float)
    values = np.asarray(estimate.values, dtype=float)
    if values.shape[1:] != prediction.shape:
        raise InputError(
            f"{claim.id}: the estimate has shape {values.shape[1:]} per replicate, the prediction {prediction.shape}.",
            "Measure the observable that the claim registers.",
        )
    wrong = {item.name: np.asarray(item.predict(estimate.problem), float) for item in registered.alternatives}
    return agreement_of(
        values,
        prediction,
        margin=float(registered.margin),
        level=float(registered.level),
        seed=seed_for(claim.id),
        wrong=wrong,
        diverged=estimate.diverged,
    )


def agreement_of(
    values: Float[np.ndarray, "S ..."],
    prediction: Float[np.ndarray, "..."],
    *,
    margin: float,
    level: float,
    seed: int,
    wrong: Mapping[str, Float[np.ndarray, "..."]] | None = None,
    diverged: int = 0,
) -> Agreement:
    """Measure values of S replicates against a prediction: one for all of them, or one for each, (S, ...).

    The margin is relative to the largest prediction, the mean over replicates where each has its own. `wrong` holds
    the predictions of wrong forms by name, `diverged` counts the replicates that are left out. All numbers are divided
    by the power of two next to the largest prediction, which changes no digit: squares of numbers such as 1e-300 or
    1e300 are beyond float64.
    """
    per_replicate = prediction.ndim == values.ndim
    middle = prediction.mean(axis=0) if per_replicate else prediction
    exponent = int(np.frexp(np.max(np.abs(middle)))[1])
    deviations = (np.ldexp(values, -exponent) - np.ldexp(prediction, -exponent)).reshape(len(values), -1)
    mean, error = mean_and_error(deviations)
    studentised = studentise(mean, error)
    worst = int(np.argmax(studentised))
    # The resamples are centred, so that one law serves the test, the interval and every wrong form.
    maxima = resampled_maxima(deviations, seed)
    critical = critical_value(maxima, level)
    shifts = {name: np.ldexp(form, -exponent) - np.ldexp(middle, -exponent) for name, form in (wrong or {}).items()}
    moving = int(np.count_nonzero(varies(deviations)))
    skew = skewness(deviations)
    most = int(np.argmax(np.abs(skew)))
    return Agreement(
        p=p_value(float(studentised[worst]), maxima),
        statistic=float(studentised[worst]),
        critical=critical,
        bound=float(np.ldexp(_farthest(mean, error, critical), exponent)),
        margin=margin * float(np.max(np.abs(middle))),
        worst_entry=tuple(int(index) for index in np.unravel_index(worst, middle.shape)),
        replicates=len(values),
        diverged=diverged,
        powers={name: _power(shift, error, critical) for name, shift in shifts.items()},
        rejected_alternatives={
            name: p_value(float(np.max(studentise(mean - shift.reshape(-1), error))), maxima) <= level
            for name, shift in shifts.items()
        },
        moving=moving,
        skewness=float(np.abs(skew[most])),
        skewness_error=skewness_error(deviations[:, most]),
        skewness_limit=calibration.limit(len(values), moving),
    )


def resampled_intervals(values: Float[np.ndarray, "S d"], level: float, seed: int) -> tuple[Intervals, str]:
    """Return intervals that hold for all entries together with the probability 1 - level, and why they may not.

    A number outside of one of them is what the test of `agreement_of` rejects. The reason is empty where the study of
    `calibration` shows the level for such a sample.
    """
    sample = agreement_of(values, np.zeros_like(values), margin=1.0, level=level, seed=seed)
    mean, error = mean_and_error(values)
    reach = np.multiply(sample.critical, error, where=error > 0, out=np.zeros_like(error))
    return Intervals(mean, mean - reach, mean + reach), "" if sample.shown else _not_shown(sample)


def _farthest(mean: np.ndarray, error: np.ndarray, critical: float) -> float:
    """The largest |mean| + critical x se, where an entry without spread adds nothing."""
    reach = np.multiply(critical, error, where=error > 0, out=np.zeros_like(error))
    return float(np.max(np.abs(mean) + reach))


def decide(claim: Claim, agreement: Agreement, level: float) -> CheckResult:
    """PASS, FAIL or INCONCLUSIVE at a (Holm-adjusted) level; a registered wrong form that survives is a FAIL."""
    outcome, why = judged(agreement, level)
    details = {name: value for name, value in vars(agreement).items() if name not in ("bound", "margin")}
    where = f"{why}; worst entry {agreement.worst_entry}"
    return CheckResult(claim.id, Level.SIMULATED, outcome, agreement.bound, agreement.margin, where, details)


def judged(agreement: Agreement, level: float) -> tuple[Outcome, str]:
    """Return the outcome of a comparison at a level, and the reason in words."""
    survivors = [name for name, rejected in agreement.rejected_alternatives.items() if not rejected]
    weak = [name for name, power in agreement.powers.items() if power < _REQUIRED_POWER]
    if agreement.diverged:
        outcome, why = Outcome.FAIL, f"{agreement.diverged} replicates diverged, which no prediction allows for"
    elif np.isinf(agreement.statistic):
        outcome, why = Outcome.FAIL, "missed where all replicates are equal"
    elif not agreement.shown:
        outcome, why = Outcome.INCONCLUSIVE, _not_shown(agreement)
    elif agreement.p <= level:
        outcome, why = Outcome.FAIL, f"rejected (p = {agreement.p:.2g} <= {level:.2g})"
    elif weak:
        outcome, why = Outcome.INCONCLUSIVE, f"power below {_REQUIRED_POWER:.0%} against: {', '.join(weak)}"
    elif survivors:
        outcome, why = Outcome.FAIL, f"the registered wrong form survives: {', '.join(survivors)}"
    elif agreement.bound > agreement.margin:
        outcome, why = Outcome.INCONCLUSIVE, "not rejected, but not shown equivalent within the margin"
    else:
        outcome, why = Outcome.PASS, f"not rejected (p = {agreement.p:.2g}) and equivalent"
    return outcome, why


def _not_shown(agreement: Agreement) -> str:
    """The sentence on a sample for which the test is not shown to hold its level, with what would do."""
    entries = f"{agreement.moving} {'entry' if agreement.moving == 1 else 'entries'}"
    sample = f"{agreement.replicates} replicates of {entries} with a skewness of up to {agreement.skewness:.2g}"
    upper = agreement.skewness + 2 * agreement.skewness_error
    enough = calibration.sufficient_replicates(agreement.moving, upper, agreement.replicates)
    if enough is None:
        remedy = "register fewer entries"
    elif enough <= calibration.most_replicates():
        remedy = f"about {enough} replicates would do"
    else:
        most = calibration.most_replicates()
        remedy = f"about {enough} replicates would do, more than the {most} up to which the test was studied"
    limit = f"with so many the test is shown to hold its level up to one of {agreement.skewness_limit:.3g}"
    too_few = "too few for the test to be shown to hold its level"
    return f"not decided: {sample}; {limit if agreement.skewness_limit else too_few}; {remedy}"


def compare(claim: Claim, estimate: Estimate) -> CheckResult:
    """Judge one claim by one estimate at the claim's own level; for several claims at once see `decide_all`."""
    return decide(claim, agreement(claim, estimate), _level(claim))


def decide_all(measured: Sequence[tuple[Claim, Agreement]]) -> tuple[CheckResult, ...]:
    """Judge measured claims as one family, with Holm's correction."""
    levels = holm_levels([item.p for _, item in measured], [_level(claim) for claim, _ in measured])
    return tuple(decide(claim, item, levels[index]) for index, (claim, item) in enumerate(measured))


def _level(claim: Claim) -> float:
    return float(claim.registration.level if claim.registration else 0)


def holm_levels(p_values: Sequence[float], levels: Sequence[float]) -> list[float]:
    """The level each p-value is held against by Holm's procedure: level / (m - rank) until the first not rejected.

    >>> holm_levels([0.5, 0.001], [0.01, 0.01])
    [0.01, 0.005]
    """
    adjusted = [0.0] * len(p_values)
    stopped_at = None
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if stopped_at is None and p_values[index] > levels[index] / (len(p_values) - rank):
            stopped_at = levels[index] / (len(p_values) - rank)
        adjusted[index] = levels[index] / (len(p_values) - rank) if stopped_at is None else stopped_at
    return adjusted


def replicates_needed(claim: Claim, pilot: Estimate) -> int:
    """Replicates at which a run with the pilot's spread is equivalent within the margin and every wrong form falls.

    From the pilot's standard deviation sd_j of one replicate: the smallest S with 2 c(S) max_j sd_j / sqrt(S) <=
    margin x max|prediction| (the mean and its interval each reach c(S) standard errors) and, for each registered
    wrong form, max_j |shift_j| sqrt(S) / sd_j >= c(S) + Phi^-1(.99). c(S) is the critical value of the maximum: its
    normal tail is estimated from the pilot by Gaussian multipliers and taken over to Student's t of S - 1 degrees. S is
    never below what the test needs for normal replicates; a pilot is too small to show how skewed they are.
    """
    registered = claim.registration
    refuse_one_cluster(pilot)
    prediction = np.asarray(registered.predict(pilot.problem), dtype=float)
    spread = np.asarray(pilot.values, float).std(axis=0, ddof=1)
    margin = float(registered.margin) * float(np.max(np.abs(prediction)))
    tail = NormalDist().cdf(-_normal_critical(pilot, float(registered.level), seed_for(claim.id)))
    target = NormalDist().inv_cdf(_REQUIRED_POWER)
    effects = [
        float(np.max(studentise(np.asarray(form.predict(pilot.problem)) - prediction, spread)))
        for form in registered.alternatives
    ]

    def enough(replicates: int) -> bool:
        critical = -float(stdtrit(replicates - 1, tail))
        equivalent = 2 * critical * float(spread.max()) <= margin * sqrt(replicates)
        return equivalent and all(effect * sqrt(replicates) >= critical + target for effect in effects)

    moving = int(np.count_nonzero(varies(np.asarray(pilot.values, float).reshape(len(pilot.values), -1))))
    least = calibration.least_replicates(moving) or 4  # too many entries are told where they are judged
    return next((count for count in range(least, _MOST_REPLICATES) if enough(count)), _MOST_REPLICATES)


def _normal_critical(pilot: Estimate, level: float, seed: int) -> float:
    """The (1 - level) quantile of max_j |N_j| for normal N with the correlation of the pilot's entries."""
    values = np.asarray(pilot.values, float).reshape(len(pilot.values), -1)
    spread = values.std(axis=0, ddof=1)
    moving = spread > 0
    scaled = (values - values.mean(axis=0))[:, moving] / spread[moving] / sqrt(len(values) - 1)
    if not scaled.size:
        return NormalDist().inv_cdf(1 - level / 2)
    weights = np.random.default_rng(seed).normal(size=(RESAMPLES, len(values)))
    maxima = [np.abs(weights[start : start + _BLOCK] @ scaled).max(axis=1) for start in range(0, RESAMPLES, _BLOCK)]
    return float(np.quantile(np.concatenate(maxima), 1 - level))


def _power(shift: np.ndarray, error: np.ndarray, critical: float) -> float:
    """Probability that the entry where a wrong form differs most, in standard errors, exceeds the critical value."""
    effect = float(np.max(studentise(shift.reshape(-1), error)))
    return 1.0 if np.isinf(effect) else NormalDist().cdf(effect - critical)
