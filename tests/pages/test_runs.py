"""The tables of stored runs: every cell counted again from the stored numbers, by the definition on the page."""

from collections.abc import Iterator
from statistics import median

import numpy as np
from scipy.integrate import solve_ivp

from tests.pages.decisions import ORDERS
from tests.pages.evidence import benchmark, run
from tests.pages.likeness import FIRST, SECOND, Look, alike, treatments
from tests.pages.reading import cells, see, tables
from tests.tolerances_of_graphs import DEEP_STEP

# The public sweep at lengths 0.3 and 0.7, as published: mean and, where it is known, standard deviation of 30 networks.
PUBLISHED = {
    "0.01": ("0.060", "0.017"),
    "0.0278": ("0.061", ""),
    "0.0774": ("0.063", ""),
    "0.215": ("0.090", "0.035"),
    "0.599": ("0.792", "0.129"),
    "1.67": ("0.974", ""),
    "4.64": ("0.987", ""),
    "12.9": ("0.990", ""),
    "100": ("0.991", "0.001"),
}
NETWORKS, ROUNDED = 30, 0.001
LEARNED = 1e-6  # the error on trained pairs below which a routing network counts, as the page says
SHORT, LONG = [0.3, 0.7], [2.0, 3.0]
Rows = list[list[str]]


def gained(name: str, xi: list[float]) -> list[dict]:
    """The cells of a stored sweep at these lengths, by gain."""
    return sorted((one for one in run("localization_sweep", name)["cells"] if one["xi"] == xi), key=lambda c: c["gain"])


def with_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over networks and standard error."""
    centred = values - values.mean(axis=0)
    return values.mean(axis=0), np.sqrt((centred**2).sum(axis=0) / (len(values) - 1) / len(values))


def ratios(name: str, xi: list[float]) -> Rows:
    """Participation ratios after the start, beside the published ones where these are of the same lengths."""
    found = []
    for cell in gained(name, xi):
        mean, error = with_error(np.array(cell["participation_ratio"])[:, 1:])
        gain = f"{cell['gain']:.3g}"
        row = [gain, *(f"{m:.4f} +- {e:.4f}" for m, e in zip(mean, error, strict=True))]
        if xi == SHORT:
            published, spread = PUBLISHED.get(gain, ("", ""))
            apart = mean[1] - float(published) if published else 0.0
            told = f"{apart:+.3f}" if published else ""
            if spread:
                both = np.sqrt(error[1] ** 2 + float(spread) ** 2 / NETWORKS + ROUNDED**2 / 12)
                told += f" ({apart / both:+.1f} standard errors)"
            row = [gain, published + (f" (sd {spread})" if spread else ""), *row[1:], told]
        found.append(row)
    return found


def shapes(xi: list[float]) -> Rows:
    """Width, peaks at frequency 0 and the share of the peak, at the last time."""
    return [
        [
            f"{cell['gain']:.3g}",
            f"{cell['field_width']['mean'][-1]:.2f} +- {cell['field_width']['standard_error'][-1]:.2f}",
            f"{cell['flat'][-1]} of {len(cell['participation_ratio'])}",
            f"{cell['peak_share']['mean'][-1]:.2f} +- {cell['peak_share']['standard_error'][-1]:.2f}",
        ]
        for cell in gained("localization-sweep", xi)
    ]


def per_cent(flips: dict, pairs: list[tuple[int, int]]) -> list[str]:
    """Flipped gates between two times, per cent."""
    return [f"{100 * flips['mean'][i][j]:.1f} +- {100 * flips['standard_error'][i][j]:.1f}" for i, j in pairs]


def turned(xi: list[float]) -> Rows:
    """Flipped gates from each time to the next and from the first to the last."""
    pairs = [(0, 1), (1, 2), (2, 3), (0, 3)]
    return [[f"{cell['gain']:.3g}", *per_cent(cell["gate_flips"], pairs)] for cell in gained("localization-sweep", xi)]


def spread(values: list[float]) -> str:
    """Median, least and greatest."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def design(order: str, name: str, time: int, xi: list[float] | None = None) -> list[float]:
    """A quantity of the configurations of one order at one time."""
    trained = run("relu_design", "relu-design")["trained"]
    return [one[name]["mean"][time] for one in trained if one["order"] == order and xi in (None, one["xi"])]


def quantities() -> Rows:
    """Four quantities, two orders, all times."""
    times = run("relu_design", "relu-design")["times_in_units_of_K2"]
    titles = {
        "participation ratio": "participation_ratio",
        "low-frequency share": "low_frequency_power",
        "gates that differ from the start": "gate_flips",
        "norm of the weights over that at K2": "growth",
    }
    orders = {"xi1 > xi2": "long-first", "xi1 < xi2": "short-first"}
    return [
        [f"{title}, {sign}", *(spread(design(order, name, time)) for time in range(len(times)))]
        for title, name in titles.items()
        for sign, order in orders.items()
    ]


