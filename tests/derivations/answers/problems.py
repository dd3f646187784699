"""Small problem files by name: networks of milliseconds, of which every axis has another length."""

from collections.abc import Iterator

import numpy as np

from tests.paths import PROBLEMS

_LAW = """[data]
law = "nlgp"
n = 6
xi = [2.0, 1.0]
gain = 1.0
boundary = "open"
normaliser = "unit-variance"
labels = [1.0, 0.0]
"""
_GATES = """[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 3
lo = 0.0
[[network.gates]]
kind = "site"
site = 3
hi = 0.0
"""
_TRAINING = """[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [0.5, 2.0]
"""
_SIMULATION = """[simulation]
mode = "online"
samples = 300
batch = 20
learning_rate = 0.5
replicates = 7
seed = 1
"""
LINE = _LAW + _GATES + _TRAINING + _SIMULATION
# A law of examples: 2 classes of shifted Gaussians.
LAW_CODE = """import numpy as np

def draw(generator, rows, width=2, gap=0.5):
    category = generator.integers(0, 2, rows)
    x = generator.standard_normal((rows, 5))
    x += gap * (1 - 2 * category)[:, None] * (np.arange(5) < width)
    return x, category
"""
_OWN = """[data]
law = "own"
path = "mylaw.py:draw"
n = 5
labels = [1.0, -1.0]
parameters = { width = 2, gap = 0.5 }
estimate = { examples = 2000 }
"""
_GRID = _LAW.replace('"nlgp"\nn = 6', '"nlgp-2d"\nshape = [6, 5]').replace("[2.0, 1.0]", "[1.0, 0.5]")
# Three units, of which the second has no weights, and so no shape; there are four sites.
LONELY = f"""[data]
law = "finite"
x = [[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1], [1, 0, -1, 1], [-1, 2, 1, 0]]
y = [1, 0, -1, 1, 0]
[network]
model = "gated-linear"
readout = "mean"
gates = [
  {{ kind = "site", site = 1, lo = 0 }}, {{ kind = "site", site = 1, lo = 5 }}, {{ kind = "site", site = 2, hi = 0 }},
]
[training]
loss = "half-mse"
tau = 1.0
times = [1.0, 2.0]
w0 = [[1.0, 2.0, 0.5, 0.25], [0.0, 0.0, 0.0, 0.0], [3.0, 0.5, 1.0, 0.5]]
{_SIMULATION}"""
_EXAMPLES = """[data]
law = "finite"
x = [[1, 2], [2, 1], [-1, -3]]
y = [1, 0, 2]
"""
_TOY_WEIGHTS = '{ Theta_1 = [[1, 1], [1, -1]], Theta_2 = [[1, 1], [-2, 5]], Theta_3 = [["1/2", 3]] }'
TOY = f"""{_EXAMPLES}[network]
model = "deep"
widths = [2, 2]
gating = {{ kind = "own", gate = {{ kind = "hard", at_zero = "closed" }} }}
[training]
loss = "half-mse"
tau = 1
times = [1]
w0 = {_TOY_WEIGHTS}
"""
_NETWORK_GATES = (
    """{ kind = "network", network = "gated", frozen = true, gate = { kind = "soft", beta = 2, epsilon = "1/10" } }"""
)
_SECOND = ", Theta_g_1 = [[1, 2], [-1, 1]], Theta_g_2 = [[1, -3], [2, 1]] }"
DEEP = f"""{_EXAMPLES}[network]
model = "deep"
widths = [4, 3]
gating = {{ kind = "own", gate = {{ kind = "hard", at_zero = "closed" }} }}
[training]
loss = "half-mse"
tau = 1.0
w0 = {{ law = "normal", scale = 0.5, seed = 0 }}
times = [0.0, 2.0]
{_SIMULATION.replace("learning_rate = 0.5", "learning_rate = 0.1")}initialisation = "per-replicate"
"""
_CELLS = """observables = ["loss", "participation-ratio"]
store = "store"
"""
_AXES = """[axes]
"data.gain" = [0.5, 2.0]
"simulation.seed" = [1, 2, 3]
"""


def changed(text: str, *changes: tuple[str, str]) -> str:
    """Return the text with words replaced, each of which must occur."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the content of every file: those that ship, and small ones."""
    for file in PROBLEMS.glob("*.toml"):
        yield file.name, file.read_text(encoding="utf-8")
    yield from _lines()
    yield from _graphs()
    yield from _deep()
    yield from _sweeps()
    yield "mylaw.py", LAW_CODE
    yield "mine.toml", _OWN + changed(_GATES, ("site = 3", "site = 2")) + _TRAINING + _SIMULATION
    yield "centred.toml", changed(_OWN, ("gap = 0.5", "gap = 0.0")) + _GATES + _TRAINING + _SIMULATION
    yield "samples.txt", "# one a line\n-1.5\n0.25\n1\n2\n-0.75\n-1\n1.25\n-0.5\n-1.25\n0.5\n"
    yield "quantiles.txt", "0, -1\n0.25, -0.75\n1, 1\n"


