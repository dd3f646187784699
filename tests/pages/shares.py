"""The sentences that count configurations of the two designs, found whatever their numbers are.

A pattern has # where a number stands, "none" for 0, and is searched for in the plain text. Every place that has it must
have the numbers that are counted in the stored run.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from scipy.special import erf, expit

from tests.pages import likeness, reading
from tests.pages.decisions import ORDERS, decide, decided, held, trainings
from tests.pages.evidence import run
from tests.pages.test_runs import design

Share = tuple[str, Callable[[], Sequence[Any]]]
_NUMBER = r"(none|\d+(?:/\d+|\.\d+)?)"
LONG_FIRST, SHORT_FIRST = ORDERS
FIRST = 48  # configurations of the first runs: they stand first in the stored run
CLAIMS = ("localization.design.", "localization.sigmoid.like_erf")
COUNT = re.compile(r"\b(?:\d+|none) of (?:the )?\d+\b|\ball \d+\b|\b\d+ (?:drawn |undecided|configurations)")


def places(pattern: str) -> list[tuple[reading.Unit, list[str]]]:
    """Return the units that have the pattern, each with the numbers there, and mark these as seen."""
    found = []
    for unit in reading.units():
        for match in re.finditer(pattern.replace("#", _NUMBER), unit.text):
            unit.seen.append(match.span())
            found.append((unit, ["0" if one == "none" else one for one in match.groups() if one]))
    return found


def all_configurations() -> int:
    """Return how many there are: lengths, gains, units, scales and rates."""
    return 4 * 3 * 3 * 2 * 2


def trained() -> int:
    """Return how many of them are trained, each counted once."""
    factors = ("gain", "units", "scale", "rate")
    return len({(*one["xi"], *(one[name] for name in factors)) for one in trainings(SHORT_FIRST)})


def oscillating(**factors: float) -> tuple[int, int]:
    """Return in how many configurations with these factors the fields oscillate, and how many there are."""
    holds, _, count = decided("oscillating", SHORT_FIRST, **factors)
    return holds, count


def oscillating_first(time: int) -> int:
    """Return in how many configurations of the first runs the fields oscillate at a time, in units of K^2."""
    return [decide(one, "oscillating", (time,)) for one in trainings(SHORT_FIRST)[:FIRST]].count(True)


def not_concentrated() -> list[tuple[bool | None, dict]]:
    """Return the trainings for xi_1 > xi_2 in which the ratio is not above noise, each with its decision."""
    found = [(decide(one, "concentrated"), one) for one in trainings(LONG_FIRST)]
    return [(decision, one) for decision, one in found if not decision]


def concentrated_in_reverse(few: bool) -> list[dict]:
    """Return the trainings for xi_1 < xi_2 in which the ratio exceeds noise: those of 4 units, or the others."""
    found = [one for one in trainings(SHORT_FIRST) if decide(one, "concentrated")]
    return [one for one in found if (one["units"] == 4) == few]


def reversed_ratios(few: bool) -> list[float]:
    """Return their ratios at t = 16 K^2, in order."""
    at = run("relu_design", "relu-design")["times_in_units_of_K2"].index(16)
    return sorted(one["participation_ratio"]["mean"][at] for one in concentrated_in_reverse(few))


def reversed_of_few_units() -> list[Any]:
    """Return the ends of the ratios of 4 units, how many units, and lengths, gains and scales that occur there."""
    found, ratios = concentrated_in_reverse(few=True), reversed_ratios(few=True)
    lengths = sorted({tuple(sorted(one["xi"], reverse=True)) for one in found})
    gains, scales = (sorted({one[name] for one in found}) for name in ("gain", "scale"))
    ends = [ratios[0], ratios[-1], *(one["units"] for one in found[:1])]
    return [*ends, *(length for pair in lengths for length in pair), *gains, *(Fraction(str(one)) for one in scales)]


def above_all(values: list[float], places: int) -> float:
    """Return the least number of so many decimal places that is above all values."""
    return (floor(10**places * max(values)) + 1) / 10**places


def low_shares(**factors: float) -> np.ndarray:
    """Return the low-frequency shares for xi_1 < xi_2 at all times, one row a configuration."""
    return np.array([one["low_frequency_power"]["mean"] for one in trainings(SHORT_FIRST, **factors)])


def least_of_four_units() -> float:
    """Return the least share with four units and the shorter length 2 at the last two times, rounded down."""
    return floor(10 * low_shares(short=2, units=4)[:, -2:].min()) / 10


def sigmoid_as_erf() -> float:
    """Return the c for which (1 + erf(c h/sqrt 2))/2 is nearest to the sigmoid in the largest deviation."""
    h = np.linspace(0, 12, 2401)
    tried = np.linspace(0.4, 0.8, 401)
    return float(min(tried, key=lambda c: np.abs((1 + erf(c * h / np.sqrt(2))) / 2 - expit(h)).max()))


def squared_slope() -> Fraction:
    """Return s'(0)^2 of the sigmoid: s' = s (1 - s), and s(0) = 1/(1 + 1)."""
    start = Fraction(1, 1 + 1)
    return (start * (1 - start)) ** 2


def most_apart() -> list[Any]:
    """Return lengths, gain, scale and the shares of erf and sigmoid networks where the orders differ most for erf."""
    one = likeness.farthest()
    shares = [*likeness.ends(one, "erf"), *likeness.ends(one, "sigmoid")]
    return [*one["xi"], one["gain"], Fraction(str(one["scale"])), *shares]


def horizons() -> list[float]:
    """Return the last times of erf and sigmoid networks, in units of K: times 4/f'(0)^2, rounded."""
    last = run("sigmoid_design", likeness.SECOND.run)["times"][-1]
    return [last * round(4 / (2 / np.pi)), last * round(4 / squared_slope())]


