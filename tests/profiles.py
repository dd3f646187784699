"""The profiles of pytest: `quick` leaves unchanged tests to other turns, `full` runs all and can write the record."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from derivations.atomic import write_text
from tests import dependencies, record
from tests.turns import Plan, plan

NEVER = ""  # in the place of a hash: what the file depends on is not known
LAST = "turns/last"  # where pytest's cache has the last turn that passed


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the profiles."""
    group = parser.getgroup("profiles", "which of the unchanged tests run")
    group.addoption(
        "--profile",
        choices=("quick", "full"),
        default="quick",
        help="quick (default): files that changed whole, of the others one turn; full: all tests",
    )
    group.addoption("--turn", type=int, metavar="N", help="the turn of the quick profile, from 1")
    group.addoption("--write-record", action="store_true", help="with --profile full: store the run")


def asked(config: pytest.Config) -> bool:
    """Whether something selects tests: a path, a test's name, -k, -m, or what failed before. Then these run whole."""
    option = config.option
    names = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "last_failed", "stepwise")
    return config.args_source is not pytest.Config.ArgsSource.TESTPATHS or any(
        getattr(option, name, None) for name in names
    )


def register(config: pytest.Config) -> None:
    """Register the plug-ins of the profile in this process."""
    option = config.option
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Selection(**config.workerinput["selection"]))
        if option.write_record:
            config.pluginmanager.register(Witness())
        return
    quick = option.profile == "quick" and not asked(config)
    if option.turn is not None and not quick:
        raise pytest.UsageError("--turn chooses among all tests of the quick profile: name no tests, and no profile.")
    if option.write_record and (option.profile == "quick" or asked(config)):
        raise pytest.UsageError("--write-record stores a whole run: it needs --profile full and no choice of tests.")
    try:
        known, trouble = record.read(), ""
    except record.UnusableRecordError as error:
        known, trouble = record.Record({}, {}), str(error)
    chosen = None
    if quick and not trouble:
        chosen, trouble = _chosen(config, known)
    selection = Selection.of(known, chosen)
    config.pluginmanager.register(selection, "selection")
    config.pluginmanager.register(Summary(config, chosen, trouble if quick else ""))
    if option.write_record:
        witness = Witness()
        config.pluginmanager.register(witness)
        config.pluginmanager.register(Recorder(witness))


def _chosen(config: pytest.Config, known: record.Record) -> tuple[Plan | None, str]:
    """Return the plan of a quick run, or None and the reason why every test runs."""
    changed = record.differences(known.versions, record.versions())
    if changed:
        return None, f"The record is of other versions: {'; '.join(changed)}"
    tree = dependencies.tree()
    fresh = [name for name, run in known.files.items() if name in tree.digests and tree.hash(name) == run.hash]
    stale = [name for name in tree.test_files() if name not in set(fresh)]
    try:
        return plan(known, fresh, stale, config.option.turn, _last(config)), ""
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def _last(config: pytest.Config) -> int | None:
    cache = getattr(config, "cache", None)
    return cache and cache.get(LAST, None)


def unit_of(item: pytest.Item) -> str:
    """Return the unit of a test, as pytest-xdist names it: its group, or its file."""
    names = {str(mark.args[0] if mark.args else mark.kwargs["name"]) for mark in item.iter_markers("xdist_group")}
    return "_".join(sorted(names)) or item.nodeid.partition("::")[0]


