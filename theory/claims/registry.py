"""The catalog of claims: the claim `area.subject.fact` is found in `theory/claims/areas/area/subject.py`."""

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

import theory.claims.rules  # noqa: F401 - the import registers the rules that derivations name
from theory.claims import areas
from theory.claims.completeness import faults
from theory.claims.model import Claim
from theory.problem import InputError
from theory.problem.discovery import importing
from theory.problem.numbers import nearest


@cache
def catalog() -> dict[str, Claim]:
    """Return every claim by its id: areas and subjects by name, and within a subject in the order of its CLAIMS.

    Raises InputError, which names the file, where an id is used twice, where a claim is in another file than its id
    names, lacks an oracle or a reason for a level that is not run, or cites an unknown claim, and where a file has no
    CLAIMS or cannot be imported.

    >>> catalog()["gaussian.step_step.orthant"].title
    "Two steps: Sheppard's quadrant probability"
    """
    claims: dict[str, Claim] = {}
    for subject, name in subjects():
        for claim in _claims_of(subject, name):
            if claim.id in claims:
                raise InputError(f"The id {claim.id} is used twice in {file_of(claim.id)}.", "Ids are never reused.")
            claims[claim.id] = claim
    for claim in claims.values():
        if unknown := [cited for cited in claim.cites if cited not in claims]:
            raise InputError(
                f"{claim.id} cites {', '.join(unknown)}, which is no claim.", f"Correct `cites` in {file_of(claim.id)}."
            )
    return claims


def subjects() -> Iterator[tuple[str, str]]:
    """Yield `area.subject` and the module of each file of claims; a name that begins with "_" is shared by an area.

    >>> ("gaussian.step_step", "theory.claims.areas.gaussian.step_step") in list(subjects())
    True
    """
    for area in _modules(areas):
        with importing(f"{areas.__name__}.{area}"):
            package = import_module(f"{areas.__name__}.{area}")
        if not hasattr(package, "__path__"):
            raise InputError(f"{_file(area)} is no folder.", "Claims stand in theory/claims/areas/<area>/<subject>.py.")
        for subject in _modules(package):
            yield f"{area}.{subject}", f"{package.__name__}.{subject}"


def file_of(name: str) -> str:
    """Return the file that must define a claim of this id. Raises InputError where the id is not area.subject.fact.

    >>> file_of("gaussian.absolute.mean")
    'theory/claims/areas/gaussian/absolute.py'
    """
    words = name.split(".")
    if len(words) != 3 or not all(word.isidentifier() and not word.startswith("_") for word in words):
        raise InputError(f"{name!r} is no id of a claim.", "An id reads area.subject.fact: three names, two dots.")
    return _file(*words[:2])


def _claims_of(subject: str, name: str) -> tuple[Claim, ...]:
    """Return the claims of one file, after a check that they belong in it."""
    here = _file(*subject.split("."))
    with importing(name):
        module = import_module(name)
    claims = getattr(module, "CLAIMS", None)
    if claims is None:
        raise InputError(
            f"{here} has no CLAIMS.", "What claims share is a module whose name begins with an underscore."
        )
    for claim in claims:
        if file_of(claim.id) != here:
            raise InputError(f"The claim {claim.id} is in {here}.", f"Its id names {file_of(claim.id)}: move it there.")
        if lacking := faults(claim):
            raise InputError(f"The claim {claim.id} is not complete: {'; '.join(lacking)}.", f"{here} takes it.")
    return claims


def _file(*words: str) -> str:
    return f"theory/claims/areas/{'/'.join(words)}.py"


def _modules(package) -> list[str]:
    """Return the modules and folders of a package that have claims, by name."""
    return sorted(item.name for item in pkgutil.iter_modules(package.__path__) if not item.name.startswith("_"))


def select(ids: list[str]) -> tuple[Claim, ...]:
    """Return the claims named by id or by the beginning of an id up to a dot; all of them where none is named.

    Raises InputError for a name that matches nothing.

    >>> [claim.id for claim in select(["gaussian.erf"])]
    ['gaussian.erf.second_moment', 'gaussian.erf.smoothing']
    """
    known = catalog()
    chosen: dict[str, Claim] = {}
    for name in ids or list(known):
        matching = [claim for key, claim in known.items() if key == name or key.startswith(f"{name}.")]
        if not matching:
            raise InputError(f"No claim is called {name!r}.", nearest(name, _beginnings(known)) + "See gdln ledger.")
        chosen.update({claim.id: claim for claim in matching})
    return tuple(chosen.values())


def _beginnings(ids: Iterable[str]) -> list[str]:
    """Return the ids and every beginning of an id up to a dot."""
    words = [name.split(".") for name in ids]
    return sorted({".".join(parts[:count]) for parts in words for count in range(1, len(parts) + 1)})
