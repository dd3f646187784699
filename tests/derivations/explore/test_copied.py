"""The Python that a reader copies from a view runs in a fresh interpreter and prints the numbers of the view's table.

One interpreter runs the texts of all states, each with a namespace of its own: to load SymPy and torch takes seconds.
Left out: a law of one's own, which has its code in a file, and those of data sets: here their files are small ones
made for the tests, which another interpreter takes for damaged.
The texts of trained networks are run by the tests of the views that train them.
"""

import subprocess
import sys

import pytest

from derivations.answers import check, moment
from derivations.experiments.folders import problem_file
from derivations.explore import formula
from derivations.explore.bar import changed
from derivations.explore.gates import gate_of, with_gates
from derivations.explore.problems import FIRST
from derivations.explore.questions import EXAMPLES
from derivations.explore.views import view_of
from theory.problem import LAWS, AlwaysGate, WorkbenchError, load


END = "end of this text"
RUN = f"""
import runpy, sys
for path in sys.argv[1:]:
    runpy.run_path(path)
    print({END!r})
"""
LEFT_OUT = {"own", "mnist", "fashion-mnist", "images"}
PRESETS = ("small-bump-reversed", "relu-training", "single-pulse")
GATES = {"part": "gates", "sample": True}
WEIGHTS = {"part": "weights", "sample": True}


def problem_on(law):
    """The first problem after its law was chosen."""
    first = load(FIRST)
    return first if law == first.data.law else changed(first, {"data.law": law})[0]


def gated(problem, *bounds, on):
    """The problem with one site gate for each pair of bounds, and a gate that is always open."""
    site = problem.data.n // 2
    gates = [gate_of("site", site + k, *pair, on, AlwaysGate()) for k, pair in enumerate(bounds)]
    return with_gates(problem, [*gates, AlwaysGate()])


def states():
    """Each state of a view by name: the view, its problem and its settings."""
    first = load(FIRST)
    for law in (name for name in LAWS if name not in LEFT_OUT):
        yield f"data {law}", "data", problem_on(law), {"sample": True}
        yield f"amplifier {law}", "amplifier", problem_on(law), {}
        yield f"gates {law}", "gates", problem_on(law), GATES
        yield f"weights {law}", "gates", problem_on(law), WEIGHTS
    for name in PRESETS:
        problem = load(problem_file(name))
        yield f"data of {name}", "data", problem, {"sample": True}
        yield f"amplifier of {name}", "amplifier", problem, {}
        yield f"gates of {name}", "gates", problem, GATES
        yield f"weights of {name}", "gates", problem, WEIGHTS
    yield "gates off threshold 0", "gates", gated(first, (0.3, 8.0), (-8.0, -0.7), on="latent"), GATES
    yield "slabs on the input", "gates", gated(first, (-0.5, 0.5), (0.2, 0.9), on="input"), GATES
    yield "the other class", "amplifier", first, {"class": "1"}
    yield "weights of one site", "gates", first, WEIGHTS | {"preset": "one site", "class": 1}
    drawn = [0.05 * (site % 7 - 3) for site in range(first.data.n)]
    yield (
        "weights that were drawn",
        "gates",
        problem_on("gaussian-clone"),
        WEIGHTS | {"w": drawn},
    )


def numbers(answer):
    """The numbers of the table of an answer, as Python writes them."""
    return [repr(float(value)) for row in answer["table"]["rows"] for value in row if isinstance(value, float)]


@pytest.fixture(scope="module")
def given():
    """The numbers and the text of each state; None in their place where the law lacks what the view shows."""
    found = {}
    for name, view, problem, settings in states():
        try:
            shown = numbers(view_of(view).answer(problem, settings))
            found[name] = shown, view_of(view).answer(problem, settings | {"want": "python"})["text"]
        except WorkbenchError:
            found[name] = None
    return found


@pytest.fixture(scope="module")
def printed(tmp_path_factory, given):
    """The lines that each text prints."""
    folder = tmp_path_factory.mktemp("copied")
    texts = {name: state[1] for name, state in given.items() if state}
    texts |= {name: formula.asked(line, cov, "", where, 20).python for name, (line, cov, where) in EXAMPLES.items()}
    paths = [folder / f"{place}.py" for place in range(len(texts))]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", RUN, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(texts, done.stdout.split(f"{END}\n"), strict=False))


def test_the_texts_print_the_numbers_of_the_tables(given, printed):
    lacking = {name: set(state[0]) - set(words(printed[name])) for name, state in given.items() if state}
    assert {name: values for name, values in lacking.items() if values} == {}
    assert sum(len(state[0]) > 0 for state in given.values() if state) > 50


def words(text):
    """The words of a text, without the brackets and the names of types around its numbers."""
    return text.translate(str.maketrans("()[]{},:", "        ")).split()


def test_only_what_a_law_lacks_has_no_text(given):
    assert {name for name, state in given.items() if state is None} == {"amplifier finite", "amplifier table"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_formula_view(printed, name):
    line, cov, where = EXAMPLES[name]
    verb = check if "=" in line else moment
    assert printed[name] == f"{verb.answer(line, cov, None, where or None, 20).json()}\n"
