"""The check of the shapes in signatures while tests run: jaxtyping's import hook, with a cheaper check of functions.

jaxtyping compiles two checks for each function and runs both at every call, the arguments in each, between a binding of
the arguments to their names. Here beartype compiles one check of arguments and result, and a function without shapes
has that alone. The dimensions of a call are still one scope: the same letter is the same number in arguments and
result.

Most hints ask for nothing but types, dtypes and shapes, the form of a value. Where all hints of a function do, a call
whose arguments and result have the forms of an earlier call that passed would pass as well, and is not checked again.
"""

import inspect
from collections.abc import Callable
from functools import cache, partial, wraps
from threading import local
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import jaxtyping
from beartype import beartype

_JAXTYPED = jaxtyping.jaxtyped
_GIVEN = local()  # the result whose form is checked, in each thread


def install(modules: list[str]) -> None:
    """Check the shapes in the signatures of modules, which are not yet imported."""
    jaxtyping.jaxtyped = _decorator  # the hook puts this name above every function and class
    jaxtyping.install_import_hook(modules, "beartype.beartype")


def _decorator(*, typechecker: Any) -> Callable[[Any], Any]:
    return partial(checked, typechecker=typechecker)


def checked(what: Any, typechecker: Any) -> Any:
    """Return the function with its check; a class, or a function whose shapes name an argument, with jaxtyping's."""
    hints = getattr(what, "__annotations__", {}).values()
    shapes = [shape for hint in hints for shape in _shapes(hint)]
    if not inspect.isfunction(what) or any("{" in shape for shape in shapes):
        return _JAXTYPED(what, typechecker=typechecker)
    function = beartype(what)
    if not shapes:
        return function

    @wraps(what)
    def in_one_scope(*args: Any, **kwargs: Any) -> Any:
        with _JAXTYPED("context"):
            return function(*args, **kwargs)

    return _once_for_each_form(what, in_one_scope) if all(map(_is_of_form, hints)) else in_one_scope


def _once_for_each_form(what: Callable[..., Any], checking: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which is called with its check unless equal forms have passed it."""
    passed: dict[tuple, set] = {}

    @cache
    def of_result() -> Callable[..., Any]:
        """The check of a result that is known: compiled when it is needed first, which is seldom."""

        @wraps(what)
        def result(*args: Any, **kwargs: Any) -> Any:
            return _GIVEN.result

        return beartype(result)

    @wraps(what)
    def of_new_forms_alone(*args: Any, **kwargs: Any) -> Any:
        given = (*map(_form, args), *((name, _form(value)) for name, value in kwargs.items()))
        known = passed.get(given)
        if known is None:
            found = checking(*args, **kwargs)
            passed.setdefault(given, set()).add(_form(found))
            return found
        found = what(*args, **kwargs)
        if _form(found) not in known:
            _GIVEN.result = found
            with _JAXTYPED("context"):
                of_result()(*args, **kwargs)
            known.add(_form(found))
        return found

    return of_new_forms_alone


def _form(value: Any) -> Any:
    """The type of a value, of an array with its dtype and shape, of a tuple with the forms of its members."""
    kind = type(value)
    if issubclass(kind, tuple):
        return (kind, *map(_form, value))
    return (kind, value.dtype, value.shape) if _is_array(kind) else kind


@cache
def _is_array(kind: type) -> bool:
    return hasattr(kind, "__array__") and hasattr(kind, "dtype") and hasattr(kind, "shape")


def _is_of_form(hint: Any) -> bool:
    """Whether the form of a value decides whether a hint admits it: not so for what a list, dict or text contains."""
    origin = get_origin(hint)
    if origin in (Union, UnionType, tuple):
        return all(part is Ellipsis or _is_of_form(part) for part in get_args(hint))
    return hint in (Any, None, NoneType) or origin is Callable or (inspect.isclass(hint) and origin is None)


def _shapes(hint: Any) -> list[str]:
    """The shapes within an annotation, and an annotation that is still text, which may hold some."""
    if isinstance(hint, str):
        return [hint]
    if inspect.isclass(hint) and issubclass(hint, jaxtyping.AbstractArray):
        return [hint.dim_str]
    return [shape for part in get_args(hint) if not isinstance(part, str) for shape in _shapes(part)]
