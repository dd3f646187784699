"""The rules that a step of a derivation may name: importing this module registers every family of them.

A family is a module of `theory.proof.rules` or of `theory.gaussian.derive.rules`; a new one is found without being
listed.
"""

import pkgutil
from importlib import import_module

import theory.gaussian.derive.rules
import theory.proof.rules

for _package in (theory.proof.rules, theory.gaussian.derive.rules):
    for _module in pkgutil.iter_modules(_package.__path__):
        import_module(f"{_package.__name__}.{_module.name}")