def networks() -> int:
    """Return how many networks of each kind the second look has, the same number everywhere."""
    trainings = [one["trained"][model] for one in likeness.configurations() for model in ("erf", "sigmoid", "relu")]
    (count,) = {by_order[order]["replicates"] for by_order in trainings for order in ORDERS}
    return count


def shown_unlike() -> int:
    """Return in how many configurations of either look sigmoid and erf networks are unlike."""
    return sum(likeness.counts("sigmoid", "erf", look=look)[2] for look in (likeness.FIRST, likeness.SECOND))


def most(**factors: float) -> bool:
    """Whether the fields oscillate in more than half of the configurations with these factors."""
    holds, count = oscillating(**factors)
    return 2 * holds > count


def whole(found: tuple[int, int]) -> list[float]:
    """Return of how many configurations it holds in all; NaN where it does not."""
    holds, count = found
    return [count if holds == count else np.nan]


SHARES: list[Share] = [
    # --- ReLU networks ---
    (r"(?:[Tt]he|[Aa]ll) # configurations of(?::| a design)", lambda: [all_configurations()]),
    (r"(?:So|over) all # configurations", lambda: [trained()]),
    (
        r"in # of (?:the )?# configurations of ReLU units the inverse participation ratio",
        lambda: held("concentrated"),
    ),
    (
        r"in all # trainings of ReLU units, # configurations in both orders",
        lambda: [*whole(held("gates")), trained()],
    ),
    (r"in all # configurations of ReLU units the weights are longer", lambda: whole(held("growth"))),
    (r"for xi1 > xi2 in # of # only", lambda: decided("growth", LONG_FIRST)[::2]),
    (r"is # for xi1 > xi2 and # for xi1 < xi2", lambda: [np.median(design(one, "gate_flips", 4)) for one in ORDERS]),
    (r"but for # undecided configurations and", lambda: [decided("concentrated", LONG_FIRST)[1]]),
    (r"the ratio exceeds it at that time in # configurations", lambda: [decided("concentrated", SHORT_FIRST)[0]]),
    (
        r"it is # to # in six of # units with lengths \(#, #\) or \(#, #\), gain # or # and entries of w\(0\) of #,",
        reversed_of_few_units,
    ),
    (r"and less than # in the other six", lambda: [above_all(reversed_ratios(few=False), 1)]),
    (r"[Ii]n # of # configurations ReLU units have less than half of their power", oscillating),
    (
        r"in all # whose shorter length is 1 and in # of the # whose shorter length is 2",
        lambda: [*whole(oscillating(short=1)), *oscillating(short=2)],
    ),
    (
        r"a first run of # drawn configurations ended at t = 16 K2 tau, where it holds in #;",
        lambda: [FIRST, oscillating_first(16)],
    ),
    (r"it held in # of the same #;", lambda: [oscillating_first(64), FIRST]),
    (
        r"the rule of the census, more than # of #,",
        lambda: [Fraction(all_configurations(), 2), all_configurations()],
    ),
    (r"before any result of the other # was seen", lambda: [trained() - FIRST]),
    (r"with lengths \(2, 1\) and \(3, 1\) it holds in # of # configurations", lambda: oscillating(short=1)),
    (
        r"with \(3, 2\) and \(3\.5, 2\) in # of # with 20 units, # undecided",
        lambda: [decided("oscillating", SHORT_FIRST, short=2, units=20)[place] for place in (0, 2, 1)],
    ),
    (r"undecided, in # of # with 10 units", lambda: oscillating(short=2, units=10)),
    (
        r"in # of # with 4 units, whose share stays above #",
        lambda: [*oscillating(short=2, units=4), least_of_four_units()],
    ),
    # --- erf and sigmoid networks ---
    (
        r"In # configurations of a design erf, sigmoid and ReLU",
        lambda: [len(likeness.configurations(look=likeness.FIRST))],
    ),
    (
        r"- # configurations with a centred output and # others:",
        lambda: [len(likeness.configurations(one, likeness.FIRST)) for one in (True, False)],
    ),
    (
        r"alike in # of # configurations whose outputs start centred, and # were undecided",
        lambda: [likeness.counts("sigmoid", "erf", True, likeness.FIRST)[place] for place in (0, 3, 1)],
    ),
    (r"It has # new networks of each kind", lambda: [networks()]),
    (
        r"lengths, in most configurations\? In # of # drawn",
        lambda: [centred("sigmoid")[place] for place in (0, 3)],
    ),
    (
        r"in # of # drawn are sigmoid and erf networks shown to be unlike",
        lambda: [shown_unlike(), len(likeness.configurations(look=likeness.FIRST))],
    ),
    (
        r"sixteen networks of each kind are alike in # of # and undecided in #",
        lambda: [likeness.counts("sigmoid", "erf", False, likeness.FIRST)[place] for place in (0, 3, 1)],
    ),
    (
        r"ReLU networks are like erf networks in # of the #, unlike in #",
        lambda: [centred("relu")[place] for place in (0, 3, 2)],
    ),
    (
        r"with both at 0, lengths \(#, #\), gain # and w\(0\) of #, whose shares are # and # where the sigmoid network "
        r"has # and #",
        most_apart,
    ),
    (r"t = # K tau for erf and # K tau for sigmoid units", horizons),
    (r"is close to \(1 \+ operatornameerf\(c h/sqrt2\)\)/2 with c = #", lambda: [sigmoid_as_erf()]),
    (r"f'\(0\)2 is 2/pi and #", lambda: [squared_slope()]),
]
# Sentences in words, and whether the stored runs bear them out.
SAID: list[tuple[str, Callable[[], bool]]] = [
    (
        "networks of 20 units mostly get there by the last time, and smaller ones do not",
        lambda: most(short=2, units=20) and not any(oscillating(short=2, units=units)[0] for units in (4, 10)),
    ),
    (
        "with 10 units, whose share is still falling",
        lambda: bool((np.diff(low_shares(short=2, units=10)[:, -2:]) < 0).all()),
    ),
    (
        "differ most in an erf network with both at 0",
        lambda: likeness.farthest()["biases"] == "0, trained, output bias 0",
    ),
    (
        "undecided configurations and one that fails, all of gain 1;",
        lambda: (
            [decision for decision, _ in not_concentrated()].count(False) == 1
            and {one["gain"] for _, one in not_concentrated()} == {1}
        ),
    ),
    (
        "in six of 4 units with lengths",
        lambda: [len(concentrated_in_reverse(few)) for few in (True, False)] == [6, 6],
    ),
    (
        "depends on the lengths of this design, half of which have shorter length 1",
        lambda: 2 * oscillating(short=1)[1] == all_configurations() and not most(short=2),
    ),
    (
        "from t = 0 to K2 tau the mean length grows in both orders in every configuration",
        lambda: all(max(design(order, "growth", 0)) < 1 for order in ORDERS),
    ),
]


def centred(model: str) -> tuple[int, int, int, int]:
    """Return in how many configurations whose outputs start centred a model is like erf networks, and so on."""
    return likeness.counts(model, "erf", centred=True)


def uncounted() -> Iterator[str]:
    """The counts that the claims on the designs state and no pattern has; "Numbers" are held against the evidence."""
    for unit in reading.units():
        if unit.claim.startswith(CLAIMS) and not unit.text.startswith("Numbers."):
            for match in COUNT.finditer(unit.text):
                if not any(start <= match.start() and match.end() <= end for start, end in unit.seen):
                    yield f"{unit.claim}: {match.group()} in {unit.text[:200]!r}"


def mark() -> None:
    """Mark the counts."""
    for pattern, _ in SHARES:
        places(pattern)
