"""The measures of the experiments on kernels, paths and the circle: values of each statement on cells made by hand.

Expected values follow from the words of the rules and of the sources.
"""

import numpy as np
import pytest

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.sources import dgn_fig_10, dlgn_fig_4
from tests.derivations.answers.recording import CloseSnapshot
from tests.derivations.reproductions import test_measures_of_notes, test_measures_on_images
from tests.derivations.reproductions.made_cells import drawn, runs, wrong
from tests.tolerances_of_reproductions import ROUNDED


def spectra():
    """Of 4 inputs the ideal sums are 1/2, 1, 3/2, 4 at d = 2, and 7/8, 7/4, 21/8, 4 at d = 4: k (1 - mu^(d-1)).

    Largest differences: at d = 2 0.6 and 1.0 (the trace of the second is 5) for w = 25, 0.1 and 0.2 for w = 500.
    """
    cells = [
        *runs({"depth": 4, "width": 500}, {"eigenvalues": ([0.75, 0.875, 0.875, 1.5], [0.8, 0.85, 1.0, 1.25])}),
        *runs({"depth": 2, "width": 25}, {"eigenvalues": ([0.2, 0.3, 0.4, 3.1], [0.3, 0.9, 1.2, 2.6])}),
        *runs({"depth": 4, "width": 25}, {"eigenvalues": ([0.5, 0.7, 0.8, 2.0], [0.25, 0.5, 1.0, 2.25])}),
        *runs({"depth": 2, "width": 500}, {"eigenvalues": ([0.4, 0.5, 0.5, 2.6], [0.5, 0.6, 0.6, 2.3])}),
    ]
    return cells, {
        "nearer, d = 2": [(0.6 - 0.1) / 4, (1.0 - 0.2) / 4],
        "conditioned, d = 2": [(0.9 - 0.5) / 4, 1.1 / 4 - 1.2 / 5],
        "nearer, d = 4": [(0.625 - 0.125) / 4, (1.0 - 0.1) / 4],
        "conditioned, d = 4": [(1.625 - 1.2) / 4, 1.65 / 3.9 - 0.75 / 4],
    }


def course(*logarithms):
    """Courses of |e_t|/|e_0|, one for each logarithm of the last value; the values before it have no part."""
    return [[1.0, 0.3, 0.7, np.exp(value)] for value in logarithms]


def depths():
    """-ln r and ln of the mean eigenvalue at the depths 2, 8, 12 and 20, which count as equally spaced.

    The slope over four places is 3/10 of the last less the first and 1/10 of the third less the second, over three
    places half of the last less the first. Depth 8 is the best one for w = 25 and 100, and 12 for w = 500.
    """
    places, cells, expected = ("2", "8", "12", "20"), [], {}
    for seed, (width, best) in enumerate(((25, "8"), (100, "8"), (500, "12"))):
        minus, flat = (drawn(*places, seed=2 * seed + k) for k in range(2))
        minus[best] += 100  # the fastest training is the deepest minimum
        minus = {depth: values / 100 for depth, values in minus.items()}
        flat = {depth: values / 100 for depth, values in flat.items()}
        for depth in places:
            numbers = {"trained": course(*-minus[depth]), "flat": np.exp(flat[depth])}
            cells += runs({"width": width, "depth": int(depth)}, numbers)
        for key, of in (("deeper", minus), ("flatter", flat)):
            expected[f"{key}, w = {width}"] = 0.3 * (of["20"] - of["2"]) + 0.1 * (of["12"] - of["8"])
        up, beyond = (minus[best] - minus["2"], minus[best] - minus["20"])
        expected[f"up to d = {best}, w = {width}"] = up / (2 if best == "12" else 1)
        expected[f"beyond d = {best}, w = {width}"] = beyond / (2 if best == "8" else 1)
    return cells, expected


def kinds():
    """ln r of both kinds at the depths 2, 6 and 20, and f, the mean of a spectrum (0, 3 f - 1, 1)."""
    places, names = ("2", "6", "20"), ("galu", "relu")
    fall = {name: drawn(*places, seed=seed) for seed, name in enumerate(names)}
    flat = {name: drawn(*places, low=50, seed=seed) for seed, name in enumerate(names)}
    cells = []
    for depth in places:
        numbers = {f"{name} trained": course(*-fall[name][depth] / 100) for name in names}
        spectra = {name: flat[name][depth] / 100 for name in names}
        numbers |= {f"{name} spectrum": [[0.0, 3 * f - 1, 1.0] for f in spectra[name]] for name in names}
        cells += runs({"width": 9, "depth": int(depth)}, numbers)
    galu, relu = (fall[name] for name in names)
    more = {depth: np.log(flat["galu"][depth] / flat["relu"][depth]) for depth in places}
    return cells, {
        "GaLU faster": sum(galu[depth] - relu[depth] for depth in places) / 300,
        "GaLU flatter": sum(more.values()) / 3,
        "GaLU faster with depth": (galu["20"] - galu["2"]) / 200,
        "GaLU flatter with depth": np.log(flat["galu"]["20"] / flat["galu"]["2"]) / 2,
    }


