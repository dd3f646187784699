"""Sweep files: the cells they declare, exactly, and what is no sweep is a message."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import InputError, dumps, dumps_sweep, load, load_sweep, loads_sweep
from theory.problem.shared import Shared
from theory.problem.sweep import value_text
from theory.problem.sweep_toml import loads_record

HERE = Path(__file__).parent
HEAD = 'base = "valid.toml"\nobservables = ["loss", "weights"]\nstore = "results"\n'
GAIN = '[axes]\n"data.gain" = [0.05, 1, "3/2"]\n'


def loaded(text: str):
    return loads_sweep(text, HERE)


def test_the_cells_of_a_product_are_the_base_with_the_values_written_over_it():
    swept = loaded(HEAD + GAIN + '"network.gates.1.site" = [1, 2]\n')
    assert swept.shape == (3, 2)
    assert [cell.index for cell in swept.cells] == [(i, j) for i in range(3) for j in range(2)]
    assert [cell.problem.data.gain for cell in swept.cells[::2]] == [Fraction(1, 20), 1, Fraction(3, 2)]
    assert [cell.problem.network.gates[1].site for cell in swept.cells[:2]] == [1, 2]
    base = load(HERE / "valid.toml")
    assert all(cell.problem.training == base.training for cell in swept.cells)
    assert swept.cells[5].label == "data.gain = 3/2, network.gates.1.site = 2"
    assert swept.store == str(HERE / "results")


def test_a_base_may_be_written_in_place_and_its_axes_zipped():
    text = (HERE / "valid.toml").read_text().replace("[[network.gates]]", "[[base.network.gates]]")
    for name in ("data", "network", "training", "simulation"):
        text = text.replace(f"\n[{name}]", f"\n[base.{name}]")
    axes = (
        'combine = "zip"\n[axes]\n"network.gates.0.sharpness" = [0.5, 2, inf]\n"data.xi" = [[2, 1], [1, 2], [2, 1]]\n'
    )
    swept = loads_sweep('observables = ["loss"]\nstore = "s"\n' + axes + text.replace("gain = 1.0", "gain = 3.0"), HERE)
    assert swept.shape == (3,)
    problems = [cell.problem for cell in swept.cells]
    assert [problem.network.gates[0].sharpness for problem in problems] == [Fraction(1, 2), 2, float("inf")]
    assert [problem.data.xi for problem in problems] == [(2, 1), (1, 2), (2, 1)]
    assert problems[0].data.gain == 3


def test_a_dtype_is_an_axis_or_an_option_not_both():
    swept = loaded(HEAD + GAIN)
    assert {cell.problem.simulation.dtype for cell in swept.cells} == {"float64"}
    assert {cell.problem.simulation.dtype for cell in swept.in_dtype("float32").cells} == {"float32"}
    both = loaded(f'{HEAD}[axes]\n"simulation.dtype" = ["float64", "float32"]')
    with pytest.raises(InputError, match=r"simulation\.dtype sets the types"):
        both.in_dtype("float32")


def test_a_sweep_is_no_base(tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(HEAD.replace("valid.toml", "sweep.toml") + GAIN)
    with pytest.raises(InputError, match="is a sweep itself"):
        load_sweep(file)


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


def test_a_record_asks_the_same(tmp_path):
    for axes in (GAIN, '[axes]\n"data.gain" = { linspace = [0.1, 0.2, 4] }\n"network.gates.0.lo" = [0.0, -inf]'):
        swept = loaded(HEAD + axes)
        back = loads_record(dumps_sweep(swept), "elsewhere")
        assert [cell.problem for cell in back.cells] == [cell.problem for cell in swept.cells]
        assert dumps_sweep(back) == dumps_sweep(swept)
    for text in (
        "",
        "[]",
        "{}",
        '{"base": {}, "axes": 3}',
        dumps_sweep(swept).replace('"base": {', '"base": [], "b": {'),
    ):
        with pytest.raises(InputError):
            loads_record(text, "elsewhere")


def test_an_invalid_cell_says_why_and_the_others_stand():
    swept = loaded(HEAD + '[axes]\n"data.n" = [2, 30]\n')
    short, long = swept.cells
    assert short.problem is None
    assert "lies outside the line of n = 2 sites" in str(short.error)
    assert long.problem.data.n == 30


BAD = [
    (HEAD + "axis = 1\n" + GAIN, "unknown key 'axis'. Did you mean `axes`?"),
    (HEAD.replace("weights", "wieghts") + GAIN, "'wieghts' is not known. Did you mean `weights`?"),
    (HEAD.replace("weights", "loss") + GAIN, 'names "loss" twice'),
    (HEAD, "lacks `axes`"),
    (HEAD + '[axes]\n"data.gain" = []', "has no values"),
    (HEAD + '[axes]\n"data.gian" = [1]', "Did you mean `gain`?"),
    (HEAD + '[axes]\n"" = [1]', "names no field of a problem"),
    (HEAD + '[axes]\n"data.gain" = [1, 2, 1.0]', "has the value 1.0 twice"),
    (HEAD + '[axes]\n"training.w0.scale" = [1]\n"training.w0" = [[[1]]]', "set the same field"),
    (HEAD + 'combine = "zip"\n' + GAIN + '"data.n" = [4, 5]', "data.gain has 3, data.n has 2"),
    (HEAD + 'combine = "times"\n' + GAIN, "combine = 'times' is not known"),
    (HEAD.replace("valid", "absent") + GAIN, "absent.toml cannot be read: No such file"),
    (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 3], geomspace = [1, 2, 3] }', "has both"),
    (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 1] }', "must be at least 2"),
    (HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 99999999999] }', "is more than 1000000"),
    (HEAD + '[axes]\n"data.gain" = { linspace = [2, 2.0, 3] }', "begins and ends at"),
    (HEAD + '[axes]\n"data.gain" = { geomspace = [0, 2, 3] }', "needs ends > 0"),
    (
        HEAD + '[axes]\n"data.gain" = { linspace = [1, 2, 1001] }\n"simulation.seed" = { linspace = [1, 1001, 1001] }',
        "1001 x 1001 = 1002001 cells; the limit is 1000000",
    ),
    ("axes = [", "not valid TOML"),
]


def test_bad_sweep_files_are_refused():
    assert not_refused(loaded, BAD) == []


PER_CELL = [
    ('"data.gain" = [[1, []], 2]', "is not a number"),
    ('"network.gates.9.site" = [1]', "there is no entry '9'"),
    ('"network.gates.first.site" = [1]', "there is no entry 'first'"),
    ('"network.gates.0.sit" = [1]', "Did you mean `site`?"),
    ('"data.gain" = [1e999999]', "exponent"),
]


def test_a_bad_value_is_its_cells_error():
    for axis, words in PER_CELL:
        cell = loaded(f"{HEAD}[axes]\n{axis}").cells[0]
        assert cell.problem is None
        assert words in str(cell.error)


def test_two_cells_that_ask_the_same_are_refused():
    text = HEAD + 'combine = "zip"\n[axes]\n"data.gain" = [1, 1.0]\n"simulation.seed" = [3, 3]'
    with pytest.raises(InputError, match="are the same problem"):
        _ = loaded(text).cells


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
    swept = loaded(HEAD + ('combine = "zip"\n' if name == "zipped" else "") + SHARING[name])
    together, alone = list(swept.each()), [swept.cell(index) for index in swept.indices()]
    assert [(cell.index, cell.values, cell.problem, str(cell.error)) for cell in together] == [
        (cell.index, cell.values, cell.problem, str(cell.error)) for cell in alone
    ]
    shared = Shared()
    assert [dumps(cell.problem, shared) for cell in together if cell.problem] == [
        dumps(cell.problem) for cell in alone if cell.problem
    ]
    assert len({id(cell.problem.training) for cell in together if cell.problem}) < len(together)
    assert [swept.index(position) for position in range(swept.size)] == [cell.index for cell in together]
