"""The answer of `gdln solve`: the exact solution of a problem with fixed gates, from theory alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.graph import GraphSolveAnswer, solved
from theory.flow import Solution, solve
from theory.problem import GatedGraph, Law, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_REACH = 3  # sites shown on each side of a unit's peak
_ONE_OUTPUT = 2  # axes of the weights: unit and site
_COLUMNS = 6  # units whose weights are shown over time
_UNITS = 12  # units shown; --json has them all
_NAMES = ("mse", "fixed_point", "rates", "weights", "condition", "rank", "times", "losses", "notes", "digits")
_NAMES += ("hidden_biases", "output_bias", "fixed_hidden_biases", "fixed_output_bias")


@dataclass(frozen=True)
class SolveAnswer:
    """A problem and its solution."""

    problem: Problem
    solution: Solution

    def json(self) -> dict[str, Any]:
        """The object that `gdln solve --json` prints."""
        return {name: getattr(self.solution, name) for name in _NAMES}

    def figure(self) -> "Figure":
        """The fields, the loss and the participation ratio of the flow."""
        return self.solution.plot()

    def text(self) -> str:
        """Optimum, rates, losses over time and the fixed point of each unit, for a reader."""
        solution = self.solution
        moving = solution.rates[len(solution.rates) - solution.rank :]
        lines = [
            f"<(y - yhat)^2> at the optimum   {_shown(solution.mse)}",
            f"rates (1/tau)                   {_shown(moving[0])} ... {_shown(moving[-1])}",
            f"condition of A                  {_shown(solution.condition, 4)}",
            f"rank of A                       {solution.rank} of {len(solution.rates)}",
            "",
            f"{'t':>12}  <(y - yhat)^2>",
            *(f"{_shown(t, 6):>12}  {_shown(loss)}" for t, loss in zip(solution.times, solution.losses, strict=True)),
            "",
            "w(infinity), each unit around its largest weight",
            *_profiles(solution.fixed_point[:_UNITS], self.problem.data),
        ]
        lines += _peaks_over_time(solution) if solution.fixed_point.ndim == _ONE_OUTPUT else []
        if len(solution.fixed_point) > _UNITS:
            lines.append(f"  ... {len(solution.fixed_point) - _UNITS} more units; --json has them all")
        if solution.fixed_hidden_biases is not None:
            hidden = [_shown(bias) for bias in solution.fixed_hidden_biases[:_UNITS]]
            more = "  ..." if len(solution.fixed_hidden_biases) > _UNITS else ""
            outputs = np.atleast_1d(np.asarray(solution.fixed_output_bias))
            output = "  ".join(_shown(bias) for bias in outputs)
            lines += ["", "biases at infinity", f"  output: {output}"]
            lines.append(f"  units from 0: {'  '.join(hidden)}{more}")
        return "\n".join([*lines, "", *(f"note: {note}" for note in solution.notes)])


def answer(problem: Problem, digits: int | None = None) -> SolveAnswer | GraphSolveAnswer:
    """Solve `problem` under gradient flow, with `digits` certified digits of every number or in float64.

    A network that learns its readout is solved as its graph, since its output is not linear in its weights. Raises
    OutOfReachError for laws, gates and networks whose flow has no closed form; the message says which.

    >>> from derivations.experiments.folders import problem_named
    >>> f"{answer(problem_named('small-bump')).solution.mse:.6f}"
    '0.279221'
    """
    network = problem.network
    if isinstance(network, GatedGraph) or (network.model == network.gated and network.trains_readout):
        return solved(problem, digits)
    return SolveAnswer(problem, solve(problem, digits))


def _peaks_over_time(solution: Solution) -> Iterator[str]:
    """Yield a line for each time: the weight of each unit at the site where its w(infinity) is largest."""
    peaks = abs(solution.fixed_point[:_COLUMNS].astype(float)).argmax(axis=1)
    yield ""
    yield "w(t) where each unit's w(infinity) is largest; solution.at(t) and --json have every site"
    yield f"{'t':>12}" + "".join(f"  {f'unit {unit}, {site}':>12}" for unit, site in enumerate(peaks))
    for time, weights in zip(solution.times, solution.weights, strict=True):
        row = (float(weights[unit, site]) for unit, site in enumerate(peaks))
        yield f"{_shown(time, 6):>12}" + "".join(f"  {w:>12.6f}" for w in row)


def _profiles(fixed_point: np.ndarray, law: Law) -> Iterator[str]:
    """Yield a line for each unit, (K, n), or for each unit and output where labels are vectors, (K, m, n)."""
    for unit, weights in enumerate(fixed_point):
        if weights.ndim == 1:
            yield _profile(f"unit {unit}", weights, law)
        else:
            for output, row in enumerate(weights):
                yield _profile(f"unit {unit}, output {output}", row, law)


def _profile(name: str, row: np.ndarray, law: Law) -> str:
    """A unit's peak and its neighbours; seven sites of a profile show whether it is a bump or an oscillation.

    On a grid the neighbours are those in the row of the peak.
    """
    sizes = abs(row.astype(float))
    peak, n = int(sizes.argmax()), getattr(law, "axes", (law.n,))[-1]
    line, here = divmod(peak, n)
    if law.boundary != "open":
        width = min(n, 2 * _REACH + 1)
        sites = [(here - width // 2 + offset) % n for offset in range(width)]
    else:
        sites = list(range(max(0, here - _REACH), min(n, here + _REACH + 1)))
    largest = sizes[peak]
    values = row[[line * n + site for site in sites]]
    around = "  ".join(f"{float(x):.4f}" if largest < 1000 else f"{float(x):.4g}" for x in values)
    shown = f"{sites[0]}-{sites[-1]}" + (" across the end of the ring" if sites[0] > sites[-1] else "")
    if len(row) > n:
        return f"  {name}: {_shown(row[peak])} at row {line}, column {here}; columns {shown}: {around}"
    return f"  {name}: {_shown(row[peak])} at site {peak}; sites {shown}: {around}"


def _shown(number: Any, digits: int = 10) -> str:
    """Decimal strings as they are, float64 to `digits` significant digits."""
    return number if isinstance(number, str) else f"{number:.{digits}g}"
