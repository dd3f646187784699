"""A sweep as an xarray.Dataset: every number at its place, NaN where there is none, and where it comes from."""

import numpy as np
import pytest

from derivations.sweeps import cells
from derivations.sweeps.plans import make_plan
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import CODE, TEXT, computed, flip, sweep_of
from theory.problem import InputError, loads_sweep


def values(store, sweep, cell, name):
    """An array of one cell."""
    return store.read(cells.question(cell.problem, sweep.observables).cell(cells.code_version()))[1][name]


class TestWithXarray:
    @pytest.fixture(autouse=True)
    def _xarray(self):
        pytest.importorskip("xarray", reason="the extra `export` is not installed")

    def test_every_number_is_at_its_place(self, tmp_path):
        sweep = sweep_of()
        store = computed(tmp_path / "store", sweep, lambda cell: cell.index != (1, 0))
        dataset = store.to_xarray()
        assert dict(dataset.sizes) == {
            "data.gain": 2, "simulation.seed": 2, "replicate": 3, "time": 2, "unit": 1
        }  # fmt: skip
        assert dataset["time"].values.tolist() == [0.5, 2.0]
        for cell in sweep.cells:
            at = {"data.gain": float(cell.values["data.gain"]), "simulation.seed": cell.values["simulation.seed"]}
            here = dataset.sel(at)
            assert here["state"].item() == ("missing" if cell.index == (1, 0) else "complete")
            for name in sweep.observables:
                if cell.index == (1, 0):
                    assert here[name].isnull().all()
                else:
                    assert np.array_equal(here[name].values, values(store, sweep, cell, name))
        assert dataset.attrs["code"] == cells.code_version()
        assert "torch" in dataset.attrs["versions"]
        assert all(isinstance(value, str) for value in dataset.attrs.values())

    def test_cells_of_different_sizes_are_filled_up_with_nan(self, tmp_path):
        axes = '[axes]\n"data.n" = [4, 6]\n"training.times" = [[0.5], [0.5, 1.0]]\n"simulation.replicates" = [2, 3]\n'
        text = TEXT.replace(TEXT[TEXT.index("[axes]") : TEXT.index("[base.data]")], 'combine = "zip"\n' + axes)
        sweep = loads_sweep(text.replace('"loss", "participation-ratio"', '"weights"'))
        store = computed(tmp_path / "store", sweep)
        dataset = store.to_xarray(sweep)
        assert dict(dataset.sizes) == {"cell": 2, "replicate": 3, "time": 2, "unit": 1, "site": 6}
        assert dataset["weights"].dims == ("cell", "replicate", "time", "unit", "site")
        assert np.array_equal(dataset["weights"][0, :2, :1, :, :4], values(store, sweep, sweep.cells[0], "weights"))
        assert int(dataset["weights"][0].notnull().sum()) == 2 * 4
        assert dataset["data.n"].dims == ("cell",)
        assert dataset["training.times"].values.tolist() == ["[0.5]", "[0.5, 1.0]"]
        assert np.array_equal(dataset["times"].values, [[0.5, np.nan], [0.5, 1.0]], equal_nan=True)


def test_which_sweep_must_be_plain(tmp_path):
    store = Store.create(tmp_path / "store")
    with pytest.raises(InputError, match="records of 0 sweeps"):
        store.table()
    store.record(make_plan(sweep_of(), CODE))
    assert store.table() == []
    store.record(make_plan(sweep_of(TEXT.replace("[1, 2]", "[1]")), CODE))
    with pytest.raises(InputError, match="records of 2 sweeps"):
        store.table()
    assert store.table(sweep_of()) == []


def test_rows_say_where_they_are(tmp_path):
    text = TEXT.replace('"loss", "participation-ratio"', '"weights", "loss"').replace("[1, 2]", "[1]")
    sweep = sweep_of(text)
    store = computed(tmp_path / "store", sweep)
    rows = store.table()
    assert len(rows) == 2 * (2 * 5 + 2)
    for row in rows:
        cell = sweep.cells[[0.5, 2.0].index(row["data.gain"])]
        numbers = values(store, sweep, cell, row["observable"])[:, [0.5, 2.0].index(row["time"])]
        if row["observable"] == "weights":
            numbers = numbers[:, row["unit"], row["site"]]
        else:
            assert row["unit"] is row["site"] is None
        assert row["mean"] == numbers.mean()
        assert row["networks"] == 3


def test_one_damaged_cell_is_missing_and_named(tmp_path):
    """The numbers of all others are there, in the table and in the dataset."""
    pytest.importorskip("xarray", reason="the extra `export` is not installed")
    store = computed(tmp_path / "store", sweep_of())
    whole, name = store.table(), min(store.names())
    flip(store.place(name))
    rows, dataset = store.table(), store.to_xarray()
    (named,) = [row for row in rows if row["state"] == "damaged"]
    assert (named["cell"], named["mean"]) == (name[:16], None)
    assert [row for row in rows if row is not named] == [row for row in whole if row["cell"] != name[:16]]
    assert sorted(dataset["state"].values.ravel()) == ["complete"] * 3 + ["damaged"]
    assert int(dataset["loss"].notnull().sum()) == 3 * 3 * 2
    assert name[:12] in dataset.attrs["damaged"]


def test_a_diverged_cell_has_its_row(tmp_path):
    text = TEXT.replace("learning_rate = 0.5", "learning_rate = 1e30").replace("times = [0.5, 2.0]", "times = [3e30]")
    (row,) = computed(tmp_path / "store", sweep_of(text), lambda cell: cell.index == (0, 0)).table()
    assert (row["state"], row["mean"]) == ("diverged", None)
    assert row["networks"] + row["diverged"] == 3
