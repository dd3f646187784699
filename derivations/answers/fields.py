"""The answer of `gdln fields`: receptive fields on a grid as images, fitted, with maps of orientation and frequency."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from derivations.statistics.field_fits import LEAST_SIDE, Fit, fit
from derivations.statistics.locality import Locality, exactly, locality, rule
from theory.problem import GatedGraph, InputError, OutOfReachError, Problem
from theory.problem.distributions.sampled import SampledLaw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCES = ("theory", "networks")
MOST_FITS = 400  # about 0.3 s of processor time each
_LEAST_EXPLAINED = 0.5  # of the power
_CONFIDENT = 2  # standard errors: 95 %
_CONFIDENCE = 0.95
_OF_WAVES = ("orientation", "frequency", "along")
_FLAT = 1e-9  # of a cosine: a wave along an axis ends at the sides that it meets
_ROWS = 40  # fields listed; --json has them all


@dataclass(frozen=True)
class FittedField:
    """The field of one unit of one network at the time asked for, and its fit.

    It has none where the field is zero, or not finite as that of a network that has diverged.
    """

    network: int
    unit: int
    field: Float[np.ndarray, "rows columns"]
    fit: Fit | None

    def determined(self, *names: str) -> bool:
        """Whether the field determines these parameters of its fit: two standard errors, 95 %, are below their reach.

        That is 45 degrees for an orientation, a right angle for a phase, half of the shorter side for the centre, and
        for all others the number itself, which is then told from 0.
        """
        reach = {"orientation": 45.0, "phase": np.pi / 2} | dict.fromkeys(("y", "x"), min(self.field.shape) / 2)
        return all(_CONFIDENT * self.fit.error[name] < reach.get(name, abs(self.fit.value[name])) for name in names)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The parameters that the field does not determine."""
        return tuple(name for name in self.fit.value if not self.determined(name))

    @property
    def is_explained(self) -> bool:
        """Whether the better fit explains at least half of the power."""
        return self.fit is not None and self.fit.explained >= _LEAST_EXPLAINED

    @property
    def is_wave(self) -> bool:
        """Whether a Gabor function explains half of the power and has a wave that the field shows and determines.

        Half a cycle or more lies within the envelope (two widths to each side), and a period within the grid along the
        direction of the wave. A slower one is a bump or an edge: its orientation is not that of a wave.
        """
        if not self.is_explained or self.fit.model != "gabor" or not self.determined(*_OF_WAVES):
            return False
        orientation, frequency, along = (self.fit.value[name] for name in _OF_WAVES)
        turn, (rows, columns) = np.radians(orientation), self.field.shape
        across_the_grid = min(columns / max(abs(np.cos(turn)), _FLAT), rows / max(abs(np.sin(turn)), _FLAT))
        return 4 * frequency * along >= 1 / 2 and frequency * across_the_grid >= 1


