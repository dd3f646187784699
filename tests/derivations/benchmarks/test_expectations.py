"""`gdln bench expectations`: times of a fresh process, and which of SymPy's answers are kept."""

import json

from derivations.benchmarks import expectations, first_derivation
from derivations.benchmarks.gallery import CASES


def test_first_and_repeated_times_are_measured():
    times = first_derivation.measured(CASES[0].name)
    assert set(times) == {"imports", "first", "repeated"}
    assert min(times["first"], times["repeated"]) > 0


def test_an_answer_of_the_same_sympy_to_the_same_integral_is_kept(tmp_path):
    kept = expectations.kept(expectations.STORED)
    assert [case.name for case in CASES if expectations.key(case) not in kept] == []
    run = json.loads(expectations.STORED.read_text())
    other = tmp_path / "other.json"
    for change in ({"limit": 1}, {"machine": {**run["machine"], "sympy": "1.0"}}):
        other.write_text(json.dumps({**run, **change}))
        assert expectations.kept(other) == {}
    assert expectations.kept(tmp_path / "absent.json") == {}
