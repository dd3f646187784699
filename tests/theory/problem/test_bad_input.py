"""Every kind of bad input gets a message that says what (with the value), why, and what to do."""

from fractions import Fraction
from pathlib import Path

import pytest

import theory.problem as problems
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    RepeatedGate,
    SiteGate,
)

VALID = Path(__file__).with_name("valid.toml").read_text()
TIMES = "times = [1.0, 4.0, 16.0, 64.0, 256.0]"
W0 = 'w0 = { law = "normal", scale = 0.001, seed = 0 }'
CODE = "__import__('os').system('true')"


def law(kind=NonlinearGP, **changes):
    """A valid law but for `changes`."""
    fields = {
        "n": 40,
        "xi": (2, 1),
        "gain": 1,
        "boundary": "open",
        "normaliser": "unit-variance",
        "labels": (1, 0),
    }
    return kind(**fields | changes)


# What is written instead of a line of valid.toml, and what the message must say: the value, why, what to do.
REPLACED = [
    ("xi = [2.0, 1.0]", "xi = [0, 1]", r"data\.xi\[0\] = 0 must be > 0: it is the correlation length.*Give a positive"),
    ("xi = [2.0, 1.0]", "xi = [2, -0.5]", r"data\.xi\[1\] = -1/2 must be > 0"),
    ("xi = [2.0, 1.0]", "xi = 2.0", r"data\.xi = 2\.0 must be a list of numbers.*one for each class"),
    ("xi = [2.0, 1.0]", "xi = [1, 2, 3]", r"data\.xi has 3 entries, data\.labels 2: each class needs one of both"),
    ("xi = [2.0, 1.0]", "xi = [1e999999, 1]", r"data\.xi\[0\].*exponent is larger than 1000.*Rescale"),
    ("xi = [2.0, 1.0]", 'xi = ["1/' + "9" * 401 + '", 1]', r"data\.xi\[0\].*out of range|digits"),
    ("gain = 1.0", "gain = -1", r"data\.gain = -1 must be > 0: .*sign convention.*Give a positive gain"),
    ("gain = 1.0", "gain = 0", r"data\.gain = 0 must be > 0: erf\(gain z\) is zero"),
    ("gain = 1.0", "gain = nan", r"data\.gain = 'NaN' is not a number.*Write"),
    ("gain = 1.0", "gain = inf", r"data\.gain = Infinity is not finite.*Give a finite number"),
    ("gain = 1.0", "gain = -inf", r"data\.gain = -Infinity is not finite"),
    ("gain = 1.0", "gain = true", r"data\.gain = True is not a number"),
    ("gain = 1.0", f'gain = "{CODE}"', r"data\.gain = .*__import__.* is not a number.*Write an integer"),
    ("gain = 1.0", 'gain = "1/0"', r"data\.gain = '1/0' divides by zero"),
    ("gain = 1.0", "gain = 1e200", r"data\.gain = 1E\+200 is out of range: its square"),
    ("gain = 1.0", "gain = 1e-200", r"data\.gain = 1E-200 is out of range"),
    ("gain = 1.0", 'gain = "' + "1" * 5000 + '"', r"data\.gain = '1111.*\.\.\..*' is not a number"),
    ("gain = 1.0", "gain = 1" + "0" * 401, r"data\.gain = 1000.*\.\.\..* is out of range"),
    ("gain = 1.0", 'gain = "١"', r"data\.gain = '١' is not a number"),
    ("gain = 1.0", "gain = 1979-05-27", r"data\.gain = 1979-05-27 is not a number"),
    ("gain = 1.0", "gain" + ".a" * 2_000 + " = 1", r"data\.gain = \{'a': .* is not a number"),
    ("gain = 1.0", "gian = 1.0", r"unknown key 'gian'.*Did you mean `gain`\? Known: law, n, xi"),
    ("gain = 1.0", "", r"\[data\] lacks `gain`"),
    ("n = 40", "n = 1", r"data\.n = 1 must be at least 2"),
    ("n = 40", "n = 0", r"data\.n = 0 must be at least 2"),
    ("n = 40", "n = -3", r"data\.n = -3 must be at least 2"),
    ("n = 40", "n = 40.0", r"data\.n = 40\.0 is not a whole number.*integer >= 2"),
    ("n = 40", 'n = "40"', r"data\.n = '40' is not a whole number"),
    ("n = 40", "n = true", r"data\.n = True is not a whole number"),
    ("n = 40", "n = 1000000", r"data\.n = 1000000 is more than 10000: a covariance of so many sites takes 8,000\.0 GB"),
    ("n = 40", "n = 20000", r"more than 10000: a covariance of so many sites takes 3\.2 GB of memory\..*<= 10000"),
    ("n = 40", "n = " + "9" * 400, r"takes more than 8,000,000,000 GB of memory"),
    ("n = 40", "n = 20", r"gates\[0\]\.site = 20 lies outside the line of n = 20 sites.*choose 0 to 19"),
    ('law = "nlgp"', 'law = "nglp"', r"data\.law = 'nglp' is not known.*Did you mean `nlgp`"),
    ('law = "nlgp"', "law = 3", r"data\.law = 3 is not known.*Choose one of: nlgp, nlgp-2d, gaussian-clone"),
    ('law = "nlgp"', "", r"data lacks the key `law`.*nlgp"),
    ('boundary = "open"', "", r"\[data\] lacks `boundary`.*papers differ on conventions"),
    ('normaliser = "unit-variance"', "", r"\[data\] lacks `normaliser`.*papers differ on conventions"),
    ('normaliser = "unit-variance"', 'normaliser = "unit"', r"data\.normaliser = 'unit' is not known"),
    ("labels = [1.0, 0.0]", "", r"\[data\] lacks `labels`"),
    ("labels = [1.0, 0.0]", "labels = [1, nan]", r"data\.labels\[1\] = 'NaN' is not a number"),
    ('readout = "mean"', "", r"\[network\] lacks `readout`.*papers differ on conventions"),
    ('readout = "mean"', 'readout = "men"', r"network\.readout = 'men' is not known.*Did you mean `mean`"),
    ('readout = "mean"', 'readout = ["mean"]', r"network\.readout = \['mean'\] is not known"),
    ('model = "gated-linear"', 'model = "gated-liner"', r"network\.model = .*Did you mean `gated-linear`"),
    ('model = "gated-linear"', 'model = "relu"', r"lacks the key `units`|gates itself"),
    (
        'model = "gated-linear"',
        'model = "relu"\nunits = 2',
        r'model "relu" gates itself, yet 2 gates are given.*Remove',
    ),
    (
        'readout = "mean"',
        'readout = "mean"\nunits = 3',
        r"3 units but 2 gates.*one \[\[network\.gates\]\] table per unit",
    ),
    ('readout = "mean"', 'readout = "mean"\nunits = 0', r"network\.units = 0 must be at least 1"),
    (
        'readout = "mean"',
        'readout = "mean"\nunits = 200000',
        r"units = 200000 is more than 100000: one number for each pair of units takes 320\.0 GB of memory",
    ),
    ("lo = 0.0", "lo = 0.0\nhi = 0.0", r"gate at site 20: lo = 0 is not below hi = 0.*never open.*lo < hi"),
    ("lo = 0.0", "lo = 1\nhi = -1", r"lo = 1 is not below hi = -1"),
    ("lo = 0.0", "lo = inf", r"lo = inf is not below hi = inf"),
    ("lo = 0.0", "lo = nan", r"gate\.lo = 'NaN' is not a number"),
    ("lo = 0.0", "low = 0.0", r"gates\[0\] has the unknown key 'low'.*Did you mean `lo`"),
    ("lo = 0.0", 'on = "hidden"', r"gate\.on = 'hidden' is not known.*latent, input"),
    ("site = 20", "site = 40", r"gates\[0\]\.site = 40 lies outside the line of n = 40.*count from 0"),
    ("site = 20", "site = -1", r"gate\.site = -1 must be at least 0"),
    ("site = 20", "site = 0.5", r"gate\.site = 0\.5 is not a whole number"),
    ("site = 20", "", r"gates\[0\] lacks `site`"),
    ('kind = "site"', 'kind = "sight"', r"gates\[0\]\.kind = 'sight' is not known.*Did you mean `site`"),
    ('kind = "site"', "", r"gates\[0\] lacks the key `kind`"),
    ('loss = "half-mse"', "", r"\[training\] lacks `loss`.*papers differ"),
    ('loss = "half-mse"', 'loss = "rmse"', r"training\.loss = 'rmse' is not known.*half-mse, mse"),
    (
        'readout = "mean"',
        'readout = "mean"\nbiases = "train"',
        r"biases = 'train' is not known.*mean `trained`",
    ),
    ('readout = "mean"', 'readout = "mean"\nbiases = true', r"network\.biases = True is not known.*none, fixed"),
    (
        'readout = "mean"',
        'readout = "mean"\nbiases = "trained"',
        r'biases = "trained", but training lacks `hidden_bias0`, `output_bias0`.*K numbers or a law',
    ),
    ("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0, 0]", r"hidden_bias0 is given, but .* no biases.*Remove it, or write"),
    ("tau = 1.0", "tau = 1.0\noutput_bias0 = 0", r"output_bias0 is given, but network\.biases = \"none\""),
    ("tau = 1.0", "tau = 1.0\nhidden_bias0 = 3", r"training\.hidden_bias0 = 3 must be K numbers or a law"),
    ("tau = 1.0", 'tau = 1.0\nhidden_bias0 = [1, "b"]', r"training\.hidden_bias0\[1\] = 'b' is not a number"),
    ("tau = 1.0", "tau = 1.0\noutput_bias0 = inf", r"training\.output_bias0 = Infinity is not finite"),
    (
        "tau = 1.0",
        'tau = 1.0\nhidden_bias0 = { law = "normal", scale = -1, seed = 0 }',
        r"training\.hidden_bias0\.scale = -1 must be >= 0: .*Drop the sign",
    ),
    ("tau = 1.0", "tau = 1.0\nhidden_bias0 = { scale = 1 }", r"training\.hidden_bias0 lacks the key `law`"),
    (
        'readout = "mean"',
        'readout = "mean"\nbiases = "fixed"',
        r'biases = "fixed", but training lacks `hidden_bias0`, `output_bias0`',
    ),
    ('readout = "mean"', 'readout = "trained"', r"readout = 'trained' is not known.*trained-mean, trained-sum"),
    (
        'readout = "mean"',
        'readout = "trained-sum"',
        r'"trained-sum", but training lacks `readout0`.*K numbers or a law',
    ),
    (
        "tau = 1.0",
        "tau = 1.0\nreadout0 = [1, 1]",
        r'readout0 is given, but network\.readout = "mean".*are all 1.*Remove',
    ),
    (
        'readout = "mean"',
        'readout = "mean"\nslope = 0.1',
        r'model "gated-linear" has no slope.*"leaky-relu" where h <= 0.*papers differ',
    ),
    (
        'loss = "half-mse"',
        'loss = "cross-entropy"',
        r"for labels y = 1 and -1, but data\.labels = \[1, 0\].*Write labels = \[1\.0, -1\.0\]",
    ),
    ("lo = 0.0", "lo = 0.0\nsharpness = 0", r"gate at site 20: sharpness = 0 must be > 0.*leave it out"),
    ("lo = 0.0", "lo = 0.0\nsharpness = -inf", r"sharpness = -inf must be > 0"),
    ("lo = 0.0", 'lo = 0.0\nsharpness = "soft"', r"gate\.sharpness = 'soft' is not a number"),
    ("tau = 1.0", "tau = 0", r"training\.tau = 0 must be > 0: it is the time constant"),
    ("tau = 1.0", "", r"\[training\] lacks `tau`"),
    (W0, "", r"\[training\] lacks `w0`"),
    (W0, "w0 = 3", r"training\.w0 must be K rows of n numbers or a law"),
    (W0, "w0 = [1, 2]", r"training\.w0 must be K rows of n numbers or a law"),
    (W0, "w0 = [[1, 2], [3]]", r"w0 has 2 rows of length \[1, 2\]; the network needs K = 2 rows of n = 40"),
    (W0, "w0 = []", r"w0 has 0 rows of length \[\]; the network needs K = 2 rows"),
    (W0, f"w0 = {[[0] * 40] * 3}", r"w0 has 3 rows of length \[40\]; .*Give one row of n numbers for each unit"),
    (W0, f"w0 = {[[0] * 39] * 2}", r"w0 has 2 rows of length \[39\]"),
    (W0, 'w0 = [["a"], [1]]', r"training\.w0\[0\]\[0\] = 'a' is not a number"),
    (W0, 'w0 = { law = "norml", scale = 1, seed = 0 }', r"w0\.law = 'norml' is not known.*Did you mean `normal`"),
    (W0, 'w0 = { law = "normal", scale = 1 }', r"training\.w0 lacks `seed`"),
    (W0, 'w0 = { law = "normal", scale = -1, seed = 0 }', r"w0\.scale = -1 must be >= 0: .*Drop the sign"),
    (W0, 'w0 = { law = "normal", scale = 1, seed = -1 }', r"w0\.seed = -1 must be at least 0"),
    ("times = [1.0, 4.0", "times = [4.0, 1.0", r"training\.times = .* strictly increase.*Sort"),
    ("times = [1.0", "times = [-1.0", r"must be >= 0"),
    (TIMES, "times = []", r"training\.times must be a list of at least one time"),
    (TIMES, "times = 3", r"training\.times must be a list"),
    (TIMES, "times = { geomspace = [1, 10, 3] }", r"training\.times lacks `step`"),
    (TIMES, "times = { step = 1 }", r"training\.times needs one of: linspace, geomspace"),
    (TIMES, "times = { step = 1, logspace = [1, 2, 3] }", r"training\.times has the unknown key 'logspace'"),
    (TIMES, "times = { step = 0, geomspace = [1, 10, 3] }", r"training\.times\.step = 0 must be > 0"),
    (TIMES, "times = { step = 1, geomspace = [0, 10, 3] }", r"times\.geomspace needs ends > 0.*Use linspace"),
    (TIMES, "times = { step = 1, geomspace = [1, 10] }", r"times\.geomspace = \[1, 10\] must be \[first, last, number"),
    (TIMES, "times = { step = 1, linspace = [0, 10, 20000] }", r"linspace\[2\] = 20000 is more than 10000: each"),
    (TIMES, "times = [3, { step = 1, geomspace = [1, 10, 3] }]", r"times = \[3, 1, 3, 10\] .*strictly increase"),
    ('mode = "online"', 'mode = "offline"', r"simulation\.mode = 'offline' is not known.*Did you mean `online`"),
    ("replicates = 32", "replicates = 1", r"simulation\.replicates = 1 must be at least 2"),
    ("batch = 1000", "", r"needs simulation\.batch, the number of fresh examples"),
    ("batch = 1000", "batch = 0", r"simulation\.batch = 0 must be at least 1"),
    ("learning_rate = 1.0", "learning_rate = 0", r"simulation\.learning_rate = 0 must be > 0"),
    ("learning_rate = 1.0", "learningrate = 1", r"unknown key 'learningrate'.*Did you mean `learning_rate`"),
    ("samples = 100000", "samples = 1e5", r"simulation\.samples = 1E\+5 is not a whole number"),
    ("[simulation]", "[simulations]", r"unknown key 'simulations'.*Did you mean `simulation`"),
]


