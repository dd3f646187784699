"""Content of the page of the compare view: both laws, and the networks of both sides snapshot by snapshot."""

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any

import numpy as np

from derivations.explore import fields_page, gain_sweep, two_laws, verdict
from derivations.explore.amplifier import has_a_gain
from derivations.explore.fields import fields_at, reached, unit_names
from derivations.explore.gain_sweep import trained
from derivations.explore.laws import legends, title_of
from derivations.explore.limits import refuse_long
from derivations.explore.problems import read
from derivations.explore.running import JOBS, Job
from derivations.explore.shapes import RATIO, null_levels, shapes
from derivations.explore.sites import grid
from derivations.explore.spectra import class_spectra, power_of
from derivations.explore.tables import python_code
from derivations.explore.training import Learned, joined, train_together
from derivations.explore.verdict import SIDES
from derivations.explore.wire import packed
from derivations.statistics.alignment import centred, mean_and_error, mean_by_chance, mean_of_aligned, on_a_line
from derivations.sweeps.table import csv_text
from theory.problem import OutOfReachError, Problem, WorkbenchError, dumps

GROUP = 8  # networks: a first verdict comes early, and further networks sharpen it


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return both laws and their exact statistics, or a text of the state that the page shows.

    The settings are those of `sides_of`; with a `want` also the `snapshot`, the `job` that has trained, and the job
    `sweep` that has trained A at several gains.
    """
    return {"text": _text(sides_of(problem, settings), settings)} if "want" in settings else page(problem, settings)


def _text(sides: Mapping[str, Problem], settings: Mapping[str, Any]) -> str:
    trained = settings.get("job") is not None
    snapshot = int(settings.get("snapshot", len(sides["A"].training.times) - 1))
    if settings["want"] == "python":
        swept = settings.get("sweep") is not None
        return python_code(sides["A"], two_laws.python(dumps(sides["B"]), snapshot, trained, swept))
    learned = JOBS.get(str(settings["job"])).state().value if trained else None
    if settings["want"] == "csv":
        gains = () if settings.get("sweep") is None else JOBS.get(str(settings["sweep"])).state().value or ()
        return csv(sides, learned or {}, gains)
    known = two_laws.statistics(two_laws.compared(*(sides[side].data for side in SIDES)))
    measured = two_laws.rows(sides, snapshot, learned) if learned else []
    return "\n\n".join(fields_page.latex(table) for table in (known, measured) if table)


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return both sides as they are trained: the answer depends on nothing else.

    Raises InputError for a training that takes too long.
    """
    sides = tuple(sides_of(problem, settings).values())
    for side in sides:
        refuse_long(side)
    return sides


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train both sides on the same streams, and show each snapshot as it comes; the job keeps the networks.

    A further group is shown once it is trained, so that all times always have the same networks.
    """
    sides = sides_of(problem, settings)
    networks = range(sides["A"].simulated().replicates)
    groups = [networks[start : start + GROUP] for start in range(0, len(networks), GROUP)]
    snapshots = count()

    def show(snapshot: int, learned: Mapping[str, Learned]) -> None:
        job.add({"snapshot": snapshot, **snapshot_page(sides, snapshot, learned)}, learned)

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(len(groups[0]) * share / len(networks))
        if learned is not None:
            show(next(snapshots), learned)

    learned = train_together(sides, report, groups[0])
    for group in groups[1:]:

        def advance(share: float, _learned: Mapping[str, Learned] | None, group: range = group) -> None:
            job.advance((group.start + len(group) * share) / len(networks))

        learned = joined(learned, train_together(sides, advance, group))
        for snapshot in range(len(sides["A"].training.times)):
            show(snapshot, learned)


def sides_of(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Problem]:
    """Return the problems A and B as they are trained, from the settings of the page.

    `pair` is the name of a matched pair, or "own" with the problem `other` as TOML; `units` is "relu" to put ReLU units
    in the place of given gates, or "given".
    """
    first = trained(problem, settings)
    name = chosen_pair(first, settings)
    if name != two_laws.OWN:
        return {"A": first, "B": two_laws.other_side(first, name)}
    try:
        other = read(str(settings.get("other") or dumps(problem)))
        return {"A": first, "B": two_laws.on_the_times_of(first, other)}
    except WorkbenchError as error:
        raise type(error)(error.message, error.hint, "other") from None


def chosen_pair(problem: Problem, settings: Mapping[str, Any]) -> str:
    """Return the name of the pair that is asked for; if none is, of the first that exists: the Gaussian clone."""
    return settings.get("pair") or next(two_laws.pair_names(problem), two_laws.OWN)


def page(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return both laws, and what is known of them before training.

    Where the pair that is asked for does not exist, `note` says why, and the pairs are there to choose another. The
    gain at which a flat field changes its stability is there with settings["rest"] alone: it takes time.
    """
    first = trained(problem, settings)
    chosen = {
        "pairs": two_laws.pairs(first),
        "pair": chosen_pair(first, settings),
        "networks": first.simulated().replicates,
        "gain": float(first.data.gain) if has_a_gain(first.data) else None,
    }
    try:
        sides = sides_of(problem, {**settings, "pair": chosen["pair"]})
    except OutOfReachError as error:
        return {**chosen, "note": {"message": error.message, "remedy": error.hint}}
    laws = two_laws.compared(*(sides[side].data for side in SIDES), gains=bool(settings.get("rest")))
    return {
        **chosen,
        "sides": {side: _side(each) for side, each in sides.items()},
        "times": [float(time) for time in sides["A"].training.times],
        "levels": null_levels(laws.a.n),
        "statistics": two_laws.statistics(laws),
        "reason": two_laws.reason(laws),
        "reasons": two_laws.reasons(laws, sides),
        "rule": verdict.rule_and_errors(sides["A"].data.n),
        "other": dumps(sides["B"]) if chosen["pair"] == two_laws.OWN else None,
        "note": None,
    }


