"""The profiles of pytest, run in a small project with the conftest of this one."""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from derivations.evidence.code import closure
from tests import record
from tests.dependencies import RECORD
from tests.paths import ROOT
from tests.profiles import Selection, register

LONG = 1000.0  # seconds: no two units of this length share a turn
FILES = {
    "tests/helper.py": "LIMIT = 1\n",
    "tests/words.txt": "words\n",
    "tests/test_first.py": """
        import pytest
        from tests.helper import LIMIT

        def test_one():
            assert LIMIT

        @pytest.mark.xdist_group("both")
        def test_shared():
            assert LIMIT
        """,
    "tests/test_second.py": """
        import pytest

        @pytest.mark.parametrize("k", range(3))
        def test_many(k):
            assert k < 3

        def test_without_device():
            pytest.skip("no device")

        @pytest.mark.xdist_group("both")
        def test_shared():
            assert True
        """,
}
NAMES = {"one", "first shared", "many[0]", "many[1]", "many[2]", "without_device", "second shared"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small project: the conftest, all that it imports, and two files of tests."""
    root = tmp_path_factory.mktemp("made")
    for name in closure(["tests.conftest", "tests.scheduling"], loaded=True):
        path = name.replace(".", "/")
        path = f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root / name)
    with (root / "constraints.txt").open("a") as constraints:
        constraints.write("numpy==0.1\n")
    for name, text in FILES.items():
        (root / name).write_text(re.sub(r"^ {8}", "", text, flags=re.MULTILINE))
    return root


@pytest.fixture(scope="module")
def passed(made, tmp_path_factory):
    """The project with the record of a run, as if each unit had taken long."""
    root = tmp_path_factory.mktemp("passed") / "project"
    shutil.copytree(made, root)
    code, said, ran = run(root, "-n0", "--profile", "full", "--write-record")
    assert (code, ran) == (0, NAMES), said
    assert re.search(rf"{RECORD} was written\. Fresh clones have other versions, .*numpy [\d.]+, not 0\.1", said)
    known = record.read(root / RECORD)
    assert set(known.files) == {"tests/test_first.py", "tests/test_second.py"}
    for file in known.files.values():
        for name, unit in file.units.items():
            unit.seconds = LONG / 2 if name == "both" else LONG
    (root / RECORD).write_text(known.text())
    return root


@pytest.fixture
def project(made, tmp_path):
    """A copy of the project without a record."""
    return shutil.copytree(made, tmp_path / "project")


@pytest.fixture
def recorded(passed, tmp_path):
    """A copy of the project with its record."""
    return shutil.copytree(passed, tmp_path / "recorded", ignore=shutil.ignore_patterns(".pytest_cache"))


def run(project, *words, environment=None):
    """Run pytest in the project; return its exit code, what it printed and the tests that it ran."""
    command = [sys.executable, "-m", "pytest", "-v", "--durations=0", *words]
    settings = os.environ | (environment or {})
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, env=settings)
    test, outcome = r"tests/test_(\w+)\.py::test_([\w\[\]]+)", "(?:PASSED|FAILED|SKIPPED)"
    lines = re.findall(rf"{test}\S* {outcome}", done.stdout)  # of one process
    lines += re.findall(rf"{outcome} {test}", done.stdout)  # of pytest-xdist
    ran = {f"{file} {test}" if test == "shared" else test for file, test in lines}
    return done.returncode, done.stdout + done.stderr, ran


def test_turns_run_every_test_and_what_was_skipped_each_time(recorded):
    runs = [run(recorded, *("-n0", "--turn", str(turn))) for turn in (1, 2, 3)]
    assert set().union(*(ran for _, _, ran in runs)) == NAMES
    for turn, (code, said, ran) in enumerate(runs, start=1):
        assert code == 0
        assert "without_device" in ran
        assert ran < NAMES
        assert f"turn {turn} of 3: {len(ran)} of {len(NAMES)} tests in files that are unchanged" in said
        assert f"{len(NAMES) - len(ran)} deselected" in said
    assert any({"first shared", "second shared"} <= ran for _, _, ran in runs)


def test_processes_of_xdist_run_the_same_turn(recorded):
    alone, together = (run(recorded, processes, "--turn", "1") for processes in ("-n0", "-n2"))
    assert together[0] == 0, together[1]
    assert together[2] == alone[2]
    assert f"{len(NAMES) - len(alone[2])} deselected" in together[1]


def test_turns_follow_each_other_and_one_that_fails_comes_again(recorded):
    first, second = (int(re.search(r"turn (\d) of 3", run(recorded, "-n0")[1])[1]) for _ in range(2))
    assert second == first % 3 + 1
    (recorded / "tests/test_new.py").write_text("def test_new():\n    assert False\n")
    third = second % 3 + 1
    for _ in range(2):
        code, said, _ = run(recorded, "-n0")
        assert code == 1
        assert f"turn {third} of 3" in said
        assert f"--turn {third} repeats the turn" in said


def test_a_file_runs_whole_after_a_change_of_what_it_imports(recorded):
    (recorded / "tests/helper.py").write_text("LIMIT = 2\n")
    for turn in ("1", "2"):
        code, said, ran = run(recorded, "-n0", "--turn", turn)
        assert code == 0
        assert "every test in files that changed or depend on a change (1)" in said
        assert {"one", "first shared"} <= ran < NAMES


@pytest.mark.parametrize("words", [["tests"], ["tests/test_first.py", "tests/test_second.py"], ["--profile", "full"]])
def test_tests_that_are_asked_for_run_whole(recorded, words):
    assert run(recorded, "-n0", *words)[2] == NAMES


def test_tests_that_are_asked_for_by_a_word_run_whole(recorded):
    assert run(recorded, "-n0", "-k", "many")[2] == {"many[0]", "many[1]", "many[2]"}


def test_all_tests_run_without_a_record_that_is_whole(project, recorded):
    assert "every test runs. There is no record.json" in run(project, "-n0")[1]
    path = recorded / RECORD
    path.write_text(path.read_text().replace("1000.0", "1.0"))
    _, said, ran = run(recorded, "-n0")
    assert "every test runs. The seal of record.json is broken" in said
    assert ran == NAMES


def test_all_tests_run_with_other_versions(recorded):
    known = record.read(recorded / RECORD)
    versions = {**known.versions, "numpy": "0.1"}
    (recorded / RECORD).write_text(record.Record(versions, known.files).text())
    _, said, ran = run(recorded, "-n0")
    assert re.search(r"every test runs\. The record is of other versions: numpy [\d.]+, not 0\.1", said)
    assert ran == NAMES


FAULTS = {
    "the run did not come to its end": "def test_new():\n    raise KeyboardInterrupt\n",
    "files changed during the run": (
        "from pathlib import Path\n\ndef test_new(request):\n"
        "    (request.config.rootpath / 'tests' / 'helper.py').write_text('LIMIT = 3')\n"
    ),
}
OPENS = "def test_new(request):\n    assert (request.config.rootpath / 'tests' / ('words' + '.txt')).read_text()\n"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_that_shows_less_is_not_recorded(project, fault):
    (project / "tests/test_new.py").write_text(FAULTS[fault])
    said = run(project, "-n2", "--profile", "full", "--write-record")[1]
    assert f"{RECORD} was not written: {fault}" in said
    assert not (project / RECORD).exists()


def test_a_file_that_failed_runs_whole_until_it_passes(project):
    (project / "tests/test_new.py").write_text("def test_good():\n    pass\n\ndef test_bad():\n    assert False\n")
    said = run(project, "-n2", "--profile", "full", "--write-record")[1]
    assert f"{RECORD} was written. tests/test_new.py runs whole until a run with --write-record passes" in said
    _, said, ran = run(project, "-n0")
    assert "every test in files that changed or depend on a change (1)" in said
    assert {"good", "bad"} <= ran


def test_a_file_that_opens_what_it_hides_always_runs_whole(project):
    (project / "tests/test_new.py").write_text(OPENS)
    said = run(project, "-n2", "--profile", "full", "--write-record")[1]
    assert (
        "tests/test_new.py always runs whole: it opens tests/words.txt, which tests/dependencies.py does not count"
        in said
    )
    assert "every test in files that changed or depend on a change (1)" in run(project, "-n0")[1]


@pytest.mark.parametrize(
    ("options", "source", "why"),
    [
        ({"write_record": True, "lf": True}, "TESTPATHS", "name files, not tests, without --lf"),
        ({"write_record": True}, "ARGS", "name files, not tests, without --lf"),
        ({"turn": 1, "profile": "full"}, "TESTPATHS", "name no tests, and no profile"),
        ({"turn": 1}, "ARGS", "name no tests, and no profile"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, source, why):
    option = SimpleNamespace(**({"profile": "quick", "turn": None, "write_record": False, "lf": False} | options))
    names = ["tests/test_turns.py::test_one"]
    config = SimpleNamespace(option=option, args_source=pytest.Config.ArgsSource[source], args=names)
    with pytest.raises(pytest.UsageError, match=why):
        register(config)


def hashes(project):
    """The hash of each test file in the record of a project."""
    return {name: run.hash for name, run in record.read(project / RECORD).files.items()}


def seconds(project):
    """The seconds of each test file in the record of a project."""
    files = record.read(project / RECORD).files.items()
    return {name: sum(unit.seconds for unit in run.units.values()) for name, run in files}


FIRST, SECOND, NEW = (f"tests/test_{name}.py" for name in ("first", "second", "new"))


@pytest.mark.parametrize("words", [["-n0"], ["-n2"], ["-n0", FIRST]])
def test_what_ran_whole_is_recorded_and_the_other_files_keep_their_entries(recorded, words):
    before = record.read(recorded / RECORD)
    (recorded / "tests/helper.py").write_text("LIMIT = 2\n")
    code, said, _ = run(recorded, *words, "--write-record")
    assert (code, f"{RECORD} was written: 1 of its 2 test files ran whole" in said) == (0, True), said
    after = record.read(recorded / RECORD)
    assert after.files[SECOND] == before.files[SECOND]
    assert after.files[FIRST].hash not in ("", before.files[FIRST].hash)
    assert 0 < seconds(recorded)[FIRST] < LONG
    assert "depend on a change (0)" in run(recorded, "-n0")[1]


@pytest.mark.parametrize("words", [["-k", "one"], ["--deselect", f"{FIRST}::test_shared"]])
def test_a_file_that_did_not_run_whole_stays_as_it_was(recorded, words):
    before = hashes(recorded)
    (recorded / "tests/helper.py").write_text("LIMIT = 2\n")
    run(recorded, "-n0", *words, "--write-record")
    assert hashes(recorded) == before
    assert "depend on a change (1)" in run(recorded, "-n0")[1]


def test_a_file_of_which_a_failure_left_tests_out_is_not_recorded(recorded):
    (recorded / NEW).write_text("def test_bad():\n    assert False\n\ndef test_good():\n    pass\n")
    assert run(recorded, "-n0", "-x", NEW, FIRST, "--write-record")[0] == 1
    assert NEW not in hashes(recorded)
    assert seconds(recorded)[FIRST] > LONG


@pytest.mark.parametrize("words", [[FIRST], ["-k", "one"]])
def test_a_file_without_a_change_that_fails_runs_whole_from_then_on(recorded, words):
    before = hashes(recorded)
    fails = {"PYTEST_ADDOPTS": "-p fails", "PYTHONPATH": str(recorded)}
    (recorded / "fails.py").write_text("import tests.helper\ntests.helper.LIMIT = 0\n")
    code, said, _ = run(recorded, "-n0", *words, "--write-record", environment=fails)
    assert (code, f"{FIRST} runs whole until a run with --write-record passes" in said) == (1, True), said
    assert hashes(recorded) == before | {FIRST: ""}
    assert run(recorded, "-n0", FIRST, "--write-record")[0] == 0
    assert hashes(recorded) == before


def test_a_file_that_is_gone_leaves_the_record(recorded):
    (recorded / SECOND).unlink()
    run(recorded, "-n0", FIRST, "--write-record")
    assert hashes(recorded).keys() == {FIRST}


def test_some_files_do_not_replace_a_record_that_is_of_no_use(recorded):
    known = record.read(recorded / RECORD)
    text = record.Record({**known.versions, "numpy": "0.1"}, known.files).text()
    for useless, why in ((text, "of other versions: numpy"), ("{}", "The seal of record.json is broken")):
        (recorded / RECORD).write_text(useless)
        said = run(recorded, "-n0", FIRST, "--write-record")[1]
        assert re.search(rf"was not written: only a run of all tests can replace it\. .*{why}", said)
        assert (recorded / RECORD).read_text() == useless
    assert f"{RECORD} was written." in run(recorded, "-n0", "--write-record")[1]
    assert seconds(recorded).keys() == {FIRST, SECOND}
    assert max(seconds(recorded).values()) < LONG


class Item:
    """A test as pytest collects it, by its name and marks."""

    def __init__(self, nodeid, marks):
        self.nodeid, self.marks = nodeid, marks

    def iter_markers(self, name):
        """Return the marks."""
        return self.marks


@pytest.mark.parametrize("grouped", [True, False])
def test_processes_get_the_longest_units_first_and_new_ones_before_them(grouped):
    marks = {"tests/test_b.py::test_group": [pytest.mark.xdist_group("group").mark]}
    tests = ("a.py::test_1", "b.py::test_1", "a.py::test_2", "b.py::test_group", "c.py::test_1")
    names = [f"tests/test_{name}" for name in tests]
    items = [Item(name, marks.get(name, [])) for name in names]
    config = SimpleNamespace(option=SimpleNamespace(loadgroup=grouped))
    seconds = {"tests/test_a.py": 1.0, "tests/test_b.py": 3.0, "group": 2.0}
    Selection([], [], seconds).pytest_collection_modifyitems(config, items)
    order = (4, 1, 3, 0, 2) if grouped else range(5)
    assert [item.nodeid for item in items] == [names[index] for index in order]