def rates():
    """Squares, kernels and norms at 26 steps, of which the steps 0, 1, 10 and 25 have a part."""

    def at(start, **other):
        series = np.full(dgn_fig_10.STEPS + 1, 77.0)
        series[0] = start
        for step, value in other.items():
            series[int(step[1:])] = value
        return series

    ten = 0.81**10
    cells = [
        *runs(
            {"depth": 6},
            {
                "square": (at(4, t1=3.2, t10=4 * 0.5 * ten), at(2, t1=1.5, t10=2 * 0.75 * ten)),
                "kernel": (at(2, t25=3), at(4, t25=4.5)),
                "norm": (at(16, t25=20), at(5, t25=6.875)),
            },
        ),
        *runs(
            {"depth": 2},
            {
                "square": (at(8, t1=6, t10=8 * 0.25 * ten), at(1, t1=0.9, t10=0.125 * ten)),
                "kernel": (at(5, t25=6), at(1, t25=2.5)),
                "norm": (at(24, t25=27), at(3, t25=5.25)),
            },
        ),
    ]
    return cells, {
        "rate, d = 2": [0.75, 0.9],
        "faster, d = 2": [0.75, 0.875],
        "kernel, d = 2": [0.2, 1.5],
        "norm, d = 2": [0.125, 0.75],
        "rate, d = 6": [0.8, 0.75],
        "faster, d = 6": [0.5, 0.25],
        "kernel, d = 6": [0.5, 0.125],
        "norm, d = 6": [0.25, 0.375],
    }


def learned(*epochs):
    """Errors that fall to a tenth of the start at an epoch; None for those that never do."""
    measured = np.array(dlgn_fig_4.EPOCHS)
    rows = []
    for start, epoch in zip((0.5, 0.8), epochs, strict=True):
        after = np.zeros(len(measured), bool) if epoch is None else measured >= epoch
        rows.append(np.where(measured == 0, start, np.where(after, start / 10, start * 0.105)))
    return rows


def halves():
    """Epochs at which halves are learned; one lower half never is, and counts the last epoch, 2,000."""
    numbers = {
        "relu moved": (0.7, 0.9),
        "dlgn moved": (0.8, 0.6),
        "fixed-dlgn moved": (0.1, 0.2),
        "relu upper": learned(5, 2),
        "relu lower": learned(100, 700),
        "dlgn upper": learned(1, 10),
        "dlgn lower": learned(None, 300),
        "fixed-dlgn upper": learned(20, 50),
        "fixed-dlgn lower": learned(7, 3),
        "fixed-dlgn waves": (0.6, 0.5),
        "dlgn waves": (0.2, 0.1),
        "relu waves": (3.0, 4.0),
        "upper half-spaces": ([0.125, 0.75], [0.25, 0.6875]),
    }
    not_judged = {name: np.asarray(values)[::-1] / 2 for name, values in numbers.items()}
    cells = [*runs({"optimiser": "sgd"}, not_judged), *runs({"optimiser": "adam"}, numbers)]
    return cells, {
        "far, relu": [0.2, 0.4],
        "upper first, relu": np.log([20, 350]),
        "ten times later, relu": np.log([2, 35]),
        "far, dlgn": [0.3, 0.1],
        "upper first, dlgn": np.log([2000, 30]),
        "ten times later, dlgn": np.log([200, 3]),
        "waves": np.log([3, 5]),
        "half-spaces turn": [0.625, 0.4375],
        "half-spaces": [0.75, 0.6875],
    }


CASES = {
    "dgn-fig-1": spectra,
    "dgn-fig-3": depths,
    "dgn-fig-4": kinds,
    "dgn-fig-10": rates,
    "dlgn-fig-4": halves,
}


@pytest.mark.parametrize("name", CASES)
def test_a_measure_has_the_values_of_its_statements(name):
    assert wrong(name, *CASES[name](), ROUNDED) == {}


# Experiments whose measures are differences, logarithms and means of their numbers, which are one number a run but for
# those with this word in their names: of these a run has so many.
SERIES = {
    "dgn-fig-5": ("training", 5),
    "dlgn-fig-7": ("paths", 4),
    "dlgn-fig-7-pytorch": ("paths", 4),
    "dlgn-fig-13": (" ", 3),
    "npk-kernel-scales": (" ", 3),
    "notes-single-gate": ("w", 40),
}


def measured(one):
    """The measures of an experiment on two runs of each setting with random numbers between 1 and 99."""
    rng = np.random.default_rng(0)
    word, length = SERIES.get(one.name, (None, 0))
    cells = []
    for setting in one.designs["full"].settings:
        shapes = {name: (2, length) if word is not None and word in name else (2,) for name in one.numbers}
        cells += runs(setting, {name: rng.uniform(1, 99, shape) for name, shape in shapes.items()})
    return {key: [float(f"{value:.9g}") for value in values] for key, values in one.measure(cells).items()}


def test_measures_are_the_stored_ones(snapshot):
    """Written when each statement had been compared with its value by hand."""
    by_hand = {*CASES, *test_measures_on_images.CASES, *test_measures_of_notes.CASES}
    results = {name: measured(one) for name, one in reproductions().items() if name not in by_hand}
    assert results == snapshot.use_extension(CloseSnapshot)
