"""Content of the page of the fields view: the theory at all times, and trained networks snapshot by snapshot."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

from derivations.answers.compare import FieldView
from derivations.explore import fields, pieces
from derivations.explore.bar import networks_in_words
from derivations.explore.controls import whole_of
from derivations.explore.flips import categories, flipped, has_flips, raster
from derivations.explore.laws import legends
from derivations.explore.limits import refuse_long
from derivations.explore.running import JOBS, Job
from derivations.explore.shapes import RATIO, null_levels, shapes
from derivations.explore.sites import grid
from derivations.explore.spectra import ClassSpectra, class_spectra, intervals_of, power_of, share_at
from derivations.explore.tables import python_code
from derivations.explore.training import Learned, train_together
from derivations.explore.verdict import when_local
from derivations.explore.wire import packed
from derivations.statistics.alignment import centred, mean_and_error, mean_by_chance, mean_of_aligned, on_a_line
from derivations.sweeps.table import csv_text
from theory.problem import GatedGraph, InputError, OutOfReachError, Problem
from theory.problem.simulation import INITIALISATIONS

_THEORY = "theory: gradient descent"


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the theory at all times and how the networks are trained, or a text of the state that the page shows.

    The settings are those of `as_trained`; with a `want` also the `snapshot`, and the `job` that has trained.
    """
    live = as_trained(problem, settings)
    return {"text": _text(live, settings)} if "want" in settings else page(live)


def _text(problem: Problem, settings: Mapping[str, Any]) -> str:
    snapshot = int(settings.get("snapshot", len(problem.training.times) - 1))
    view, _ = prediction(problem)
    if settings["want"] == "python":
        trained = settings.get("job") is not None
        lines = fields.python(snapshot, trained, view is not None, with_relu(settings), settings.get("pieces") or None)
        return python_code(problem, lines)
    learned = {} if settings.get("job") is None else JOBS.get(str(settings["job"])).state().value or {}
    if settings["want"] == "csv":
        return csv(problem, learned, view)
    return latex(fields.rows(problem, snapshot, learned, view))


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return all that the answer depends on: the problem as it is trained, and what stands beside it.

    Raises InputError for a training that takes too long.
    """
    live = as_trained(problem, settings)
    refuse_long(live)
    return live, with_relu(settings), settings.get("pieces") or None


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train the problem and what stands beside it, and show each snapshot; the job keeps the networks.

    Where it is asked for, the replay of their gates follows.
    """
    live = as_trained(problem, settings)
    view, _ = prediction(live)
    replay = settings.get("pieces") or None
    part = 1.0 if replay is None else 0.5  # a replay trains its networks once more
    snapshots = count()

    def show(snapshot: int, learned: Mapping[str, Learned]) -> None:
        job.add({"snapshot": snapshot, **snapshot_page(live, snapshot, learned, view)}, learned)

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(part * share)
        if learned is not None:
            show(next(snapshots), learned)

    learned = train_together(fields.rivals(live, with_relu(settings)), report)
    if replay is not None:
        replayed = pieces.replayed(live, replay, lambda share: job.advance(part * (1 + share)))
        learned = {**learned, pieces.name_of(replay): replayed}
        for snapshot in range(len(live.training.times)):
            show(snapshot, learned)


def as_trained(problem: Problem, settings: Mapping[str, Any]) -> Problem:
    """Return the problem as it is trained with the settings of the page: `batch`, `networks` and `until`.

    Raises InputError, whose kind is the setting, for a value that is none or a training that takes too long, and
    OutOfReachError for a graph.
    """
    if isinstance(problem.network, GatedGraph):
        raise OutOfReachError("The network is a graph, which has no fields of single units.", "Open the view Graph.")
    networks = whole_of(settings.get("networks", 8), "networks", fields.FEWEST, fields.MOST)
    batch = whole_of(settings.get("batch", 256), "batch", 1, int(fields.BATCHES[-1]))
    until = settings.get("until")
    typed = until not in (None, "")
    live = fields.live(problem, batch, networks, _time(until) if typed else None)
    if typed:  # the problem's own times have a theory, however long networks would take: a training refuses them
        refuse_long(live)
    return live


def with_relu(settings: Mapping[str, Any]) -> bool:
    """Return whether ReLU networks are trained beside gated-linear ones."""
    return settings.get("beside", "relu") == "relu"


