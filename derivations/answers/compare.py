"""The answer of `gdln compare`: the exact law of gradient descent beside the networks trained on sampled data."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from derivations.answers.about import UNDEFINED, on_samples
from derivations.answers.profiles import peak_of
from derivations.answers.times import at_more_times
from derivations.output import columns
from derivations.statistics.validity import Meter, meter
from theory.flow import Solution, discrete, mse_at, solve
from theory.flow.linear.convention import convention
from theory.moments import gated_moments
from theory.problem import GatedGraph, InputError, OutOfReachError, Problem, WorkbenchError
from theory.problem.distributions.sampled import SampledLaw

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from derivations.answers.graph_compare import GraphCompareAnswer
    from derivations.answers.simulate import SimulateAnswer
    from theory.flow.linear.estimated_descent import EstimatedDescent

LAW = "theory: gradient descent"
_CURVE = 48  # times of the drawn curve of the theory
_UNITS = 12  # units shown; --json has them all
_REACH = 1  # sites shown on each side of a unit's peak
_ESTIMATED = (
    "theory's error: |standard errors| / |theory| of its estimate, which the band does not contain; a distance of this",
    "size is no difference, and data.estimate.examples makes it smaller",
)


@dataclass(frozen=True)
class FieldView:
    """The exact prediction at the problem's times: gradient descent (T, K, n), its loss (T) and ratio (T, K).

    `descent` is the mean of networks trained at the learning rate of the problem; loss and participation ratio are
    those of this mean, and the ratio is None where a field is zero. `solution` is that of the flow: its weights, and
    their limits. For a law that is known by its examples alone `estimated` has the standard errors.
    """

    problem: Problem
    solution: Solution
    descent: Float[np.ndarray, "T K n"]
    losses: Float[np.ndarray, " T"]
    ratio: Float[np.ndarray, "T K"] | None
    estimated: "EstimatedDescent | None" = None

    @property
    def times(self) -> Float[np.ndarray, " T"]:
        """The times t."""
        return np.array([float(time) for time in self.problem.training.times])

    @property
    def law_of_training(self) -> str:
        """The origin of the prediction in words."""
        if self.estimated is None:
            return "the exact law of gradient descent"
        return f"gradient descent on moments of {self.problem.data.estimate.examples} examples"


def field_view(problem: Problem) -> FieldView:
    """Return the exact prediction of a gated-linear problem with a [simulation] table.

    Raises OutOfReachError as `solve` and `discrete` do, InputError where steps of this rate overflow.
    """
    from sim.measure.receptive_fields import participation_ratio

    require_one_output(problem)
    mean, solution = discrete(problem), solve(problem)
    losses = mse_at(gated_moments(problem), mean.weights, float(convention(problem).s), mean.biases)
    ratio = participation_ratio(mean.weights) if np.abs(mean.weights).max(axis=-1).all() else None
    return FieldView(problem, solution, mean.weights, losses, ratio)


def require_one_output(problem: Problem, what: str = "Fields are compared for") -> None:
    """Raise OutOfReachError where a label has several numbers; `what` begins the sentence."""
    if problem.data.outputs > 1:
        raise OutOfReachError(
            f"{what} networks with one output; the labels have {problem.data.outputs} numbers each.",
            "Give one number as label; gdln solve and gdln simulate take vectors.",
        )


def _view(problem: Problem) -> FieldView:
    """The exact prediction, or for a law that is known by its examples the one on estimated moments."""
    if not isinstance(problem.data, SampledLaw):
        return field_view(problem)
    require_one_output(problem)
    from sim.measure.receptive_fields import participation_ratio
    from theory.flow.linear.estimated_descent import estimated_discrete

    estimate = estimated_discrete(problem)
    ratio = participation_ratio(estimate.weights) if np.abs(estimate.weights).max(axis=-1).all() else None
    return FieldView(problem, solve(problem), estimate.weights, estimate.losses, ratio, estimate)


def predicted(problem: Problem) -> FieldView:
    """Return the prediction for the networks of `problem`, exact or on estimated moments.

    Raises as `field_view`, and InputError where each network starts from weights of its own.
    """
    view = _view(problem)
    if problem.simulated().initialisation == "per-replicate":
        raise InputError(
            'initialisation = "per-replicate": each network starts from its own w0, and the prediction is for one w0.',
            "Leave the key out, so that all networks start from the same w0.",
        )
    return view


def at_fine_times(view: FieldView) -> FieldView:
    """Return the prediction at more times, for a smooth curve."""
    return _view(at_more_times(view.problem, _CURVE))


def distance(view: FieldView, weights: Float[np.ndarray, "S t K n"]) -> Meter | None:
    """Return the distance of networks at the first t times to gradient descent, with its band.

    None where it is undefined: before the first time, for fewer than five networks, for a prediction that is zero.
    """
    count = weights.shape[1]
    try:
        return meter(view.times[:count], weights, view.descent[:count]) if count else None
    except WorkbenchError:
        return None


@dataclass(frozen=True)
class CompareAnswer:
    """Theory and networks of one problem at its times, and the distance of the networks' mean field to the theory.

    `distance` is |E w - theory|/|theory| with a band that covers all times together with probability 99 %, or None
    where it is undefined; see `derivations.statistics.validity`.
    """

    theory: FieldView
    trained: "SimulateAnswer"
    distance: Meter | None
    notes: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln compare --json` prints."""
        view = self.theory
        return {
            "times": view.times,
            "theory": {
                "weights": view.descent,
                "loss": view.losses,
                "participation_ratio": view.ratio,
                "flow_weights": view.solution.weights,
                "fixed_point": view.solution.fixed_point,
                "mse": view.solution.mse,
            },
            "theory_standard_errors": self._errors(),
            "networks": self.trained.json(),
            "distance": self.distance and self.distance.json(),
            "notes": self.notes,
        }

    def _errors(self) -> dict[str, Any] | None:
        """The standard errors of an estimated prediction, None where it is exact."""
        estimated = self.theory.estimated
        return estimated and {
            "weights": estimated.weight_errors,
            "loss": estimated.loss_errors,
            "distance": estimated.distance,
        }

    def text(self) -> str:
        """Loss, participation ratio and distance over time, and the fields at the end, for a reader."""
        view, means = self.theory, self.trained.json()
        head = ("t", "loss of E w", "networks", "IPR of E w", "networks", "distance", "99 % band")
        head += ("theory's error",) if view.estimated else ()
        table = [head, *(self._row(index, means) for index in range(len(view.times)))]
        lines = [
            f"{view.law_of_training} beside {means['replicates']} networks, {means['steps']} steps each",
            "",
            *columns(table),
            "",
            "loss: <(y - yhat)^2>; IPR: inverse participation ratio of unit 0; distance: |E w - theory| / |theory|;",
            "(standard error) of a mean over networks; the band covers all times together",
            *(_ESTIMATED if view.estimated else ()),
            *([f"the distance is undefined: {UNDEFINED}"] if self.distance is None else []),
            "networks scatter around E w, so their mean loss is larger and their mean ratio smaller;",
            "the distance is the test",
            "",
            f"fields at t = {view.times[-1]:g} around their largest weight",
            f"{'':>8}{'site':>6}  {'theory':>9}  networks",
        ]
        for unit, field in enumerate(view.descent[-1, :_UNITS]):
            peak = peak_of(field)
            for site in range(max(0, peak - _REACH), min(len(field), peak + _REACH + 1)):
                name = f"unit {unit}" if site == max(0, peak - _REACH) else ""
                lines.append(f"{name:>8}{site:>6}  {field[site]:>9.4f}  {with_error(means, 'weights', -1, unit, site)}")
        if len(view.descent[0]) > _UNITS:
            lines.append(f"  ... {len(view.descent[0]) - _UNITS} more units; --json has them all")
        return "\n".join([*lines, *(f"\nnote: {note}" for note in self.notes)])

    def _row(self, index: int, means: dict[str, Any]) -> tuple[str, ...]:
        view, meter = self.theory, self.distance
        ratio = "undefined" if view.ratio is None else f"{view.ratio[index, 0]:.4f}"
        apart = ("undefined", "") if meter is None else (f"{meter.distance[index]:.4f}", meter.bands[index])
        trained = with_error(means, "loss", index), with_error(means, "participation_ratio", index, 0)
        loss, estimated = f"{view.losses[index]:.4f}", view.estimated
        if estimated is None:
            return f"{view.times[index]:g}", loss, trained[0], ratio, trained[1], *apart
        loss += f" ({estimated.loss_errors[index]:.1g})"
        error = f"{estimated.distance[index]:.4f}" if np.isfinite(estimated.distance[index]) else "undefined"
        return f"{view.times[index]:g}", loss, trained[0], ratio, trained[1], *apart, error

    def figure(self) -> "Figure":
        """The fields of theory and networks, loss, participation ratio and distance against time."""
        from theory.flow.picture import Series, picture

        view, meter = self.theory, self.distance
        fine = at_fine_times(view)
        lines = Series(
            "gradient descent",
            view.times,
            view.descent,
            view.losses,
            view.ratio,
            end=view.solution.fixed_point,
            least=float(view.solution.mse),
            curve=Series("", fine.times, fine.descent, fine.losses, fine.ratio),
            note="; line: of E w",
        )
        apart = None if meter is None else (meter.times, meter.distance, meter.low, meter.high)
        return picture(view.problem.data, [lines, replace(self.trained.series(), distance=apart)])


