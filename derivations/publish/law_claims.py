"""The claims that are judged by samples of each data law, read from their stored evidence."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from derivations.evidence import stored
from derivations.experiments.folders import FOLDER, names, problem_file
from derivations.markdown import table
from theory.claims.model import Claim, Level, Outcome
from theory.claims.registry import catalog
from theory.problem.distributions import LAWS


def claims_by_law() -> dict[str, tuple[str, ...]]:
    """Return by law the claims whose simulated level passes on problem files with this law.

    The files are those that a claim registers, and those in the folder of an experiment that judges it; problems that
    an experiment makes by itself, or takes from another folder, are not counted.

    >>> claims_by_law()["ising"]
    ('ising.half_space.yx', 'ising.half_space.xx')
    """
    found: dict[str, dict[str, None]] = {law: {} for law in LAWS}
    for claim in catalog().values():
        for law in _laws_of(claim):
            found[law][claim.id] = None
    return {law: tuple(claims) for law, claims in found.items()}


def claim_table() -> str:
    """Return the table of the laws with the claims that samples of each have judged."""
    rows = [[f"`{law}`", ", ".join(f"`{claim}`" for claim in claims)] for law, claims in claims_by_law().items()]
    return table(["law", "claims judged by its samples"], rows)


def _laws_of(claim: Claim) -> Iterator[str]:
    """Yield the laws on which the simulated level of a claim passes."""
    passed = [
        level["experiment"]
        for level in (stored.read(claim) or {}).get("levels", ())
        if level["level"] == Level.SIMULATED and level["outcome"] == Outcome.PASS
    ]
    if claim.registration and passed:
        yield from _laws_in(map(problem_file, claim.registration.problems))
    for experiment in set(passed) & set(names()):
        yield from _laws_in(sorted((FOLDER / experiment).glob("*.toml")))


def _laws_in(files: Iterable[Path]) -> Iterator[str]:
    """Yield the law of each file that is a problem; a sweep has no law of its own."""
    for file in files:
        data = tomllib.loads(file.read_text(encoding="utf-8")).get("data")
        if data:
            yield data["law"]
