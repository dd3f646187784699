"""The rules of the experiment on routing networks: what passes, each fault that fails, and the controls."""

from types import SimpleNamespace

import numpy as np

from derivations.experiments.model import Settings
from derivations.experiments.routing import experiment, network
from derivations.experiments.routing.tables import LEARNED
from tests.tolerances_of_graphs import GRAPH_INTEGRATED, GRAPH_STRENGTH
from theory.claims.model import Level, Outcome
from theory.flow.graph.integrate import integrate

S = 24  # networks
STRENGTHS = np.arange(1.0, 13.0).reshape(3, 2, 2)  # times, modes, b_1 and b_2


def moved(place, share):
    result = STRENGTHS.copy()
    result[place] *= 1 + share
    return result


def test_one_strength_at_one_time_decides():
    for place in ((0, 1, 0), (2, 0, 1)):
        for sign in (1, -1):
            assert experiment.follows(moved(place, sign * 0.009), STRENGTHS).outcome is Outcome.PASS
            assert experiment.follows(moved(place, sign * 0.011), STRENGTHS).outcome is Outcome.FAIL


def errors(learned, untrained, others=1.0):
    """Errors of S networks on trained and untrained pairs: so many have learned, one of them with this error."""
    each = np.where(np.arange(S) < learned, LEARNED / 10, LEARNED * 10)
    other = np.where(np.arange(S) < learned, 1e-3, others)
    other[learned - 1] = untrained
    return each, other


def test_untrained_pairs_of_networks_that_have_learned_decide():
    for connected, disconnected, expected in (
        (errors(12, 0.011), errors(24, 0.11), Outcome.FAIL),
        (errors(12, 0.009), errors(24, 0.09), Outcome.FAIL),  # all answer untrained pairs: the graph has no effect
        (errors(6, 0.009), errors(6, 0.11), Outcome.PASS),  # a quarter
        (errors(5, 0.009), errors(24, 0.11), Outcome.INCONCLUSIVE),
        (errors(24, 0.009), errors(5, 0.11), Outcome.INCONCLUSIVE),
        (errors(12, 0.009), errors(12, 0.09, others=1.0), Outcome.FAIL),  # those that have not learned do not count
    ):
        assert experiment.generalises(connected, disconnected).outcome is expected


def test_the_reduction_is_the_flow_of_the_network_that_is_trained():
    """The unreduced flow of the aligned problem, all its weights, at some of its times."""
    times, modes = np.array([0.0, 2.0]), [0, 1]
    predicted = experiment.reduction(times)
    for name, weights in integrate(experiment.aligned_problem(), times.tolist()).weights.items():
        assert abs(weights[:, modes, modes] - predicted[:, :, int(name == "W")]).max() <= GRAPH_INTEGRATED
    assert abs(experiment.reduction(times, domains=1) / predicted - 1).max() > 10 * experiment.WITHIN


def test_errors_are_those_of_trained_and_of_untrained_pairs():
    """Of two networks at three times, by loops over input i and output o."""
    rng, targets, pairs = np.random.default_rng(0), (2.0, 1.0), ((0, 1), (0, 2), (3, 0))
    weights = {f"{letter}{k}": rng.normal(size=(2, 3, 2, 2)) for letter in "ED" for k in range(4)}
    weights["W"] = rng.normal(size=(2, 3, 2, 2))
    each, other = network.errors_of(SimpleNamespace(parameters=weights), pairs, 4, targets)
    for s, t in np.ndindex(2, 3):
        apart = {}
        for i, o in np.ndindex(4, 4):
            output = weights[f"D{o}"][s, t] @ weights["W"][s, t] @ weights[f"E{i}"][s, t]
            apart[i, o] = ((output - np.diag(targets)) ** 2).sum() / 5
        trained = [apart[pair] for pair in pairs]
        untrained = [apart[pair] for pair in apart if pair not in pairs]
        assert abs(each[s, t] - np.mean(trained)) <= GRAPH_STRENGTH * each[s, t]
        assert abs(other[s, t] - np.mean(untrained)) <= GRAPH_STRENGTH * other[s, t]


def judged(monkeypatch, errors_of_tables):
    """The results where the random networks of each table and width have these errors, and aligned ones follow."""
    ring = {4 * i + o for i, o in network.ring(4)}

    def trained(problem, _device):
        width = problem.network.graph.node("h").dimension
        table = "ring" if set(problem.data.context) == ring else "blocks"
        return SimpleNamespace(times=None, name=("lazy " if width == experiment.WIDE else "") + table)

    monkeypatch.setattr(experiment, "trained", trained)
    monkeypatch.setattr(experiment, "strengths_of", lambda _run: STRENGTHS)
    monkeypatch.setattr(experiment, "reduction", lambda _times, domains=4: STRENGTHS * (4 / domains))
    monkeypatch.setattr(
        experiment, "errors_of", lambda run, *_: tuple(each[:, None] for each in errors_of_tables[run.name])
    )
    return experiment.judge({}, Settings(), lambda _what, _done: None).results


GOOD, BAD = errors(12, 1e-9), errors(12, 0.5)


def test_a_run_has_its_controls_and_one_that_the_rule_passes_fails(monkeypatch):
    """One for the reduction; two for untrained pairs: the tables exchanged, and large weights of a wide ring."""
    results = judged(monkeypatch, {"ring": GOOD, "blocks": BAD, "lazy ring": BAD})
    assert {result.outcome for result in results} == {Outcome.PASS}
    controls = [result.claim for result in results if result.level is Level.NEGATIVE_CONTROL]
    assert sorted(controls) == [experiment.REDUCTION, experiment.ZERO_SHOT, experiment.ZERO_SHOT]
    for errors_of_tables, failing in (
        ({"ring": GOOD, "blocks": BAD, "lazy ring": GOOD}, "eight hidden units"),
        ({"ring": BAD, "blocks": GOOD, "lazy ring": BAD}, "exchanged"),
    ):
        failed = [one for one in judged(monkeypatch, errors_of_tables) if one.outcome is Outcome.FAIL]
        assert any(one.level is Level.NEGATIVE_CONTROL and failing in one.where for one in failed)
