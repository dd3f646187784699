"""The table of the ReLU design: in how many configurations each statement holds, by the factors of the design."""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from derivations.experiments.model import Run
from derivations.experiments.relu_design.design import ORDERS
from derivations.markdown import table

_TITLES = {"long-first": r"$\xi_1 > \xi_2$", "short-first": r"$\xi_1 < \xi_2$"}


def quantities(run: Run) -> str:
    """Medians and ranges over the configurations, for both orders, at each time."""
    times = [f"$t = {time} K^2$" if time else "$t = 0$" for time in run["times_in_units_of_K2"]]
    rows = []
    for title, name in (
        ("participation ratio", "participation_ratio"),
        ("low-frequency share", "low_frequency_power"),
        ("gates that differ from the start", "gate_flips"),
        ("norm of the weights over that at $K^2$", "growth"),
    ):
        for order in ORDERS:
            means = [one[name]["mean"] for one in run["trained"] if one["order"] == order]
            rows.append(
                [f"{title}, {_TITLES[order]}", *(spread([mean[i] for mean in means]) for i in range(len(times)))]
            )
    return table(["median (least to greatest)", *times], rows)


def by_lengths(run: Run) -> str:
    """Medians and ranges at the last time by the pair of lengths."""
    pairs = sorted({tuple(one["xi"]) for one in run["trained"]})
    rows = []
    for pair in pairs:
        cells: list[Any] = [f"{pair[0]:g}, {pair[1]:g}"]
        for order in ORDERS:
            networks = [one for one in run["trained"] if one["order"] == order and tuple(one["xi"]) == pair]
            for name in ("participation_ratio", "low_frequency_power"):
                cells.append(spread([one[name]["mean"][-1] for one in networks]))
        rows.append([*cells, str(len(networks))])
    heads = [f"{what}, {_TITLES[order]}" for order in ORDERS for what in ("ratio", "low-frequency share")]
    return table(["correlation lengths", *heads, "configurations"], rows)


def spread(values: list[float]) -> str:
    """Return median, least and greatest as a cell."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


TABLES: Mapping[str, Mapping[str, Callable[[Run], str]]] = {
    "relu-design": {"quantities": quantities, "lengths": by_lengths}
}
