"""Deep gated networks in problem files: read, written, started, and refused with the numbers found and needed."""

from fractions import Fraction

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from tests.tolerances import STANDARD_ERRORS
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    CircularConvolution,
    DeepNetwork,
    FiniteData,
    FixedGates,
    FullyConnected,
    HardResponse,
    InitialWeights,
    InputError,
    Network,
    NetworkGates,
    NormalInitialisation,
    OwnGates,
    Problem,
    Simulation,
    SoftResponse,
    dumps,
    loads,
)

DATA = '[data]\nlaw = "finite"\nx = [[1.0, 0.0, 2.0], [0.0, 1.0, 0.5]]\ny = [1.0, -1.0]\n'
NETWORK = '[network]\nmodel = "deep"\nwidths = [4, 2]\n'
TRAINING = '[training]\nloss = "half-mse"\ntau = 1.0\ntimes = [1.0]\nw0 = { law = "normal", scale = 0.1, seed = 0 }\n'
HARD, SOFT = '{ kind = "hard", at_zero = "closed" }', '{ kind = "soft", beta = 4, epsilon = "1/10" }'
FIXED = "values = [[[1, 0, 1, 0], [0, 0, 0.5, 1]], [[1, 1], [0, 1]]]"
GATINGS = {
    f'kind = "own"\ngate = {HARD}': OwnGates(HardResponse("closed")),
    f'kind = "own"\ngate = {SOFT}': OwnGates(SoftResponse(4, "1/10")),
    'kind = "open"': AllOpenGates(),
    f'kind = "fixed"\n{FIXED}': FixedGates([[[1, 0, 1, 0], [0, 0, "1/2", 1]], [[1, 1], [0, 1]]]),
    'kind = "bernoulli"\nmu = "1/3"\nseed = 3': BernoulliGates("1/3", 3),
    f'kind = "network"\nnetwork = "relu"\nfrozen = true\ngate = {HARD}': NetworkGates(
        "relu", HardResponse("closed"), True
    ),
    f'kind = "network"\nnetwork = "linear"\nfrozen = false\nstart = "same"\ngate = {SOFT}': NetworkGates(
        "linear", SoftResponse(4, "1/10"), False, "same"
    ),
}


def text(gating='kind = "open"', network=NETWORK, training=TRAINING, data=DATA):
    return f"{data}{network}[network.gating]\n{gating}\n{training}"


def numbers(w0):
    return TRAINING[: TRAINING.index("w0")] + w0 + "\n"


def test_every_kind_of_gates_architecture_and_input_is_read_and_written():
    for written, gating in GATINGS.items():
        problem = loads(text(written))
        assert problem.network == DeepNetwork((4, 2), gating)
        assert loads(dumps(problem)) == problem
    for written, meaning in (
        ('architecture = "fully-connected"\n', {}),
        ('architecture = { kind = "circular-convolution", window = 2 }\n', {"architecture": CircularConvolution(2)}),
        ('value_input = "ones"\n', {"value_input": "ones"}),
    ):
        problem = loads(text('kind = "bernoulli"\nmu = 0.5\nseed = 0', NETWORK + written))
        assert problem.network == DeepNetwork((4, 2), BernoulliGates("1/2", 0), **meaning)
        assert loads(dumps(problem)) == problem


def test_parameters_of_a_convolution_are_shared_by_the_positions():
    problem = loads(text(network=NETWORK + 'architecture = { kind = "circular-convolution", window = 2 }\n'))
    assert [(p.name, p.shape) for p in problem.parameters] == [
        ("Theta_1", (4, 1, 2)),
        ("Theta_2", (2, 4, 2)),
        ("Theta_3", (1, 2)),
    ]
    assert problem.network.nodes(problem.data) == (12, 6)
    assert FullyConnected().nodes(3, (4, 2)) == (4, 2)


def test_one_law_draws_each_weight_its_own_numbers_and_each_replicate_others():
    problem = loads(text(list(GATINGS)[5]))
    start, other = problem.start(), problem.start(1)
    assert start["Theta_1"].shape == (4, 3)
    assert np.ptp(start["Theta_1"] - start["Theta_g_1"]) > 0
    assert np.ptp(start["Theta_1"] - other["Theta_1"]) > 0
    assert np.array_equal(start["Theta_2"], loads(dumps(problem)).start()["Theta_2"])


def test_a_second_network_may_start_from_the_numbers_of_the_first():
    start = loads(text(list(GATINGS)[6])).start(2)
    assert np.array_equal(start["Theta_1"], start["Theta_g_1"])
    assert np.array_equal(start["Theta_2"], start["Theta_g_2"])


def test_bernoulli_gates_open_as_often_as_mu_says():
    mu = "1/5"
    gates = BernoulliGates(mu, 0)
    drawn, share = gates.drawn(1, examples=200, nodes=500), float(Fraction(mu))
    assert set(np.unique(drawn)) == {0.0, 1.0}
    standard_error = (share * (1 - share) / drawn.size) ** 0.5
    assert abs(drawn.mean() - share) < STANDARD_ERRORS * standard_error
    # Independent nodes: the gates of an example add up with the variance of a binomial law.
    spread = drawn.sum(axis=1).var() / (500 * share * (1 - share))
    assert abs(spread - 1) < STANDARD_ERRORS * (2 / 200) ** 0.5


