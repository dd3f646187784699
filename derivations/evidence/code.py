"""The hash of the code that a check depends on: its modules and all that they import of the project, from the sources.

Nothing is imported: the sources are parsed. A package that finds its modules by itself counts with all of them, for
what it loads stands in no import statement.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PARTS = ("theory", "sim", "derivations", "tests")
_FINDS_MODULES = {"__path__", "import_module", "iter_modules"}
_CATALOG = "theory.claims.registry"  # it loads every claim; a claim depends on its own file and those that it cites


@dataclass(frozen=True)
class _Module:
    """A source file: its digest, the modules that it names, and whether it loads others by name.

    Among the names, "x.*" is the use of x as an object, of which any name may be taken. A package that imports its
    names at their first use `offers` them, each with its module.
    """

    digest: str
    named: tuple[str, ...]
    finds: bool
    is_package: bool
    offers: Mapping[str, str]


def code_hash(modules: Iterable[str], files: Iterable[Path] = (), root: Path = ROOT) -> str:
    """Return the hash of the sources of `modules`, of all that they import below `root`, and of other `files`.

    >>> code_hash(["theory.claims.points"]) == code_hash(["theory.claims.points"])
    True
    """
    parts = [f"{name} {_module(name, root).digest}" for name in sorted(closure(modules, root))]
    parts += [f"{path.name} {_digest(path)}" for path in sorted(files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def closure(modules: Iterable[str], root: Path = ROOT, loaded: bool = False) -> set[str]:
    """Return the names of the modules and of all that they import below `root`, directly or not.

    With `loaded`, as Python loads them: the catalog imports every claim, and a package that imports its names at their
    first use only those that are taken from it. Without, a claim depends on those that it cites, as it says itself.

    >>> "theory.claims.model" in closure(["theory.claims.points"])
    True
    """
    found: set[str] = set()
    waiting = [name for name in modules if _module(name, root) is not None]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported(name, root, loaded)
    return found


@cache
def imported(name: str, root: Path = ROOT, loaded: bool = False) -> frozenset[str]:
    """Return the modules below `root` that a module imports itself: those that it names or may find, and its parents.

    `loaded` is that of `closure`.

    >>> "theory.claims.model" in imported("theory.claims.points")
    True
    """
    module = _module(name, root)
    if module is None:
        return frozenset()
    names = {*_parents(name), *module.named}
    if loaded:
        names -= set(module.offers.values())
        names.update(*(_taken(other, root) for other in module.named))
    if module.finds and (loaded or name != _CATALOG):
        packages = (name,) if module.is_package else module.named
        names.update(below for package in packages for below in _below(package, root))
    return frozenset(other for other in names if _module(other, root) is not None)


def _taken(name: str, root: Path) -> set[str]:
    """Return the modules of what a package imports at the first use of a name: one, or all for the name "x.*"."""
    package, _, last = name.rpartition(".")
    module = _module(package, root) if package else None
    offers = module.offers if module else {}
    return set(offers.values()) if last == "*" else {offers[last]} if last in offers else set()


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
    offers = dict(_offered(tree)) if "on_first_use(" in text else {}
    return _Module(_digest(path), tuple(sorted(set(_named(tree)))), finds, base.is_dir(), offers)


def _finds_modules(node: ast.AST) -> bool:
    return getattr(node, "id", None) in _FINDS_MODULES or getattr(node, "attr", None) in _FINDS_MODULES


def _named(block: ast.AST) -> Iterator[str]:
    """Yield the modules that the statements of a block import; expressions are skipped, because they import nothing."""
    for node in ast.iter_child_nodes(block):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            yield from (f"{whole}.*" for alias in node.names for whole in (alias.name, *_parents(alias.name)))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}{end}" for alias in node.names for end in ("", ".*"))
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _named(node)


def _offered(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a package declares for type checkers, each with its module."""
    for block in tree.body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for node in block.body:
                if isinstance(node, ast.ImportFrom) and node.module:
                    yield from ((alias.asname or alias.name, node.module) for alias in node.names)


@cache
def _digest(path: Path) -> str:
    # Line by line, so that another system's line ends are no change.
    return hashlib.sha256("\n".join(path.read_text(encoding="utf-8").splitlines()).encode()).hexdigest()
