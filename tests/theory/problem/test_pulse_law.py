"""The declaration of single pulses: what is refused, and with which words."""

import pytest

from tests.paths import PROBLEMS
from theory.problem import InputError, SinglePulse, load, loads

SHIPPED = PROBLEMS / "single-pulse.toml"
GOOD = {"n": 8, "widths": [[1, 2], [3, 8]], "support": "zero-one", "flip": "none", "labels": ["1/2", -1]}


def test_numbers_are_exact_and_hashable():
    law = SinglePulse(**GOOD)
    assert law.widths == ((1, 2), (3, 8))
    assert law == SinglePulse(8, ((1, 2), (3, 8)), "zero-one", "none", (0.5, -1))
    assert len({law, SinglePulse(**GOOD)}) == 1
    assert (law.latent, law.boundary) == (False, "ring")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("n", 1, r"data\.n = 1 must be at least 2"),
        ("n", 20_000, "takes 3.2 GB of memory"),
        ("n", "8", "not a whole number"),
        ("widths", [1, 2], r"data\.widths\[0\] = 1 must be two whole numbers\. Give the least and the largest width"),
        (
            "widths",
            [[1, 2]],
            r"data\.widths has 1 entries, data\.labels 2: each class needs one of both\. Give one for each",
        ),
        ("widths", 3, r"must be a list of ranges \[a, b\] of widths"),
        ("widths", [[1, 2], [3]], r"data\.widths\[1\] = \[3\] must be two whole numbers"),
        ("widths", [[0, 2], [3, 4]], r"data\.widths\[0\]\[0\] = 0 must be at least 1"),
        ("widths", [[1, 2], [3, 9]], r"data\.widths\[1\]\[1\] = 9 is more than 8: a pulse does not fit a ring of 8"),
        ("widths", [[1, 2], [4, 3]], r"data\.widths\[1\] = \[4, 3\] contains no width\. Give the least width first"),
        ("widths", [[1, 2], [3, 3.5]], r"data\.widths\[1\]\[1\] = 3\.5 is not a whole number"),
        ("widths", [[1, True], [3, 4]], "True is not a whole number"),
        ("support", "zeroone", r"data\.support = 'zeroone' is not known\. Did you mean `zero-one`\?"),
        ("flip", "both", r"data\.flip = 'both' is not known\. Choose one of: none, sign, complement"),
        ("flip", True, "not known"),
        ("labels", [1, 0, 1], r"data\.widths has 2 entries, data\.labels 3"),
        ("labels", [1, float("inf")], "not finite"),
    ],
)
def test_bad_pulses_are_named(key, value, message):
    with pytest.raises(InputError, match=message) as caught:
        SinglePulse(**(GOOD | {key: value}))
    assert caught.value.hint


@pytest.mark.parametrize("key", ["n", "widths", "support", "flip", "labels"])
def test_nothing_has_a_default(key):
    text = "\n".join(line for line in SHIPPED.read_text(encoding="utf-8").splitlines() if not line.startswith(key))
    with pytest.raises(InputError, match=rf"\[data\] lacks `{key}`\. State it"):
        loads(text)


@pytest.mark.parametrize("line", ["xi = [1, 2]", 'boundary = "ring"', "gain = 1"])
def test_fields_of_other_laws_are_unknown(line):
    text = SHIPPED.read_text(encoding="utf-8").replace("n = 40", f"n = 40\n{line}", 1)
    with pytest.raises(InputError, match=r"\[data\] has the unknown key"):
        loads(text)


def test_there_is_no_latent():
    text = SHIPPED.read_text(encoding="utf-8").replace("lo = 0.0", 'lo = 0.0\non = "latent"')
    with pytest.raises(InputError, match='the law "single-pulse" has no latent variable'):
        loads(text)
    assert {gate.on for gate in load(SHIPPED).network.gates} == {"input"}
