"""The single checks of a validation, each a level of a claim or an experiment, and those with fresh evidence.

A check is fresh where the stored evidence is of this version of every claim that it judges, and of the code that it
runs. Its cost is the processor time that the evidence states.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.evidence import stored
from derivations.evidence.code import code_hash
from derivations.experiments import registered
from derivations.experiments.folders import FOLDER, SHARED, discover, problem_file
from theory.claims.citations import cited_by
from theory.claims.judge import applicable
from theory.claims.model import Claim, Level
from theory.claims.registry import catalog

_UNKNOWN_LEVEL, _UNKNOWN_EXPERIMENT = 0.5, 10.0  # assumed seconds of a check without evidence
CERTIFY = "certify"  # the name of the code of all levels without simulation


@dataclass(frozen=True)
class Check:
    """One level of one claim, or (where `level` is None) one experiment and the claims that it judges."""

    claims: tuple[str, ...]
    level: Level | None
    experiment: str
    seconds: float
    fresh: bool

    @property
    def name(self) -> str:
        """A name that no other check has."""
        return f"experiment {self.experiment}" if self.level is None else f"{self.claims[0]} {self.level.value}"


class Evidence:
    """The stored evidence of some claims, and the hashes of the code that their checks run now.

    Raises DamagedEvidenceError where a file is damaged; for a `whole` run, which uses no stored outcome, such a file
    counts as none.
    """

    def __init__(self, claims: Sequence[Claim], folder: Path = stored.FOLDER, whole: bool = False) -> None:
        self.claims = {claim.id: claim for claim in claims}
        read = {name: _read(claim, folder, whole) for name, claim in self.claims.items()}
        self.of = {name: found for name, found in read.items() if found is not None}
        self._cited: dict[str, tuple[str, ...]] = {}

    def cited(self, claim: Claim) -> tuple[str, ...]:
        """Return the ids of the claims that a claim cites, from fresh evidence if possible, as derivations are slow."""
        if claim.id not in self._cited:
            known = self.of.get(claim.id)
            fresh = known is not None and _recorded(known, CERTIFY) == certifying_code(claim, known.get("cites", ()))
            self._cited[claim.id] = tuple(known["cites"]) if fresh else cited_by(claim)
        return self._cited[claim.id]

    def is_fresh(self, claim: Claim) -> bool:
        """Whether the evidence is of this version of the claim and of the code that decides its levels."""
        known = self.of.get(claim.id)
        return known is not None and _recorded(known, CERTIFY) == certifying_code(claim, self.cited(claim))

    def code(self, claim: Claim) -> dict[str, str]:
        """The hash of the code of every check of a claim, by CERTIFY and by the names of its experiments."""
        experiments = {name: code for name, ids, code in experiments_of([claim]) if claim.id in ids}
        return {CERTIFY: certifying_code(claim, self.cited(claim)), **experiments}

    def checks(self) -> tuple[Check, ...]:
        """Every check of the claims."""
        return (*self._levels(), *self._experiments())

    def _levels(self) -> Iterator[Check]:
        for claim in self.claims.values():
            known = self.of.get(claim.id, {})
            fresh = self.is_fresh(claim)
            for level in applicable(claim):
                yield Check((claim.id,), level, "", _seconds(known, level.value, _UNKNOWN_LEVEL), fresh)

    def _experiments(self) -> Iterator[Check]:
        for name, ids, code in experiments_of(tuple(self.claims.values())):
            known = [self.of.get(claim, {}) for claim in ids]
            fresh = all(found and _recorded(found, name) == code for found in known)
            yield Check(ids, None, name, _seconds(known[0], name, _UNKNOWN_EXPERIMENT), fresh)


def experiments_of(claims: Sequence[Claim]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield name, claims and code of every experiment that judges one of the claims, the registered ones first."""
    chosen = {claim.id for claim in claims}
    everywhere = registered.groups(tuple(catalog().values()))
    for name, members in registered.groups(claims).items():
        problem = registered.problem_of(members[0], name)
        judged = {claim.id for claim in (*everywhere.get(name, ()), *members)}  # the same run for any choice of claims
        modules = ["derivations.experiments.registered", *(module_of(claim) for claim in judged)]
        yield name, tuple(claim.id for claim in members), code_hash(modules, [problem_file(problem)])
    for experiment in discover():
        ids = tuple(name for name in experiment.claims if name in chosen)
        if ids:
            files = [path for folder in (SHARED, experiment.name) for path in (FOLDER / folder).glob("*.toml")]
            modules = [f"derivations.experiments.{experiment.name}.experiment"]
            yield experiment.name, ids, code_hash(modules, files)


def certifying_code(claim: Claim, cites: Sequence[str]) -> str:
    """The hash of the code that decides the levels of a claim without simulation; it cites the claims `cites`."""
    return code_hash(["theory.claims.judge", *(module_of(name) for name in (claim.id, *cites))])


def module_of(claim: str) -> str:
    """The module that defines a claim.

    >>> module_of("gaussian.step_step.orthant")
    'theory.claims.areas.gaussian.step_step'
    """
    return f"theory.claims.areas.{claim.rpartition('.')[0]}"


def _read(claim: Claim, folder: Path, whole: bool) -> Mapping[str, Any] | None:
    try:
        return stored.read(claim, folder)
    except stored.DamagedEvidenceError:
        if whole:
            return None
        raise


def _recorded(known: Mapping[str, Any], name: str) -> str:
    return known.get("code", {}).get(name, "")


def _seconds(known: Mapping[str, Any], name: str, otherwise: float) -> float:
    return float(known.get("seconds", {}).get(name, otherwise))
