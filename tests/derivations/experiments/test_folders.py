"""The folders of experiments: runs, tables and figures fit, and each forgotten piece is named with its file."""

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


def test_each_stored_run_has_a_table_and_each_figure_a_stored_run():
    assert {experiment.name for experiment in folders.discover()} <= set(folders.names())
    assert folders.tables().keys() == folders.run_files().keys()
    assert {figure.run for figure in folders.figures().values()} <= folders.run_files().keys()


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


def test_a_forgotten_piece_is_named_with_its_file(plant):
    for files, words in (
        ({"experiment__py": None}, "pair/experiment.py is missing: it takes EXPERIMENT"),
        ({"experiment__py": "X = 1\n"}, "pair/experiment.py declares neither EXPERIMENT nor RUNS"),
        (
            {"experiment__py": JUDGES.format(name="pair", claim="flow.pair.fact")},
            "judges the claim 'flow.pair.fact', which does not exist: theory/claims/areas/flow/pair.py takes it",
        ),
        ({"experiment__py": "x = 1\ny = (\n"}, r"pair/experiment.py"),
    ):
        plant(**files)
        with pytest.raises(InputError) as raised:
            folders.discover.__wrapped__()
        assert words in str(raised.value)
