"""Networks with one hidden layer, trained in plain NumPy on the nonlinear Gaussian process.

Nothing here comes from the packages: the law, the networks and the gradients are written down from their definitions.
Arrays are (S, T, K, n): networks, times, units, sites.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

EXAMPLES = 4000  # fresh examples on which a loss and a flip are measured


@dataclass(frozen=True)
class Setting:
    """A training: x = erf(g z)/Z on a ring, Cov z = exp(-d^2/xi^2), label 1 at xi[0] and 0 at xi[1]."""

    xi: tuple[float, float]
    gain: float = 3.0
    n: int = 40
    units: int = 10
    scale: float = 0.1
    rate: float = 2.0
    batch: int = 500
    activation: str = "relu"
    half: bool = True
    biases: bool = False


@dataclass(frozen=True)
class Trained:
    """Weights and biases at the times that were asked for."""

    setting: Setting
    times: tuple[float, ...]
    w: np.ndarray
    hidden: np.ndarray
    output: np.ndarray


class Law:
    """Draws of x and y; the two roots of the covariances are symmetric."""

    def __init__(self, setting: Setting) -> None:
        n, self.gain = setting.n, np.float32(setting.gain)
        apart = np.abs(np.arange(n)[:, None] - np.arange(n))
        apart = np.minimum(apart, n - apart)
        self.roots = []
        for xi in setting.xi:
            values, vectors = np.linalg.eigh(np.exp(-((apart / xi) ** 2)))
            if values.min() < -setting.n * np.finfo(float).eps * values.max():
                raise ValueError(
                    f"exp(-d^2/{xi}^2) is no covariance on a ring of {n}: smallest eigenvalue {values.min()}."
                )
            self.roots.append(((vectors * np.sqrt(np.abs(values))) @ vectors.T).astype(np.float32))
        nodes, weights = np.polynomial.legendre.leggauss(400)  # E erf(g z)^2 on [-12, 12]
        density = np.exp(-((12 * nodes) ** 2) / 2) / np.sqrt(2 * np.pi)
        self.z = np.float32(np.sqrt(np.sum(12 * weights * density * erf(setting.gain * 12 * nodes) ** 2)))

    def draw(self, rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return x (rows, n) and y (rows): first the examples of label 1, as many as a fair coin says."""
        ones = rng.binomial(rows, 0.5)
        noise = rng.standard_normal((rows, len(self.roots[0])), dtype=np.float32)
        latent = np.concatenate([noise[:ones] @ self.roots[0], noise[ones:] @ self.roots[1]])
        return erf(self.gain * latent) / self.z, (np.arange(rows) < ones).astype(np.float32)


Gates = Callable[[int], np.ndarray | None]  # step -> weights (K, n) whose half-spaces open the units; None: their own


def train(setting: Setting, times: Sequence[float], seeds: Sequence[int], gates: Sequence[Gates] = ()) -> Trained:
    """Train one network for each seed by gradient descent on fresh batches; `gates`, one for each network, replay."""
    law, steps = Law(setting), [round(time / setting.rate) for time in times]
    kept = [_one(setting, law, steps, seed, gates[i] if gates else None) for i, seed in enumerate(seeds)]
    return Trained(setting, tuple(times), *(np.stack(part) for part in zip(*kept, strict=True)))


def _one(setting: Setting, law: Law, steps: list[int], seed: int, gates: Gates | None) -> tuple[np.ndarray, ...]:
    start, rng = (np.random.default_rng([seed, part]) for part in (0, 1))
    units = setting.units
    w = (setting.scale * start.standard_normal((units, setting.n))).astype(np.float32)
    hidden, output = np.zeros(units, np.float32), np.float32(0)
    rate = np.float32(setting.rate * (1 if setting.half else 2))
    kept: list[tuple[np.ndarray, ...]] = []
    for step in range(max(steps) + 1):
        if step in steps:
            kept.append((w.copy(), hidden.copy(), np.asarray(output)))
        x, y = law.draw(rng, setting.batch)
        value, slope = _units(setting.activation, x, w, hidden, gates(step) if gates else None)
        error = y - value.mean(axis=1) - output
        backward = slope * (error / (units * setting.batch))[:, None]
        w = w + rate * backward.T @ x
        if setting.biases:
            hidden = hidden + rate * backward.sum(axis=0)
            output = output + rate * error.mean()
    return tuple(np.stack([moment[part] for moment in kept]) for part in range(3))


