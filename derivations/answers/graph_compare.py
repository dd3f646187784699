"""The answer of `gdln compare` for a gated graph: gradient descent on the exact moments beside trained networks.

The prediction is plain gradient descent at the learning rate of the problem (`theory.flow.graph.descent`), for each
network from its own start. It is exact for networks that use all of their data at every step. On N examples a network
scatters around it, and its mean differs from it by a term of order 1/N (full batch) or learning rate/batch (online).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from derivations.answers.about import UNDEFINED, on_samples
from derivations.answers.graph_run import (
    GraphSimulateAnswer,
    bars,
    map_table,
    numbers,
    path_table,
    table,
    with_errors,
    without_modes,
)
from derivations.answers.times import at_more_times
from derivations.statistics.comparison import Agreement, agreement_of, holm_levels, judged
from derivations.statistics.validity import Meter, meter, network_meter
from theory.claims.model import Outcome
from theory.flow.graph.descent import GraphDescent, descend
from theory.flow.graph.integrate import integrate
from theory.flow.graph.strengths import modes, sizes, strengths
from theory.problem import Problem, WorkbenchError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.flow.graph.picture import Curves

LAW = "gradient descent, exact moments"
_BAND, _WITHOUT = "the band covers all times together", f"undefined: {UNDEFINED}"
MARGIN, LEVEL = 0.01, 0.01  # of the largest prediction; of all verdicts together, as registered for the claims
_CURVE = 48  # times of the drawn curve
# The rounding of a product of four matrices of 40 units and of its norm: 4 x 40 roundings on each side.
_ROUNDINGS = 2 * 4 * 40


@dataclass(frozen=True)
class GraphView:
    """The prediction for a graph: gradient descent (S, T) of one shared start (S = 1) or of each network's own."""

    problem: Problem
    descent: GraphDescent

    @property
    def shared(self) -> bool:
        """Whether all networks start from the same weights."""
        return self.problem.simulated().initialisation == "shared"

    @cached_property
    def flow_distance(self) -> float | None:
        """The effect of the learning rate: the largest |W_descent - W_flow|/|W_flow|, all weights together.

        None where each network has its own start.
        """
        if not self.shared:
            return None
        flow, descent = integrate(self.problem).weights, self.descent.weights
        apart = sum(np.square(descent[name][0] - flow[name]).sum(axis=(1, 2)) for name in flow)
        length = sum(np.square(array).sum(axis=(1, 2)) for array in flow.values())
        return float(np.sqrt(np.divide(apart, length, out=np.zeros_like(apart), where=length > 0)).max())

    @property
    def times(self) -> Float[np.ndarray, " T"]:
        """The times t."""
        return self.descent.times

    @cached_property
    def quantities(self) -> dict[str, dict[str, Float[np.ndarray, "S T"]]]:
        """The loss, the sizes of weights and the strengths of paths by their names."""
        flow, weights = self.descent.flow, self.descent.weights
        return {
            "loss": {"loss": self.descent.losses},
            "sizes": sizes(flow, weights),
            "strengths": strengths(flow, weights),
        }

    @cached_property
    def map_modes(self) -> dict[str, Float[np.ndarray, " T"]] | None:
        """The mean over starts of each mode of a map by its name; None where they take long."""
        flow, weights = self.descent.flow, self.descent.weights
        if without_modes(flow.graph, self.problem):
            return None
        by_name = modes(flow, weights, self.problem.data.contexts)
        return {name: values.mean(axis=0) for name, values in by_name.items()}

    def means(self, what: str) -> dict[str, Float[np.ndarray, " T"]]:
        """The mean over starts of each value of a quantity."""
        return {name: values.mean(axis=0) for name, values in self.quantities[what].items()}

    def curves(self) -> "Curves":
        """The prediction as lines of a picture."""
        from theory.flow.graph.picture import Curves

        loss = self.means("loss")["loss"]
        return Curves(LAW, self.times, loss, self.means("sizes"), self.means("strengths"))


def graph_view(problem: Problem) -> GraphView:
    """Return the prediction for a graph with a [simulation] table.

    Raises OutOfReachError and InputError as `descend` does.
    """
    per_replicate = problem.simulated().initialisation == "per-replicate"
    return GraphView(problem, descend(problem, range(problem.simulated().replicates) if per_replicate else (None,)))


