"""The tables of the page on data laws: statistics of every example, and the matched controls, from their definitions.

Laws of finitely many inputs are enumerated in fractions, the others integrated. The controls are computed in NumPy: a
covariance is a double integral over two inputs, and the latents of Laplace inputs are found from it by a root.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.optimize import brentq
from scipy.special import erf, log_ndtr, ndtr

from tests.pages import gaussians, laws, marginals
from tests.pages.evidence import number, printed_as
from tests.pages.numerics import DIGITS
from tests.pages.reading import Unit, cells, claimed, see, tables

PAGE = "data-laws"
NEIGHBOUR = mp.exp(mpf(-1) / 4)  # the correlation of neighbours at length 2
Inputs = list[tuple[Fraction | float, Sequence[int]]]


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(DIGITS):
        yield


def named(head: str) -> list[Unit]:
    """The rows of the table with this head."""
    return next(table for table in tables(PAGE) if head in cells(table[0].text))


def signed(text: str) -> str:
    """A number with the sign that mpmath reads."""
    return text.replace("−", "-")


# --- statistics of the examples -------------------------------------------------------------------------------------


def rectangles() -> Inputs:
    """One row and two or three columns anywhere on a torus of 4 x 4 sites."""
    found = []
    for width, top, left in product((2, 3), range(4), range(4)):
        covered = {(top, (left + step) % 4) for step in range(width)}
        found.append((Fraction(1, 32), [int(divmod(site, 4) in covered) for site in range(16)]))
    return found


def two_pulses() -> Inputs:
    """The sum of two independent pulses of two sites on a ring of eight."""
    one = list(laws.pulses(8, 2, 2))
    return [(p * q, [a + b for a, b in zip(u, v, strict=True)]) for (p, u), (q, v) in product(one, repeat=2)]


def spins(count: int, bonds: Sequence[tuple[int, int]], coupling: float) -> Inputs:
    """All spins with their Boltzmann weights."""
    states = list(product((-1, 1), repeat=count))
    weights = [np.exp(coupling * sum(x[i] * x[j] for i, j in bonds)) for x in states]
    total = sum(weights)
    return [(weight / total, x) for weight, x in zip(weights, states, strict=True)]


LINE = [(i, i + 1) for i in range(7)]
GRID = [(3 * i + j, 3 * i + j + 1) for i in range(3) for j in range(2)] + [(i, i + 3) for i in range(6)]
LISTED: dict[str, Callable[[], Inputs]] = {
    "single-pulse": lambda: list(laws.pulses(8, 2, 3)),
    "pulses": two_pulses,
    "bars": rectangles,
    "finite": lambda: [(Fraction(1, 4), x) for x in ((1, 1, 0), (0, 1, 1), (1, 0, -1), (-1, 0, 1))],
    "ising": lambda: spins(8, LINE, np.arctanh(np.exp(-1 / 2))),
    "ising-2d": lambda: spins(9, GRID, 0.4),
}


def erf_inputs() -> tuple:
    """Variance, excess kurtosis and covariance of erf(z)/Z."""
    second = gaussians.erf_erf(mpf(1), mpf(1))
    return 1, marginals.kurtosis(mp.erf), gaussians.erf_erf(mpf(1), NEIGHBOUR) / second


def student(dof: int) -> tuple:
    """The same of a Student t: E x^4/(E x^2)^2 from the integrals of its density."""

    def moment(order: int) -> mpf:
        density = lambda x: (1 + x * x / dof) ** (-mpf(dof + 1) / 2)  # noqa: E731
        return mp.quad(lambda x: x**order * density(x), [0, 1, 10, mp.inf])

    return 1, moment(4) * moment(0) / moment(2) ** 2 - 3, NEIGHBOUR


def contaminated() -> tuple:
    """The same where r = 3 with probability 1/10 and 1 otherwise: E z^4 = 3."""
    second, fourth = ((9 * 1 + 3**order) / Fraction(10) for order in (2, 4))
    return 1, 3 * fourth / second**2 - 3, NEIGHBOUR


def two_clusters() -> tuple:
    """The same of s + z with a random sign s that all sites share."""
    variance, fourth = 1 + 1, 1 + 6 * 1 * 1 + 3
    return variance, Fraction(fourth, variance**2) - 3, 1 + NEIGHBOUR


INTEGRATED: dict[str, Callable[[], tuple]] = {
    "nlgp": erf_inputs,
    "nlgp-2d": erf_inputs,
    "gaussian-clone": lambda: (1, 0, erf_inputs()[2]),
    "student-t": lambda: student(5),
    "elliptical": contaminated,
    "mixture": two_clusters,
}


def moments(inputs: Inputs) -> tuple:
    """Variance, excess kurtosis and covariance at the middle site and the next one."""
    site = len(inputs[0][1]) // 2
    mean = [sum(p * x[j] for p, x in inputs) for j in (site, site + 1)]
    second, fourth = (sum(p * (x[site] - mean[0]) ** order for p, x in inputs) for order in (2, 4))
    together = sum(p * (x[site] - mean[0]) * (x[site + 1] - mean[1]) for p, x in inputs)
    return second, fourth / second**2 - 3, together


def told_marginal(inputs: Inputs) -> dict[int, Fraction | float]:
    """The probabilities of the values at the middle site."""
    found: dict[int, Fraction | float] = {}
    for p, x in inputs:
        value = x[len(x) // 2]
        found[value] = found.get(value, 0) + p
    return found


def test_statistics_of_the_examples():
    rows = named("excess kurtosis")[2:]
    assert len(rows) == len(LISTED) + len(INTEGRATED)
    seen = set()
    for unit in rows:
        name, _, _, marginal, *shown = cells(unit.raw)
        name = name.strip("`")
        seen.add(name)
        values = moments(LISTED[name]()) if name in LISTED else INTEGRATED[name]()
        assert len(shown) == len(values)
        for text, value in zip(shown, values, strict=True):
            assert printed_as(signed(text), value), f"{name}: {text}, recomputed {value}"
        if name in LISTED:
            told = dict(pair.rstrip(")").split(" (") for pair in signed(marginal).split(", "))
            found = told_marginal(LISTED[name]())
            assert {int(x) for x in told} == set(found), name
            assert all(printed_as(p, found[int(x)]) for x, p in told.items()), name
        elif name.startswith("nlgp"):
            end = 1 / mp.sqrt(gaussians.erf_erf(mpf(1), mpf(1)))
            assert printed_as(marginal.removeprefix("a density between ±"), end)
        else:
            assert marginal == "a density on the line"
    assert seen == set(LISTED) | set(INTEGRATED)


# --- the controls -----------------------------------------------------------------------------------------------------

SITES, SITE, LENGTHS, UNITS = 40, 20, (2.0, 1.0), 2
Odd = Callable[[np.ndarray], np.ndarray]


@cache
def half_line() -> tuple[np.ndarray, np.ndarray]:
    """Gauss and Legendre's nodes and weights on [0, 12], panel by panel."""
    x, weight = np.polynomial.legendre.leggauss(20)
    starts = np.array([0.0, 0.5, 1, 2, 3, 4, 6, 8, 10])
    half = np.diff(np.append(starts, 12))[:, None] / 2
    return (starts[:, None] + half * (1 + x)).ravel(), (half * weight).ravel()


