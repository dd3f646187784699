"""Sweep files: the cells they declare, exactly, and what is no sweep is a message."""

import os
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from theory.problem import OBSERVABLES, InputError, dumps, dumps_sweep, load, load_sweep, loads_sweep, sweep
from theory.problem.shared import Shared
from theory.problem.sweep import Axis, number_of, value_text
from theory.problem.sweep_toml import loads_record

HERE = Path(__file__).parent
HEAD = 'base = "valid.toml"\nobservables = ["loss", "weights"]\nstore = "results"\n'
GAIN = '[axes]\n"data.gain" = [0.05, 1, "3/2"]\n'


def loaded(text: str):
    return loads_sweep(text, HERE)


def test_the_cells_of_a_product_are_the_base_with_the_values_written_over_it():
    found = loaded(HEAD + GAIN + '"network.gates.1.site" = [1, 2]\n')
    assert found.shape == (3, 2)
    assert [cell.index for cell in found.cells] == [(i, j) for i in range(3) for j in range(2)]
    assert [cell.problem.data.gain for cell in found.cells[::2]] == [Fraction(1, 20), 1, Fraction(3, 2)]
    assert [cell.problem.network.gates[1].site for cell in found.cells[:2]] == [1, 2]
    base = load(HERE / "valid.toml")
    assert all(cell.problem.training == base.training for cell in found.cells)
    assert found.cells[5].label == "data.gain = 3/2, network.gates.1.site = 2"
    assert found.store == str(HERE / "results")


LEAKY = """
combine = "zip"
[base.data]
law = "nlgp"
n = 4
xi = [2, 1]
gain = 1
boundary = "open"
normaliser = "none"
labels = [1, -1]
[base.network]
model = "leaky-relu"
readout = "trained-mean"
units = 2
[base.training]
tau = 1
w0 = { law = "normal", scale = 1, seed = 0 }
readout0 = [1, 1]
times = { geomspace = [1, 100, 3], step = 1 }
[base.simulation]
mode = "online"
samples = 9
batch = 1
learning_rate = 1
replicates = 2
seed = 0
[axes]
"network.slope" = [0, 0.01, "1/3"]
"training.loss" = ["mse", "half-mse", "cross-entropy"]
"training.readout0" = [[1, 2], [3, 4], { law = "normal", scale = 1, seed = 2 }]
"""


def test_slopes_losses_readouts_and_sharpness_are_axes():
    text = 'observables = ["loss", "readout"]\nstore = "results"\n' + LEAKY
    problems = [cell.problem for cell in loaded(text).cells]
    assert [problem.network.slope for problem in problems] == [0, Fraction(1, 100), Fraction(1, 3)]
    assert problems[1].readout0().tolist() == [3, 4]
    assert problems[2].training.readout0.seed == 2
    assert problems[2].training.times == (1, 10, 100)
    found = loaded(HEAD + '[axes]\n"network.gates.0.sharpness" = [0.5, 2, inf]\n')
    again = loads_record(dumps_sweep(found), found.store)
    for one in (found, again):
        assert [cell.problem.network.gates[0].sharpness for cell in one.cells] == [Fraction(1, 2), 2, float("inf")]


def test_zipped_axes_go_together_and_may_repeat_a_value():
    found = loaded(HEAD + 'combine = "zip"\n' + GAIN + '"data.xi" = [[2, 1], [1, 2], [2, 1]]\n')
    assert found.shape == (3,)
    assert [(cell.problem.data.gain, cell.problem.data.xi) for cell in found.cells] == [
        (Fraction(1, 20), (2, 1)),
        (1, (1, 2)),
        (Fraction(3, 2), (2, 1)),
    ]


def test_a_key_may_be_dotted_without_quotes_and_no_axes_are_one_cell():
    assert loaded(HEAD + "[axes]\ndata.gain = [1, 2]").axes == loaded(HEAD + '[axes]\n"data.gain" = [1, 2]').axes
    (cell,) = loaded(HEAD + "[axes]\n").cells
    assert cell.problem == load(HERE / "valid.toml")