@dataclass(frozen=True)
class FieldsAnswer:
    """Every unit's field at time `time`, from theory or from trained networks, with its fit."""

    problem: Problem
    source: str
    time: float
    fields: tuple[FittedField, ...]

    @property
    def fitted(self) -> tuple[FittedField, ...]:
        """The fields that are not zero."""
        return tuple(one for one in self.fields if one.fit is not None)

    @property
    def explained(self) -> tuple[FittedField, ...]:
        """The fields of which the better fit explains at least half of the power."""
        return tuple(one for one in self.fields if one.is_explained)

    @property
    def waves(self) -> tuple[FittedField, ...]:
        """The fields that are waves."""
        return tuple(one for one in self.fields if one.is_wave)

    @property
    def placed(self) -> tuple[FittedField, ...]:
        """The fields of which at least half is explained and whose centre is determined: those of the map."""
        return tuple(one for one in self.explained if one.determined("y", "x"))

    def alignment(self) -> tuple[float, float] | None:
        """Return mean orientation (degrees) and resultant length of exp(2 i orientation): 1 if all agree, 0 if spread.

        None without waves.
        """
        if not self.waves:
            return None
        turns = np.radians([2 * one.fit.value["orientation"] for one in self.waves])
        mean = np.exp(1j * turns).mean()
        return float(np.degrees(np.angle(mean)) / 2 % 180), float(abs(mean))

    def locality(self) -> Locality | None:
        """Whether the fields are local; None with one network, networks that share their examples, or a field of zeros.

        The mean is over units; its interval is that of networks, and of none for theory.
        """
        from sim.measure.receptive_fields import participation_ratio

        if any(one.fit is None for one in self.fields):
            return None
        n, numbers = self.problem.data.n, [one.network for one in self.fields]
        ratio = participation_ratio(np.stack([one.field.ravel() for one in self.fields]))
        by_network = np.bincount(numbers, ratio) / np.bincount(numbers)
        if self.source == "theory":
            return exactly(float(by_network.mean()), n)
        return None if self.problem.simulated().shared_stream else locality(by_network, n)

    def json(self) -> dict[str, Any]:
        """The object that `gdln fields --json` prints."""
        aligned, local = self.alignment(), self.locality()
        return {
            "source": self.source,
            "estimated_from": self.estimated_from,
            "time": self.time,
            "shape": list(self.problem.data.shape),
            "fields": [
                {
                    "network": one.network,
                    "unit": one.unit,
                    "weights": one.field,
                    "fit": None if one.fit is None else _fit_json(one),
                    "wave": one.is_wave,
                }
                for one in self.fields
            ],
            "explained_to_half": len(self.explained),
            "waves": len(self.waves),
            "locality": local and local.json(),
            "orientation": None if aligned is None else {"mean": aligned[0], "resultant": aligned[1]},
        }

    def text(self) -> str:
        """Each field's better fit, and what the units have in common, for a reader."""
        head = f"{'network':>7}{'unit':>5}  {'better fit':<24}{'explained':>9}  {'centre (row, column)':<22}what it is"
        lines = [f"fields at t = {self.time:g} from {self._origin()}", "", head]
        for one in self.fields[:_ROWS]:
            place = f"{one.network:>7}{one.unit:>5}  "
            lines.append(place + ("zero: it has no fit" if one.fit is None else _row(one)))
        if len(self.fields) > _ROWS:
            lines.append(f"  ... {len(self.fields) - _ROWS} more; --json has them all")
        explained, waves = len(self.explained), len(self.waves)
        lines += [
            "",
            f"of {len(self.fitted)} fields {explained} are explained to one half or more; {waves} of these are waves",
        ]
        aligned = self.alignment()
        if aligned is not None:
            mean, resultant = aligned
            lines.append(f"their orientations: mean {mean:.1f} degrees, resultant {resultant:.2f} (1 if all agree)")
        if (local := self.locality()) is not None:
            lines += [f"they are {local.word}: participation ratio {local.text()}"]
            lines += [f"  {part}" for part in rule(self.problem.data.n).split("; ")]
        if self.estimated_from is not None:
            lines.append(
                f"theory is estimated from {self.estimated_from} examples of the law, whose errors +- leaves out"
            )
        lines += [
            "explained: share of the field's power; +-: one standard error from the residuals of the fit: how well the",
            "field determines the number, not whether the model is true; undetermined: two of them (95 %) reach 0,",
            "half of the grid's shorter side or 45 degrees; lengths in sites, frequency in cycles a site;",
            "wave: a Gabor function, half explained, with half a cycle in its envelope and a period within the grid;",
            "else it is a bump or an edge; orientation: the direction of the wave, from columns towards rows",
        ]
        return "\n".join(lines)

    @property
    def estimated_from(self) -> int | None:
        """The number of examples from which the moments behind the fields are estimated; None where they are exact."""
        law = self.problem.data
        return law.estimate.examples if self.source == "theory" and isinstance(law, SampledLaw) else None

    def _origin(self) -> str:
        if self.source == "theory":
            return "theory"
        return f"{len({one.network for one in self.fields})} trained networks"

    def figure(self) -> "Figure":
        """Images of the fields with their explained share, and the maps of centre, orientation and frequency."""
        from derivations.answers.field_figure import field_figure

        return field_figure(self)


def answer(
    problem: Problem,
    source: str = "theory",
    time: float | None = None,
    networks: int = 4,
    progress: Callable[[int, int], None] | None = None,
) -> FieldsAnswer:
    """Fit every unit's field on the grid of `problem` at a time, the last one if None.

    `source` "theory" takes the exact flow of a gated-linear network, at t = infinity where `time` is infinite;
    "networks" trains the first `networks` replicates of the problem's [simulation]. Raises InputError for a time that
    the problem does not list, OutOfReachError for laws without a grid and where there are more than 400 fields to fit.
    """
    _require_grid(problem)
    time, weights = _of_theory(problem, time) if source == "theory" else _of_networks(problem, time, networks)
    return fitted(problem, source, time, weights, progress)


