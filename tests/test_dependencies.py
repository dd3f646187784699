"""The files on which a test file depends: what it imports, finds and reads, at any distance, and nothing else."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from derivations.evidence import code
from tests import dependencies, processes
from tests.dependencies import tree
from tests.paths import ROOT

FILES = {
    "pyproject.toml": "",
    "README.md": "",
    "theory/__init__.py": "",
    "theory/near.py": "def use():\n    import theory.far\n",
    "theory/far.py": "from pathlib import Path\nSTORED = Path(__file__).with_name('far.json')\n",
    "theory/far.json": "{}",
    "theory/alone.py": "from pathlib import Path\nSTORED = Path(__file__).with_name('alone.json')\n",
    "theory/alone.json": "{}",
    "theory/laws/__init__.py": "from theory.load import load\nload(__name__, __path__)\n",
    "theory/laws/first.py": "",
    "theory/load.py": "from importlib import import_module\n",
    "theory/claims/__init__.py": "",
    "theory/claims/registry.py": "from importlib import import_module\nimport theory.claims.areas\nimport_module('')\n",
    "theory/claims/areas/__init__.py": "",
    "theory/claims/areas/gaussian.py": "",
    "theory/lazy/__init__.py": (
        "from theory.lazy.use import on_first_use\nif TYPE_CHECKING:\n    from theory.lazy.one import One\n"
        "    from theory.lazy.two import Two\non_first_use()\n"
    ),
    "theory/lazy/use.py": "",
    "theory/lazy/one.py": "",
    "theory/lazy/two.py": "",
    "derivations/problems/a.toml": "",
    "derivations/problems/b.toml": "",
    "tests/conftest.py": "import tests.shared\n",
    "tests/shared.py": "",
    "tests/paths.py": "",
    "tests/helper.py": "import theory.near\n",
    "tests/oracles/make.py": "",
    "tests/oracles/made.json": "{}",
    "tests/room/conftest.py": "",
    "tests/room/data/one.txt": "",
    "tests/room/data/rows.py": "import theory.alone\n",
    "tests/room/spoken.py": "",
    "tests/test_imports.py": "from tests.helper import theory\n",
    "tests/test_laws.py": "import theory.laws\n",
    "tests/test_claims.py": "from theory.claims.registry import catalog\n",
    "tests/test_oracle.py": "import make\n",
    "tests/test_readme.py": "from tests.paths import ROOT\nTEXT = ROOT / 'README.md'\n",
    "tests/test_word.py": "open('derivations/problems/a.toml')\n",
    "tests/test_name.py": "from theory.lazy import One\n",
    "tests/test_object.py": "from theory import lazy\n",
    "tests/test_parent.py": "import theory.lazy.use\n",
    "tests/test_child.py": "from theory.lazy.use import TYPE_CHECKING\n",
    "tests/test_tree.py": "from tests.paths import ROOT\nALL = ROOT.rglob('*')\n",
    "tests/test_process.py": "def test():\n    import subprocess\n    subprocess.run([sys.executable, '-c', text()])\n",
    "tests/test_started.py": "import subprocess\nwords = [sys.executable, '-m', 'theory.near', 'x']\n"
    "def test():\n    subprocess.run(words, cwd=ROOT)\n",
    "tests/room/test_folder.py": "from pathlib import Path\nDATA = Path(__file__).parent / 'data'\n",
    "tests/room/test_beside.py": "from pathlib import Path\nFILE = Path(__file__).parent.with_name('paths.py')\n",
}
EVERY = {name for name in FILES if Path(name).name.startswith("test_")}
WHOLE = {"tests/test_tree.py", "tests/test_process.py"}
# What changes or is new, and the test files that depend on it beside those that depend on the whole tree.
CHANGES = {
    "theory/near.py": {"tests/test_imports.py", "tests/test_started.py"},
    "theory/far.py": {"tests/test_imports.py", "tests/test_started.py"},
    "theory/far.json": {"tests/test_imports.py", "tests/test_started.py"},
    "theory/alone.py": {"tests/room/test_folder.py"},
    "theory/alone.json": {"tests/room/test_folder.py"},
    "tests/helper.py": {"tests/test_imports.py"},
    "theory/laws/first.py": {"tests/test_laws.py"},
    "theory/laws/new.py": {"tests/test_laws.py"},
    "theory/claims/areas/gaussian.py": {"tests/test_claims.py"},
    "theory/claims/areas/new.py": {"tests/test_claims.py"},
    "theory/lazy/one.py": {"tests/test_name.py", "tests/test_object.py", "tests/test_parent.py"},
    "theory/lazy/two.py": {"tests/test_object.py", "tests/test_parent.py"},
    "theory/lazy/use.py": {f"tests/test_{name}.py" for name in ("name", "object", "parent", "child")},
    "tests/oracles/make.py": {"tests/test_oracle.py"},
    "tests/oracles/made.json": {"tests/test_oracle.py"},
    "README.md": {"tests/test_readme.py"},
    "derivations/problems/a.toml": {"tests/test_word.py"},
    "derivations/problems/b.toml": set(),
    "tests/room/data/one.txt": {"tests/room/test_folder.py"},
    "tests/room/data/new.txt": {"tests/room/test_folder.py"},
    "tests/room/conftest.py": {"tests/room/test_folder.py", "tests/room/test_beside.py"},
    "tests/room/spoken.py": set(),
    "tests/paths.py": {"tests/test_readme.py", "tests/room/test_beside.py"},
    "tests/conftest.py": EVERY,
    "tests/shared.py": EVERY,
    "pyproject.toml": EVERY,
}


@pytest.fixture
def planted(tmp_path):
    """Make a tree with other or more files in a new folder: what was parsed is remembered by path."""

    def make(**changes):
        root = tmp_path / str(len(list(tmp_path.iterdir())))
        for path, text in (FILES | changes).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        return tree(root)

    return make


def stale(before, after):
    """The test files of the first tree whose hash is another in the second."""
    return {name for name in before.test_files() if before.hash(name) != after.hash(name)}


def test_the_test_files_are_found(planted):
    assert set(planted().test_files()) == EVERY


@pytest.mark.parametrize("path", CHANGES)
def test_a_change_counts_where_it_is_imported_found_or_read(planted, path):
    changed = planted(**{path: FILES.get(path, "") + "# changed\n"})
    assert stale(planted(), changed) == CHANGES[path] | WHOLE


def test_a_contract_of_imports_counts_where_the_project_file_is_named(planted):
    named = {"tests/test_named.py": "FILE = 'pyproject.toml'\n"}
    contracts = "[tool.importlinter]\n"
    before, after = (planted(**named, **{"pyproject.toml": contracts + more}) for more in ("", "layers = []\n"))
    assert stale(before, after) == {"tests/test_named.py"} | WHOLE
    other = planted(**named, **{"pyproject.toml": "[tool]\n" + contracts})
    assert stale(before, other) == EVERY | {"tests/test_named.py"}


def test_a_file_that_is_gone_counts(planted, tmp_path):
    before, after = planted(), planted()
    (after.root / "theory/laws/first.py").unlink()
    again = after.root.rename(tmp_path / "renamed")
    assert stale(before, tree(again)) == {"tests/test_laws.py"} | WHOLE


def test_line_ends_caches_and_the_record_do_not_count(planted):
    windows = planted(**{name: text.replace("\n", "\r\n") for name, text in FILES.items()})
    more = {dependencies.RECORD: "{}", "theory/__pycache__/near.pyc": "", "tests/.notes": "", "run.log": ""}
    assert stale(planted(), windows) == stale(planted(), planted(**more)) == set()


def test_a_new_import_counts(planted):
    assert (
        stale(planted(), planted(**{"tests/test_laws.py": "import theory.alone\n"})) == {"tests/test_laws.py"} | WHOLE
    )


def packages():
    """The packages of the tree, each with its source."""
    files = [name for name in tree().digests if name.endswith("__init__.py")]
    return {code.module_name(Path(name)): (ROOT / name).read_text(encoding="utf-8") for name in files}


def test_a_package_that_imports_names_at_their_first_use_declares_them():
    """Its declarations for type checkers are where a name is looked up."""
    lazy = [name for name, source in packages().items() if "__getattr__" in source]
    assert {"theory.problem", "theory.gaussian"} <= set(lazy)
    for name in lazy:
        offers = code._module(name, ROOT).offers
        assert [offered for offered in import_module(name).__dir__() if offered not in offers] == []


def test_exempt_modules_exist():
    names = {dependencies.module_name(Path(name)) for name in tree().digests if name.endswith(".py")}
    assert names >= dependencies._EXEMPT | processes._LOADED.keys()
    named = {name for modules in processes._LOADED.values() for name in modules if not name.endswith("/")}
    assert names >= named


RUNS = "import subprocess, sys\n"
STARTS = {
    "subprocess.run([sys.executable, '-m', 'theory.near'])": {"theory.near", "theory.near.__main__"},
    "def f(*words):\n    c = [sys.executable, '-m', 'a', *words]\n    c = [sys.executable, '-m', 'b']\n"
    "    subprocess.Popen(c, stdout=subprocess.PIPE)": {"a", "a.__main__", "b", "b.__main__"},
    "subprocess.run([sys.executable, '-c', 'import theory'])": None,
    "subprocess.run([sys.executable, '-m', name])": None,
    "subprocess.run([sys.executable, *words])": None,
    "subprocess.run(['gdln', '-m', 'theory'])": None,
    "subprocess.run(words())": None,
    "subprocess.run(args=[sys.executable, '-m', 'theory'])": None,
    "def f(c):\n    subprocess.run(c)\nc = [sys.executable, '-m', 'a']": None,
    "c, d = words()\nsubprocess.run(c)": None,
    "map(subprocess.run, commands)": None,
    "subprocess.getoutput('python -m theory')": None,
    "import runpy\nrunpy.run_path('x.py')": None,
    "from subprocess import run\nrun([sys.executable, '-m', 'theory'])": None,
    "import subprocess as s\ns.run([sys.executable, '-m', 'theory'])": None,
}


@pytest.mark.parametrize("source", STARTS)
def test_a_process_loads_the_module_that_it_names_or_maybe_anything(source):
    assert processes.loaded("tests.test_x", RUNS + source) == STARTS[source]


def test_a_program_that_is_known_by_hand_loads_its_modules():
    source = "subprocess.run([sys.executable, '-c', program])"
    assert processes.loaded("tests.derivations.commands.test_moment", RUNS + source) == {"derivations.cli"}
    assert processes.loaded("tests.derivations.commands.test_moment", "import sys") == set()


def test_what_decides_which_tests_run_counts_for_its_own_tests_alone():
    deciding = {"tests/profiles.py", "tests/recorder.py", "tests/turns.py", "tests/dependencies.py"}
    assert not deciding & tree().dependencies("tests/theory/problem/test_toml.py")
    assert deciding <= tree().dependencies("tests/test_profiles.py")
    assert "pyproject.toml" in tree().dependencies("tests/test_profiles.py")


VERBS = {
    "derivations/__init__.py": "",
    "derivations/cli.py": (
        "from importlib import import_module\nimport derivations.commands as commands\nimport_module('')\n"
    ),
    "derivations/commands/__init__.py": "",
    "derivations/commands/solve.py": "def command():\n    import theory.near\n",
    "derivations/commands/flow.py": "import theory.lazy.one\n\ndef command():\n    import theory.alone\n",
    "derivations/bench.py": "import subprocess\nsubprocess.run([sys.executable, '-m', 'derivations.cli', 'flow'])\n",
    "tests/words.py": "SOLVE = 'solve'\n",
    "tests/test_solve.py": "from derivations.cli import main\nmain(['solve'])\n",
    "tests/test_solve_twice.py": "from tests import words\nfrom derivations import cli\ncli.main([words.SOLVE])\n",
    "tests/test_flow.py": "import derivations.bench\n",
    "tests/test_verb.py": "from derivations.commands import solve\n",
    "tests/test_help.py": "from derivations.cli import main\nmain(['--help'])\n",
    "tests/test_sentence.py": '"""To solve."""\nfrom derivations import cli\n\ndef test():\n    """To solve."""\n',
    "derivations/book.md": "$ gdln solve\n",
    "tests/readme.py": "",
    "tests/test_page.py": "from derivations import cli\nfrom tests import readme\nPAGE = 'derivations/book.md'\n",
    "tests/test_text.py": "from derivations import cli\nPAGE = 'derivations/book.md'\n",
}
SOLVES = {"solve", "solve_twice", "page"}
COMMANDS = SOLVES | {"flow", "help", "sentence", "text"}
RUN = {
    "theory/far.json": SOLVES | {"verb"},
    "theory/alone.json": {"flow"},
    "theory/lazy/one.py": COMMANDS,
    "derivations/commands/flow.py": COMMANDS,
    "derivations/commands/new.py": COMMANDS,
    "tests/words.py": {"solve_twice"},
    "derivations/book.md": {"page", "text"},
}


@pytest.mark.parametrize("path", RUN)
def test_a_verb_counts_where_it_is_said_and_its_module_where_it_is_loaded(planted, path):
    changed = planted(**VERBS | {path: (FILES | VERBS).get(path, "") + "# changed\n"})
    told = {name for name in stale(planted(**VERBS), changed) if name in VERBS}
    assert told == {f"tests/test_{name}.py" for name in RUN[path]}


COMMAND = {"derivations/__main__.py", "derivations/cli.py", "theory/problem/laws.py", "sim/train.py"}
PROCESSES = {
    "tests/derivations/explore/test_page.py": {"derivations/explore/web/app.js", "derivations/explore/server.py"},
    "tests/derivations/explore/test_fields_page.py": {"derivations/explore/web/app.js", "theory/flow/__init__.py"},
    "tests/derivations/sweeps/test_store.py": {"derivations/sweeps/store.py"},
}


@pytest.mark.parametrize("test_file", PROCESSES)
def test_what_its_processes_load_counts_and_texts_beside_the_packages_do_not(test_file):
    needed = tree().dependencies(test_file)
    assert needed >= COMMAND & tree().digests.keys() | PROCESSES[test_file]
    assert not {"README.md", "CONTRIBUTING.md", "tests/test_readme.py"} & needed


def held(module):
    """The modules of the tree from which a loaded module holds the module itself, a function or a class.

    A package also holds its submodules that others import, and names that others were the first to use.
    """
    if hasattr(module, "__path__") and "__getattr__" in vars(module):
        return set()
    names = {
        value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        for value in list(vars(module).values())
    }
    others = [sys.modules.get(name) for name in names if isinstance(name, str)]
    return {other for other in others if place(other) and not other.__name__.startswith(f"{module.__name__}.")}


def place(module):
    """The path of a loaded module in the tree, or None for a module of a package."""
    file = getattr(module, "__file__", None)
    if not file or not Path(file).is_relative_to(ROOT) or ".venv" in Path(file).parts:
        return None
    return str(Path(file).relative_to(ROOT))


def test_what_the_loaded_modules_hold_is_counted():
    """The imports of this run, followed from object to object, are among those that are read from the sources."""
    now = tree()
    starts = [module for module in list(sys.modules.values()) if place(module) in set(now.test_files())]
    assert sys.modules[__name__] in starts
    of = {}
    for start in starts:
        reached, waiting = set(), [start]
        while waiting:
            module = waiting.pop()
            if module not in reached:
                reached.add(module)
                of[module] = of[module] if module in of else held(module)
                waiting += of[module]
        assert {place(module) for module in reached} <= now.dependencies(place(start))
