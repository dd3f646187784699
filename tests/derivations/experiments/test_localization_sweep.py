"""The sweep of the gain: its file, what is kept of its store, and how the page shows it."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import read
from derivations.experiments.localization_sweep import experiment as localization_sweep
from derivations.experiments.localization_sweep import tables as localization_tables
from derivations.sweeps import cells
from derivations.sweeps.plans import sweep_id
from tests.derivations.sweeps.cases import computed
from tests.tolerances import STORED_RATIOS
from theory.claims.model import Outcome

STORED = read("localization-sweep")
XI = (localization_tables.SHORT, localization_tables.LONG)


def swept(folder, gains, **simulation):
    """A store with a small version of the sweep: three networks, short training."""
    whole = localization_sweep.declared("localization-sweep")
    base = {name: dict(table) for name, table in whole.base.items()}
    base["training"]["times"] = [0, 1, 100]
    base["simulation"] |= {"batch": 50, "samples": 100, "replicates": 3} | simulation
    sweep = replace(whole, base=base, axes=(whole.axes[0], replace(whole.axes[1], values=gains)))
    return computed(folder / "store", sweep), sweep


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two gains."""
    return swept(tmp_path_factory.mktemp("small"), (Fraction(1, 100), 100))


@pytest.mark.slow
def test_what_is_kept_is_what_the_cells_hold(small):
    store, sweep = small
    kept = json.loads(json.dumps(localization_sweep.summary(store, sweep), allow_nan=False))
    assert (kept["sweep"], kept["networks"], kept["times"]) == (sweep_id(sweep), 3, [0.0, 1.0, 100.0])
    assert [(tuple(cell["xi"]), cell["gain"]) for cell in kept["cells"]] == [(xi, g) for xi in XI for g in (0.01, 100)]
    for cell, entry in zip(sweep.cells, kept["cells"], strict=True):
        _, arrays = store.read(cells.question(cell.problem, sweep.observables).cell(cells.code_version()))
        w = arrays["weights"][:, :, 0]
        ratio = (w**4).sum(axis=-1) / (w**2).sum(axis=-1) ** 2
        assert np.abs(entry["participation_ratio"] / ratio - 1).max() < STORED_RATIOS
        flips = arrays["gate-flips-between"][:, 0].mean(axis=0)
        assert np.abs(np.array(entry["gate_flips"]["mean"]) - flips).max() < STORED_RATIOS
        power = np.abs(np.fft.fft(w, axis=-1)) ** 2
        assert entry["flat"] == (power[..., 0] > 2 * power[..., 1:20].max(axis=-1)).sum(axis=0).tolist()


def test_the_stored_numbers_are_of_the_sweep_in_the_tree():
    """A sweep that has changed since makes them stale: run it again, then the module on its store."""
    sweep = localization_sweep.declared("localization-sweep")
    assert STORED["sweep"] == sweep_id(sweep)
    assert STORED["networks"] == 30
    assert [cell["gain"] for cell in STORED["cells"]] == [float(cell.problem.data.gain) for cell in sweep.cells]
    assert [tuple(cell["xi"]) for cell in STORED["cells"]] == [xi for xi in XI for _ in range(10)]
    assert all(np.shape(cell["participation_ratio"]) == (30, len(STORED["times"])) for cell in STORED["cells"])


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.06, 0.95, Outcome.PASS),
        (0.10, 0.95, Outcome.INCONCLUSIVE),
        (0.06, 0.50, Outcome.INCONCLUSIVE),
        (0.20, 0.95, Outcome.FAIL),
        (0.06, 0.20, Outcome.FAIL),
    ],
)
def test_the_gain_localizes_where_both_intervals_lie_on_their_side(low, high, expected):
    around = 0.01 * np.random.default_rng(0).normal(size=(12, 2))
    assert localization_sweep.decide(low + around[:, 0], high + around[:, 1]).outcome is expected
