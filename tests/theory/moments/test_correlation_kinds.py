"""Every kind of correlation on every boundary of every law with a latent: an answer, or a refusal that names itself."""

import re
from itertools import product

import pytest
import torch

from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from tests.sim.cases import grid, line
from tests.theory.moments.definition import question
from theory.flow import solve
from theory.moments.inputs import input_statistics
from theory.moments.psd import psd_report
from theory.problem import (
    GaussianClone,
    SiteGate,
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
    "line": lambda **law: line(boundary="open", **law),
    "ring": lambda **law: line(boundary="ring", **law),
    "clipped ring": lambda **law: line(boundary="ring", positive_part="clipped", **law),
    "clone": lambda **law: line(GaussianClone, boundary="open", **law),
    "clone on a ring": lambda **law: line(GaussianClone, boundary="ring", **law),
    "grid, separable": lambda **law: grid(shape=(4, 4), grid="separable", **law),
    "grid, isotropic": lambda **law: grid(shape=(4, 4), grid="isotropic", **law),
    "torus, separable": lambda **law: grid(shape=(4, 4), boundary="torus", grid="separable", **law),
    "torus, isotropic": lambda **law: grid(shape=(4, 4), boundary="torus", grid="isotropic", **law),
    "clipped torus": lambda **law: grid(
        shape=(4, 4), boundary="torus", grid="separable", positive_part="clipped", **law
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


@pytest.mark.parametrize("kind", CORRELATIONS)
def test_a_short_length_is_answered(kind):
    for place in PLACES:
        if (kind, place) in REFUSED:
            with pytest.raises(WorkbenchError, match=r"frequencies|Euclidean distances"):
                declared(kind, place, "1/2")
            continue
        law = declared(kind, place, "1/2")
        assert all(report.valid for report in psd_report(law))
        for c in (0, 1):
            assert input_statistics(law, c).covariance.shape == (law.n, law.n)
        drawn = prepare(law, torch.device("cpu"), torch.float64).draw([stream(0, 0, MEASUREMENT)], 3)
        assert drawn.x.isfinite().all()
        on = "latent" if law.latent else "input"
        assert 0 < solve(question(law, SiteGate(0, lo=0, on=on), SiteGate(0, hi=0, on=on))).mse < 0.5


def long_length(kind, place):
    """The refusal of a law with a length of 30 sites and its statistics, or None where both have an answer."""
    try:
        law = declared(kind, place, 30)
        for c in (0, 1):
            assert input_statistics(law, c).covariance.shape == (law.n, law.n)
    except WorkbenchError as error:
        return error
    return None


def test_a_long_length_is_answered_or_refused_by_name():
    for kind, place in product(CORRELATIONS, PLACES):
        refused = long_length(kind, place)
        if refused is not None:
            assert re.search("is not positive semidefinite|frequencies|Euclidean distances", refused.message)
        if place in ("line", "clone", "grid, separable") and kind != "spectrum":
            assert refused is None  # no distance is wrapped


def test_some_long_lengths_are_refused():
    assert "not positive semidefinite" in long_length("gaussian", "ring").message
    assert "not positive semidefinite" in long_length("exponential", "torus, isotropic").message
    assert long_length("exponential", "ring") is None
    assert long_length("gaussian", "clipped ring") is None
