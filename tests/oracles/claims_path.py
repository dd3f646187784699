"""Witnesses of the claims on the path view: matrices of fractions, and slopes of polynomials by seven values.

Networks are evaluated from the output back to the input: a row of weights times gated matrices. A slope is
that of a polynomial of degree six at most, which its values at -3, ..., 3 determine.
"""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

from witness import At, Witness

Row = list[Fraction]
Matrix = list[Row]


def _times(row: Row, matrix: Matrix) -> Row:
    return [sum((a * line[k] for a, line in zip(row, matrix, strict=True)), Fraction(0)) for k in range(len(matrix[0]))]


def _backwards(layers: Sequence[Matrix], gates: Sequence[Row], x: Row) -> Fraction:
    """The output: the last row of weights, through gates and layers back to the input."""
    (row,) = layers[-1]
    for layer, own in zip(reversed(layers[:-1]), reversed(gates), strict=True):
        row = _times([a * g for a, g in zip(row, own, strict=True)], layer)
    return sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0))


def _slope(function: Callable[[Fraction], Fraction]) -> Fraction:
    """The derivative at 0 of a polynomial of degree six at most."""
    one, two, three = (function(Fraction(k)) - function(Fraction(-k)) for k in (1, 2, 3))
    return one * Fraction(3, 4) - two * Fraction(3, 20) + three / 60


def _gradient(function: Callable[[Row], Fraction], at: Row) -> Row:
    """The slopes of a function by each of its arguments."""
    return [
        _slope(lambda step, k=k: function([own + step * (number == k) for number, own in enumerate(at)]))
        for k in range(len(at))
    ]


def _dot(one: Row, other: Row) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _named(at: At, names: str) -> Row:
    return [at[name] for name in names.split()]


def _square(at: At, letter: str) -> Matrix:
    return [_named(at, f"{letter}11 {letter}12"), _named(at, f"{letter}21 {letter}22")]


def _layers(at: At) -> list[Matrix]:
    return [_square(at, "u"), _square(at, "w"), [_named(at, "r1 r2")]]


def _output(at: At, _digits: int) -> Fraction:
    return _backwards(_layers(at), [_named(at, "g1 g2"), _named(at, "h1 h2")], _named(at, "x1 x2"))


def _all_open(at: At, _digits: int) -> Fraction:
    return _backwards(_layers(at), [[Fraction(1)] * 2] * 2, _named(at, "x1 x2"))


def _opened(layers: Sequence[Matrix], x: Row, rectified: bool) -> list[Row]:
    """The gates 1[q >= 0] of each layer; a ReLU network passes on only what its gates let through."""
    gates = []
    for layer in layers:
        x = [_dot(line, x) for line in layer]
        gates.append([Fraction(int(q >= 0)) for q in x])
        x = [max(q, Fraction(0)) for q in x] if rectified else x
    return gates


def _relu(at: At, _digits: int, scale: Fraction = Fraction(1)) -> Fraction:
    x = [scale * own for own in _named(at, "x1 x2")]
    return _backwards(_layers(at), _opened(_layers(at)[:-1], x, rectified=True), x)


def _gated(at: At, seen: Row) -> Fraction:
    gates = _opened([_square(at, "a"), _square(at, "b")], _named(at, "x1 x2"), rectified=False)
    return _backwards(_layers(at), gates, seen)


def _third(at: At, rectified: bool) -> Fraction:
    """The value of the node of the third level: its gate times its pre-activation."""
    layers = [[[at["u11"]], [at["u21"]]], _square(at, "w"), [_named(at, "r1 r2")]]
    gating = layers if rectified else [[[at["a11"]], [at["a21"]]], _square(at, "b"), [_named(at, "s1 s2")]]
    *gates, (last,) = _opened(gating, [at["x"]], rectified)
    return last * _backwards(layers, gates, [at["x"]])


def _overlap(at: At) -> int:
    """Hidden paths open on both inputs: the entries of the product of gates, written as a matrix."""
    both = []
    for names in ("x1 x2", "y1 y2"):
        first, second = _opened([_square(at, "u"), _square(at, "w")], _named(at, names), rectified=True)
        both.append([[a * b for b in second] for a in first])
    return int(sum(both[0][a][b] * both[1][a][b] for a in range(2) for b in range(2)))


