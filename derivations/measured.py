"""Tables of measured errors as Markdown, from stored runs of `gdln bench`; nothing is computed."""

import json
from pathlib import Path
from typing import Any

from theory.problem import InputError

RESULTS = Path(__file__).parent / "benchmarks" / "results"


def measured(name: str, here: str) -> str:
    """The table of a stored run. Raises InputError for another name."""
    if name != "relu-gates":
        raise InputError(f"{here}: no measured table is called {name!r}.", "Known: relu-gates.")
    return _relu_gates(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))


def _relu_gates(run: dict[str, Any]) -> str:
    forms = ("latent-direction", "clt", "large-gain")
    lines = [
        f"{run['replicates']} replicates of {run['samples']:,} examples, seed {run['seed']}.",
        "",
        f"| weights | $g$ | largest moment | {' | '.join(forms)} | exact | standard error |",
        f"|---|---|---|{'---|' * len(forms)}---|---|",
    ]
    for row in run["rows"]:
        errors = [row["errors"].get(form) for form in (*forms, "exact")]
        shown = " | ".join("" if error is None else f"{error:.4f}" for error in errors)
        name = row["weights"].replace("_", "\\_")
        lines.append(f"| {name} | {row['gain']} | {row['largest']:.3f} | {shown} | {row['standard_error']:.5f} |")
    return "\n".join(lines) + "\n"
