"""The measures of the experiments of the notes: values of each statement on cells made by hand.

Expected values follow from the words of the rules and of the notes; moments are those of the exact theory.
"""

from itertools import pairwise

import numpy as np
import pytest

from derivations.reproductions.sources import bump_flow, notes_general, notes_redundant, notes_single
from tests.derivations.reproductions.made_cells import runs, wrong
from tests.tolerances_of_reproductions import MODE_RATE, ROUNDED
from theory.moments import gated_moments

NOISE = 3 / 42  # 3/(n + 2) of 40 Gaussian weights


def gains():
    """Ratios at ten gains, which count as equally spaced: a slope has the weights -9, -7, ..., 9 over 165."""
    places = ("0.01", "0.0278", "0.0774", "0.215", "0.599", "1.67", "4.64", "12.9", "35.9", "100")
    ratios = np.array(
        [
            [0.05, 0.04, 0.06, 0.08, 0.2, 0.5, 0.55, 0.7, 0.65, 0.8],
            [0.1, 0.12, 0.11, 0.15, 0.16, 0.3, 0.6, 0.61, 0.9, 0.85],
        ]
    )
    order = (3, 0, 9, 5, 7, 1, 2, 8, 6, 4)
    cells = [cell for place in order for cell in runs({"gain": float(places[place])}, {"ratio": ratios[:, place]})]
    weights = np.array([-9, -7, -5, -3, -1, 1, 3, 5, 7, 9]) / 165
    expected = {
        "trend": [sum(w * r for w, r in zip(weights, row, strict=True)) for row in ratios],
        "ends": [0.75, 0.75],
    }
    steps = ([0.02, 0.12, 0.3, 0.05, 0.15], [0.04, 0.01, 0.14, 0.3, 0.01])
    for (low, high), *changes in zip(pairwise(places[2:8]), *steps, strict=True):
        expected[f"from {low} to {high}"] = changes
    return cells, expected


def orders():
    """Long first: ratios above that of noise, and much low frequency; short first: less than half of it."""
    numbers = {
        ("2 and 1", "none", "long"): {"ratio": (NOISE + 0.25, NOISE + 0.1), "low": (0.9, 0.8)},
        ("2 and 1", "none", "short"): {"ratio": (0.01, 0.02), "low": (0.3, 0.1)},
        ("2 and 1", "trained", "long"): {"ratio": (NOISE + 0.05, NOISE + 0.3), "low": (0.7, 0.95)},
        ("2 and 1", "trained", "short"): {"ratio": (0.03, 0.04), "low": (0.45, 0.2)},
        ("3 and 2", "none", "long"): {"ratio": (NOISE + 0.5, NOISE + 0.15), "low": (0.6, 0.85)},
        ("3 and 2", "none", "short"): {"ratio": (0.05, 0.06), "low": (0.25, 0.15)},
    }
    cells = []
    for (lengths, biases, first), own in numbers.items():
        setting = {"lengths": lengths, "biases": biases, "first": first}
        cells += runs({**setting, "law": "process"}, own)
    for first in ("long", "short"):  # of the clone, which stands beside and is not judged
        setting = {"lengths": "2 and 1", "biases": "none", "first": first}
        cells += runs({**setting, "law": "clone"}, {"ratio": (0.9, 0.9), "low": (0.55, 0.55)})
    return cells, {
        "localizes, 2 and 1, no biases": [0.25, 0.1],
        "oscillates, 2 and 1, no biases": [0.2, 0.4],
        "orders, 2 and 1, no biases": [0.6, 0.7],
        "localizes, 2 and 1, biases": [0.05, 0.3],
        "oscillates, 2 and 1, biases": [0.05, 0.3],
        "orders, 2 and 1, biases": [0.25, 0.75],
        "localizes, 3 and 2, no biases": [0.5, 0.15],
        "oscillates, 3 and 2, no biases": [0.25, 0.35],
        "orders, 3 and 2, no biases": [0.35, 0.7],
    }


def pulses():
    numbers = {
        ("zero-one", "wide"): {"ratio": (NOISE + 0.2, NOISE + 0.1), "low": (0.9, 0.7)},
        ("zero-one", "narrow"): {"ratio": (0.01, 0.02), "low": (0.4, 0.1)},
        ("plus-minus", "wide"): {"ratio": (NOISE + 0.05, NOISE + 0.4), "low": (0.8, 0.6)},
        ("plus-minus", "narrow"): {"ratio": (0.03, 0.04), "low": (0.2, 0.35)},
    }
    cells = [
        cell for (support, first), own in numbers.items() for cell in runs({"support": support, "first": first}, own)
    ]
    return cells, {
        "localizes, zero-one": [0.2, 0.1],
        "oscillates, zero-one": [0.1, 0.4],
        "orders, zero-one": [0.5, 0.6],
        "localizes, plus-minus": [0.05, 0.4],
        "oscillates, plus-minus": [0.3, 0.15],
        "orders, plus-minus": [0.6, 0.25],
    }


