"""Plants small faults in named files, one at a time, and lists those that the tests of these files do not notice.

    python tests/mutations.py [--sample N] [--seed S] [--list] [NAME ...]

NAME is a key of TARGETS; all by default. Faults: a comparison, sign, product or connective exchanged, a term, `not`,
minus or statement dropped, a constant moved by one. A survivor is an equal program or a missing test; `mutations.md`
says which, of the last run.

Everything happens in a copy of the project. One process collects the tests. For each test it forks, runs the test and
keeps the lines that it reaches; for each fault it forks, changes the function in memory, and runs the tests that reach
the line, the shortest first, until one fails or takes too long, which is told as "hangs" and counts as noticed. A line
that runs when its module is imported needs the module again: there the fork comes before the import. Tests that start
other programs see sound code there. A tool for maintainers: no test runs it but `tests/test_mutations.py`, on planted
faults.
"""

import argparse
import contextlib
import gc
import importlib.machinery
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from math import ceil
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from tests.faults import Mutant, mutants

ROOT = Path(__file__).parents[1]
_COPIED = ("theory", "sim", "derivations", "tests", "pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_SLOWEST = 10  # times a test's time on sound code, and `_SPARE`: what takes longer hangs, which is noticed
_SPARE = 30  # seconds
_SOUND = 3600  # seconds for a test on sound code
_COMPILING = 600  # seconds in place of `_SPARE` where numba compiles the loops anew
_SURVIVED, _NOTICED, _HANGS, _UNREACHED, _AT_IMPORT = "SURVIVED", "noticed", "hangs", "UNREACHED", "at import"
_OPTIMIZED = 1  # the flag of a function's code, which that of a class or module lacks

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
    "graphs": (
        (
            "sim/networks/graph_by_hand.py",
            "theory/flow/graph/gradient_flow.py",
            "theory/flow/graph/moments.py",
            "theory/proof/rules/matrices.py",
        ),
        (
            "tests/sim/networks/test_graph_by_hand.py",
            "tests/theory/flow/graph/test_against_autograd.py",
            "tests/theory/flow/graph/test_derivation.py",
        ),
    ),
    "random": (("sim/random",), ("tests/sim/random",)),
    "compiled": (
        ("sim/training/backends/compiled",),
        ("tests/sim/training/test_compiled.py", "tests/sim/training/test_compiled_units.py"),
    ),
    "evidence": (
        ("derivations/evidence", "derivations/seals.py", "derivations/validate/recorded.py"),
        (
            "tests/derivations/validate/test_consistency.py",
            "tests/derivations/validate/test_evidence_edited.py",
            "tests/derivations/validate/test_evidence.py",
            "tests/derivations/validate/test_code.py",
            "tests/derivations/commands/test_ledger.py",
        ),
    ),
}


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


