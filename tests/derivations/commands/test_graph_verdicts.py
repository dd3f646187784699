"""The verdicts of `gdln compare` on a graph: what is taken for rounding, the levels, the words, and the distances."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from derivations.answers import graph_compare
from derivations.answers.graph_compare import LEVEL, MARGIN, Verdict, graph_view
from derivations.experiments.folders import problem_named
from derivations.statistics.comparison import Agreement, judged
from tests.tolerances_of_graphs import GRAPH_DESCENT, TWO_DIGITS
from theory.claims.model import Outcome
from theory.flow.graph.integrate import integrate

RACE = problem_named("race")
S = 64  # networks
KINDS = ("loss", "sizes of weights", "strengths of paths")


def agreement(p, bound, margin):
    """The findings of a calibrated comparison of 64 networks."""
    return Agreement(
        p=p, statistic=1.0, critical=3.0, bound=bound, margin=margin, worst_entry=(0,), replicates=S, diverged=0,
        powers={}, rejected_alternatives={}, moving=1, skewness=0.1, skewness_error=0.1, skewness_limit=1.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("p", "bound", "words", "outcome"),
    [
        (0.5, 0.9, "agrees: no difference is shown", Outcome.PASS),
        (0.5, 1.1, "open: no difference is shown", Outcome.INCONCLUSIVE),
        (0.001, 0.9, "a small difference is shown", Outcome.FAIL),
        (0.001, 1.1, "differs: a difference is shown", Outcome.FAIL),
    ],
)
def test_the_words_say_what_is_shown_and_how_large_it_may_be(p, bound, words, outcome):
    """The bound in the unit of the margin, which is 1 % of the largest prediction."""
    judgement = agreement(p, bound * 7.0, 7.0)
    verdict = Verdict(judgement, LEVEL, *judged(judgement, LEVEL))
    assert verdict.outcome is outcome
    assert verdict.text().startswith(words)
    assert verdict.text().endswith(f"at most {MARGIN * bound:.2%} of the largest prediction")


def verdicts(departures, noise=1e-9, dtype="float32"):
    """Verdicts on 64 networks whose loss, sizes and strengths leave the prediction 1 by a share, at two times."""
    rng = np.random.default_rng(0)
    theory = {"loss": {"loss": np.ones((1, 3))}}
    theory |= {kind: {"A": np.ones((1, 3)), "B": np.ones((1, 3))} for kind in ("sizes", "strengths")}
    view = SimpleNamespace(times=np.array([0.0, 1.0, 2.0]), quantities=theory)

    def networks(kind, departure):
        return 1 + departure + noise * rng.normal(size=(S, 3, len(theory[kind])))

    values = dict(zip(theory, map(networks, theory, departures), strict=True))
    trained = SimpleNamespace(
        loss=SimpleNamespace(values=values["loss"][..., 0], diverged=0),
        sizes=SimpleNamespace(values=values["sizes"]),
        strengths=SimpleNamespace(values=values["strengths"]),
        run=SimpleNamespace(dtype=dtype),
    )
    return graph_compare._verdicts(view, trained, np.zeros(S, dtype=int))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_larger_than_rounding_is_a_difference(dtype):
    """Forty units in four layers round a norm by some hundred eps; ten times as much is no rounding, for each kind."""
    eps = float(np.finfo(dtype).eps)
    still = verdicts((10 * eps,) * 3, eps, dtype)
    assert {name: verdict.outcome for name, verdict in still.items()} == dict.fromkeys(KINDS, Outcome.PASS)
    for place, name in enumerate(KINDS):
        departures = [0.0] * 3
        departures[place] = 4000 * eps
        judgement = verdicts(departures, eps, dtype)
        failed = [kind for kind, verdict in judgement.items() if verdict.outcome is Outcome.FAIL]
        assert failed == [name]
        assert abs(judgement[name].agreement.bound / (4000 * eps) - 1) <= TWO_DIGITS


def test_three_verdicts_share_one_level():
    """Holm: the smallest p-value is held against a third of the level, the next ones against more while they fail."""
    judgement = verdicts((0.05, 0.03, 0.02), noise=1e-3)
    assert sorted(verdict.level for verdict in judgement.values()) == [LEVEL / 3, LEVEL / 2, LEVEL]
    assert {verdict.outcome for verdict in judgement.values()} == {Outcome.FAIL}
    level = {verdict.level for verdict in verdicts((0.0, 0.0, 0.0), noise=1e-3).values()}
    assert level == {LEVEL / 3}


def test_the_effect_of_the_learning_rate_is_the_largest_of_all_times():
    """Steps lag behind the flow while it moves, and meet it where both have come to rest."""
    problem = replace(RACE, training=replace(RACE.training, times=(0, 1, 4, 40)))
    view, flow = graph_view(problem), integrate(problem).weights
    apart = []
    for index in range(4):
        steps = np.concatenate([view.descent.weights[name][0, index].ravel() for name in flow])
        exact = np.concatenate([flow[name][index].ravel() for name in flow])
        apart.append(np.linalg.norm(steps - exact) / np.linalg.norm(exact))
    assert max(apart) > 10 * GRAPH_DESCENT
    assert np.argmax(apart) not in (0, 3)
    assert abs(view.flow_distance - max(apart)) <= GRAPH_DESCENT
