"""The declaration of single pulses: what is refused, and with which words."""

import pytest

from tests.paths import PROBLEMS
from tests.theory.problem.refusals import not_refused
from theory.problem import InputError, SinglePulse, load, loads

SHIPPED = PROBLEMS / "single-pulse.toml"
GOOD = {"n": 8, "widths": [[1, 2], [3, 8]], "support": "zero-one", "flip": "none", "labels": ["1/2", -1]}


def test_numbers_are_exact_and_hashable():
    law = SinglePulse(**GOOD)
    assert law.widths == ((1, 2), (3, 8))
    assert law == SinglePulse(8, ((1, 2), (3, 8)), "zero-one", "none", (0.5, -1))
    assert len({law, SinglePulse(**GOOD)}) == 1
    assert (law.latent, law.boundary) == (False, "ring")


def test_bad_pulses_are_named():
    cases = [
        ("n", 1, "data.n = 1 must be at least 2"),
        ("n", 20_000, "takes 3.2 GB of memory"),
        ("n", "8", "not a whole number"),
        ("widths", [1, 2], "data.widths[0] = 1 must be two whole numbers"),
        (
            "widths",
            [[1, 2]],
            "data.widths has 1 entries, data.labels 2",
        ),
        ("widths", 3, "must be a list of ranges [a, b] of widths"),
        ("widths", [[1, 2], [3]], "data.widths[1] = [3] must be two whole numbers"),
        ("widths", [[0, 2], [3, 4]], "data.widths[0][0] = 0 must be at least 1"),
        ("widths", [[1, 2], [3, 9]], "data.widths[1][1] = 9 is more than 8: a pulse does not fit a ring of 8"),
        ("widths", [[1, 2], [4, 3]], "data.widths[1] = [4, 3] contains no width. Give the least width first"),
        ("widths", [[1, 2], [3, 3.5]], "data.widths[1][1] = 3.5 is not a whole number"),
        ("support", "zeroone", "data.support = 'zeroone' is not known. Did you mean `zero-one`?"),
        ("flip", "both", "data.flip = 'both' is not known. Choose one of: none, sign, complement"),
        ("flip", True, "not known"),
        ("labels", [1, 0, 1], "data.widths has 2 entries, data.labels 3"),
    ]
    assert not_refused(lambda key, value: SinglePulse(**(GOOD | {key: value})), cases) == []


def test_there_is_no_latent():
    text = SHIPPED.read_text(encoding="utf-8").replace("lo = 0.0", 'lo = 0.0\non = "latent"')
    with pytest.raises(InputError, match='the law "single-pulse" has no latent variable'):
        loads(text)
    assert {gate.on for gate in load(SHIPPED).network.gates} == {"input"}
