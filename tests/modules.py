"""The modules of the packages as a graph of imports, read from the source: its circles, and what has no user.

A function or class has a user where its module names it outside of its own body, another file imports it, or takes it
from its module by an attribute; and where a decorator registers it.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

Graph = Mapping[str, set[str]]
_DEFINITIONS = ast.FunctionDef | ast.ClassDef
_REGISTERS = re.compile(r"\.register\b|^(?:expectation_)?rule\(")  # a decorator by which something else finds it


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


def unused_definitions(files: Mapping[str, Path]) -> set[tuple[str, str]]:
    """Public functions and classes, as (module, name), that no file of the packages uses.

    A package that imports a name, to offer it to users in its `__all__`, is a user.
    """
    trees = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in files.items()}
    used = set().union(*(_uses(name, tree, files.keys()) for name, tree in trees.items()))
    defined = {(name, node.name) for name, tree in trees.items() for node in tree.body if _public(node)}
    return defined - used


def _public(node: ast.stmt) -> bool:
    """Whether the statement defines a public function or class that no decorator registers."""
    if not isinstance(node, _DEFINITIONS) or node.name.startswith("_"):
        return False
    return not any(_REGISTERS.search(ast.unparse(decorator)) for decorator in node.decorator_list)


def _uses(name: str, tree: ast.Module, known: Collection[str]) -> set[tuple[str, str]]:
    """The names that a module uses, as (module, name); the body of a definition does not use the definition itself."""
    used, aliases = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            used |= {(node.module, alias.name) for alias in node.names}
            longer = {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            aliases |= {short: module for short, module in longer.items() if module in known}
        elif isinstance(node, ast.Import):
            aliases |= {alias.asname or alias.name: alias.name for alias in node.names}
    for statement in tree.body:
        own = statement.name if isinstance(statement, _DEFINITIONS) else None
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id != own:
                used.add((name, node.id))
            elif isinstance(node, ast.Attribute) and (module := aliases.get(_dotted(node.value))):
                used.add((module, node.attr))
    return used


def _dotted(node: ast.expr) -> str:
    """The expression a.b.c as text; the empty string for any other."""
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
