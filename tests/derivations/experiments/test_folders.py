"""The folders of experiments: nothing is missing in the tree, and each forgotten piece is named with its file."""

import itertools
import sys

import pytest

from derivations.experiments import folders
from theory.problem import InputError

JUDGES = """
from derivations.experiments.model import Experiment
EXPERIMENT = Experiment({name!r}, "A title", ({claim!r},), lambda *_: None)
"""
CLAIM = "flow.redundant.difference"
_NUMBER = itertools.count()


def test_nothing_is_missing_in_the_tree():
    assert folders.missing_pieces() == []


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """A function that makes a folder with the experiment `pair`, whole but for the files it is called with."""

    def planted(**files):
        package = f"planted_{next(_NUMBER)}"
        home = tmp_path / package / "pair"
        home.mkdir(parents=True)
        (home / "__init__.py").touch()
        for name, text in ({"experiment__py": JUDGES.format(name="pair", claim=CLAIM)} | files).items():
            if text is not None:
                (home / name.replace("__", ".")).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(folders, "FOLDER", home.parent)
        monkeypatch.setattr(folders, "_PACKAGE", package)

    yield planted
    for name in [name for name in sys.modules if name.startswith("planted_")]:
        del sys.modules[name]


RUN = 'RUNS = ("pair-run",)\n'
TABLES = 'TABLES = {"pair-run": {"": lambda run: ""}}\n'
FIGURES = """
from derivations.experiments.model import Figure
FIGURES = {"pair": Figure("", %r, lambda run: {}, lambda *_: None)}
"""


def test_a_forgotten_piece_is_named_with_its_file(plant):
    run = {"experiment__py": RUN, "tables__py": TABLES}
    for files, words in (
        ({"experiment__py": None}, "pair/experiment.py is missing: it takes EXPERIMENT"),
        ({"experiment__py": "X = 1\n"}, "pair/experiment.py declares neither EXPERIMENT nor RUNS"),
        (
            {"experiment__py": JUDGES.format(name="pair", claim="flow.pair.fact")},
            "judges the claim 'flow.pair.fact', which does not exist: theory/claims/areas/flow/pair.py takes it",
        ),
        (run, "pair/pair-run.json is missing: run python -m"),
        ({"experiment__py": RUN, "pair-run__json": "{}"}, "pair/tables.py has no TABLES['pair-run']"),
        ({"stray__json": "{}"}, "pair/experiment.py does not name the stored run stray.json in RUNS"),
        ({**run, "pair-run__json": "{}", "figures__py": FIGURES % "other"}, "pair/figures.py shows the run 'other'"),
    ):
        plant(**files)
        (line,) = folders.missing_pieces()
        assert words in line
        assert "derivations/experiments/pair/" in line


def test_no_claim_is_judged_beside_an_experiment_that_is_not_complete(plant):
    for text in ("X = 1\n", JUDGES.format(name="pair", claim="flow.pair.fact"), "x = 1\ny = (\n"):
        plant(experiment__py=text)
        with pytest.raises(InputError, match=r"pair/experiment\.py"):
            folders.discover.__wrapped__()
