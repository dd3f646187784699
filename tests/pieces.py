"""Pieces that tests look up by name: a missing one fails in one sentence, which names the file that takes it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from derivations.evidence.stored import FOLDER
from theory.claims import catalog
from theory.claims.model import Claim
from theory.claims.registry import file_of


def missing(sentences: str | Iterable[str]) -> NoReturn:
    """Fail with the sentences alone."""
    pytest.fail(sentences if isinstance(sentences, str) else "\n".join(sentences), pytrace=False)


def claim_named(name: str) -> Claim:
    """The claim of the catalog that a test is about."""
    if name not in catalog():
        missing(f"A test is about the claim {name}, which does not exist: CLAIMS of {file_of(name)} takes it.")
    return catalog()[name]


def evidence_of(name: str, folder: Path = FOLDER) -> Mapping[str, Any]:
    """The content of a claim's file of evidence, its seal not verified."""
    path = folder / f"{name}.json"
    if not path.is_file():
        missing(f"derivations/evidence/{path.name} is missing: run gdln validate {name} --write-evidence.")
    return json.loads(path.read_text(encoding="utf-8"))
