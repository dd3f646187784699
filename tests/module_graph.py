"""Which file of the packages imports which: circles of files, and files that nothing but tests imports."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests import house
from tests.paths import ROOT

Graph = Mapping[str, set[str]]


def module_of(file: Path, root: Path = ROOT) -> str:
    """Return the dotted name of a file below `root`."""
    words = file.relative_to(root).with_suffix("").parts
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


def graph(*folders: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Return, for each module below `folders`, the modules below them that it imports, function bodies included."""
    files = {module_of(file, root): file for folder in folders for file in (root / folder).rglob("*.py")}
    return {
        name: (house.imported(file.read_text(encoding="utf-8")) & files.keys()) - {name} for name, file in files.items()
    }


def circles(modules: Graph) -> list[list[str]]:
    """Return the circles of files: each a path of imports that comes back to its first module.

    An import of a package from one of its own modules is none: `theory.claims` imports the registry, and every module
    of `theory.claims` is imported after it.
    """
    found: list[list[str]] = []
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            found.append([*path[path.index(name) :], name])
        elif name not in done:
            for target in sorted(modules.get(name, ())):
                if not name.startswith(f"{target}."):
                    visit(target, [*path, name])
            done.add(name)

    for name in sorted(modules):
        visit(name, [])
    return found


def unused(modules: Graph, within: str, found_by_name: Iterable[str]) -> list[str]:
    """Return the modules below `within` that no module imports and nothing finds by its name; packages aside."""
    imported = set().union(*modules.values())
    packages = {name.rpartition(".")[0] for name in modules}
    expected = imported | packages | set(found_by_name)
    return sorted(name for name in modules if name.startswith(f"{within}.") and name not in expected)
