"""The files on which each test file depends, read from the sources.

A test file depends on itself, on the modules that it imports at any distance, and on the files and folders that one of
these names by their place (`__file__`, `ROOT`) or by their path. What a package finds by itself counts with all
modules that it may find. A module that starts other processes of Python depends on what they load where that is known
(`tests/processes.py`), and else on every file. `gdln` loads the module of every verb, and a verb imports what it needs
when it runs: this counts where a string of the tests, or of a module that starts processes, has the verb as a word,
and where tests run the commands of a page that has it. What every test needs is in `COMMON`.
"""

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from derivations.evidence import code
from derivations.evidence.code import imported, module_name
from tests import paths, processes

_PROJECT, _CONTRACTS = "pyproject.toml", "[tool.importlinter]"  # contracts of imports, the file's last section
SETTINGS = f"{_PROJECT} before {_CONTRACTS}"  # the part that every test needs; the whole counts for those that name it
COMMON = ("tests/conftest.py", SETTINGS, "constraints.txt")
FOLDERS = ("theory", "sim", "derivations", "tests", "notebooks", ".ci")
RECORD = "tests/record.json"
_VERB = re.compile(r"derivations/commands/([a-z]\w*)\.py$")
_DECIDES = "tests/profiles.py"  # it and what it imports decide which tests run, not what they find
_RUNS_PAGES = "tests/readme.py"  # by it tests run the commands of pages
_IMPORTS = re.compile(r"^\s*(?:import|from) ([\w.]+)", re.MULTILINE)
_WORDS = re.compile(r"""["']([\w./-]+\.\w+)["']""")
_TEST_FILE = re.compile(r"tests/(?:.*/)?test_\w*\.py$")
_AT_ROOT = ("*.md", "*.toml", "*.txt", "*.cff")
_PLACES = {name: value for name, value in vars(paths).items() if isinstance(value, Path)}
# Modules that name a folder or start a process, and still depend on nothing but what they import.
_EXEMPT = {
    "derivations.evidence.code",  # reads sources, which are in the closure of whoever asks for their hash
    "derivations.timeout",  # takes the root from the names of files that it does not read
    "derivations.answers.fetching.programs",  # starts programs that are not Python
    "tests.theory.gaussian.export.test_export",  # starts a C compiler, as does
    "tests.theory.gaussian.export.test_tails",
    "tests.test_profiles",  # copies what the settings of pytest import, which every test needs, and see _COPIED
    "tests.sim.training.test_compiled",  # its process loads sim and theory, which it names by their paths
    "sim.training.backends.ahead",  # its process compiles the loops, which it names by their place
    "tests.paths",  # its folders count where they are used
    "tests.processes",  # names what others start
    "tests.dependencies",  # names files that it does not read, as does
    "tests.record",
}
_COPIED = {"tests.test_profiles": {_PROJECT}}  # what an exempt module still reads, beside what it imports


@dataclass(frozen=True, eq=False)
class Tree:
    """The files below a root by their paths, each with its digest."""

    root: Path
    digests: Mapping[str, str]

    def test_files(self) -> list[str]:
        """Return the test files."""
        return [name for name in self.digests if _TEST_FILE.match(name)]

    def hash(self, test_file: str) -> str:
        """Return the hash of the files on which a test file depends, by their paths and contents."""
        lines = [f"{name} {self.digests[name]}" for name in sorted(self.dependencies(test_file))]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def dependencies(self, test_file: str) -> set[str]:
        """Return the paths of the files on which a test file depends."""
        above = (str(folder / "conftest.py") for folder in Path(test_file).parents)
        found: set[str] = set()
        waiting = {test_file, *above, *COMMON} & self.digests.keys()
        while waiting:
            name = waiting.pop()
            found.add(name)
            waiting |= (_loaded(self, name) if _VERB.match(name) else _needed(self, name)) - found
            waiting = waiting or self._run(found) - found
        return found

    def _run(self, found: set[str]) -> set[str]:
        """Return what the verbs among the files need that one of the files says."""
        verbs = {name: match[1] for name in found if (match := _VERB.match(name))}
        speaking = found if _RUNS_PAGES in found else {name for name in found if not name.endswith(".md")}
        said = set().union(*(_said(self, name) for name in speaking)) if verbs else set()
        return {needed for name, verb in verbs.items() if verb in said for needed in _needed(self, name)}


@cache
def _needed(tree: Tree, file: str) -> set[str]:
    """Return the files that a file imports or names by itself."""
    if not file.endswith(".py"):
        return set()
    module = module_name(Path(file))
    found = {_file(tree, name) for name in imported(module, tree.root, loaded=True)}
    found |= _COPIED.get(module, set()) & tree.digests.keys()
    if file in COMMON:
        found.discard(_DECIDES)
    if file not in COMMON and module not in _EXEMPT:
        places, words = _named(tree.root, file)
        found |= words & tree.digests.keys()
        loaded = processes.loaded(module, (tree.root / file).read_text(encoding="utf-8"))
        if loaded is None:
            return set(tree.digests)
        for name in loaded:
            found |= _below(tree, name[:-1]) if name.endswith("/") else {_file(tree, name)} & tree.digests.keys()
        for place in places:
            found |= {place} & tree.digests.keys() or _below(tree, place)
    return found


