"""Trained numbers of the pages beside those of networks trained again, by `trained.py`, with seeds of their own.

A difference of two means over networks is studentised with the variance of both samples together, which is one and the
same where both train the same networks. All of these comparisons hold together at the level `PAGES_LEVEL`.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import t as student

from tests.pages import trained
from tests.pages.decisions import reach, triples
from tests.pages.evidence import benchmark, evidence, run, values
from tests.pages.reading import units
from tests.tolerances import PAGES_LEVEL, PAGES_REPEATED

Sample = tuple[float, float, int]  # mean, its standard error, networks
ROUNDING = 1 / np.sqrt(12)  # standard deviation of what rounding to a unit leaves out, in units


def sample(found: np.ndarray) -> Sample:
    """Mean, standard error and number of values."""
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found))), len(found)


def difference(first: np.ndarray, second: np.ndarray) -> Sample:
    """The difference of two means of independent networks."""
    a, b = sample(first), sample(second)
    return a[0] - b[0], float(np.hypot(a[1], b[1])), min(a[2], b[2])


def relative(found: np.ndarray, reference: np.ndarray) -> Sample:
    """The distance of two means over paired networks, relative to the second, with its jackknife error."""

    def apart(a: np.ndarray, b: np.ndarray) -> float:
        return float(abs(a.mean() - b.mean()) / b.mean())

    count = len(found)
    without = np.array([apart(np.delete(found, s), np.delete(reference, s)) for s in range(count)])
    error = np.sqrt((count - 1) * ((without - without.mean()) ** 2).mean())
    return float(apart(found, reference)), float(error), count


# Claims whose evidence states means with intervals: entry and keys of `trained.json` in their order, how many intervals
# hold together.
STATED = {
    "localization.relu.localizes": [("relu long", f"ratio {t}") for t in (800, 1600)],
    "localization.relu.order": [(f"relu {order}", f"low {t}") for order in ("long", "short") for t in (400, 800, 1600)],
    "localization.relu.gates_flip": [("relu long", f"flips 0 {t}") for t in (100, 200, 400, 800)],
    "localization.relu.growth_stops": [("relu long", f"length {t} over 100") for t in (200, 400, 800)],
    "localization.relu.growth_goes_on": [("relu short", f"length {t} over half") for t in (200, 400, 800)],
    "localization.relu.around_mode": [("relu long", "near 100 800")],
    "localization.sigmoid.no_biases": [("sigmoid", f"loss {t}") for t in (1000, 2000)],
    "localization.gain.neuron": [(f"neuron gain {gain}", "ratio 100") for gain in ("0.1", "10")],
    "localization.relu.biases_removed": [
        (f"relu {kind}", f"low {t}") for kind in ("biases", "no biases") for t in (200, 400, 800)
    ],
}
NETWORKS = {"localization.relu.biases_removed": 8, "localization.gain.neuron": 12}  # else sixteen


def outcome(claim: str) -> str:
    """Sentences of the evidence on trained networks."""
    return next(one["where"] for one in evidence()[claim]["levels"] if one["level"] == "simulated")


def by_claims() -> Iterator[tuple[str, Sample, Sample]]:
    """The means that claims state, and mine."""
    for claim, keys in STATED.items():
        count = NETWORKS.get(claim, 16)
        for (entry, key), (mean, low, high, unit) in zip(keys, triples(outcome(claim)), strict=True):
            error = float(np.hypot((high - low) / 2 / reach(count, len(keys)), unit * ROUNDING))
            if claim.endswith("biases_removed"):
                mine = difference(*(values(f"{entry} {order}", key) for order in ("long", "short")))
            else:
                mine = sample(values(entry, key))
            yield f"{claim}, {key}", (mean, error, count), mine


def of(data: dict, *place: int) -> tuple[float, float]:
    """A stored mean and its standard error."""
    found = [data[name] for name in ("mean", "standard_error")]
    for index in place:
        found = [one[index] for one in found]
    return found[0], found[1]


def by_sweeps() -> Iterator[tuple[str, Sample, Sample]]:
    """The cells of the sweeps that were trained again."""
    lengths = {"0.3, 0.7": [0.3, 0.7], "2, 3": [2.0, 3.0]}
    cells = {f"sweep {name}; {i}": ("localization-sweep", lengths[name], i) for name, i in trained.CELLS}
    cells |= {f"large {i}": ("localization-batch", [0.3, 0.7], i) for i in trained.LARGE}
    for entry, (name, xi, index) in cells.items():
        data = run("localization_sweep", name)
        times, gain = [int(t) for t in data["times"]], trained.GAINS[index]
        cell = next(c for c in data["cells"] if c["xi"] == xi and f"{c['gain']:.4g}" == f"{gain:.4g}")
        for i, time in enumerate(times[1:], 1):
            page = sample(np.array(cell["participation_ratio"])[:, i])
            yield f"{entry}, ratio {time}", page, sample(values(entry, f"ratio {time}"))
        for key, theirs in (("width", "field_width"), ("peak", "peak_share")):
            page = (*of(cell[theirs], len(times) - 1), 30)
            yield f"{entry}, {key}", page, sample(values(entry, f"{key} {times[-1]}"))
        for i, j in [*((i, i + 1) for i in range(len(times) - 1)), (0, len(times) - 1)]:
            mine = values(entry, f"flips {times[i]} {times[j]}")
            yield f"{entry}, flips {i} {j}", (*of(cell["gate_flips"], i, j), 30), sample(mine)


def by_replays() -> Iterator[tuple[str, Sample, Sample]]:
    """The numbers of the replays, and those of the claim, whose networks are others."""
    told = "; ".join(level["where"] for level in evidence()["localization.relu.replayed_gates"]["levels"])
    for (mean, low, high, _), name in zip(triples(told), ("end", "start"), strict=True):
        page = (mean, (high - low) / 2 / reach(16, 1), 16)
        yield f"the claim, {name}", page, relative(values("replays", f"loss {name}"), values("replays", "loss relu"))
    data = run("replayed_gates", "replayed-gates")
    times, count = [int(t) for t in data["times"]], data["replicates"]
    for i, early in enumerate(times):
        for j, late in enumerate(times[i + 1 :], i + 1):
            mine = sample(values("replays", f"flips {early} {late}"))
            yield f"flips {early} {late}", (*of(data["flips"], i, j), count), mine
    for name in data["loss"]:
        short = name.removeprefix("of the ").removeprefix("in ").lower()
        for key, theirs in (("loss", "loss"), ("ratio", "participation_ratio")):
            page, mine = of(data[theirs][name], -1), values("replays", f"{key} {short}")
            yield f"{key} {name}", (*page, count), sample(mine)
            if name != "ReLU":
                band = data[f"{theirs}_distance"][name]
                error = (band["high"][-1] - band["low"][-1]) / 2 / reach(count, 1)
                apart = relative(mine, values("replays", f"{key} relu"))
                yield f"{key} distance {name}", (band["plain"][-1], error, count), apart
        if name != "ReLU":
            band = data["weight_distance"][name]
            for time in (100, 200, 400, 800):
                at = times.index(time)
                error = (band["high"][at] - band["low"][at]) / 2 / reach(count, len(times))
                mine = sample(values("replays", f"distance {short} {time}"))
                yield f"weights {name} {time}", (band["distance"][at], error, count), mine


def by_design() -> Iterator[tuple[str, Sample, Sample]]:
    """The configurations of the design that were trained again."""
    names = {"participation_ratio": "ratio", "low_frequency_power": "low", "gate_flips": "flips", "growth": "length"}
    for number, (xi, gain, units_, scale, rate) in enumerate(trained.DESIGN):
        for order in ("long", "short"):
            wanted = {"order": f"{order}-first", "xi": list(xi), "gain": gain}
            wanted |= {"units": units_, "scale": scale, "rate": rate}
            every = run("relu_design", "relu-design")["trained"]
            one = next(one for one in every if all(one[key] == value for key, value in wanted.items()))
            for theirs, key in names.items():
                for i, time in enumerate((0, 1, 4, 8, 16)):
                    mine = sample(values(f"design {number} {order}", f"{key} {time}"))
                    yield f"design {number} {order}, {key} {time}", (*of(one[theirs], i), one["replicates"]), mine


def comparisons() -> list[tuple[str, Sample, Sample]]:
    """All comparisons of a page's mean with mine."""
    return [*by_claims(), *by_sweeps(), *by_replays(), *by_design()]