def _features(at: At, x: Row, names: tuple[str, str]) -> Row:
    first, second = (_named(at, f"{own}1 {own}2") for own in names)
    return [entry * a * b for entry in x for a in first for b in second]


def _path_kernel(at: At, _digits: int) -> Fraction:
    one = _features(at, _named(at, "x1 x2"), ("g", "h"))
    return _dot(one, _features(at, _named(at, "y1 y2"), ("p", "q")))


def _path_overlap(at: At, _digits: int) -> Fraction:
    one = _features(at, [Fraction(1)] * 2, ("g", "h"))
    return _dot(one, _features(at, [Fraction(1)] * 2, ("p", "q"))) / 2


def _toy(_at: At, _digits: int) -> Fraction:
    """Shared gates of both levels, of which p_3 needs node 1 and node 3, and no other pair is open."""
    found = set()
    for first, second in product(product((0, 1), repeat=3), repeat=2):
        shared = [3 * a + b + 1 for a in range(3) for b in range(3) if first[a] and second[b]]
        if shared == [3]:
            found.add(Fraction(len(shared) + len([9 + number for number in shared]), 2))
    (value,) = found
    return value


def _decay(at: At, _digits: int) -> Fraction:
    """Level by level: the shared paths among those that are open on one input."""
    shared = open_ = Fraction(1)
    for _ in range(int(at["d"]) - 1):
        shared, open_ = sum([shared] * int(at["k"])), sum([open_] * int(at["r"]))
    return shared / open_


def _jump(at: At, _digits: int) -> Fraction:
    before, after = ({**at, "f1": at[name], "f2": Fraction(1)} for name in ("g1", "g2"))
    x = _named(at, "x1 x2")
    moved = [b - a for a, b in zip(*(_features(own, x, ("f", "h")) for own in (before, after)), strict=True)]
    return _dot(moved, moved)


def _sensitivity(at: At, _digits: int) -> Fraction:
    path = _named(at, "u11 w11 r1 u12")
    return _gradient(lambda own: own[0] * own[1] * own[2], path)[int(at["n"]) - 1]


def _of_two_layers(at: At, x: Row, gates: Row) -> Row:
    flat = [*_named(at, "u11 u12 u21 u22"), *_named(at, "r1 r2")]
    return _gradient(lambda own: _backwards([[own[:2], own[2:4]], [own[4:]]], [gates], x), flat)


def _wire(at: At, _digits: int) -> Fraction:
    one = _of_two_layers(at, _named(at, "x1 x2"), _named(at, "g1 g2"))
    return _dot(one, _of_two_layers(at, _named(at, "y1 y2"), _named(at, "p1 p2")))


def _tangent(at: At, _digits: int) -> Fraction:
    flat = _named(at, "u11 u21 w11 w12 w21 w22 r1 r2")

    def slopes(x: Fraction, gates: list[Row]) -> Row:
        return _gradient(
            lambda own: _backwards([[[own[0]], [own[1]]], [own[2:4], own[4:6]], [own[6:]]], gates, [x]), flat
        )

    one = slopes(at["x"], [_named(at, "g1 g2"), _named(at, "h1 h2")])
    return _dot(one, slopes(at["y"], [_named(at, "p1 p2"), _named(at, "q1 q2")]))


def _slack(at: At, _digits: int) -> Fraction:
    """rho_max(V) is |grad v|^2 along the direction (u11, u12) of the two paths, where the path values move most."""
    flat = _named(at, "u11 u12 r1")
    columns = [_gradient(lambda own, k=k: own[k] * own[2], flat) for k in (0, 1)]
    direction = flat[:2]
    along = [_dot(direction, [columns[0][m], columns[1][m]]) for m in range(3)]
    largest = _dot(along, along) / _dot(direction, direction)
    z = _named(at, "z1 z2")
    combined = [z[0] * a + z[1] * b for a, b in zip(_named(at, "x1 x2"), _named(at, "y1 y2"), strict=True)]
    moved = _gradient(lambda own: own[2] * (own[0] * combined[0] + own[1] * combined[1]), flat)
    return largest * _dot(combined, combined) - _dot(moved, moved)


