"""Reading the stored evidence of a claim, and whether it is of the present version of the claim.

Nothing here loads torch, so that what only reads the evidence answers at once.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from weakref import finalize

import sympy

from derivations.seals import digest
from derivations.unreadable import why
from theory.claims.model import Claim
from theory.claims.sources import Source
from theory.problem import WorkbenchError
from theory.problem.table_files import stored_arrays
from theory.problem.user_files import read_json

FOLDER = Path(__file__).parent
SCHEMA = "gdln.evidence/2"


class DamagedEvidenceError(WorkbenchError):
    """The error for a file of evidence that cannot be read."""

    exit_code = 1
    default_kind = "damaged"

    def __init__(self, claim: str, fault: str) -> None:
        super().__init__(
            f"The stored evidence of {claim} is damaged: {fault}.",
            f"Run gdln validate {claim} --write-evidence, or restore derivations/evidence/{claim}.json.",
        )


_HASHES: dict[int, str] = {}  # by the identity of the claim, for as long as it lives


def claim_hash(claim: Claim) -> str:
    """The hash of a claim: its statement, parameters and conditions, the forms of its sources, its experiment.

    It is computed once for each claim: to write out all statements takes longer than to read their evidence.
    """
    key = id(claim)
    if key not in _HASHES:
        _HASHES[key] = _hashed(claim)
        finalize(claim, _HASHES.pop, key)
    return _HASHES[key]


def _hashed(claim: Claim) -> str:
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
    return digest("\n".join(parts))


def _readings(source: Source) -> Iterator[str]:
    """Yield a text for each alternative form of a source, with the condition under which it is read."""
    for reading in (*source.readings, *((source.repaired,) if source.repaired else ())):
        form = sympy.srepr(reading.printed) if reading.printed is not None else ""
        yield f"{source.document} {source.label} {form} {sympy.srepr(reading.where)}"


def read(claim: Claim, folder: Path = FOLDER) -> Mapping[str, Any] | None:
    """The evidence of this version of the claim; None where it is missing or of another version.

    Evidence in an older form counts as of another version. Raises DamagedEvidenceError where the file cannot be read.
    """
    path = folder / f"{claim.id}.json"
    if not path.is_file():
        return None
    evidence = _whole(path, claim.id)
    return evidence if (evidence.get("schema"), evidence.get("hash")) == (SCHEMA, claim_hash(claim)) else None


def _whole(path: Path, claim: str) -> Mapping[str, Any]:
    """The content of an evidence file, with the arrays that lie beside it in their places."""
    try:
        evidence = read_json(path)
        if not isinstance(evidence, dict):
            raise ValueError("it is not a JSON object")
        if places := evidence.get("arrays"):
            arrays = stored_arrays(path.with_suffix(".npz"))
            for place in places:
                estimate, _, name = place.rpartition("/")
                evidence["simulated"][estimate][name] = arrays[place].tolist()
    except (OSError, ValueError, KeyError) as error:
        raise DamagedEvidenceError(claim, f"it cannot be read: {why(error)}") from None
    return evidence


def is_stale(claim: Claim, folder: Path = FOLDER) -> bool:
    """Whether the stored evidence is missing or of another version of the claim."""
    return read(claim, folder) is None
