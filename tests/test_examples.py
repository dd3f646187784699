"""Whatever of `theory` a user calls carries an example. The examples themselves are run by `pytest --doctest-modules`.

A user calls what a room offers in its `__all__`, what the texts name (README, CONTRIBUTING, notebooks and pages of the
book; of a module all its public functions and classes), and the laws, gates and observables that problem and sweep
files name. A rule of proof is looked up by its name in a derivation, and carries an example too.
"""

import doctest
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import theory
import theory.claims.rules  # it registers the rules that derivations name
from tests.paths import ROOT
from theory.problem import GATES, LAWS, OBSERVABLES
from theory.proof.derivation import RULES

AREAS = "theory.claims.areas"  # statements with their derivations: no one calls them
ROOMS = (
    "theory.claims",
    "theory.conjecture",
    "theory.expressions",
    "theory.flow",
    "theory.flow.linear",
    "theory.gaussian",
    "theory.gaussian.certified",
    "theory.gaussian.export",
    "theory.moments",
    "theory.problem",
    "theory.proof",
)
TEXTS = ("README.md", "CONTRIBUTING.md", "notebooks/*.py", "derivations/publish/pages/*.md")
IMPORT = re.compile(r"^from (theory[\w.]*) import ([\w, ]+)", re.MULTILINE)
DOTTED = re.compile(r"(?<!from )\btheory(?:\.\w+)+")  # what stands after `from` is only imported from
FINDER = doctest.DocTestFinder(exclude_empty=True)


def packages() -> Iterator[ModuleType]:
    """Every package below `theory`, but for the areas of claims."""
    for found in pkgutil.walk_packages(theory.__path__, "theory."):
        if found.ispkg and not found.name.startswith(AREAS):
            yield import_module(found.name)


def named(dotted: str) -> Any:
    """The module or object of a dotted name; None where there is none, as for a file that a text shows how to add."""
    try:
        return pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return None


def named_by_texts() -> Iterator[Any]:
    """The modules and objects of `theory` that the texts import or name."""
    for file in (file for pattern in TEXTS for file in sorted(ROOT.glob(pattern))):
        text = file.read_text(encoding="utf-8")
        imported = (f"{module}.{name.strip()}" for module, names in IMPORT.findall(text) for name in names.split(","))
        yield from map(named, (*imported, *DOTTED.findall(text)))


def callables(things: Iterable[Any]) -> set[Any]:
    """The functions and classes of `theory` among `things`, and the public ones that a module among them defines."""
    found = set()
    for thing in things:
        if isinstance(thing, ModuleType):
            own = (value for name, value in vars(thing).items() if not name.startswith("_"))
            found |= {value for value in own if getattr(value, "__module__", "") == thing.__name__ and _called(value)}
        elif _called(thing) and thing.__module__.startswith("theory."):
            found.add(thing)
    return found


def _called(thing: Any) -> bool:
    return inspect.isclass(thing) or (callable(thing) and inspect.isroutine(inspect.unwrap(thing)))


@cache
def exemplified(module: str) -> set[str]:
    """The qualified names in a module whose docstrings have examples, as `pytest --doctest-modules` finds them."""
    tests = FINDER.find(sys.modules[module], module)
    return {test.name.removeprefix(f"{module}.") for test in tests if test.examples}


def without_example(things: Iterable[Any], root: Path = ROOT) -> list[str]:
    """The file and the name of each function without an example, and of each class with none in it or its methods."""
    return sorted(
        f"{Path(sys.modules[thing.__module__].__file__).relative_to(root)}: {thing.__qualname__}"
        for thing in things
        if not any(
            name == thing.__qualname__ or name.startswith(f"{thing.__qualname__}.")
            for name in exemplified(thing.__module__)
        )
    )


def test_rooms_offer_what_users_need():
    offering = {package.__name__ for package in packages() if getattr(package, "__all__", ())}
    assert offering >= set(ROOMS)


def test_what_a_room_offers_has_an_example():
    offered = callables(getattr(room, name) for room in packages() for name in getattr(room, "__all__", ()))
    assert {"expect", "load", "solve", "catalog"} <= {thing.__name__ for thing in offered}
    assert without_example(offered) == []


def test_what_the_texts_name_has_an_example():
    found = callables(named_by_texts())
    assert {"expect", "gated_moments", "clt", "convert"} <= {thing.__name__ for thing in found}
    assert without_example(found) == []


def test_what_files_name_has_an_example():
    assert without_example({*LAWS.values(), *GATES.values(), *OBSERVABLES.values()}) == []


def test_rules_of_proof_have_an_example():
    parser = doctest.DocTestParser()
    rules = {name: rule for name, rule in RULES.items() if rule.__module__.startswith("theory.")}  # no test's own
    assert "isserlis" in rules
    assert [name for name, rule in rules.items() if not parser.get_examples(rule.__doc__)] == []


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A module with and without examples."""
    (tmp_path / "planted.py").write_text(
        'def with_one():\n    """Return 1.\n\n    >>> with_one()\n    1\n    """\n    return 1\n\n\n'
        'def without():\n    """Return 2."""\n    return 2\n\n\n'
        'class Through:\n    """A class.\n    """\n\n    def method(self):\n        """Return 3.\n\n'
        '        >>> Through().method()\n        3\n        """\n        return 3\n\n\n'
        'class Bare:\n    """A class whose words >>> are no example."""\n\n\ndef _private():\n    pass\n',
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("planted")
    del sys.modules["planted"]


def test_a_missing_example_is_noticed(planted, tmp_path):
    assert without_example(callables([planted]), tmp_path) == ["planted.py: Bare", "planted.py: without"]