def fitted(
    problem: Problem,
    source: str,
    time: float,
    weights: Float[np.ndarray, "S K n"],
    progress: Callable[[int, int], None] | None = None,
) -> FieldsAnswer:
    """Fit the fields that S networks of `problem`, or the theory, have at a time. Raises as `answer` does.

    A field of zeros, and one of a network that has diverged, has no fit.
    """
    _require_grid(problem)
    count = weights.shape[0] * weights.shape[1]
    if count > MOST_FITS:
        raise OutOfReachError(
            f"{count} fields are to be fitted, about 0.3 s each; more than {MOST_FITS} are refused.",
            "Use --networks with a smaller number, or fewer units.",
        )
    torus = problem.data.boundary != "open"
    fields = []
    for network, units in enumerate(weights):
        for unit, flat in enumerate(units):
            field = flat.reshape(problem.data.shape)
            known = np.isfinite(field).all() and field.any()
            fields.append(FittedField(network, unit, field, fit(field, torus) if known else None))
            if progress is not None:
                progress(len(fields), count)
    return FieldsAnswer(problem, source, time, tuple(fields))


def _require_grid(problem: Problem) -> None:
    problem.refuse_deep("Fields belong to networks with one hidden layer, and the network is deep.")
    law = problem.data
    if getattr(law, "shape", None) is None or isinstance(problem.network, GatedGraph):
        raise OutOfReachError(
            f"Fields are fitted on grids, for networks with one hidden layer; this problem has the law {law.law!r}.",
            'Use a law on a grid, such as law = "nlgp-2d"; for lines see gdln compare --plot.',
        )
    if law.outputs > 1:
        raise OutOfReachError(f"The labels have {law.outputs} numbers each: a unit has as many fields.", "Use one.")
    if min(law.shape) < LEAST_SIDE:
        raise OutOfReachError(
            f"data.shape = {list(law.shape)} has a side below {LEAST_SIDE} sites: a fit has up to eight parameters.",
            "Use a larger grid.",
        )


def _place(problem: Problem, time: float | None) -> int:
    times = [float(t) for t in problem.training.times]
    if time is None:
        return len(times) - 1
    if time not in times:
        listed = ", ".join(f"{t:g}" for t in times)
        raise InputError(f"t = {time:g} is none of the problem's times: {listed}.", "Add it to training.times.")
    return times.index(time)


def _of_theory(problem: Problem, time: float | None) -> tuple[float, np.ndarray]:
    from theory.flow import solve

    if time is not None and np.isinf(time):
        return float(np.inf), solve(problem).fixed_point[None]
    place = _place(problem, time)
    return float(problem.training.times[place]), solve(problem).weights[place][None]


def _of_networks(problem: Problem, time: float | None, networks: int) -> tuple[float, np.ndarray]:
    from sim.train import train

    place = _place(problem, time)
    replicates = problem.simulated().replicates
    if not 1 <= networks <= replicates:
        raise InputError(
            f"--networks {networks}: the problem has {replicates} replicates.", f"Give 1 to {replicates} of them."
        )
    run = train(problem, replicates=range(networks))
    if run.diverged[:networks].any():
        raise OutOfReachError("A network diverged: its fields are not finite.", "Use a smaller learning_rate.")
    return float(problem.training.times[place]), run.weights[:, place]


def _fit_json(one: FittedField) -> dict[str, Any]:
    best = one.fit
    finite = {name: error if np.isfinite(error) else None for name, error in best.error.items()}
    said = {"model": best.model, "explained": best.explained, "bic": best.bic, "value": best.value, "error": finite}
    return said | {"undetermined": one.undetermined, "confidence": _CONFIDENCE}


def _row(one: FittedField) -> str:
    best = one.fit
    value, error = best.value, best.error

    def shown(name: str, unit: str = "") -> str:
        if not np.isfinite(error[name]):
            return "undetermined"
        if not one.determined(name):
            return f"undetermined (+- {error[name]:.1g}{unit})"
        return f"{value[name]:.3g} +- {error[name]:.1g}{unit}"

    place = f"({value['y']:.1f}, {value['x']:.1f})" if one.determined("y", "x") else "undetermined"
    if best.model == "gabor":
        what = "wave:" if one.is_wave else "no wave:"
        says = (
            f"frequency {shown('frequency')} at {shown('orientation', ' deg')}, widths {shown('along')}, "
            f"{shown('across')}"
        )
    else:
        what, says = "bump:", f"widths {shown('centre')}, {shown('surround')}, ratio {shown('ratio')}"
    what = what if one.is_explained else "not explained:"
    return f"{best.model:<24}{best.explained:>9.4f}  {place:<22}{what} {says}"
