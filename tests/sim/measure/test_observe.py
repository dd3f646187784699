"""Observables: known values, an exact identity between them on the same examples, standard errors, refusals."""

import numpy as np
import pytest
import torch

from sim.data.gaussian import GaussianSampler
from sim.measure import Estimate, measure, measure_each
from sim.measure.receptive_fields import low_frequency_power, participation_ratio
from sim.train import fixed_sample, train
from tests.sim.cases import EVERY_GATE, gated, grid, line, problem, with_parameters
from tests.tolerances import SIM_SUMS, UNIT_ROUNDOFF
from theory.problem import (
    BiasesAtTimes,
    FieldCentreAtTimes,
    FieldNormAtTimes,
    FieldWidthAtTimes,
    GateFlipsAtTimes,
    GateFlipsBetweenTimes,
    GateOverlapBetweenTimes,
    InputError,
    InputMoment,
    InputOutputMoment,
    LossAtTimes,
    LowFrequencyPowerAtTimes,
    Network,
    NormalInitialisation,
    OpenTogetherBetweenTimes,
    OutOfReachError,
    ParticipationRatioAtTimes,
    PreactivationKurtosisAtTimes,
    ReadoutAtTimes,
    SpectralPeakAtTimes,
    SpectralPeakShareAtTimes,
    WeightKurtosisAtTimes,
    WeightsAtTimes,
    WeightSizesAtTimes,
)

SHAPES = {
    InputOutputMoment: (3, 2, 4),
    InputMoment: (3, 2, 2, 4, 4),
    WeightsAtTimes: (3, 3, 2, 4),
    BiasesAtTimes: (3, 3, 3),
    ReadoutAtTimes: (3, 3, 2),
    LossAtTimes: (3, 3),
    ParticipationRatioAtTimes: (3, 3, 2),
    LowFrequencyPowerAtTimes: (3, 3, 2),
    FieldNormAtTimes: (3, 3, 2),
    GateFlipsAtTimes: (3, 3, 2),
    FieldCentreAtTimes: (3, 3, 2),
    FieldWidthAtTimes: (3, 3, 2),
    GateFlipsBetweenTimes: (3, 2, 3, 3),
    GateOverlapBetweenTimes: (3, 2, 3, 3),
    OpenTogetherBetweenTimes: (3, 2, 3, 3),
    PreactivationKurtosisAtTimes: (3, 3, 2),
    SpectralPeakAtTimes: (3, 3, 2),
    SpectralPeakShareAtTimes: (3, 3, 2),
    WeightKurtosisAtTimes: (3, 3, 2),
    WeightSizesAtTimes: (3, 3, 4),
}
BIASED = gated(biases="trained")
WEIGHED = gated(readout="trained-mean", biases="trained")


def test_shapes_and_repetition():
    run = train(problem(network=WEIGHED), "cpu")
    for kind, shape in SHAPES.items():
        estimate = measure(kind(), run, "cpu")
        assert estimate.values.shape == shape
        assert estimate.values.dtype == np.float64
        assert (estimate.replicates, estimate.seed, estimate.diverged) == (3, 5, 0)
        assert (estimate.observable, estimate.problem) == (kind(), run.problem)
        assert (measure(kind(), run, "cpu").values == estimate.values).all()


@pytest.mark.parametrize("shared", [False, True])
def test_observables_measured_together_see_each_draw_once(shared, monkeypatch):
    run = train(problem(network=gated(biases="trained"), shared_stream=shared), "cpu")
    kinds = [kind for kind in SHAPES if kind is not ReadoutAtTimes]
    apart = [measure(kind(), run, "cpu") for kind in kinds]
    drawn = []
    whole = GaussianSampler.draw
    monkeypatch.setattr(
        GaussianSampler, "draw", lambda own, streams, *rest: drawn.extend(streams) or whole(own, streams, *rest)
    )
    together = measure_each([kind() for kind in kinds], run, "cpu")
    assert [one.network for one in drawn] == ([0] if shared else [0, 1, 2])  # one chunk each
    for kind, own, alone in zip(kinds, together, apart, strict=True):
        assert own.observable == kind()
        assert (own.values == alone.values).all()


