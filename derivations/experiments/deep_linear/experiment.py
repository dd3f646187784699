"""Deep linear networks, trained, beside the exact strength of their modes: two layers, deeper chains, unequal layers.

Each network is trained by full-batch gradient descent on one whole data set with white inputs, at the rates 1/100 and
1/200, which is deterministic. Decision rule, fixed before the run, for each of its modes: the strengths extrapolated to
rate 0, 2 a(1/200) - a(1/100), lie ten times closer to the formula than a(1/100), and the two distances have the slope 1
within a tenth. Control: the formula of a rival (equal layers where they differ, two layers where there are more) must
be ten times farther off than a(1/100).

The curves and the strengths are stored: `python -m derivations.experiments.deep_linear.experiment` writes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Float

from derivations.experiments import folders
from derivations.experiments.model import Experiment, Finding, Progress, Settings
from derivations.output import DISTRIBUTION, plain, rounded
from sim.networks.examples import Examples
from sim.train import train
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.flow.graph.solutions.balanced import layers, two_layers
from theory.flow.graph.solutions.two_layers import mode_weights
from theory.problem import Edge, FiniteData, GatedGraph, InitialByName, Node, Problem, Simulation, Training

NAME = "deep-linear"
RUNS = (NAME,)
CLAIMS = ("deep.balanced.two_layers", "deep.balanced.time", "deep.lambda_balanced.solution")
RATES = (Fraction(1, 100), Fraction(1, 200))
CLOSER, SLOPE_MARGIN = 10.0, 0.1
_TIMES, _FINE = 24, 120  # intervals of the trained strengths, and of a drawn curve
_SIGNIFICANT = 10  # digits stored, so that distances of 1e-6 can be computed again

# Orthogonal matrices with rational entries: the columns are the directions of modes in the inputs and the outputs.
_INPUTS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
_OUTPUTS = np.array([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3

Strength = Callable[[Float[np.ndarray, " T"], float], Float[np.ndarray, " T"]]  # (t, s) -> a(t) of one mode


@dataclass(frozen=True)
class Case:
    """A network: its claim, the weights of each layer in every mode at the start, the formula, and a rival."""

    panel: str
    name: str
    claim: str
    targets: tuple[float, ...]
    start: tuple[float, ...]  # layer by layer
    end: Fraction
    exact: Strength
    rival: Strength | None = None

    @property
    def times(self) -> tuple[Fraction, ...]:
        """Return the times at which the trained network is measured."""
        return tuple(self.end * index / _TIMES for index in range(_TIMES + 1))


def cases() -> tuple[Case, ...]:
    """The networks of the three panels."""
    small, weight = 0.01, 0.1
    networks = [
        Case(
            "two layers",
            "three modes",
            CLAIMS[0],
            (3.0, 2.0, 1.0),
            (weight, weight),
            Fraction(6),
            lambda t, s: two_layers(t, s, small),
            lambda t, s: layers(t, s, small, 3),
        )
    ]
    for depth in (2, 3, 4, 5):
        networks.append(
            Case(
                "depth",
                f"{depth} layers",
                CLAIMS[0] if depth == 2 else CLAIMS[1],
                (1.0,),
                (small ** (1 / depth),) * depth,
                Fraction(36, 5),
                lambda t, s, depth=depth: layers(t, s, small, depth),
                (lambda t, s: two_layers(t, s, small)) if depth > 2 else (lambda t, s: layers(t, s, small, 3)),
            )
        )
    for lam in (0.0, 0.1, 1.0, 4.0):
        first, second = _unequal(small, lam)
        networks.append(
            Case(
                "difference of the layers",
                f"lambda = {lam:g}",
                CLAIMS[2],
                (1.0,),
                (first, second),
                Fraction(6),
                lambda t, s, first=first, second=second: np.prod(mode_weights(t, s, first, second), axis=0),
                (lambda t, s: two_layers(t, s, small)) if lam else None,
            )
        )
    return tuple(networks)


def _unequal(product: float, lam: float) -> tuple[float, float]:
    """b_1 and b_2 with this product and b_2^2 - b_1^2 = lam."""
    second = np.sqrt((np.hypot(2 * product, lam) + lam) / 2)
    return float(product / second), float(second)


def problem(case: Case, rate: Fraction) -> Problem:
    """The network of a case on white inputs x = +-2 e_i, which learns y = M x with the singular values of the case."""
    modes = len(case.targets)
    target = _OUTPUTS[:, :modes] @ np.diag(case.targets) @ _INPUTS[:, :modes].T
    x = 2 * np.concatenate([np.eye(4), -np.eye(4)])
    depth = len(case.start)
    sizes = (4, *(modes,) * (depth - 1), 3)
    names = ("x", *(f"h{layer}" for layer in range(1, depth)), "y")
    frames = (_INPUTS[:, :modes], *(np.eye(modes),) * (depth - 1), _OUTPUTS[:, :modes])
    nodes = tuple(Node(name, size) for name, size in zip(names, sizes, strict=True))
    edges = tuple(Edge(a, b, f"W{layer}") for layer, (a, b) in enumerate(pairwise(names), start=1))
    start = [b * after @ before.T for b, (before, after) in zip(case.start, pairwise(frames), strict=True)]
    starts = InitialByName(tuple((edge.weight, _rows(layer)) for edge, layer in zip(edges, start, strict=True)))
    return Problem(
        FiniteData(_rows(x), _rows(x @ target.T)),
        GatedGraph(nodes, edges, ("x",), ("y",)),
        Training("half-mse", 1, starts, case.times),
        Simulation("full-batch", len(x), rate, replicates=2, seed=0, dtype="float64"),
    )


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


def strengths(case: Case, rate: Fraction, device: str) -> Float[np.ndarray, "modes T"]:
    """u_k' W_N ... W_1 v_k of the trained network at its times."""
    question = problem(case, rate)
    x, y = (_tensor(rows) for rows in (question.data.x, question.data.y))
    run = train(question, device, sample=Examples(x, y).shared_by(2))
    product = np.eye(4)
    for layer in range(1, len(case.start) + 1):
        product = run.parameters[f"W{layer}"][0] @ product
    modes = len(case.targets)
    return np.einsum("ok,toi,ik->kt", _OUTPUTS[:, :modes], product, _INPUTS[:, :modes])