def density(x: np.ndarray) -> np.ndarray:
    """The density of a standard normal number."""
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def together(f: Odd, rho: float) -> float:
    """E f(z_1) f(z_2) of an odd f: the quadrant of equal signs twice, less that of opposite ones."""
    x, weight = half_line()
    if rho == 1:
        return float(2 * weight @ (f(x) ** 2 * density(x)))
    values, rest = weight * f(x), 1 - rho**2
    squares = x[:, None] ** 2 + x**2
    kernel = [np.exp(-(squares - 2 * sign * rho * np.outer(x, x)) / (2 * rest)) for sign in (1, -1)]
    return float(2 * values @ (kernel[0] - kernel[1]) @ values / (2 * np.pi * np.sqrt(rest)))


def beyond_zero(f: Odd, rho: float) -> float:
    """E 1[z_1 >= 0] f(z_2) of an odd f: 2 Phi(h x) - 1 is left of the step, given |z_2| = x."""
    x, weight = half_line()
    left = np.ones_like(x) if rho == 1 else 2 * ndtr(rho * x / np.sqrt(1 - rho**2)) - 1
    return float(weight @ (f(x) * density(x) * left))


Z = np.sqrt(together(erf, 1.0))
FUNCTIONS: dict[str, Odd] = {
    "erf": lambda x: erf(x) / Z,
    "Gaussian": lambda x: x,
    "Laplace": lambda x: -(np.log(2) + log_ndtr(-x)) / np.sqrt(2),  # P(f(z) > a) = exp(-a sqrt(2))/2
}


