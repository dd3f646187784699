"""The tool that plants faults: it plants each kind, and tells those that tests notice from those that they do not."""

import subprocess
import sys

import pytest

from tests.faults import mutants
from tests.mutations import TARGETS
from tests.paths import ROOT

SOURCE = '''"""A module."""

LEAST = 2


def larger(a, b):
    """Return the larger."""
    return a if a > b else b + 0


class Pair:
    """Two numbers."""

    def __str__(self):
        return str(self.both - 1)

    @property
    def both(self):
        return (
            LEAST
            * 3
        )


def forgotten():
    return 5

'''
TEST = """
from functools import cache

import sound

def test_larger():
    assert (sound.larger(1, 2), sound.larger(3, 2)) == (2, 3)

@cache
def both():
    return sound.Pair().both

def test_both_is_a_number():
    assert isinstance(both(), int)

def test_both():
    assert both() == 6
"""
LATE = """
def test_least():
    from sound import LEAST

    assert LEAST == 2
"""
DRIVER = """
import sys
from pathlib import Path
from tests import mutations
from tests.faults import mutants

home = Path(sys.argv[1])
faults = [("sound.py", fault) for fault in mutants((home / "sound.py").read_text())]
for file, fault, said in mutations.outcomes(home, faults, ["test_sound.py"]):
    print(said, fault)
"""
HANGS = """
from threading import Event
from tests.mutations import _Tests, outcome

class Endless:
    config = hook = property(lambda self: self)
    def pytest_runtest_protocol(self, item, nextitem):
        Event().wait()

print(outcome(Event().wait, 0.1))
print(outcome(lambda: _Tests(print).pass_all([Endless(), Endless()], [1, 3600]), 3600))
"""


@pytest.mark.parametrize(
    ("source", "planted"),
    [
        ("x = a < b", ["a <= b"]),
        ("x = a in b", ["a not in b"]),
        ("x = a - b", ["a + b", "a", "b"]),
        ("x = a * b", ["a / b"]),
        ("x = a and b", ["a or b", "b", "a"]),
        ("x = not a", ["a"]),
        ("x = -a", ["a"]),
        ("x = 2", ["3"]),
        ("x = True", ["False"]),
        ("f(a)", ["pass"]),
        ("x += a", ["pass"]),
        ("if a:\n    f()", ["pass", "pass"]),
        ('raise ValueError(f"{1 + 1}")', ["pass"]),
        ('"""Text."""\nx: list[2] = "text"', []),
        ("def __repr__(self):\n    return 1 + 1", []),
    ],
)
def test_each_kind_of_fault_is_planted(source, planted):
    assert [fault.after.strip("()") for fault in mutants(source)] == planted


def told(folder, source, test):
    """Return the tool's output on all faults of `source`, by the tests of `test`, and the folder of both."""
    home = folder / "project"
    home.mkdir()
    (home / "sound.py").write_text(source)
    (home / "test_sound.py").write_text(test)
    command = [sys.executable, "-c", DRIVER, str(home)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False), home


def test_a_fault_that_no_test_notices_is_told_from_one_that_is_noticed(tmp_path):
    done, home = told(tmp_path, SOURCE, TEST)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "noticed line 3: 2  ->  (3)",
        "SURVIVED line 8: a > b  ->  (a >= b)",
        "SURVIVED line 8: b + 0  ->  (b - 0)",
        "SURVIVED line 8: b + 0  ->  (b)",
        "noticed line 8: b + 0  ->  (0)",
        "noticed line 8: 0  ->  (1)",
        "noticed line 20: LEAST * 3  ->  (LEAST / 3)",
        "noticed line 21: 3  ->  (4)",
        "UNREACHED line 26: 5  ->  (6)",
    ]
    assert (home / "sound.py").read_text() == SOURCE


def test_a_constant_of_a_module_that_only_the_tests_import(tmp_path):
    done, _ = told(tmp_path, "LEAST = 2\n", LATE)
    assert done.stdout.splitlines() == ["noticed line 1: 2  ->  (3)"], done.stderr


def test_what_takes_too_long_hangs():
    """The whole of the tests of a fault, or one of them, which ends long before the whole would."""
    done = subprocess.run(
        [sys.executable, "-c", HANGS], cwd=ROOT, capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout == "hangs\nhangs\n"


def test_faults_in_tests_that_fail_without_one_are_refused(tmp_path):
    done, _ = told(tmp_path, SOURCE, TEST.replace("== 6", "== 7"))
    assert done.returncode == 1
    assert done.stderr == "Without a fault this fails: test_sound.py::test_both\n"


@pytest.mark.parametrize("name", TARGETS)
def test_the_files_and_the_tests_of_a_target_exist(name):
    files, tests = TARGETS[name]
    assert [path for path in (*files, *tests) if not (ROOT / path.split("::")[0]).exists()] == []
