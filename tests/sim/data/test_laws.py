"""Every sampler against the exact statistics of its law, and against those of a law close by."""

from importlib import import_module
from pathlib import Path

import pytest
import torch

from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from tests.sim.data.omnibus import distance, draws
from tests.tolerances_of_laws import SIM_DRAW
from theory.problem import LAWS

FILES = sorted(path.stem for path in (Path(__file__).parent / "laws").glob("*.py"))
CASES = [(file, *case) for file in FILES for case in import_module(f"tests.sim.data.laws.{file}").CASES]
FIRST = [(file, *import_module(f"tests.sim.data.laws.{file}").CASES[0]) for file in FILES]
REST = [case for case in CASES if case not in FIRST]


def test_every_law_has_a_file_with_cases():
    assert sorted(law.replace("-", "_") for law in LAWS) == FILES
    assert {law.law.replace("-", "_") for _, law, _ in CASES} == set(FILES)


def assert_samples_are_those_of_the_law(file, law, close):
    """Not rejected at the level; the same samples are rejected as those of the law close by."""
    assert type(law).law.replace("-", "_") == file
    x, category = draws(law)
    assert distance(law, x, category) <= 1, law
    assert distance(close, x, category) > 1, close


def test_samples_are_those_of_the_law():
    for case in FIRST:
        assert_samples_are_those_of_the_law(*case)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "law", "close"), REST, ids=[f"{file}-{i}" for i, (file, *_) in enumerate(REST)])
def test_samples_of_further_laws_are_those_of_the_law(file, law, close):
    assert_samples_are_those_of_the_law(file, law, close)


def test_a_stream_gives_the_same_examples_however_it_is_divided():
    for _file, law, _close in CASES:
        assert_division_changes_no_example(law)


def assert_division_changes_no_example(law):
    sampler = prepare(law, torch.device("cpu"), torch.float64)
    whole = sampler.draw([stream(5, 1, MEASUREMENT)], 12)
    own = stream(5, 1, MEASUREMENT)
    other = stream(5, 0, MEASUREMENT)
    parts = [sampler.draw([other, own], rows) for rows in (5, 7)]
    assert torch.cat([part.x[1].clone() for part in parts]).sub(whole.x[0]).abs().max() <= SIM_DRAW
    assert torch.equal(torch.cat([part.category[1] for part in parts]), whole.category[0])