def answer(
    problem: Problem,
    device: str = "auto",
    backend: str = "auto",
    memory: int | None = None,
    progress: "Callable[[int, int], None] | None" = None,
    measuring: "Callable[[str], None]" = lambda _name: None,
) -> "CompareAnswer | GraphCompareAnswer":
    """Predict the networks of `problem`, train them, and measure how far they are from the prediction.

    Moments that are estimated from examples of the law carry their standard errors into the prediction. Raises
    OutOfReachError where there is no prediction (the message says why), InputError for a problem without a [simulation]
    table or whose networks start from weights of their own.

    >>> from theory.problem import loads
    >>> from derivations.experiments.folders import problem_file
    >>> text = problem_file("small-bump").read_text().replace("replicates = 64", "replicates = 8")
    >>> found = answer(loads(text.replace("batch = 4000", "batch = 100")), "cpu")
    >>> bool(found.distance.low[-1] <= found.distance.distance[-1] <= found.distance.high[-1])
    True
    """
    from derivations.answers import simulate
    from derivations.answers.graph_compare import compared

    problem.refuse_deep("There is no prediction for a deep network in training.")
    train = partial(simulate.answer, problem, device, backend, memory, progress, measuring)
    if isinstance(problem.network, GatedGraph):
        return compared(problem, train)
    view, trained = predicted(problem), train()
    weights = trained.run.weights[trained.run.surviving()]
    meter = None if trained.run.one_cluster else distance(view, weights)
    return CompareAnswer(view, trained, meter, (*_notes(problem), *trained.remarks))


def _notes(problem: Problem) -> tuple[str, ...]:
    settings = problem.simulated()
    return (on_samples(settings),) if settings.mode == "full-batch" else ()


def with_error(means: dict[str, Any], name: str, *place: int) -> str:
    """Return an entry of a mean with its standard error, which is left out where the networks are one cluster."""
    if means[name] is None or not np.isfinite(means[name][place]):
        return "undefined"
    value, error = means[name][place], means[f"{name}_standard_error"]
    return f"{value:.4f}" if error is None else f"{value:.4f} ({error[place]:.1g})"
