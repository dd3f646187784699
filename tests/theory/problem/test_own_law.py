"""A user's own law: functions in files and packages, folders of arrays, their faults, and when code may run."""

import hashlib

import numpy as np
import pytest

from theory.problem import InputError, dumps, load, load_sweep, loads
from theory.problem.distributions import own
from theory.problem.distributions.own import Keywords, OwnLaw
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


def test_a_function_in_a_file_is_called_with_its_parameters(tmp_path):
    plain, moved = (law_of(tmp_path, data=BY_PATH + more) for more in ("", "parameters = { shift = 3 }\n"))
    (x, category), (y, _) = first(plain), first(moved)
    assert np.abs(y - x - 2 * category[:, None]).max() <= 4 * np.finfo(float).eps * np.abs(y).max()
    assert plain != moved
    assert dict(moved.parameters) == {"shift": 3}


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


def test_a_sweep_file_names_code_too(tmp_path):
    written(tmp_path, CODE.replace("shift=1.0", "shift=1.75"))
    (tmp_path / "other.py").write_text(CODE.replace("shift=1.0", "shift=2.25"))
    sweep = 'base = "problem.toml"\nobservables = ["loss"]\nstore = "store"\naxes = {"data.path" = '
    (tmp_path / "sweep.toml").write_text(sweep + '["mylaw.py:draw", "other.py:draw"]}')
    with (tmp_path / "problem.toml").open("a") as file:
        file.write(
            '[simulation]\nmode = "online"\nsamples = 9\nbatch = 3\nlearning_rate = 1\nreplicates = 2\nseed = 0\n'
        )
    one, other = load_sweep(tmp_path / "sweep.toml").cells
    assert one.error is None is other.error
    assert one.problem.data.sha256 != other.problem.data.sha256


def test_the_law_is_its_code_not_its_place(tmp_path):
    (tmp_path / "moved").mkdir()
    two = CODE + "\n\ndef other(generator, rows):\n    return draw(generator, rows)\n"
    here, moved = law_of(tmp_path, two), law_of(tmp_path / "moved", two)
    assert here == moved
    assert hash(here) == hash(moved)
    assert here != law_of(tmp_path, two, BY_PATH.replace(":draw", ":other"))
    assert here != law_of(tmp_path, two + "\n")