def _side(problem: Problem) -> dict[str, Any]:
    law = problem.data
    try:
        spectra = packed(class_spectra(law).power)
    except OutOfReachError:
        spectra = None
    return {
        "law": law.law,
        "title": title_of(law.law),
        "n": law.n,
        "shape": grid(law),
        "line": on_a_line(law),
        "ring": law.boundary == "ring",
        "classes": list(legends(law)),
        "units": unit_names(problem),
        "model": problem.network.model,
        "spectra": spectra,
    }


def snapshot_page(problems: Mapping[str, Problem], snapshot: int, learned: Mapping[str, Learned]) -> dict[str, Any]:
    """Return what is drawn of both sides at a snapshot, the difference of their mean fields, and the table."""
    shown = {side: _networks(problems[side], learned[side], snapshot) for side in SIDES}
    means = [shown[side].pop("mean") for side in SIDES]
    alike = len({grid(problems[side].data) or problems[side].data.n for side in SIDES}) == 1
    return {
        "sides": {side: {**shown[side], "mean": packed(mean)} for side, mean in zip(SIDES, means, strict=True)},
        "difference": packed(means[1] - means[0]) if alike else None,
        "rows": two_laws.rows(problems, snapshot, learned),
        "said": verdict.sentences(problems, learned, snapshot),
    }


def _packed(array: np.ndarray | None) -> dict[str, Any] | None:
    return None if array is None else packed(array)


def _networks(problem: Problem, learned: Learned, snapshot: int) -> dict[str, Any]:
    """The fields aligned by centre, their mean and ratios; on a line the mean by chance, and that of their power."""
    w, law = fields_at(learned, snapshot), problem.data
    each = w.reshape(-1, law.n)
    moved = centred(each, law)
    power = mean_and_error(power_of(each))[0] if on_a_line(law) else None
    return {
        "fields": packed(moved),
        "ratio": packed(shapes(w, law)[RATIO]),
        "mean": mean_of_aligned(moved),
        "power": _packed(power),
        "chance": packed(mean_by_chance(each, law)) if on_a_line(law) else None,
    }


def csv(problems: Mapping[str, Problem], learned: Mapping[str, Learned], gains: gain_sweep.ByGain = ()) -> str:
    """Return the numbers of the view as comma-separated values: the statistics, the tables at all times, the gains."""
    times = map(float, problems["A"].training.times)
    tables = [("", two_laws.statistics(two_laws.compared(*(problems[side].data for side in SIDES))))]
    tables += [
        (time, two_laws.rows(problems, snapshot, learned))
        for snapshot, time in enumerate(times)
        if len(reached(learned, snapshot)) == len(SIDES)
    ]
    rows = [
        {
            "quantity": row["quantity"],
            "t": time,
            "of": side,
            "value": row[side],
            "standard error": row.get(f"{side} ±", ""),
        }
        for time, table in tables
        for row in table
        for side in (*SIDES, "B − A")
        if row[side] is not None
    ]
    return csv_text(rows + gain_sweep.csv_rows(problems["A"], gains))
