"""Every kind of correlation on every boundary of every law with a latent: an answer, or a refusal that names itself."""

import re
from itertools import product

import pytest
import torch

from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from tests.sim.cases import grid, line
from theory.flow import solve
from theory.moments.inputs import input_statistics
from theory.moments.psd import psd_report
from theory.problem import (
    GaussianClone,
    Network,
    NormalInitialisation,
    Problem,
    SiteGate,
    Training,
    WorkbenchError,
)
from theory.problem.correlations import CORRELATIONS

# One declaration for each kind, with as many values as an axis of four sites needs on a ring and on a line.
DECLARED = {
    "gaussian": {},
    "exponential": {},
    "matern": {"smoothness": "5/2"},
    "damped-cosine": {"wavelength": 3},
    "table": {"values": [1, "1/3"]},
    "spectrum": {"values": [3, 2, 1]},
    "formula": {"formula": "exp(-(d/xi)**(3/2))"},
}
PLACES = {
    "line": lambda **own: line(boundary="open", **own),
    "ring": lambda **own: line(boundary="ring", **own),
    "clipped ring": lambda **own: line(boundary="ring", positive_part="clipped", **own),
    "clone": lambda **own: line(GaussianClone, boundary="open", **own),
    "clone on a ring": lambda **own: line(GaussianClone, boundary="ring", **own),
    "grid, separable": lambda **own: grid(shape=(4, 4), grid="separable", **own),
    "grid, isotropic": lambda **own: grid(shape=(4, 4), grid="isotropic", **own),
    "torus, separable": lambda **own: grid(shape=(4, 4), boundary="torus", grid="separable", **own),
    "torus, isotropic": lambda **own: grid(shape=(4, 4), boundary="torus", grid="isotropic", **own),
    "clipped torus": lambda **own: grid(
        shape=(4, 4), boundary="torus", grid="separable", positive_part="clipped", **own
    ),
}
# What has no law: a spectrum of four sites is one of a ring, and tables have no Euclidean distances.
REFUSED = {
    *product(("spectrum",), ("line", "clone", "grid, separable")),
    *product(("spectrum", "table"), ("grid, isotropic", "torus, isotropic")),
}


def declared(kind, place, xi):
    lengths = {"xi": (xi, "1/2") if CORRELATIONS[kind].needs_length else ()}
    return PLACES[place](correlation={"kind": kind, **DECLARED[kind]}, gain=(1, 2), **lengths)


def test_every_kind_is_asked():
    assert set(DECLARED) == set(CORRELATIONS)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", CORRELATIONS)
def test_a_short_length_is_answered(kind, place):
    if (kind, place) in REFUSED:
        with pytest.raises(WorkbenchError, match=r"frequencies|Euclidean distances") as caught:
            declared(kind, place, "1/2")
        assert caught.value.hint
        return
    law = declared(kind, place, "1/2")
    assert all(report.valid for report in psd_report(law))
    for c in (0, 1):
        assert input_statistics(law, c).covariance.shape == (law.n, law.n)
    drawn = prepare(law, torch.device("cpu"), torch.float64).draw([stream(0, 0, MEASUREMENT)], 3)
    assert drawn.x.isfinite().all()
    on = "latent" if law.latent else "input"
    network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0, on=on), SiteGate(0, hi=0, on=on)))
    asked = Problem(law, network, Training("half-mse", 1, NormalInitialisation("1/10", 0), (0, 1)))
    assert 0 < solve(asked).mse < 0.5


def long_length(kind, place):
    """The refusal of a law with a length of 30 sites and its statistics, or None where both have an answer."""
    try:
        law = declared(kind, place, 30)
        for c in (0, 1):
            assert input_statistics(law, c).covariance.shape == (law.n, law.n)
    except WorkbenchError as error:
        return error
    return None


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", CORRELATIONS)
def test_a_long_length_is_answered_or_refused_by_name(kind, place):
    refused = long_length(kind, place)
    if refused is not None:
        assert re.search("is not positive semidefinite|frequencies|Euclidean distances", refused.message)
        assert refused.hint
    if place in ("line", "clone", "grid, separable") and kind != "spectrum":
        assert refused is None  # no distance is wrapped


def test_some_long_lengths_are_refused():
    assert "not positive semidefinite" in long_length("gaussian", "ring").message
    assert "not positive semidefinite" in long_length("exponential", "torus, isotropic").message
    assert long_length("exponential", "ring") is None
    assert long_length("gaussian", "clipped ring") is None