def replayed():
    """Differences from the ReLU network with the gates of the start, of the end, and in pieces."""
    numbers = {
        "start error": (0.9, 0.8),
        "end error": (0.005, -0.002),
        "pieces error": (0.7, 0.6),
        "start ratio": (0.5, 0.4),
        "end ratio": (0.08, -0.03),
        "pieces ratio": (0.3, 0.2),
        "start apart": (1.0, 0.9),
        "end apart": (0.4, 0.75),
        "pieces apart": (0.6, 0.3),
    }
    return runs({}, numbers), {
        "error": [0.005, -0.002],
        "localization": [0.08, -0.03],
        "end nearer": [0.6, 0.15],
        "evolving nearer": [0.4, 0.6],
    }


def sigmoid():
    """With long lengths first erf units exceed sigmoid ones by 0.2 and 0.1 in the share, else they are below them."""
    numbers = {
        ("erf", "long", "trained"): {"low": (0.9, 0.8), "ratio": (0.05, 0.09), "error": (0.11, 0.12)},
        ("sigmoid", "long", "trained"): {"low": (0.7, 0.7), "ratio": (0.04, 0.06), "error": (0.1, 0.15)},
        ("erf", "short", "trained"): {"low": (0.2, 0.3), "ratio": (0.07, 0.05), "error": (0.13, 0.14)},
        ("sigmoid", "short", "trained"): {"low": (0.25, 0.6), "ratio": (0.09, 0.1), "error": (0.05, 0.06)},
        ("sigmoid", "long", "none"): {"low": (0.5, 0.4), "ratio": (0.3, 0.2), "error": (0.26, 0.25)},
    }
    cells = [
        cell
        for (model, first, biases), own in numbers.items()
        for cell in runs({"model": model, "first": first, "biases": biases}, own)
    ]
    third = 1 / 3
    return cells, {
        "low of erf not more, long first": [third - 0.2, third - 0.1],
        "low of erf not less, long first": [third + 0.2, third + 0.1],
        "ratio of erf not more, long first": [NOISE - 0.01, NOISE - 0.03],
        "ratio of erf not less, long first": [NOISE + 0.01, NOISE + 0.03],
        "low of erf not more, short first": [third + 0.05, third + 0.3],
        "low of erf not less, short first": [third - 0.05, third - 0.3],
        "ratio of erf not more, short first": [NOISE + 0.02, NOISE + 0.05],
        "ratio of erf not less, short first": [NOISE - 0.02, NOISE - 0.05],
        "biases needed": [0.16, 0.1],
    }


def signs():
    """Shares of flipped gates below a quarter; 5 of 40 places are near by chance."""
    numbers = {
        "long": {
            "flips since the start": (0.2, 0.05),
            "flips since half of the time": (0.1, 0.15),
            "early growth": (1.5, 2.0),
            "growth": (0.25, 0.5),
            "kurtosis": (3.0, 4.5),
            "near": (0.5, 0.9),
        },
        "short": {
            "flips since the start": (0.125, 0.225),
            "flips since half of the time": (0.025, 0.075),
            "early growth": (0.75, 1.25),
            "growth": (0.1, 0.3),
            "kurtosis": (7.0, 8.0),
            "near": (0.2, 0.3),
        },
    }
    cells = [cell for first in ("short", "long") for cell in runs({"first": first}, numbers[first])]
    return cells, {
        "constant since the start, long first": [0.05, 0.2],
        "constant since half of the time, long first": [0.15, 0.1],
        "grows early, long first": [1.5, 2.0],
        "grows, long first": [0.25, 0.5],
        "constant since the start, short first": [0.125, 0.025],
        "constant since half of the time, short first": [0.225, 0.175],
        "grows early, short first": [0.75, 1.25],
        "grows, short first": [0.1, 0.3],
        "non-Gaussian, long first": [3.0, 4.5],
        "around its mode, long first": [0.5 - 5 / 40, 0.9 - 5 / 40],
    }


def besides(coefficients, direction, *others):
    """Vectors with these least-squares coefficients along a direction, besides which they have a part across.

    The part across is also perpendicular to the other vectors.
    """
    basis, _ = np.linalg.qr(np.stack([direction, *others], axis=1))
    across = np.random.default_rng(len(direction)).normal(size=len(direction))
    across -= basis @ (basis.T @ across)
    return [c * direction + across * np.linalg.norm(direction) for c in coefficients]


