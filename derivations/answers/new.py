"""The answer of `gdln new`: a commented problem file to start from."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import Any

from derivations.answers.new_data import WHITENINGS, DataStart, data_start
from theory.problem import InputError
from theory.problem.numbers import one_of
from theory.problem.toml import toml_value

_ENDING = ".toml"
_GAUSSIAN = """\
xi = [2.0, 1.0]               # correlation length, in sites, of class y = labels[0], then of y = labels[1]
gain = 1.0                    # g: {gain}
boundary = "open"             # {boundaries}
normaliser = "unit-variance"  # Z with E x_i^2 = 1; or none, Z = 1
labels = [1.0, 0.0]           # y; each class has probability 1/2
"""
_IMAGES_OF_28 = """\
part = "train"                # or test
centring = "mean"             # less the mean of the law; or none, pixels from 0 to 1
downsample = 2                # means over 2 x 2 of the 28 x 28 pixels: n = 196 sites, row by row
labels = [1.0, 0.0]           # y; each class has probability 1/2
"""
_SCALED = """\
boundary = "open"             # open | ring
normaliser = "unit-variance"  # Z with E x_i^2 = 1 in each class; or none, Z = 1
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
    "gaussian": """\
law = "gaussian"              # Gaussian x with any covariance in each class; gdln controls writes those of other laws
labels = [1.0, 0.0]           # y; each class has probability 1/2
covariance = [                # a matrix for each class; or file = "data.npz" with the array covariance (C, n, n)
    [[2.0, 1.2, 0.5, 0.1], [1.2, 1.0, 0.6, 0.2], [0.5, 0.6, 1.0, 0.3], [0.1, 0.2, 0.3, 0.5]],
    [[1.0, 0.2, 0.0, 0.0], [0.2, 1.0, 0.1, 0.0], [0.0, 0.1, 1.0, 0.4], [0.0, 0.0, 0.4, 1.0]],
]
""",
    "nlgp-matrix": """\
law = "nlgp-matrix"           # x_i = scales_i f(z_i)/Z, z Gaussian with any correlations in each class
nonlinearity = "laplace"      # f, as of nlgp; Z^2 = E f(z)^2
labels = [1.0, 0.0]           # y; each class has probability 1/2
correlations = [              # of z, a matrix for each class; or file = "data.npz" with correlations and scales
    [[1.0, 0.6, 0.3, 0.1], [0.6, 1.0, 0.6, 0.2], [0.3, 0.6, 1.0, 0.3], [0.1, 0.2, 0.3, 1.0]],
    [[1.0, 0.2, 0.0, 0.0], [0.2, 1.0, 0.1, 0.0], [0.0, 0.1, 1.0, 0.4], [0.0, 0.0, 0.4, 1.0]],
]
scales = [[1.0, 1.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0]]   # standard deviations of x in each class
""",
    "gaussian-copula": """\
law = "gaussian-copula"       # sites with finitely many values, tied together by a Gaussian z; or independent
labels = [1.0, 0.0]           # y; each class has probability 1/2
values = [                    # of each site in each class, ascending; or file = "data.npz" with these arrays;
                              # a site with fewer values repeats its last one with the share 0
    [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1], [-1, 0, 2]],
    [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1], [-1, 0, 2]],
]
shares = [                    # their probabilities
    [["1/3", "1/3", "1/3"], ["1/4", "1/2", "1/4"], ["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"]],
    [["1/3", "1/3", "1/3"], ["1/4", "1/2", "1/4"], ["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"]],
]
correlations = [              # of z; independent sites without it
    [[1.0, 0.6, 0.3, 0.1], [0.6, 1.0, 0.6, 0.2], [0.3, 0.6, 1.0, 0.3], [0.1, 0.2, 0.3, 1.0]],
    [[1.0, 0.2, 0.0, 0.0], [0.2, 1.0, 0.1, 0.0], [0.0, 0.1, 1.0, 0.4], [0.0, 0.0, 0.4, 1.0]],
]
""",
    "student-t": """\
law = "student-t"             # x = r z/Z, z Gaussian with correlation exp(-d^2/xi^2), r^2 = dof/chi^2 of dof
n = 40                        # sites
xi = [2.0, 1.0]               # correlation length, in sites, of class y = labels[0], then of y = labels[1]
dof = 5                       # degrees of freedom, a whole number; or one for each class
"""
    + _SCALED,
    "elliptical": """\
law = "elliptical"            # x = r z/Z, z Gaussian with correlation exp(-d^2/xi^2), r independent of it
n = 40                        # sites
xi = [2.0, 1.0]               # correlation length, in sites, of class y = labels[0], then of y = labels[1]
scale = "laplace"             # the law of r; or sphere, gaussian, or a list with one for each class, of words and of
                              # { kind = "student-t", dof = 5 }, { kind = "gamma", shape = "3/2" },
                              # { kind = "contaminated", share = 0.1, ratio = 3 },
                              # { kind = "discrete", values = [1, 2], probabilities = [0.5, 0.5] }
"""
    + _SCALED,
    "mixture": """\
law = "mixture"               # in each class one of its components, by their weights
labels = [1.0, 0.0]           # y; each class has probability 1/2
[[data.components]]           # one table a component: a law of one class; gates look at its x
class = 0                     # of y = labels[0]
weight = 0.75                 # the weights of a class add up to 1
law = "nlgp"                  # any law but finite, table and mixture, without its labels
n = 40
xi = [2.0]
gain = 3.0
boundary = "open"
normaliser = "unit-variance"
[[data.components]]
class = 0
weight = 0.25
law = "gaussian-clone"
n = 40
xi = [4.0]
gain = 3.0
boundary = "open"
normaliser = "unit-variance"
[[data.components]]
class = 1
weight = 1.0
law = "gaussian-clone"
n = 40
xi = [1.0]
gain = 1.0
boundary = "open"
normaliser = "unit-variance"
""",
    "single-pulse": """\
law = "single-pulse"          # u = 1 inside the pulse, 0 outside; it starts anywhere on a ring
n = 40                        # sites
widths = [[3, 4], [9, 10]]    # of class y = labels[0], then of y = labels[1]: integers a..b, each as likely
support = "plus-minus"        # x = 2 u - 1; or zero-one, x = u
flip = "none"                 # or sign (x -> -x) or complement (u -> 1 - u), with probability 1/2
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
    "pulses": """\
