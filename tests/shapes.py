"""The check of the shapes in signatures while tests run: jaxtyping's import hook, with a cheaper check of functions.

jaxtyping compiles two checks for each function and runs both at every call, the arguments in each, between a binding of
the arguments to their names. Here beartype compiles one check of arguments and result, and a function without shapes
has that alone. The dimensions of a call are still one scope: the same letter is the same number in arguments and
result.
"""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, get_args

import jaxtyping
from beartype import beartype

_JAXTYPED = jaxtyping.jaxtyped


def install(modules: list[str]) -> None:
    """Check the shapes in the signatures of modules, which are not yet imported."""
    jaxtyping.jaxtyped = _decorator  # the hook puts this name above every function and class
    jaxtyping.install_import_hook(modules, "beartype.beartype")


def _decorator(*, typechecker: Any) -> Callable[[Any], Any]:
    return partial(checked, typechecker=typechecker)


def checked(what: Any, typechecker: Any) -> Any:
    """Return the function with its check; a class, or a function whose shapes name an argument, with jaxtyping's."""
    shapes = [shape for hint in getattr(what, "__annotations__", {}).values() for shape in _shapes(hint)]
    if not inspect.isfunction(what) or any("{" in shape for shape in shapes):
        return _JAXTYPED(what, typechecker=typechecker)
    function = beartype(what)
    if not shapes:
        return function

    @wraps(what)
    def in_one_scope(*args: Any, **kwargs: Any) -> Any:
        with _JAXTYPED("context"):
            return function(*args, **kwargs)

    return in_one_scope


def _shapes(hint: Any) -> list[str]:
    """The shapes within an annotation, and an annotation that is still text, which may hold some."""
    if isinstance(hint, str):
        return [hint]
    if inspect.isclass(hint) and issubclass(hint, jaxtyping.AbstractArray):
        return [hint.dim_str]
    return [shape for part in get_args(hint) if not isinstance(part, str) for shape in _shapes(part)]
