"""At which gain do trained networks localize? Networks of one law at several gains, each judged as the page judges it.

The gains are chosen while they are trained: first those of COARSE, then between two neighbours whose verdicts differ.

The intervals hold together: each of them, MOST at most, misses its mean with probability LEVEL/MOST, so that any of
them misses with probability LEVEL at most (Bonferroni). A later gain depends on the verdicts before it. It therefore
has networks of its own, with other starts and examples: whatever came before, its interval has its level.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from derivations.explore import fields_page
from derivations.explore.amplifier import has_a_gain
from derivations.explore.limits import refuse_long
from derivations.explore.running import Job
from derivations.explore.shapes import null_levels
from derivations.explore.training import train_together
from derivations.explore.two_laws import stability, ungated
from derivations.explore.verdict import ratios
from derivations.statistics.locality import LEVEL, UNDECIDED, Locality, locality
from theory.problem import OutOfReachError, Problem

# Of each side, where the page names no number. In draws from 32 networks of the start page's pair, trained to t = 3200,
# 16 networks always decided both laws; 8 left the clone undecided in 7 of 100 draws, and in 17 of 100 at t = 6400.
NETWORKS = 16
COARSE = ("1", "0.1", "10", "0.3", "3")  # in this order: the first three say whether anything changes
FINER = 2  # further gains
MOST = len(COARSE) + FINER
_DIGITS = 2  # of a gain between two others


@dataclass(frozen=True)
class AtGain:
    """The verdict on the networks at a gain; None where they have diverged."""

    gain: Fraction
    verdict: Locality | None

    @property
    def word(self) -> str:
        """The word of the verdict: local, slightly concentrated, not local or undecided; or diverged."""
        return self.verdict.word if self.verdict else "diverged"

    @property
    def decided(self) -> bool:
        """Whether the networks have one of the three words."""
        return self.word not in (UNDECIDED, "diverged")


ByGain = tuple[AtGain, ...]
# Called with the share that is done, and after a gain with what is known, by rising gain; ends the work by raising.
Report = Callable[[float, ByGain | None], None]


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return the problem A as it is trained: the answer depends on nothing else.

    Raises InputError for a training that takes too long.
    """
    first = trained(problem, settings)
    refuse_long(first)
    return first


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train A at one gain after the other, and show all that are done; the job keeps the verdicts."""
    first = trained(problem, settings)

    def report(share: float, by_gain: ByGain | None) -> None:
        job.advance(share)
        if by_gain is not None:
            job.publish({**page(first, by_gain), "done": False}, by_gain)

    by_gain = along_gains(first, report)
    job.publish({**page(first, by_gain), "done": True}, by_gain)


def trained(problem: Problem, settings: Mapping[str, Any]) -> Problem:
    """The problem A as it is trained, with NETWORKS networks where the settings name no other number."""
    first = problem if settings.get("units", "relu") == "given" else ungated(problem)
    return fields_page.as_trained(first, {"networks": NETWORKS, **settings})


def at_the_end(problem: Problem) -> Problem:
    """Return the problem with the last of its times alone. Raises OutOfReachError for a law without a gain."""
    if not has_a_gain(problem.data):
        raise OutOfReachError(
            f"The law {problem.data.law} of A has no single gain to vary.", "Take a law with one, such as nlgp."
        )
    return replace(problem, training=replace(problem.training, times=problem.training.times[-1:]))


def along_gains(problem: Problem, report: Report | None = None) -> ByGain:
    """Train the networks of a problem at each gain in turn, and return the verdicts by rising gain.

    Raises OutOfReachError for a law without a gain.
    """
    end = at_the_end(problem)
    by_gain: ByGain = ()
    for place in range(MOST):
        gain = Fraction(COARSE[place]) if place < len(COARSE) else between(by_gain)
        if gain is None:
            break
        at = replace(end, data=replace(end.data, gain=gain))

        def step(share: float, _learned: Any, place: int = place) -> None:
            if report is not None:
                report((place + share) / MOST, None)

        learned = train_together({"A": at}, step, _networks(at, place))["A"]
        one = AtGain(gain, locality(ratios(at, learned, -1), at.data.n, LEVEL / MOST))
        by_gain = tuple(sorted((*by_gain, one), key=lambda each: each.gain))
        if report is not None:
            report((place + 1) / MOST, by_gain)
    return by_gain


def _networks(problem: Problem, place: int) -> range:
    """Return the numbers of the networks of the gain in this place: those of COARSE share the first ones."""
    count = problem.simulated().replicates
    first = count * max(0, place - len(COARSE) + 1)
    return range(first, first + count)


def changes(by_gain: ByGain) -> list[tuple[AtGain, AtGain]]:
    """Return the neighbours in gain, of those that are decided, whose verdicts differ."""
    return [(one, other) for one, other in pairwise(one for one in by_gain if one.decided) if one.word != other.word]


def between(by_gain: ByGain) -> Fraction | None:
    """Return the gain to train next; None if all verdicts agree.

    It lies where the verdict changes first, next to the networks with the larger ratio: so the least gain at which they
    have its word is determined, even where some below it are undecided.
    """
    if not changes(by_gain):
        return None
    low, high = changes(by_gain)[0]
    inside = [one.gain for one in by_gain if low.gain <= one.gain <= high.gain]
    start, end = inside[-2:] if high.verdict.mean > low.verdict.mean else inside[:2]
    return Fraction(f"{float(start * end) ** 0.5:.{_DIGITS}g}")


def rows(by_gain: ByGain) -> list[dict[str, Any]]:
    """Return the table: gain, mean participation ratio and the ends of its interval, and the verdict in words.

    All intervals of the table together hold with 99 %.
    """
    return [
        {
            "gain": float(one.gain),
            "participation ratio": one.verdict.mean if one.verdict else None,
            "together 99 %: from": one.verdict.low if one.verdict else None,
            "together 99 %: to": one.verdict.high if one.verdict else None,
            "verdict": one.word,
        }
        for one in by_gain
    ]


def sentences(problem: Problem, by_gain: ByGain) -> list[str]:
    """Return between which two gains the verdict changes, what is undecided there, and what the closure predicts."""
    said = [_changed(*ends, by_gain) for ends in changes(by_gain)] or [_unchanged(by_gain)]
    predicted = stability(problem.data, gains=True).gain
    if predicted is not None:
        said.append(
            "For one ReLU neuron, in an approximation, a flat field (one weight for all sites) changes its stability "
            f"at the gain {predicted:.3g}. "
            "Near it waves grow slowly, and the networks are judged at the end of their training."
        )
    return said


def _changed(low: AtGain, high: AtGain, by_gain: ByGain) -> str:
    undecided = [one.gain for one in by_gain if low.gain < one.gain < high.gain]
    listed = " and ".join(f"{float(gain):g}" for gain in undecided)
    between_them = f" In between, at {listed}, they are undecided." if undecided else ""
    return (
        f"The verdict changes between the gains {float(low.gain):g} and {float(high.gain):g}: the fields of A are "
        f"{low.word} at {float(low.gain):g}, and {high.word} at {float(high.gain):g}.{between_them}"
    )


def _unchanged(by_gain: ByGain) -> str:
    decided = [one for one in by_gain if one.decided]
    if not decided:
        return "The networks are undecided at every gain trained so far."
    listed = ", ".join(f"{float(one.gain):g}" for one in decided)
    return f"The fields of A are {decided[0].word} at every gain that is decided: {listed}."


def page(problem: Problem, by_gain: ByGain) -> dict[str, Any]:
    """Return what is drawn of the gains that are trained; `problem` is that of A."""
    return {
        "rows": rows(by_gain),
        "said": sentences(problem, by_gain),
        "levels": {name: null_levels(problem.data.n)[name] for name in ("random", "local")},
        "predicted": stability(problem.data, gains=True).gain,
        "gain": float(problem.data.gain),
        "networks": problem.simulated().replicates,
        "until": float(problem.training.times[-1]),
        "level": LEVEL,
        "most": MOST,
    }


def csv_rows(problem: Problem, by_gain: ByGain) -> list[dict[str, Any]]:
    """Return the numbers as rows of the compare view's CSV: the ratio at each gain and the ends of its interval."""
    return [
        {
            "quantity": f"{name}, gain {row['gain']:g}",
            "t": float(problem.training.times[-1]),
            "of": "A",
            "value": row[name],
            "standard error": "",
        }
        for row in rows(by_gain)
        for name in ("participation ratio", "together 99 %: from", "together 99 %: to")
        if row[name] is not None
    ]