def underway(A, b, units, exponents, starts):
    """Weights at the start and on the way, whose largest mode has come nearer to its end by these exponents.

    The mode is that of the largest entry of P^T A^-1 b; it ends at `units` times that entry.
    """
    values, P = np.linalg.eigh(A)
    ends = units * (P.T @ np.linalg.solve(A, b))
    mode = int(np.abs(ends).argmax())
    first, last = [], []
    for start, exponent in zip(starts, exponents, strict=True):
        u = np.linspace(0.1, 0.4, len(b))  # what the other modes do has no part
        u[mode] = start * ends[mode]
        first.append(P @ u)
        u = np.linspace(0.3, -0.2, len(b))
        u[mode] = ends[mode] * (1 - (1 - start) * np.exp(-exponent))
        last.append(P @ u)
    return values[mode], first, last


def split(name, rows, units=3):
    """The weights of the units, from rows with one unit after another."""
    return {f"{name} w{unit + 1}": np.split(np.stack(rows), units, axis=1)[unit] for unit in range(units)}


def general():
    """Limits along A^-1 b, and rates over lambda/(K tau) for the mean of (3) and lambda/tau for the sum."""
    cells, expected = [], {}
    settings = {"mean": ([1.25, 0.75], [0.5, 0.8]), "sum": ([0.9, 1.5], [1.1, 0.7])}
    for readout, (limits, rates) in settings.items():
        setting = {"readout": readout, "positive": "long", "until": "end", "networks": 2}
        moments = gated_moments(notes_general.problem(setting, 0))
        A, b = moments.A, moments.b
        solution = np.linalg.solve(A, b)
        least = 0.5 - b @ solution
        ends = split("last", besides(limits, solution)) | split("first", np.zeros((2, len(b))))
        cells += runs(setting, {**ends, "error": (1.1 * least, 1.2 * least)})
        units = {"mean": 3, "sum": 1}[readout]
        way = {**setting, "until": "way"}
        time = float(notes_general.problem(way, 0).training.times[-1])
        value = underway(A, b, units, (0, 0), (0, 0))[0]
        printed = value * time / units
        _, first, last = underway(A, b, units, [rate * printed for rate in rates], (0.2, -0.1))
        cells += runs(way, {**split("first", first), **split("last", last), "error": (7, 8)})
        expected |= {f"limit, {readout}": limits, f"rate, {readout}": rates}
        if readout == "mean":
            other = {**setting, "positive": "short"}
            cells += runs(other, {**split("first", first), **split("last", last), "error": (1.65 * least, 1.5 * least)})
    return cells, expected | {"error": [1.1, 1.2], "labels": [1.5, 1.25]}


def single():
    """Of the last gate alone: limits along A_11^-1 b_1, and rates over lambda/(K tau), for K = 1 and 3."""
    cells, expected = [], {}
    for gates, units, limits, rates in (("three", 3, [1.5, 0.6], [0.4, 0.9]), ("one", 1, [0.8, 1.2], [1.3, 0.7])):
        setting = {"gates": gates, "until": "end", "networks": 2}
        moments = gated_moments(notes_single.problem(setting, 0))
        A, b = moments.sigma_xx[-1, -1], moments.sigma_yx[-1]
        zeros = np.zeros((2, len(b)))
        ends = besides(limits, np.linalg.solve(A, b))
        cells += runs(setting, {"first w": zeros, "last w": ends, "error": (1, 1)})
        way = {**setting, "until": "way"}
        time = float(notes_single.problem(way, 0).training.times[-1])
        value = underway(A, b, units, (0, 0), (0, 0))[0]
        _, first, last = underway(A, b, units, [rate * value * time / units for rate in rates], (0.1, 0.3))
        cells += runs(way, {"first w": first, "last w": last, "error": (1, 1)})
        expected |= {f"limit, {gates}": limits, f"rate, {gates}": rates}
    return cells, expected