def _time(value: Any) -> Fraction:
    try:
        time = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{value!r} is no time.", "Write a number such as 100.", "until") from None
    if time <= 0:
        raise InputError(f"The last time {value} is not above 0.", "Write a number such as 100.", "until")
    return time


def prediction(problem: Problem) -> tuple[FieldView | None, OutOfReachError | None]:
    """Return the theory at the times of a problem of `live`, or the reason why there is none."""
    try:
        return fields.theory_of(problem), None
    except OutOfReachError as error:
        return None, error


def spectra_of(problem: Problem) -> ClassSpectra | None:
    """Return the spectra of the classes; None on a grid and for a law without a covariance."""
    try:
        return class_spectra(problem.data)
    except OutOfReachError:
        return None


def page(problem: Problem) -> dict[str, Any]:
    """Return everything that is known before training; `problem` is one of `live`."""
    view, refused = prediction(problem)
    law = problem.data
    spectra = spectra_of(problem)
    return {
        "n": law.n,
        "shape": grid(law),
        "line": on_a_line(law),
        "ring": law.boundary == "ring",
        "units": fields.unit_names(problem),
        "separate": problem.simulated().initialisation == INITIALISATIONS[1],
        "model": problem.network.model,
        "times": [float(time) for time in problem.training.times],
        "networks": problem.simulated().replicates,
        "levels": null_levels(law.n),
        "classes": list(legends(law)),
        "said": [_training_in_words(problem), *([] if spectra is None else _spectra_in_words(spectra))],
        "theory": None if view is None else _theory(view),
        "note": None if refused is None else {"message": f"No theory stands beside these networks. {refused.message}"},
        "rows": [fields.rows(problem, snapshot, {}, view) for snapshot in range(len(problem.training.times))],
        "spectra": None if spectra is None else {"classes": packed(spectra.power), "field": _theory_power(view)},
        "fits": grid(law) is not None,
        "replays": has_flips(problem) and problem.network.model == fields.RELU,
    }


def _theory(view: FieldView) -> dict[str, Any]:
    return {
        "name": _THEORY,
        "descent": packed(view.descent),
        "flow": packed(view.solution.weights),
        "end": packed(view.solution.fixed_point),
        "least": float(view.solution.mse),
    }


def _theory_power(view: FieldView | None) -> Any:
    return None if view is None or not view.descent.any(axis=-1).all() else packed(power_of(view.descent))


def _training_in_words(problem: Problem) -> str:
    settings = problem.simulated()
    start = "a start of its own" if settings.initialisation == "per-replicate" else "the same start"
    return (
        f"{settings.replicates} networks, each from {start} on its own stream of examples: {settings.optimizer}, "
        f"learning rate {float(settings.learning_rate):g}, {settings.batch} fresh examples a step, "
        f"{round(problem.training.times[-1] / problem.training.tau / settings.learning_rate)} steps to "
        f"t = {float(problem.training.times[-1]):g}."
    )


def _spectra_in_words(spectra: ClassSpectra) -> list[str]:
    """Where the class of the larger label has more power: there the difference of the classes feeds the field."""
    if len(spectra.labels) != 2:
        return []
    high, low = (f"y = {spectra.labels[c]:g}" for c in spectra.ends)
    kept = spectra.larger
    if not kept.any():
        return [f"The class {high} has nowhere more power than {low}: the spectra do not tell them apart."]
    return [
        f"The class {high} has more power than {low} at the frequencies q = {intervals_of(kept)}: a rectified unit "
        f"with its field there responds more strongly to {high}."
    ]


def snapshot_page(
    problem: Problem, snapshot: int, learned: Mapping[str, Learned], view: FieldView | None
) -> dict[str, Any]:
    """Return what is drawn of the networks that have reached a snapshot, and its table."""
    present = fields.reached(learned, snapshot)
    spectra = spectra_of(problem)
    known = fields.rivals(problem)
    networks = {
        name: _networks(known.get(name), problem, snapshot, trained, spectra) for name, trained in present.items()
    }
    place = range(len(problem.training.times))[snapshot]
    said = [when_local(networks_in_words(name), problem, trained, place) for name, trained in present.items()]
    return {"networks": networks, "said": said, "rows": fields.rows(problem, snapshot, present, view)}