def critical(count: int, freedom: int) -> float:
    """Student's quantile for so many comparisons together."""
    return float(student.isf(PAGES_LEVEL / 2 / count, freedom))


def studentised(page: Sample, mine: Sample) -> float:
    """The difference of two means in units of its standard error, with one variance of both samples."""
    (m1, e1, n1), (m2, e2, n2) = page, mine
    variance = ((n1 - 1) * n1 * e1**2 + (n2 - 1) * n2 * e2**2) / (n1 + n2 - 2)
    error = np.sqrt(variance * (1 / n1 + 1 / n2))
    if not error:  # gates at t = 0, lengths over themselves
        return 0.0 if m1 == m2 else np.inf
    return abs(m1 - m2) / error


def test_means_over_networks():
    every = comparisons()
    apart = {
        name: (page, mine)
        for name, page, mine in every
        if studentised(page, mine) > critical(len(every), page[2] + mine[2] - 2)
    }
    assert apart == {}


def test_another_order_of_the_lengths_is_noticed():
    long, short = (sample(values(f"relu {order}", "low 1600")) for order in ("long", "short"))
    assert studentised(long, short) > critical(len(comparisons()), long[2] + short[2] - 2)


def test_intervals_are_those_of_the_stored_means():
    found = evidence()["localization.relu.localizes"]["simulated"]["localization.relu.localizes"]["relu-long"]
    for i, (mean, low, high, _) in enumerate(triples(outcome("localization.relu.localizes")), 2):
        wide = reach(found["replicates"], 2) * found["standard_error"][i]
        ends = found["participation_ratio"][i] - wide, found["participation_ratio"][i] + wide
        assert (f"{ends[0]:.4f}", f"{ends[1]:.4f}") == (f"{low:.4f}", f"{high:.4f}")
        assert f"{found['participation_ratio'][i]:.4f}" == f"{mean:.4f}"


