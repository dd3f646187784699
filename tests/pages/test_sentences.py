"""Every sentence that states a number is found, and its numbers are those recomputed."""

import pytest
from mpmath import mp

from tests.pages import likeness, reading, shares
from tests.pages.decisions import CLAIMED, ORDERS, RULES, decided, trainings
from tests.pages.evidence import evidence, printed_as
from tests.pages.numerics import DIGITS
from tests.pages.reading import claimed
from tests.pages.sentences import SENTENCES, WORDS, localized, three_weights
from tests.pages.shares import SAID, SHARES, places, uncounted
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


@pytest.mark.parametrize(("text", "holds"), WORDS + SAID, ids=[text[:60] for text, _ in WORDS + SAID])
def test_words(text, holds):
    assert claimed(text), f"No page has {text!r}: a changed share must be recomputed here."
    assert holds()


@pytest.mark.parametrize("rule", RULES)
def test_shares_over_the_configurations(rule):
    # The control is the other order, or the start where both orders are claimed.
    other = [order for order in ORDERS if order not in CLAIMED[rule]]
    told = told_of(f"localization.design.{rule}")
    asked = {"simulated": (CLAIMED[rule], None), "negative control": (other or ORDERS, None if other else (0,))}
    assert set(told) == set(asked)
    for level, (orders, times) in asked.items():
        # All configurations are counted, so that no interval stands beside the count.
        assert told[level].endswith(f" {share(*decided(rule, *orders, times=times))}")


def test_every_configuration_is_trained_once_in_each_order():
    assert shares.trained() == shares.all_configurations()
    assert [len(trainings(order)) for order in ORDERS] == [shares.all_configurations()] * len(ORDERS)


@pytest.mark.parametrize(("level", "model"), [("simulated", "sigmoid"), ("negative control", "relu")])
def test_shares_over_the_drawn_configurations(level, model):
    holds, undecided, _, count = likeness.counts(model, "erf", centred=True)
    low, high = binomial_ends(holds, undecided, count, likeness.SECOND.level)
    told = f"alike in {share(holds, undecided, count)} (99.5 %: {low:.2f} to {high:.2f})"
    assert told in told_of("localization.sigmoid.like_erf")[level]


def told_of(claim: str) -> dict[str, str]:
    """Sentences of the evidence on the trained networks of a claim, by level."""
    return {one["level"]: one["where"] for one in evidence()[claim]["levels"] if one["outcome"] != "SKIPPED"}


def share(holds: int, undecided: int, count: int) -> str:
    """A count of configurations in words."""
    return f"{holds} of {count} configurations" + (f", {undecided} undecided" if undecided else "")


@pytest.mark.parametrize(("pattern", "recount"), SHARES, ids=[pattern[:60] for pattern, _ in SHARES])
def test_share(pattern, recount):
    found, counted = places(pattern), list(recount())
    assert found, f"No page has {pattern!r}: a sentence in other words must be counted here."
    for unit, numbers in found:
        assert len(numbers) == len(counted)
        for shown, value in zip(numbers, counted, strict=True):
            assert printed_as(shown, value), f"{unit.text}: {shown}, counted {value}"


def test_every_count_of_a_design_is_counted_again():
    shares.mark()
    assert list(uncounted()) == []


def test_a_count_that_no_pattern_has_is_named(monkeypatch):
    shares.mark()
    text = "with gain 10 it holds in 14 of 16, in none of the 5 others and in all 7 of one unit; 3 undecided"
    added = reading.Unit("relu-gates", "localization.design.oscillating", text, text)
    monkeypatch.setattr(reading, "units", lambda: (added,))
    assert [line.split(" in ")[0].split(": ")[1] for line in uncounted()] == [
        "14 of 16",
        "none of the 5",
        "all 7",
        "3 undecided",
    ]


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
    shares.mark()
