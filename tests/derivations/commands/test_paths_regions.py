"""`gdln paths --regions` as it is typed, against gates in plain loops on many directions, and what it refuses."""

import json
from fractions import Fraction
from itertools import product

import pytest

from derivations import cli
from derivations.answers import paths_regions
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.deep_cases import CLOSED, OPEN, SOFT, drawn, loops, problem_of
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    CircularConvolution,
    DeepNetwork,
    FiniteData,
    FixedGates,
    InitialByName,
    NetworkGates,
    OwnGates,
    Problem,
    Training,
    dumps,
)

FIRST, SECOND = [[1, 2], [-1, 1], [3, -1]], [[1, -3, 1], [2, 1, -1], [-1, 1, 1]]
OWN = (("Theta_1", FIRST), ("Theta_2", SECOND), ("Theta_3", [[1, 1, 1]]))
GATING = (("Theta_g_1", FIRST), ("Theta_g_2", SECOND))
STEPS = 60
DIRECTIONS = [(x, y) for x, y in product(range(-STEPS, STEPS + 1), repeat=2) if max(abs(x), abs(y)) == STEPS]
TWO = FiniteData([[7, 3], [-2, 5]], [0, 1])
KINDS = {
    "own": OwnGates(CLOSED),
    "relu network": NetworkGates("relu", CLOSED, True),
    "gated network": NetworkGates("gated", CLOSED, False),
    "linear network": NetworkGates("linear", CLOSED, True),
}


def problem(gating, data=TWO):
    named = OWN + (GATING if isinstance(gating, NetworkGates) else ())
    return Problem(data, DeepNetwork((3, 3), gating), Training("half-mse", 1, InitialByName(named), (1,)))


def written(tmp_path, problem):
    (file := tmp_path / "plane.toml").write_text(dumps(problem))
    return file


def said(capsys, *words):
    code = cli.main(["paths", *map(str, words), "--regions", "--json"])
    return code, json.loads(capsys.readouterr().out)


def around(gating):
    """The gates on the directions of the circle, in their order, by plain loops."""
    ring = sorted(DIRECTIONS, key=lambda point: _turn(*point))
    # Turned a little, because lines on which gates switch have slopes of small numerators and denominators.
    ring = [(1000 * x + 7 * y, 1000 * y - 7 * x) for x, y in ring]
    seen = problem(gating, FiniteData(ring, [0] * len(ring)))
    return [tuple(tuple(map(int, level)) for level in loops(seen, s)[0]) for s in range(len(ring))]


def _turn(x, y):
    """A number that grows along the square, counterclockwise."""
    if x == STEPS and y > -STEPS:
        return y
    if y == STEPS:
        return 2 * STEPS - x
    return 4 * STEPS - y if x == -STEPS else 6 * STEPS + x


@pytest.mark.parametrize("name", KINDS)
def test_regions_are_those_of_gates_on_a_circle_of_directions(name, tmp_path, capsys):
    """Without biases a gate depends on the direction alone: the regions of a path are arcs of the circle."""
    code, found = said(capsys, written(tmp_path, problem(KINDS[name])))
    ring = around(KINDS[name])
    assert code == PASS
    patterns = {tuple(map(tuple, face["gates"])) for face in found["faces"]}
    assert patterns == set(ring)
    assert found["activation_regions"] == len(patterns)
    active = {}
    for path in product(range(3), repeat=2):
        on = [all(level[unit] for level, unit in zip(pattern, path, strict=True)) for pattern in ring]
        if any(on):
            active[path] = (
                sum(now and not before for before, now in zip([on[-1], *on], on, strict=False)),
                {pattern for pattern, own in zip(ring, on, strict=True) if own},
            )
    assert found["active_paths"] == len(active)
    assert [tuple(one["path"]) for one in found["path_regions"]] == sorted(active)
    for one in found["path_regions"]:
        arcs, own = active[tuple(one["path"])]
        assert len(one["components"]) == arcs
        assert len(one["faces"]) == len(own)
        assert arcs == 1 or not one["convex"]
    assert found["components"] == sum(arcs for arcs, _ in active.values())
    assert found["most_activation_regions_of_a_path"] == max(len(own) for _, own in active.values())


def test_a_relu_network_has_a_path_with_two_regions():
    """Otherwise the numbers of components above would be 1 whatever is counted."""
    apart = {
        name: any(len(one.components) > 1 for one in paths_regions.answer(problem(KINDS[name])).regions)
        for name in KINDS
    }
    assert apart == {"own": True, "relu network": True, "gated network": True, "linear network": False}