law = "pulses"                # x is the sum, or the largest, of several pulses
n = 40                        # sites
boundary = "ring"             # a pulse starts anywhere on a ring; or open, a line that it must fit
form = "block"                # or raised-cosine, gaussian
widths = [[3, 4], [9, 10]]    # of class y = labels[0], then of y = labels[1]: integers a..b, each as likely
counts = [[2, 3], [1, 1]]     # the number of pulses of an example, likewise
heights = [1]                 # of a pulse, each as likely; [1, -1] for pulses of both signs
overlap = "max"               # with blocks of height 1 their union; or sum
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
    "bars": """\
law = "bars"                  # u = 1 inside a rectangle, 0 outside
shape = [8, 8]                # rows and columns; site i stands in row i // columns, column i % columns
boundary = "torus"            # the rectangle starts anywhere; or open, a grid that it must fit
rows = [[1, 1], [3, 4]]       # that it covers in class y = labels[0], then in y = labels[1]: integers a..b
columns = [[3, 4], [1, 1]]    # likewise: class 0 has horizontal bars, class 1 vertical ones
support = "zero-one"          # x = u; or plus-minus, x = 2 u - 1
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
    "mnist": """\
law = "mnist"                 # handwritten digits; first: gdln data get mnist
categories = [[3], [8]]       # the digits of class y = labels[0], then of y = labels[1]
"""
    + _IMAGES_OF_28,
    "fashion-mnist": """\
law = "fashion-mnist"         # articles of clothing; first: gdln data get fashion-mnist
categories = [[0], [9]]       # T-shirts are class y = labels[0], ankle boots y = labels[1]
"""
    + _IMAGES_OF_28,
    "images": """\
