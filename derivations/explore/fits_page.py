"""The fits of trained fields on a grid as a table: centre, widths, frequency and residual, and what is undetermined."""

from collections.abc import Mapping
from typing import Any

from derivations.answers.fields import FieldsAnswer, fitted
from derivations.explore import fields_page
from derivations.explore.fields import fields_at, reached, unit_names
from derivations.explore.running import JOBS, Job
from derivations.explore.tables import page_table
from theory.problem import InputError, Problem

# The parameters of each model by their column: lengths are along and across a wave, or of centre and surround.
_PLACE = {"centre, row": "y", "centre, column": "x"}
_PARAMETERS = {
    "gabor": {
        **_PLACE, "width": "along", "other width": "across", "frequency": "frequency", "orientation": "orientation",
    },
    "difference of Gaussians": {**_PLACE, "width": "centre", "other width": "surround"},
}  # fmt: skip
_UNITS = {
    "centre, row": "site", "centre, column": "site", "width": "sites", "other width": "sites",
    "frequency": "cycles a site", "orientation": "degrees",
}  # fmt: skip


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Fit every field of the networks of the job settings["trained"] at settings["snapshot"], and show the table."""
    live = fields_page.as_trained(problem, settings)
    snapshot = int(settings.get("snapshot", len(live.training.times) - 1))
    present = reached(JOBS.get(str(settings.get("trained"))).state().value or {}, snapshot)
    if not present:
        raise InputError("No networks have reached this time.", "Train them first, or move the time back.", "snapshot")
    time, fits = float(live.training.times[snapshot]), {}
    for place, (name, learned) in enumerate(present.items()):

        def progress(done: int, total: int, place: int = place) -> None:
            job.advance((place + done / total) / len(present))

        fits[name] = fitted(live, "networks", time, fields_at(learned, snapshot), progress)
    job.publish(page(fits))


def page(fits: Mapping[str, FieldsAnswer]) -> dict[str, Any]:
    """Return the table of the fits, a row for each field, and sentences on what they leave open.

    `fits` are those of each kind of networks by name.
    """
    rows = [_row(name, answer, field) for name, answer in fits.items() for field in answer.json()["fields"]]
    fitted = [row for row in rows if row["fit"] is not None]
    open_ones = sum(bool(row["undetermined"]) for row in fitted)
    said = [
        f"{len(fitted)} of {len(rows)} fields are fitted, each by the better of a Gabor function and a difference of "
        "Gaussians. The residual is the share of the field's power that the fit leaves; ± is one standard error.",
    ]
    if open_ones:
        said.append(
            f"{open_ones} of the fits have parameters that the field does not determine, which the last column names: "
            "two standard errors reach 0, half of the grid's shorter side, or 45 degrees."
        )
    if len(fitted) < len(rows):
        said.append("A field of zeros, or of a network that has diverged, has no fit.")
    return {
        "table": page_table(
            rows, {key: {"unit": _UNITS.get(key, ""), "digits": 2 if "±" in key else 4} for key in rows[0]}
        ),
        "said": said,
    }


def _row(networks: str, answer: FieldsAnswer, field: Mapping[str, Any]) -> dict[str, Any]:
    fit = field["fit"]
    names = {} if fit is None else _PARAMETERS[fit["model"]]
    unknown = [title for title, name in names.items() if name in fit["undetermined"]]
    row: dict[str, Any] = {
        "networks": networks,
        "network": field["network"],
        "unit": unit_names(answer.problem)[field["unit"]],
        "fit": None if fit is None else fit["model"],
        "residual": None if fit is None else 1 - fit["explained"],
    }
    for title in _UNITS:
        known = title in names and title not in unknown
        numbers = (fit[key][names[title]] for key in ("value", "error")) if known else (None, None)
        row[title], row[f"{title} ±"] = numbers
    row["undetermined"] = ", ".join(unknown) or None
    return row
