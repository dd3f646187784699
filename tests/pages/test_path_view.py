"""The example of the page on paths: its table and its sentences, from the network that the page prints."""

import re
from itertools import product

import numpy as np

from tests.pages.path_view import gradient, opened, output
from tests.paths import ROOT

PAGE = (ROOT / "derivations/publish/pages/path-view.md").read_text(encoding="utf-8")
X = {"x": (2, 1), "x'": (1, 2)}


def layers():
    """The three matrices as printed."""
    return [
        np.array([[int(entry) for entry in row.split("&")] for row in body.split(r"\\")], dtype=object)
        for body in re.findall(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}", PAGE)
    ]


def gates(name):
    """The gates of the ReLU network on an input."""
    return opened(layers()[:2], np.array(X[name], dtype=object), relu=True)


def slopes(name, only=None):
    """The slopes of the output; `only` keeps one input node."""
    x = np.array([own if only in (None, node) else 0 for node, own in enumerate(X[name])], dtype=object)
    return gradient(layers(), gates(name), x)


def test_the_table_of_paths():
    first, second, (last,) = layers()
    rows = re.findall(r"^\| (\d), (\d), (\d) \| (-?\d+) \| (-?\d+) \| (-?\d+) \|$", PAGE, re.MULTILINE)
    expected = []
    for i, a, b in product(range(2), repeat=3):
        value = first[a][i] * second[b][a] * last[b]
        found = [int(X[name][i] * gates(name)[0][a] * gates(name)[1][b]) for name in X]
        expected.append((i + 1, a + 1, b + 1, value, *found))
    assert [tuple(map(int, row)) for row in rows] == expected


def test_the_outputs_and_the_kernels():
    outputs = [int(output(layers(), gates(name), np.array(X[name], dtype=object))) for name in X]
    assert rf"$\hat y(x) = {outputs[0]}$ and $\hat y(x') = {outputs[1]}$" in PAGE
    kernel = [int(slopes(one) @ slopes(other)) for one, other in (("x", "x"), ("x", "x'"), ("x'", "x'"))]
    assert f"$K(x, x) = {kernel[0]}$, $K(x, x') = {kernel[1]}$ and $K(x', x') = {kernel[2]}$" in PAGE
    printed = [
        int(sum(slopes(one, node) @ slopes(other, node) for node in range(2)))
        for one, other in (("x", "x"), ("x", "x'"), ("x'", "x'"))
    ]
    told = f"gives {printed[1]} in place of {kernel[1]} for $K(x, x')$ and {printed[2]} in place of {kernel[2]} for"
    assert told in " ".join(PAGE.split())
    assert printed[0] == kernel[0]


def test_the_overlaps():
    def overlap(one, other):
        return int(np.prod([a @ b for a, b in zip(gates(one), gates(other), strict=True)]))

    inner = {(one, other): int(np.dot(X[one], X[other])) for one in X for other in X}
    assert (inner["x", "x'"], overlap("x", "x'")) == (4, 1)
    assert overlap("x", "x") == overlap("x'", "x'") == 2
    assert inner["x", "x"] * overlap("x", "x") == inner["x'", "x'"] * overlap("x'", "x'") == 10
    text = " ".join(PAGE.split())
    assert r"$\Sigma(x, x') = 4$ and $\Lambda(x, x') = 1$, so that $H(x, x') = 4$" in text
    assert r"$\Lambda(x, x) = \Lambda(x', x') = 2$ and $H(x, x) = H(x', x') = 10$" in text
