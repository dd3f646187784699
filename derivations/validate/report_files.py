"""The folder that `gdln validate` leaves: report.html, report.json and the figures with their data."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from derivations import plots
from derivations.output import plain
from derivations.publish.document import document
from derivations.validate.judged import Judged, Validation
from derivations.validate.report import Image, body
from derivations.validate.report_figures import Drawing, drawings

_FIGURES = "figures"
_SUMMARY = "report.json"


def write(validation: Validation, folder: Path, changed: Mapping[str, Sequence[str]] | None = None) -> None:
    """Write the report into an empty folder; with `changed`, of the claims that it names alone."""
    (folder / _FIGURES).mkdir()
    figures = [_drawn(drawing, folder) for drawing in drawings(validation)]
    page = document(body(validation, figures, changed), validation.title, folder)
    (folder / "report.html").write_text(page, encoding="utf-8")
    (folder / _SUMMARY).write_text(json.dumps(plain(summary(validation)), indent=1, allow_nan=False) + "\n")


def _drawn(drawing: Drawing, folder: Path) -> Image:
    path = f"{_FIGURES}/{drawing.name}.svg"
    plots.save(drawing.draw(), folder / path)
    np.savez_compressed(folder / _FIGURES / f"{drawing.name}.npz", **drawing.arrays)
    return Image(drawing.caption, path)


def summary(validation: Validation) -> dict[str, Any]:
    """The validation as plain data: verdicts, outcomes and numbers of every level, printed forms."""
    return {
        "profile": validation.profile,
        "seconds": validation.seconds,
        "checks": validation.checks,
        "cpu_seconds": validation.spent,
        "versions": dict(validation.versions),
        "claims": [{**claim_summary(item), "verdict": item.verdict.value} for item in validation.judged],
        "remarks": list(validation.finding.remarks),
    }


def last_summary(folder: Path) -> dict[str, Any] | None:
    """The summary of the report in `folder`; None where there is no report of this version."""
    try:
        summary = json.loads((folder / _SUMMARY).read_text(encoding="utf-8"))
        return summary if summary["claims"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def claim_summary(item: Judged) -> dict[str, Any]:
    """One judged claim as plain data, with its standing; the verdict also depends on how its sources say it."""
    return {
        "id": item.claim.id,
        "kind": item.claim.kind.value,
        "title": item.claim.title,
        "standing": item.standing.value,
        "statement": str(item.claim.statement),
        "levels": [
            {
                "level": result.level.value,
                "outcome": result.outcome.value,
                "worst": result.worst,
                "tolerance": result.tolerance,
                "where": result.where,
                **_plain_details(result.details),
            }
            for result in item.results
        ],
        "printed": [
            {
                "document": finding.source.document,
                "label": finding.source.label,
                "agrees": finding.agrees,
                "printed": finding.printed,
                "definition": finding.oracle,
                "at": {str(symbol): str(value) for symbol, value in (finding.point or {}).items()},
                "note": finding.source.note,
                "reading": finding.reading,
                "repaired": finding.repaired,
            }
            for finding in item.printed
        ],
    }


def _plain_details(details: Mapping[str, Any]) -> dict[str, Any]:
    return {key: dict(value) if isinstance(value, Mapping) else value for key, value in details.items()}
