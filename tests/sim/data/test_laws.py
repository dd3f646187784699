"""Every sampler against the exact statistics of its law, and against those of a law close by."""

from importlib import import_module
from pathlib import Path

import pytest
import torch

from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from tests.sim.data.omnibus import ROWS, distance, draws
from tests.tolerances_of_laws import SIM_DRAW
from theory.problem import LAWS

FILES = sorted(path.stem for path in (Path(__file__).parent / "laws").glob("*.py"))
CASES = {file: import_module(f"tests.sim.data.laws.{file}").CASES for file in FILES}
FIRST = [(file, *cases[0]) for file, cases in CASES.items()]
OTHERS = [(file, *case) for file, cases in CASES.items() for case in cases[1:]]


def test_every_law_has_a_file_with_cases():
    assert sorted(law.replace("-", "_") for law in LAWS) == FILES


def test_samples_are_those_of_the_law():
    """Not rejected at the level; half of the examples are enough for all but small faults."""
    assert [(file, law) for file, law, _ in FIRST if not distance(law, *draws(law, ROWS // 2)) <= 1] == []
    _, law, close = FIRST[0]
    assert distance(close, *draws(law, ROWS // 2)) > 1


@pytest.mark.slow
def test_samples_are_those_of_the_law_and_of_no_law_close_by():
    """The same samples are rejected as those of the law close by."""
    wrong = []
    for file, law, close in (*FIRST, *OTHERS):
        x, category = draws(law)
        if not distance(law, x, category) <= 1 < distance(close, x, category):
            wrong.append((file, law, close))
    assert wrong == []


def test_a_stream_gives_the_same_examples_however_it_is_divided():
    for file, law, _ in FIRST:
        sampler = prepare(law, torch.device("cpu"), torch.float64)
        whole = sampler.draw([stream(5, 1, MEASUREMENT)], 12)
        first, second = stream(5, 0, MEASUREMENT), stream(5, 1, MEASUREMENT)
        parts = [sampler.draw([first, second], rows) for rows in (5, 7)]
        assert torch.cat([part.x[1].clone() for part in parts]).sub(whole.x[0]).abs().max() <= SIM_DRAW, file
        assert torch.equal(torch.cat([part.category[1] for part in parts]), whole.category[0]), file