@pytest.mark.parametrize(("line", "instead", "message"), REPLACED)
def test_bad_problem_file(line, instead, message):
    assert line in VALID
    with pytest.raises(InputError, match=f"(?s)^problem: .*(?:{message})") as caught:
        problems.loads(VALID.replace(line, instead, 1))
    assert caught.value.hint
    assert len(str(caught.value)) < 1000


def test_ring_that_is_not_positive_semidefinite():
    with pytest.raises(InputError) as caught:
        law(xi=(15, 1), boundary="ring")
    assert str(caught.value) == (
        'NonlinearGP(n=40, xi=15, boundary="ring"): the covariance is not positive semidefinite (smallest eigenvalue '
        '-0.430, at 0.05 cycles a site; rounding 8.9e-15); wrapping distances breaks it. Use boundary="open", or a '
        'smaller xi (valid up to about 3.65), or positive_part="clipped", which declares the law whose negative '
        "eigenvalues are set to 0. (Nothing is clipped for you.)"
    )


def test_ring_is_refused_for_either_class_and_for_the_clone():
    with pytest.raises(InputError, match=r"GaussianClone.*smallest eigenvalue"):
        law(GaussianClone, xi=(1, 15), boundary="ring")
    assert law(xi=(1, 2), boundary="ring").boundary == "ring"


