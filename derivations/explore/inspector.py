"""Numbers of the gate inspector: E[1[w.x >= 0] x | class] for weights that a reader draws, by formulas and by samples.

The formulas are those of `theory.moments.relu_gates`: exact for weights at one or two sites and for Gaussian inputs,
and three approximations with their regimes. The samples use none of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore.gates import EXAMPLES, REPLICATES, examples
from derivations.explore.sites import sites_of
from derivations.explore.tables import table_csv
from derivations.statistics.alignment import middle
from derivations.statistics.intervals import share_interval
from theory.problem import InputError, Law, OutOfReachError, WorkbenchError

PRESETS = ("bump", "one site", "two sites", "wave", "flat")
_WIDTH = 2.0  # sites, of the bump
_DECIMALS = 3  # of the weights to start from
_PERIODS = 2
LEVEL = 0.05  # of the interval of a share


@dataclass(frozen=True)
class Inspection:
    """A gate 1[w.x >= 0] on the inputs of class `c`: its moment by each formula that there is, and from samples.

    `moments` has GateMoments of `theory.moments.relu_gates` by name, `refused` the reason for each other formula.
    `opened` is the share of inputs for which the gate is open, with the ends of its interval at the level LEVEL. Where
    the simulator was not asked, `measured`, `errors` and `opened` are None.
    """

    law: Law
    c: int
    w: Float[np.ndarray, " n"]
    moments: Mapping[str, Any]
    refused: Mapping[str, WorkbenchError]
    measured: Float[np.ndarray, " n"] | None
    errors: Float[np.ndarray, " n"] | None
    opened: tuple[float, float, float] | None

    @cached_property
    def distances(self) -> dict[str, tuple[float, float]]:
        """The largest distance of each formula from the samples, and the same in standard errors."""
        if self.measured is None:
            return {}
        by_formula = {}
        for name, moment in self.moments.items():
            apart = np.abs(moment.value - self.measured)
            known = self.errors > 0  # a site at which every example has the same product has no error
            by_formula[name] = float(apart.max()), float((apart[known] / self.errors[known]).max(initial=0.0))
        return by_formula


def formulas() -> dict[str, Callable[..., Any]]:
    """The formulas by the names that the view shows."""
    from theory.moments import relu_gates

    return {
        "exact": relu_gates.exact_moment,
        "gate on the latent": relu_gates.latent_direction,
        "central limit": relu_gates.clt,
        "large gain": relu_gates.large_gain,
    }


def inspect(law: Law, c: int, w: Float[np.ndarray, " n"], sample: bool = True) -> Inspection:
    """Return the moment of the gate by every formula and, with `sample`, from samples.

    Raises InputError for weights that are all zero or not one a site.
    """
    check(law, w)
    moments, refused = {}, {}
    for name, formula in formulas().items():
        try:
            _require_formulas(law)
            moments[name] = formula(law, c, {site: float(weight) for site, weight in enumerate(w) if weight})
        except WorkbenchError as error:
            refused[name] = error
    measured = _measured(law, c, w) if sample else (None, None, None)
    return Inspection(law, c, w, moments, refused, *measured)


def _require_formulas(law: Law) -> None:
    """Raise OutOfReachError for a law through whose weighted sums no moments are known."""
    from theory.moments.statistics import Stationary

    if not isinstance(law, Stationary):
        raise OutOfReachError(
            f"The law {law.law} has no formula for moments through a gate on w·x.", "The samples show the moment."
        )


def check(law: Law, w: Float[np.ndarray, " n"]) -> None:
    """Raise InputError unless `w` has a finite number for each site, not all of them zero."""
    if w.shape != (law.n,):
        raise InputError(f"The weights are {w.size} numbers; the law has n = {law.n} sites.", "Draw them again.", "w")
    if not np.isfinite(w).all() or not w.any():
        raise InputError("The weights need one that is not 0: a gate on w·x = 0 is always open.", "Draw one.", "w")


def _measured(
    law: Law, c: int, w: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"], tuple[float, float, float]]:
    """The mean of 1[w.x >= 0] x over the examples of the class, its standard error, and the share of open gates.

    The share comes with its interval.
    """
    sample = examples(law)
    x = sample.x.numpy()[sample.category.numpy() == c]
    gate = x @ w >= 0
    through = gate[:, None] * x
    opened = float(gate.mean()), *share_interval(int(gate.sum()), len(x), LEVEL)
    return through.mean(axis=0), through.std(axis=0, ddof=1) / np.sqrt(len(x)), opened


def preset(name: str, law: Law) -> Float[np.ndarray, " n"]:
    """Weights to start from: at one site, at two, a bump, a wave along the sites, or equal ones.

    >>> from theory.problem import LAWS, SinglePulse
    >>> preset("one site", SinglePulse(6, ((1, 2), (2, 3)), "zero-one", "none", (1, 0))).tolist()
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """
    site, centre = np.arange(law.n), middle(law)
    if name not in PRESETS:
        raise InputError(f"There are no weights called {name!r}.", f"Known: {', '.join(PRESETS)}.", "preset")
    w = {
        "bump": np.exp(-(((site - centre) / _WIDTH) ** 2)),
        "one site": site == centre,
        "two sites": (site == centre) | (site == (centre + 1) % law.n),
        "wave": np.cos(2 * np.pi * _PERIODS * (site - centre) / law.n),
        "flat": np.ones(law.n),
    }[name]
    return np.round(w.astype(float), _DECIMALS)


def rows(view: Inspection) -> list[dict[str, Any]]:
    """A row for each formula: where it holds, and its largest distance from the samples."""
    table = []
    for name, moment in view.moments.items():
        far, errors = view.distances.get(name, (None, None))
        holds = f"exact: {moment.regime}" if moment.exact else f"approximate: {moment.regime}"
        table.append({"formula": name, "holds": holds, "from samples": far, "in standard errors": errors})
    return table


def csv(view: Inspection) -> str:
    """Weights and moments at every site as comma-separated values."""
    columns = sites_of(view.law) | {"w": view.w}
    columns |= {name: moment.value for name, moment in view.moments.items()}
    if view.measured is not None:
        columns |= {"samples": view.measured, "standard error": view.errors}
    return table_csv(columns)


def python(c: int, w: Float[np.ndarray, " n"]) -> tuple[str, ...]:
    """Lines that print the moments of the view."""
    return (
        "import numpy as np",
        "from derivations.explore.inspector import inspect, rows",
        "",
        f"w = np.array({w.tolist()!r})",
        f"view = inspect(problem.data, {c}, w)",
        "for name, moment in view.moments.items():",
        "    print(name, moment.value)",
        f"print('samples', view.measured)  # {REPLICATES} x {EXAMPLES} examples of all classes",
        "for row in rows(view):",
        "    print(row)",
    )


LATEX = (
    r"\[ \mathrm{E}[\mathbf{1}[w \cdot x \ge 0]\, x_k] \approx "
    r"\frac{(Cw)_k}{\sqrt{2 \pi\, w^\top C w}} \ \text{(central limit)}, \quad "
    r"\frac{1}{\pi Z} \arcsin \frac{\kappa\, (Rw)_k}{\sqrt{w^\top R w}} \ \text{(gate on the latent)}, \quad "
    r"\frac{s}{2} \operatorname{erf} \frac{(Cw)_k}{\sqrt{2 (s^2\, w^\top C w - (Cw)_k^2)}} \ \text{(large gain)} \]"
)
