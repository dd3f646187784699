"""The keys of tables in problem files: those of a dataclass, and a check that a table has no others."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from theory.problem.errors import InputError
from theory.problem.numbers import nearest, shown


def keys_of(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a dataclass in a problem file: the required ones, and those with a default.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> keys_of(SiteGate)
    (('site',), ('lo', 'hi', 'on', 'sharpness'))
    """
    written = [field for field in fields(kind) if field.init]
    optional = tuple(field.name for field in written if not (field.default is field.default_factory is MISSING))
    return tuple(field.name for field in written if field.name not in optional), optional


def check_keys(
    table: Mapping[str, Any], where: str, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> None:
    """Raise InputError where `table` has a key that is not known, or lacks a required one; `where` names it.

    >>> check_keys({"tua": 1}, "[training]", required=("tau",))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: [training] has the unknown key 'tua'. Did you mean `tau`? Known: tau.
    """
    known = (*required, *optional)
    for key in table:
        if key not in known:
            hint = f"{nearest(key, known)}Known: {', '.join(known) or 'none'}."
            raise InputError(f"{where} has the unknown key {shown(key)}.", hint)
    missing = [key for key in required if key not in table]
    if missing:
        listed = ", ".join(f"`{key}`" for key in missing)
        raise InputError(
            f"{where} lacks {listed}.",
            "State it: papers differ on conventions, so nothing that changes numbers has a default.",
        )