def test_the_clone_has_no_latent():
    text = VALID.replace('"nlgp"', '"gaussian-clone"')
    assert {gate.on for gate in problems.loads(text).network.gates} == {"input"}
    with pytest.raises(InputError, match=r'gates\[0\] is on the latent, but the law "gaussian-clone" has no latent'):
        problems.loads(text.replace("lo = 0.0", 'lo = 0.0\non = "latent"'))


NAN = float("nan")


@pytest.mark.parametrize(
    ("v", "message"),
    [
        ([0, 0.0, "0"], "gate.v is zero"),
        ({}, "gate.v is zero"),
        ([1, NAN], r"gate.v\[1\] = 'nan' is not a number"),
        ({3: float("inf")}, r"gate.v\[3\] = inf is not finite"),
        ({-1: 1}, "a site of gate.v = -1 must be at least 0"),
        ({"x": 1}, "a site of gate.v = 'x' is not a whole number"),
        ({1: 1, "1": 2}, "names the site 1 twice"),
        ("e_1", "gate.v = 'e_1' is not a direction"),
        (3, "gate.v = 3 is not a direction"),
    ],
)
def test_directions_that_are_none(v, message):
    with pytest.raises(InputError, match=message) as caught:
        DirectionGate(v)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("v = [1, 2]", r"gates\[0\].v has 2 numbers; the data have n = 40 sites"),
        ("v = { 40 = 1 }", r"gates\[0\].v: site 40 lies outside the line of n = 40 sites"),
        ("v = { 4 = 1 }\nsite = 4", "unknown key 'site'"),
        ("site = 4", "unknown key 'site'"),
        ("lo = 1", "lacks `v`"),
        ("v = { 4 = 1 }\nlo = 2\nhi = 2", "lo = 2 is not below hi = 2"),
        ("v = { 4 = nan }", "is not a number"),
    ],
)
def test_bad_directions_of_a_file(gate, message):
    with pytest.raises(InputError, match=message):
        problems.loads(VALID.replace('kind = "site"\nsite = 20\nlo = 0.0', f'kind = "direction"\n{gate}', 1))


