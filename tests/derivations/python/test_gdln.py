"""The package `gdln`: what its verbs take, and how its results show themselves."""

import tomllib

import numpy as np
import pytest
import sympy

import gdln
from derivations.experiments.folders import problem_file
from theory.problem import InputError, load

BUMP = problem_file("small-bump")
START = {"training.times": [0.0], "simulation.replicates": 64, "simulation.samples": 2000}


def test_a_problem_is_a_file_a_text_tables_or_itself():
    text, expected = BUMP.read_text(encoding="utf-8"), load(BUMP)
    for source in (BUMP, str(BUMP), text, tomllib.loads(text), expected):
        assert gdln.problem(source) == expected
        changed = gdln.problem(source, {"data.gain": 0.5, "network.gates.0.site": 3})
        assert (changed.data.gain, changed.network.gates[0].site) == (1 / 2, 3)
        assert changed.training == expected.training
        assert changed == expected.replace({"data.gain": 0.5, "network.gates.0.site": 3})


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: gdln.problem(BUMP, {"data.gian": 3}), "Did you mean `gain`"),
        (lambda: gdln.solve(BUMP, {"data.gain": -1}), "gain"),
        (lambda: gdln.moment("z1", "[[1]]", digits=0), "^digits=0 "),
        (lambda: gdln.moment("g*z1", "[[1]]"), r"g>0 \(where\)"),
        (lambda: gdln.gram(10, 3).plot(), "has no figure"),
        (lambda: gdln.compare(BUMP, START, beside="tanh"), "beside = 'tanh' is not known"),
        (lambda: gdln.compare(BUMP, START, predict=lambda _problem, _t: 1.0), r"the shape \(\), .* is \(2, 40\)"),
        (
            lambda: gdln.compare(BUMP, START, predict=lambda _problem, _t: np.nan, observable="loss"),
            "at t = 0 is not finite",
        ),
        (
            lambda: gdln.compare(BUMP, START, predict=lambda _problem, _t: 1.0, observable="input-moment"),
            "^observable ",
        ),
        (lambda: gdln.compare(BUMP, START, predict=lambda _problem, _t: 1.0, observable="loss", margin=0), "^margin"),
        (lambda: gdln.fields(BUMP, of="nothing"), "^of "),
        (lambda: gdln.data(np.ones(4)), r"the inputs have the shape \(4,\)"),
        (lambda: gdln.data(np.array([[1, np.nan]])), "row 0, column x1: nan is not finite"),
        (lambda: gdln.data(np.ones((2, 4)) * 1j), "holds complex128"),
        (lambda: gdln.data(np.ones((2, 4)), labels=[1, 0, 1]), "x has 2 rows, y has 3"),
        (lambda: gdln.data(np.ones((2, 4)), grid="3x3"), "a grid of 3 x 3 has 9 sites"),
        (lambda: gdln.data(np.ones((2, 4)), grid="3"), "^grid='3' is no grid"),
        (lambda: gdln.data(np.ones((0, 4))), "has no rows"),
        (lambda: gdln.data(np.array([["a"]])), "holds <U1"),
        (lambda: gdln.data("nowhere.npy"), "cannot be read"),
        (lambda: gdln.moment("z1", None), "cov = None is not text, a list or an array"),
        (lambda: gdln.moment("z1", [[None]]), "None"),
        (lambda: gdln.check("z1 = z1", where=3), "^gdln.check: where = 3 is not None or text"),
        (lambda: gdln.problem(3), "source = 3 is not text, a path, a mapping or a problem"),
        (lambda: gdln.validate([3]), r"claims = \[3\] is not text, a path or a list, each entry text or a path"),
        (lambda: gdln.reproduce("npk-regime", 3), r"names = \('npk-regime', 3\) is not a list, each entry text"),
        (lambda: gdln.sweep(BUMP, {"data.gain": 3}), "is not None or a mapping, each entry a list or an array"),
        (lambda: gdln.gram(10, 3, foo=1), "gdln.gram: got an unexpected keyword argument 'foo'"),
        (lambda: gdln.moment("z1", "[[1]]", limit="x"), "^limit='x' is .* Write limit=\"g->oo\""),
        (lambda: gdln.gram(10), "Write width=100, depth=10, or widths='30,50,20'"),
        (lambda: gdln.problem("nowhere.toml"), "^No such file or directory: nowhere.toml"),
        (lambda: gdln.problem("pat.npz"), r"gdln new NAME --data pat\.npz writes"),
        (lambda: gdln.validate("basis", folder="/dev/null/x"), r"Name another with folder=\.\.\."),
        (lambda: gdln.compare(BUMP, START, predict=lambda _problem: 1.0), "^predict cannot take a problem and a time"),
        (lambda: gdln.compare(BUMP, START, predict=lambda _problem, _t: "x"), "^predict at t = 0: 'x' is no array"),
        (lambda: gdln.compare(BUMP, START, observable="loss"), "^observable would be ignored"),
        (lambda: gdln.data(np.ones((2, 4)), {"data.gain": 3}), "^values would be ignored"),
        (lambda: gdln.data("x.npy", labels=[1, 0]), "one is a file, the other an array"),
        (lambda: gdln.data(BUMP, grid="4x4"), "^grid would be ignored"),
    ],
)
def test_errors_name_arguments(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


def test_results_show_themselves(tmp_path):
    moment = gdln.moment("Heaviside(z1)*erf(g*z2)", "[[1, r], [r, 1]]", where="g>0, -1<r<1")
    solved = gdln.solve(BUMP)
    equation, letters = moment._repr_markdown_().rsplit("$$", 1)
    assert r"\kappa r" in equation
    assert r"$\kappa = \sqrt{2}\, g" in letters
    assert moment._repr_html_() is None
    assert ">&lt;(y - yhat)^2&gt;" in solved._repr_html_()
    assert solved.plot()._repr_png_().startswith(b"\x89PNG")
    assert len(repr(solved)) < 120
    assert "at" in dir(solved.solution)
    assert {"solution", "plot", "data"} <= set(dir(solved))
    refuted = gdln.check("E[z1**2] = 2", "[[1]]")._repr_markdown_()
    assert refuted.startswith("$$\n" r"\mathbb{E}[z_{1}^{2}] = 2" "\n$$")
    assert "refuted at" in refuted
    assert "[data]\nlaw = &quot;nlgp&quot;" in gdln.problem(BUMP)._repr_html_()
    flow = gdln.flow(problem_file("race"))
    assert "$$\n" r"\tau \, \frac{d \mathrm{encode}}{dt} = " in flow._repr_markdown_()
    flow.plot().savefig(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == flow.plot()._repr_svg_()
    assert repr(gdln.ledger("small-bump-gate", "CORRECTED")) == "<ledger: 2 CORRECTED>"
    note = tmp_path / "note.toml"
    note.write_text("[[claim]]\nsays = 'E[z1**4] = 3'\ncov = '[[1]]'", encoding="utf-8")
    assert repr(gdln.validate(note, folder=tmp_path / "report")) == "<validate: 1 CONFIRMED>"
    assert repr(gdln.ledger(folder=tmp_path)) == "<ledger: 1 NOT JUDGED>"


def test_matrices_are_text_or_rows():
    exact = gdln.moment("relu(z1)*relu(z2)", "[[1, 1/2], [1/2, 1]]").data["expr"]
    half = sympy.Rational(1, 2)
    lists = [[1, 0.5], [0.5, 1]]
    for rows in (lists, np.array(lists), [["1", half], ["1/2", 1]], sympy.Matrix([[1, half], [half, 1]])):
        assert gdln.moment("relu(z1)*relu(z2)", rows).data["expr"] == exact
    assert gdln.gram(widths=[2, 3], x=[1, 2]).mean == gdln.gram(widths="2,3", x="1,2").mean
    assert gdln.data([[1, 2], [3, 4]]).data == gdln.data(np.array([[1, 2], [3, 4]])).data
    assert gdln.data(np.eye(16), grid=(4, 4)).data["shape"] == [4, 4]
    with pytest.raises(TypeError, match=r"\.verdict == 'refuted'"):
        assert gdln.check("E[z1**2] = 2", [[1]])


def test_a_function_is_held_against_trained_networks():
    """Before training the loss is <y^2>, but for weights of size 0.001."""
    for loss, verdict in ((0.5, "equivalent"), (0.55, "different")):
        result = gdln.compare(BUMP, START, predict=lambda _problem, _t, loss=loss: loss, observable="loss", margin=0.05)
        assert result.verdict == verdict, loss
        assert result.data["prediction"] == [loss]
        assert result.data["bound"] >= abs(result.data["mean"][0] - loss)


def test_results_become_arrays_and_tables(tmp_path):
    moment = gdln.moment("sign(z1)*sign(z2)", "[[1, r], [r, 1]]")
    assert moment.subs(r=0.5) == sympy.Rational(1, 3)
    assert moment.numeric(r=[0.0, 0.5]).round(12).tolist() == [0.0, round(1 / 3, 12)]
    solved = gdln.solve(BUMP)
    arrays = solved.to_xarray()
    assert arrays["weights"].dims == ("time", "unit", "site")
    assert (arrays["weights"].sel(time=32.0).values == solved.at(32)).all()
    assert solved.to_pandas("losses").columns.tolist() == ["time", "losses"]
    start = gdln.problem(BUMP, START)  # nothing is trained up to the time 0
    swept = gdln.sweep(start, {"data.gain": np.array([0.5, 1])}, observables="loss", folder=tmp_path / "store")
    assert repr(swept) == "<sweep: 2 cells, 2 complete>"
    table = swept.to_pandas()
    assert table[["data.gain", "observable", "time", "networks"]].values.tolist() == [
        [0.5, "loss", 0.0, 64],
        [1.0, "loss", 0.0, 64],
    ]
    assert table["mean"].dtype == float
    assert swept.to_xarray()["loss"].sizes == {"data.gain": 2, "replicate": 64, "time": 1}
    assert {"id", "verdict"} <= set(gdln.ledger("small-bump-gate").to_pandas().columns)
    for ask in (lambda: solved.to_pandas("wieghts"), lambda: moment.subs(q=1), lambda: gdln.gram(10, 3).to_xarray()):
        with pytest.raises(InputError):
            ask()
