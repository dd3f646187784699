"""The hash of the code that a check depends on: its modules and all that they import of the project, from the sources.

Nothing is imported: the sources are parsed. A package that finds its modules by itself counts with all of them, for
what it loads stands in no import statement.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PARTS = ("theory", "sim", "derivations", "tests")
_FINDS_MODULES = {"__path__", "import_module", "iter_modules"}
_CATALOG = "theory.claims.registry"  # it loads every claim; a claim depends on its own file and those that it cites


@dataclass(frozen=True)
class _Module:
    """A source file: its digest, the modules that it names, and whether it loads others by name."""

    digest: str
    named: tuple[str, ...]
    finds: bool
    is_package: bool


def code_hash(modules: Iterable[str], files: Iterable[Path] = (), root: Path = ROOT) -> str:
    """Return the hash of the sources of `modules`, of all that they import below `root`, and of other `files`.

    >>> code_hash(["theory.claims.points"]) == code_hash(["theory.claims.points"])
    True
    """
    parts = [f"{name} {_module(name, root).digest}" for name in sorted(closure(modules, root))]
    parts += [f"{path.name} {_digest(path)}" for path in sorted(files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def closure(modules: Iterable[str], root: Path = ROOT, claims: bool = False) -> set[str]:
    """Return the names of the modules and of all that they import below `root`, directly or not.

    With `claims`, a module that imports the catalog depends on every claim.

    >>> "theory.claims.model" in closure(["theory.claims.points"])
    True
    """
    found: set[str] = set()
    waiting = [name for name in modules if _module(name, root) is not None]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported(name, root, claims)
    return found


@cache
def imported(name: str, root: Path = ROOT, claims: bool = False) -> frozenset[str]:
    """Return the modules below `root` that a module imports itself: those that it names or may find, and its parents.

    >>> "theory.claims.model" in imported("theory.claims.points")
    True
    """
    module = _module(name, root)
    if module is None:
        return frozenset()
    names = {*_parents(name), *module.named}
    if module.finds and (claims or name != _CATALOG):
        packages = (name,) if module.is_package else module.named
        names.update(below for package in packages for below in _below(package, root))
    return frozenset(other for other in names if _module(other, root) is not None)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


@cache
def _below(package: str, root: Path) -> tuple[str, ...]:
    """Return the modules of a package and of the packages in it; nothing where the name is no package."""
    folder = root.joinpath(*package.split("."))
    if not (folder / "__init__.py").is_file():
        return ()
    return tuple(module_name(path.relative_to(root)) for path in folder.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name of the module in a source file, whose path is relative to the root.

    >>> module_name(Path("theory/claims/__init__.py"))
    'theory.claims'
    """
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _module(name: str, root: Path) -> _Module | None:
    """The module's source as data; None where there is no such file, as for a name within a module."""
    if name.split(".")[0] not in _PARTS:
        return None
    base = root.joinpath(*name.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    finds = any(word in text for word in _FINDS_MODULES) and any(map(_finds_modules, ast.walk(tree)))
    return _Module(_digest(path), tuple(sorted(set(_named(tree)))), finds, base.is_dir())


def _finds_modules(node: ast.AST) -> bool:
    return getattr(node, "id", None) in _FINDS_MODULES or getattr(node, "attr", None) in _FINDS_MODULES


def _named(block: ast.AST) -> Iterator[str]:
    """Yield the modules that the statements of a block import; expressions are skipped, because they import nothing."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _named(node)


@cache
def _digest(path: Path) -> str:
    # Line by line, so that another system's line ends are no change.
    return hashlib.sha256("\n".join(path.read_text(encoding="utf-8").splitlines()).encode()).hexdigest()
