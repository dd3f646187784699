"""The answers of `gdln simulate`, `compare`, `fields`, `sweep` and of the verbs of the book beside stored ones."""

import pytest

from tests.derivations.answers.recording import CloseFits

NETWORKS = [
    "simulate line.toml --plot line.svg --out line.npz",
    "simulate always.toml",
    *(f"simulate {name}.toml" for name in ("relu", "logistic", "readout", "shared", "vector", "lonely", "zero")),
    "simulate grid-small.toml --memory 0.001",
    "simulate race-run.toml --plot race.svg --out race.npz",
    "simulate race-one.toml",
    "simulate deep-run.toml --alignment --plot deep.svg",
    "simulate deep-one.toml --alignment --out deep.npz",
    "simulate diverging.toml",
    "simulate gated-readout.toml",
    "simulate solve-alone.toml",
    "simulate nothing.toml",
    "simulate line.toml --alignment",
    "compare line.toml --plot line.svg",
    *(f"compare {name}.toml" for name in ("few", "full", "lonely", "mine", "zero")),
    "compare race-run.toml --plot race.svg",
    *(f"compare {name}.toml" for name in ("race-own", "race-one", "race-start", "vector")),
    "compare nothing.toml",
    "fields grid-fields.toml --time 3",
    "fields grid-fields.toml --source networks --networks 9",
    "fields grid-fields.toml --source fields",
    "fields line.toml",
    "fields grid-vector.toml",
    "fields grid-small.toml",
    "fields toy.toml",
]
FITS = ["fields waves.toml --time 0 --plot fields.svg", "fields grid-fields.toml --time inf"]
SWEEPS = [
    "sweep sweep.toml --dry-run --workers 2",
    "sweep sweep.toml --status",
    "sweep sweep.toml --workers 1 --plot sweep.svg",
    "sweep sweep.toml --status",
    "sweep --worker store --status",
    "sweep sweep-bad.toml --workers 1 --out bad",
    "sweep sweep.toml --dry-run --status",
    "sweep --worker nothing --status",
    "sweep sweep.toml --engine nothing",
    "sweep nothing.toml",
    "sweep",
]
BOOK = [
    "ledger --document small-bump-gate",
    "ledger --document nothing",
    "ledger --verdict REFUTED",
    "ledger --verdict wrong",
    "derive errata --check",
    "derive errata --out book",
    "derive errata --check --format html",
    "derive nothing",
    "reproduce",
    "reproduce npk-fig-1 --store reproduced",
    "reproduce nothing",
    "validate nothing",
    "validate flow.fixed_point.mode --out no-report --changed",
    "validate flow.fixed_point.mode --seed -1",
    "new spins --law ising",
    "new listed --network deep",
    "new line",
    "new other --network deep --law nlgp",
    "new other --law nothing",
    "bench nothing",
]


@pytest.mark.slow
def test_networks_beside_their_theory(changed):
    assert not changed(NETWORKS)


def test_fits_of_fields(changed):
    assert not changed(FITS, close=CloseFits)


@pytest.mark.slow
def test_sweeps(changed):
    assert not changed(SWEEPS)


@pytest.mark.slow
def test_the_book_and_new_files(changed):
    assert not changed(BOOK)
