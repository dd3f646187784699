"""Seals: a digest of the content that depends on nothing but the content."""

import math

import pytest

from derivations.seals import SEAL, canonical, is_whole, sealed


def test_the_order_of_the_keys_does_not_matter():
    whole = sealed({"mean": 0.5, "count": {"a": 1, "b": 2}})
    assert is_whole({SEAL: whole[SEAL], "count": {"b": 2, "a": 1}, "mean": 0.5})


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_numbers_that_json_lacks_have_no_text(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"mean": number})


def test_a_seal_is_replaced_and_not_sealed():
    whole = sealed({"mean": 0.5})
    assert sealed(whole) == whole
    assert sealed({**whole, SEAL: "another"}) == whole
    assert not is_whole({**whole, SEAL: "another"})
    assert not is_whole({**whole, "mean": 0.25})
    assert not is_whole({"mean": 0.5})