def _networks(
    rival: Problem | None, problem: Problem, snapshot: int, learned: Learned, spectra: ClassSpectra | None
) -> dict[str, Any]:
    law = problem.data
    w = fields.fields_at(learned, snapshot)
    measured = shapes(w, law)
    drawn: dict[str, Any] = {
        "weights": packed(w),
        "mean": packed(_mean(w)),
        "ratio": packed(measured[RATIO]),
    }
    if on_a_line(law):
        moved = centred(w, law)
        power = power_of(w)
        drawn |= {
            "aligned": packed(moved),
            "aligned_mean": packed(
                np.concatenate([mean_of_aligned(moved), mean_of_aligned(moved.reshape(-1, law.n))[None]])
            ),
            "chance": packed(np.concatenate([mean_by_chance(w, law), mean_by_chance(w.reshape(-1, law.n), law)[None]])),
            "power": packed(np.concatenate([_mean(power), _mean(power.reshape(-1, power.shape[-1]))[None]])),
        }
        if spectra is not None and len(spectra.labels) == 2 and spectra.larger.any():
            share = mean_and_error(share_at(power, spectra.larger, law.n).ravel())[0]
            drawn["said"] = f"{100 * share:.0f} % of the power of the trained fields lies there."
    if rival is not None and has_flips(rival):
        drawn |= {
            "flipped": packed(flipped(rival, learned, snapshot)),
            "raster": raster(rival, learned, snapshot),
            "categories": categories(rival),
        }
    return drawn


def _mean(values: np.ndarray) -> np.ndarray:
    """The mean along the first axis of the finite numbers; NaN where there is none."""
    return mean_and_error(values)[0]


def csv(problem: Problem, learned: Mapping[str, Learned], view: FieldView | None) -> str:
    """Return the numbers of the view as comma-separated values, one number a row: tables and fields at all times.

    Fields are those of the theory and the mean of networks, with its standard error; at t = infinity the fixed point.
    """
    lines: list[dict[str, Any]] = []
    for snapshot, time in enumerate(map(float, problem.training.times)):
        for row in fields.rows(problem, snapshot, learned, view):
            for name in ("theory", *fields.reached(learned, snapshot)):
                if row[name] is not None:
                    lines.append(_line(row["quantity"], name, time, row["unit"], "", row[name], row.get(f"{name} ±")))
        if view is not None:
            lines += _field(problem, _THEORY, time, view.descent[snapshot])
            lines += _field(problem, "gradient flow", time, view.solution.weights[snapshot])
        for name, networks in fields.reached(learned, snapshot).items():
            lines += _field(problem, name, time, *mean_and_error(fields.fields_at(networks, snapshot)))
    if view is not None:
        lines += _field(problem, _THEORY, np.inf, view.solution.fixed_point)
    if not lines:
        raise OutOfReachError("There are no numbers yet: this problem has no theory.", "Train networks first.")
    shape = grid(problem.data)
    if shape is not None:
        for row in lines:
            row["row"], row["column"] = ("", "") if row["site"] == "" else divmod(row["site"], shape[1])
    return csv_text(lines)


def _line(
    quantity: str, of: str, time: float, unit: str, site: int | str, value: float, error: float | None
) -> dict[str, Any]:
    return {
        "quantity": quantity,
        "of": of,
        "t": time,
        "unit": unit,
        "site": site,
        "value": float(value),
        "standard error": "" if error is None else float(error),
    }


def _field(
    problem: Problem, of: str, time: float, field: np.ndarray, error: np.ndarray | None = None
) -> Sequence[dict[str, Any]]:
    names = fields.unit_names(problem)
    return [
        _line("w", of, time, names[unit], site, field[unit, site], None if error is None else error[unit, site])
        for unit, site in np.ndindex(field.shape)
    ]


def latex(table: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of `fields.rows` as LaTeX, with standard errors in the columns named by ±."""
    if not table:
        raise OutOfReachError("There are no numbers yet: this problem has no theory.", "Train networks first.")
    keys = list(table[0])
    head = " & ".join(key.replace("±", "$\\pm$") for key in keys)
    lines = [" & ".join(_cell(row[key]) for key in keys) + r" \\" for row in table]
    return "\n".join(
        [rf"\begin{{tabular}}{{ll{'r' * (len(keys) - 2)}}}", head + r" \\ \hline", *lines, r"\end{tabular}"]
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("%", r"\%")
