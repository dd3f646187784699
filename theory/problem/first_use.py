"""Lazy public names of a package: a name is imported at its first use."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports a name at its first use.

    `names` has the public names of each module, separated by spaces; modules are named relative to the package.

    >>> get, names = on_first_use("theory.problem", {"network": "Network", "toml": "load loads"})
    >>> names(), get("Network").__module__
    (['Network', 'load', 'loads'], 'theory.problem.network')
    >>> get("Netwrk")
    Traceback (most recent call last):
    ...
    AttributeError: module 'theory.problem' has no attribute 'Netwrk'
    """
    modules = {name: module for module, listed in names.items() for name in listed.split()}

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(modules)
