"""Laws that draw their own examples, for tests: processes whose moments are known, and faulty ones."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import erf

from theory.problem import Network, NonlinearGP, NormalInitialisation, Problem, SiteGate, Training
from theory.problem.distributions.own import OwnLaw
from theory.problem.distributions.sampled import Estimate, SampledLaw
from theory.problem.user_code import allow

_DRAW = """import numpy as np

X, CATEGORY = (np.load({place!r})[name] for name in ("x", "category"))


def draw(generator, rows):
    index = generator.integers(0, len(X), rows)
    return X[index], CATEGORY[index]
"""


def drawn_from(folder, x, y, examples):
    """The law of a user whose function, in `folder`, draws rows of x with their labels y."""
    labels, category, counts = np.unique(y, return_inverse=True, return_counts=True)
    np.savez(folder / "rows.npz", x=x, category=category)
    (folder / "law.py").write_text(_DRAW.format(place=str(folder / "rows.npz")))
    path = f"{folder}/law.py:draw"
    allow({"path": path})
    priors = [Fraction(int(count), len(y)) for count in counts]
    return OwnLaw(x.shape[1], labels.tolist(), priors, path=path, estimate={"examples": examples})


GATES = (SiteGate(1, lo=0, on="input"), SiteGate(1, hi=0, on="input"))
HERMITE = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Process(SampledLaw):
    """The nonlinear Gaussian process drawn by its definition: erf(g z)/Z, Z by quadrature."""

    estimate: Estimate = field(default_factory=Estimate)
    n: int = 4
    xi: tuple = (2, 1)
    gain: float = 1.0
    labels: tuple = (1, 0)
    priors: tuple = ()

    law: ClassVar[str] = "process"

    @cached_property
    def _made(self):
        site = np.arange(self.n)
        apart = (site[:, None] - site) ** 2
        roots = [np.linalg.cholesky(np.exp(-apart / xi**2)) for xi in self.xi]
        nodes, weights = HERMITE
        return np.stack(roots), np.sqrt(weights @ erf(self.gain * nodes) ** 2 / weights.sum())

    def draw(self, generator, rows):
        roots, normaliser = self._made
        category = generator.integers(0, 2, rows)
        z = np.einsum("bij,bj->bi", roots[category], generator.standard_normal((rows, self.n)))
        return erf(self.gain * z) / normaliser, category


@dataclass(frozen=True)
class Regression(SampledLaw):
    """Normal inputs times `scales`, moved by the label along `along`."""

    scales: tuple = (1.0, 1.0, 1.0)
    along: tuple = (0.5, 0.0, 0.0)
    repeated: bool = False
    labels: tuple = (1, -1)
    priors: tuple = ()
    shares: float = 0.5
    estimate: Estimate = field(default_factory=lambda: Estimate(6400, 0))

    law: ClassVar[str] = "regression"

    @property
    def n(self):
        """The number of sites."""
        return len(self.scales) + self.repeated

    def draw(self, generator, rows):
        category = (generator.random(rows) >= self.shares).astype(int)
        x = generator.standard_normal((rows, len(self.scales))) * self.scales
        x += np.where(category == 0, 1, -1)[:, None] * self.along
        return (np.concatenate([x, x[:, :1]], axis=1) if self.repeated else x), category


def exact_process():
    """The same law with exact moments."""
    return NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))


def problem(law, gates=GATES, times=(1, 8), biases="none", **network):
    """A gated-linear network on the law."""
    start = NormalInitialisation(Fraction(1, 10), 3)
    further = {"hidden_bias0": start, "output_bias0": 0} if biases != "none" else {}
    return Problem(
        law,
        Network("gated-linear", network.get("readout", "mean"), len(gates), gates, biases),
        Training("half-mse", 1, start, times, **further),
    )