def _units(
    activation: str, x: np.ndarray, w: np.ndarray, hidden: np.ndarray, gate: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the activations (rows, K) and their slopes."""
    h = x @ w.T + hidden
    if activation == "sigmoid":
        value = 1 / (1 + np.exp(-h))
        return value, value * (1 - value)
    opened = (h if gate is None else x @ gate.T) >= 0
    return opened * h, opened.astype(np.float32)


def losses(trained: Trained, seeds: Sequence[int], gates: Sequence[Gates] = ()) -> np.ndarray:
    """Return <(y - yhat)^2> on fresh examples, (S, T); the same examples for the same seed."""
    law, found = Law(trained.setting), np.zeros(trained.w.shape[:2])
    for s, seed in enumerate(seeds):
        x, y = law.draw(np.random.default_rng([seed, 2]), EXAMPLES)
        for t, time in enumerate(trained.times):
            gate = gates[s](round(time / trained.setting.rate)) if gates else None
            value, _ = _units(trained.setting.activation, x, trained.w[s, t], trained.hidden[s, t], gate)
            found[s, t] = np.mean((y - value.mean(axis=1) - trained.output[s, t]) ** 2, dtype=float)
    return found


def flips(trained: Trained, seeds: Sequence[int]) -> np.ndarray:
    """Return the share of pairs (unit, example) whose gates 1[w.x >= 0] differ between two times, (S, T, T)."""
    law, found = Law(trained.setting), []
    for s, seed in enumerate(seeds):
        x, _ = law.draw(np.random.default_rng([seed, 3]), EXAMPLES)
        opened = np.stack([x @ w.T >= 0 for w in trained.w[s]])
        found.append((opened[:, None] != opened).mean(axis=(2, 3)))
    return np.stack(found)


def ratio(w: np.ndarray) -> np.ndarray:
    """Return sum w^4/(sum w^2)^2 over the sites."""
    w = w.astype(float)
    return np.sum(w**4, axis=-1) / np.sum(w**2, axis=-1) ** 2


def power(w: np.ndarray) -> np.ndarray:
    """Return the share of each frequency q = 0 .. n - 1 in sum_q |w^_q|^2."""
    square = np.abs(np.fft.fft(w.astype(float), axis=-1)) ** 2
    return square / square.sum(axis=-1, keepdims=True)


def low(w: np.ndarray) -> np.ndarray:
    """Return the share of the power at |q| <= n/4."""
    n = w.shape[-1]
    q = np.arange(n)
    return power(w)[..., np.minimum(q, n - q) <= n / 4].sum(axis=-1)


def length(w: np.ndarray) -> np.ndarray:
    """Return |w| of each unit."""
    return np.sqrt(np.sum(w.astype(float) ** 2, axis=-1))


def width(w: np.ndarray) -> np.ndarray:
    """Return the root mean square width on the ring: chords to the mean direction of the power, in sites."""
    n = w.shape[-1]
    share = w.astype(float) ** 2 / np.sum(w.astype(float) ** 2, axis=-1, keepdims=True)
    return n / (2 * np.pi) * np.sqrt(2 * (1 - np.abs((share * np.exp(2j * np.pi * np.arange(n) / n)).sum(axis=-1))))


def peak(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the frequency q <= n/2 of the largest power at q and -q, and its share."""
    n, share = w.shape[-1], power(w)
    both = np.stack([share[..., q] + (share[..., n - q] if 0 < 2 * q < n else 0) for q in range(n // 2 + 1)], axis=-1)
    return both.argmax(axis=-1), both.max(axis=-1)


def moved(early: np.ndarray, late: np.ndarray) -> np.ndarray:
    """Return by how many sites of the ring the largest |w_i| has moved."""
    n = early.shape[-1]
    steps = np.abs(np.abs(early).argmax(axis=-1) - np.abs(late).argmax(axis=-1))
    return np.minimum(steps, n - steps)
