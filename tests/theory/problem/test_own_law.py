"""A user's own law: functions in files and packages, their faults, and when code may run."""

import hashlib

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import InputError, dumps, load, loads
from theory.problem.distributions.own import OwnLaw
from theory.problem.distributions.sampled import Estimate

CODE = """
import numpy as np


def draw(generator, rows, shift=1.0):
    category = generator.integers(0, 2, rows)
    x = generator.standard_normal((rows, 3)) + shift * category[:, None]
    return x, category
"""
PROBLEM = """
[data]
law = "own"
{data}
[network]
model = "gated-linear"
readout = "mean"
gates = [{{ kind = "site", site = 1, lo = 0.0 }}]
[training]
loss = "half-mse"
tau = 1.0
w0 = {{ law = "normal", scale = 0.1, seed = 0 }}
times = [1.0]
"""
BY_PATH = 'path = "mylaw.py:draw"\nn = 3\nlabels = [1.0, -1.0]\n'


def written(folder, code=CODE, data=BY_PATH):
    """The problem file of a law in `code`."""
    (folder / "mylaw.py").write_text(code)
    (folder / "problem.toml").write_text(PROBLEM.format(data=data))
    return folder / "problem.toml"


def law_of(folder, code=CODE, data=BY_PATH):
    return load(written(folder, code, data)).data


def first(law, rows=4):
    return law.examples(np.random.default_rng(3), rows)


def test_the_text_of_a_problem_says_all_of_its_law(tmp_path):
    table = 'parameters = { shift = 0.5 }\nestimate = { examples = 6400, seed = 2 }\npriors = ["1/2", "1/2"]\n'
    problem = load(written(tmp_path, data=BY_PATH + table))
    assert loads(dumps(problem)) == problem
    assert hash(loads(dumps(problem))) == hash(problem)
    assert problem.data.estimate == Estimate(6400, 2)
    assert f'sha256 = "{hashlib.sha256(CODE.encode()).hexdigest()}"' in dumps(problem)


def test_a_text_does_not_start_code(tmp_path):
    """`loads` is what the explorer reads pasted problems with; the file leaves a mark where it runs."""
    mark = tmp_path / "ran"
    text = written(tmp_path, f"with open({str(mark)!r}, 'a') as file:\n    file.write('!')\n{CODE}").read_text()
    with pytest.raises(InputError, match="runs only if a problem file names it, not from a text"):
        loads(text, folder=tmp_path)
    assert not mark.exists()
    with pytest.raises(InputError, match="runs only if a problem file names it"):
        OwnLaw(n=3, labels=(1, -1), path=f"{tmp_path}/mylaw.py:draw")
    assert not mark.exists()
    problem = load(tmp_path / "problem.toml")
    assert mark.read_text() == "!"  # the content runs once in a process
    assert loads(text, folder=tmp_path) == problem


def test_code_that_has_changed_since_its_file_was_read_does_not_run(tmp_path):
    problem, mark = load(written(tmp_path)), tmp_path / "ran"
    (tmp_path / "mylaw.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{CODE}")
    with pytest.raises(InputError, match="runs only if a problem file names it"):
        loads(dumps(problem))
    assert not mark.exists()
    assert load(tmp_path / "problem.toml").data != problem.data
    assert mark.exists()
    with pytest.raises(InputError, match=r"data\.sha256 asks for"):
        loads(dumps(problem))


FAULTS = [
    ("x = 1", "has no function 'draw'"),
    ("\ndef draw(:\n", "mylaw.py, line 2: SyntaxError: "),
    ("\n\n1 / 0", "mylaw.py, line 3: ZeroDivisionError: division by zero"),
    ("\ndef draw(generator, rows):\n    raise ValueError('not today')", "mylaw.py, line 3: ValueError: not today"),
    (CODE.replace("(rows, 3)", "(rows, 4)"), "draw returns x of the shape (256, 4), not (256, 3)"),
    (CODE.replace("return x,", "return x[:7],"), "returns x of the shape (7, 3), not (256, 3)"),
    (CODE.replace("return x,", "return x * np.nan,"), "returns x with nan at row 0, site 0"),
    (CODE.replace("integers(0, 2", "integers(0, 3"), "returns the class 2; data.labels has 2 entries"),
    (CODE.replace("generator.standard", "np.random.default_rng().standard"), "draws other examples from an equal"),
    (CODE.replace("    return", "    print('here')\n    return"), "prints to stdout"),
]


def test_faults_of_the_code_are_named(tmp_path):
    assert not_refused(lambda code: law_of(tmp_path, code), FAULTS) == []


TABLES = [
    ("n = 3\nlabels = [1]", "neither `path` nor `sampler`"),
    (BY_PATH + 'sampler = "here"', "`path` and `sampler`"),
    (BY_PATH + "shape = [2, 2]", "data.shape = [2, 2] has 4 sites, and the inputs have n = 3"),
    ('path = "mylaw.py"\nn = 3\nlabels = [1]', "names no function"),
    ('path = "nowhere.py:draw"\nn = 3\nlabels = [1]', "nowhere.py cannot be read"),
    ('path = "mylaw.py:draw"\nn = 3', "[data] lacks `labels`"),
    (BY_PATH + "parameters = { shift = { a = 1 } }", "data.parameters.shift"),
    (BY_PATH + "parameters = { shft = 2 }", "unexpected keyword argument 'shft'"),
    (BY_PATH + "estimate = { examples = 31 }", "data.estimate.examples = 31 must be at least 32"),
    ('sampler = "nobody"\nn = 3\nlabels = [1]', 'is no entry point of the group "gdln.laws"'),
]


def test_faulty_tables_are_named(tmp_path):
    assert not_refused(lambda data: law_of(tmp_path, data=data), TABLES) == []


def test_an_installed_package_offers_a_law(tmp_path, monkeypatch):
    (tmp_path / "ringed.py").write_text(CODE)
    facts = tmp_path / "ringed-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ringed\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[gdln.laws]\nrings = ringed:draw\nbroken = ringed:nothing\n")
    monkeypatch.syspath_prepend(tmp_path)
    by_name = 'sampler = "rings"\nn = 3\nlabels = [1.0, -1.0]\n'
    problem = tmp_path / "problem.toml"
    problem.write_text(PROBLEM.format(data=by_name))
    with pytest.raises(InputError, match="the sampler 'rings' runs only if a problem file names it"):
        loads(problem.read_text())
    law = load(problem).data
    assert law.sha256 == hashlib.sha256(CODE.encode()).hexdigest()
    assert (first(law)[0] == first(law_of(tmp_path / "ringed-1.0.dist-info"))[0]).all()
    problem.write_text(PROBLEM.format(data=by_name.replace("rings", "broken")))
    with pytest.raises(InputError, match="ringed:nothing is no function that can be imported"):
        load(problem)
