"""The measures of the experiments of the notes: values of each statement on cells made by hand.

Expected values follow from the words of the rules and of the notes; moments are those of the exact theory.
"""

from itertools import pairwise

import numpy as np
import pytest

from derivations.reproductions.sources import bump_flow, notes_general, notes_redundant
from tests.derivations.reproductions.made_cells import runs, wrong
from tests.tolerances_of_reproductions import MODE_RATE, ROUNDED
from theory.moments import gated_moments


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
        "difference": [2 * np.abs(each - delta).max() for each, delta in zip(aside, deltas, strict=True)],
        "mean": means,
        "first": shares,
        "second": [-share for share in shares],
        "rate": rates,
    }


def printed_moments(xi, gain=1.0):
    """(7) and (8) as the note prints them, for the gate at i = 20; (8) without its row k = i, with sigma_1^2 said."""
    site = np.arange(40)
    rho = np.exp(-((site[:, None] - site) ** 2) / xi**2)
    each = rho[20]
    yx = np.arctan(np.sqrt(each**2 / (1 / (2 * gain**2) + 1 - each**2))) / np.pi
    k = np.delete(site, 20)
    ik, il, kl = each[k][:, None], each[None], rho[k]
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
    for order, each in coefficients.items():
        yx, xx = printed_moments({"long first": 2.0, "short first": 1.0}[order])

        def whole(shown):
            """The rows of (8) with a row k = i, which has no part."""
            return [np.insert(row.reshape(39, 40), 20, 50.0, axis=0).ravel() for row in shown]

        setting = {"order": order, "law": "process", "networks": 2, "samples": 1}
        moments = gated_moments(bump_flow.problem(setting, 0))
        weights = np.stack(besides(each["(4)"], np.linalg.solve(moments.A, moments.b)))
        numbers = {
            "yx": besides(each["(7)"], yx),
            "yx in class 1": besides(each["7c"], yx),
            "xx": whole(besides(each["(8)"], xx.ravel())),
            "xx in class 1": whole(besides(each["8c"], xx.ravel())),
            "cross": (0.25, len(order) / 64),
            "w1": weights[:, :40],
            "w2": weights[:, 40:],
            "error": (1, 1),
        }
        cells += runs(setting, numbers)
        cells += runs({**setting, "law": "clone"}, {name: 2 * np.asarray(rows) for name, rows in numbers.items()})
        expected |= {f"{name}, {order}": each[name] for name in ("(7)", "(8)", "(4)")}
        expected |= {f"{name} in class 1, {order}": each[key] for name, key in (("(7)", "7c"), ("(8)", "8c"))}
        expected[f"cross, {order}"] = [0.25, len(order) / 64]
    return cells, expected


CASES = {
    "notes-gain": (gains, ROUNDED),
    "notes-general": (general, MODE_RATE),
    "notes-redundant-gates": (redundant, MODE_RATE),
    "bump-flow": (bump, MODE_RATE),
}


@pytest.mark.parametrize("name", CASES)
def test_a_measure_has_the_values_of_its_statements(name):
    built, tolerance = CASES[name]
    assert wrong(name, *built(), tolerance) == {}
