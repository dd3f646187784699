"""`gdln controls`: the files of a problem's controls, their sweep, and what is refused."""

import json

import numpy as np
import pytest

from derivations.answers import controls
from derivations.cli import main
from tests.tolerances_of_laws import MATCHED_COVARIANCE
from theory.flow import solve
from theory.moments.controls import NAMES
from theory.problem import InputError, load, load_sweep, loads

TEXT = """
[data]
law = "nlgp"
n = 8
xi = [2.0, 1.0]
gain = 3.0
boundary = "open"
normaliser = "unit-variance"
labels = [1.0, 0.0]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 4
lo = 0.0
[[network.gates]]
kind = "site"
site = 4
hi = 0.0
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.001, seed = 0 }
times = [8.0]
[simulation]
mode = "online"
samples = 100
batch = 50
learning_rate = 1.0
replicates = 2
seed = 0
"""


def test_the_controls_are_written_and_differ_as_they_say(tmp_path, capsys):
    file, out = tmp_path / "problem.toml", tmp_path / "controls"
    file.write_text(TEXT)
    assert main(["controls", str(file), "--out", str(out), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert tuple(row["name"] for row in printed["controls"]) == NAMES
    found = {path.stem: solve(load(path)) for path in out.glob("*.toml") if path.stem != "sweep"}
    for name in ("gaussian", "marginal", "exchanged"):  # gates of one site: A depends on the covariance alone
        assert np.abs(found[name].rates - found["original"].rates).max() <= MATCHED_COVARIANCE
    errors = {name: float(own.mse) for name, own in found.items()}
    assert len({round(error, 4) for error in errors.values()}) == len(errors)


def test_the_sweep_has_a_cell_for_each_law(tmp_path):
    controls.answer(loads(TEXT)).write(tmp_path / "new")
    sweep = load_sweep(tmp_path / "new" / "sweep.toml")
    assert [cell.problem.data for cell in sweep.cells] == [
        load(tmp_path / "new" / f"{name}.toml").data
        for name in ("original", "gaussian", "marginal", "copula", "independent", "exchanged")
    ]
    assert len({cell.label for cell in sweep.cells}) == len(sweep.cells)


def test_a_threshold_on_the_latent_has_no_control_without_one():
    found = controls.answer(loads(TEXT.replace("lo = 0.0", "lo = 0.5")))
    assert [one.control.name for one in found.found if one.problem is None] == ["gaussian"]
    assert "threshold on the latent" in found.text()


def test_nothing_is_overwritten(tmp_path):
    answer = controls.answer(loads(TEXT))
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="no empty folder"):
        answer.write(tmp_path)
    with pytest.raises(InputError, match="no empty folder"):
        answer.write(tmp_path / "mine.txt")


GRID = TEXT.replace('law = "nlgp"\nn = 8', 'law = "nlgp-2d"\nshape = [3, 4]').replace("gain = 3.0", "gain = 1.0")


def test_a_grid_has_all_controls_with_their_matrices_in_files(tmp_path):
    answer = controls.answer(loads(GRID), "uniform")
    assert len(answer.made) == len(answer.found)
    answer.write(tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").glob("*.npz")} == {"gaussian.npz", "marginal.npz"}
    moved = (tmp_path / "new").rename(tmp_path / "moved")
    assert "file" not in (moved / "copula.toml").read_text()
    assert str(tmp_path) not in (moved / "gaussian.toml").read_text()
    found = {path.stem: solve(load(path)) for path in moved.glob("*.toml") if path.stem != "sweep"}
    for name in ("gaussian", "marginal", "exchanged"):  # gates of one site: A depends on the covariance alone
        assert np.abs(found[name].rates - found["original"].rates).max() <= MATCHED_COVARIANCE
    errors = {name: float(own.mse) for name, own in found.items()}
    assert len({round(error, 4) for error in errors.values()}) == len(errors)
    assert len(load_sweep(moved / "sweep.toml").cells) == len(found)


@pytest.mark.parametrize("value", ['{ kind = "quantile" }', '{ kind = "table", values = [2] }', "{ kind ="])
@pytest.mark.parametrize("option", ["--marginal", "--correlation"])
def test_faulty_tables_are_refused(option, value, tmp_path, capsys):
    (tmp_path / "problem.toml").write_text(TEXT)
    assert main(["controls", str(tmp_path / "problem.toml"), option, value]) == 2
    assert capsys.readouterr().err


def test_a_sweep_over_data_wants_tables(tmp_path):
    (tmp_path / "base.toml").write_text(TEXT)
    for values, said in (
        ('[3, { law = "nlgp" }]', "is no table"),
        ('["missing.toml"]', "cannot be read"),
        ('["sweep.toml"]', "sweep itself"),
    ):
        text = f'base = "base.toml"\nstore = "s"\nobservables = ["loss"]\n[axes]\ndata = {values}\n'
        (tmp_path / "sweep.toml").write_text(text)
        with pytest.raises(InputError, match=said):
            load_sweep(tmp_path / "sweep.toml")
