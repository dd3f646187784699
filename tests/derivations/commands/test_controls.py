"""`gdln controls`: the files of a problem's controls and their sweep."""

import numpy as np
import pytest

from derivations.answers import controls
from tests.derivations.answers.problems import LINE, changed
from tests.tolerances_of_laws import MATCHED_COVARIANCE
from theory.flow import solve
from theory.moments.controls import NAMES
from theory.problem import InputError, load, load_sweep, loads

GRID = changed(LINE, ('"nlgp"\nn = 6', '"nlgp-2d"\nshape = [3, 4]'), ("scale = 0.1", "scale = 0.001"))


def test_a_grid_has_all_controls_with_their_matrices_in_files(tmp_path):
    """The folder may be moved; the controls differ as they say; the sweep has a cell for each law."""
    controls.answer(loads(GRID), "uniform").write(tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").glob("*.npz")} == {"gaussian.npz", "marginal.npz"}
    moved = (tmp_path / "new").rename(tmp_path / "moved")
    assert "file" not in (moved / "copula.toml").read_text()
    assert str(tmp_path) not in (moved / "gaussian.toml").read_text()
    solutions = {path.stem: solve(load(path)) for path in moved.glob("*.toml") if path.stem != "sweep"}
    assert set(solutions) == {"original", *NAMES}
    for name in ("gaussian", "marginal", "exchanged"):  # gates of one site: A depends on the covariance alone
        assert np.abs(solutions[name].rates - solutions["original"].rates).max() <= MATCHED_COVARIANCE
    errors = {name: float(solution.mse) for name, solution in solutions.items()}
    assert len({round(error, 4) for error in errors.values()}) == len(errors)
    cells = load_sweep(moved / "sweep.toml").cells
    assert {cell.problem.data.law for cell in cells} == {load(moved / f"{name}.toml").data.law for name in solutions}
    assert len({cell.label for cell in cells}) == len(cells) == len(solutions)


def test_a_threshold_on_the_latent_has_no_control_without_one():
    answer = controls.answer(loads(changed(LINE, ("lo = 0.0", "lo = 0.5"))))
    assert [one.control.name for one in answer.controls if one.problem is None] == ["gaussian"]


def test_a_sweep_over_data_wants_tables(tmp_path):
    (tmp_path / "base.toml").write_text(LINE)
    for values, said in (
        ('[3, { law = "nlgp" }]', "is no table"),
        ('["missing.toml"]', "cannot be read"),
        ('["sweep.toml"]', "sweep itself"),
    ):
        text = f'base = "base.toml"\nstore = "s"\nobservables = ["loss"]\n[axes]\ndata = {values}\n'
        (tmp_path / "sweep.toml").write_text(text)
        with pytest.raises(InputError, match=said):
            load_sweep(tmp_path / "sweep.toml")