def test_a_direction_on_a_latent_that_is_not_there():
    text = VALID.replace('"nlgp"', '"gaussian-clone"')
    gate = 'kind = "direction"\nv = { 20 = 1, 21 = -1 }\nlo = 0.0\non = "latent"'
    with pytest.raises(InputError, match=r'gates\[0\] is on the latent, but the law "gaussian-clone" has no latent'):
        problems.loads(text.replace('kind = "site"\nsite = 20\nlo = 0.0', gate, 1))


def test_biases_that_do_not_fit():
    """One number for each unit, and both starts where biases are trained."""
    text = VALID.replace('readout = "mean"', 'readout = "mean"\nbiases = "trained"')
    with pytest.raises(InputError, match=r"training lacks `output_bias0`\.") as caught:
        problems.loads(text.replace("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0, 0]"))
    assert "one number" in caught.value.hint
    with pytest.raises(InputError, match=r"hidden_bias0 has 3 numbers; the network has K = 2 units.*for each unit"):
        problems.loads(text.replace("tau = 1.0", "tau = 1.0\nhidden_bias0 = [0, 0, 0]\noutput_bias0 = 0"))


def test_per_replicate_start_needs_a_law():
    text = VALID.replace(W0, f"w0 = {[[0] * 40] * 2}") + 'initialisation = "per-replicate"\n'
    with pytest.raises(InputError, match='"per-replicate" needs a law for w0'):
        problems.loads(text)


