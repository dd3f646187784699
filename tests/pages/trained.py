"""Train again, in plain NumPy and with other seeds, the networks whose numbers the pages state; store what they gave.

    OMP_NUM_THREADS=1 nice .venv/bin/python -m tests.pages.trained [ENTRY ...]

writes `trained.json`: of each entry the seeds, the values of every network, and the processor time. Without names all
entries are made, in about a quarter of an hour.
"""

import json
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import numpy as np
import scipy
from scipy.special import erf

from tests.pages import networks
from tests.pages.networks import Gates, Setting, Trained

STORED = Path(__file__).with_name("trained.json")
DIGITS = 6  # significant digits stored
ORDERS = {"long": (2.0, 1.0), "short": (1.0, 2.0)}
LATE = (0, 100, 200, 400, 800, 1600)
EIGHTHS = tuple(range(0, 801, 100))
PIECES = {"start": (0,), "end": (800,), "2 pieces": (0, 400), "4 pieces": (0, 200, 400, 600), "8 pieces": EIGHTHS[:-1]}
LENGTHS = {"0.3, 0.7": (0.7, 0.3), "2, 3": (3.0, 2.0)}  # label 1 has the longer one
GAINS = [10 ** (-2 + 4 * index / 9) for index in range(10)]
# A handful of the cells of the sweep, drawn once: (lengths, index of the gain), all up to t = 400.
CELLS = (("0.3, 0.7", 2), ("0.3, 0.7", 4), ("0.3, 0.7", 5), ("0.3, 0.7", 9), ("2, 3", 0), ("2, 3", 4), ("2, 3", 7))
LARGE = (4, 9)  # gains of the sweep again with batches of 10,000
# A handful of the configurations: (long, short), gain, units, scale, rate over K^2.
DESIGN = (
    ((3.0, 1.0), 10.0, 4, 0.01, 0.02),
    ((2.0, 1.0), 1.0, 10, 0.1, 0.01),
    ((3.5, 2.0), 3.0, 20, 0.1, 0.02),
    ((3.0, 2.0), 3.0, 10, 0.01, 0.02),
)

SAMPLES = 100_000  # of a moment through a gate, for each seed

Values = dict[str, np.ndarray]  # name -> one value a network, (S)
MAKERS: dict[str, Callable[[list[int]], Values]] = {}
COUNTS: dict[str, int] = {}


def entry(name: str, count: int, make: Callable[[list[int]], Values]) -> None:
    """Register what makes an entry of so many networks."""
    MAKERS[name], COUNTS[name] = make, count


def seeds_of(name: str) -> list[int]:
    """Return a seed for each network of an entry; the replays of one kind share seeds by sharing an entry."""
    first = 1000 * (1 + list(MAKERS).index(name))
    return [first + s for s in range(COUNTS[name])]


def fields(trained: Trained) -> Iterator[tuple[str, np.ndarray]]:
    """Name and value, (S, T), of what is measured on weights alone, means over the units."""
    yield "ratio", networks.ratio(trained.w).mean(axis=2)
    yield "low", networks.low(trained.w).mean(axis=2)


def at_times(trained: Trained, values: Iterator[tuple[str, np.ndarray]]) -> Values:
    """Name each column by its time."""
    return {f"{name} {time:g}": of[:, t] for name, of in values for t, time in enumerate(trained.times)}


def relu(order: str) -> Callable[[list[int]], Values]:
    """Ten ReLU units: fields, gates, lengths and places while they learn."""

    def make(seeds: list[int]) -> Values:
        trained = networks.train(Setting(ORDERS[order]), LATE, seeds)
        found = at_times(trained, fields(trained))
        size = networks.length(trained.w)
        turned = networks.flips(trained, seeds)[:, 0]
        for t, time in enumerate(LATE):
            found[f"flips 0 {time}"] = turned[:, t]
            found[f"length {time} over 100"] = (size[:, t] / size[:, 1]).mean(axis=1)
            if t > 1:
                found[f"length {time} over half"] = (size[:, t] / size[:, t - 1]).mean(axis=1)
        for early in (0, 1):
            steps = networks.moved(trained.w[:, early], trained.w[:, LATE.index(800)])
            found[f"near {LATE[early]} 800"] = (steps <= 2).mean(axis=1)
        return found

    return make


