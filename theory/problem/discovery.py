"""Discovery of the modules of a folder, so that a new file needs no entry in any list."""

import pkgutil
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract
from types import ModuleType
from typing import Any

from theory.problem.errors import InputError, WorkbenchError

_OURS = ("theory", "sim", "derivations")


@contextmanager
def importing(module: str) -> Iterator[None]:
    """Turn an error raised while `module` is imported in this context into an InputError with file, line and error.

    >>> with importing("theory.problem.errors"):
    ...     import theory.problem.nothing
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: theory/problem/errors.py imports theory.problem.nothing, which does not exist. ...
    """
    try:
        yield
    except (WorkbenchError, OSError, MemoryError):
        raise
    except Exception as error:
        place = _place(module, error)
        if isinstance(error, ModuleNotFoundError) and error.name and error.name.split(".")[0] in _OURS:
            raise InputError(
                f"{place} imports {error.name}, which does not exist.",
                f"Write {error.name.replace('.', '/')}.py, or correct the import.",
            ) from error
        said = error.msg if isinstance(error, SyntaxError) else error
        raise InputError(f"{place} has a fault ({type(error).__name__}: {said}).", "Correct the file.") from error


def _place(module: str, error: BaseException) -> str:
    """The file of a module, and the line in it where the error arose."""
    spec = find_spec(module)
    name = module.replace(".", "/") + ("/__init__.py" if spec and spec.submodule_search_locations else ".py")
    lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        lines.append((error.filename, error.lineno))
    within = [line for file, line in lines if spec and file == spec.origin]
    return f"{name}, line {within[-1]}" if within else name


def file_of(kind: type) -> str:
    """Return the file that defines a class, from the root of the tree.

    >>> from theory.problem import SiteGate
    >>> file_of(SiteGate)
    'theory/problem/gates/site.py'
    """
    return kind.__module__.replace(".", "/") + ".py"


def modules(package: str, path: list[str]) -> Iterator[ModuleType]:
    """Import every module directly below `package`, whose search path is `path`, in the order of their names.

    >>> import theory.problem.gates as room
    >>> "theory.problem.gates.site" in [module.__name__ for module in modules(room.__name__, room.__path__)]
    True
    """
    for module in sorted(pkgutil.iter_modules(path), key=lambda item: item.name):
        name = f"{package}.{module.name}"
        with importing(name):
            module = import_module(name)
        yield module


def registered(dispatch: Any, instance: object) -> Callable[..., Any]:
    """Return the function that a singledispatch has for exactly the type of `instance`, or its default.

    A law that derives from another has other moments and another sampler, and does not inherit those of its base. It
    shares the function of an abstract class: one that is registered there is meant for all that derive from it.

    >>> from functools import singledispatch
    >>> describe = singledispatch(lambda thing: "unknown")
    >>> describe.register(int, lambda number: "a whole number")
    <function <lambda> at ...>
    >>> registered(describe, 3)(3), registered(describe, True)(True)  # bool derives from int
    ('a whole number', 'unknown')
    """
    registry, actual = dispatch.registry, type(instance)
    shared = (kind for kind in actual.__mro__ if kind is actual or isabstract(kind))
    return next((registry[kind] for kind in shared if kind in registry), registry[object])


def declared(package: str, path: list[str], base: type, word: str, first: tuple[str, ...] = ()) -> dict[str, type]:
    """Return the classes that the modules of a folder declare, by the word that problem files use for them.

    A class is included if it is defined in that module and has the class variable `word`. `first` lists the words that
    come first, in their order; the others follow by name. Raises InputError, which names the files, where two classes
    use one word, and where a public class that derives from `base` has none and is not abstract.

    >>> import theory.problem.gates as room
    >>> list(declared(room.__name__, room.__path__, room.Gate, "kind", ("site", "always")))[:2]
    ['site', 'always']
    """
    kinds: dict[str, type] = {}
    for module in modules(package, path):
        for kind in vars(module).values():
            if not isinstance(kind, type) or kind.__module__ != module.__name__:
                continue
            if word not in vars(kind):
                written = issubclass(kind, base) and kind is not base and not isabstract(kind)
                if written and not kind.__name__.startswith("_"):
                    raise InputError(
                        f"{kind.__name__} in {file_of(kind)} has no `{word}`, the word that files use for it.",
                        f'Write {word}: ClassVar[str] = "..." in the class.',
                    )
                continue
            name = vars(kind)[word]
            if name in kinds:
                raise InputError(
                    f"{kinds[name].__name__} in {file_of(kinds[name])} and {kind.__name__} in {file_of(kind)} both "
                    f"have {word} = {name!r}.",
                    f"Change `{word}` in one of them.",
                )
            kinds[name] = kind
    order = [name for name in first if name in kinds] + sorted(set(kinds) - set(first))
    return {name: kinds[name] for name in order}