class Selection:
    """The deselection of what another turn runs, and the order of units: the longest first, unknown ones before them.

    It has lists and dictionaries alone, as they are sent to the processes of pytest-xdist.
    """

    def __init__(self, left_out: Sequence[Sequence[str]], kept: Sequence[str], seconds: Mapping[str, float]) -> None:
        self.sent = {"left_out": list(left_out), "kept": list(kept), "seconds": dict(seconds)}
        self.left_out, self.kept, self.seconds = {tuple(pair) for pair in left_out}, set(kept), seconds

    @classmethod
    def of(cls, known: record.Record, chosen: Plan | None) -> "Selection":
        """Return the selection of a plan; without one every test runs."""
        seconds: dict[str, float] = {}
        for run in known.files.values():
            for unit, one in run.units.items():
                seconds[unit] = seconds.get(unit, 0.0) + one.seconds
        if chosen is None:
            return cls([], [], seconds)
        return cls([list(pair) for pair in sorted(chosen.left_out)], chosen.kept, seconds)

    @pytest.hookimpl(tryfirst=True)  # before pytest-xdist adds the group to the name
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect and order the tests."""
        units = {item: unit_of(item) for item in items}
        gone = [item for item in items if self._leaves_out(item, units[item])]
        if gone:
            config.hook.pytest_deselected(items=gone)
            items[:] = [item for item in items if not self._leaves_out(item, units[item])]
        if getattr(config.option, "loadgroup", False):
            items.sort(key=lambda item: -self.seconds.get(units[item], inf))

    def _leaves_out(self, item: pytest.Item, unit: str) -> bool:
        file = item.nodeid.partition("::")[0]
        return (file, unit) in self.left_out and item.nodeid not in self.kept


class Summary:
    """The lines before and after a run that say what it runs, and the turn that passed."""

    def __init__(self, config: pytest.Config, chosen: Plan | None, trouble: str) -> None:
        self.config, self.chosen, self.trouble = config, chosen, trouble

    def pytest_report_header(self) -> str | None:
        """Return the choice of tests in words."""
        if self.chosen:
            return self.chosen.text()
        return f"quick profile: every test runs. {self.trouble}" if self.trouble else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send the selection to a process of pytest-xdist."""
        node.workerinput["selection"] = self.config.pluginmanager.get_plugin("selection").sent

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Repeat the choice in words, and remember a turn that passed: after a failure the same turn comes again."""
        if self.trouble:
            terminalreporter.write_line(f"{self.pytest_report_header()}.")
        if self.chosen is None:
            return
        stats, turn = terminalreporter.stats, self.chosen.turn
        if "deselected" not in stats:  # pytest-xdist does not say how many its processes deselected
            stats["deselected"] = [SimpleNamespace() for _ in range(self.chosen.unchanged - self.chosen.chosen)]
        terminalreporter.write_line(
            f"{self.chosen.text()}. --turn {turn} repeats the turn, --profile full runs every test."
        )
        cache = getattr(self.config, "cache", None)
        if cache and exitstatus == 0 and stats.get("passed") and self.config.option.turn is None:
            cache.set(LAST, turn)


class Witness:
    """The unit of each report, and the files that each test file opens while its tests run."""

    def __init__(self) -> None:
        self.file = ""
        self.opened: set[tuple[str, str]] = set()
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Sources count by their imports, and Hypothesis opens those of all modules, to take constants from them.
        if (
            event == "open"
            and self.file
            and isinstance(arguments[0], str)
            and not arguments[0].endswith((".py", ".pyc"))
        ):
            self.opened.add((self.file, os.path.abspath(arguments[0])))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Attribute files to the test file."""
        self.file = item.nodeid.partition("::")[0]
        try:
            return (yield)
        finally:
            self.file = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        """Give the report the unit of its test."""
        report = yield
        report.unit = unit_of(item)
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the files to the process that writes the record."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["opened"] = [list(pair) for pair in self.opened]


class Recorder:
    """The record of a run, written at its end."""

    def __init__(self, witness: Witness) -> None:
        self.tree, self.opened = dependencies.tree(), witness.opened
        self.files: dict[str, record.FileRun] = {}
        self.failed: set[str] = set()
        self.said = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add a report to the record of its file."""
        file, _, test = report.nodeid.partition("::")
        name = getattr(report, "unit", file)  # the report of a process that crashed has no unit
        unit = self.files.setdefault(file, record.FileRun()).units.setdefault(name, record.UnitRun())
        unit.seconds += report.duration
        unit.tests += report.when == "setup"
        if report.failed:
            self.failed.add(file)
        if report.skipped:
            unit.skipped.append(test.removesuffix(f"@{name}"))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the files that a process of pytest-xdist saw opened."""
        self.opened |= {tuple(pair) for pair in getattr(node, "workeroutput", {}).get("opened", ())}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the record, if the run came to its end and no file changed meanwhile; failed files have no hash."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self.said = "was not written: the run did not come to its end."
        elif dependencies.tree().digests != self.tree.digests:
            self.said = "was not written: files changed during the run."
        else:
            hidden = self._hidden()
            for name, run in self.files.items():
                run.hash = NEVER if name in hidden or name in self.failed else self.tree.hash(name)
            write_text(record.STORED, record.Record(record.versions(), self.files).text())
            self.said = "was written."
            for name in sorted(self.failed):
                self.said += f" {name} runs whole until a run with --write-record passes: a test of it failed."
            for name, opened in hidden.items():
                self.said += (
                    f" {name} always runs whole: it opens {opened}, which tests/dependencies.py does not count."
                )
            installed = {name: record.versions()[name] for name in record.constraints()}
            if others := record.differences(record.constraints(), installed):
                self.said += f" Fresh clones have other versions, those of constraints.txt: {'; '.join(others)}."

    def _hidden(self) -> dict[str, str]:
        """Return for test files that opened a file on which they do not depend the last such file."""
        found = {}
        for file, path in sorted(self.opened):
            name = os.path.relpath(path, self.tree.root)
            if name in self.tree.digests and name not in self.tree.dependencies(file):
                found[file] = name
        return found

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say whether the record was written."""
        terminalreporter.write_line(f"{dependencies.RECORD} {self.said}")