def biases(order: str, activation: str, trained_biases: bool) -> Callable[[list[int]], Values]:
    """Units with and without biases at the rate 1."""

    def make(seeds: list[int]) -> Values:
        setting = Setting(ORDERS[order], rate=1.0, activation=activation, biases=trained_biases)
        trained = networks.train(setting, (0, 200, 400, 800), seeds)
        return at_times(trained, fields(trained))

    return make


def sigmoid(seeds: list[int]) -> Values:
    """Four sigmoid units without biases on ten sites: their error."""
    setting = Setting((1.5, 0.75), n=10, units=4, scale=0.3, batch=200, activation="sigmoid")
    trained = networks.train(setting, (0, 1000, 2000), seeds)
    return at_times(trained, iter([("loss", networks.losses(trained, seeds))]))


def replays(seeds: list[int]) -> Values:
    """ReLU networks and gated linear ones that replay their gates: flips, losses, ratios, distances of the weights."""
    setting = Setting(ORDERS["long"])
    own = networks.train(setting, EIGHTHS, seeds)
    turned = networks.flips(own, seeds)
    found = {f"flips {a} {b}": turned[:, i, j] for i, a in enumerate(EIGHTHS) for j, b in enumerate(EIGHTHS) if i < j}
    found["loss relu"] = networks.losses(own, seeds)[:, -1]
    found["ratio relu"] = networks.ratio(own.w[:, -1]).mean(axis=1)
    for name, times in PIECES.items():
        gates = [_recorded(weights, times, setting.rate) for weights in own.w]
        again = networks.train(setting, EIGHTHS, seeds, gates)
        found[f"loss {name}"] = networks.losses(again, seeds, gates)[:, -1]
        found[f"ratio {name}"] = networks.ratio(again.w[:, -1]).mean(axis=1)
        apart = np.sqrt(((again.w - own.w) ** 2).sum(axis=(2, 3)) / (own.w**2).sum(axis=(2, 3)))
        found |= {f"distance {name} {time}": apart[:, t] for t, time in enumerate(EIGHTHS)}
    return found


def _recorded(weights: np.ndarray, times: tuple[int, ...], rate: float) -> Gates:
    """Return the gates of the last of the times that is not after the step; of a single time, always these."""

    def gates(step: int) -> np.ndarray:
        past = [time for time in times if time <= step * rate] or list(times[:1])
        return weights[EIGHTHS.index(past[-1])]

    return gates


def neuron(xi: tuple[float, float], gain: float, times: tuple[int, ...], batch: int = 1000) -> Callable:
    """One ReLU neuron of the sweep: ratio, width, spectral peak and gates."""

    def make(seeds: list[int]) -> Values:
        setting = Setting(xi, gain=gain, units=1, scale=0.0069843, rate=0.1, batch=batch, half=False)
        trained = networks.train(setting, times, seeds)
        turned, (top, share) = networks.flips(trained, seeds), networks.peak(trained.w[:, :, 0])
        measured = [
            ("ratio", networks.ratio(trained.w[:, :, 0])),
            ("width", networks.width(trained.w[:, :, 0])),
            ("flat", (top == 0).astype(float)),
            ("peak", share),
        ]
        found = at_times(trained, iter(measured))
        pairs = [(i, j) for j in range(len(times)) for i in range(j) if j == i + 1 or i == 0]
        return found | {f"flips {times[i]} {times[j]}": turned[:, i, j] for i, j in pairs}

    return make