def test_ranges_are_exact():
    line = loaded(HEAD + '[axes]\n"data.gain" = { linspace = [0.1, 0.4, 4] }').axes[0].values
    assert line == (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5))
    whole = loaded(HEAD + '[axes]\n"simulation.seed" = { linspace = [10, 30, 3] }')
    assert [cell.problem.simulation.seed for cell in whole.cells] == [10, 20, 30]
    ratio = loaded(HEAD + '[axes]\n"data.gain" = { geomspace = [0.01, 100, 10] }').axes[0].values
    assert [value_text(value) for value in ratio] == [
        *("0.01", "0.0278256", "0.0774264", "0.215443", "0.599484", "1.6681", "4.64159", "12.9155", "35.9381", "100")
    ]
    falling = loaded(HEAD + '[axes]\n"data.gain" = { geomspace = [4, 1, 3] }').axes[0].values
    assert falling == (4, 2, 1)


def test_a_base_need_not_be_complete_and_can_be_written_in_place(tmp_path):
    text = (HERE / "valid.toml").read_text()
    tables = {"data", "network", "training", "simulation"}
    inline = text.replace("[[network.gates]]", "[[base.network.gates]]")
    for name in tables:
        inline = inline.replace(f"\n[{name}]", f"\n[base.{name}]")
    inline = inline.replace("gain = ", "# gain = ", 1)
    found = loads_sweep('observables = ["loss"]\nstore = "s"\n' + GAIN + "\n" + inline, tmp_path)
    named = loaded(HEAD + GAIN)
    assert [dumps(cell.problem) for cell in found.cells] == [dumps(cell.problem) for cell in named.cells]


def test_a_record_asks_the_same(tmp_path):
    for axes in (GAIN, '[axes]\n"data.gain" = { linspace = [0.1, 0.2, 4] }\n"network.gates.0.lo" = [0.0, -inf]'):
        found = loaded(HEAD + axes)
        back = loads_record(dumps_sweep(found), "elsewhere")
        assert [cell.problem for cell in back.cells] == [cell.problem for cell in found.cells]
        assert dumps_sweep(back) == dumps_sweep(found)
    for text in (
        "",
        "[]",
        "{}",
        '{"base": {}, "axes": 3}',
        dumps_sweep(found).replace('"base": {', '"base": [], "b": {'),
    ):
        with pytest.raises(InputError):
            loads_record(text, "elsewhere")


def test_an_invalid_cell_says_why_and_the_others_stand():
    found = loaded(HEAD + '[axes]\n"data.n" = [2, 30]\n')
    short, long = found.cells
    assert short.problem is None
    assert "lies outside the line of n = 2 sites" in str(short.error)
    assert long.problem.data.n == 30


def test_what_cannot_be_measured_makes_a_cell_invalid():
    names = ", ".join(f'"{name}"' for name in OBSERVABLES)
    head = HEAD.replace('"loss", "weights"', names)
    (cell,) = loaded(head + "[axes]\n").cells
    assert "this network has none" in str(cell.error)