def outcome(work: Callable[[], bool], limit: float) -> str:
    """Call `work`, which says whether the tests pass, in a forked process: SURVIVED, noticed, or hangs."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            code = 0 if work() else 1
        os._exit(code)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            ended = os.waitstatus_to_exitcode(status)
            return {0: _SURVIVED, -signal.SIGALRM: _HANGS}.get(ended, _NOTICED)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _HANGS


class _Reached:
    """The lines of some files that run while it is active, as (file, line)."""

    def __init__(self, files: Collection[str]) -> None:
        self.files, self.lines = files, set()

    def __enter__(self) -> "_Reached":
        threading.settrace(self._called)
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable | None:
        return self._line(frame, event, argument) if frame.f_code.co_filename in self.files else None

    def _line(self, frame: FrameType, _event: str, _argument: Any) -> Callable:
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


class _Tests:
    """A plugin of pytest that calls `work` with the collected tests in place of running them all."""

    def __init__(self, work: Callable[["_Tests", list], object]) -> None:
        self._work, self._failed = work, False

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: Any) -> bool:
        if not session.testsfailed:
            self._work(self, session.items)
        return True

    def pass_all(self, tests: Sequence[Any], limits: Sequence[int]) -> bool:
        """Run tests until one fails; one that takes more seconds than its limit ends the process by SIGALRM."""
        for test, following, limit in zip_longest(tests, tests[1:], limits):
            signal.alarm(limit)
            test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
            if self._failed:
                return False
        return True


def _pytest(home: Path, tests: Sequence[str], work: Callable[[_Tests, list], object]) -> bool:
    """Collect the tests of the copy, and call `work` with them; in a process of its own, which it makes silent."""
    import pytest

    os.chdir(home)
    sys.path[:] = [str(home), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    words = ["-n0", "-q", "-p", "no:cacheprovider", "--basetemp", str(home.parent / "scratch"), *tests]
    return pytest.main(words, plugins=[_Tests(work)]) == 0


class _Session:
    """A process that has collected the tests: what each reaches, then the faults that it can plant in memory.

    It tells of both by lines of JSON.
    """

    def __init__(self, home: Path, chosen: Sequence[tuple[str, Mutant]], tests: Sequence[str], tell: Any) -> None:
        self.home, self.chosen, self.tests, self.tell = home, chosen, tests, tell
        self.imported = _Reached({str(home / file) for file, _ in chosen})
        self.scratch = home.parent / "reached.json"

    def run(self) -> bool:
        with self.imported:
            return _pytest(self.home, self.tests, self._judge)

    def _judge(self, tests: _Tests, collected: list) -> None:
        self.imported.__exit__()
        sys.dont_write_bytecode = True
        reached = {test.nodeid: self._sound(tests, test) for test in collected}
        self._say(reached)
        live, loops = _live(self.imported.files), _compiled_loops()
        by_name = {test.nodeid: test for test in collected}
        for index, (file, mutant) in enumerate(self.chosen):
            path = str(self.home / file)
            planted = None if self.imported.lines & _places(path, mutant) else _planting(path, mutant, live)
            if planted is None:
                self._say([index, _AT_IMPORT])
                continue
            of_a_loop = any(loop.py_func is function for loop in loops for function, _ in planted)
            # The lines of a compiled loop are not seen.
            names = _nearest(reached, set() if of_a_loop else _places(path, mutant))
            limits = _limits(reached, names, bool(loops))
            work = partial(self._planted, tests, [by_name[name] for name in names], limits, planted, loops)
            self._say([index, outcome(work, sum(limits)) if names else _UNREACHED])

    def _planted(
        self,
        tests: _Tests,
        chosen: list,
        limits: Sequence[int],
        planted: list[tuple[FunctionType, CodeType]],
        loops: list,
    ) -> bool:
        for function, code in planted:
            function.__code__ = code
        for loop in loops:  # what numba keeps on the disk is of the sound code
            loop._cache = _no_cache()
        return tests.pass_all(chosen, limits)

    def _sound(self, tests: _Tests, test: Any) -> list:
        """Seconds and the reached lines of a test by itself, whose fixtures and caches no other test has filled."""

        def work() -> bool:
            with _Reached(self.imported.files) as reached:
                passed = tests.pass_all([test], [_SOUND])
            self.scratch.write_text(json.dumps(sorted(reached.lines)))
            return passed

        started = time.monotonic()
        if outcome(work, _SOUND) != _SURVIVED:
            self._say(test.nodeid)
            os._exit(1)
        return [time.monotonic() - started, {tuple(line) for line in json.loads(self.scratch.read_text())}]

    def _say(self, what: Any) -> None:
        print(json.dumps(what, default=sorted), file=self.tell, flush=True)


def _places(path: str, mutant: Mutant) -> set[tuple[str, int]]:
    return {(path, line) for line in mutant.statement}


def _nearest(reached: dict[str, list], places: set[tuple[str, int]]) -> list[str]:
    """The tests that reach one of the places, the shortest first; all tests for no places."""
    near = [name for name, (_, lines) in reached.items() if not places or places & lines]
    return sorted(near, key=lambda name: reached[name][0])


def _limits(reached: dict[str, list], names: Iterable[str], compiling: bool) -> list[int]:
    """The seconds that each of the tests may take."""
    return [ceil(_SLOWEST * reached[name][0]) + (_COMPILING if compiling else _SPARE) for name in names]


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The functions that a module and its classes define, without those inside of functions."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from [inner] if inner.co_flags & _OPTIMIZED else _functions(inner)


def _shape(code: CodeType) -> tuple:
    """All that a code object does, without the places of its lines."""
    constants = [_shape(one) if isinstance(one, CodeType) else (type(one), repr(one)) for one in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, code.co_exceptiontable, names, constants)


def _name(code: CodeType) -> tuple:
    """Where a function ends: an import hook that adds decorators leaves this as it is."""
    return (
        code.co_filename,
        code.co_qualname,
        max((line or 0, column or 0) for line, _, column, _ in code.co_positions()),
    )


def _live(files: Collection[str]) -> dict[tuple, list[FunctionType]]:
    """The functions of these files that are in memory."""
    gc.unfreeze()
    found = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename in files:
            found[_name(thing.__code__)].append(thing)
    return found


def _planting(path: str, mutant: Mutant, live: dict[tuple, list[FunctionType]]) -> list | None:
    """The functions in memory that a fault changes, with their new code; None where it cannot be planted so."""
    sound = list(_functions(compile(Path(path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True)))
    changed = list(_functions(compile(mutant.source, path, "exec", dont_inherit=True)))
    if len(sound) != len(changed):
        return None
    pairs = [(old, new) for old, new in zip(sound, changed, strict=True) if _shape(old) != _shape(new)]
    if not pairs or not all(live.get(_name(old)) and old.co_freevars == new.co_freevars for old, new in pairs):
        return None
    return [(function, new) for old, new in pairs for function in live[_name(old)]]


def _compiled_loops() -> list:
    """The functions that numba compiles, where it is loaded."""
    if "numba" not in sys.modules:
        return []
    from numba.core.dispatcher import Dispatcher

    return [thing for thing in gc.get_objects() if issubclass(type(thing), Dispatcher)]


def _no_cache() -> Any:
    from numba.core.caching import NullCache

    return NullCache()


def _anew(home: Path, file: str, mutant: Mutant, names: Sequence[str], limits: Sequence[int]) -> bool:
    """Import the project with the fault in it, and run the tests of these names until one fails."""
    path, sound = home / file, importlib.machinery.SourceFileLoader.get_data

    def get_data(loader: Any, asked: str) -> bytes:
        if Path(asked) == path:
            return mutant.source.encode()
        if Path(asked).parent.name == "__pycache__" and Path(asked).name.startswith(f"{path.stem}."):
            raise OSError("the bytecode is of the sound source")
        return sound(loader, asked)

    def work(tests: _Tests, collected: list) -> bool:
        by_name = {test.nodeid: test for test in collected}
        return tests.pass_all([by_name[name] for name in names], limits)

    importlib.machinery.SourceFileLoader.get_data = get_data
    sys.dont_write_bytecode = True
    # Before numba is imported: what it keeps elsewhere is of other code, and it sees no fault in the file on the disk.
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(dir=home.parent)
    return _pytest(home, sorted({name.split("::")[0] for name in names}), work)


def outcomes(
    home: Path, chosen: Sequence[tuple[str, Mutant]], tests: Sequence[str]
) -> Iterator[tuple[str, Mutant, str]]:
    """Yield each fault of a file of the copy with what the tests say of it. Exits where they fail without a fault."""
    listen, tell = os.pipe()
    session = os.fork()
    if session == 0:
        os.close(listen)
        with contextlib.suppress(BaseException):
            _Session(home, chosen, tests, os.fdopen(tell, "w")).run()
        os._exit(0)
    os.close(tell)
    with os.fdopen(listen) as lines:
        reached = json.loads(lines.readline() or '"the collection"')
        if isinstance(reached, str):
            sys.exit(f"Without a fault this fails: {reached}")
        reached = {name: (seconds, {tuple(place) for place in places}) for name, (seconds, places) in reached.items()}
        for line in lines:
            index, said = json.loads(line)
            file, mutant = chosen[index]
            if said == _AT_IMPORT:
                path = str(home / file)
                names = _nearest(reached, {place for _, all in reached.values() for place in all if place[0] == path})
                limits = _limits(reached, names, "compiled" in Path(file).parts)
                said = outcome(partial(_anew, home, file, mutant, names, limits), sum(limits))
            yield file, mutant, said
    os.waitpid(session, 0)


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

    count = Counter()
    with copied(ROOT) as home:
        for file, mutant, said in outcomes(home, chosen, tests):
            count[said] += 1
            if said != _NOTICED:
                print(f"  {said} {file} {mutant}", flush=True)
    print(f"{name}: {', '.join(f'{number} {said}' for said, number in sorted(count.items()))}", flush=True)
    return count[_SURVIVED] + count[_UNREACHED]


if __name__ == "__main__":
    sys.exit(main())
