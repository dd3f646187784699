"""The witness's own integrals against stored digits, at every gain, with correlations just below 1."""

import json

import numpy as np
import pytest

from sim.data import quadrature
from tests.paths import ORACLES
from tests.sim.cases import line
from tests.tolerances import SIM_QUADRATURE
from theory.problem import GaussianClone, OutOfReachError

ORACLE = json.loads((ORACLES / "sim.json").read_text())


@pytest.mark.parametrize("gain", list(ORACLE["erf_variance"])[::3])
def test_erf_variance_and_covariance(gain):
    variance = float(ORACLE["erf_variance"][gain])
    assert abs(quadrature.erf_variance(float(gain)) / variance - 1) < SIM_QUADRATURE
    entries = [entry for entry in ORACLE["erf_covariance"] if entry["gain"] == gain]
    exponents = np.array([float(entry["exponent"]) for entry in entries])
    stored = np.array([float(entry["value"]) for entry in entries])
    found = quadrature.erf_covariance(float(gain), np.exp(-exponents), -np.expm1(-2 * exponents))
    assert np.abs(found - stored).max() < SIM_QUADRATURE * variance


def test_without_the_normaliser_the_variance_stays():
    plain = quadrature.covariance(line(GaussianClone, normaliser="none"), 1)
    scaled = quadrature.covariance(line(GaussianClone), 1)
    assert np.abs(plain - scaled * quadrature.erf_variance(1.0)).max() < SIM_QUADRATURE


def test_underflow_is_named():
    with pytest.raises(OutOfReachError, match="underflows"):
        quadrature.erf_variance(1e-160)


def test_too_few_nodes_are_noticed(monkeypatch):
    monkeypatch.setattr(quadrature, "_NODES", (2, 3))
    with pytest.raises(OutOfReachError, match="2 and 3 nodes a panel differ"):
        quadrature.erf_variance(1.0)