@cache
def _loaded(tree: Tree, file: str) -> set[str]:
    """Return the files that a file imports when it is loaded, outside of its functions."""
    body = ast.parse((tree.root / file).read_text(encoding="utf-8")).body
    top = ast.Module([node for node in body if not isinstance(node, ast.FunctionDef)], [])
    named = set(code._named(top))
    names = named.union(*(code._taken(name, tree.root) for name in named), code._parents(module_name(Path(file))))
    return {_file(tree, name) for name in names} & tree.digests.keys()


@cache
def _said(tree: Tree, file: str) -> set[str]:
    """Return the words by which a file may run a verb: all of a page, the imports and strings of a test or program."""
    if not file.endswith((".py", ".md")) or file in COMMON:
        return set()
    text = (tree.root / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        if not file.startswith("tests/") and processes.loaded(module_name(Path(file)), text) == set():
            return set()
        text = "\n".join(_strings(ast.parse(text)))
    return set(re.findall(r"[a-z]\w*", text))


def _strings(tree: ast.AST) -> Iterator[str]:
    """Yield what a source imports, and its strings but for docstrings, which are sentences and run nothing."""
    sentences = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in sentences:
            yield node.value


def _file(tree: Tree, module: str) -> str:
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if f"{path}/__init__.py" in tree.digests else f"{path}.py"


def _below(tree: Tree, place: str) -> set[str]:
    start = "" if place == "." else f"{place}/"
    return {name for name in tree.digests if name.startswith(start)}


def tree(root: Path = paths.ROOT) -> Tree:
    """Return the tree as it is now; the record itself is no part of it."""
    listed = [path for folder in FOLDERS for path in (root / folder).rglob("*")]
    listed += [path for pattern in _AT_ROOT for path in root.glob(pattern)]
    files = [path for path in listed if path.name[0] != "." and "__pycache__" not in path.parts and path.is_file()]
    digests = {str(path.relative_to(root)): _digest(path) for path in files}
    digests.pop(RECORD, None)
    if _PROJECT in digests:
        settings = (root / _PROJECT).read_text(encoding="utf-8").partition(_CONTRACTS)[0]
        digests[SETTINGS] = hashlib.sha256(settings.encode()).hexdigest()
    return Tree(root, digests)


def _digest(path: Path) -> str:
    # Another system's line ends are no change.
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


@cache
def _named(root: Path, file: str) -> tuple[set[str], set[str]]:
    """Return the places that a source file names, "." for the root, and the words that may be paths of files."""
    text = (root / file).read_text(encoding="utf-8")
    modules = set(_IMPORTS.findall(text))
    places = set()
    if modules & _oracles(root):
        places.add("tests/oracles")  # pytest has this folder on its path
    if any(name in text for name in ("__file__", *_PLACES)):
        found = _places(ast.parse(text), root, root / file)
        places |= {str(place.relative_to(root)) if place.is_relative_to(root) else "." for place in found}
    return places, set(_WORDS.findall(text))


@cache
def _oracles(root: Path) -> set[str]:
    return {file.stem for file in (root / "tests" / "oracles").glob("*.py")}


def _places(node: ast.AST, root: Path, file: Path) -> Iterator[Path]:
    """Yield the places that the expressions of a source name, of each expression the longest."""
    if (place := _place(node, root, file)) is not None:
        yield place if place != file else file.parent  # the file itself stands for what it is part of
    elif not isinstance(node, ast.keyword) or node.arg != "cwd":  # where a process starts, not what it reads
        for inner in ast.iter_child_nodes(node):
            yield from _places(inner, root, file)


def _place(node: ast.AST, root: Path, file: Path) -> Path | None:
    """Return the file or folder that an expression is, or the folder in which it is; None for other expressions."""
    match node:
        case ast.Name(id="__file__"):
            return file
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _PLACES:
            return root / _PLACES[name].relative_to(paths.ROOT)
        case ast.Call(func=ast.Name(id="Path"), args=[inner]):
            return _place(inner, root, file)
        case ast.Attribute(value=inner, attr="parent"):
            return (place := _place(inner, root, file)) and place.parent
        case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(level))):
            return (place := _place(inner, root, file)) and place.parents[level]
        case ast.Call(func=ast.Attribute(value=inner, attr="with_name"), args=[name]):
            place = _place(inner, root, file)
            return place and (place.with_name(name.value) if isinstance(name, ast.Constant) else place.parent)
        case ast.BinOp(left=inner, op=ast.Div(), right=name):
            place = _place(inner, root, file)
            return place and (place / name.value if isinstance(name, ast.Constant) else place)
    return None