@pytest.mark.parametrize("name", KINDS)
def test_a_constant_third_input_gives_biases(name, tmp_path, capsys):
    """The gates of each face are those of the network at a point inside it, by plain loops; some faces are polygons."""
    first = [[1, 2, 3], [-1, 1, 1], [3, -1, 2]]
    named = (("Theta_1", first), ("Theta_2", SECOND), ("Theta_3", [[1, 1, 1]]))
    if isinstance(KINDS[name], NetworkGates):
        named += (("Theta_g_1", first), ("Theta_g_2", SECOND))

    def biased(points):
        data = FiniteData([[*point, "1/2"] for point in points], [0] * len(points))
        return Problem(data, DeepNetwork((3, 3), KINDS[name]), Training("half-mse", 1, InitialByName(named), (1,)))

    code, found = said(capsys, written(tmp_path, biased([(1, 1), (-2, 5)])))
    edges = found["half_edges"]
    vertices = [tuple(map(Fraction, vertex)) for vertex in edges["vertices"]]
    side = max(abs(part) for vertex in vertices for part in vertex)
    corners = [
        [vertices[start] for start, own in zip(edges["origin"], edges["face"], strict=True) if own == face["face"]]
        for face in found["faces"]
    ]
    inside = [tuple(sum(part) / len(face) for part in zip(*face, strict=True)) for face in corners]
    gates = [loops(biased(inside), s)[0] for s in range(len(inside))]
    assert code == PASS
    assert found["third_input"] == "1/2"
    assert [face["gates"] for face in found["faces"]] == [[list(map(int, level)) for level in one] for one in gates]
    assert any(all(max(map(abs, corner)) < side for corner in face) for face in corners)
    assert cli.main(["paths", str(tmp_path / "plane.toml"), "--regions"]) == PASS
    assert "x = (x1, x2, 1/2)" in capsys.readouterr().out


def test_a_network_without_active_paths_is_answered(tmp_path, capsys):
    named = (("Theta_1", [[0, 0]]), ("Theta_2", [[1]]))
    made = Problem(TWO, DeepNetwork((1,), OwnGates(CLOSED)), Training("mse", 1, InitialByName(named), (1,)))
    code, found = said(capsys, written(tmp_path, made), "--plot", tmp_path / "none.png")
    assert (code, found["active_paths"], found["path_regions"], found["components"]) == (PASS, 0, [], 0)
    assert cli.main(["paths", str(tmp_path / "plane.toml"), "--regions"]) == PASS
    assert "1     0           (-1, -1) (1, -1) (1, 1) (-1, 1)" in capsys.readouterr().out


REFUSED = {
    "three inputs": (problem_of("full", OwnGates(CLOSED)), "n = 3"),
    "one input": (drawn((2,), OwnGates(CLOSED), FiniteData([[1]], [0])), "n = 1"),
    "soft": (problem(OwnGates(SOFT)), "soft"),
    "soft, second": (problem(NetworkGates("linear", SOFT, True)), "soft"),
    "open at 0": (problem(OwnGates(OPEN)), "at_zero"),
    "all open": (problem(AllOpenGates()), '"open"'),
    "given": (drawn((1,), FixedGates([[[1], [0]]]), TWO), '"fixed"'),
    "drawn": (drawn((2,), BernoulliGates("1/2", 0), TWO), '"bernoulli"'),
    "shared": (drawn((2,), OwnGates(CLOSED), TWO, architecture=CircularConvolution(2)), "circular-convolution"),
    "many units": (drawn((300,), OwnGates(CLOSED), TWO), "300 hidden units"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_divides_no_plane_is_refused_with_the_remedy(name, tmp_path, capsys):
    made, word = REFUSED[name]
    code, found = said(capsys, written(tmp_path, made))
    assert (code, found["error"]["kind"]) == (OUT_OF_REACH, "out-of-reach")
    assert word in found["error"]["message"]
    assert found["error"]["hint"]


@pytest.mark.parametrize("options", [["--torch"], ["--inputs=0,1"], ["--inputs=2"], ["--inputs=a"], ["--inputs=-1"]])
def test_options_that_do_not_fit_are_refused(options, tmp_path, capsys):
    code, found = said(capsys, written(tmp_path, problem(KINDS["own"])), *options)
    assert (code, found["error"]["kind"]) == (BAD_INPUT, options[0][2:].split("=")[0])


def test_other_networks_are_refused(capsys):
    code, found = said(capsys, "derivations/experiments/problems/three-sites.toml")
    assert code == OUT_OF_REACH
    assert "deep network" in found["error"]["message"]


def test_more_faces_than_are_divided_are_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("theory.paths.regions.planar.MOST_FACES", 4)
    code, found = said(capsys, written(tmp_path, problem(KINDS["own"])))
    assert (code, found["error"]["message"]) == (OUT_OF_REACH, "The plane is divided into more than 4 faces.")
