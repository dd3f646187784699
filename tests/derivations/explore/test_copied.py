"""The Python that a page copies prints the numbers of its table."""

import runpy

import pytest

from derivations.answers import check, moment
from derivations.experiments.folders import problem_named
from derivations.explore import formula
from derivations.explore.bar import changed
from derivations.explore.gates import gate_of, with_gates
from derivations.explore.problems import FIRST
from derivations.explore.views import view_of
from theory.problem import AlwaysGate, load

PROBLEM = load(FIRST)
CLONE = changed(PROBLEM, {"data.law": "gaussian-clone"})[0]
SLABS = with_gates(PROBLEM, [gate_of("site", 20, -0.5, 0.5, "input", None), AlwaysGate()])
DRAWN = [0.05 * (site % 7 - 3) for site in range(40)]
STATES = {
    "data": ("data", changed(PROBLEM, {"data.law": "ising"})[0], {"sample": True}),
    "the other class of the amplifier": ("amplifier", problem_named("relu-training"), {"class": "1"}),
    "slabs on the input": ("gates", SLABS, {"part": "gates", "sample": True}),
    "drawn weights": ("gates", CLONE, {"part": "weights", "sample": True, "w": DRAWN, "class": 1}),
}


def printed(text, tmp_path, capsys):
    file = tmp_path / "copied.py"
    file.write_text(text, encoding="utf-8")
    runpy.run_path(str(file))
    return capsys.readouterr().out


@pytest.mark.parametrize("name", STATES)
def test_the_text_prints_the_numbers_of_the_table(name, tmp_path, capsys):
    view, problem, settings = STATES[name]
    rows = view_of(view).answer(problem, settings)["table"]["rows"]
    numbers = {repr(float(value)) for row in rows for value in row if isinstance(value, float)}
    text = view_of(view).answer(problem, settings | {"want": "python"})["text"]
    words = printed(text, tmp_path, capsys).translate(str.maketrans("()[]{},:", "        ")).split()
    assert len(numbers) > 1
    assert numbers - set(words) == set()


@pytest.mark.parametrize(("line", "verb"), [("E[z1**2] = a", check), ("a*z1**2", moment)])
def test_the_text_of_the_formula_view_prints_the_answer(line, verb, tmp_path, capsys):
    text = formula.formula_view(line, "[[2]]", "", "a>0", 20).python
    assert printed(text, tmp_path, capsys) == f"{verb.answer(line, '[[2]]', None, 'a>0', 20).json()}\n"
