"""The keys of tables in problem files: those that a dataclass has, and errors that name unknown and missing ones."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from theory.problem.errors import InputError
from theory.problem.numbers import nearest, one_of, shown


def keys_of(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a dataclass in a problem file: the required ones, and those with a default.

    >>> from theory.problem import AlwaysGate, SiteGate
    >>> keys_of(SiteGate)
    (('site',), ('lo', 'hi', 'on', 'sharpness'))
    """
    written = [field for field in fields(kind) if field.init]
    optional = tuple(field.name for field in written if not (field.default is field.default_factory is MISSING))
    return tuple(field.name for field in written if field.name not in optional), optional


def choose(table: Mapping[str, Any], where: str, key: str, choices: Mapping[str, type], otherwise: str = "") -> type:
    """Return the class that table[key] names among `choices`; `otherwise` ends the hint with another remedy.

    Raises InputError where the key is missing or its word is unknown; `where` names the table.

    >>> from theory.problem.gates import GATES
    >>> choose({"kind": "always"}, "gate", "kind", GATES).kind
    'always'
    """
    if key not in table:
        raise InputError(f"{where} lacks the key `{key}`.", f"Choose one of: {', '.join(choices)}.")
    return choices[one_of(table[key], f"{where}.{key}", choices, otherwise)]


def kind_of(value: object, where: str, choices: Mapping[str, type], otherwise: str = "") -> tuple[type, dict[str, Any]]:
    """Return the class that `value` declares, and its fields: a word, or a table with `kind`.

    Raises InputError for anything else, an unknown kind, and keys that are missing or unknown; see `choose`.

    >>> from theory.problem.gates import GATES
    >>> kind_of({"kind": "site", "site": 3}, "gate", GATES)[1]
    {'site': 3}
    """
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, Mapping):
        raise InputError(
            f"{where} = {shown(value)} must be the word of a kind, or a table with `kind`.",
            f"Choose one of: {', '.join(choices)}.",
        )
    kind = choose(table, where, "kind", choices, otherwise)
    given = {key: entry for key, entry in table.items() if key != "kind"}
    required, optional = keys_of(kind)
    check_keys(given, where, required=required, optional=optional)
    return kind, given


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