law = "images"                # patches of photographs; first: gdln data get photographs
patch = 8                     # rows and columns of a patch: n = 64 sites, row by row
photographs = ["scenes", "scenes"]   # of class y = labels[0], then of y = labels[1]; or "textures", or lists of names
kinds = ["patch", "gaussian"]        # or Gaussian inputs with the mean and covariance of the patches
centring = "mean"             # less the mean of the law; or patch, each less its own mean; or none
whitening = "zca"             # all directions get variance 1, but those below floor times the largest; or none
floor = 0.001
labels = [1.0, 0.0]           # y; each class has probability 1/2
""",
}
_OWN = """\
law = "own"                   # examples of a Python function: every verb that reads this file runs it
path = {path}
n = 40                        # sites
labels = [1.0, 0.0]           # y of class 0, then of class 1
parameters = {{ widths = [3, 9], noise = 0.5 }}   # keywords of the function: numbers, words, lists
estimate = {{ examples = 100000, seed = 0 }}      # from which solve takes the moments
"""
_DRAW = '''\
"""The examples of {file}; gdln new --data takes arrays instead."""

import numpy as np

SITES = 40


def draw(generator, rows, widths, noise):
    """Return x (rows, n) in float64 and the class of each row; every random number is the generator's."""
    category = generator.integers(0, 2, rows)
    start = generator.integers(0, SITES, rows)
    inside = (np.arange(SITES) - start[:, None]) % SITES < np.array(widths)[category][:, None]  # a pulse on a ring
    sign = generator.choice([-1.0, 1.0], rows)
    return sign[:, None] * inside + noise * generator.standard_normal((rows, SITES)), category
