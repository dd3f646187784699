"""The run that `--write-record` stores: the test files that ran whole, with what they open and how long they take.

Of a test file of which every collected test ran, and none failed, the record gets the hash and the seconds of this run.
A file of which a test failed gets no hash, so that it runs whole from then on. Every other file keeps its entry.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from derivations.atomic import write_text
from tests import dependencies, record
from tests.turns import unit_of

NEVER = ""  # in the place of a hash: the file did not pass, or what it depends on is not known


class Witness:
    """The tests of each file, the unit of each report, and the files that each test file opens while its tests run."""

    def __init__(self) -> None:
        self.file = ""
        self.opened: set[tuple[str, str]] = set()
        self.collected: Counter[str] = Counter()
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
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        """Count the tests of each file before any is deselected."""
        self.collected.update(item.nodeid.partition("::")[0] for item in items)
        return (yield)

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
            session.config.workeroutput["collected"] = dict(self.collected)


class Recorder:
    """The record after a run: the entries of files that ran whole are new, the others are those of `known`.

    `trouble` says why the record cannot be brought up to date by some of its files; then nothing is written.
    """

    def __init__(self, witness: Witness, known: record.Record, trouble: str) -> None:
        self.tree, self.opened, self.collected = dependencies.tree(), witness.opened, witness.collected
        self.known, self.trouble = known, trouble
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
        """Take what a process of pytest-xdist saw: every process collects the same tests."""
        sent = getattr(node, "workeroutput", {})
        self.opened |= {tuple(pair) for pair in sent.get("opened", ())}
        self.collected |= Counter(sent.get("collected", {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the record, if the run came to its end and no file changed meanwhile."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self.said = "was not written: the run did not come to its end."
        elif dependencies.tree().digests != self.tree.digests:
            self.said = "was not written: files changed during the run."
        elif self.trouble:
            self.said = f"was not written: only a run of all tests can replace it. {self.trouble}."
        else:
            self._write()

    def _write(self) -> None:
        """Write the record, and say of which files a test failed or opened what does not count."""
        hidden = self._hidden()
        kept = {name: run for name, run in self.known.files.items() if name in self.tree.digests}
        whole = {name: run for name, run in self.files.items() if run.tests() == self.collected[name]}
        for name, run in whole.items():
            run.hash = self.tree.hash(name)
        files = kept | whole
        for name in (hidden.keys() | self.failed) & files.keys():
            files[name].hash = NEVER
        write_text(record.STORED, record.Record(record.versions(), files).text())
        self.said = "was written."
        if whole.keys() != files.keys():
            self.said = f"was written: {len(whole)} of its {len(files)} test files ran whole."
        for name in sorted(self.failed):
            self.said += f" {name} runs whole until a run with --write-record passes: a test of it failed."
        for name, opened in hidden.items():
            self.said += f" {name} always runs whole: it opens {opened}, which tests/dependencies.py does not count."
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
