"""The tool that plants faults: it plants each kind, and tells one that tests notice from one that they do not."""

import subprocess
import sys

import pytest

from tests.mutations import TARGETS, mutants
from tests.paths import ROOT

SOURCE = '''"""A module."""


def larger(a, b):
    """Return the larger."""
    return a if a > b else b + 0
'''
TEST = """
from sound import larger

def test_larger():
    assert (larger(1, 2), larger(3, 2)) == (2, 3)
"""
DRIVER = """
import sys
from pathlib import Path
from tests.mutations import mutants, survivors

home = Path(sys.argv[1])
faults = list(mutants((home / "sound.py").read_text()))
for fault, said in survivors(home, "sound.py", faults, ["test_sound.py"], 60):
    print(said, fault)
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
    ],
)
def test_each_kind_of_fault_is_planted(source, planted):
    assert [fault.after.strip("()") for fault in mutants(source)] == planted


def test_a_fault_that_no_test_notices_is_told_from_one_that_is_noticed(tmp_path):
    (tmp_path / "sound.py").write_text(SOURCE)
    (tmp_path / "test_sound.py").write_text(TEST)
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "SURVIVED line 6: a > b  ->  (a >= b)",
        "SURVIVED line 6: b + 0  ->  (b - 0)",
        "SURVIVED line 6: b + 0  ->  (b)",
        "noticed line 6: b + 0  ->  (0)",
        "noticed line 6: 0  ->  (1)",
    ]
    assert (tmp_path / "sound.py").read_text() == SOURCE


@pytest.mark.parametrize("name", TARGETS)
def test_the_files_and_the_tests_of_a_target_exist(name):
    files, tests = TARGETS[name]
    assert [path for path in (*files, *tests) if not (ROOT / path).exists()] == []
