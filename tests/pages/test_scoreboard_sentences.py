"""The sentences of the scoreboard that state results in words, computed again from the stored results."""

import json
import math
from typing import Any

import pytest

from tests.pages.reading import claimed
from tests.pages.test_scoreboard import RESULTS


def row(experiment: str, key: str) -> dict[str, Any]:
    """A statement of a stored result."""
    content = json.loads((RESULTS / f"{experiment}.json").read_text("utf-8"))
    return next(one for one in content["rows"] if one["key"] == key)


def factor(experiment: str, key: str) -> list[str]:
    """The mean of a logarithm and its interval as factors."""
    found = row(experiment, key)
    return [f"{math.exp(found[part]):.1f}" for part in ("mean", "low", "high")]


def value(key: str) -> float:
    """A printed accuracy of the table on MNIST."""
    return row("npk-table-2-mnist", key)["value"]


def below() -> list[str]:
    """How far the means with Adam are below the printed ones: the smallest and the largest of the four."""
    own = [row("npk-table-2-mnist", f"{name}, adam") for name in ("frnpf-own", "frnpf-same", "dnpfl", "relu")]
    apart = sorted(one["value"] - one["mean"] for one in own)
    return [f"{apart[0]:.1f}", f"{apart[-1]:.1f}"]


def percents(experiment: str, *keys: str) -> list[str]:
    """Means in percent."""
    return [f"{row(experiment, key)['mean']:.0f}" for key in keys]


def grown(experiment: str, key: str, part: str) -> list[str]:
    """A logarithm as the percentage by which something is larger."""
    return [f"{100 * (math.exp(row(experiment, key)[part]) - 1):.0f}"]


def whole(factors: list[str]) -> list[str]:
    """Factors without decimals."""
    return [f"{float(one):.0f}" for one in factors]


def optima() -> list[str]:
    """The smallest and the largest participation ratio of the optimum where a gate is held at one site."""
    content = json.loads((RESULTS / "notes-gain.json").read_text("utf-8"))
    ratios = [one["theory"] for one in content["beside"]]
    return [f"{min(ratios):.2f}", f"{max(ratios):.2f}"]


SENTENCES = {
    "learned {5.2} times earlier by ReLU networks ({2.9} to {9.4})": factor("dlgn-fig-4", "upper first, relu"),
    "For DLGN the factor is {9.1} ({5.6} to {14.9})": factor("dlgn-fig-4", "upper first, dlgn"),
    "is below {1.1} at these times, the smallest that counts": [f"{math.exp(0.1):.1f}"],
    "behind ReLU by {0.32} % (Adam) and {0.75} % (SGD)": [
        f"{value(f'relu, {optimiser}') - value(f'flnpf, {optimiser}'):.2f}" for optimiser in ("adam", "sgd")
    ],
    "Four of the five means with Adam are {0.3} to {0.5} % below the printed ones": below(),
    "to within about {4} % (DLGN-PWC) and {9} % (ReLU)": percents("dlgn-fig-7", "accuracy, dlgn-pwc", "accuracy, relu"),
    "have at most {2} % more paths on the simple half": grown("dlgn-fig-7-pytorch", "paths 1, relu", "high"),
    "need {2.7} times as many epochs as gates that learn ({1.3} to {5.6})": factor("dlgn-circle", "slower, adam"),
    "need {14} times as many epochs as gates that learn with Adam ({11} to {18})": whole(
        factor("dlgn-circle-he", "slower, adam")
    ),
    "and {36} times as many with gradient descent ({25} to {52})": whole(factor("dlgn-circle-he", "slower, sgd")),
    "leave {13} times the power of waves of high frequency on the upper half ({5.4} to {31.9})": [
        *whole(factor("dlgn-fig-4", "waves")[:1]),
        *factor("dlgn-fig-4", "waves")[1:],
    ],
    "by a factor of {2.3} before training and {2.0} after it, their norms by {1.4} and {1.2}": [
        f"{10 / math.exp(row('npk-kernel-scales', f'{what}, {when}')['mean']):.1f}"
        for what in ("trace", "norm")
        for when in ("start", "end")
    ],
    "with a participation ratio of {0.98} to {0.99}": optima(),
    "are about {9} % more localized than the run": grown("notes-replay", "localization", "mean"),
}


def mark() -> None:
    """Mark the numbers of the sentences."""
    for text in SENTENCES:
        claimed(text)


@pytest.mark.parametrize("text", SENTENCES)
def test_the_page_says_what_the_results_are(text):
    found = claimed(text)
    assert [unit.page for unit, _ in found] == ["scoreboard"]
    assert [numbers for _, numbers in found] == [SENTENCES[text]]


def test_learned_gates_lose_nothing():
    """The two methods are ahead of random gates by amounts that their intervals do not tell apart."""
    for optimiser in ("adam", "sgd"):
        learned, relu = (row("npk-table-2-mnist", f"{name} ahead, {optimiser}") for name in ("flnpf", "relu"))
        assert learned["low"] < relu["mean"] < learned["high"] or relu["low"] < learned["mean"] < relu["high"]
