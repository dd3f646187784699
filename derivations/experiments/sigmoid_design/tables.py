"""The tables of the design of erf and sigmoid networks: where they end and how many are alike, by their biases."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from derivations.experiments.model import Run
from derivations.experiments.relu_design.design import ORDERS
from derivations.experiments.relu_design.tables import spread
from derivations.experiments.sigmoid_design.design import FIRST, MODELS, SECOND, Look, alike
from derivations.markdown import table

_ORDERS = dict(zip(ORDERS, (r"$\xi_1 > \xi_2$", r"$\xi_1 < \xi_2$"), strict=True))


def by_biases(look: Look, run: Run) -> str:
    """Return the numbers of configurations with networks that are alike, by the treatment of the biases."""
    rows = []
    for title, networks in _treatments(run):
        cells: list[Any] = [title, str(len(networks))]
        for models in (("sigmoid", "erf"), ("relu", "erf")):
            answers = [alike(one, models, look.level) for one in networks]
            cells.append(f"{answers.count(True)} alike, {answers.count(False)} unlike, {answers.count(None)} undecided")
        rows.append(cells)
    return table(["hidden biases, output bias", "configurations", "sigmoid and erf", "ReLU and erf"], rows)


def ends(run: Run) -> str:
    """Return medians and ranges over the configurations at the last time, by treatment of the biases and model."""
    rows = []
    for title, networks in _treatments(run):
        for model in MODELS:
            cells = [f"{title}: {model}"]
            for name in ("low_frequency_power", "participation_ratio"):
                for order in ORDERS:
                    cells.append(spread([one["trained"][model][order][name]["mean"][-1] for one in networks]))
            rows.append(cells)
    heads = [f"{what}, {order}" for what in ("low-frequency share", "ratio") for order in _ORDERS.values()]
    return table(["median (least to greatest)", *heads], rows)


def _treatments(run: Run) -> list[tuple[str, list[Mapping[str, Any]]]]:
    titles = dict.fromkeys(one["biases"] for one in run["trained"])
    return [(title, [one for one in run["trained"] if one["biases"] == title]) for title in titles]


TABLES: Mapping[str, Mapping[str, Callable[[Run], str]]] = {
    look.run: {"biases": partial(by_biases, look), "ends": ends} for look in (FIRST, SECOND)
}
