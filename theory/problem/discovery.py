"""Find the modules of a folder, so that a new file is picked up by being there."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType


def modules(package: str, path: list[str]) -> Iterator[ModuleType]:
    """Import every module directly below `package`, whose search path is `path`, in the order of their names.

    >>> import theory.problem.gates as room
    >>> "theory.problem.gates.site" in [module.__name__ for module in modules(room.__name__, room.__path__)]
    True
    """
    for module in sorted(pkgutil.iter_modules(path), key=lambda item: item.name):
        yield import_module(f"{package}.{module.name}")


def declared(package: str, path: list[str], word: str, first: tuple[str, ...] = ()) -> dict[str, type]:
    """The classes that the modules of a folder declare, by the word that problem files use for them.

    A class counts where it is defined in that module, is public and has the class variable `word`. `first` orders the
    words that users meet first; the others follow by name. Raises ValueError where two classes claim one word.

    >>> import theory.problem.gates as room
    >>> list(declared(room.__name__, room.__path__, "kind", ("site", "always")))[:3]
    ['site', 'always', 'direction']
    """
    found: dict[str, type] = {}
    for module in modules(package, path):
        for kind in vars(module).values():
            if not isinstance(kind, type) or kind.__module__ != module.__name__ or word not in vars(kind):
                continue
            name = vars(kind)[word]
            if name in found:
                raise ValueError(f"{kind.__name__} and {found[name].__name__} both call themselves {name!r}")
            found[name] = kind
    order = [name for name in first if name in found] + sorted(set(found) - set(first))
    return {name: found[name] for name in order}