def _lines() -> Iterator[tuple[str, str]]:
    yield "line.toml", LINE
    yield "few.toml", changed(LINE, ("replicates = 7", "replicates = 3"))
    yield "full.toml", changed(LINE, ('"online"\nsamples = 300\nbatch = 20', '"full-batch"\nsamples = 50'))
    yield "vector.toml", changed(LINE, ("labels = [1.0, 0.0]", "labels = [[1.0, 0.5], [0.0, 2.0]]"))
    yield "zero.toml", changed(LINE, ("scale = 0.1", "scale = 0"), ("times = [0.5", "times = [0.0, 0.5"))
    yield "shared.toml", changed(LINE, ("seed = 1", "seed = 1\nshared_stream = true"))
    yield "ring.toml", changed(LINE, ('"open"', '"ring"'), ("n = 6", "n = 7"))
    yield "always.toml", changed(LINE, ("site = 3\nhi = 0.0", 'site = 3\non = "input"\nlo = 9.0'))
    relu = '[network]\nmodel = "relu"\nreadout = "mean"\nunits = 3\n'
    yield "relu.toml", changed(LINE, (_GATES, relu))
    logistic = ("half-mse", "cross-entropy"), ("labels = [1.0, 0.0]", "labels = [1.0, -1.0]")
    readout = relu.replace('"mean"', '"trained-mean"\nbiases = "trained"')
    yield "logistic.toml", changed(LINE, (_GATES, relu), *logistic)
    yield "readout.toml", changed(LINE, (_GATES, readout))
    grid = _GRID + _GATES + _TRAINING + _SIMULATION
    yield "grid-fields.toml", changed(grid, ("site = 3", "site = 12"))
    yield "waves.toml", _waves()
    yield "grid-small.toml", changed(grid, ("shape = [6, 5]", "shape = [3, 4]"))
    yield "grid-vector.toml", changed(grid, ("labels = [1.0, 0.0]", "labels = [[1.0, 0.5], [0.0, 2.0]]"))
    yield "linear.toml", changed(LINE, (_GATES, relu.replace('"relu"', '"linear"')))
    yield "gated-readout.toml", changed(LINE, ('"mean"', '"trained-mean"'))
    yield (
        "diverging.toml",
        changed(LINE, ("learning_rate = 0.5", "learning_rate = 50.0"), ("[0.5, 2.0]", "[50.0, 500.0]")),
    )
    yield "lonely.toml", LONELY


def _waves() -> str:
    """Return a problem on a grid of 9 x 8 sites, whose units begin as two waves, a rippled bump and zeros.

    A bump without ripples has many best fits, which take long.
    """
    y, x = np.mgrid[:9, :8].astype(float)
    envelope = np.exp(-((x - 4) ** 2 + (y - 3) ** 2) / 6)
    waves = [np.cos(2 * np.pi * 0.25 * ((x - 4) * np.cos(turn) + (y - 3) * np.sin(turn))) for turn in (0.4, 0.7)]
    bump = envelope - envelope**0.4 / 2 + 0.05 * np.cos(2 * y + 3 * x)
    units = [envelope * waves[0], envelope * waves[1], bump, 0 * envelope]
    gates = "".join(f'[[network.gates]]\nkind = "site"\nsite = {site}\nlo = 0.0\n' for site in (28, 29, 30, 31))
    start = f"w0 = {[[round(weight, 6) for weight in unit.ravel().tolist()] for unit in units]}"
    head, tail = _GATES.partition("[[network.gates]]")[0], _TRAINING + _SIMULATION
    text = changed(_GRID, ("[6, 5]", "[9, 8]")) + head + gates + tail
    return changed(text, ('w0 = { law = "normal", scale = 0.1, seed = 0 }', start), ("[0.5, 2.0]", "[0.0, 2.0]"))


def _graphs() -> Iterator[tuple[str, str]]:
    race = (PROBLEMS / "race.toml").read_text(encoding="utf-8")
    short = (("times = [0.0, 1.0, 4.0, 16.0]", "times = [0.0, 0.5, 1.0]"),)
    race = changed(race, ("samples = 4000", "samples = 50"), ("replicates = 4", "replicates = 6"), *short)
    yield "race-run.toml", race
    yield "race-own.toml", changed(race, ('"shared"', '"per-replicate"'))
    yield "race-one.toml", changed(race, ("seed = 0\n", "seed = 0\nshared_stream = true\n"))
    yield "race-start.toml", changed(race, ("times = [0.0, 0.5, 1.0]", "times = [0.0]"))


def _deep() -> Iterator[tuple[str, str]]:
    yield "toy.toml", TOY
    hard_gates = '{ kind = "own", gate = { kind = "hard", at_zero = "closed" } }'
    yield (
        "toy-soft.toml",
        changed(TOY, (hard_gates, _NETWORK_GATES), (' = [["1/2", 3]] }', f' = [["1/2", 3]]{_SECOND}')),
    )
    yield "toy-random.toml", changed(TOY, (hard_gates, '{ kind = "bernoulli", mu = "1/2", seed = 3 }'))
    yield "toy-open.toml", changed(TOY, ("widths = [2, 2]", 'widths = [2, 2]\nvalue_input = "ones"'))
    yield (
        "toy-plane.toml",
        changed(
            TOY,
            ("x = [[1, 2], [2, 1], [-1, -3]]", "x = [[1, 2, 1], [2, 1, 1], [-1, -3, 1]]"),
            ("[[1, 1], [1, -1]]", '[[1, 1, "1/2"], [1, -1, 0]]'),
        ),
    )
    yield "wide.toml", changed(DEEP, ("widths = [4, 3]", "widths = [20, 20, 20, 20]"))
    yield "deep-run.toml", DEEP
    yield (
        "deep-one.toml",
        changed(DEEP, ('initialisation = "per-replicate"', 'initialisation = "shared"\nshared_stream = true')),
    )


def _sweeps() -> Iterator[tuple[str, str]]:
    base = 'base = "line.toml"\n' + _CELLS
    yield "sweep.toml", base + _AXES
    yield "sweep-bad.toml", f'invalid = "leave-out"\n{base}[axes]\n"training.times" = [[1.0], [0.3]]\n'