@dataclass(frozen=True)
class Verdict:
    """The calibrated comparison of one quantity at all times after the start: its outcome and its numbers."""

    agreement: Agreement
    level: float
    outcome: Outcome
    why: str

    def json(self) -> dict[str, Any]:
        """The verdict in `gdln compare --json`; `bound` and `margin` in the unit of the quantity."""
        agreement = self.agreement
        return {
            "outcome": self.outcome.value,
            "why": self.why,
            "p": agreement.p,
            "level": self.level,
            "bound": agreement.bound if np.isfinite(agreement.bound) else None,
            "margin": agreement.margin,
        }

    def text(self) -> str:
        """The verdict in a sentence: whether a difference is shown, and how large it may be."""
        agreement = self.agreement
        if agreement.diverged or not agreement.shown or not np.isfinite(agreement.bound):
            return self.why
        if agreement.margin == 0:
            return f"the prediction is 0 at all times; any difference is at most {agreement.bound:.2g}"
        largest = f"{MARGIN * agreement.bound / agreement.margin:.2%} of the largest prediction"
        is_small = agreement.bound <= agreement.margin
        if agreement.p > self.level:
            said = "agrees: no difference is shown" if is_small else "open: no difference is shown"
            return f"{said} (p = {agreement.p:.2g}); any is at most {largest}"
        said = "a small difference is shown" if is_small else "differs: a difference is shown"
        return f"{said} (p = {agreement.p:.2g}), of at most {largest}"