def _error(at: At, _digits: int) -> Fraction:
    flat = _named(at, "u11 u21 r1 r2")

    def error(own: Row, x: str, gates: str, label: str) -> Fraction:
        return _backwards([[[own[0]], [own[1]]], [own[2:]]], [_named(at, gates)], [at[x]]) - at[label]

    def loss(own: Row) -> Fraction:
        return (error(own, "x", "g1 g2", "a") ** 2 + error(own, "y", "p1 p2", "b") ** 2) / 2

    return -_dot(_gradient(lambda own: error(own, "x", "g1 g2", "a"), flat), _gradient(loss, flat))


def _value(at: At, _digits: int) -> Fraction:
    return _slope(lambda t: (at["u11"] + at["s1"] * t) * (at["w11"] + at["s2"] * t) * (at["r1"] + at["s3"] * t))


def _soft(at: At, x: Fraction, gates: str, slopes: str, coupled: bool) -> Row:
    """dy/dtheta of a network of one node a level, its gates straight lines through the given values."""
    f, e = (at["u"], at["w"]) if coupled else (at["f"], at["e"])
    g, s = _named(at, f"{gates}1 {gates}2"), _named(at, f"{slopes}1 {slopes}2")

    def output(own: Row) -> Fraction:
        u, w, r, first, second = (*own, own[0], own[1]) if coupled else own
        opened = g[0] + s[0] * (first - f) * x
        two = g[1] + s[1] * (second * first * x * opened - e * f * x * g[0])
        return r * two * w * opened * u * x

    return _gradient(output, _named(at, "u w r") if coupled else _named(at, "u w r f e"))


def _split(at: At, coupled: bool) -> Fraction:
    return _dot(_soft(at, at["x"], "g", "s", coupled), _soft(at, at["y"], "h", "t", coupled))


def _delta(at: At, _digits: int) -> Fraction:
    """The mixed slope of the overlap of gates that move by two independent steps."""

    def level(names: str, a: Fraction, b: Fraction) -> Fraction:
        one, other, moved, turned = (_named(at, f"{name}1 {name}2") for name in names)
        return _dot(
            [p + a * q for p, q in zip(one, moved, strict=True)],
            [p + b * q for p, q in zip(other, turned, strict=True)],
        )

    return _slope(lambda b: _slope(lambda a: level("abij", a, b) * level("cdkl", a, b)))


def _words(letters: int, length: int) -> int:
    total = 0
    for chosen in combinations_with_replacement(range(letters), length):
        ways = 1
        left = length
        for letter in set(chosen):
            count = chosen.count(letter)
            for step in range(count):
                ways = ways * (left - step) // (step + 1)
            left -= count
        total += ways
    return total


def _count(at: At, _digits: int) -> Fraction:
    return at["d_in"] * _words(int(at["w"]), int(at["d"]) - 1)


def _size(at: At, _digits: int) -> Fraction:
    sizes = [int(at["d_in"]), *[int(at["w"])] * (int(at["d"]) - 1), 1]
    return Fraction(sum(len(list(product(range(sizes[k]), range(sizes[k + 1])))) for k in range(len(sizes) - 1)))


def _points(names: str, count: int = 5, gates: str = "") -> tuple[str, ...]:
    """Points of small fractions; gates lie between 0 and 1."""
    rng = random.Random(names)
    soft = set(gates.split())

    def value(name: str) -> Fraction:
        return Fraction(rng.randint(0, 4), 4) if name in soft else Fraction(rng.randint(-9, 9), rng.randint(1, 5))

    return tuple(" ".join(f"{name}={value(name)}" for name in names.split()) for _ in range(count))


_WEIGHTS = "u11 u12 u21 u22 w11 w12 w21 w22 r1 r2"
_GATING = "a11 a12 a21 a22 b11 b12 b21 b22"
_GATES, _OTHERS = "g1 g2 h1 h2", "p1 p2 q1 q2"
_SOFT = "g1 g2 s1 s2 h1 h2 t1 t2"
_SIZES = ("d_in=2 w=3 d=3", "d_in=1 w=1 d=5", "d_in=3 w=2 d=4", "d_in=2 w=4 d=2")