def redundant():
    """With Delta = (w_1(0) - w_2(0))/2 the units end at their mean and 1.5 or 0.75 Delta beside it, and a part across.

    The change of w_1 - w_2 is then twice 1/2 or -1/4 Delta with this part.
    """
    setting = {"until": "end", "networks": 2}
    moments = gated_moments(notes_redundant.problem(setting, 0))
    A, b = moments.sigma_xx[0, 0], moments.sigma_yx[0]
    solution = np.linalg.solve(A, b)
    rng = np.random.default_rng(4)
    first = [rng.normal(size=(2, len(b))) for _ in range(2)]
    deltas = (first[0] - first[1]) / 2
    shares, means = (1.5, 0.75), (0.4, 0.6)
    aside = np.stack([besides([c], delta)[0] for c, delta in zip(shares, deltas, strict=True)])
    centres = np.stack(besides(means, solution))
    numbers = {"first w1": first[0], "first w2": first[1], "last w1": centres + aside, "last w2": centres - aside}
    cells = runs(setting, {**numbers, "error": (1, 1)})
    way = {**setting, "until": "way"}
    time = float(notes_redundant.problem(way, 0).training.times[-1])
    value = underway(A, b, 1, (0, 0), (0, 0))[0]
    rates = [0.8, 1.25]
    _, start, now = underway(A, b, 1, [rate * value * time / 2 for rate in rates], (0.1, -0.2))
    apart = rng.normal(size=(2, len(b)))
    numbers = {"first w1": start + apart, "first w2": start - apart, "last w1": now - apart, "last w2": now + apart}
    cells += runs(way, {**numbers, "error": (1, 1)})
    return cells, {
        "difference": [2 * np.abs(own - delta).max() for own, delta in zip(aside, deltas, strict=True)],
        "mean": means,
        "first": shares,
        "second": [-share for share in shares],
        "rate": rates,
    }


def printed_moments(xi, gain=1.0):
    """(7) and (8) as the note prints them, for the gate at i = 20; (8) without its row k = i, with sigma_1^2 said."""
    site = np.arange(40)
    rho = np.exp(-((site[:, None] - site) ** 2) / xi**2)
    own = rho[20]
    yx = np.arctan(np.sqrt(own**2 / (1 / (2 * gain**2) + 1 - own**2))) / np.pi
    k = np.delete(site, 20)
    ik, il, kl = own[k][:, None], own[None], rho[k]
    rest = 1 - ik**2
    variance = 1 - (il**2 - 2 * ik * il * kl + kl**2) / rest
    c = gain / np.sqrt(1 + 2 * gain**2 * variance)
    a_i, a_k = (kl - il * ik) / rest * c, (il - kl * ik) / rest * c
    return yx, np.arctan(np.sqrt(2) * (ik + a_i) / np.sqrt(1 + 2 * a_k**2 * rest)) / np.pi


def bump():
    """Moments with known coefficients along (7) and (8), and weights along A^-1 b; those of the clone have no part."""
    coefficients = {
        "long first": {"(7)": [0.5, 0.75], "(8)": [1.25, 1.5], "7c": [0.9, 1.1], "8c": [0.6, 0.7], "(4)": [2, 1.75]},
        "short first": {"(7)": [0.3, 0.4], "(8)": [1.75, 0.8], "7c": [1.2, 0.8], "8c": [0.2, 0.1], "(4)": [3, 1.5]},
    }
    cells, expected = [], {}
    for order, own in coefficients.items():
        yx, xx = printed_moments({"long first": 2.0, "short first": 1.0}[order])

        def whole(shown):
            """The rows of (8) with a row k = i, which has no part."""
            return [np.insert(row.reshape(39, 40), 20, 50.0, axis=0).ravel() for row in shown]

        setting = {"order": order, "law": "process", "networks": 2, "samples": 1}
        moments = gated_moments(bump_flow.problem(setting, 0))
        weights = np.stack(besides(own["(4)"], np.linalg.solve(moments.A, moments.b)))
        numbers = {
            "yx": besides(own["(7)"], yx),
            "yx in class 1": besides(own["7c"], yx),
            "xx": whole(besides(own["(8)"], xx.ravel())),
            "xx in class 1": whole(besides(own["8c"], xx.ravel())),
            "cross": (0.25, len(order) / 64),
            "w1": weights[:, :40],
            "w2": weights[:, 40:],
            "error": (1, 1),
        }
        cells += runs(setting, numbers)
        cells += runs({**setting, "law": "clone"}, {name: 2 * np.asarray(rows) for name, rows in numbers.items()})
        expected |= {f"{name}, {order}": own[name] for name in ("(7)", "(8)", "(4)")}
        expected |= {f"{name} in class 1, {order}": own[key] for name, key in (("(7)", "7c"), ("(8)", "8c"))}
        expected[f"cross, {order}"] = [0.25, len(order) / 64]
    return cells, expected


CASES = {
    "notes-gain": (gains, ROUNDED),
    "notes-orders": (orders, ROUNDED),
    "notes-single-pulse": (pulses, ROUNDED),
    "notes-replay": (replayed, ROUNDED),
    "notes-sigmoid": (sigmoid, ROUNDED),
    "notes-signs": (signs, ROUNDED),
    "notes-general": (general, MODE_RATE),
    "notes-single-gate": (single, MODE_RATE),
    "notes-redundant-gates": (redundant, MODE_RATE),
    "bump-flow": (bump, MODE_RATE),
}


@pytest.mark.parametrize("name", CASES)
def test_a_measure_has_the_values_of_its_statements(name):
    made, tolerance = CASES[name]
    assert wrong(name, *made(), tolerance) == {}
