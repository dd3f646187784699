"""The evidence of a claim: one JSON file with its precise table, its simulated estimates, its hash and the versions.

Large arrays of the estimates lie beside it in a NumPy archive. Only `gdln validate --write-evidence` writes it; what
reads it compares the hash, and a changed one is stale. The processor seconds of each check forecast the time of the
next run.
"""

import json
from pathlib import Path

import mpmath
import numpy as np

from derivations.atomic import new_file, write_text
from derivations.evidence.stored import FOLDER, SCHEMA, claim_hash, is_stale
from derivations.output import plain, rounded
from derivations.validate.judged import Judged, Validation
from derivations.validate.report_files import claim_summary

__all__ = ["FOLDER", "claim_hash", "is_stale", "write"]
ROW_DIGITS = 32  # significant digits of a row of the precise table
_CENTISECONDS = 2  # digits after the point
# The problem file and the theory give these again; the curves are for figures of the report alone.
_LEFT_OUT = ("source", "prediction", "alternatives", "curves")
_ARRAYS, _LISTED = ("mean", "standard_error"), 64  # of an estimate; numbers of one that stands in the JSON
_SIGNIFICANT = 8  # digits kept of a simulated number, five more than its standard error leaves of it


def write(validation: Validation, folder: Path = FOLDER) -> list[Path]:
    """Write the evidence of every judged claim; each file is the old one or the new one, never a part."""
    folder.mkdir(exist_ok=True)
    return [_write_one(item, validation, folder) for item in validation.judged]


def _write_one(item: Judged, validation: Validation, folder: Path) -> Path:
    path = folder / f"{item.claim.id}.json"
    estimates = {
        name: {key: rounded(value, _SIGNIFICANT) for key, value in data.items() if key not in _LEFT_OUT}
        for name, data in validation.finding.estimates.items()
        if name.split("/")[0] == item.claim.id
    }
    arrays = {
        f"{name}/{key}": np.array(data.pop(key))
        for name, data in estimates.items()
        for key in _ARRAYS
        if np.size(data.get(key)) > _LISTED
    }
    content = {
        "schema": SCHEMA,
        "hash": claim_hash(item.claim),
        "seconds": {name: round(spent, _CENTISECONDS) for name, spent in item.seconds.items()},
        "versions": dict(validation.versions),
        "profile": validation.profile,
        **claim_summary(item),
        "precise": [
            {
                "at": {str(symbol): str(value) for symbol, value in row.point.items()},
                "definition": mpmath.nstr(row.oracle, ROW_DIGITS),
                "formula": mpmath.nstr(row.formula, ROW_DIGITS),
            }
            for row in item.rows
        ],
        "simulated": estimates,
        **({"arrays": sorted(arrays)} if arrays else {}),
    }
    path.with_suffix(".npz").unlink(missing_ok=True)
    if arrays:
        with new_file(path.with_suffix(".npz")) as file:
            np.savez(file, **dict(sorted(arrays.items())))
    write_text(path, json.dumps(plain(content), indent=1, allow_nan=False) + "\n")
    return path
