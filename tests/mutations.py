"""Plants small faults in named files, one at a time, and lists those that the tests of these files do not notice.

    python tests/mutations.py [--sample N] [--seed S] [--list] [NAME ...]

NAME is a key of TARGETS; all by default. Faults: a comparison, sign, product or connective exchanged, a term, `not`,
minus or statement dropped, a constant moved by one. Everything happens in a copy of the project; a process that has the
libraries loaded forks for each fault. A survivor is an equal program or a missing test. A tool for maintainers: no test
runs it but `tests/test_mutations.py`, on one planted fault.
"""

import argparse
import ast
import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_COPIED = ("theory", "sim", "derivations", "tests", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_SLOWEST = 10  # times the time of the sound run: what takes longer hangs, which is noticed
_SURVIVED, _NOTICED, _HANGS = "SURVIVED", "noticed", "hangs"

_RULES = ("tests/theory/proof", "tests/theory/claims/areas/test_derivations.py")
_ENGINE = ("tests/theory/gaussian/derive",)
TARGETS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rules": (("theory/proof/rules",), _RULES),
    "engine": (("theory/gaussian/derive/rules",), _ENGINE),
    "statistics": (
        ("derivations/statistics",),
        ("tests/derivations/statistics", "tests/derivations/experiments/test_experiments.py"),
    ),
    "reference": (
        ("sim/training/backends/reference.py", "sim/training/step.py", "sim/training/batches.py"),
        (
            "tests/sim/test_train.py",
            "tests/sim/training/test_reference.py",
            "tests/sim/training/test_captured.py",
            "tests/sim/training/test_state.py",
        ),
    ),
    "evidence": (
        ("derivations/evidence", "derivations/seals.py", "derivations/validate/recorded.py"),
        (
            "tests/derivations/validate/test_evidence_edited.py",
            "tests/derivations/validate/test_evidence.py",
            "tests/derivations/validate/test_code.py",
            "tests/derivations/commands/test_ledger.py",
        ),
    ),
}

_EXCHANGED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_SKIPPED = ast.Raise | ast.If | ast.AugAssign | ast.Continue | ast.Break


@dataclass(frozen=True)
class Mutant:
    """A fault: the line that it is planted in, what stood there and stands there now, and the whole source."""

    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"line {self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every fault of the source, in the order of its lines.

    Docstrings, annotations, messages of errors and texts in general stay as they are: no test compares them all.
    """
    tree = ast.parse(source)
    places = [(node, new) for node in _planted(tree) for new in _faults(node)]
    for node, new in sorted(places, key=lambda place: (place[0].lineno, place[0].col_offset)):
        text = new if isinstance(new, str) else f"({ast.unparse(ast.fix_missing_locations(new))})"
        yield Mutant(node.lineno, ast.get_source_segment(source, node), text, _spliced(source, node, text))


def _planted(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `node` in which faults are planted."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr | ast.arguments | ast.Import | ast.ImportFrom) or not isinstance(
                child, ast.AST
            ):
                continue
            yield child
            if not isinstance(child, ast.Raise):
                yield from _planted(child)


def _faults(node: ast.AST) -> Iterator[ast.AST | str]:
    """The replacements of a node: other nodes, or text."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            changed = [*node.ops[:index], _EXCHANGED[type(operator)](), *node.ops[index + 1 :]]
            yield ast.Compare(node.left, changed, node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _EXCHANGED:
        yield ast.BinOp(node.left, _EXCHANGED[type(node.op)](), node.right)
        yield from (node.left, node.right) if isinstance(node.op, ast.Add | ast.Sub) else ()
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_EXCHANGED[type(node.op)](), node.values)
        for index in range(len(node.values)):
            yield _joined(node.op, [*node.values[:index], *node.values[index + 1 :]])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, _SKIPPED) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield "pass"


