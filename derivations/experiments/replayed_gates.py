"""How much of a ReLU network is in its gates: gated-linear networks with its recorded gates, beside it.

The registered ReLU problem is trained with its gates recorded. Gated-linear networks then start from the same weights
and see the same examples, with the gates of the start, those of the end, or those of the last of 2, 4, 8 equally spaced
times. No claim says that they agree: the distances are measured, with simultaneous 99 % bands, and stored.

`python -m derivations.experiments.replayed_gates` runs it and writes the measurements and the figure again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import numpy as np

from derivations import figures, measured
from derivations.compare import seed_for
from derivations.experiments.registered import problem_named
from derivations.output import DISTRIBUTION, plain
from derivations.validity import Meter, meter, network_meter, variance_reduction
from sim.observe import measure
from sim.record import loss, record, replay
from sim.run import Run
from sim.train import train
from theory.problem import (
    GateFlipsBetweenTimes,
    LossAtTimes,
    ParticipationRatioAtTimes,
    Problem,
    dumps,
)

NAME, PROBLEM = "replayed-gates", "relu-training"
PIECES = (2, 4, 8)
LEVEL, MARGIN = 0.01, 0.25
_INTERVALS = 8  # the gates are recorded at the ends of so many equal intervals
_END = Fraction(800)
_SIGNIFICANT = 6  # digits stored of a simulated number


def problem() -> Problem:
    """The registered problem, looked at after each eighth of the training."""
    base = problem_named(PROBLEM)
    times = tuple(_END * index / _INTERVALS for index in range(_INTERVALS + 1))
    simulation = replace(base.simulated(), seed=seed_for(f"replayed_gates/{PROBLEM}"))
    return replace(base, training=replace(base.training, times=times), simulation=simulation)


def run(question: Problem, device: str = "auto", progress: Callable[[str], None] = lambda _what: None) -> dict:
    """Train, record, replay and measure; `progress` is told what is done next. The times start at 0."""
    progress("the ReLU network")
    network = train(question, device)
    gates = record(network)
    flips = measure(GateFlipsBetweenTimes(), network, device).values.mean(axis=1)
    lost = measure(LossAtTimes(), network, device).values
    ratios = {"ReLU": _ratios(network, device)}
    losses, apart, reductions = {"ReLU": lost}, {}, {}
    for name, (mode, times) in _replays(question).items():
        progress(f"gates {name}")
        chosen = gates.at(*times)
        again = replay(question, chosen, mode, device=device)
        losses[name] = loss(again, chosen, device).values
        ratios[name] = _ratios(again, device)
        apart[name] = again.weights
        reductions[name] = variance_reduction(losses[name][:, -1], lost[:, -1])
    found = _meters(question, network, apart)
    same = {
        what: {name: _beside(question, values, data["ReLU"]) for name, values in data.items() if name != "ReLU"}
        for what, data in (("loss", losses), ("participation ratio", ratios))
    }
    return {
        "problem": dumps(question),
        "seed": network.seed,
        "replicates": len(gates.replicates),
        "level": LEVEL,
        "margin": MARGIN,
        "versions": {DISTRIBUTION: version(DISTRIBUTION)},
        "caption": (
            f"Relative distance of the weights of gated-linear networks with replayed gates to the ReLU network that "
            f"the gates are of, mean over {len(gates.replicates)} pairs with the simultaneous {1 - LEVEL:.0%} band. "
            f"Dotted: the margin {MARGIN:g}; filled markers: the first time at which the band is above it."
        ),
        "data": _data(question, flips, losses, ratios, found, same, reductions),
        "tables": {
            "flips": _flips_table(question, flips),
            "distances": _distance_table(found),
            "ends": _end_table(losses, ratios, same, reductions),
        },
    }


def _replays(question: Problem) -> dict[str, tuple[str, tuple[Fraction, ...]]]:
    times = question.training.times
    replays = {"of the start": ("frozen", times[:1]), "of the end": ("frozen", times[-1:])}
    last = len(times) - 1
    for pieces in PIECES:
        replays[f"in {pieces} pieces"] = ("piecewise", tuple(times[last * i // pieces] for i in range(pieces)))
    return replays


def _meters(question: Problem, network: Run, apart: Mapping[str, np.ndarray]) -> dict[str, Meter]:
    times = [float(time) for time in question.training.times]
    return {name: network_meter(times, weights, network.weights, LEVEL) for name, weights in apart.items()}


def _beside(question: Problem, values: np.ndarray, reference: np.ndarray) -> Meter:
    return meter([float(time) for time in question.training.times], values, reference, LEVEL)


def _ratios(run: Run, device: str) -> np.ndarray:
    return measure(ParticipationRatioAtTimes(), run, device).values.mean(axis=2)


def _flips_table(question: Problem, flips: np.ndarray) -> dict:
    times = question.training.times
    rows = []
    for title, values in (
        ("since the start", flips[:, 0, 1:]),
        ("since the time before", np.stack([flips[:, i, i + 1] for i in range(len(times) - 1)], axis=1)),
        ("until the end", flips[:, 1:, -1]),
    ):
        rows.append([title, *(_with_error(values[:, i]) for i in range(values.shape[1]))])
    return {"columns": ["gates that differ, %", *(f"$t = {float(t):g}$" for t in times[1:])], "rows": rows}


def _with_error(values: np.ndarray) -> str:
    return f"{100 * values.mean():.1f} ± {100 * values.std(ddof=1) / np.sqrt(len(values)):.1f}"


def _distance_table(found: Mapping[str, Meter]) -> dict:
    some = next(iter(found.values())).times
    shown = [int(np.argmin(np.abs(some - part * some[-1]))) for part in (1 / 8, 1 / 4, 1 / 2, 1)]
    rows = []
    for name, one in found.items():
        departure = one.departure(MARGIN)
        when = "not by the end" if departure.time is None else f"${_interval(departure.earliest, departure.time)}$"
        cells = (f"{one.distance[i]:.3f} ({one.low[i]:.3f} to {one.high[i]:.3f})" for i in shown)
        rows.append([name, *cells, when])
    columns = ["gates", *(f"$t = {some[i]:g}$" for i in shown), f"exceeds {MARGIN:g} at"]
    return {"columns": columns, "rows": rows}


def _interval(earliest: float, latest: float) -> str:
    return f"t = {latest:g}" if earliest == latest else rf"{earliest:g} \leq t \leq {latest:g}"


def _end_table(losses: Mapping, ratios: Mapping, same: Mapping, reductions: Mapping) -> dict:
    rows = []
    for name, values in losses.items():
        cells = [name, f"{values[:, -1].mean():.4f}", "", f"{ratios[name][:, -1].mean():.4f}", "", ""]
        if name in reductions:
            for place, what in ((2, "loss"), (4, "participation ratio")):
                one = same[what][name]
                cells[place] = f"{one.distance[-1]:.3f} ({one.low[-1]:.3f} to {one.high[-1]:.3f})"
            cells[5] = f"{reductions[name].factor:.1f} ± {reductions[name].standard_error:.1f}"
        rows.append(cells)
    columns = ["gates", "loss", "its distance", "participation ratio", "its distance", "variance ratio"]
    return {"columns": columns, "rows": rows}


def _data(
    question: Problem,
    flips: np.ndarray,
    losses: Mapping,
    ratios: Mapping,
    found: Mapping,
    same: Mapping,
    reductions: Mapping,
) -> dict:
    def mean(values: np.ndarray) -> dict:
        return {"mean": values.mean(axis=0), "standard_error": values.std(axis=0, ddof=1) / np.sqrt(len(values))}

    data = {
        "times": [float(time) for time in question.training.times],
        "flips": mean(flips),
        "loss": {name: mean(values) for name, values in losses.items()},
        "participation_ratio": {name: mean(values) for name, values in ratios.items()},
        "weight_distance": {name: _band(one) for name, one in found.items()},
        "loss_distance": {name: _band(one) for name, one in same["loss"].items()},
        "participation_ratio_distance": {name: _band(one) for name, one in same["participation ratio"].items()},
        "variance_reduction": {name: vars(one) for name, one in reductions.items()},
    }
    return _rounded(plain(data))


def _band(one: Meter) -> dict:
    departure = one.departure(MARGIN)
    numbers = {name: getattr(one, name) for name in ("plain", "distance", "low", "high")}
    return {**numbers, "departs": departure.time, "departs_no_earlier_than": departure.earliest}


def _rounded(value):
    if isinstance(value, float):
        return float(f"{value:.{_SIGNIFICANT}g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


def draw(content: Mapping) -> None:
    """The figure of stored measurements, beside the pages of the book."""
    data = content["data"]
    meters = {
        name: Meter(
            np.array(data["times"]),
            *(np.array(band[key]) for key in ("plain", "distance", "low", "high")),
            content["level"],
            content["replicates"],
        )
        for name, band in data["weight_distance"].items()
    }
    measured.FIGURES.mkdir(exist_ok=True)
    named = {f"gates {name}": one for name, one in meters.items()}
    figures.save(figures.distances(named, content["margin"]), measured.FIGURES / f"{NAME}.svg")


if __name__ == "__main__":
    found = run(problem(), progress=print)
    measured.write(NAME, found)
    draw(found)
