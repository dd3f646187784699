"""The hash of code: it changes with what is imported, at any distance, and with nothing else."""

import pytest

from derivations.evidence.code import closure, code_hash

FILES = {
    "theory/__init__.py": "",
    "theory/claim.py": "from theory.room import tool\n",
    "theory/far.py": "X = 1\n",
    "theory/alone.py": "X = 1\n",
    "theory/room/__init__.py": '"""A room."""\n',
    "theory/room/tool.py": "def use():\n    import theory.far\n    return theory.far.X\n",
    "theory/room/other.py": "X = 1\n",
    "theory/laws/__init__.py": "from theory.load import load\nload(__name__, __path__)\n",
    "theory/laws/law.py": "X = 1\n",
    "theory/load.py": "from importlib import import_module\n",
    "theory/asks.py": "import theory.laws\n",
}


@pytest.fixture
def tree(tmp_path):
    """Make the sources, some changed, in a new folder: what was parsed is remembered by path."""

    def make(name="tree", changes=None):
        for path, text in (FILES | (changes or {})).items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        return tmp_path / name

    return make


def test_imports_are_followed_into_functions_and_packages(tree):
    result = closure(["theory.claim"], tree())
    assert result == {"theory", "theory.claim", "theory.room", "theory.room.tool", "theory.far"}


def test_imports_are_followed_into_every_block(tree):
    for number, block in enumerate(
        (
            "if 0: pass\nelse:\n    {}",
            "try: pass\nfinally:\n    {}",
            "class A:\n    async def use(self):\n        {}",
            "match 0:\n    case 0:\n        {}",
        )
    ):
        changes = {"theory/claim.py": block.format("from theory import far") + "\n"}
        assert "theory.far" in closure(["theory.claim"], tree(f"tree {number}", changes)), block


def test_a_change_counts_where_it_is_imported(tree):
    before = code_hash(["theory.claim"], root=tree("before"))
    windows = {path: text.replace("\n", "\r\n") for path, text in FILES.items()}
    assert code_hash(["theory.claim"], root=tree("windows", windows)) == before
    for number, (path, counts) in enumerate(
        {
            "theory/claim.py": True,
            "theory/far.py": True,
            "theory/room/tool.py": True,
            "theory/room/__init__.py": True,
            "theory/room/other.py": False,
            "theory/alone.py": False,
        }.items()
    ):
        after = code_hash(["theory.claim"], root=tree(f"after {number}", {path: FILES[path] + "Y = 2\n"}))
        assert (before != after) is counts, path


def test_files_count(tree, tmp_path):
    hashes = set()
    for text in ("n = 1", "n = 2"):
        problem = tmp_path / f"{text[-1]}.toml"
        problem.write_text(text)
        hashes.add(code_hash(["theory.claim"], [problem], tree()))
    assert len({*hashes, code_hash(["theory.claim"], root=tree())}) == 3


def test_a_claim_depends_on_its_rules_and_not_on_the_other_claims():
    result = closure(["theory.claims.areas.gaussian.step_step", "theory.claims.judge"])
    areas = {name for name in result if name.startswith("theory.claims.areas.") and name.count(".") > 3}
    assert areas == {"theory.claims.areas.gaussian.step_step"}
    assert {"theory.proof.rules.sums", "theory.claims.levels", "theory.claims.points"} <= result


def test_a_package_that_loads_its_modules_itself_counts_with_all_of_them(tree):
    assert "theory.laws.law" in closure(["theory.asks"], tree())
    words = "# iter_modules and import_module are not called\nX = 'import_module'\n"
    assert "theory.laws.law" not in closure(["theory.asks"], tree("words", {"theory/laws/__init__.py": words}))