def design(configuration: tuple, order: str) -> Callable[[list[int]], Values]:
    """ReLU units in one configuration, at t = 0, K^2, 4 K^2, 8 K^2 and 16 K^2."""
    lengths, gain, units, scale, rate = configuration

    def make(seeds: list[int]) -> Values:
        xi = lengths if order == "long" else lengths[::-1]
        setting = Setting(xi, gain=gain, units=units, scale=scale, rate=rate * units**2)
        trained = networks.train(setting, [time * units**2 for time in (0, 1, 4, 8, 16)], seeds)
        size, turned = networks.length(trained.w), networks.flips(trained, seeds)[:, 0]
        measured = [*fields(trained), ("flips", turned), ("length", (size / size[:, 1:2]).mean(axis=2))]
        return {f"{name} {time}": of[:, t] for name, of in measured for t, time in enumerate((0, 1, 4, 8, 16))}

    return make


BUMPS = {
    "flat": np.ones(40),
    "Gaussian bump": np.exp(-((np.arange(40) - 20) ** 2) / 50),
    "narrow bump": np.exp(-((np.arange(40) - 20) ** 2) / 10),
    "two sites": np.eye(40)[20] + np.eye(40)[22] / 2,
}


def gates_of_directions(gain: float) -> Callable[[list[int]], Values]:
    """E[1[w.x >= 0] x_k] on an open line of 40 sites, xi = 2, from samples: one mean a seed, of (g - 1/2) x."""

    def make(seeds: list[int]) -> Values:
        site = np.arange(40)
        values, vectors = np.linalg.eigh(np.exp(-(((site[:, None] - site) / 2) ** 2)))
        root = (vectors * np.sqrt(np.abs(values))) @ vectors.T
        z = np.sqrt(2 / np.pi * np.arcsin(2 * gain**2 / (1 + 2 * gain**2)))
        found: dict[str, list[float]] = {}
        for seed in seeds:
            x = erf(gain * np.random.default_rng(seed).standard_normal((SAMPLES, 40)) @ root) / z
            for name, w in BUMPS.items():
                for k, mean in enumerate(((x @ w >= 0) - 0.5) @ x / SAMPLES):
                    found.setdefault(f"{name} {k}", []).append(mean)
        return {name: np.array(of) for name, of in found.items()}

    return make


for _order in ORDERS:
    entry(f"relu {_order}", 120 if _order == "long" else 24, relu(_order))
for _order in ORDERS:
    entry(f"relu biases {_order}", 8, biases(_order, "relu", True))
    entry(f"relu no biases {_order}", 8, biases(_order, "relu", False))
entry("sigmoid", 16, sigmoid)
entry("replays", 16, replays)
for _gain in (0.1, 10.0):
    entry(f"neuron gain {_gain:g}", 12, neuron(LENGTHS["0.3, 0.7"], _gain, (0, 100)))
for _name, _index in CELLS:
    entry(f"sweep {_name}; {_index}", 8, neuron(LENGTHS[_name], GAINS[_index], (0, 25, 100, 400)))
for _index in LARGE:
    entry(f"large {_index}", 4, neuron(LENGTHS["0.3, 0.7"], GAINS[_index], (0, 25, 100), 10_000))
for _number, _configuration in enumerate(DESIGN):
    for _order in ORDERS:
        entry(f"design {_number} {_order}", 8, design(_configuration, _order))
for _gain in (0.05, 3.0, 100.0):
    entry(f"directions {_gain:g}", 20, gates_of_directions(_gain))


def made(name: str, count: int | None = None) -> Values:
    """Make an entry, or the first so many networks of it."""
    return MAKERS[name](seeds_of(name)[:count])


def main(names: list[str]) -> None:
    """Make the entries and store them beside those that are stored."""
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"entries": {}}
    stored["versions"] = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    for name in names or MAKERS:
        began = process_time()
        values = {key: [float(f"{value:.{DIGITS}g}") for value in of] for key, of in made(name).items()}
        seconds = round(process_time() - began, 1)
        stored["entries"][name] = {"seeds": seeds_of(name), "seconds": seconds, "values": values}
        print(name, seconds, flush=True)
        STORED.write_text(json.dumps(stored, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