def _joined(operator: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(operator, values)


def _spliced(source: str, node: ast.AST, text: str) -> str:
    """The source with `text` in the place of the node; columns count bytes."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = b"".join(lines)
    return (whole[:start] + text.encode() + whole[end:]).decode()


def _short(text: str, most: int = 70) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


@contextlib.contextmanager
def copied(root: Path) -> Iterator[Path]:
    """A copy of the project that vanishes at the end."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "project"
        home.mkdir()
        for name in _COPIED:
            if (root / name).is_dir():
                shutil.copytree(root / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif (root / name).exists():
                shutil.copy(root / name, home)
        yield home


def outcome(home: Path, tests: Sequence[str], limit: float, keep: bool = False) -> str:
    """Run the tests in the copy in a forked process: SURVIVED, noticed, or hangs. `keep` lets it write bytecode."""
    child = os.fork()
    if child == 0:
        _run(home, tests, keep)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return _SURVIVED if os.waitstatus_to_exitcode(status) == 0 else _NOTICED
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _HANGS


def _run(home: Path, tests: Sequence[str], keep: bool) -> None:
    """Never returns: the exit code is that of the tests."""
    code = 1
    with contextlib.suppress(BaseException):
        import pytest

        os.chdir(home)
        sys.path[:] = [str(home), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
        sys.dont_write_bytecode = not keep
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        code = int(pytest.main(["-n0", "-q", "-x", "-p", "no:cacheprovider", *tests]))
    os._exit(code)


def survivors(
    home: Path, file: str, chosen: Sequence[Mutant], tests: Sequence[str], limit: float
) -> Iterator[tuple[Mutant, str]]:
    """Plant each fault in a file of the copy and yield it with the tests' outcome; the file is sound at the end."""
    path = home / file
    sound = path.read_text(encoding="utf-8")
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        cached.unlink()  # bytecode is told by the second of its source, which a fault may share
    try:
        for mutant in chosen:
            path.write_text(mutant.source, encoding="utf-8")
            yield mutant, outcome(home, tests, limit)
    finally:
        path.write_text(sound, encoding="utf-8")


def _files(names: Sequence[str]) -> list[str]:
    """The Python files that are named, or lie in a named folder."""
    found = [path for name in names for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).glob("*.py"))]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def main(words: Sequence[str] | None = None) -> int:
    """Run the chosen targets and print every survivor; 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TARGETS))
    parser.add_argument("--sample", type=int, help="so many faults of each target, drawn at random; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print the faults and run nothing")
    asked = parser.parse_args(words)
    left = 0
    for name in asked.names or TARGETS:
        files, tests = TARGETS[name]
        every = [(file, one) for file in _files(files) for one in mutants((ROOT / file).read_text(encoding="utf-8"))]
        chosen = every
        if asked.sample is not None and asked.sample < len(every):
            chosen = sorted(random.Random(asked.seed).sample(every, asked.sample), key=every.index)
        print(f"{name}: {len(chosen)} of {len(every)} faults, seed {asked.seed}", flush=True)
        if asked.list:
            print(*(f"  {file} {one}" for file, one in chosen), sep="\n")
            continue
        left += _target(name, chosen, tests)
    return 1 if left else 0


def _target(name: str, chosen: Sequence[tuple[str, Mutant]], tests: Sequence[str]) -> int:
    """Run the faults of a target; the number of its survivors."""
    import mpmath  # noqa: F401 - forked processes have the libraries loaded
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401
    import sympy  # noqa: F401
    import torch  # noqa: F401

    count, left = 0, 0
    with copied(ROOT) as home:
        if outcome(home, tests, 3600, keep=True) != _SURVIVED:
            sys.exit(f"{name}: the tests do not pass without a fault.")
        started = time.monotonic()
        outcome(home, tests, 3600)
        limit = 30 + _SLOWEST * (time.monotonic() - started)
        for file in dict.fromkeys(file for file, _ in chosen):
            faults = [one for other, one in chosen if other == file]
            for mutant, said in survivors(home, file, faults, tests, limit):
                count += 1
                left += said == _SURVIVED
                if said != _NOTICED:
                    print(f"  {said} {file} {mutant}", flush=True)
    print(f"{name}: {count} faults, {left} survived", flush=True)
    return left


if __name__ == "__main__":
    sys.exit(main())
