"""Erf, sigmoid and ReLU networks over a design: which are alike is counted again, by the definition on the page.

Alike: in both orders the low-frequency shares differ by less than 1/3 and the participation ratios by less than 3/42.
Welch's intervals, which hold for the four differences together, decide it: at 99 % in the first look at the design, at
99.5 % in the second, whose networks are new and whose outputs start centred.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from tests.pages.decisions import LEVEL, ORDERS
from tests.pages.evidence import run

MARGINS = {"low_frequency_power": 1 / 3, "participation_ratio": 3 / 42}
FOUR = len(ORDERS) * len(MARGINS)


@dataclass(frozen=True)
class Look:
    """A stored run of the design, and the level of its decisions."""

    run: str
    level: float


FIRST, SECOND = Look("sigmoid-design", LEVEL), Look("sigmoid-design-second", LEVEL / 2)


def configurations(centred: bool | None = None, look: Look = SECOND) -> list[dict]:
    """Return the configurations, or those whose output starts centred or not."""
    return [one for one in run("sigmoid_design", look.run)["trained"] if centred in (None, one["centred"])]


def treatments(look: Look) -> dict[str, list[dict]]:
    """Return the configurations by what is done with their biases."""
    found: dict[str, list[dict]] = {}
    for one in configurations(look=look):
        found.setdefault(one["biases"], []).append(one)
    return found


def last(one: dict, model: str, order: str, name: str) -> tuple[float, float, int]:
    """Return mean, standard error and number of networks at the last time."""
    stored = one["trained"][model][order]
    return stored[name]["mean"][-1], stored[name]["standard_error"][-1], stored["replicates"]


def apart(one: dict, first: str, second: str, order: str, name: str, level: float) -> tuple[float, float]:
    """Return the size of the difference between two models, and how far its interval reaches to either side."""
    (mean, error, count), (other, its_error, its_count) = (last(one, m, order, name) for m in (first, second))
    both = error**2 + its_error**2
    freedom = both**2 / (error**4 / (count - 1) + its_error**4 / (its_count - 1))
    return abs(mean - other), float(student.isf(level / 2 / FOUR, freedom)) * np.sqrt(both)


def alike(one: dict, first: str, second: str, look: Look = SECOND) -> bool | None:
    """Return whether two models are alike in a configuration; None where an interval has the margin inside."""
    asked = [(order, name) for order in ORDERS for name in MARGINS]
    found = [(*apart(one, first, second, order, name, look.level), MARGINS[name]) for order, name in asked]
    if all(size + wide < margin for size, wide, margin in found):
        return True
    return False if any(size - wide > margin for size, wide, margin in found) else None


def counts(first: str, second: str, centred: bool | None = None, look: Look = SECOND) -> tuple[int, int, int, int]:
    """Return in how many configurations two models are alike, undecided, and unlike, and how many there are."""
    found = [alike(one, first, second, look) for one in configurations(centred, look)]
    return found.count(True), found.count(None), found.count(False), len(found)


def ends(one: dict, model: str) -> list[float]:
    """Return the low-frequency shares at the last time, in both orders."""
    return [last(one, model, order, "low_frequency_power")[0] for order in ORDERS]


def between_orders(one: dict) -> float:
    """Return how far apart the shares of an erf network are in the two orders."""
    first, second = ends(one, "erf")
    return abs(first - second)


def farthest() -> dict:
    """Return the configuration of the first look in which the shares of erf networks differ most between the orders."""
    return max(configurations(look=FIRST), key=between_orders)