def test_an_undefined_observable_leaves_the_others_standing():
    """Weights of zero have no shape, and what they see does not vary."""
    run = train(problem(), "cpu")
    run = with_parameters(run, w=0 * run.weights)
    kinds = (PreactivationKurtosisAtTimes, WeightsAtTimes, WeightKurtosisAtTimes, LossAtTimes, GateFlipsAtTimes)
    found = measure_each([kind() for kind in kinds], run, "cpu")
    assert [type(own) for own in found] == [InputError, Estimate, InputError, Estimate, Estimate]
    assert {own.kind for own in found if isinstance(own, InputError)} == {"undefined"}
    assert (found[3].values == measure(LossAtTimes(), run, "cpu").values).all()
    with pytest.raises(InputError, match="no biases to measure"):
        measure_each([WeightsAtTimes(), BiasesAtTimes()], run, "cpu")


def test_mean_and_standard_error():
    estimate = Estimate(WeightsAtTimes(), problem(), np.array([[1.0, 2.0], [3.0, 2.0], [5.0, 2.0]]), 0)
    assert estimate.mean.tolist() == [3.0, 2.0]
    assert np.abs(estimate.standard_error - [2 / np.sqrt(3), 0]).max() < 4 * UNIT_ROUNDOFF


@pytest.mark.parametrize("readout", ["mean", "sum"])
def test_loss_and_moments_agree_on_the_same_examples(readout):
    """<(y - yhat)^2> = <y^2> - 2 s sum_k w_k.Sigma^yx(p_k) + s^2 sum_kl w_k Sigma^xx(p_k, p_l) w_l, y = +-1."""
    question = problem(line(labels=(1, -1)), gated(EVERY_GATE, readout))
    run = train(question, "cpu")
    b, A = measure(InputOutputMoment(), run).values, measure(InputMoment(), run).values
    scale = 1 / 4 if readout == "mean" else 1
    linear = np.einsum("stkn,skn->st", run.weights, b)
    quadratic = np.einsum("stkn,sklnm,stlm->st", run.weights, A, run.weights)
    expected = 1 - 2 * scale * linear + scale**2 * quadratic
    largest = np.maximum(1, scale**2 * quadratic)  # where the rate is unstable the outputs have grown
    assert (np.abs(measure(LossAtTimes(), run).values - expected) / largest).max() < SIM_SUMS


def test_participation_ratio_of_known_fields():
    n, sites = 40, np.arange(40)
    fields = np.stack([np.ones(n), (-1.0) ** sites, sites == 7, np.sin(2 * np.pi * 3 * sites / n)]) * 1e-300
    expected = [1 / n, 1 / n, 1, 3 / (2 * n)]
    assert np.abs(participation_ratio(fields) - expected).max() < n * UNIT_ROUNDOFF


