"""The answer of `gdln optimum`: the gates with the least loss on data of finitely many inputs, kind by kind."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from theory.gates import KINDS, Optimum, Support, loss_of, optimum, support_of
from theory.moments.gate_events import open_on
from theory.problem import InputError, Network, OutOfReachError, Problem, resolved

EVERY = "all"
_SITES = 16  # of an input that are shown


@dataclass(frozen=True)
class OptimumAnswer:
    """The support of a problem's data, and for each kind of gates the optimum, or why it is out of reach.

    `of_file` is the least loss behind the gates of the problem itself, None where it has no hard gates of its own.
    """

    support: Support
    gates: int
    optima: dict[str, Optimum | OutOfReachError]
    of_file: Fraction | None

    def json(self) -> dict[str, Any]:
        """The object that `gdln optimum --json` prints; fractions are strings, inputs are numbered from 0."""
        support = self.support
        rows = zip(support.x.tolist(), support.probabilities, support.means, strict=True)
        return {
            "gates": self.gates,
            "lost": str(support.lost),
            "own": None if self.of_file is None else str(self.of_file),
            "inputs": [{"x": _strings(x), "probability": str(p), "mean": _strings(y)} for x, p, y in rows],
            "kinds": {kind: self._kind(each) for kind, each in self.optima.items()},
        }

    def _kind(self, each: Optimum | OutOfReachError) -> dict[str, Any]:
        if isinstance(each, OutOfReachError):
            return {"out_of_reach": each.message}
        return {
            "mse": str(each.mse),
            "next": None if each.following is None else str(each.following),
            "count": each.count,
            "solved": each.solved,
            "gatings": [
                [[a for a in range(self.support.size) if gate >> a & 1] for gate in gating] for gating in each.gatings
            ],
        }

    def text(self) -> str:
        """The losses of the kinds, and for each input the gates that are open in one best gating of each kind."""
        support = self.support
        lines = [
            f"{support.size} different inputs x != 0, {support.x.shape[1]} sites; {self.gates} gates, best weights",
            f"lost behind any gates: {_number(support.lost)}",
            "",
            f"{'gates':<22}{'<(y - yhat)^2>':<28}{'next larger':<28}gatings",
        ]
        for kind, each in self.optima.items():
            if isinstance(each, OutOfReachError):
                lines.append(f"{kind:<22}out of reach: {each.message}")
                continue
            following = "none" if each.following is None else _number(each.following)
            lines.append(f"{kind:<22}{_number(each.mse):<28}{following:<28}{each.count}")
        if self.of_file is not None:
            lines.append(f"{'those of the file':<22}{_number(self.of_file)}")
        best = {kind: each for kind, each in self.optima.items() if isinstance(each, Optimum)}
        lines += ["", f"open gates in one best gating of: {', '.join(best)}"]
        for a, (x, y) in enumerate(zip(support.x.tolist(), support.means, strict=True)):
            gates = "".join(f"{self._open(each, a):<{self.gates + 2}}" for each in best.values())
            lines.append(f"  {gates} x = {_shown(x)}   <y> = {_shown(y)}")
        return "\n".join(lines)

    def _open(self, each: Optimum, a: int) -> str:
        """The numbers of the gates that are open on input `a`, or a dash."""
        return "".join(str(k) for k, gate in enumerate(each.gatings[0]) if gate >> a & 1) or "-"


def answer(problem: Problem, gates: int | None = None, kind: str = EVERY) -> OptimumAnswer:
    """Find the gates with the least loss on the data of `problem`, of one kind or of every kind.

    `gates` is their number: that of the problem's own gates where it is None. Where every kind is asked for, one that
    is out of reach says so in its place. Raises OutOfReachError for data without a list of inputs, and where all asked
    kinds are out of reach.

    >>> from theory.problem import AlwaysGate, FiniteData, NormalInitialisation, Training
    >>> law = FiniteData([[6], [3], [2], [7]], [6, 6, 6, 0])
    >>> training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    >>> problem = Problem(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)), training)
    >>> str(answer(problem, 2, "any").optima["any"].mse)
    '0'
    """
    network = problem.network
    gated = isinstance(network, Network) and network.model == Network.gated
    if gates is None and not gated:
        raise InputError("The problem has no gates of its own.", "Give their number: --gates 2.")
    if kind not in (EVERY, *KINDS):
        raise InputError(f"--kind {kind} is not known.", f"Choose one of: {', '.join((EVERY, *KINDS))}.")
    support = support_of(problem.data)
    number = network.units if gates is None else gates
    optima: dict[str, Optimum | OutOfReachError] = {}
    for each in KINDS if kind == EVERY else (kind,):
        try:
            optima[each] = optimum(support, number, each)
        except OutOfReachError as error:
            optima[each] = error
    failures = [each for each in optima.values() if isinstance(each, OutOfReachError)]
    if len(failures) == len(optima):
        raise failures[0]
    return OptimumAnswer(support, number, optima, _loss_of_file(network, support) if gated else None)


def _loss_of_file(network: Network, support: Support) -> Fraction | None:
    """The least loss behind the problem's own gates; None for soft gates, which are no functions to {0, 1}."""
    gates = resolved(network.gates)
    if any(getattr(gate, "sharpness", inf) != inf for gate in gates):
        return None
    opened = [open_on(gate, support.x, f"network.gates[{k}]") for k, gate in enumerate(gates)]
    return loss_of(support, np.array(opened, dtype=bool).reshape(len(gates), support.size).T)


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{value} = {float(value):.6g}"


def _strings(values: Any) -> list[str]:
    return [str(value) for value in values]


def _shown(values: Any) -> str:
    shown = " ".join(str(value) for value in values[:_SITES])
    return shown if len(values) <= _SITES else f"{shown} ... ({len(values)} sites)"
