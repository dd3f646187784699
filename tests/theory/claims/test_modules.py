"""The files of theory.claims: no circle, none that only tests import, no area that reaches into another."""

import pytest

from tests import module_graph
from theory.claims.registry import subjects

MODULES = module_graph.graph("theory", "sim", "derivations")
CLAIMS = {name: imports for name, imports in MODULES.items() if f"{name}.".startswith("theory.claims.")}
AREAS = "theory.claims.areas."
# The page of the dialects says that its conversions are functions of this module.
SHOWN_ON_A_PAGE = {"theory.claims.dialects"}


def areas_between(modules):
    """The imports from one area into another, as pairs."""
    found = {(name, target) for name, imports in modules.items() for target in imports}
    inside = {(a, b) for a, b in found if a.startswith(AREAS) and b.startswith(AREAS)}
    return sorted((a, b) for a, b in inside if a.split(".")[3] != b.split(".")[3])


def shared_from_outside(modules):
    """The imports of a module with an underscore by anything outside its folder, as pairs."""
    found = {(name, target) for name, imports in modules.items() for target in imports}
    hidden = {(a, b) for a, b in found if b.startswith(AREAS) and b.rpartition(".")[2].startswith("_")}
    return sorted((a, b) for a, b in hidden if a.rpartition(".")[0] != b.rpartition(".")[0])


def test_no_circle_of_files():
    assert module_graph.circles(CLAIMS) == []


def test_no_module_that_only_tests_import():
    found = {module for _, module in subjects()} | SHOWN_ON_A_PAGE
    assert module_graph.unused(MODULES, "theory.claims", found) == []


def test_what_several_areas_share_is_a_module_of_the_claims():
    assert areas_between(MODULES) == []
    assert shared_from_outside(MODULES) == []


def test_planted_faults_are_found():
    points, registry = "theory.claims.points", "theory.claims.registry"
    planted = {name: set(imports) for name, imports in MODULES.items()}
    planted["theory.claims.model"].add(registry)
    circles = module_graph.circles({name: planted[name] for name in CLAIMS})
    assert [circle for circle in circles if {registry, "theory.claims.model"} <= set(circle)] != []
    assert all(circle[0] == circle[-1] for circle in circles)
    planted["theory.claims.areas._forgotten"] = {points}
    planted["theory.claims.areas.flow.mode"] |= {f"{AREAS}ols.loss", f"{AREAS}ols._samples"}
    found = {module for _, module in subjects()} | SHOWN_ON_A_PAGE
    assert module_graph.unused(planted, "theory.claims", found) == ["theory.claims.areas._forgotten"]
    assert areas_between(planted) == [
        ("theory.claims.areas.flow.mode", "theory.claims.areas.ols._samples"),
        ("theory.claims.areas.flow.mode", "theory.claims.areas.ols.loss"),
    ]
    assert shared_from_outside(planted) == [("theory.claims.areas.flow.mode", "theory.claims.areas.ols._samples")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from pack import b\n", {"pack.b"}),
        ("def f():\n    from pack.b import x\n", {"pack.b"}),
        ("import pack.a\n", set()),
        ("import sympy\n", set()),
    ],
)
def test_the_graph_sees_imports(tmp_path, source, expected):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/__init__.py").touch()
    (tmp_path / "pack/a.py").write_text(source)
    (tmp_path / "pack/b.py").touch()
    assert module_graph.graph("pack", root=tmp_path)["pack.a"] - {"pack"} == expected
