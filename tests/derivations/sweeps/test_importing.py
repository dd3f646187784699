"""Stores of the version before: a folder for each cell, with its sealed facts and an archive whose hash these have."""

import hashlib
import json
import shutil

import numpy as np
import pytest

from derivations.seals import sealed
from derivations.sweeps.cells import code_version
from derivations.sweeps.importing import imported
from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import computed, flip, sweep_of
from theory.problem import InputError, dumps_sweep


@pytest.fixture
def whole(tmp_path):
    """The small sweep in a store of this version."""
    return computed(tmp_path / "whole", sweep_of())


@pytest.fixture
def before(whole, tmp_path):
    """The same in a store of the version before."""
    folder = tmp_path / "before"
    (folder / "sweeps").mkdir(parents=True)
    (folder / "store.json").write_text('{"schema": "gdln.store/1"}')
    (folder / "sweeps" / "small.json").write_text(dumps_sweep(sweep_of()))
    for name in whole.names():
        meta, arrays = whole.read(name)
        place = folder / "cells" / name
        place.mkdir(parents=True)
        np.savez(place / "data.npz", **arrays)
        sha256 = hashlib.sha256((place / "data.npz").read_bytes()).hexdigest()
        facts = {key: value for key, value in meta.items() if key not in ("schema", "cell", "names")}
        (place / "meta.json").write_text(json.dumps(sealed({**facts, "data": {"sha256": sha256}, "wall_seconds": 2.0})))
    return folder


def test_cells_and_sweeps_of_the_version_before_are_those_of_this_one(whole, before, tmp_path):
    assert imported(before, tmp_path / "new") == (4, ["The sweep small has 4 cells."])
    new = Store.open(tmp_path / "new")
    assert (new.names(), new.table()) == (whole.names(), whole.table())
    assert [new.attempt(name)["seconds"] for name in new.names()] == [2.0] * 4
    assert new.plan_of().code == code_version()


def test_a_damaged_cell_is_left_out_and_named(whole, before, tmp_path):
    name = min(whole.names())
    flip(before / "cells" / name / "data.npz")
    count, (said, _) = imported(before, tmp_path / "new")
    assert (count, said) == (3, f"The cell {name[:12]} was left out: it is damaged.")


def test_another_folder_is_no_store_of_the_version_before(before, tmp_path):
    with pytest.raises(InputError, match="gdln sweep --import"):
        Store.open(before)
    shutil.rmtree(before / "cells")
    (before / "store.json").write_text("{}")
    with pytest.raises(InputError, match="is no store of the form"):
        imported(before, tmp_path / "new")
