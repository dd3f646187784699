"""Reading the stored evidence: what is there for a claim, and whether it speaks of the claim as it stands.

Nothing here loads torch, so that what only reads the evidence answers at once.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sympy

from theory.claims.model import Claim
from theory.claims.sources import Source

FOLDER = Path(__file__).parent


def claim_hash(claim: Claim) -> str:
    """The hash of a claim: its statement, parameters and conditions, the forms of its sources, its experiment."""
    registration = claim.registration
    parts = [
        claim.id,
        claim.kind.value,
        sympy.srepr(claim.statement),
        *(f"{param.symbol.name} {sympy.srepr(param.domain)} {param.interesting}" for param in claim.params),
        *(sympy.srepr(condition) for condition in claim.conditions),
        *(f"{s.document} {s.label} {sympy.srepr(s.printed) if s.printed is not None else ''}" for s in claim.sources),
        *(reading for source in claim.sources for reading in _readings(source)),
    ]
    if registration is not None:
        wrong = [alternative.name for alternative in registration.alternatives]
        parts += [*registration.problems, repr(registration.observable), f"{registration.margin} {registration.level}"]
        parts += wrong
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _readings(source: Source) -> Iterator[str]:
    """The forms that a source is tried with beside the printed one, and the points that they speak of."""
    for reading in (*source.readings, *((source.repaired,) if source.repaired else ())):
        form = sympy.srepr(reading.printed) if reading.printed is not None else ""
        yield f"{source.document} {source.label} {form} {sympy.srepr(reading.where)}"


def read(claim: Claim, folder: Path = FOLDER) -> Mapping[str, Any] | None:
    """The evidence of this version of the claim; None where it is missing or speaks of another version."""
    path = folder / f"{claim.id}.json"
    if not path.is_file():
        return None
    evidence = json.loads(path.read_text(encoding="utf-8"))
    return evidence if evidence.get("hash") == claim_hash(claim) else None


def is_stale(claim: Claim, folder: Path = FOLDER) -> bool:
    """Whether the stored evidence is missing or speaks of another version of the claim."""
    return read(claim, folder) is None
