"""The turns of a quick run: they miss no test, keep the budget, and stay as long when tests double."""

import json

import pytest

from derivations.seals import sealed
from tests import record, turns
from tests.record import FileRun, Record, UnitRun, UnusableRecordError, read

SECONDS = (0.25, 0.75, 7.0, 2.0, 11.0, 0.5, 5.0, 3.0)  # sums of these have no rounding
BUDGET, ALWAYS = 16.0, 2.0


def recorded(copies=1):
    """A record of invented files, each with a unit of its own and a part of a group that spans two files."""
    files = {
        f"tests/test_{copy}_{index}.py": FileRun(
            "hash",
            {
                f"tests/test_{copy}_{index}.py": UnitRun(3, seconds, ["test_skipped"] if index == 4 else []),
                f"group {copy} {index // 2}": UnitRun(2, 1.0),
            },
        )
        for copy in range(copies)
        for index, seconds in enumerate(SECONDS)
    }
    return Record({}, files)


def every_turn(of, fresh=None, budget=BUDGET, always=ALWAYS):
    """The plans of all turns."""
    fresh = of.files if fresh is None else fresh
    first = turns.plan(of, fresh, [], turn=1, budget=budget, always=always)
    others = range(2, first.turns + 1)
    return [first, *(turns.plan(of, fresh, [], turn=turn, budget=budget, always=always) for turn in others)]


def units(of):
    """The pairs of a file and a unit of the record."""
    return {(name, unit) for name, run in of.files.items() for unit in run.units}


@pytest.mark.parametrize("copies", [1, 2, 5, 40])
def test_every_unit_runs_in_some_turn_and_every_turn_keeps_the_budget(copies):
    known = recorded(copies)
    plans = every_turn(known)
    assert set().union(*(units(known) - plan.left_out for plan in plans)) == units(known)
    assert max(plan.seconds for plan in plans) <= BUDGET
    for plan in plans:
        seconds = sum(known.files[name].units[unit].seconds for name, unit in units(known) - plan.left_out)
        assert seconds == plan.seconds


def test_doubled_tests_make_more_turns_and_not_longer_ones():
    once, twice = every_turn(recorded(4)), every_turn(recorded(8))
    assert len(once) < len(twice) <= 2 * len(once) + 2
    assert max(plan.seconds for plan in twice) <= BUDGET


def test_the_shortest_units_run_always():
    plans = every_turn(recorded())
    always = set.intersection(*(units(recorded()) - plan.left_out for plan in plans))
    assert {unit for _, unit in always} == {f"tests/test_0_{index}.py" for index in (0, 1, 5)}


def test_a_group_is_run_as_a_whole():
    for plan in every_turn(recorded(3)):
        for group in range(3):
            files = {name for name, unit in plan.left_out if unit == f"group {group} 1"}
            assert len(files) in (0, 2)


def test_a_unit_longer_than_a_turn_is_run_alone_beside_the_shortest():
    plans = every_turn(recorded(), budget=6.0)
    longest = {name for name, run in recorded().files.items() if run.units[name].seconds > 6.0 - ALWAYS}
    assert len(longest) == 3
    for plan in plans:
        chosen = {name for name in longest if (name, name) not in plan.left_out}
        assert plan.seconds <= 6.0 or (len(chosen) == 1 and plan.seconds <= ALWAYS + max(SECONDS))


def test_tests_that_were_skipped_run_in_every_turn():
    name = "tests/test_0_4.py"
    for plan in every_turn(recorded()):
        assert ((name, name) in plan.left_out) == (f"{name}::test_skipped" in plan.kept)


def test_files_that_changed_take_no_turns():
    fresh = sorted(recorded().files)[:3]
    plan = turns.plan(recorded(), fresh, ["tests/test_new.py"], turn=1, budget=BUDGET, always=ALWAYS)
    assert {name for name, _ in plan.left_out} <= set(fresh)
    assert "every test in files that changed or depend on a change (1)" in plan.text()


def test_the_next_turn_follows_the_last_and_a_fresh_clone_begins_anywhere(monkeypatch):
    known, count = recorded(3), len(every_turn(recorded(3)))
    assert count > 2
    for last in range(1, count + 1):
        assert turns.plan(known, known.files, [], last=last, budget=BUDGET, always=ALWAYS).turn == last % count + 1
    asked = []
    monkeypatch.setattr(turns.secrets, "randbelow", lambda among: asked.append(among) or among - 1)
    assert turns.plan(known, known.files, [], budget=BUDGET, always=ALWAYS).turn == count
    assert asked == [count]


@pytest.mark.parametrize("turn", [0, 99])
def test_a_turn_that_does_not_exist_is_refused(turn):
    with pytest.raises(ValueError, match=rf"--turn {turn}: the turns are 1 to \d+"):
        turns.plan(recorded(), recorded().files, [], turn=turn)


def test_the_stored_record_covers_every_test_within_the_budget():
    try:
        known = read()
    except UnusableRecordError as error:  # a run that writes the first one must pass without it
        pytest.skip(str(error))
    plans = every_turn(known, budget=turns.BUDGET, always=turns.ALWAYS)
    assert set().union(*(units(known) - plan.left_out for plan in plans)) == units(known)
    # A longer unit, as of loops that are compiled once, has a turn of its own. These are few.
    assert sum(plan.seconds > turns.BUDGET for plan in plans) <= 2


def test_a_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "record.json"
    path.write_text(Record({"python": "3.11"}, recorded().files).text())
    assert read(path) == Record({"python": "3.11"}, recorded().files)


def without_seal(text):
    return json.dumps({key: value for key, value in json.loads(text).items() if key != "seal"})


EDITS = {
    "a hash": lambda text: text.replace('"hash": "hash"', '"hash": "other"', 1),
    "seconds": lambda text: text.replace("11.0", "12.0", 1),
    "no seal": without_seal,
    "torn": lambda text: text[: len(text) // 2],
    "a list": lambda text: "[]",
    "no files under a seal": lambda text: json.dumps(sealed({"versions": {}})),
    "files without units under a seal": lambda text: json.dumps(sealed({"versions": {}, "files": {"a": {}}})),
    "not UTF-8": lambda text: "\udcff",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_record_is_not_used(tmp_path, name):
    path = tmp_path / "record.json"
    path.write_bytes(EDITS[name](recorded().text()).encode(errors="surrogateescape"))
    with pytest.raises(UnusableRecordError, match="pytest --profile full --write-record"):
        read(path)


def test_a_missing_record_is_not_used(tmp_path):
    with pytest.raises(UnusableRecordError, match="There is no record"):
        read(tmp_path / "record.json")


def test_other_versions_are_named():
    assert record.differences({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == []
    assert record.differences({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == [
        "b 3, not 2",
        "c 4, not none",
    ]
    assert {"python", "system", "ground types", "numpy", "sympy", "torch", "hypothesis"} <= record.versions().keys()