def test_repetition_of_a_later_unit():
    with pytest.raises(InputError, match=r"gates\[0\] repeats unit 0, which is not an earlier unit.*plain"):
        Network("gated-linear", "mean", 1, (RepeatedGate(0),))
    with pytest.raises(InputError, match=r"gates\[1\] repeats unit 5.*0 to 0"):
        Network("gated-linear", "mean", 2, (AlwaysGate(), RepeatedGate(5)))


def test_simulation_that_is_not_there():
    with pytest.raises(InputError, match=r"no \[simulation\] table.*mode, samples, batch"):
        problems.loads(VALID.split("[simulation]")[0]).simulated()


def test_gated_network_without_gates():
    text = VALID.split("[[network.gates]]", 1)[0] + "[training]" + VALID.split("[training]")[1]
    with pytest.raises(InputError, match=r"needs gates.*table per unit"):
        problems.loads(text)


def test_python_floats_and_fractions_are_the_same_number():
    assert law(gain=0.5) == law(gain=Fraction(1, 2)) == law(gain="1/2")
    assert SiteGate(3, lo=0.25) == SiteGate(3, lo="1/4")


@pytest.mark.parametrize("model", ["relu", "leaky-relu"])
def test_a_slope_is_that_of_leaky_relu(model):
    given = {"relu": Fraction(1, 10), "leaky-relu": None}[model]
    said = {"relu": "has no slope", "leaky-relu": "needs a slope"}[model]
    with pytest.raises(InputError, match=f'model "{model}" {said}.*no default'):
        Network(model, "mean", 2, slope=given)
    with pytest.raises(InputError, match=r"network\.slope = inf is not finite"):
        Network("leaky-relu", "mean", 2, slope=float("inf"))