def by_lengths() -> Rows:
    """Ratio and share at the last time by the lengths."""
    found = []
    for xi in ([2.0, 1.0], [3.0, 1.0], [3.0, 2.0], [3.5, 2.0]):
        row = [f"{xi[0]:g}, {xi[1]:g}"]
        for order in ("long-first", "short-first"):
            row += [spread(design(order, name, -1, xi)) for name in ("participation_ratio", "low_frequency_power")]
        found.append([*row, str(len(design("long-first", "growth", -1, xi)))])
    return found


def likenesses(look: Look) -> Rows:
    """In how many configurations the networks are alike, by their biases."""
    rows = []
    for title, own in treatments(look).items():
        row = [title, str(len(own))]
        for models in (("sigmoid", "erf"), ("relu", "erf")):
            found = [alike(one, *models, look) for one in own]
            told = {"alike": True, "unlike": False, "undecided": None}
            row.append(", ".join(f"{found.count(value)} {word}" for word, value in told.items()))
        rows.append(row)
    return rows


def ends(look: Look) -> Rows:
    """Shares and ratios of erf, sigmoid and ReLU networks at the last time, by their biases."""
    both = [(name, order) for name in ("low_frequency_power", "participation_ratio") for order in ORDERS]
    return [
        [
            f"{title}: {model}",
            *(spread([one["trained"][model][order][name]["mean"][-1] for one in own]) for name, order in both),
        ]
        for title, own in treatments(look).items()
        for model in ("erf", "sigmoid", "relu")
    ]


def band(found: dict, at: int) -> str:
    """A distance with its band."""
    return f"{found['distance'][at]:.3f} ({found['low'][at]:.3f} to {found['high'][at]:.3f})"


def first_above(times: list[float], values: list[float], margin: float) -> float:
    """The first time at which a value exceeds the margin, or infinity."""
    return next((time for time, value in zip(times, values, strict=True) if value > margin), np.inf)


def replayed() -> Iterator[tuple[str, Rows]]:
    """The three tables of the replays, by a word of their heads."""
    stored = run("replayed_gates", "replayed-gates")
    last = len(stored["times"]) - 1
    pairs = {
        "since the start": [(0, i) for i in range(1, last + 1)],
        "since the time before": [(i - 1, i) for i in range(1, last + 1)],
        "until the end": [(i, last) for i in range(1, last + 1)],
    }
    yield "gates that differ, %", [[name, *per_cent(stored["flips"], which)] for name, which in pairs.items()]
    far = []
    for name, one in stored["weight_distance"].items():
        first, surely = (first_above(stored["times"], one[end], stored["margin"]) for end in ("high", "low"))
        when = f"{first:g} leq t leq {surely:g}" if first < surely else f"t = {surely:g}"
        when = "not by the end" if surely == np.inf else when
        far.append([name, *(band(one, stored["times"].index(t)) for t in (100, 200, 400, 800)), when])
    yield f"exceeds {stored['margin']:g} at", far
    ends = []
    for name, loss in stored["loss"].items():
        row = [name, f"{loss['mean'][-1]:.4f}", "", f"{stored['participation_ratio'][name]['mean'][-1]:.4f}", "", ""]
        if name in stored["variance_reduction"]:
            saved = stored["variance_reduction"][name]
            row[2], row[4] = (band(stored[f"{what}_distance"][name], -1) for what in ("loss", "participation_ratio"))
            row[5] = f"{saved['factor']:.1f} +- {saved['standard_error']:.1f}"
        ends.append(row)
    yield "variance ratio", ends


def routed() -> Iterator[tuple[str, Rows]]:
    """The two tables of the routing networks, by a word of their heads."""
    stored = run("routing", "routing")
    trained, theory = stored["aligned"], stored["reduction"]
    at = [trained["times"].index(time) for time in (5, 10, 15, 20)]
    curve = [theory["times"].index(time) for time in (5, 10, 15, 20)]
    yield (
        "trained / reduction",
        [
            [
                f"b{which + 1}, mode {mode + 1}",
                *(
                    f"{trained['strengths'][i][mode][which]:.4f} / {theory['strengths'][j][mode][which]:.4f}"
                    for i, j in zip(at, curve, strict=True)
                ),
            ]
            for mode in (0, 1)
            for which in (0, 1)
        ],
    )
    rows = []
    for one in stored["by_scale"]:
        kept = [i for i, error in enumerate(one["trained"]) if error < LEARNED]
        errors, changes = ([one[name][i] for i in kept] for name in ("untrained", "change_of_shared"))
        counted = f"{len(kept)} of {len(one['trained'])}"
        rows.append(
            [
                f"{one['scale']:.3g}",
                counted,
                f"{median(changes):.2g}",
                f"{median(errors):.1e}",
                f"{max(errors):.1e}",
            ]
        )
    yield "have learned", rows


