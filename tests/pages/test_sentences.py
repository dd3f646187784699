"""Every sentence that states a number is found, and its numbers are those recomputed."""

import pytest
from mpmath import mp

from tests.pages.decisions import CLAIMED, ORDERS, RULES, decide, decided
from tests.pages.evidence import evidence, printed_as, run
from tests.pages.numerics import DIGITS
from tests.pages.reading import claimed
from tests.pages.sentences import SENTENCES, WORDS, localized, three_weights
from tests.pages.sites import binomial_ends


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(DIGITS):
        yield


@pytest.mark.parametrize(("text", "recompute"), SENTENCES, ids=[text[:60] for text, _ in SENTENCES])
def test_sentence(text, recompute):
    places = claimed(text)
    assert places, f"No page has {text!r}: a changed number must be recomputed here."
    numbers, found = places[0][1], list(recompute())
    assert len(numbers) == len(found)
    for shown, value in zip(numbers, found, strict=True):
        assert printed_as(shown, value), f"{text}: {shown}, recomputed {value}"


@pytest.mark.parametrize(("text", "holds"), WORDS, ids=[text[:60] for text, _ in WORDS])
def test_words(text, holds):
    assert claimed(text), f"No page has {text!r}: a changed share must be recomputed here."
    assert holds()


@pytest.mark.parametrize("rule", RULES)
def test_shares_over_the_configurations(rule):
    # The control is the other order, or the start where both orders are claimed.
    other = [order for order in ORDERS if order not in CLAIMED[rule]]
    levels = evidence()[f"localization.design.{rule}"]["levels"]
    shares = {"simulated": decided(rule, *CLAIMED[rule])}
    shares["negative control"] = decided(rule, *(other or ORDERS), times=None if other else (0,))
    for level in levels:
        if level["level"] not in shares:
            continue
        holds, undecided, count = shares[level["level"]]
        low, high = binomial_ends(holds, undecided, count)
        told = f"{holds} of {count} configurations" + (f", {undecided} undecided" if undecided else "")
        assert told in level["where"]
        assert f"(99 %: {low:.2f} to {high:.2f})" in level["where"]


def test_where_oscillation_holds():
    pairs = {}
    for one in run("relu_design", "relu-design")["trained"]:
        if one["order"] == ORDERS[1]:
            pairs.setdefault(tuple(one["xi"]), []).append(decide(one, "oscillating") is True)
    shares = {xi: sum(found) / len(found) for xi, found in pairs.items()}
    assert all(shares[tuple(xi)] > 1 / 2 for xi in ([2.0, 1.0], [3.0, 1.0]))
    assert not any(shares[tuple(xi)] for xi in ([3.0, 2.0], [3.5, 2.0]))


def test_networks_that_have_not_localized():
    assert claimed("at t = 100 four networks of thirty have not yet localized, at t = 25 twenty-six")
    assert (30 - localized("localization-sweep", 4, 2), 30 - localized("localization-sweep", 4, 1)) == (4, 26)
    assert claimed("at gains 35.9 and 100 one network of the thirty ends with three equal weights and the ratio 1/3")
    for place in (8, 9):
        (ratio,) = three_weights(place)
        assert printed_as("0.33", ratio)
    assert claimed("at gain 100 no network stays behind")
    assert localized("localization-batch", 3, 2) == 30


def test_a_changed_number_is_not_found():
    assert not claimed("negative above r = {0.713473} (xi = {1.72104})")


def mark() -> None:
    """Mark the sentences."""
    for text, _ in SENTENCES:
        claimed(text)