REFUSED = [
    (text(network='[network]\nmodel = "deep"\n'), "neither"),
    (text(network=NETWORK + "depth = 3\n"), "`widths` and `depth`"),
    (text(network='[network]\nmodel = "deep"\nwidths = []\n'), "widths of the hidden levels"),
    (text(network='[network]\nmodel = "deep"\ndepth = 1\nwidth = 3\n'), "network.depth = 1"),
    (text(network='[network]\nmodel = "deep"\nwidths = [100000, 100000]\n'), "10000400000 weights"),
    (text('kind = "own"\ngate = { kind = "hard", at_zero = "half" }'), "at_zero = 'half'"),
    (text('kind = "own"\ngate = { kind = "soft", beta = 0, epsilon = 0 }'), "beta = 0 must be > 0"),
    (text('kind = "fixed"\nvalues = [[[1, 1, 1, 1]], [[1, 1], [1, 1]]]'), "values[0] has 1 rows of gates"),
    (text('kind = "fixed"\nvalues = [[[1, 1, 1, 1], [1, 1, 1, 1]], [[1], [1]]]'), "values[1] has rows of 1 gates"),
    (
        text(f'kind = "fixed"\n{FIXED}', NETWORK + 'architecture = { kind = "circular-convolution", window = 2 }\n'),
        "the level has 12 nodes",
    ),
    (text(network=NETWORK + 'architecture = { kind = "circular-convolution", window = 0 }\n'), "window"),
    (
        text(network=NETWORK + 'architecture = { kind = "circular-convolution", window = 4 }\n'),
        "window = 4 is larger than the n = 3 sites",
    ),
    (text(network=NETWORK + 'value_input = "ones"\n'), "no level sees x"),
    (text(training=numbers("w0 = { A = [[1]] }")), "names A, which a deep network"),
    (text(training=numbers("w0 = { Theta_1 = { law = 'normal', scale = 1, seed = 0 } }")), "lacks"),
    (
        text(training=numbers("w0 = { Theta_1 = [[1]], Theta_2 = [[1]], Theta_3 = [[1]] }")),
        "Theta_1 is no array of 4 x 3 numbers",
    ),
    (text(training=TRAINING + "output_bias0 = 0\n"), "a deep network has no biases"),
]


def test_what_does_not_fit_is_refused():
    assert not_refused(loads, REFUSED) == []


def test_weights_that_start_as_others_are_not_named():
    gating = list(GATINGS)[6]
    laws = ", ".join(
        f'{name} = {{ law = "normal", scale = 1, seed = 0 }}' for name in ("Theta_1", "Theta_2", "Theta_3")
    )
    assert loads(text(gating, training=numbers(f"w0 = {{ {laws} }}"))).start()["Theta_g_2"].shape == (2, 4)
    with pytest.raises(InputError, match="Theta_g_1, which starts as Theta_1 does"):
        loads(text(gating, training=numbers(f"w0 = {{ {laws}, Theta_g_1 = [[1]] }}")))


ROWS = "Theta_1 = [[1, 0, 2], [0, 1, 0], [0, 0, 1], [1, 1, 1]]\nTheta_2 = [[1, 0, 1, 0], [0, '1/3', 0, 1]]\n"
NAMED = f"[weights]\n{ROWS}Theta_3 = {{ law = 'normal', scale = 2, seed = 5 }}\n"
LAW = "[weights]\nlaw = 'normal'\nscale = 0.1\nseed = 0\n"


@pytest.mark.parametrize("weights", [NAMED, LAW])
def test_a_network_that_nothing_trains_has_weights_alone(weights):
    """They start the same numbers as training.w0 does, and are written and read without a loss, tau and times."""
    problem = loads(text(training=weights))
    assert isinstance(problem.training, InitialWeights)
    assert dumps(problem).count("[weights]") == 1
    assert "[training]" not in dumps(problem)
    assert loads(dumps(problem)) == problem
    inline = ", ".join(weights.splitlines()[1:])
    trained = loads(text(training=numbers(f"w0 = {{ {inline} }}")))
    assert problem != trained
    assert {name: array.tolist() for name, array in problem.start().items()} == {
        name: array.tolist() for name, array in trained.start().items()
    }


SIMULATION = '[simulation]\nmode = "online"\nsamples = 2\nbatch = 1\nlearning_rate = 1\nreplicates = 2\nseed = 0\n'


def test_weights_that_do_not_fit_are_refused():
    cases = [
        ("", "neither [weights] nor [training]"),
        (f"[weights]\n{ROWS}", "weights lacks Theta_3"),
        (f"{NAMED}Theta_4 = [[1]]\n", "weights names Theta_4"),
        (NAMED.replace("[1, 0, 2], ", ""), "weights.Theta_1"),
        (NAMED.replace("'1/3'", "'a'"), "weights.Theta_2[1][1]"),
        (LAW.replace("0.1", "nan"), "weights.scale"),
        (LAW.replace("seed = 0", "sead = 0"), "weights has the unknown key 'sead'"),
        (LAW + "Theta_1 = [[1]]\n", "weights has the unknown key 'Theta_1'"),
        (LAW + SIMULATION, "[simulation] without [training]"),
    ]
    assert not_refused(lambda training: loads(text(training=training)), cases) == []


def test_other_networks_have_no_weights_without_training():
    network = '[network]\nmodel = "relu"\nreadout = "mean"\nunits = 1\n'
    with pytest.raises(InputError, match="'weights'"):
        loads(f"{DATA}{network}{LAW}{TRAINING}")
    with pytest.raises(InputError, match="`training`"):
        loads(f"{DATA}{network}")
    weights, data = InitialWeights(NormalInitialisation(1, 0)), FiniteData([[1, 0]], [1])
    with pytest.raises(InputError, match=r'network\.model = "relu"'):
        Problem(data, Network("relu", "mean", 1), weights)
    with pytest.raises(InputError, match="without"):
        Problem(data, DeepNetwork((1,), AllOpenGates()), weights, Simulation("full-batch", 1, 1, 2, 0))
    with pytest.raises(InputError, match="must be a law"):
        InitialWeights([[1]])
