"""The folder that `gdln validate` leaves: report.md, report.html, report.json and the figures with their data."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from derivations import plots
from derivations.output import plain
from derivations.publish.document import page
from derivations.publish.html import title_of
from derivations.validate.judged import Judged, Validation
from derivations.validate.report import markdown
from derivations.validate.report_figures import drawings


def write(validation: Validation, folder: Path) -> None:
    """Write the report into an empty folder."""
    images = folder / "figures"
    images.mkdir()
    captions: dict[str, str] = {}
    for drawing in drawings(validation):
        plots.save(drawing.draw(), images / f"{drawing.name}.png")
        np.savez_compressed(images / f"{drawing.name}.npz", **drawing.arrays)
        captions[drawing.caption] = f"figures/{drawing.name}.png"
    text = markdown(validation, captions)
    (folder / "report.md").write_text(text, encoding="utf-8")
    (folder / "report.html").write_text(page(text, title_of(text), folder), encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(plain(summary(validation)), indent=1, allow_nan=False) + "\n")


def summary(validation: Validation) -> dict[str, Any]:
    """The validation as plain data: verdicts, outcomes and numbers of every level, printed forms, what ran now."""
    return {
        "profile": validation.profile,
        "seconds": validation.seconds,
        "run": _run(validation),
        "versions": dict(validation.versions),
        "claims": [
            {**claim_summary(item), "verdict": item.verdict.value, **_origin(item)} for item in validation.judged
        ],
        "remarks": list(validation.finding.remarks),
    }


def _run(validation: Validation) -> dict[str, Any]:
    """The checks of this run, and the round, seed and budget that chose them."""
    plan = validation.plan
    return {
        "checks_now": len(plan.now),
        "checks_changed": len(plan.changed),
        "checks_from_evidence": len(plan.stored),
        "seed": plan.seed,
        "round": plan.round,
        "rounds": plan.rounds,
        "budget_cpu_seconds": plan.budget,
        "cpu_seconds": validation.spent,
    }


def last_round(folder: Path) -> int | None:
    """The round of the report in `folder`; None where there is no report of this version."""
    try:
        found = json.loads((folder / "report.json").read_text(encoding="utf-8"))["run"]["round"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, int) else None


def _origin(item: Judged) -> dict[str, Any]:
    """The levels of a claim with "checked": now or evidence, and the version of that evidence (empty for none)."""
    levels = zip(claim_summary(item)["levels"], item.results, strict=True)
    origin = [{**level, "checked": "evidence" if item.is_stored(result) else "now"} for level, result in levels]
    return {"levels": origin, "evidence_version": item.evidence_version}


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
