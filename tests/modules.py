"""The modules of the packages as a graph of imports, read from the source: its circles, and modules without a user."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

Graph = Mapping[str, set[str]]


def modules(root: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """Every module below the packages by its dotted name."""
    files = (file for package in packages for file in (root / package).rglob("*.py"))
    return {".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imports(source: str, lazily: bool = False) -> Iterator[tuple[str, str]]:
    """Every import, in function bodies too, as (what may be a module, the module that it is in otherwise).

    Imports for annotations alone are left out; `lazily` keeps them, for a package that declares there what it loads
    when it is asked for.
    """
    pending = list(ast.parse(source).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not lazily:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.module) for alias in node.names)
        pending += ast.iter_child_nodes(node)


def graph(files: Mapping[str, Path]) -> Graph:
    """The modules that each module imports."""
    edges = {}
    for name, file in files.items():
        named = imports(file.read_text(encoding="utf-8"), lazily=file.name == "__init__.py")
        edges[name] = {longer if longer in files else shorter for longer, shorter in named} & files.keys() - {name}
    return edges


def circles(edges: Graph) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others (strongly connected components)."""
    reach = {name: _reached(edges, name) for name in edges}
    groups = {tuple(sorted(other for other in reach[name] if name in reach[other])) for name in edges}
    return sorted(list(group) for group in groups if group)


def _reached(edges: Graph, start: str) -> set[str]:
    reached: set[str] = set()
    pending = list(edges[start])
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += edges[name]
    return reached


def unused(edges: Graph) -> set[str]:
    """Modules that no other module imports."""
    return edges.keys() - set().union(*edges.values())