@dataclass(frozen=True)
class GraphCompareAnswer:
    """Theory and networks of a graph at the problem's times.

    `distance` is |E W - theory|/|theory| of all weights together, or with starts of their own the mean of |W -
    theory|/|theory|, with a band that covers all times with probability 99 %. It is None where it is undefined.
    `verdicts` compare the loss, the sizes of weights and the strengths of paths.
    """

    theory: GraphView
    trained: GraphSimulateAnswer
    distance: Meter | None
    verdicts: Mapping[str, Verdict]
    notes: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln compare --json` prints."""
        view = self.theory
        return {
            "times": view.times,
            "theory": {
                "loss": view.means("loss")["loss"],
                "sizes": view.means("sizes"),
                "strengths": view.means("strengths"),
                "map_modes": view.map_modes,
                "flow_distance": view.flow_distance,
            },
            "networks": self.trained.json(),
            "distance": self.distance and self.distance.json(),
            "verdicts": {name: verdict.json() for name, verdict in self.verdicts.items()},
            "notes": self.notes,
        }

    def text(self) -> str:
        """Loss, distance, sizes and strengths over time, and the verdicts, for a reader."""
        view, means = self.theory, self.trained.means
        times, facts = view.times, self.trained.json()
        losses = {
            "<|y - yhat|^2>": [f"{loss:.4g}" for loss in view.means("loss")["loss"]],
            "networks": with_errors(means["loss"], means["loss_standard_error"]),
        }
        lines = [
            f"gradient descent on the exact moments beside {facts['replicates']} networks, {facts['steps']} steps each",
            "",
            *table(times, losses | self._distances()),
            f"distance: {self._said}, all weights together; {_BAND if self.distance else _WITHOUT}",
            "",
            "sizes of weights, theory / networks",
            *table(times, bars(self._beside("sizes"))),
            "",
            *path_table(times, view.means("strengths"), self._beside("strengths")),
            *self._maps(),
            "",
            f"all times after the start together, at a level of {LEVEL:.0%} and a margin of {MARGIN:.0%}",
            *(f"  {name:<20}  {verdict.text()}" for name, verdict in self.verdicts.items()),
            *(
                []
                if self.verdicts
                else ["  no verdict: there is no time after the start, or the networks share one stream"]
            ),
        ]
        return "\n".join([*lines, *(f"\nnote: {note}" for note in self.notes)])

    def _maps(self) -> Iterator[str]:
        """The modes of the maps, theory / networks."""
        theory, networks = self.theory.map_modes, self.trained.means["map_modes"]
        if theory is not None and networks is not None:
            yield from map_table(self.theory.times, theory, _pairs(theory, networks), self.theory.means("strengths"))

    @property
    def _said(self) -> str:
        """The distance in words: of the mean, or of each network, noise included, from its own prediction."""
        if not self.theory.shared:
            return "|W - theory| / |theory| of each network from its own start, in the mean"
        return "|E W - theory| / |theory|"

    def _distances(self) -> dict[str, list[str]]:
        if self.distance is None:
            return {"distance": ["undefined"] * len(self.theory.times)}
        distance = self.distance
        return {"distance": [f"{value:.4f}" for value in distance.distance], "99 % band": distance.bands}

    def _beside(self, what: str) -> dict[str, list[str]]:
        return _pairs(self.theory.means(what), self.trained.means[what])

    def figure(self) -> "Figure":
        """Loss, sizes of weights, strengths of paths and distance against time: lines of theory, marks of networks."""
        from theory.flow.graph.picture import graph_picture

        distance = self.distance
        apart = None if distance is None else (distance.times, distance.distance, distance.low, distance.high)
        return graph_picture(
            [graph_view(at_more_times(self.theory.problem, _CURVE)).curves(), self.trained.curves()], apart
        )


def _pairs(theory: Mapping[str, Any], networks: Mapping[str, Any]) -> dict[str, list[str]]:
    """Numbers of theory and networks side by side, by name."""
    one, other = numbers(theory), numbers(networks)
    return {name: [f"{left} / {right}" for left, right in zip(one[name], other[name], strict=True)] for name in one}


def compared(problem: Problem, train: Callable[[], GraphSimulateAnswer]) -> GraphCompareAnswer:
    """Predict the networks of a graph, `train` them, and measure how far they are from the prediction.

    Raises OutOfReachError where there is no prediction (the message says why), InputError for a problem without a
    [simulation] table.
    """
    view, trained = graph_view(problem), train()
    kept = trained.run.surviving()
    starts = np.zeros(len(kept), dtype=int) if view.shared else kept
    distance = None if trained.run.one_cluster else _distance(view, trained, kept, starts)
    verdicts = {} if trained.run.one_cluster else _verdicts(view, trained, starts)
    return GraphCompareAnswer(view, trained, distance, verdicts, tuple(_notes(view, trained)))


def _distance(view: GraphView, trained: GraphSimulateAnswer, kept: np.ndarray, starts: np.ndarray) -> Meter | None:
    """The distance of all weights together; None where it is undefined, as for fewer than five networks."""
    names = list(view.descent.weights)

    def flat(arrays: Mapping[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
        return np.concatenate([arrays[name][rows].reshape(len(rows), len(view.times), -1) for name in names], axis=2)

    values, theory = flat(trained.run.parameters, kept), flat(view.descent.weights, starts)
    try:
        if view.shared:
            return meter(view.times, values, theory[0])
        return network_meter(view.times, values, theory)
    except WorkbenchError:
        return None


def _verdicts(view: GraphView, trained: GraphSimulateAnswer, starts: np.ndarray) -> dict[str, Verdict]:
    """The calibrated comparison of each quantity at the times after the start, with Holm's correction."""
    measured = {"loss": trained.loss.values[:, :, None], "sizes": trained.sizes.values}
    measured |= {"strengths": trained.strengths.values}
    later = view.times > 0
    if not later.any():
        return {}
    agreements = {}
    for what, values in measured.items():
        theory = np.stack(list(view.quantities[what].values()), axis=-1)[starts]
        rounding = _ROUNDINGS * float(np.finfo(trained.run.dtype).eps) * float(np.abs(theory).max())
        apart = values - theory
        # Weights without gradient keep their initial values, so that the two sides differ by rounding only.
        values = np.where(np.abs(apart) <= rounding, theory, values)
        agreements[_SAID[what]] = agreement_of(
            values[:, later], theory[:, later], margin=MARGIN, level=LEVEL, seed=0, diverged=trained.loss.diverged
        )
    levels = holm_levels([item.p for item in agreements.values()], [LEVEL] * len(agreements))
    return {
        name: Verdict(item, level, *judged(item, level))
        for (name, item), level in zip(agreements.items(), levels, strict=True)
    }


_SAID = {"loss": "loss", "sizes": "sizes of weights", "strengths": "strengths of paths"}


def _notes(view: GraphView, trained: GraphSimulateAnswer) -> Iterator[str]:
    settings = view.problem.simulated()
    if settings.mode == "full-batch":
        yield on_samples(settings)
    else:
        yield (
            f"each step sees {settings.batch} examples; the prediction is for infinitely many, and the mean of the "
            "networks differs from it by a term of order learning rate/batch."
        )
    if view.flow_distance is not None:
        yield (
            f"the weights of the prediction, at the learning rate {float(settings.learning_rate):g}, are within "
            f"{view.flow_distance:.2g} (relative) of the gradient flow's."
        )
    yield from trained.remarks
