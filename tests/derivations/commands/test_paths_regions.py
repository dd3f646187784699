"""`gdln paths --regions` beside gates in plain loops, and what it refuses."""

from fractions import Fraction

from derivations.output import OUT_OF_REACH, PASS
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

FIRST, SECOND = [[1, 2, 3], [-1, 1, 1], [3, -1, 2]], [[1, -3, 1], [2, 1, -1], [-1, 1, 1]]
OWN = (("Theta_1", FIRST), ("Theta_2", SECOND), ("Theta_3", [[1, 1, 1]]))
GATING = (("Theta_g_1", FIRST), ("Theta_g_2", SECOND))
TWO = FiniteData([[7, 3], [-2, 5]], [0, 1])
KINDS = {
    "own": OwnGates(CLOSED),
    "relu network": NetworkGates("relu", CLOSED, True),
    "gated network": NetworkGates("gated", CLOSED, False),
    "linear network": NetworkGates("linear", CLOSED, True),
}


def biased(gating, points):
    """A network of which a constant third input gives biases."""
    named = OWN + (GATING if isinstance(gating, NetworkGates) else ())
    data = FiniteData([[*point, "1/2"] for point in points], [0] * len(points))
    return Problem(data, DeepNetwork((3, 3), gating), Training("half-mse", 1, InitialByName(named), (1,)))


def test_the_gates_of_each_face_are_those_of_the_network_at_a_point_inside_it(tmp_path, gdln):
    """Some faces are polygons."""
    file = tmp_path / "plane.toml"
    for name, gating in KINDS.items():
        file.write_text(dumps(biased(gating, [(1, 1), (-2, 5)])))
        code, answer = gdln("paths", file, "--regions")
        edges = answer["half_edges"]
        vertices = [tuple(map(Fraction, vertex)) for vertex in edges["vertices"]]
        side = max(abs(part) for vertex in vertices for part in vertex)
        corners = [
            [vertices[start] for start, label in zip(edges["origin"], edges["face"], strict=True) if label == number]
            for number in (face["face"] for face in answer["faces"])
        ]
        inside = [tuple(sum(part) / len(face) for part in zip(*face, strict=True)) for face in corners]
        gates = [loops(biased(gating, inside), s)[0] for s in range(len(inside))]
        assert (code, answer["third_input"]) == (PASS, "1/2"), name
        assert [face["gates"] for face in answer["faces"]] == [
            [list(map(int, level)) for level in one] for one in gates
        ]
        assert any(all(max(map(abs, corner)) < side for corner in face) for face in corners), name


def test_a_network_without_active_paths_is_answered(tmp_path, gdln):
    named = (("Theta_1", [[0, 0]]), ("Theta_2", [[1]]))
    problem = Problem(TWO, DeepNetwork((1,), OwnGates(CLOSED)), Training("mse", 1, InitialByName(named), (1,)))
    (file := tmp_path / "plane.toml").write_text(dumps(problem))
    code, answer = gdln("paths", file, "--regions", "--plot", tmp_path / "none.png")
    assert (code, answer["active_paths"], answer["path_regions"], answer["components"]) == (PASS, 0, [], 0)


REFUSED = {
    "n = 3": problem_of("full", OwnGates(CLOSED)),
    "n = 1": drawn((2,), OwnGates(CLOSED), FiniteData([[1]], [0])),
    "soft": drawn((2,), OwnGates(SOFT), TWO),
    "to some degree": drawn((2,), NetworkGates("linear", SOFT, True), TWO),
    "at_zero": drawn((2,), OwnGates(OPEN), TWO),
    '"open"': drawn((2,), AllOpenGates(), TWO),
    '"fixed"': drawn((1,), FixedGates([[[1], [0]]]), TWO),
    '"bernoulli"': drawn((2,), BernoulliGates("1/2", 0), TWO),
    "circular-convolution": drawn((2,), OwnGates(CLOSED), TWO, architecture=CircularConvolution(2)),
    "300 hidden units": drawn((300,), OwnGates(CLOSED), TWO),
}


def test_what_divides_no_plane_is_refused_with_the_remedy(tmp_path, gdln):
    file = tmp_path / "plane.toml"
    for word, problem in REFUSED.items():
        file.write_text(dumps(problem))
        code, answer = gdln("paths", file, "--regions")
        assert (code, answer["error"]["kind"]) == (OUT_OF_REACH, "out-of-reach"), word
        assert word in answer["error"]["message"]
        assert answer["error"]["hint"]


def test_more_faces_than_are_divided_are_refused(monkeypatch, tmp_path, refusal):
    monkeypatch.setattr("theory.paths.regions.planar.MOST_FACES", 4)
    (file := tmp_path / "plane.toml").write_text(dumps(biased(KINDS["own"], [(1, 1)])))
    code, message = refusal("paths", file, "--regions")
    assert (code, "more than 4 faces" in message) == (OUT_OF_REACH, True)
