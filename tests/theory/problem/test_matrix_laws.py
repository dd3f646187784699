"""Laws with matrices: what they read and write, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest

from tests.theory.problem.refusals import not_refused
from theory.problem import LAWS, InputError, dumps, load, loads

EYE = [[1, 0], [0, 1]]
FLAT = {"values": [[[0, 1], [0, 1]]], "shares": [[["1/2", "1/2"], [1, 0]]]}
REST = """
[network]
model = "relu"
readout = "mean"
units = 1
[training]
loss = "half-mse"
tau = 1
w0 = { law = "normal", scale = 1, seed = 0 }
times = [1]
"""
WRITTEN = {
    "gaussian": "labels = [1]\ncovariance = [[[2, 0.1], [0.1, '1/3']]]\nmeans = [[1, 0]]\nrows = 1",
    "nlgp-matrix": "nonlinearity = 'laplace'\nlabels = [1]\ncorrelations = [[[1, 0.1], [0.1, 1]]]\nscales = [[1, 0]]",
    "gaussian-copula": "labels = [1]\nvalues = [[[0, 1], [0, 1]]]\nshares = [[[0.5, 0.5], [1, 0]]]\n"
    "estimate = { examples = 64, seed = 1 }",
}


@pytest.mark.parametrize("word", WRITTEN)
def test_arrays_in_a_file_are_those_of_the_law(word, tmp_path):
    problem = loads(f"[data]\nlaw = '{word}'\n{WRITTEN[word]}\n{REST}")
    assert loads(dumps(problem)) == problem
    law = problem.data
    filed = law.filed(tmp_path / "data.npz")
    assert filed.n == law.n
    for name in ("matrices", "deviations", "levels", "weights"):
        if getattr(law, name, None) is not None:
            assert np.array_equal(getattr(law, name), getattr(filed, name))
    rest = "".join(f"{line}\n" for line in WRITTEN[word].splitlines() if line.split(" = ")[0] not in type(law).arrays)
    (tmp_path / "problem.toml").write_text(f"[data]\nlaw = '{word}'\nfile = 'data.npz'\n{rest}{REST}")
    assert load(tmp_path / "problem.toml").data == filed
    with pytest.raises(InputError, match="it is another file"):
        replace(filed, sha256="0" * 64)


def test_faults_are_named():
    cases = [
        ("gaussian", {"covariance": [[1, 0]]}, "has the shape [1, 2], not [C, n, n]"),
        ("gaussian", {"covariance": [EYE, EYE]}, "2 matrices, data.labels 1"),
        ("gaussian", {"covariance": [[[1, 0], [1]]]}, "different lengths. Give lists of equal lengths"),
        ("gaussian", {"covariance": [[[1, "0.5"], ["0.4", 1]]]}, "not symmetric: its entries [0, 1] and [1, 0]"),
        ("gaussian", {"covariance": [[[1, 2], [2, 1]]]}, "eigenvalue -1, below rounding"),
        ("gaussian", {"covariance": np.full((1, 1, 1), np.inf)}, "data.covariance[0, 0, 0] = inf: not finite"),
        ("gaussian", {"covariance": np.zeros((1, 2049, 2049))}, "n = 2049 sites, more than 2048"),
        ("gaussian", {"covariance": [EYE], "file": "data.npz"}, "beside data.file"),
        ("gaussian", {"covariance": [EYE], "sha256": "0" * 64}, "no data.file"),
        ("gaussian", {"file": "nowhere.npz"}, "cannot be read"),
        ("nlgp-matrix", {"nonlinearity": "erf", "correlations": [[[2]]], "scales": [[1]]}, "has 2 on its diagonal"),
        ("nlgp-matrix", {"nonlinearity": "erf", "correlations": [EYE], "scales": [[1]]}, "needs the shape [1, 2]"),
        ("nlgp-matrix", {"nonlinearity": "erf", "correlations": [EYE], "scales": [[1, -1]]}, "below 0"),
        ("gaussian-copula", {**FLAT, "shares": [[[1], [1]]]}, "both need [C, n, V]"),
        ("gaussian-copula", {**FLAT, "values": [[[0, 1], [1, 0]]]}, "Site 1 of class 0 has values that descend"),
        ("gaussian-copula", {**FLAT, "shares": [[["1/2", "1/3"], [1, 0]]]}, "Site 0 of class 0"),
        ("gaussian-copula", {**FLAT, "correlations": [[[1]]]}, "Give both for the same classes and sites"),
    ]
    assert not_refused(lambda word, fields: LAWS[word](labels=[1], **fields), cases) == []


def test_an_archive_with_other_arrays_is_refused(tmp_path):
    np.savez(tmp_path / "data.npz", covariance=np.eye(2)[None], other=np.zeros(1))
    with pytest.raises(InputError, match="has the array 'other', which is none of covariance"):
        LAWS["gaussian"]([1], file=str(tmp_path / "data.npz"))
