"""The profiles of pytest: `quick` leaves unchanged tests to other turns, `full` runs all; each can write the record."""

from collections.abc import Mapping, Sequence
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from tests import dependencies, record
from tests.recorder import Recorder, Witness
from tests.turns import Plan, plan, unit_of

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
    group.addoption("--write-record", action="store_true", help="store each test file that ran whole in this run")


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
    if option.write_record and (option.lf or any("::" in name for name in config.args)):
        raise pytest.UsageError("--write-record stores test files that run whole: name files, not tests, without --lf.")
    known, trouble = _usable()
    chosen = _chosen(config, known) if quick and not trouble else None
    selection = Selection.of(known, chosen)
    config.pluginmanager.register(selection, "selection")
    config.pluginmanager.register(Summary(config, chosen, trouble if quick else ""))
    if option.write_record:
        witness = Witness()
        config.pluginmanager.register(witness)
        kept = record.Record({}, {}) if trouble else known
        config.pluginmanager.register(Recorder(witness, kept, trouble if asked(config) else ""))


def _usable() -> tuple[record.Record, str]:
    """Return the record, and the reason why it does not tell which tests pass, or the empty string."""
    try:
        known = record.read()
    except record.UnusableRecordError as error:
        return record.Record({}, {}), str(error)
    changed = record.differences(known.versions, record.versions())
    return known, f"The record is of other versions: {'; '.join(changed)}" if changed else ""


def _chosen(config: pytest.Config, known: record.Record) -> Plan:
    """Return the plan of a quick run."""
    tree = dependencies.tree()
    fresh = [name for name, run in known.files.items() if name in tree.digests and tree.hash(name) == run.hash]
    stale = [name for name in tree.test_files() if name not in set(fresh)]
    try:
        return plan(known, fresh, stale, config.option.turn, _last(config))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def _last(config: pytest.Config) -> int | None:
    cache = getattr(config, "cache", None)
    return cache and cache.get(LAST, None)


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
