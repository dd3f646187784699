"""The answer of `gdln new`: a commented problem file to start from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.problem import InputError
from theory.problem.numbers import one_of

_ENDING = ".toml"
_GAUSSIAN = """\
xi = [2.0, 1.0]               # correlation length, in sites, of class y = labels[0], then of y = labels[1]
gain = 1.0                    # g: {gain}
boundary = "open"             # {boundaries}
normaliser = "unit-variance"  # Z with E x_i^2 = 1; or none, Z = 1
labels = [1.0, 0.0]           # y; each class has probability 1/2
"""
_DATA: Mapping[str, str] = {
    "nlgp": """\
law = "nlgp"                  # x_i = erf(g z_i)/Z, z Gaussian with correlation exp(-d^2/xi^2) at distance d
n = 40                        # sites
"""
    + _GAUSSIAN.format(gain="small is almost Gaussian, large almost +-1", boundaries="open | ring"),
    "nlgp-2d": """\
law = "nlgp-2d"               # x_i = erf(g z_i)/Z, z Gaussian with correlation exp(-d^2/xi^2) at distance d
shape = [8, 8]                # rows and columns; site i stands in row i // columns, column i % columns
"""
    + _GAUSSIAN.format(gain="small is almost Gaussian, large almost +-1", boundaries="open | torus"),
    "gaussian-clone": """\
law = "gaussian-clone"        # Gaussian x with the same mean and covariance as the nlgp of these numbers
n = 40                        # sites
"""
    + _GAUSSIAN.format(gain="that of the nlgp", boundaries="open | ring"),
    "single-pulse": """\
law = "single-pulse"          # u = 1 inside the pulse, 0 outside; it starts anywhere on a ring
n = 40                        # sites
widths = [[3, 4], [9, 10]]    # of class y = labels[0], then of y = labels[1]: integers a..b, each as likely
support = "plus-minus"        # x = 2 u - 1; or zero-one, x = u
flip = "none"                 # or sign (x -> -x) or complement (u -> 1 - u), with probability 1/2
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
    "ising": """\
law = "ising"                 # spins x_i = -1 or 1, P(x) ~ exp(sum_i beta x_i x_(i+1) + h sum_i x_i)
n = 40                        # sites
xi = [2.0, 1.0]               # exp(-1/xi) = tanh beta, of class y = labels[0], then of y = labels[1]
h = [0.0, 0.0]                # field of each class; couplings beta = [0.5, 0.2] may stand in place of xi
boundary = "ring"             # open | ring
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
    "ising-2d": """\
law = "ising-2d"              # spins x_i = -1 or 1 on a grid, P(x) ~ exp(sum_neighbours b x_i x_j + h sum_i x_i)
shape = [6, 6]                # rows and columns; site i stands in row i // columns, column i % columns
couplings = [[0.4, 0.2], 0.1] # b within columns and within rows, or one number for both, of each class
h = [0.0, 0.0]                # field of each class
boundary = "open"             # open | torus
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
    "finite": """\
law = "finite"                # these examples, each as likely
x = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, -1, 0], [-1, 0, 1, 0]]
y = [1, 0, -1, 1, 0]
""",
    "table": """\
law = "table"                 # examples in float64: made from second moments, or file = "data.npz" or "data.csv"
[[data.moments]]              # of context 0
probability = "1/2"
xx = [[1.0, 0.5], [0.5, 1.0]] # <x x'>
yx = [[1.0, 0.5]]             # <y x'>
yy = [[1.0]]                  # <y y'>: large enough that there are such examples
[[data.moments]]              # of context 1
probability = "1/2"
xx = [[1.0, 0.5], [0.5, 1.0]]
yx = [[-1.0, 0.5]]
yy = [[3.0]]
""",
}
_AT_A_SITE = """\
[[network.gates]]             # one table a unit: open where lo <= {seen}_site < hi; a missing bound is infinite
kind = "site"                 # or direction (with v), context (with open), always, repeated (with of)
site = {site}
lo = 0.0
[[network.gates]]
kind = "site"
site = {site}
hi = 0.0
"""
_OF_CONTEXTS = """\
[[network.gates]]             # one table a unit: open in these contexts
kind = "context"              # or site, direction (with v), always, repeated (with of)
open = [0]
[[network.gates]]
kind = "context"
open = [1]
"""
_REST = """\
# Start: gdln solve {file}, gdln compare {file} --plot {stem}.png
[data]
{data}
[network]
model = "gated-linear"        # or relu, leaky-relu, erf, sigmoid, with `units = 2` instead of gates (simulate only)
readout = "mean"              # yhat = (1/K) sum_k g_k(x) w_k.x; or sum, without the 1/K
{gates}
[training]
loss = "half-mse"             # L = <(y - yhat)^2>/2, and tau dw/dt = -dL/dw
tau = 1.0
w0 = {{ law = "normal", scale = 0.001, seed = 0 }}   # or K rows of n numbers
times = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]

[simulation]                  # needed by simulate and compare only
mode = "online"               # fresh examples at each step; or full-batch
samples = 10000               # examples on which each network is measured
batch = 500                   # examples a step
learning_rate = {rate:<13} # a step lasts tau * learning_rate: each time above is a whole number of steps
replicates = 16               # networks, each on examples of its own
seed = 0
"""
_RATES = {"single-pulse": "0.125"}
_SITES = {"nlgp-2d": 36, "ising-2d": 14, "finite": 1}
LAWS = tuple(_DATA)


@dataclass(frozen=True)
class NewAnswer:
    """The name of a problem file, the law of its data, and its TOML text."""

    file: Path
    law: str
    toml: str

    def json(self) -> dict[str, Any]:
        """The object that `gdln new --json` prints."""
        return {"file": str(self.file), "law": self.law, "toml": self.toml}

    def text(self) -> str:
        """The file and what to do with it, for a reader."""
        return f"Written: {self.file}\nTry: gdln solve {self.file}"

    def write(self) -> None:
        """Write the file. Raises InputError where something has its name already."""
        try:
            with self.file.open("x", encoding="utf-8") as file:
                file.write(self.toml)
        except FileExistsError:
            raise InputError(f"{self.file} exists; it would be lost.", "Give another name.", "file") from None


def answer(name: str | Path, law: str = "nlgp") -> NewAnswer:
    """Return a problem file of two complementary gates and data of the law `law`; nothing is written.

    `name` gets the ending .toml where it has none. Raises InputError for an unknown law or an empty name.

    >>> from theory.problem import loads
    >>> loads(answer("mine").toml).network.units
    2
    """
    one_of(law, "--law", LAWS, "For another law, write a problem file by hand.")
    path = Path(name)
    if not path.name:
        raise InputError(f"{str(name)!r} names no file.", "Give a name such as my-problem.", "file")
    file = path if path.suffix == _ENDING else path.with_name(path.name + _ENDING)
    seen = "z" if law.startswith("nlgp") else "x"
    gates = _OF_CONTEXTS if law == "table" else _AT_A_SITE.format(seen=seen, site=_SITES.get(law, 20))
    rate = _RATES.get(law, "1.0")
    toml = _REST.format(file=file.name, stem=file.stem, data=_DATA[law], gates=gates, rate=rate)
    return NewAnswer(file, law, toml)
