"""A prediction against trained networks: one omnibus test and one equivalence bound for each claim.

With D_s the deviation of replicate s from the prediction, the statistic is the studentised maximum
T = max_j |mean_s D_sj| / se_j. Its null law comes from flipping the signs of whole replicates (exact where the
deviations are symmetric about zero). A claim passes when it is not rejected *and* every entry's simultaneous
interval lies within margin x max|prediction|; not rejected but not equivalent is INCONCLUSIVE.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from jaxtyping import Float
from scipy.stats import t as student_t

from sim.measure import Estimate
from sim.measure.estimate import refuse_one_cluster
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import InputError

FLIPS = 4999  # resolves p-values down to 1/5000, a fiftieth of the family-wise level of 1 %
_REQUIRED_POWER = 0.99
_MOST_REPLICATES = 4096  # where the search for a sufficient number stops
_BLOCK = 256  # sign vectors handled at once, which bounds the memory by 256 x entries
SEED_VERSION = 1  # raised when the registered procedure changes, so that seeds are never chosen


@dataclass(frozen=True)
class Agreement:
    """The distance of an estimate from a prediction, before any decision.

    `p` is the omnibus p-value, `bound` the largest |deviation| + critical x se over entries, `margin` what it may
    reach, `powers` the probability with which each registered wrong form would be rejected.
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
    deviations = (values - prediction).reshape(len(values), -1)
    seed = seed_for(claim.id)
    mean, error = _mean_and_error(deviations)
    studentised = _studentise(mean, error)
    worst = int(np.argmax(studentised))
    # The interval needs the spread alone, so its critical value comes from the centred deviations.
    critical = float(np.quantile(flipped_maxima(deviations - mean, seed), 1 - float(registered.level)))
    wrong = {item.name: np.asarray(item.predict(estimate.problem), float) for item in registered.alternatives}
    return Agreement(
        p=sign_flip_p_value(deviations, seed),
        statistic=float(studentised[worst]),
        critical=critical,
        bound=float(np.max(np.abs(mean) + critical * error)),
        margin=float(registered.margin) * float(np.max(np.abs(prediction))),
        worst_entry=tuple(int(index) for index in np.unravel_index(worst, prediction.shape)),
        replicates=len(values),
        diverged=estimate.diverged,
        powers={name: _power(form - prediction, error, critical) for name, form in wrong.items()},
        rejected_alternatives={
            name: sign_flip_p_value((values - form).reshape(len(values), -1), seed) <= float(registered.level)
            for name, form in wrong.items()
        },
    )


def decide(claim: Claim, found: Agreement, level: float) -> CheckResult:
    """PASS, FAIL or INCONCLUSIVE at a (Holm-adjusted) level; a registered wrong form that survives is a FAIL."""
    survivors = [name for name, rejected in found.rejected_alternatives.items() if not rejected]
    weak = [name for name, power in found.powers.items() if power < _REQUIRED_POWER]
    if found.diverged:
        outcome, why = Outcome.FAIL, f"{found.diverged} replicates diverged, which no prediction allows for"
    elif found.p <= level:
        outcome, why = Outcome.FAIL, f"rejected (p = {found.p:.2g} <= {level:.2g})"
    elif weak:
        outcome, why = Outcome.INCONCLUSIVE, f"power below {_REQUIRED_POWER:.0%} against: {', '.join(weak)}"
    elif survivors:
        outcome, why = Outcome.FAIL, f"the registered wrong form survives: {', '.join(survivors)}"
    elif found.bound > found.margin:
        outcome, why = Outcome.INCONCLUSIVE, "not rejected, but not shown equivalent within the margin"
    else:
        outcome, why = Outcome.PASS, f"not rejected (p = {found.p:.2g}) and equivalent"
    details = {name: value for name, value in vars(found).items() if name not in ("bound", "margin")}
    where = f"{why}; worst entry {found.worst_entry}"
    return CheckResult(claim.id, Level.SIMULATED, outcome, found.bound, found.margin, where, details)


def compare(claim: Claim, estimate: Estimate) -> CheckResult:
    """Judge one claim by one estimate at the claim's own level; for several claims at once see `decide_all`."""
    return decide(claim, agreement(claim, estimate), _level(claim))


