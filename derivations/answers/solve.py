"""The answer of `gdln solve`: the exact solution of a problem with fixed gates, from theory alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.graph import GraphSolveAnswer, solved
from derivations.answers.profiles import peak_of, profiles, shown, with_error
from theory.flow import Solution, solve
from theory.flow.linear.accuracy import EPS, ROUNDINGS
from theory.moments.feature_moments import squared_labels
from theory.problem import DeepNetwork, GatedGraph, Network, Problem
from theory.problem.deep_linear import as_graph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ONE_OUTPUT = 2  # axes of the weights: unit and site
_COLUMNS = 6  # units whose weights are shown over time
_NARROW, _WIDE = 12, 20  # of a column: of numbers, and of numbers with their standard errors
_UNITS = 12  # units shown; --json has them all
_NAMES = ("mse", "fixed_point", "rates", "weights", "condition", "rank", "times", "losses", "notes", "digits")
_NAMES += ("hidden_biases", "output_bias", "fixed_hidden_biases", "fixed_output_bias")


@dataclass(frozen=True)
class SolveAnswer:
    """A problem and its solution."""

    problem: Problem
    solution: Solution

    def json(self) -> dict[str, Any]:
        """The object that `gdln solve --json` prints; a loss within its rounding below 0, which no loss is, is 0."""
        known = self.solution.uncertainty
        exact = {name: getattr(self.solution, name) for name in _NAMES}
        exact |= {"rounding_of_losses": self.rounding}
        if self.rounding is not None:
            losses = np.asarray([exact["mse"], *exact["losses"]])
            losses[(losses < 0) & (losses >= -self.rounding)] = 0.0
            exact |= {"mse": float(losses[0]), "losses": losses[1:]}
        return exact if known is None else exact | {"uncertainty": known.json()}

    def figure(self) -> "Figure":
        """The fields, the loss and the participation ratio of the flow."""
        return self.solution.plot()

    def text(self) -> str:
        """Optimum, rates, losses over time and the fixed point of each unit, for a reader."""
        solution, slowest = self.solution, len(self.solution.rates) - self.solution.rank
        lines = [
            f"<(y - yhat)^2> at the optimum   {self._loss('mse')}",
            f"rates (1/tau)                   {self._number('rates', slowest)} ... {self._number('rates', -1)}",
            f"condition of A                  {self._number('condition', digits=4)}",
            f"rank of A                       {solution.rank} of {len(solution.rates)}",
            "",
            f"{'t':>12}  <(y - yhat)^2>",
            *(f"{shown(t, 6):>12}  {self._loss('losses', index)}" for index, t in enumerate(solution.times)),
            "",
            "w(infinity), each unit around its largest weight",
            *profiles(solution.fixed_point[:_UNITS], self.problem.data, solution.uncertainty),
        ]
        lines += self._peaks_over_time() if solution.fixed_point.ndim == _ONE_OUTPUT else []
        if len(solution.fixed_point) > _UNITS:
            lines.append(f"  ... {len(solution.fixed_point) - _UNITS} more units; --json has them all")
        if solution.fixed_hidden_biases is not None:
            places = np.ndindex(solution.fixed_hidden_biases[:_UNITS].shape)
            hidden = [self._number("fixed_hidden_biases", *place) for place in places]
            more = "  ..." if len(solution.fixed_hidden_biases) > _UNITS else ""
            outputs = np.ndindex(np.shape(solution.fixed_output_bias))
            output = "  ".join(self._number("fixed_output_bias", *place) for place in outputs)
            lines += ["", "biases at infinity", f"  output: {output}"]
            lines.append(f"  units from 0: {'  '.join(hidden)}{more}")
        return "\n".join([*lines, "", *(f"note: {note}" for note in solution.notes)])

    def _peaks_over_time(self) -> Iterator[str]:
        """Yield a line for each time: the weight of each unit at the site where its w(infinity) is largest."""
        peaks = [peak_of(row) for row in self.solution.fixed_point[:_COLUMNS]]
        estimated = self.solution.uncertainty is not None
        width = _WIDE if estimated else _NARROW
        yield ""
        yield "w(t) where each unit's w(infinity) is largest; solution.at(t) and --json have every site"
        yield f"{'t':>12}" + "".join(f"  {f'unit {unit}, {site}':>{width}}" for unit, site in enumerate(peaks))
        for index, (time, weights) in enumerate(zip(self.solution.times, self.solution.weights, strict=True)):
            row = [
                self._number("weights", index, unit, site) if estimated else f"{float(weights[unit, site]):.6f}"
                for unit, site in enumerate(peaks)
            ]
            yield f"{shown(time, 6):>12}" + "".join(f"  {w:>{width}}" for w in row)

    @property
    def rounding(self) -> float | None:
        """A bound on the rounding error of losses in float64, <y.y> less what is explained; None for other numbers."""
        if self.solution.uncertainty is not None or self.solution.in_balls or isinstance(self.solution.mse, str):
            return None
        return ROUNDINGS * EPS * float(self.solution.condition) * float(squared_labels(self.problem.data))

    def _loss(self, name: str, *place: int) -> str:
        """Return a loss; one that is not larger than its rounding error as 0 with that bound."""
        value, bound = np.asarray(getattr(self.solution, name))[place], self.rounding
        if bound is not None and abs(value) <= bound:
            return f"0 within rounding ({bound:.1g})"
        return self._number(name, *place)

    def _number(self, name: str, *place: int, digits: int = 10) -> str:
        """Return a number of the solution, with its standard error where it is estimated."""
        value, known = np.asarray(getattr(self.solution, name))[place], self.solution.uncertainty
        if known is None:
            return shown(value, digits)
        return with_error(value, np.asarray(known.errors[name])[place])


def answer(problem: Problem, digits: int | None = None) -> SolveAnswer | GraphSolveAnswer:
    """Solve `problem` under gradient flow, with `digits` certified digits of every number or in float64.

    A network that learns its readout, and a deep linear one, is solved as its graph, since its output is not linear in
    its weights. Raises
    OutOfReachError for laws, gates and networks whose flow has no closed form; the message says which.

    >>> from derivations.experiments.folders import problem_named
    >>> f"{answer(problem_named('small-bump')).solution.mse:.6f}"
    '0.279221'
    """
    if isinstance(problem.network, DeepNetwork):
        problem = as_graph(problem)
    network = problem.network
    if isinstance(network, GatedGraph) or (network.model == Network.gated and network.trains_readout):
        return solved(problem, digits)
    return SolveAnswer(problem, solve(problem, digits))
