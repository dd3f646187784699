"""Find the modules of a package of the simulator, so that a new file is picked up without being listed.

Only this module of `sim` imports by name. The name must lie below `sim`, so that the simulator stays independent of the
theory that it tests.
"""

import pkgutil
from importlib import import_module

from theory.problem.discovery import importing


def load(room: str, path: list[str]) -> tuple[str, ...]:
    """Import every module directly below the package `room`, whose search path is `path`; return their names.

    Raises ValueError for a room outside of `sim`, InputError for a module that cannot be imported.

    >>> import sim.gates as room
    >>> "sim.gates.site" in load(room.__name__, room.__path__)
    True
    """
    if not room.startswith("sim."):
        raise ValueError(f"{room} is not a package of sim: the simulator loads no other package by name")
    names = sorted(f"{room}.{module.name}" for module in pkgutil.iter_modules(path))
    for name in names:
        with importing(name):
            import_module(name)
    return tuple(names)