@cache
def kernel(name: str, length: float) -> tuple[float, ...]:
    """The correlation of the latent by lag; for Gaussian and Laplace inputs that with the covariance of erf inputs."""
    lags = np.arange(SITES)
    if name == "exponential latent":
        return tuple(np.exp(-lags / length))
    latent = np.exp(-((lags / length) ** 2))
    if name not in ("Gaussian", "Laplace"):
        return tuple(latent)
    f, found = FUNCTIONS[name], [1.0]
    for rho in latent[1:]:
        wanted = together(FUNCTIONS["erf"], rho)
        found.append(brentq(lambda own, w=wanted: together(f, own) - w, -1e-6, 0.99, xtol=1e-13))
    return tuple(found)


@cache
def control(name: str) -> dict[str, float]:
    """The statements of the table on a control, by the heads of its columns."""
    f = FUNCTIONS.get(name, FUNCTIONS["erf"])
    lengths = LENGTHS[::-1] if name == "classes exchanged" else LENGTHS
    apart = np.abs(np.subtract.outer(np.arange(SITES), np.arange(SITES)))
    by_lag = [np.array([together(f, rho) for rho in kernel(name, length)]) for length in LENGTHS]
    whole = sum(own[apart] for own in by_lag) / 2
    force = np.array([beyond_zero(f, rho) for rho in kernel(name, lengths[0])])[apart[SITE]] / 2
    field = UNITS * np.linalg.solve(whole / 2, force)  # A = S/2 for each unit, which the other does not see
    rates = np.linalg.eigvalsh(whole / 2) / UNITS**2
    x, weight = half_line()
    return {
        "law": np.nan,
        "excess kurtosis": 2 * weight @ (f(x) ** 4 * density(x)) - 3,
        "covariance of neighbours": by_lag[0][1],
        "b at the site": force[SITE],
        "b beside it": force[SITE + 1],
        "least loss": 1 / 2 - force @ field,
        "w at the site": field[SITE],
        "w beside it": field[SITE + 1],
        "slowest rate": rates[0],
        "fastest rate": rates[-1],
    }


CONTROLS = ("erf", "Gaussian", "Laplace", "exponential latent", "classes exchanged")


@pytest.mark.parametrize("name", CONTROLS)
def test_controls(name):
    rows = [cells(unit.raw) for unit in named("least loss")[2:]]
    assert [row[0] for row in rows] == list(CONTROLS)
    shown = next(row for row in rows if row[0] == name)
    values = control(name)
    assert len(shown) == len(values)
    for text, (head, value) in list(zip(shown, values.items(), strict=True))[1:]:
        assert printed_as(signed(text), value), f"{name}, {head}: {text}, recomputed {value}"


LOSSES = "the least loss grows from {0.2792} through {0.3179} to {0.3465}"
QUARTER = "the gate gives bi = {1/4} mathbb E lvert xi rvert of class y = 1"


def test_sentences():
    (_, told), *_ = claimed(LOSSES)
    for text, name in zip(told, ("erf", "Gaussian", "Laplace"), strict=True):
        assert printed_as(text, control(name)["least loss"])
    (_, (quarter,)), *_ = claimed(QUARTER)
    size = 2 * gaussians.step_erf(mpf(1), mpf(1)) / mp.sqrt(gaussians.erf_erf(mpf(1), mpf(1)))  # E|x|
    assert printed_as(quarter, gaussians.gated_mean(mpf(0), mpf(1), mpf(2)) / size)


def test_matched_laws_share_covariances_and_rates():
    one = control("erf")
    for other in (control("Gaussian"), control("Laplace")):
        for head in ("covariance of neighbours", "slowest rate", "fastest rate"):
            assert printed_as(f"{one[head]:.9f}", other[head]), head


def test_a_wrong_number_is_noticed():
    assert not printed_as("0.2793", control("erf")["least loss"])
    assert not printed_as("0.2183", control("Gaussian")["b at the site"])
    assert number("1/4") == mpf(1) / 4


def mark() -> None:
    """Mark the tables and the sentences."""
    for head in ("excess kurtosis", "least loss"):
        for unit in named(head):
            see(unit)
    see(named("half-spaces at 0")[0])  # the thresholds
    for text in (LOSSES, QUARTER):
        claimed(text)
