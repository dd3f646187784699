"""`gdln bench sample`: examples a second of the samplers beside three common ways to draw a Gaussian process.

The law is x = erf(z)/Z on a line, a ring and a torus, with short and long correlation lengths, in float64 and float32;
every way draws ROWS examples at a time and applies erf. The ways:

    sim          the sampler that a run takes, by compiled loops where numba is installed
    cholesky     NumPy: the covariance factored once, then a matrix product; in float64, NumPy's default, and float32
    multivariate NumPy: Generator.multivariate_normal(method="cholesky"), which factors at every call
    fourier      random Fourier features, as spectral samplers of Gaussian-process libraries draw paths: FEATURES waves
                 of random frequency, Gaussian amplitudes. Its covariance is approximate; the error is that of one draw
                 of the frequencies
    rbf          the same with the features of scikit-learn's RBFSampler, where it is installed

A ring's covariance has a jitter of JITTER on the diagonal for NumPy's Cholesky factor, which rounding would stop.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from derivations.benchmarks.machine import one_thread
from theory.problem import (
    AlwaysGate,
    Network,
    NonlinearGP,
    NonlinearGP2D,
    NormalInitialisation,
    Problem,
    Simulation,
    Training,
)

ROWS, ROUNDS = 1000, 5
FEATURES = 1000
JITTER = 1e-9
SITES, SIDE = 400, 64
GOALS = {"line": 10, "ring": 10, "grid": 30, "torus": 30}


def laws(sites: int = SITES, side: int = SIDE) -> dict[tuple[str, int], NonlinearGP]:
    """The laws by shape and correlation length, equal in both classes.

    >>> [law.n for law in laws().values()]
    [400, 400, 400, 400, 4096, 4096, 4096]
    """

    def line(xi: int, boundary: str) -> NonlinearGP:
        return NonlinearGP(sites, (xi, xi), 1, boundary, "unit-variance", (1, 0))

    def grid(xi: int, boundary: str) -> NonlinearGP2D:
        return NonlinearGP2D((xi, xi), 1, boundary, "unit-variance", (1, 0), shape=(side, side))

    long = max(2, sites // 10)
    return {
        ("line", 2): line(2, "open"),
        ("line", long): line(long, "open"),
        ("ring", 2 if sites > 16 else 1): line(2 if sites > 16 else 1, "ring"),
        ("ring", max(1, sites // 40)): line(max(1, sites // 40), "ring"),
        ("grid", 2): grid(2, "open"),
        ("grid", max(3, side // 8)): grid(max(3, side // 8), "open"),
        ("torus", 2 if side > 8 else 1): grid(2 if side > 8 else 1, "torus"),
    }


def measure(sites: int = SITES, side: int = SIDE, rounds: int = ROUNDS) -> dict[str, Any]:
    """Microseconds of processor time an example, the best of some rounds, of every way for every law."""
    with one_thread("gdln bench sample"):
        cases = [_case(shape, xi, law, rounds) for (shape, xi), law in laws(sites, side).items()]
    return {"unit": "microseconds of processor time an example, one thread", "rows": ROWS, "cases": cases}


def _case(shape: str, xi: int, law: NonlinearGP, rounds: int) -> dict[str, Any]:
    from theory.problem import latent_correlation

    correlation = latent_correlation(law, 0)
    took, error = {}, {}
    for name, make in _WAYS.items():
        way = make(law, correlation)
        if way is not None:
            draw, error[name] = way
            took[name] = _best(draw, rounds) / ROWS * 1e6
    return {
        "shape": shape,
        "n": law.n,
        "xi": xi,
        "microseconds": took,
        "covariance error": error,
        "ratios": {f"{peer} / {own}": took[peer] / took[own] for own, peer in _COMPARED},
        "goal": GOALS[shape],
    }


Way = tuple[Callable[[], Any], float]


def _of_sim(name: str) -> Callable[[NonlinearGP, np.ndarray], Way]:
    def make(law: NonlinearGP, correlation: np.ndarray) -> Way:
        import torch

        from sim.random.streams import MEASUREMENT, stream
        from sim.training.backends.choice import compiled_sampler, fastest_normals

        cpu = torch.device("cpu")
        always = Network("gated-linear", "mean", 1, (AlwaysGate(),))
        training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
        problem = Problem(law, always, training, Simulation("online", ROWS, Fraction(1, 100), 2, 0, ROWS))
        sampler = compiled_sampler(problem, cpu, getattr(torch, name))
        own, room = stream(0, 0, MEASUREMENT, fill=fastest_normals(cpu)), sampler.room(1, ROWS)
        del correlation
        return lambda: sampler.draw([own], ROWS, room), 0.0

    return make


def _cholesky(name: str) -> Callable[[NonlinearGP, np.ndarray], Way]:
    def make(law: NonlinearGP, correlation: np.ndarray) -> Way:
        from scipy.special import erf

        n, rng, kind = law.n, np.random.default_rng(0), np.dtype(name)
        upper = np.linalg.cholesky(correlation + JITTER * np.eye(n)).T.astype(kind)
        return lambda: erf(rng.standard_normal((ROWS, n), dtype=kind) @ upper), JITTER

    return make


def _multivariate(law: NonlinearGP, correlation: np.ndarray) -> Way:
    from scipy.special import erf

    n, rng = law.n, np.random.default_rng(0)
    covariance = correlation + JITTER * np.eye(n)
    return lambda: erf(rng.multivariate_normal(np.zeros(n), covariance, size=ROWS, method="cholesky")), JITTER


def _fourier(law: NonlinearGP, correlation: np.ndarray) -> Way:
    """exp(-d^2/xi^2) is the mean of cos(omega d) over omega ~ N(0, 2/xi^2) along each axis."""
    from scipy.special import erf

    rng = np.random.default_rng(0)
    places = np.stack(np.unravel_index(np.arange(law.n), law.axes))
    waves = rng.standard_normal((FEATURES, len(places))) * np.sqrt(2) / float(law.xi[0])
    angle = waves @ places + 2 * np.pi * rng.random((FEATURES, 1))
    features = np.sqrt(2 / FEATURES) * np.cos(angle)
    return lambda: erf(rng.standard_normal((ROWS, FEATURES)) @ features), _error(features, correlation)


def _rbf(law: NonlinearGP, correlation: np.ndarray) -> Way | None:
    from importlib.util import find_spec

    if find_spec("sklearn") is None:
        return None
    from scipy.special import erf
    from sklearn.kernel_approximation import RBFSampler

    rng = np.random.default_rng(0)
    places = np.stack(np.unravel_index(np.arange(law.n), law.axes), axis=1)
    made = RBFSampler(gamma=1 / float(law.xi[0]) ** 2, n_components=FEATURES, random_state=0)
    features = np.ascontiguousarray(made.fit_transform(places).T)
    return lambda: erf(rng.standard_normal((ROWS, FEATURES)) @ features), _error(features, correlation)


def _error(features: np.ndarray, correlation: np.ndarray) -> float:
    """The largest error of an entry of the covariance. On rings it counts pairs that wrap around too."""
    return float(np.abs(features.T @ features - correlation).max())


_WAYS: dict[str, Callable[[NonlinearGP, np.ndarray], Way | None]] = {
    "sim float64": _of_sim("float64"),
    "sim float32": _of_sim("float32"),
    "cholesky float64": _cholesky("float64"),
    "cholesky float32": _cholesky("float32"),
    "multivariate": _multivariate,
    "fourier": _fourier,
    "rbf": _rbf,
}


_COMPARED = (
    ("sim float64", "cholesky float64"),
    ("sim float32", "cholesky float64"),
    ("sim float32", "cholesky float32"),
)


def _best(draw: Callable[[], Any], rounds: int) -> float:
    draw()  # compiles, and touches the memory
    took = []
    for _ in range(rounds):
        begin = time.process_time()
        draw()
        took.append(time.process_time() - begin)
    return min(took)


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [found["unit"]]
    for case in found["cases"]:
        took = ", ".join(f"{name} {value:.3g}" for name, value in case["microseconds"].items())
        ratios = ", ".join(f"{name} {ratio:.1f}" for name, ratio in case["ratios"].items())
        lines.append(
            f"  {case['shape']}, n = {case['n']}, xi = {case['xi']}: {took}\n    ratios: {ratios}; goal {case['goal']}"
        )
    return "\n".join(lines)
