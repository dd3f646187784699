"""The Python that a reader copies from a view runs in a fresh interpreter and prints the numbers of the view.

One interpreter runs the texts of all views, each with a namespace of its own: to load SymPy and torch takes seconds.
"""

import subprocess
import sys

import pytest

from derivations.answers import check, moment
from derivations.explore import data, formula, gates
from derivations.explore.problems import FIRST, python_code
from derivations.explore.questions import EXAMPLES
from theory.problem import dumps, load

pytestmark = pytest.mark.xdist_group("copied")

END = "end of this text"
RUN = f"""
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path)
    print({END!r})
"""
LINES = EXAMPLES


def texts():
    """Each text that is copied, by name."""
    first = dumps(load(FIRST))
    found = {"data": python_code(first, data.PYTHON), "gates": python_code(first, gates.PYTHON)}
    return found | {name: formula.asked(line, cov, "", where, 20).python for name, (line, cov, where) in LINES.items()}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The lines that each text prints."""
    folder, given = tmp_path_factory.mktemp("copied"), texts()
    paths = [folder / f"{name.replace(' ', '-')}.py" for name in given]
    for path, text in zip(paths, given.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", RUN, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(given, done.stdout.split(f"{END}\n"), strict=False))


def test_the_data_view(printed):
    assert str(data.theory_of(load(FIRST).data).kurtosis) in printed["data"]


def test_the_gates_view(printed):
    rows = gates.rows(gates.gate_view(load(FIRST), measured=False))
    assert printed["gates"].endswith("".join(f"{row}\n" for row in rows))


@pytest.mark.parametrize("name", LINES)
def test_the_formula_view(printed, name):
    line, cov, where = LINES[name]
    verb = check if "=" in line else moment
    assert printed[name] == f"{verb.answer(line, cov, None, where or None, 20).json()}\n"
