"""The evidence of a claim: one JSON file with its precise table, its simulated estimates, its hash and the versions.

Only `gdln validate --write-evidence` writes it; what reads it compares the hash, and a changed one is stale.
"""

import json
from pathlib import Path

import mpmath

from derivations.atomic import write_text
from derivations.evidence.stored import FOLDER, claim_hash, is_stale
from derivations.output import plain, rounded
from derivations.validate.report_files import claim_summary
from derivations.validate.validation import Judged, Validation

__all__ = ["FOLDER", "claim_hash", "is_stale", "write"]
_DIGITS = 32
_RECOMPUTED = ("source", "prediction", "alternatives")  # the problem file and the theory give these again
_SIGNIFICANT = 8  # digits kept of a simulated number, five more than its standard error leaves of it


def write(validation: Validation, folder: Path = FOLDER) -> list[Path]:
    """Write the evidence of every judged claim; each file is the old one or the new one, never a part."""
    folder.mkdir(exist_ok=True)
    return [_write_one(item, validation, folder) for item in validation.judged]


def _write_one(item: Judged, validation: Validation, folder: Path) -> Path:
    path = folder / f"{item.claim.id}.json"
    estimates = {
        name: {key: rounded(value, _SIGNIFICANT) for key, value in data.items() if key not in _RECOMPUTED}
        for name, data in validation.finding.estimates.items()
        if name.split("/")[0] == item.claim.id
    }
    content = {
        "schema": "gdln.evidence/1",
        "hash": claim_hash(item.claim),
        "versions": dict(validation.versions),
        "profile": validation.profile,
        **claim_summary(item),
        "precise": [
            {
                "at": {str(symbol): str(value) for symbol, value in row.point.items()},
                "definition": mpmath.nstr(row.oracle, _DIGITS),
                "formula": mpmath.nstr(row.formula, _DIGITS),
            }
            for row in item.rows
        ],
        "simulated": estimates,
    }
    write_text(path, json.dumps(plain(content), indent=1, allow_nan=False) + "\n")
    return path
