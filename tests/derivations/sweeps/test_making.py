"""The facts of a cell: what it took is measured by a clock that nobody sets."""

from datetime import UTC, datetime, timedelta

from derivations.sweeps import making
from tests.derivations.sweeps.cases import sweep_of


def test_a_clock_that_is_set_back_changes_no_duration(monkeypatch):
    hours = iter([1, 0])

    class Clock:
        @staticmethod
        def now(zone):
            return datetime(2026, 1, 1, tzinfo=zone) + timedelta(hours=next(hours))

    monkeypatch.setattr(making, "datetime", Clock)
    _, facts = making.make(sweep_of().cells[0].problem, ("loss",), "cpu")
    assert facts["started"] > facts["finished"]
    assert facts["wall_seconds"] >= 0
    assert datetime.fromisoformat(facts["started"]).tzinfo == UTC
