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
from tests.pages.decisions import CLAIMED, ORDERS, decided, held, trainings
from tests.pages.evidence import run
from tests.pages.sites import binomial_ends
from tests.pages.test_runs import design

Share = tuple[str, Callable[[], Sequence[Any]]]
_NUMBER = r"(none|\d+(?:/\d+|\.\d+)?)"
LONG_FIRST, SHORT_FIRST = ORDERS
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


def drawn() -> int:
    """Return how many of them are trained, each counted once."""
    factors = ("gain", "units", "scale", "rate")
    return len({(*one["xi"], *(one[name] for name in factors)) for one in trainings(SHORT_FIRST)})


def oscillating(**factors: float) -> tuple[int, int]:
    """Return in how many configurations with these factors the fields oscillate, and how many there are."""
    holds, _, count = decided("oscillating", SHORT_FIRST, **factors)
    return holds, count


def oscillating_before() -> tuple[int, int]:
    """Return the same at t = 16 K^2."""
    holds, _, count = decided("oscillating", SHORT_FIRST, times=(16,))
    return holds, count


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
    last = run("sigmoid_design", "sigmoid-design")["times"][-1]
    return [last * round(4 / (2 / np.pi)), last * round(4 / squared_slope())]


def most(**factors: float) -> bool:
    """Whether the fields oscillate in more than half of the configurations with these factors."""
    holds, count = oscillating(**factors)
    return 2 * holds > count


def whole(found: tuple[int, int]) -> list[float]:
    """Return of how many configurations it holds in all; NaN where it does not."""
    holds, count = found
    return [count if holds == count else np.nan]


def interval(rule: str) -> tuple[float, float]:
    """Return the 99 % interval of the share of a claim on the ReLU design."""
    return binomial_ends(*decided(rule, *CLAIMED[rule]))


ALWAYS: list[Share] = [
    # --- ReLU networks ---
    (r"(?:[Tt]he|[Aa]ll) # configurations of(?::| a design)", lambda: [all_configurations()]),
    (r"over # configurations", lambda: [drawn()]),
    (
        r"in # of (?:the )?#(?: drawn)? configurations of ReLU units the inverse participation ratio",
        lambda: held("concentrated"),
    ),
    (
        r"in all # trainings of ReLU units, #(?: drawn)? configurations in both orders",
        lambda: [*whole(held("gates")), drawn()],
    ),
    (r"in all #(?: drawn)? configurations of ReLU units the weights are longer", lambda: whole(held("growth"))),
    (r"for xi1 > xi2 in # of # only", lambda: decided("growth", LONG_FIRST)[::2]),
    (r"is # for xi1 > xi2 and # for xi1 < xi2", lambda: [np.median(design(one, "gate_flips", 4)) for one in ORDERS]),
    (
        r"(?:64 K2 tau in most configurations\? In # of (?:the )?#|"
        r"[Ii]n # of (?:the )?#(?: drawn)? configurations(?: of)? ReLU units have less than half of their power)",
        oscillating,
    ),
    (r"and in all # of them whose shorter length is 1", lambda: whole(oscillating(short=1))),
    (r"ended at t = 16 K2 tau, where it holds in # of #", oscillating_before),
    (r"with lengths \(2, 1\) and \(3, 1\) it holds in # of # configurations", lambda: oscillating(short=1)),
    (r"with \(3, 2\) and \(3\.5, 2\) in # of # with 20 units", lambda: oscillating(short=2, units=20)),
    (r"with 20 units, in # of # with 10 units", lambda: oscillating(short=2, units=10)),
    (
        r"in # of # with 4 units, whose share stays above #",
        lambda: [*oscillating(short=2, units=4), least_of_four_units()],
    ),
    # --- erf and sigmoid networks ---
    (r"In # configurations of a design erf, sigmoid and ReLU", lambda: [len(likeness.configurations())]),
    (
        r"- # configurations with a centred output and # others:",
        lambda: [len(likeness.configurations(centred=one)) for one in (True, False)],
    ),
    (
        r"lengths, in most configurations\? In # of # drawn, # undecided",
        lambda: [centred("sigmoid")[place] for place in (0, 3, 1)],
    ),
    (
        r"in # of # drawn are sigmoid and erf networks shown to be unlike",
        lambda: likeness.counts("sigmoid", "erf")[2:],
    ),
    (r"for both they are alike in # of #", lambda: likeness.counts("sigmoid", "erf", centred=False)[::3]),
    (
        r"for both they are alike in \d+ of \d+ and undecided in #",
        lambda: likeness.counts("sigmoid", "erf", False)[1:2],
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
    (r"intervals of the shares' differences reach up to # to either side", lambda: [likeness.widest()]),
    (r"is close to \(1 \+ (?:text)?erf\(c h/sqrt2\)\)/2 with c = #", lambda: [sigmoid_as_erf()]),
    (r"f'\(0\)2 is 2/pi and #", lambda: [squared_slope()]),
]
# While configurations are left that were not drawn.
PARTLY: list[Share] = [
    (r"(?<!other )\b# of the # configurations of", lambda: [drawn(), all_configurations()]),
    (r"The other # of the # configurations", lambda: [all_configurations() - drawn(), all_configurations()]),
    (r"99 % interval of the share, # to #,", lambda: interval("oscillating")),
]
# Sentences in words, and whether the stored runs bear them out.
ALWAYS_SAID: list[tuple[str, Callable[[], bool]]] = [
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
        "on which sides of the null levels 21/40 and 3/42 they lie is undecided for most",
        lambda: 2 * likeness.sides_undecided() > len(likeness.configurations()),
    ),
]
PARTLY_SAID: list[tuple[str, Callable[[], bool]]] = [
    ("just reaches 1/2", lambda: 0 <= 1 / 2 - interval("oscillating")[0] < 1 / 100),
    ("All configurations that fail have lengths (3, 2) or (3.5, 2)", lambda: len(set(oscillating(short=1))) == 1),
    (
        "with 4 units the share hardly moves from t = 16 K2 tau to 64 K2 tau",
        lambda: bool((abs(np.diff(low_shares(short=2, units=4)[:, -2:])) < 1 / 20).all()),
    ),
]
SAID = ALWAYS_SAID + (PARTLY_SAID if drawn() < all_configurations() else [])
SHARES = ALWAYS + (PARTLY if drawn() < all_configurations() else [])


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