def decide_all(
    found: Sequence[tuple[Claim, Agreement]], beside: Sequence[tuple[float, float]] = ()
) -> tuple[CheckResult, ...]:
    """Judge measured claims with Holm's correction; `beside` has p and level of the family's tests judged before."""
    p_values = [*(item.p for _, item in found), *(p for p, _ in beside)]
    levels = holm_levels(p_values, [*(_level(claim) for claim, _ in found), *(level for _, level in beside)])
    return tuple(decide(claim, item, levels[index]) for index, (claim, item) in enumerate(found))


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
    normal tail is estimated from the pilot by Gaussian multipliers and taken over to Student's t of S - 1 degrees.
    """
    registered = claim.registration
    refuse_one_cluster(pilot)
    prediction = np.asarray(registered.predict(pilot.problem), dtype=float)
    spread = np.asarray(pilot.values, float).std(axis=0, ddof=1)
    margin = float(registered.margin) * float(np.max(np.abs(prediction)))
    tail = NormalDist().cdf(-_normal_critical(pilot, float(registered.level), seed_for(claim.id)))
    target = NormalDist().inv_cdf(_REQUIRED_POWER)
    effects = [
        float(np.max(_studentise(np.asarray(form.predict(pilot.problem)) - prediction, spread)))
        for form in registered.alternatives
    ]

    def enough(replicates: int) -> bool:
        critical = float(student_t.isf(tail, replicates - 1))
        equivalent = 2 * critical * float(spread.max()) <= margin * sqrt(replicates)
        return equivalent and all(effect * sqrt(replicates) >= critical + target for effect in effects)

    return next((count for count in range(4, _MOST_REPLICATES) if enough(count)), _MOST_REPLICATES)


def _normal_critical(pilot: Estimate, level: float, seed: int) -> float:
    """The (1 - level) quantile of max_j |N_j| for normal N with the correlation of the pilot's entries."""
    values = np.asarray(pilot.values, float).reshape(len(pilot.values), -1)
    spread = values.std(axis=0, ddof=1)
    moving = spread > 0
    scaled = (values - values.mean(axis=0))[:, moving] / spread[moving] / sqrt(len(values) - 1)
    if not scaled.size:
        return NormalDist().inv_cdf(1 - level / 2)
    weights = np.random.default_rng(seed).normal(size=(FLIPS, len(values)))
    maxima = [np.abs(weights[start : start + _BLOCK] @ scaled).max(axis=1) for start in range(0, FLIPS, _BLOCK)]
    return float(np.quantile(np.concatenate(maxima), 1 - level))


def _mean_and_error(
    deviations: Float[np.ndarray, "S d"],
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    mean = deviations.mean(axis=0)
    return mean, deviations.std(axis=0, ddof=1) / np.sqrt(len(deviations))


def _studentise(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    """|mean| / se; an entry without spread is 0 where it is met exactly and infinite where it is missed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(mean) / error
    return np.where(error > 0, ratio, np.where(mean == 0, 0.0, np.inf))


def flipped_maxima(deviations: Float[np.ndarray, "S d"], seed: int) -> Float[np.ndarray, " flips"]:
    """The studentised maximum under random sign flips of whole replicates."""
    replicates = len(deviations)
    moving = deviations[:, deviations.std(axis=0) > 0]
    if moving.shape[1] == 0:
        return np.zeros(FLIPS)
    square = (moving**2).mean(axis=0)  # unchanged by flips
    rng = np.random.default_rng(seed)
    maxima = []
    for start in range(0, FLIPS, _BLOCK):
        signs = rng.choice((-1.0, 1.0), size=(min(_BLOCK, FLIPS - start), replicates))
        mean = signs @ moving / replicates
        error = np.sqrt((square - mean**2) / (replicates - 1))
        maxima.append(_studentise(mean, error).max(axis=1))
    return np.concatenate(maxima)


def sign_flip_p_value(deviations: Float[np.ndarray, "S d"], seed: int) -> float:
    """The sign-flip p-value of the studentised maximum; never below 1 / (1 + FLIPS)."""
    statistic = float(np.max(_studentise(*_mean_and_error(deviations))))
    beaten = np.count_nonzero(flipped_maxima(deviations, seed) >= statistic)
    return float((1 + beaten) / (1 + FLIPS))


def _power(shift: np.ndarray, error: np.ndarray, critical: float) -> float:
    """Probability that the entry where a wrong form differs most, in standard errors, exceeds the critical value."""
    effect = float(np.max(_studentise(shift.reshape(-1), error)))
    return 1.0 if np.isinf(effect) else NormalDist().cdf(effect - critical)
