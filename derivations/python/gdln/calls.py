"""Calls of the verbs: arguments of the annotated types, and errors in the words of Python."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Any, ParamSpec, Protocol, TypeVar, get_args, get_origin, get_type_hints, runtime_checkable

import numpy as np

from theory.problem import InputError, Problem, WorkbenchError
from theory.problem.numbers import shown

P, T = ParamSpec("P"), TypeVar("T")
# A command up to the end of its clause; or an option, and the number or the text in quotes that follows it.
_COMMAND, _VALUE = r"gdln [a-z]+(?:[^.,;:]|[.,;:](?! |$))*", r"""[0-9][0-9./,x]*(?<![.,])|'[^']*'|"[^"]*\""""
_OPTION = re.compile(rf"({_COMMAND})|--([a-z]+(?:-[a-z]+)*)(?: ({_VALUE}))?")
_RENAMED = {"out": "folder", "store": "folder", "set": "values", "input": "x", "source": "of"}


@runtime_checkable
class Array(Protocol):
    """What NumPy reads as an array, such as a tensor of torch, a table of pandas or a matrix of SymPy."""

    def __array__(self) -> np.ndarray:
        """Return the array."""


_ACCEPTED = {int: Integral, float: Real, Sequence: (list, tuple, range)}
_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
    PathLike: "a path",
    Problem: "a problem",
    Mapping: "a mapping",
    Sequence: "a list",
    Callable: "a function",
    Array: "an array",
}


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with InputError for arguments that do not fit its signature, and for files out of reach.

    Errors name arguments of the function in place of the command's options; a command stays as it is.

    >>> import gdln
    >>> gdln.moment("z1", "[[1]]", digits=0)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: digits=0 is not between 1 and 1000. Ask for 30, say.
    >>> gdln.moment("z1", "[[1]]", where=3)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: gdln.moment: where = 3 is not None or text. See help(gdln.moment).
    """
    name, takes, hints = f"gdln.{function.__name__}", signature(function), get_type_hints(function)
    several = [each.name for each in takes.parameters.values() if each.kind is each.VAR_POSITIONAL]
    hints |= {argument: Sequence[hints[argument]] for argument in several}

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> T:
        see = f"See help({name})."
        try:
            given = takes.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise InputError(f"{name}: {error}.", see) from None
        for argument, value in given.items():
            if not _fits(value, hints[argument]):
                raise InputError(f"{name}: {argument} = {shown(value)} is not {_in_words(hints[argument])}.", see)
        try:
            return function(*args, **kwargs)
        except WorkbenchError as error:
            error.message, error.hint = (_in_python(part, takes.parameters) for part in (error.message, error.hint))
            error.args = (f"{error.message} {error.hint}".strip(),)
            raise
        except OSError as error:
            message = f"{error.strerror or error}: {error.filename}." if error.filename else f"{error}."
            raise InputError(message, "Check the path and its permissions.", "file") from None

    return answered


def _fits(value: Any, hint: Any) -> bool:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        return any(_fits(value, part) for part in parts)
    if kind is Any or not isinstance(value, _ACCEPTED.get(kind, kind)):
        return kind is Any
    entries = value.values() if kind is Mapping else value if kind is Sequence else ()
    return all(_fits(entry, parts[-1]) for entry in entries)


def _in_words(hint: Any) -> str:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        *most, last = map(_in_words, sorted(parts, key=lambda part: part is not NoneType))
        return f"{', '.join(most)} or {last}"
    of = parts[-1] if kind in (Mapping, Sequence) else Any
    return _WORDS[kind] + ("" if of is Any else f", each entry {_in_words(of)}")


def _in_python(text: str, arguments: Mapping[str, Any]) -> str:
    """Return a text with `name` or `name=value` for options that are arguments."""

    def renamed(found: re.Match[str]) -> str:
        command, option, value = found.groups()
        name = _RENAMED.get(option, option or "").replace("-", "_")
        if command or name not in arguments:
            return ".data" if option == "json" else found[0]
        as_it_is = value is None or value.isdecimal() or value[0] in "'\""
        return name if value is None else f"{name}={value if as_it_is else repr(value)}"

    text = re.sub(r"(?<=[0-9]) (?=--[a-z])", ", ", text.replace(" on the command line", ""))
    text = re.sub(r"\b(with|by) (--[a-z-]+)(?! [0-9])", r"\1 \2=...", text)
    return _OPTION.sub(renamed, text)
