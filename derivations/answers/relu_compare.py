"""The answer of `gdln compare --beside relu`: the exact gated prediction beside ReLU networks trained on the same data.

ReLU units choose their places. So every field is moved to its centre and given the sign of its largest weight, a unit
is compared with the gated field most like it, and the gate of that field is moved and reflected in the same way:

    cosine        max_g w.v_g/(|w| |v_g|) of aligned fields w and v_g
    gate overlap  <a g>/sqrt(<a^2> <g^2>) of the active set a = 1[w.x + b >= 0] and the moved gate g of v_g
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from derivations.answers.compare import FieldView, at_fine_times, predicted, with_error
from derivations.answers.examples import drawn
from derivations.answers.field_statistics import nulls, table
from derivations.output import columns, counted
from derivations.statistics.alignment import (
    centred,
    centres,
    mean_and_error,
    middle,
    on_a_line,
    random_phases,
    sides,
    signs,
)
from derivations.statistics.locality import Locality, exactly, rule
from theory.problem import InputError, Network, NormalInitialisation, OutOfReachError, Problem, dumps, resolved
from theory.problem.numbers import one_of, shown
from theory.problem.simulation import INITIALISATIONS
from theory.problem.toml import tables_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from derivations.answers.simulate import SimulateAnswer

WORDS = ("relu",)
# Models whose units are gates times their pre-activation, and their names.
SELF_GATED = {"relu": "ReLU", "leaky-relu": "leaky ReLU"}
_UNITS = 3  # gated fields listed; --json has them all
_EXAMPLES = 10_000  # of the gate overlap: the standard error of a share is at most 0.005
_LISTED = ("participation_ratio", "cosine", "overlap", "chance")
_REACH = 4  # sites listed on each side of the centre
_SAME = {"data": None, "training": ("loss", "tau", "times")}  # what two files have to have in common


def relu_in_place(problem: Problem, separate: bool) -> Problem:
    """Return the problem with as many ReLU units in the place of its gated ones, the same readout and biases.

    `separate` gives each network a start of its own where the file has a law of starts. Raises OutOfReachError for
    labels of several numbers with a fixed readout: all outputs would be the same.
    """
    layer = problem.one_layer
    if problem.data.outputs > 1 and not layer.trains_readout:
        raise OutOfReachError(
            "The labels have several numbers each; ReLU units with a fixed readout would give all of them one value.",
            "Give one number as label.",
        )
    relu = replace(problem, network=Network("relu", layer.readout, layer.units, (), layer.biases))
    if separate and relu.simulation is not None and isinstance(relu.training.w0, NormalInitialisation):
        return replace(relu, simulation=replace(relu.simulation, initialisation=INITIALISATIONS[1]))
    return relu


@dataclass(frozen=True)
class ReluCompareAnswer:
    """The prediction for gated units beside S trained networks of K ReLU units, at T times.

    `cosine`, `overlap` and `chance`, the overlap of independent sets of the same sizes, are of each unit, NaN where a
    unit has no field or never opens. `cosine_by_chance` is the mean cosine of fields with the spectra of the last time
    and random phases, None on a grid.
    """

    theory: FieldView
    trained: "SimulateAnswer"
    cosine: Float[np.ndarray, "S T K"]
    overlap: Float[np.ndarray, "S T K"]
    chance: Float[np.ndarray, "S T K"]
    cosine_by_chance: float | None
    examples: int

    @property
    def name(self) -> str:
        """The name of the networks' units."""
        return SELF_GATED[self.trained.problem.network.model]

    @cached_property
    def fine(self) -> FieldView:
        """The prediction at the times of a smooth curve."""
        return at_fine_times(self.theory)

    @cached_property
    def aligned(self) -> tuple[Float[np.ndarray, "G n"], Float[np.ndarray, "SK n"]]:
        """The gated fields and those of all ReLU units at the last time, moved to their centre, largest weight > 0."""
        law = self.theory.problem.data
        return centred(self.theory.descent[-1], law), centred(
            self.trained.self_gated_weights[:, -1].reshape(-1, law.n), law
        )

    @cached_property
    def aligned_quartiles(self) -> Float[np.ndarray, "3 n"]:
        """The quartiles of the aligned ReLU fields at the sites that at least half of them have; NaN at the others."""
        fields = self.aligned[1]
        known = np.isfinite(fields)
        enough = 2 * known.sum(axis=0) >= max(1, int(known.any(axis=1).sum()))
        quartiles = np.full((3, fields.shape[1]), np.nan)
        if known.any():
            quartiles[:, enough] = np.nanquantile(fields[:, enough], (0.25, 0.5, 0.75), axis=0)
        return quartiles

    @property
    def localities(self) -> tuple[Locality | None, Locality | None]:
        """Whether the gated fields and those of the ReLU units are local at the last time; None where undefined."""
        ratio, n = self.theory.ratio, self.theory.problem.data.n
        return None if ratio is None else exactly(float(ratio[-1].mean()), n), self.trained.locality()

    @property
    def notes(self) -> tuple[str, ...]:
        """How the networks start, and sentences on the data."""
        separate = self.trained.problem.simulated().initialisation == INITIALISATIONS[1]
        starts = "each ReLU network has a start of its own" if separate else "all ReLU networks have the same start"
        return (f"{starts}.", *self.trained.remarks)

    def over_time(self) -> dict[str, Float[np.ndarray, " T"] | None]:
        """Means over networks of the mean over their units, and standard errors; None where they are undefined."""
        measures = {"cosine": self.cosine, "overlap": self.overlap, "chance": self.chance}
        measures["participation_ratio"] = self.trained.values.get("participation_ratio")
        means = {name: self.trained.means[name] for name in ("loss", "loss_standard_error")}
        for name, values in measures.items():
            mean, error = (
                (None, None) if values is None else mean_and_error(mean_and_error(np.moveaxis(values, 2, 0))[0])
            )
            without = name == "chance" or self.trained.run.one_cluster
            means |= {name: mean, f"{name}_standard_error": None if without else error}
        return means

    def json(self) -> dict[str, Any]:
        """The object that `gdln compare --beside relu --json` prints."""
        view, gated = self.theory, self.aligned[0]
        words = dict(zip(("theory", "networks"), self.localities, strict=True))
        return {
            "times": view.times,
            "theory": {
                "weights": view.descent,
                "aligned_weights": nulls(gated),
                "loss": view.losses,
                "participation_ratio": view.ratio,
            },
            "networks": self.trained.json(),
            "aligned_quartiles": nulls(self.aligned_quartiles),
            "over_time": {
                name: None if numbers is None else nulls(numbers) for name, numbers in self.over_time().items()
            },
            "cosine_by_chance": self.cosine_by_chance,
            "examples": self.examples,
            "locality": {name: one and one.json() for name, one in words.items()},
            "notes": self.notes,
        }

    def text(self) -> str:
        """Losses, ratios, cosine and gate overlap over time, whether fields are local, and the aligned fields."""
        view, trained = self.theory, self.trained
        law, means = view.problem.data, self.over_time()
        rows = [("t", "loss of E w", self.name, "IPR of E w", self.name, "cosine", "gate overlap", "by chance")]
        for index, time in enumerate(view.times):
            loss, *others = (with_error(means, name, index) for name in ("loss", *_LISTED))
            theory = "undefined" if view.ratio is None else f"{view.ratio[index].mean():.4f}"
            rows.append((f"{time:g}", f"{view.losses[index]:.4f}", loss, theory, *others))
        at_end = self.cosine_by_chance
        said = [] if at_end is None else [f"of fields with the same spectra and random phases at the end: {at_end:.4f}"]
        lines = [
            f"{view.law_of_training} of {counted(len(view.descent[0]), 'gated unit')} beside "
            f"{len(trained.run.replicates)} networks of {counted(trained.problem.network.units, f'{self.name} unit')}, "
            f"{trained.run.steps} steps each",
            "",
            *columns(rows),
            "",
            "loss: <(y - yhat)^2>; IPR: inverse participation ratio, mean over units; (standard error) over networks",
            "cosine: of a unit's field with the gated field most like it, both moved to their centre, sign aside;",
            *said,
            "gate overlap: <a g>/sqrt(<a^2><g^2>), a the unit's active set, g that field's gate, moved and reflected",
            f"as the field; by chance: of independent sets of these sizes; on {self.examples} fresh examples",
            "",
        ]
        for name, one in zip(("gated", self.name), self.localities, strict=True):
            if one is not None:
                lines.append(f"{name} fields at t = {view.times[-1]:g} are {one.word}: IPR {one.text()}")
        lines += [f"  {part}" for part in rule(law.n).split("; ")]
        lines += ["", *self._profiles(), "", f"statistics of each {self.name} field at t = {view.times[-1]:g}"]
        lines += table(trained.self_gated_weights[:, -1], law, together=True)
        return "\n".join([*lines, *(f"\nnote: {note}" for note in self.notes)])

    def _profiles(self) -> list[str]:
        """The aligned fields around their centre: those of the theory, and median and quartiles of the ReLU units."""
        gated, shape = self.aligned[0], sides(self.theory.problem.data)
        low, median, high = self.aligned_quartiles
        base = middle(self.theory.problem.data)
        reach = range(-min(_REACH, shape[-1] // 2), min(_REACH, (shape[-1] - 1) // 2) + 1)
        head = ("site", *(f"gated {unit}" for unit in range(len(gated[:_UNITS]))), "median (quartiles) of units")
        rows = [head]
        for step in reach:
            site = base + step
            numbers = [f"{field[site]:.4f}" if np.isfinite(field[site]) else "-" for field in gated[:_UNITS]]
            known = np.isfinite(median[site])
            band = f"{median[site]:.4f} ({low[site]:.4f} to {high[site]:.4f})" if known else "-"
            rows.append((f"{step:+d}" if step else "0", *numbers, band))
        along = "" if len(shape) == 1 else ", along the row of the centre"
        lines = [f"fields at t = {self.theory.times[-1]:g} moved to their centre, largest weight positive{along}"]
        return lines + [f"  {line}" for line in columns(rows)]

    def figure(self) -> "Figure":
        """The aligned fields; loss, participation ratio, cosine and gate overlap against time."""
        from derivations.answers.relu_compare_figure import relu_compare_figure

        return relu_compare_figure(self)


def answer(
    problem: Problem,
    other: Problem | str = "relu",
    device: str = "auto",
    backend: str = "auto",
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    measuring: Callable[[str], None] = lambda _name: None,
) -> ReluCompareAnswer:
    """Predict the gated networks of `problem`, and train ReLU networks beside them.

    `other` is a problem of ReLU units on the same data, with the same loss, tau and times; or "relu", for as many units
    with the readout, biases, training and [simulation] of `problem`. Raises InputError for problems that do not fit
    together, and as `gdln compare` and `gdln simulate`.
    """
    from derivations.answers import simulate

    gated = problem.one_layer
    if gated.model != Network.gated:
        raise InputError(
            f'network.model = "{gated.model}" has no given gates: there is no prediction to put beside networks.',
            'Name a file with model = "gated-linear"; gdln simulate trains this one. Of two files it is the first.',
        )
    if isinstance(other, str):
        one_of(other, "--beside", WORDS)
        relu = relu_in_place(problem, separate=True)
    else:
        relu = other
        _check_pair(problem, relu)
    view = predicted(problem)
    trained = simulate.answer(relu, device, backend, memory, progress, measuring)
    cosine, nearest = _matched(view, trained.self_gated_weights)
    rows = min(_EXAMPLES, relu.simulated().samples)
    overlap, chance = _overlaps(view, trained, nearest, rows)
    random = np.zeros(0)
    if on_a_line(problem.data):
        random, _ = _cosines(view.descent[-1], random_phases(trained.self_gated_weights[:, -1]), problem.data)
    by_chance = float(random[np.isfinite(random)].mean()) if np.isfinite(random).any() else None
    return ReluCompareAnswer(view, trained, cosine, overlap, chance, by_chance, rows)


def _check_pair(gated: Problem, relu: Problem) -> None:
    if relu.one_layer.model not in SELF_GATED:
        raise InputError(
            f'network.model = "{relu.network.model}" in the second file: no units with active sets 1[w.x + b >= 0].',
            'Name a file with model = "relu" or "leaky-relu".',
        )
    if relu.simulation is None:
        raise InputError(
            "The second file has no [simulation] table.",
            "Add one: mode, samples, batch, learning_rate, replicates, seed.",
        )
    first, second = (tables_of(dumps(problem), "problem") for problem in (gated, relu))
    for name, keys in _SAME.items():
        ours, theirs = first[name], second[name]
        for key in keys or sorted(ours.keys() | theirs.keys(), key=lambda key: (key != "law", key)):
            if ours.get(key) != theirs.get(key):
                both = shown(ours.get(key)), shown(theirs.get(key))
                raise InputError(
                    f"{name}.{key} is {both[0]} in the first file and {both[1]} in the second.",
                    "Both need the same [data], training.loss, tau and times; or leave the second out: --beside relu.",
                )


def _matched(
    view: FieldView, w: Float[np.ndarray, "S T K n"]
) -> tuple[Float[np.ndarray, "S T K"], Int[np.ndarray, "S T K"]]:
    """The cosine with the gated field most like each unit's at the same time, and the number of that field."""
    cosines = [_cosines(gated, w[:, place], view.problem.data) for place, gated in enumerate(view.descent)]
    return tuple(np.stack(part, axis=1) for part in zip(*cosines, strict=True))


def _cosines(
    gated: Float[np.ndarray, "G n"], w: Float[np.ndarray, "*any n"], law: Any
) -> tuple[Float[np.ndarray, "*any"], Int[np.ndarray, "*any"]]:
    """The largest cosine of aligned fields, NaN without one, and its place; sites beyond an open end count as 0."""
    ours, theirs = (np.nan_to_num(centred(field, law)) for field in (gated, w))
    with np.errstate(invalid="ignore", divide="ignore"):
        ours, theirs = (
            moved / np.linalg.norm(field, axis=-1, keepdims=True) for moved, field in ((ours, gated), (theirs, w))
        )
    each = np.where(np.isfinite(ours).all(axis=-1), np.nan_to_num(theirs) @ np.nan_to_num(ours).T, -np.inf)
    defined = theirs.any(axis=-1) & np.isfinite(theirs).all(axis=-1) & np.isfinite(each).any(axis=-1)
    return np.where(defined, each.max(axis=-1), np.nan), each.argmax(axis=-1)


def _overlaps(
    view: FieldView, trained: "SimulateAnswer", nearest: Int[np.ndarray, "S T K"], rows: int
) -> tuple[Float[np.ndarray, "S T K"], Float[np.ndarray, "S T K"]]:
    """The overlap of each unit's active set with the gate of its field, and that of independent sets as large."""
    from sim.gates.gating import opens
    from sim.gates.moved import moved

    law, w, run = view.problem.data, trained.self_gated_weights, trained.run
    draw = drawn(law, rows, trained.problem.simulated().seed)
    x, gates, shape = draw.x[0].numpy(), resolved(view.problem.network.gates), sides(law)
    gate_at, unit_at = np.round(centres(view.descent, law)), np.round(centres(w, law))  # (T, G, axes), (S, T, K, axes)
    gate_sign, unit_sign = signs(view.descent), signs(w)
    biases = None if run.biases is None else run.biases[run.surviving()]
    known: dict[tuple[Any, ...], np.ndarray] = {}
    overlap, chance = np.full(w.shape[:3], np.nan), np.full(w.shape[:3], np.nan)
    for s, t in np.ndindex(w.shape[:2]):
        h = x @ w[s, t].T + (0.0 if biases is None else biases[s, t, : w.shape[2]])
        for k in range(w.shape[2]):
            g = int(nearest[s, t, k])
            shift = unit_at[s, t, k] - gate_at[t, g]
            if not np.isfinite(shift).all():
                continue
            key = (g, tuple(shift.astype(int).tolist()), float(unit_sign[s, t, k] * gate_sign[t, g]))
            if key not in known:
                known[key] = opens(gates[g], moved(draw, *key[1:], shape))[0].numpy().astype(np.float32)
            active, gate = h[:, k] >= 0, known[key].astype(float)  # kept in half of the memory
            size = np.sqrt(active.mean() * np.square(gate).mean())
            if size > 0:
                overlap[s, t, k] = (active * gate).mean() / size
                chance[s, t, k] = active.mean() * gate.mean() / size
    return overlap, chance
