"""ReLU gates on the input: the exact values against their defining integrals, the asymptotic forms in their limits."""

import json

import numpy as np
import pytest

from tests.paths import ORACLES
from tests.tolerances import MOMENT_ENTRY, TWO_SITES
from theory.moments.arithmetic import FLOAT64
from theory.moments.relu_gates import (
    clt,
    exact_moment,
    large_gain,
    latent_direction,
)
from theory.moments.statistics import all_lags, class_statistics
from theory.problem import (
    GaussianClone,
    InputError,
    NonlinearGP,
    OutOfReachError,
)

CASES = json.loads((ORACLES / "relu_gates.json").read_text())["cases"]
FORMS = (latent_direction, clt, large_gain)


def law(kind=NonlinearGP, n=6, xi="2", gain="3", normaliser="unit-variance"):
    return kind(n, (xi, "1"), gain, "open", normaliser, (1, 0))


def test_two_sites_are_the_defining_integral():
    for case in CASES:
        w = {int(site): number for site, number in case["w"].items()}
        moment = exact_moment(law(n=40, xi=case["xi"], gain=case["gain"], normaliser="none"), 0, w)
        assert moment.exact
        for site, value in case["values"].items():
            assert abs(moment.value[int(site)] - float(value)) <= TWO_SITES, case


def test_one_site_and_equal_weights_are_closed_forms():
    half = class_statistics(law(), 0, FLOAT64).half_space(all_lags(law())[2]) / 2
    found = exact_moment(law(), 0, {2: -5})
    assert (found.value == -half).all()
    assert (found.form, found.exact) == ("site", True)
    pair = exact_moment(law(), 0, {1: 2, 2: -2})
    assert (pair.value == latent_direction(law(), 0, {1: 2, 2: -2}).value).all()
    assert (pair.form, pair.exact) == ("two equal sites", True)


def test_the_clone_takes_any_weights():
    w = [3, 1, -2, 0, 1, 1]
    found = exact_moment(law(GaussianClone), 0, w)
    assert found.exact
    assert np.abs(found.value - clt(law(GaussianClone), 0, w).value).max() <= MOMENT_ENTRY
    assert clt(law(GaussianClone), 0, w).exact


def test_more_sites_are_out_of_reach_and_named_forms_remain():
    w = [1, 1, "1/2", 0, 0, 0]
    with pytest.raises(OutOfReachError, match="w at 3 sites is an integral over 3 variables"):
        exact_moment(law(), 0, w)
    moments = [form(law(), 0, w) for form in FORMS]
    assert [moment.form for moment in moments] == ["latent-direction", "clt", "large-gain"]
    assert not any(moment.exact for moment in moments)


def test_small_gain_makes_the_first_two_forms_exact():
    """At gain g they are off by order g^2: the distance to the exact value falls a hundredfold with g tenfold."""
    w = {1: 1, 3: "1/2"}
    for form in FORMS[:2]:
        errors = []
        for gain in ("0.1", "0.01"):
            data = law(gain=gain)
            errors.append(np.abs(form(data, 0, w).value - exact_moment(data, 0, w).value).max())
        assert 80 < errors[0] / errors[1] < 125


def test_large_gain_alone_does_not_make_the_third_exact():
    """At two unequal sites sign(w.x) is that of the larger weight as gain -> oo, and the form is still off."""
    data, w = law(gain="1000000"), {1: 1, 3: "1/2"}
    at_larger = exact_moment(data, 0, {1: 1}).value
    assert np.abs(exact_moment(data, 0, w).value - at_larger).max() <= 2 / float(data.gain)
    assert np.abs(large_gain(data, 0, w).value - at_larger).max() > 0.1
    assert large_gain(law(), 0, {2: 1}).value[2] == 0.5  # at one site it is the binary value


def test_bad_weights():
    for form in (exact_moment, *FORMS):
        for w in ([0] * 6, [1, 2], {6: 1}, [float("nan")] * 6, "w", {1: float("inf")}):
            with pytest.raises(InputError):
                form(law(), 0, w)
