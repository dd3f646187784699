"""Erf, sigmoid and ReLU networks over a design: which are alike is counted again, by the definition on the page.

Alike: in both orders the low-frequency shares differ by less than 1/3 and the participation ratios by less than 3/42.
Welch's intervals, which hold for the four differences together at 99 %, decide it.
"""

import numpy as np
from scipy.stats import t as student

from tests.pages.decisions import LEVEL, ORDERS
from tests.pages.evidence import run

MARGINS = {"low_frequency_power": 1 / 3, "participation_ratio": 3 / 42}
NULLS = {"low_frequency_power": 21 / 40, "participation_ratio": 3 / 42}
FOUR = len(ORDERS) * len(MARGINS)


def configurations(centred: bool | None = None) -> list[dict]:
    """Return the configurations, or those whose output starts centred or not."""
    return [one for one in run("sigmoid_design", "sigmoid-design")["trained"] if centred in (None, one["centred"])]


def treatments() -> dict[str, list[dict]]:
    """Return the configurations by what is done with their biases."""
    found: dict[str, list[dict]] = {}
    for one in configurations():
        found.setdefault(one["biases"], []).append(one)
    return found


def last(one: dict, model: str, order: str, name: str) -> tuple[float, float, int]:
    """Return mean, standard error and number of networks at the last time."""
    stored = one["trained"][model][order]
    return stored[name]["mean"][-1], stored[name]["standard_error"][-1], stored["replicates"]


def apart(one: dict, first: str, second: str, order: str, name: str) -> tuple[float, float]:
    """Return the size of the difference between two models, and how far its interval reaches to either side."""
    (mean, error, count), (other, its_error, its_count) = (last(one, m, order, name) for m in (first, second))
    both = error**2 + its_error**2
    freedom = both**2 / (error**4 / (count - 1) + its_error**4 / (its_count - 1))
    return abs(mean - other), float(student.isf(LEVEL / 2 / FOUR, freedom)) * np.sqrt(both)


def alike(one: dict, first: str, second: str) -> bool | None:
    """Return whether two models are alike in a configuration; None where an interval has the margin inside."""
    found = [(*apart(one, first, second, order, name), MARGINS[name]) for order in ORDERS for name in MARGINS]
    if all(size + wide < margin for size, wide, margin in found):
        return True
    return False if any(size - wide > margin for size, wide, margin in found) else None


def counts(first: str, second: str, centred: bool | None = None) -> tuple[int, int, int, int]:
    """Return in how many configurations two models are alike, undecided, and unlike, and how many there are."""
    found = [alike(one, first, second) for one in configurations(centred)]
    return found.count(True), found.count(None), found.count(False), len(found)


def widest() -> float:
    """Return how far the intervals of the shares' differences reach at most in the undecided centred configurations."""
    undecided = [one for one in configurations(centred=True) if alike(one, "sigmoid", "erf") is None]
    name = "low_frequency_power"
    return max(apart(one, "sigmoid", "erf", order, name)[1] for one in undecided for order in ORDERS)


def ends(one: dict, model: str) -> list[float]:
    """Return the low-frequency shares at the last time, in both orders."""
    return [last(one, model, order, "low_frequency_power")[0] for order in ORDERS]


def between_orders(one: dict) -> float:
    """Return how far apart the shares of an erf network are in the two orders."""
    first, second = ends(one, "erf")
    return abs(first - second)


def farthest() -> dict:
    """Return the configuration in which the shares of erf networks differ most between the orders."""
    return max(configurations(), key=between_orders)


def side(one: dict, model: str, order: str, name: str) -> bool | None:
    """Return whether a quantity lies above the null level; None where its own 99 % interval has the level inside."""
    mean, error, count = last(one, model, order, name)
    wide = float(student.isf(LEVEL / 2, count - 1)) * error
    return None if abs(mean - NULLS[name]) <= wide else mean > NULLS[name]


def sides_undecided() -> int:
    """Return in how many configurations a side is undecided and none is known to be the other one."""
    found = 0
    for one in configurations():
        pairs = [{side(one, model, order, name) for model in ("sigmoid", "erf")} for order in ORDERS for name in NULLS]
        found += {True, False} not in pairs and any(None in pair for pair in pairs)
    return found