@pytest.mark.parametrize("n", [40, 41])
def test_low_frequency_power_of_known_fields(n):
    sites, edge = np.arange(n), n // 4
    fields = np.stack([np.cos(2 * np.pi * q * sites / n) for q in (0, 1, edge, edge + 1, n // 2)])
    assert np.abs(low_frequency_power(fields) - [1, 1, 1, 0, 0]).max() < n * UNIT_ROUNDOFF
    delta = (sites == 3).astype(float)
    assert abs(low_frequency_power(delta) - (2 * edge + 1) / n) < n * UNIT_ROUNDOFF


@pytest.mark.parametrize("statistic", [participation_ratio, low_frequency_power])
def test_zero_weights_have_no_shape(statistic):
    with pytest.raises(InputError, match="undefined: a unit has only zero weights") as caught:
        statistic(np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert caught.value.kind == "undefined"


def test_the_loss_of_the_cross_entropy_is_the_cross_entropy():
    """All outputs b, labels 1 and -1: log(1 + exp(-b)) or log(1 + exp(b)); at b = 0 log 2 for both."""
    network = gated(biases="fixed")
    question = problem(network=network, loss="cross-entropy", w0=NormalInitialisation(0, 1))
    run = train(question, "cpu")
    run = with_parameters(run, w=np.zeros_like(run.weights), biases=np.zeros_like(run.biases))
    assert np.abs(measure(LossAtTimes(), run).values - np.log(2)).max() < SIM_SUMS
    run = with_parameters(run, b_out=np.full_like(run.parameters["b_out"], 3))
    values, ahead, behind = measure(LossAtTimes(), run).values, np.log1p(np.exp(-3)), np.log1p(np.exp(3))
    share = (values[:, :1] - ahead) / (behind - ahead)
    assert (np.abs(share * 200 - np.round(share * 200)) < SIM_SUMS).all()
    assert ((share > 0) & (share < 1)).all()


def test_lengths_and_flipped_gates_of_known_weights():
    """-w opens exactly where w was closed, and 2 w where it was open."""
    run = train(problem(network=Network("relu", "mean", 2), samples=4000), "cpu")
    first = run.weights[:, :1]
    weights = np.concatenate([first, 2 * first, -first], axis=1)
    weights[:, :, 1] = np.concatenate([first, first, first], axis=1)[:, :, 1]
    known = with_parameters(run, w=weights)
    assert (measure(GateFlipsAtTimes(), known).values == [[[0, 0], [0, 0], [1, 0]]] * 3).all()
    ratio = measure(FieldNormAtTimes(), known).values / np.linalg.norm(first, axis=-1)
    assert np.abs(ratio - [[1, 1], [2, 1], [1, 1]]).max() < 8 * UNIT_ROUNDOFF


def test_networks_without_the_parameters_have_none_to_measure():
    run = train(problem(), "cpu")
    with pytest.raises(InputError, match=r"no readout weights to measure.*trained-mean"):
        measure(ReadoutAtTimes(), run)
    with pytest.raises(InputError, match=r"no biases to measure.*trained"):
        measure(BiasesAtTimes(), run)
    with pytest.raises(InputError, match="one replicate"):
        measure(WeightsAtTimes(), train(problem(), "cpu", replicates=[2]))


def test_trained_networks_are_needed():
    for kind in set(SHAPES) - {InputMoment, InputOutputMoment, ReadoutAtTimes}:
        with pytest.raises(InputError, match=f"{kind.__name__} is measured on trained networks"):
            measure(kind(), problem())


def test_moments_that_cannot_be_measured_are_refused():
    for kind in (InputMoment, InputOutputMoment):
        with pytest.raises(OutOfReachError, match='"erf" network has no gates'):
            measure(kind(), problem(network=Network("erf", "sum", 2)))
    with pytest.raises(OutOfReachError, match="second moments would take"):
        measure(InputMoment(), problem(replicates=10**8))


def test_what_belongs_to_a_line_is_refused_on_a_grid():
    run = train(problem(grid()), "cpu")
    line_kinds = (FieldCentreAtTimes, FieldWidthAtTimes, LowFrequencyPowerAtTimes)
    for kind in (*line_kinds, SpectralPeakAtTimes, SpectralPeakShareAtTimes):
        with pytest.raises(OutOfReachError, match=f"{kind.name} belongs to sites on a line or a ring"):
            measure(kind(), run, "cpu")
    assert measure(ParticipationRatioAtTimes(), run, "cpu").values.shape == (3, 3, 2)


def diverging(count, network=BIASED):
    question = problem(network=network, mode="full-batch", samples=20, batch=None, times=(0, 300))
    sample = fixed_sample(question, range(3), torch.device("cpu"), torch.float64)
    sample.x[:count] *= 100
    return train(question, "cpu", sample=sample)


def test_diverged_replicates_are_left_out_and_counted():
    run = diverging(1, WEIGHED)
    for kind in SHAPES:
        estimate = measure(kind(), run)
        assert (estimate.replicates, estimate.diverged) == (2, 1)
        assert np.isfinite(estimate.values).all()
    assert (measure(WeightsAtTimes(), run).values == run.weights[1:]).all()
    assert (measure(BiasesAtTimes(), run).values == run.biases[1:]).all()