WITNESSES = {
    "path.output.sum": Witness(_output, _points(f"x1 x2 {_GATES} {_WEIGHTS}", gates=_GATES)),
    "path.output.homogeneous": Witness(
        lambda at, digits: _relu(at, digits, at["c"]),
        tuple(
            f"c={c} {rest}"
            for c, rest in zip(("2", "1/3", "5", "7/2", "9", "1/8"), _points(f"x1 x2 {_WEIGHTS}", 6), strict=True)
        ),
    ),
    "path.output.deep_linear": Witness(_all_open, _points(f"x1 x2 {_WEIGHTS}")),
    "path.output.count": Witness(_count, _SIZES),
    "path.output.size": Witness(_size, _SIZES),
    "path.experts.relu": Witness(_relu, _points(f"x1 x2 {_WEIGHTS}", 8)),
    "path.experts.linearly_gated": Witness(
        lambda at, _digits: _gated(at, _named(at, "x1 x2")), _points(f"x1 x2 {_WEIGHTS} {_GATING}", 8)
    ),
    "path.experts.constant": Witness(
        lambda at, _digits: _gated(at, [Fraction(1)] * 2), _points(f"x1 x2 {_WEIGHTS} {_GATING}", 8)
    ),
    "path.experts.hidden_relu": Witness(
        lambda at, _digits: _third(at, rectified=True), _points("x u11 u21 w11 w12 w21 w22 r1 r2", 8)
    ),
    "path.experts.hidden_gated": Witness(
        lambda at, _digits: _third(at, rectified=False),
        _points("x u11 u21 w11 w12 w21 w22 r1 r2 a11 a21 b11 b12 b21 b22 s1 s2", 8),
    ),
    "path.overlap.product": Witness(_path_overlap, _points(f"{_GATES} {_OTHERS}", gates=f"{_GATES} {_OTHERS}")),
    "path.overlap.hadamard": Witness(
        _path_kernel, _points(f"x1 x2 y1 y2 {_GATES} {_OTHERS}", gates=f"{_GATES} {_OTHERS}")
    ),
    "path.overlap.relu": Witness(
        lambda at, _digits: Fraction(_overlap(at)), _points("x1 x2 y1 y2 u11 u12 u21 u22 w11 w12 w21 w22", 8)
    ),
    "path.overlap.toy": Witness(_toy, ("",)),
    "path.overlap.decay": Witness(_decay, ("k=1 r=2 d=4", "k=2 r=3 d=2", "k=3 r=3 d=3", "k=1 r=3 d=5")),
    "path.kernel.sensitivity": Witness(
        _sensitivity,
        tuple(f"n={n} {rest}" for n, rest in zip((1, 2, 3, 4), _points("u11 u12 w11 r1", 4), strict=True)),
    ),
    "path.kernel.tangent": Witness(
        _tangent,
        _points(f"x y {_GATES} {_OTHERS} u11 u21 w11 w12 w21 w22 r1 r2", gates=f"{_GATES} {_OTHERS}"),
    ),
    "path.kernel.signal_wire": Witness(
        _wire, _points("x1 x2 y1 y2 g1 g2 p1 p2 u11 u12 u21 u22 r1 r2", gates="g1 g2 p1 p2")
    ),
    "path.kernel.conditioning": Witness(_slack, _points("x1 x2 y1 y2 z1 z2 u11 u12 r1")),
    "path.kernel.switch": Witness(_jump, _points(f"x1 x2 {_GATES}", gates=_GATES)),
    "path.dynamics.error": Witness(_error, _points("x y a b g1 g2 p1 p2 u11 u21 r1 r2", gates="g1 g2 p1 p2")),
    "path.dynamics.value": Witness(_value, _points("s1 s2 s3 u11 w11 r1")),
    "path.split.decoupled": Witness(
        lambda at, _digits: _split(at, coupled=False), _points(f"x y u w r f e {_SOFT}", gates="g1 g2 h1 h2")
    ),
    "path.split.coupled": Witness(
        lambda at, _digits: _split(at, coupled=True), _points(f"x y u w r {_SOFT}", gates="g1 g2 h1 h2")
    ),
    "path.split.sensitivity": Witness(
        _delta, _points(" ".join(f"{letter}{k}" for letter in "abcdijkl" for k in (1, 2)))
    ),
}