def approximations(w: np.ndarray, gain: float) -> dict[str, np.ndarray]:
    """The three forms of <g x_k> on the page, on an open line of 40 sites with xi = 2."""
    from scipy.special import erf

    site = np.arange(40)
    latent = np.exp(-(((site[:, None] - site) / 2) ** 2))
    squared = 2 * gain**2 / (1 + 2 * gain**2)
    z = np.sqrt(2 / np.pi * np.arcsin(squared))
    c = 2 / np.pi * np.arcsin(squared * latent) / z**2
    along, size = c @ w, w @ c @ w
    return {
        "latent-direction": np.arcsin(np.sqrt(squared) * (latent @ w) / np.sqrt(w @ latent @ w)) / (np.pi * z),
        "clt": along / np.sqrt(2 * np.pi * size),
        "large-gain": erf(along / np.sqrt(2 * (size - along**2))) / 2,
    }


def test_errors_of_the_approximations():
    rows = benchmark("relu-gates")["rows"]
    names = dict(zip(("flat", "Gaussian", "narrow", "e_20"), trained.BUMPS, strict=True))
    for row in rows:
        name, gain = names[row["weights"].split()[0]], gain_of(row["gain"])
        every = np.array([values(f"directions {gain:g}", f"{name} {k}") for k in range(40)])
        mean, error = every.mean(axis=1), every.std(axis=1, ddof=1) / np.sqrt(every.shape[1])
        allowed = critical(len(rows) * 40, every.shape[1] - 1) * np.hypot(error.max(), row["standard_error"])
        assert abs(np.abs(mean).max() - row["largest"]) <= allowed, row
        for form, value in approximations(trained.BUMPS[name], gain).items():
            assert abs(np.abs(value - mean).max() - row["errors"][form]) <= allowed, (row, form)


def gain_of(text: str) -> float:
    """Return the value of a gain such as 1/20."""
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


@pytest.mark.parametrize(("entry", "key"), [("sigmoid", "loss 2000"), ("relu long", "ratio 800")])
def test_the_script_made_what_is_stored(entry, key):
    (again,) = trained.made(entry, 1)[key]
    kept = values(entry, key)[0]
    assert abs(again - kept) <= PAGES_REPEATED * abs(kept)


def test_the_pages_state_what_was_compared():
    text = " ".join(unit.text for unit in units())
    for claim in STATED:
        for mean, low, high, unit in triples(outcome(claim)):
            places = round(-np.log10(unit))
            assert f"{mean:.{places}f} ({low:.{places}f} to {high:.{places}f})" in text, (claim, mean)
