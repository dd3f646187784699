"""The folders of experiments: nothing is missing in the tree, and each forgotten piece is named with its file."""

import itertools
import json
import sys

import pytest

from derivations.experiments import folders
from theory.claims import catalog
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
    """A function that makes a folder of experiments with one experiment, `pair`, of the files given."""

    def planted(**files):
        package = f"planted_{next(_NUMBER)}"
        home = tmp_path / package / "pair"
        home.mkdir(parents=True)
        for name, text in files.items():
            (home / name.replace("__", ".")).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.setattr(folders, "FOLDER", home.parent)
        monkeypatch.setattr(folders, "_PACKAGE", package)
        return home

    yield planted
    for name in [name for name in sys.modules if name.startswith("planted_")]:
        del sys.modules[name]


def whole(**files):
    """The files of a folder that lacks nothing, changed by `files`; None leaves a file out."""
    arguments = {"init": "", "experiment__py": JUDGES.format(name="pair", claim=CLAIM)} | files
    return {("__init____py" if name == "init" else name): text for name, text in arguments.items() if text is not None}


def missing(plant, **files):
    plant_folder(plant, **files)
    return folders.missing_pieces()


def discover_anew(plant, **files):
    """The experiments of a planted folder, past the cache."""
    plant_folder(plant, **files)
    return folders.discover.__wrapped__()


def plant_folder(plant, **files):
    arguments = whole(**files)
    init = arguments.pop("__init____py", None)
    home = plant(**arguments)
    if init is not None:
        (home / "__init__.py").write_text(init, encoding="utf-8")


RUN = 'RUNS = ("pair-run",)\n'
TABLES = 'TABLES = {"pair-run": {"": lambda run: ""}}\n'
FIGURES = """
from derivations.experiments.model import Figure
FIGURES = {"pair": Figure("", %r, lambda run: {}, lambda *_: None)}
"""


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"init": None}, "pair/__init__.py is missing"),
        ({"experiment__py": None}, "pair/experiment.py is missing: it takes EXPERIMENT"),
        ({"experiment__py": "X = 1\n"}, "pair/experiment.py declares neither EXPERIMENT nor RUNS"),
        ({"experiment__py": JUDGES.format(name="other", claim=CLAIM)}, "is called 'other'; name it 'pair'"),
        (
            {"experiment__py": JUDGES.format(name="pair", claim="flow.pair.fact")},
            "judges the claim 'flow.pair.fact', which does not exist: theory/claims/areas/flow/pair.py takes it",
        ),
        ({"experiment__py": RUN, "tables__py": TABLES}, "pair/pair-run.json is missing: run python -m"),
        ({"experiment__py": RUN, "pair-run__json": "{}"}, "pair/tables.py has no TABLES['pair-run']"),
        ({"stray__json": "{}"}, "pair/experiment.py does not name the stored run stray.json in RUNS"),
        (
            {
                "experiment__py": RUN,
                "tables__py": TABLES,
                "pair-run__json": "{}",
                "figures__py": FIGURES % "other",
            },
            "pair/figures.py shows the run 'other'",
        ),
    ],
)
def test_a_forgotten_piece_is_named_with_its_file(plant, files, said):
    (line,) = missing(plant, **files)
    assert said in line
    assert "derivations/experiments/pair/" in line


@pytest.mark.parametrize("text", ["X = 1\n", JUDGES.format(name="pair", claim="flow.pair.fact"), "x = 1\ny = (\n"])
def test_no_claim_is_judged_beside_an_experiment_that_is_not_complete(plant, text):
    with pytest.raises(InputError, match=r"pair/experiment\.py"):
        discover_anew(plant, experiment__py=text)


def test_a_problem_is_found_by_its_stem_wherever_it_lies():
    assert folders.problem_file("small-bump").parent.name == folders.SHARED
    assert folders.problem_file("relu-long").parent.name == "relu_order"
    registered = {name for claim in catalog().values() if claim.registration for name in claim.registration.problems}
    assert all(folders.problem_file(name).is_file() for name in registered)


def test_a_written_run_is_read_back(plant):
    plant()
    path = folders.write("pair", "new", {"level": 0.01})
    assert json.loads(path.read_text()) == folders.read("new") == {"level": 0.01}
    with pytest.raises(InputError, match="No stored run is called 'nothing'"):
        folders.read("nothing")
