"""No two files import each other, and no module, function or class is there for its tests alone."""

import pytest

from tests.modules import circles, graph, modules, unused, unused_definitions
from tests.paths import ROOT

PACKAGES = ("theory", "sim", "derivations")

# Modules that are found by their folder, run as programs, or the public Python API: nothing has to import them.
FOUND_BY_FOLDER = (
    "theory.problem.distributions.",  # theory.problem.LAWS
    "theory.problem.gates.",  # theory.problem.GATES
    "theory.problem.observables.",  # theory.problem.OBSERVABLES
    "theory.moments.",  # a law's moments, found by theory.moments
    "theory.flow.graph.reductions.",  # theory.flow.graph.reduction
    "theory.proof.rules.",  # theory.claims.rules
    "theory.gaussian.derive.rules.",
    "theory.claims.areas.",  # theory.claims.catalog
    "sim.data.",  # sim.data.sample
    "sim.gates.",  # sim.gates.gating
    "sim.measure.",  # sim.measure.measure
    "derivations.commands.",  # derivations.cli
    "derivations.explore.views.",  # derivations.explore.views.views
    "derivations.explore.jobs.",  # derivations.explore.jobs.kind_of_job
    "derivations.benchmarks.",  # gdln bench
    "derivations.experiments.",  # derivations.experiments.folders
    "derivations.reproductions.sources.",  # derivations.reproductions.catalog
    "derivations.sweeps.launch.",  # derivations.sweeps.launch.engine_named
)
# What a module that is found by its folder is asked for.
ASKED_OF = {
    "derivations.commands.": {"command"},
    "derivations.benchmarks.": {"measure", "text"},
    "derivations.sweeps.launch.": {"start"},
    "derivations.explore.views.": {"answer", "rivals", "learned"},
    "derivations.explore.jobs.": {"run", "question"},
    "theory.flow.graph.reductions.": {"reduce"},
    "derivations.experiments.estimated_fields.": {"draw"},  # the file own-ripples.toml names it
}
# Offered to users beside the `__all__` of the packages.
FOR_USERS = {
    ("sim.record", "load"),  # the gates that `Gates.save` wrote, in another process
    ("derivations.experiments.folders", "missing_pieces"),  # for an author of an experiment, see CONTRIBUTING.md
}
PROGRAMS_AND_API = {
    "derivations.__main__",
    "derivations.compare",
    "derivations.explore.verdict_study",
    "derivations.statistics.calibration_study",
    "theory.conjecture",
    "theory.gaussian",
}


@pytest.fixture(scope="module")
def edges():
    return graph(modules(ROOT, PACKAGES))


def test_no_circle_of_files(edges):
    found = {tuple(circle) for circle in circles(edges)}
    assert found == set(), "break a circle by moving what its files share"


def test_every_module_has_a_user(edges):
    files = modules(ROOT, PACKAGES)
    modules_only = {name for name in unused(edges) if files[name].name != "__init__.py"}
    alone = {name for name in modules_only - PROGRAMS_AND_API if not name.startswith(FOUND_BY_FOLDER)}
    assert alone == set(), "delete the module, or use it"


def test_every_function_and_class_has_a_user():
    alone = {
        (name, word)
        for name, word in unused_definitions(modules(ROOT, PACKAGES))
        if not any(name.startswith(folder) and word in words for folder, words in ASKED_OF.items())
    }
    assert alone == FOR_USERS, "delete what only tests call, or use it"


def planted(tmp_path, **files):
    """The graph of a package with these modules."""
    return graph(written(tmp_path, **files))


def written(tmp_path, **files):
    """The modules of a package with these sources."""
    (tmp_path / "pack").mkdir()
    for name, source in {"__init__": "", **files}.items():
        (tmp_path / "pack" / f"{name}.py").write_text(source, encoding="utf-8")
    return modules(tmp_path, ("pack",))


@pytest.mark.parametrize(
    "back",
    [
        "from pack import a",
        "import pack.a",
        "def f():\n    from pack.a import x",
        "class C:\n    def f(self):\n        import pack.a",
    ],
)
def test_a_planted_circle_is_found(tmp_path, back):
    edges = planted(tmp_path, a="from pack.b import y\nx = 1", b="from pack import c\ny = 1", c=back)
    assert circles(edges) == [["pack.a", "pack.b", "pack.c"]]


def test_what_a_package_loads_when_asked_for_counts(tmp_path):
    declared = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.a import x"
    edges = planted(tmp_path, __init__=declared, a="from pack import x", b="from pack import a")
    assert circles(edges) == [["pack", "pack.a"]]


def test_imports_for_annotations_are_no_circle(tmp_path):
    back = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.a import x"
    edges = planted(tmp_path, a="from pack.b import y\nx = 1", b=back, alone="")
    assert circles(edges) == []
    assert unused(edges) >= {"pack.a", "pack.alone"}
    assert "pack.b" not in unused(edges)


def test_planted_functions_without_a_user_are_found(tmp_path):
    """Not one that is named elsewhere in its file, imported, taken from its module, registered or offered."""
    found = unused_definitions(
        written(
            tmp_path,
            __init__="from pack.b import offered",
            a="def alone():\n    alone()\ndef helper(): pass\nclass Kept:\n    x = helper\ndef taken(): pass",
            b="@thing.register\ndef made(): pass\ndef alone(): pass\ndef _own(): pass\ndef offered(): pass",
            c="from pack.a import Kept\nfrom pack import a\nclass Idle:\n    y = a.taken, Kept, b.alone",
        )
    )
    assert found == {("pack.a", "alone"), ("pack.b", "alone"), ("pack.c", "Idle")}