BAD = {
    "unknown key": (HEAD + "axis = 1\n" + GAIN, "unknown key 'axis'. Did you mean `axes`?"),
    "no observables": (HEAD.replace('"loss", "weights"', "") + GAIN, "observables is empty"),
    "unknown observable": (
        HEAD.replace("weights", "wieghts") + GAIN,
        "'wieghts' is not known. Did you mean `weights`?",
    ),
    "observable twice": (HEAD.replace("weights", "loss") + GAIN, 'names "loss" twice'),
    "observable of a wrong type": (HEAD.replace('"weights"', "3") + GAIN, "observables[1] = 3 is not known"),
    "observables no list": (HEAD.replace('["loss", "weights"]', '"loss"') + GAIN, "must be a list"),
    "no axes": (HEAD, "lacks `axes`"),
    "axes no table": (HEAD + "axes = 3", "axes must be a table"),
    "empty axis": (HEAD + '[axes]\n"data.gain" = []', "has no values"),
    "axis no list": (HEAD + '[axes]\n"data.gain" = 3', "is not a list of values"),
    "unknown field": (HEAD + '[axes]\n"data.gian" = [1]', "Did you mean `gain`?"),
    "unknown table": (HEAD + '[axes]\n"dat.gain" = [1]', "Did you mean `data`?"),
    "whole table": (HEAD + "[axes]\ndata = [1]", "names no field of [data]"),
    "empty key": (HEAD + '[axes]\n"" = [1]', "names no field of a problem"),
    "empty inner table": (HEAD + "[axes]\ndata.gain = {}", "is not a list of values"),
    "equal values": (HEAD + '[axes]\n"data.gain" = [1, 2, 1.0]', "has the value 1.0 twice"),
    "equal lists": (HEAD + '[axes]\n"data.xi" = [[1, 2], [1.0, "2"]]', "has the value [1.0, 2] twice"),
    "overlap": (HEAD + '[axes]\n"training.w0.scale" = [1]\n"training.w0" = [[[1]]]', "set the same field"),
    "unequal zip": (HEAD + 'combine = "zip"\n' + GAIN + '"data.n" = [4, 5]', "data.gain has 3, data.n has 2"),
    "unknown combination": (HEAD + 'combine = "times"\n' + GAIN, "combine = 'times' is not known"),
    "unknown invalid": (HEAD + 'invalid = "skip"\n' + GAIN, "invalid = 'skip' is not known"),
    "store no text": (HEAD.replace('"results"', "3") + GAIN, "store = 3 must name a folder"),
    "store with a NUL": (HEAD.replace('"results"', '"a\\u0000b"') + GAIN, "no folder has such a name"),
    "a date in place of a list": (HEAD + '[axes]\n"data.gain" = 2020-01-02', "data.gain = 2020-01-02 is not a list"),
    "base of a wrong type": (HEAD.replace('"valid.toml"', "3") + GAIN, "neither a path nor a table"),
    "base missing": (HEAD.replace("valid", "absent") + GAIN, "absent.toml cannot be read: No such file"),
    "base a folder": (HEAD.replace("valid.toml", ".") + GAIN, "cannot be read: Is a directory"),
    "base with a NUL": (HEAD.replace("valid.toml", "a\\u0000b") + GAIN, "cannot be read"),
    "base unknown table": (HEAD.replace('base = "valid.toml"', "[base.dta]"), "lacks"),
    "both ranges": (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 3], geomspace = [1, 2, 3] }', "has both"),
    "range of two": (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2] }', "[first, last, number of values]"),
    "range of one": (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 1] }', "must be at least 2"),
    "range too long": (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 99999999999] }', "is more than 1000000"),
    "range of words": (HEAD + '[axes]\n"data.gain" = { linspace = ["a", 2, 3] }', "is not a number"),
    "range at a point": (HEAD + '[axes]\n"data.gain" = { linspace = [2, 2.0, 3] }', "begins and ends at"),
    "range through zero": (HEAD + '[axes]\n"data.gain" = { geomspace = [0, 2, 3] }', "needs ends > 0"),
    "range unknown key": (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 3], base = 2 }', "unknown key 'base'"),
    "too many": (
        HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 1001] }\n"simulation.seed" = { linspace = [1, 1001, 1001] }',
        "1001 x 1001 = 1002001 cells; the limit is 1000000",
    ),
    "not TOML": ("axes = [", "not valid TOML"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_message(name):
    text, said = BAD[name]
    with pytest.raises(InputError) as caught:
        loaded(text)
    assert said in str(caught.value)
    assert str(caught.value).startswith("sweep: ")


PER_CELL = {
    "value of a wrong type": ('"data.gain" = [[1, []], 2]', "is not a number"),
    "a word": ('"data.n" = ["many"]', "is not a whole number"),
    "gate that is not there": ('"network.gates.9.site" = [1]', "there is no entry '9'"),
    "gate by name": ('"network.gates.first.site" = [1]', "there is no entry 'first'"),
    "inside a number": ('"data.gain.x" = [1]', "which is no table"),
    "unknown key of a gate": ('"network.gates.0.sit" = [1]', "Did you mean `site`?"),
    "nan": ('"data.gain" = [nan]', "is not a number"),
    "far too large": ('"data.gain" = [1e999999]', "exponent"),
}


@pytest.mark.parametrize("name", PER_CELL)
def test_a_bad_value_is_its_cells_error(name):
    axis, said = PER_CELL[name]
    cell = loaded(f"{HEAD}[axes]\n{axis}").cells[0]
    assert cell.problem is None
    assert said in str(cell.error)


def test_two_cells_that_ask_the_same_are_refused():
    text = HEAD + 'combine = "zip"\n[axes]\n"data.gain" = [1, 1.0]\n"simulation.seed" = [3, 3]'
    with pytest.raises(InputError, match="are the same problem"):
        _ = loaded(text).cells


def test_a_sweep_is_no_base_not_even_its_own(tmp_path):
    own = tmp_path / "sweep.toml"
    own.write_text(HEAD.replace("valid.toml", "sweep.toml") + GAIN)
    with pytest.raises(InputError, match="is a sweep itself"):
        load_sweep(own)
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    own.write_text(HEAD.replace("valid.toml", "loop.toml") + GAIN)
    with pytest.raises(InputError, match="cannot be read"):
        load_sweep(own)
    with pytest.raises(FileNotFoundError):
        load_sweep(tmp_path / "absent.toml")


def test_paths_begin_at_the_sweep_file(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "p.toml").write_text((HERE / "valid.toml").read_text())
    (tmp_path / "inner" / "s.toml").write_text(HEAD.replace("valid", "p") + GAIN)
    monkeypatch.chdir(tmp_path)
    found = load_sweep("inner/s.toml")
    assert Path(found.store) == Path("inner/results")
    assert all(cell.problem is not None for cell in found.cells)
    assert os.listdir(tmp_path) == ["inner"]


def test_every_field_of_a_problem_can_be_swept():
    tables = tomllib.loads(dumps(load(HERE / "valid.toml")))
    assert [f"{table}.{key}" for table in tables for key in tables[table] if key not in sweep.FIELDS[table]] == []
    for table, names in sweep.FIELDS.items():
        for name in names:
            Axis(f"{table}.{name}", (1,))


def test_values_as_text_and_numbers():
    assert value_text({"law": "normal", "scale": Fraction(1, 3)}) == "{law = normal, scale = 1/3}"
    assert value_text(list(range(9))) == "[0, 1, 2, 3, 4, 5, ...]"
    assert number_of("relu") is None
    assert number_of(True) is None
    assert number_of("3/5") == Fraction(3, 5)


def test_a_dtype_is_an_axis_or_an_option_not_both():
    swept = loaded(HEAD + GAIN)
    assert {cell.problem.simulation.dtype for cell in swept.cells} == {"float64"}
    assert {cell.problem.simulation.dtype for cell in swept.in_dtype("float32").cells} == {"float32"}
    assert [cell.problem for cell in swept.in_dtype("float64").cells] == [cell.problem for cell in swept.cells]
    both = loaded(f'{HEAD}[axes]\n"simulation.dtype" = ["float64", "float32"]')
    assert [cell.problem.simulation.dtype for cell in both.cells] == ["float64", "float32"]
    with pytest.raises(InputError, match=r"simulation\.dtype sets the types"):
        both.in_dtype("float32")


SHARING = {
    "a product": GAIN + '"network.gates.1.site" = [1, 2]\n"training.times" = [[1, 2], [3, 4]]\n',
    "seeds": GAIN + '"simulation.seed" = [1, 2, 3]\n',
    "a start that some simulations refuse": (
        '[axes]\n"simulation.initialisation" = ["shared", "per-replicate"]\n'
        f'"training.w0" = [{[[0.1] * 40] * 2}]\n{GAIN[7:]}'
    ),
    "zipped": '[axes]\n"data.gain" = [1, 2]\n"simulation.seed" = [1, 1]\n',
}


@pytest.mark.parametrize("name", SHARING)
def test_cells_that_share_their_parts_are_those_declared_alone(name):
    found = loaded(HEAD + ('combine = "zip"\n' if name == "zipped" else "") + SHARING[name])
    together, alone = list(found.each()), [found.cell(index) for index in found.indices()]
    assert [(cell.index, cell.values, cell.problem, str(cell.error)) for cell in together] == [
        (cell.index, cell.values, cell.problem, str(cell.error)) for cell in alone
    ]
    shared = Shared()
    assert [dumps(cell.problem, shared) for cell in together if cell.problem] == [
        dumps(cell.problem) for cell in alone if cell.problem
    ]
    assert len({id(cell.problem.training) for cell in together if cell.problem}) < len(together)
    assert [found.index(position) for position in range(found.size)] == [cell.index for cell in together]


def test_a_simulation_that_the_start_does_not_allow_is_refused_beside_one_that_it_does():
    found = loaded(HEAD + SHARING["a start that some simulations refuse"])
    errors = [cell.error for cell in found.each()]
    assert errors[:3] == [None] * 3
    assert all("per-replicate" in error.message for error in errors[3:])
