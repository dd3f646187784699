"""Reference moments and flows of networks with biases: python tests/oracles/make_biases.py writes biases.json.

The features are written out one by one, (g_k x, g_k, 1/s), and every mean of two of them is a quadrature: E[s_i x_k]
and E[x_k x_l] as in make_flow.py, E[s_i s_j] over v_i with v_j given v_i Gaussian. Flows are dense, at 60 digits, with
nothing decoupled; least squares with an intercept are centred moments.
"""

import itertools
import json
from functools import cache
from pathlib import Path

import mpmath as mp
from make_flow import BASE, WORKING, Statistics, flow, gate_of, initial, moments, shown

CASES = {
    "always": {"gates": ["always"], "labels": ["2", "-0.5"], "n": 3},
    "complement": {"gates": ["up:1", "down:1"]},
    "one-half-space": {"gates": ["up:2"], "n": 3, "labels": ["1", "-1"]},
    "complement-and-always": {"gates": ["up:1", "down:1", "always"], "n": 3, "readout": "sum", "loss": "mse"},
    "overlapping": {"gates": ["up:0", "down:2", "always"], "labels": ["3", "1"]},
    "two-pairs": {"gates": ["up:0", "down:0", "up:2", "down:2"], "n": 3, "gain": "3"},
    "ring": {"gates": ["up:0", "down:0"], "n": 5, "xi": ["1", "0.8"], "boundary": "ring"},
    "clone-overlapping": {"gates": ["up:1", "up:2", "repeat:0"], "law": "gaussian-clone", "normaliser": "none", "n": 3},
}


@cache
def sign_sign(rho):
    """E[sign(v_i) sign(v_j)] = 2 int_0^oo phi(v) P(|rest| < rho v) dv, signed: erf(rho v/sqrt(2 (1 - rho^2)))."""
    slope = rho / mp.sqrt(2 * (1 - rho**2))
    return 2 * mp.quad(lambda v: mp.erf(slope * v) * mp.npdf(v), [0, mp.mpf("0.25"), 1, 4, 20])


def two_signs(statistics, i, j):
    """E[s_i s_j] of one class: the gate looks at the latent of the process and at the clone's input."""
    if i == j:
        return mp.mpf(1)
    rho = statistics.rho[i][j] if statistics.law == "nlgp" else statistics.correlation(i, j)
    return sign_sign(rho)


def with_biases(case):
    """A, b and <y^2> with the features g_k and 1/s behind those of the weights."""
    inner, pull, y2 = moments(case)
    n, gates = case["n"], []
    for words in case["gates"]:
        gates.append(gate_of(words, gates))
    units, size = len(gates), inner.rows
    reach = mp.mpf(units) if case["readout"] == "mean" else mp.mpf(1)
    constants = [*gates, (reach, mp.mpf(0), 0)]
    classes = [Statistics(case, c) for c in (0, 1)]
    A, b = mp.zeros(size + units + 1), mp.zeros(size + units + 1, 1)
    for i, j in itertools.product(range(size), repeat=2):
        A[i, j] = inner[i, j]
    for i in range(size):
        b[i] = pull[i]
    for q, (even, odd, i) in enumerate(constants, start=size):
        b[q] = even * sum(mp.mpf(label) for label in case["labels"]) / 2
        for k, (even2, odd2, j) in enumerate(gates):
            for a in range(n):
                entry = sum(odd * even2 * s.half_space(i, a) + even * odd2 * s.half_space(j, a) for s in classes) / 2
                A[q, k * n + a] = A[k * n + a, q] = entry
        for r, (even2, odd2, j) in enumerate(constants, start=size):
            A[q, r] = even * even2 + odd * odd2 * sum(two_signs(s, i, j) for s in classes) / 2
    return A, b, y2


def start(case):
    """Exact, unsymmetric initial biases: the hidden ones, then that of the output."""
    units = len(case["gates"])
    return [f"{(5 * k % 7 - 2) / 4}" for k in range(units)], "0.375"


def intercept(case):
    """Least squares of y on (x, 1), the linear network: <y> and Cov(y, x) = 0, so nothing but the mean is learned."""
    mean = sum(mp.mpf(label) for label in case["labels"]) / 2
    return shown(sum((mp.mpf(label) - mean) ** 2 for label in case["labels"]) / 2)


def main():
    mp.mp.dps = WORKING
    store = {"cases": {}, "intercept": intercept(BASE | CASES["always"])}
    for name, changes in CASES.items():
        case = BASE | changes
        case["w0"] = initial(case)
        hidden, output = start(case)
        A, b, y2 = with_biases(case)
        whole = case | {"w0": [*case["w0"], [*hidden, output]]}
        store["cases"][name] = {
            "problem": case | {"hidden_bias0": hidden, "output_bias0": output},
            "A": [[shown(A[i, j]) for j in range(A.rows)] for i in range(A.rows)],
            "b": [shown(x) for x in b],
            **flow(whole, A, b, y2),
        }
        print(name, store["cases"][name]["mse"], store["cases"][name]["rank"], flush=True)
    Path(__file__).with_name("biases.json").write_text(json.dumps(store, indent=0) + "\n")


if __name__ == "__main__":
    main()