def _tensor(rows: tuple) -> torch.Tensor:
    return torch.tensor([[float(entry) for entry in row] for row in rows], dtype=torch.float64)[None]


@dataclass(frozen=True)
class Judged:
    """The largest distances of one trained network to its formula and to the rival, over modes and times."""

    case: Case
    coarse: float
    fine: float
    extrapolated: float
    rival: float | None

    @property
    def slope(self) -> float:
        """The order of the distance in the rate."""
        return float(np.log2(self.coarse / self.fine))

    @property
    def faults(self) -> tuple[str, ...]:
        """The parts of the rule that fail."""
        faults = []
        if not self.extrapolated * CLOSER < self.coarse:
            faults.append("the extrapolation is not ten times closer to the formula")
        if not abs(self.slope - 1) < SLOPE_MARGIN:
            faults.append(f"the slope in the rate is {self.slope:.3f}")
        if self.rival is not None and not self.rival > CLOSER * self.coarse:
            faults.append("the rival's formula is not farther off")
        return tuple(faults)


def judged(case: Case, coarse: np.ndarray, fine: np.ndarray) -> Judged:
    """Compare the strengths trained at both rates with the formula and with the rival's."""
    times = np.array([float(time) for time in case.times])

    def apart(trained: np.ndarray, formula: Strength) -> float:
        return float(abs(trained - np.stack([formula(times, s) for s in case.targets])).max())

    return Judged(
        case,
        apart(coarse, case.exact),
        apart(fine, case.exact),
        apart(2 * fine - coarse, case.exact),
        None if case.rival is None else apart(fine, case.rival),
    )


def run(claims: Mapping[str, Claim], settings: Settings, progress: Progress) -> Finding:
    """Train every network at both rates and apply the rule."""
    del claims
    networks, comparisons = cases(), []
    for index, case in enumerate(networks):
        comparisons.append(judged(case, *(strengths(case, rate, settings.device) for rate in RATES)))
        progress("training deep linear networks", (index + 1) / len(networks))
    return Finding(
        results=tuple(_result(claim, [one for one in comparisons if one.case.claim == claim]) for claim in CLAIMS)
    )


def _result(claim: str, comparisons: list[Judged]) -> CheckResult:
    faults = [f"{one.case.name}: {fault}" for one in comparisons for fault in one.faults]
    worst = max(comparisons, key=lambda one: one.extrapolated / one.coarse)
    slopes = [one.slope for one in comparisons]
    where = (
        "; ".join(faults) or f"{len(comparisons)} networks, slopes {min(slopes):.3f} to {max(slopes):.3f} in the rate"
    )
    details = {one.case.name: [one.coarse, one.fine, one.extrapolated, one.rival] for one in comparisons}
    outcome = Outcome.FAIL if faults else Outcome.PASS
    return CheckResult(
        claim, Level.SIMULATED, outcome, worst.extrapolated, worst.coarse / CLOSER, where, {"distances": details}
    )


def measured(device: str = "auto", progress: Callable[[str], None] = lambda _what: None) -> dict:
    """The content of the stored run: formulas on a fine grid, trained strengths, distances."""
    panels: dict[str, dict] = {}
    for case in cases():
        progress(f"{case.panel}: {case.name}")
        coarse, fine = (strengths(case, rate, device) for rate in RATES)
        one = judged(case, coarse, fine)
        grid = np.linspace(0.0, float(case.end), _FINE + 1)
        panels.setdefault(case.panel, {})[case.name] = {
            "targets": case.targets,
            "start": case.start,
            "times": [float(time) for time in case.times],
            "trained": fine,
            "coarse": coarse,
            "grid": grid,
            "exact": np.stack([case.exact(grid, s) for s in case.targets]),
            "distances": {"coarse": one.coarse, "fine": one.fine, "extrapolated": one.extrapolated, "rival": one.rival},
        }
    return {
        "rates": [float(rate) for rate in RATES],
        "versions": {DISTRIBUTION: version(DISTRIBUTION)},
        "panels": rounded(plain(panels), _SIGNIFICANT),
    }


EXPERIMENT = Experiment("deep_linear", "Deep linear networks beside their exact solutions", CLAIMS, run)

if __name__ == "__main__":
    folders.write("deep_linear", NAME, measured(progress=print))
