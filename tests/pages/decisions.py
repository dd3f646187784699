"""How often a statement holds over the configurations, and intervals of means over networks, counted again."""

import re

import numpy as np
from scipy.stats import t as student

from tests.pages.evidence import evidence, run

LEVEL = 0.01
ORDERS = ("long-first", "short-first")
LATE = (4, 8, 16)
# quantity, bound, side of the bound that is claimed, and the times, in units of K^2, at which it is claimed together
RULES = {
    "concentrated": ("participation_ratio", 3 / 42, 1, (16,)),
    "oscillating": ("low_frequency_power", 1 / 2, -1, (64,)),
    "gates": ("gate_flips", 1 / 10, 1, LATE),
    "growth": ("growth", 1.0, 1, LATE),
}
CLAIMED = {"concentrated": ORDERS[:1], "oscillating": ORDERS[1:], "gates": ORDERS, "growth": ORDERS[1:]}


def reach(networks: int, together: int, level: float = LEVEL) -> float:
    """Return Student's quantile for so many intervals that hold together."""
    return float(student.isf(level / 2 / together, networks - 1))


def decide(trained: dict, rule: str, times: tuple[int, ...] | None = None) -> bool | None:
    """Return whether a statement holds in one training; None where an interval has the bound inside."""
    name, bound, side, when = RULES[rule]
    at = [run("relu_design", "relu-design")["times_in_units_of_K2"].index(time) for time in times or when]
    mean, error = (np.array(trained[name][key])[at] for key in ("mean", "standard_error"))
    apart, wide = side * (mean - bound), reach(trained["replicates"], len(at)) * error
    if (apart > wide).all():
        return True
    return False if (apart < -wide).any() else None


def decided(rule: str, *orders: str, times: tuple[int, ...] | None = None, **factors: float) -> tuple[int, int, int]:
    """Return in how many trainings of the orders a statement holds, in how many it is undecided, and how many.

    Counted are those with these factors: `short`, the shorter length, and `units`.
    """
    found = [decide(one, rule, times) for order in orders for one in trainings(order, **factors)]
    return found.count(True), found.count(None), len(found)


def trainings(order: str, **factors: float) -> list[dict]:
    """Return the stored trainings of one order that have these factors."""
    kept = [one for one in run("relu_design", "relu-design")["trained"] if one["order"] == order]
    return [one for one in kept if factors.items() <= {"short": min(one["xi"]), "units": one["units"]}.items()]


def held(rule: str) -> tuple[int, int]:
    """Return in how many of how many trainings the claim holds."""
    holds, _, count = decided(rule, *CLAIMED[rule])
    return holds, count


def triples(text: str) -> list[tuple[float, float, float, float]]:
    """Return the means with intervals that a text states, `0.199 (0.189 to 0.208)`, and the unit of the last digit."""
    found = re.findall(r"(\d+\.(\d+)) \((\d+\.\d+) to (\d+\.\d+)\)", text)
    return [(float(mean), float(low), float(high), 10.0 ** -len(places)) for mean, places, low, high in found]


def counted(claim: str) -> list[float]:
    """Return the means that the evidence of a trained claim states."""
    passed = next(one for one in evidence()[claim]["levels"] if one["level"] == "simulated")
    return [mean for mean, *_ in triples(passed["where"])]