FAULTS = {
    "has no function 'draw'": "x = 1",
    "has int, which is no function, 'draw'": "draw = 1",
    "mylaw.py, line 2: SyntaxError: ": "\ndef draw(:\n",
    "mylaw.py, line 3: ZeroDivisionError: division by zero": "\n\n1 / 0",
    "mylaw.py, line 1: ModuleNotFoundError: No module named 'helper_beside'": "import helper_beside",
    "mylaw.py, line 1: SystemExit: 3": "raise SystemExit(3)",
    "mylaw.py, line 3: ValueError: not today": "\ndef draw(generator, rows):\n    raise ValueError('not today')",
    "mylaw.py, line 2: TypeError: draw\\(\\) takes 1 positional": "\ndef draw(generator):\n    pass",
    "mylaw.py, line 5: draw returns x of the shape \\(256, 4\\), not \\(256, 3\\)": CODE.replace(
        "(rows, 3)", "(rows, 4)"
    ),
    "returns x of the shape \\(7, 3\\), not \\(256, 3\\)": CODE.replace("return x,", "return x[:7],"),
    "returns x as float32, not as float64": CODE.replace("return x,", "return x.astype('float32'),"),
    "returns x with nan at row 0, site 0": CODE.replace("return x,", "return x * np.nan,"),
    "returns the class 2; data.labels has 2 entries": CODE.replace("integers(0, 2", "integers(0, 3"),
    "returns category as float64, not as whole numbers": CODE.replace("return x, category", "return x, category / 2"),
    "draws other examples from an equal generator": CODE.replace(
        "generator.standard", "np.random.default_rng().standard"
    ),
    "prints to stdout": CODE.replace("    return", "    print('here')\n    return"),
    "returns a NoneType, not two arrays": "def draw(generator, rows): pass",
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_fault_of_the_code_is_named(said, tmp_path):
    with pytest.raises(InputError, match=said) as caught:
        law_of(tmp_path, FAULTS[said])
    assert caught.value.hint


def test_an_error_in_a_later_draw_has_its_line_too(tmp_path):
    law = law_of(tmp_path, CODE.replace("    category", "    assert rows < 999, 'too many'\n    category", 1))
    with pytest.raises(InputError, match=r"mylaw\.py, line 6: AssertionError: too many"):
        first(law, 1000)


TABLES = {
    "none of `path`, `sampler` and `folder`": "n = 3\nlabels = [1]",
    "`path` and `folder`": BY_PATH + 'folder = "here"',
    "data.path = '.*mylaw.py' names no function": 'path = "mylaw.py"\nn = 3\nlabels = [1]',
    "nowhere.py cannot be read: No such file": 'path = "nowhere.py:draw"\nn = 3\nlabels = [1]',
    "data.path = 3 must be a text": "path = 3\nn = 3\nlabels = [1]",
    "\\[data\\] lacks `n`": 'path = "mylaw.py:draw"\nlabels = [1]',
    "data.labels = \\(\\) must be a list": 'path = "mylaw.py:draw"\nn = 3',
    "data.parameters = 3 must be a table": BY_PATH + "parameters = 3",
    "data.parameters.shift = .* is no number, word or list": BY_PATH + "parameters = { shift = { a = 1 } }",
    "TypeError: draw\\(\\) got an unexpected keyword argument 'shft'": BY_PATH + "parameters = { shft = 2 }",
    "data.estimate = .* must be a table of examples and seed": BY_PATH + "estimate = { example = 3 }",
    "data.estimate.examples = 31 must be at least 32": BY_PATH + "estimate = { examples = 31 }",
    "has the sha256 [0-9a-f]{64}, and data.sha256 asks for 'abc'": BY_PATH + 'sha256 = "abc"',
    'is no entry point of the group "gdln.laws"': 'sampler = "nobody"\nn = 3\nlabels = [1]',
    "has the unknown key 'xi'": BY_PATH + "xi = 3",
}


@pytest.mark.parametrize("said", TABLES)
def test_a_faulty_table_is_named(said, tmp_path):
    with pytest.raises(InputError, match=said):
        law_of(tmp_path, data=TABLES[said])


def test_the_code_may_not_be_a_device(tmp_path):
    with pytest.raises(InputError, match="no regular file"):
        law_of(tmp_path, data=BY_PATH.replace("mylaw.py", "/dev/zero"))


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
    problem.write_text(PROBLEM.format(data=by_name.replace("rings", "ringz")))
    with pytest.raises(InputError, match="Did you mean `rings`"):
        load(problem)
    problem.write_text(PROBLEM.format(data=by_name.replace("rings", "broken")))
    with pytest.raises(InputError, match="ringed:nothing is no function that can be imported"):
        load(problem)


def arrays(folder, x=((1, 2, 3), (4, 5, 6), (7, 8, 9), (0, 1, 0)), y=(1, 0, 1, 1), kind="float32"):
    np.save(folder / "x.npy", np.array(x, kind))
    np.save(folder / "y.npy", np.array(y))


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8", "int16", ">f8"])
def test_rows_of_a_folder_are_drawn_with_their_labels(kind, tmp_path):
    arrays(tmp_path, kind=kind)
    law = law_of(tmp_path, data='folder = "."')
    x, category = first(law, 1000)
    assert x.dtype == np.float64
    seen = {(*row, law.labels[c]) for row, c in zip(x.tolist(), category.tolist(), strict=True)}
    assert seen == {(1, 2, 3, 1), (4, 5, 6, 0), (7, 8, 9, 1), (0, 1, 0, 1)}
    assert [str(p) for p in law.priors] == ["1/4", "3/4"]
    assert isinstance(law._source.x, np.memmap)


def test_a_folder_is_no_code(tmp_path):
    arrays(tmp_path, y=[[1, 0], [0, 1], [1, 0], [1, 1]])
    problem = loads(PROBLEM.format(data=f'folder = "{tmp_path}"'))
    assert problem.data.labels == ((0, 1), (1, 0), (1, 1))
    assert loads(dumps(problem)) == problem
    before = problem.data
    arrays(tmp_path, y=[[1, 0], [0, 1], [1, 0], [1, 2]])
    assert loads(PROBLEM.format(data=f'folder = "{tmp_path}"')).data != before
    with pytest.raises(InputError, match=r"data\.sha256 asks for"):
        loads(dumps(problem))


FOLDERS = {
    "x.npy: it cannot be read": lambda folder: (folder / "x.npy").unlink(),
    "y.npy: it cannot be read": lambda folder: (folder / "y.npy").unlink(),
    "x.npy: it has the shape \\(4,\\), not \\(N, n\\)": lambda folder: arrays(folder, x=[1, 2, 3, 4]),
    "y.npy: it has the shape \\(3,\\), not \\(4,\\)": lambda folder: arrays(folder, y=[1, 0, 1]),
    "x.npy: entry \\[2, 1\\] is nan": lambda folder: arrays(folder, x=[[1, 2], [1, 2], [1, np.nan], [1, 2]]),
    "y.npy: entry \\[1\\] is inf": lambda folder: arrays(folder, y=[1, np.inf, 1, 1]),
    "x.npy: it holds complex128": lambda folder: arrays(folder, kind="complex128"),
    "x.npy: it is no array that numpy.save writes": lambda folder: (folder / "x.npy").write_text("1 2 3"),
    "y.npy: it is no array that numpy.save writes .*Python objects": lambda folder: arrays(
        folder, y=np.array([{}] * 4)
    ),
    "x.npy: it is no array .*": lambda folder: (folder / "x.npy").write_bytes((folder / "x.npy").read_bytes()[:-1]),
    "y.npy: it has 1001 different labels": lambda folder: arrays(folder, x=np.ones((1001, 3)), y=np.arange(1001)),
}


@pytest.mark.parametrize("said", FOLDERS)
def test_a_faulty_folder_is_named(said, tmp_path):
    arrays(tmp_path)
    FOLDERS[said](tmp_path)
    with pytest.raises(InputError, match=said):
        law_of(tmp_path, data='folder = "."')


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("n = 4", "data.n is not that of the arrays"),
        ("labels = [1, 2]", "data.labels is not that"),
        ('labels = [0, 1]\npriors = ["1/3", "2/3"]', "data.priors is not that"),
        ("parameters = { a = 1 }", "data.parameters are those of a function"),
    ],
)
def test_a_folder_states_its_own_facts(more, said, tmp_path):
    arrays(tmp_path)
    with pytest.raises(InputError, match=said):
        law_of(tmp_path, data=f'folder = "."\n{more}')
    assert law_of(tmp_path, data='folder = "."\nn = 3\nlabels = [0, 1]').n == 3


def test_parameters_are_floats_lists_and_words_for_the_function(tmp_path):
    code = (
        CODE.replace("shift=1.0", "**given")
        .replace("shift *", "0 *")
        .replace(
            "    category",
            "    assert given == {'a': 0.5, 'b': 2, 'c': [1, 0.25], 'd': 'e', 'f': True, 'h': 0.75}\n    category",
            1,
        )
    )
    table = 'parameters = { a = 0.5, b = 2, c = [1, 0.25], d = "e", f = true, h = "3/4" }\n'
    law = law_of(tmp_path, code, BY_PATH + table)
    assert law.parameters == Keywords({"f": True, "a": 0.5, "b": 2.0, "c": [1, 0.25], "d": "e", "h": 0.75})


def test_a_law_is_tried_once(tmp_path, monkeypatch):
    counted = []
    monkeypatch.setattr(own.OwnLaw, "tried", lambda law: counted.append(law.sha256))
    code = CODE + f"\n# {tmp_path}\n"
    first_read = load(written(tmp_path, code))
    assert loads(dumps(first_read)) == first_read
    assert counted == [hashlib.sha256(code.encode()).hexdigest()]