def approximations() -> Rows:
    """Errors of the three forms against samples, as measured."""
    return [
        [
            row["weights"].replace("_", ""),
            row["gain"],
            f"{row['largest']:.3f}",
            *(f"{row['errors'][form]:.4f}" for form in ("latent-direction", "clt", "large-gain")),
            f"{row['errors']['exact']:.4f}" if "exact" in row["errors"] else "",
            f"{row['standard_error']:.5f}",
        ]
        for row in benchmark("relu-gates")["rows"]
    ]


def learned(one: dict, start: list[float]) -> np.ndarray:
    """The strengths of a network's modes at its times, by the flow of the weights of each layer from `start`."""
    found = []
    for s in one["targets"]:

        def moved(_t: float, b: np.ndarray, s: float = s) -> np.ndarray:
            return np.array([np.delete(b, l).prod() for l in range(len(b))]) * (s - b.prod())

        ends = one["times"][0], one["times"][-1]
        found.append(
            solve_ivp(moved, ends, start, "DOP853", one["times"], rtol=DEEP_STEP, atol=DEEP_STEP / 100).y.prod(axis=0)
        )
    return np.array(found)


def strengths() -> Rows:
    """Distances of trained deep linear networks to the flow of their layers, and to that of a rival's equal layers."""
    found = []
    for panel, networks in run("deep_linear", "deep-linear")["panels"].items():
        for name, one in networks.items():
            coarse, fine, exact = np.array(one["coarse"]), np.array(one["trained"]), learned(one, one["start"])
            layers = 3 if len(one["start"]) == 2 and len(set(one["start"])) == 1 else 2
            rival = learned(one, [np.prod(one["start"]) ** (1 / layers)] * layers)
            far = (abs(each - exact).max() for each in (coarse, fine, 2 * fine - coarse))
            told = "" if name == "lambda = 0" else f"{abs(fine - rival).max():.3f}"
            found.append([panel, name, *(f"{distance:.1e}" for distance in far), told])
    return found


def initial_kernels() -> Rows:
    """Means of powers of the standardised kernels, with standard errors and the exact values in parentheses."""
    rows = []
    for name, found in run("initial_kernels", "initial-kernels")["histograms"].items():
        triples = zip(found["moments"], found["standard_errors"], found["exact"], strict=True)
        rows.append([name, *(f"{value:.2f} +- {error:.2f} ({exact:.2f})" for value, error, exact in triples)])
    return rows


def expected() -> Iterator[tuple[str, str, int, Rows]]:
    """Page, a word of the heads, which of the tables with it, and the rows that it must have."""
    page = "localization-sweep"
    yield page, "t = 25", 0, ratios(page, SHORT)
    yield page, "t = 25", 1, ratios(page, LONG)
    yield page, "width in sites", 0, shapes(SHORT)
    yield page, "width in sites", 1, shapes(LONG)
    yield page, "t = 0 to 25", 0, turned(SHORT)
    yield page, "t = 0 to 25", 1, turned(LONG)
    yield page, "t = 25", 2, ratios("localization-batch", SHORT)
    yield "relu-gates", "median (least to greatest)", 0, quantities()
    yield "relu-gates", "configurations", 0, by_lengths()
    yield "relu-gates", "largest moment", 0, approximations()
    yield "deep-linear", "extrapolated", 0, strengths()
    for head, rows in replayed():
        yield "replayed-gates", head, 0, rows
    yield "further-statements", "hidden biases, output bias", 0, likenesses(FIRST)
    yield "further-statements", "hidden biases, output bias", 1, likenesses(SECOND)
    yield "further-statements", "median (least to greatest)", 0, ends(SECOND)
    for head, rows in routed():
        yield "race", head, 0, rows
    yield "depth-and-width", "fourth moment", 0, initial_kernels()


def shown(page: str, head: str, place: int) -> list:
    """The units of a table, its heads among them."""
    return [table for table in tables(page) if head in cells(table[0].text)][place]


def test_every_cell_of_the_tables():
    for page, head, place, rows in expected():
        written = [cells(unit.text.replace("±", "+-")) for unit in shown(page, head, place)[2:]]
        assert written == rows, f"{page}, table {place} with {head!r}"


def test_the_times_of_the_design():
    times = run("relu_design", "relu-design")["times_in_units_of_K2"]
    heads = cells(shown("relu-gates", "median (least to greatest)", 0)[0].text)
    assert heads[1:] == ["t = 0", *(f"t = {time} K2" for time in times[1:])]


def test_every_table_of_a_run_is_counted():
    counted = {id(shown(page, head, place)[0]) for page, head, place, _ in expected()}
    heads = [table[0] for page in {page for page, *_ in expected()} for table in tables(page)]
    others = {id(head) for head in heads if cells(head.text)[0] not in FORMS and POINTS not in head.text}
    assert others == counted


FORMS = ("form", "label")  # first heads of the tables on these pages that have formulas and no measured number
POINTS = "definition and formula"  # last head of the tables of points, which `test_claims` recomputes


def mark() -> None:
    """Mark the tables."""
    for page, head, place, _ in expected():
        for unit in shown(page, head, place):
            see(unit)