'''
_AT_A_SITE = """\
[[network.gates]]             # one table a unit: open where lo <= {seen}_site < hi; a missing bound is infinite
kind = "site"                 # or direction (with v), context (with open), always, repeated (with of)
site = {site}
lo = {threshold}
[[network.gates]]
kind = "site"
site = {site}
hi = {threshold}
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
# Start: gdln solve {file}, gdln compare {file} --plot {picture}
[data]
{data}
[network]
model = "gated-linear"        # or relu, leaky-relu, erf, sigmoid, with `units = 2` instead of gates (simulate only)
readout = "mean"              # yhat = (1/K) sum_k g_k(x) w_k.x; or sum, without the 1/K
{gates}
[training]
loss = "half-mse"             # L = <(y - yhat)^2>/2, and tau dw/dt = -dL/dw
tau = 1.0
w0 = {{ law = "normal", scale = {scale}, seed = 0 }}   # or K rows of n numbers
times = {times}

[simulation]                  # needed by simulate and compare only
mode = "online"               # fresh examples at each step; or full-batch
samples = 10000               # examples on which each network is measured
batch = 500                   # examples a step
learning_rate = {rate:<13} # a step lasts tau * learning_rate: each time above is a whole number of steps
replicates = 16               # networks, each on examples of its own
seed = 0
"""
_GRAPH = """\
# Start: gdln flow {file}, gdln solve {file}, gdln compare {file} --plot {picture}
[data]
law = "finite"                # these examples, each as likely; or another law, whose n is the dimension of x
x = [[1.0, 0.5], [1.0, -0.5], [-1.0, 0.5], [-1.0, -0.5]]
y = [1.0, 0.0, -1.0, 0.5]

[network]
model = "gated-graph"         # yhat is the sum over all paths of the products of their gates and weights
inputs = ["x"]                # nodes that hold all of x
outputs = ["y"]               # nodes that make up yhat, in this order
[[network.nodes]]
name = "x"
dimension = 2
[[network.nodes]]
name = "right"
dimension = 3
gate = {{ kind = "site", site = 0, lo = 0.0 }}   # open where x_0 >= 0; a node without a gate is always open
[[network.nodes]]
name = "left"
dimension = 3
gate = {{ kind = "site", site = 0, hi = 0.0 }}
[[network.nodes]]
name = "y"
dimension = 1
[[network.edges]]
from = "x"
to = "right"
weight = "R"                  # edges with equal names share a weight; an edge may have a gate too
[[network.edges]]
from = "x"
to = "left"
weight = "L"
[[network.edges]]
from = "right"
to = "y"
weight = "decode"
[[network.edges]]
from = "left"
to = "y"
weight = "decode"

[training]
loss = "half-mse"             # L = <|y - yhat|^2>/2, and tau dW/dt = -dL/dW
tau = 1.0
w0 = {{ law = "normal", scale = 0.5, seed = 1 }}   # or a table of laws and numbers by the names of weights
times = [0.0, 1.0, 4.0, 16.0]

[simulation]                  # needed by simulate and compare only
mode = "full-batch"           # a fixed sample for each network; or online, with batch
samples = 4000
learning_rate = 0.05          # a step lasts tau * learning_rate: each time above is a whole number of steps
replicates = 8                # networks, each on examples of its own
seed = 0
initialisation = "shared"     # one w0 for all networks; or per-replicate
"""
_DEEP = """\
# Start: gdln paths {file}, gdln paths {file} --plot {picture}
[data]
law = "finite"                # these examples, each as likely
x = [[1, 2], [2, 1], [-1, -3]]
y = [1, 0, 2]

[network]
model = "deep"                # q_l = Theta_l z_(l-1), z_l = q_l * G_l, yhat = Theta_d z_(d-1), z_0 = x
widths = [2, 2]               # nodes of the hidden levels; or depth = 3 and width = 4 for [4, 4]
architecture = "fully-connected"   # or {{ kind = "circular-convolution", window = 2 }}: widths are then channels
value_input = "x"             # or ones, z_0 = 1, with gates of a second network
[network.gating]
kind = "own"                  # G_l = chi(q_l); or open, fixed (with values), bernoulli (with mu and seed),
                              # network (with network = "relu", linear or gated, frozen, gate): chi of a second one
gate = {{ kind = "hard", at_zero = "closed" }}   # chi = 1[q > 0]; or {{ kind = "soft", beta = 4.0, epsilon = 0.1 }}

[weights]                     # or, for all of them, law = "normal", scale = 1.0 and seed = 0; for gdln simulate write
                              # [training] instead, these weights in [training.w0], and [simulation]
Theta_1 = [[1, 1], [1, -1]]   # a row for each node that it leads to
Theta_2 = [[1, 1], [-2, 5]]
Theta_3 = [["1/2", 3]]        # a second network has Theta_g_1, Theta_g_2 besides
"""
_RATES = {"single-pulse": "0.125", "pulses": "0.125", "bars": "0.125"}
_SITES = {"nlgp-2d": 36, "bars": 36, "ising-2d": 14, "finite": 1, "mnist": 105, "fashion-mnist": 105, "images": 36}
_SITES |= {"gaussian": 1, "nlgp-matrix": 1, "gaussian-copula": 1}
_TIMES = "[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]"
_THRESHOLDS = {"pulses": "0.5", "bars": "0.5"}  # between the values of x; else both gates would never change
LAWS = (*_DATA, "own")
NETWORKS = ("gated-linear", "graph", "deep")


def data_table(law: str) -> dict[str, Any]:
    """Return the fields of the data of a new problem file, decimals as fractions; none for a law without such a file.

    >>> data_table("nlgp-2d")["shape"], data_table("own")
    ([8, 8], {})
    """
    fields = tomllib.loads(_DATA.get(law, "").replace("[[data.", "[["), parse_float=Fraction)
    return {name: value for name, value in fields.items() if name != "law"}


@dataclass(frozen=True)
class NewAnswer:
    """The name of a problem file, the law of its data, its TOML text, and the verb to begin with.

    The law "own" has `code`, the text of the Python file of the same name that draws its examples. A problem on data of
    one's own has their `start`, and an archive of the same name where they are rows.
    """

    file: Path
    law: str
    toml: str
    verb: str = "solve"
    code: str = ""
    start: DataStart | None = None

    @property
    def archive(self) -> Path | None:
        """The archive of the examples, None where the problem has none."""
        return self.file.with_suffix(".npz") if self.start is not None and self.start.archive is not None else None

    @property
    def files(self) -> dict[Path, str]:
        """The files of text with their content."""
        return {self.file: self.toml} | ({self.file.with_suffix(".py"): self.code} if self.code else {})

    def json(self) -> dict[str, Any]:
        """The object that `gdln new --json` prints."""
        said = {} if self.start is None else {"archive": self.archive and str(self.archive), "data": self.start.says}
        return {"file": str(self.file), "law": self.law, "toml": self.toml} | said

    def text(self) -> str:
        """The file and what to do with it, for a reader."""
        said = "" if self.start is None else f"{self.start.says}\n"
        return f"{said}Written: {', '.join(map(str, self._paths))}\nTry: gdln {self.verb} {quote(str(self.file))}"

    @property
    def _paths(self) -> list[Path]:
        return [*self.files, *([] if self.archive is None else [self.archive])]

    def write(self) -> None:
        """Write the files. Raises InputError where something has one of their names already."""
        for path in self._paths:
            if os.path.lexists(path):
                raise InputError(f"{path} exists; it would be lost.", "Give another name.", "file")
        if self.archive is not None:
            self.start.archive.write(self.archive)
        for path, text in self.files.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(text)


def answer(
    name: str | Path,
    law: str | None = None,
    network: str = NETWORKS[0],
    data: Path | None = None,
    labels: Path | None = None,
    grid: str | None = None,
    whiten: str = WHITENINGS[0],
) -> NewAnswer:
    """Return a problem file of two complementary gates, a graph or a deep network, and data of a law, unwritten.

    The law is nlgp if left out; a graph and a deep network have the law finite and no other. `name` gets the ending
    .toml where it has none. Raises InputError for an unknown law or network, another law of those, or an empty name.

    `data` is a file or folder of one's own, with `labels`, `grid` and `whiten` as `data_start` takes them.

    >>> from theory.problem import loads
    >>> loads(answer("mine").toml).network.units
    2
    """
    layer = one_of(network, "--network", NETWORKS) == NETWORKS[0]
    if data is None and (labels or grid or whiten != WHITENINGS[0]):
        option = "--labels" if labels else "--grid" if grid else "--whiten"
        raise InputError(f"{option} belongs to data of your own.", "Name their file or folder by --data.", "usage")
    if data is not None and (law is not None or not layer):
        raise InputError("--data is the law of the problem.", "Leave --law and --network out.", "usage")
    law = (LAWS[0] if layer else "finite") if law is None else law
    one_of(law, "--law", LAWS)
    if not layer and law != "finite":
        raise InputError(
            f"--network {network} with --law {law}: gates and paths are those of listed examples.", "Leave --law out."
        )
    path = Path(name)
    if not path.name:
        raise InputError(f"{str(name)!r} names no file.", "Give a name such as my-problem.", "file")
    file = path if path.suffix == _ENDING else path.with_name(path.name + _ENDING)
    if data is not None:
        start = data_start(file.stem, data, labels, grid, whiten)
        return NewAnswer(file, start.law, _layer(file, start), start=start)
    if not layer:
        text, verb = (_DEEP, "paths") if network == "deep" else (_GRAPH, "flow")
        return NewAnswer(file, law, text.format(**_words(file)), verb)
    site, threshold = _SITES.get(law, 20), _THRESHOLDS.get(law, "0.0")
    data_text = _OWN.format(path=toml_value(f"{file.stem}.py:draw")) if law == "own" else _DATA[law]
    start = DataStart(law, data_text, law == "table", site, threshold, _RATES.get(law, "1.0"), _TIMES, "0.001", "")
    toml = _layer(file, start, "z" if law.startswith("nlgp") else "x")
    return NewAnswer(file, law, toml, code=_DRAW.format(file=file.name) if law == "own" else "")


def _layer(file: Path, start: DataStart, seen: str = "x") -> str:
    """The text of a problem of two complementary gates, of contexts or on the variable `seen` at a site."""
    at_a_site = _AT_A_SITE.format(seen=seen, site=start.site, threshold=start.threshold)
    return _REST.format(
        **_words(file),
        data=start.toml,
        gates=_OF_CONTEXTS if start.contexts else at_a_site,
        rate=start.rate,
        times=start.times,
        scale=start.scale,
    )


def _words(file: Path) -> dict[str, str]:
    """The names of a problem file and of its picture as they are typed on a command line."""
    return {"file": quote(file.name), "picture": quote(f"{file.stem}.png")}
