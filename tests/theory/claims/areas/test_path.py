"""Claims on paths at points whose numbers are known by hand, and verdicts on what the papers print."""

from fractions import Fraction

import pytest
from sympy import Rational

from tests.theory.claims.examined import examination
from theory.claims import catalog
from theory.claims.judge import standing
from theory.claims.rows import Verdict, verdict_of

# The example of the page: a ReLU network of eight paths on (2, 1) and (1, 2).
LAYERS = {"u11": 1, "u12": 1, "u21": 1, "u22": -1, "w11": 1, "w12": 1, "w21": 1, "w22": -4, "r1": 2, "r2": -1}
ON_X = {"x1": 2, "x2": 1, "g1": 1, "g2": 1, "h1": 1, "h2": 0}
ON_OTHER = {"y1": 1, "y2": 2, "p1": 1, "p2": 0, "q1": 1, "q2": 1}
# One open hidden node, two inputs along different axes, all weights 1.
ONE_NODE = {"x1": 1, "x2": 0, "y1": 0, "y2": 1, "g1": 1, "g2": 0, "p1": 1, "p2": 0}
ONES = {"u11": 1, "u12": 1, "u21": 1, "u22": 1, "r1": 1, "r2": 1}


def at(claim, values):
    return {param.symbol: Rational(values[param.symbol.name]) for param in claim.params}


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("path.output.sum", LAYERS | ON_X, 8),
        ("path.output.sum", LAYERS | {"x1": 1, "x2": 2, "g1": 1, "g2": 0, "h1": 1, "h2": 1}, 3),
        ("path.experts.relu", LAYERS | {"x1": 2, "x2": 1}, 8),
        ("path.output.homogeneous", LAYERS | {"x1": 2, "x2": 1, "c": 3}, 24),
        ("path.overlap.product", ON_X | ON_OTHER, 1),
        ("path.overlap.hadamard", ON_X | ON_OTHER, 4),
        ("path.overlap.relu", LAYERS | {"x1": 2, "x2": 1, "y1": 1, "y2": 2}, 1),
        ("path.kernel.signal_wire", ONE_NODE | ONES, 1),
        ("path.kernel.sensitivity", {"n": 4, "u11": 2, "u12": 3, "w11": 5, "r1": 7}, 0),
        ("path.overlap.decay", {"k": 1, "r": 2, "d": 3}, Fraction(1, 4)),
        ("path.output.count", {"d_in": 2, "w": 3, "d": 3}, 18),
    ],
)
def test_known_values(name, where, value):
    claim = catalog()[name]
    point = at(claim, where)
    assert claim.exact(point) == value == claim.statement.rhs.xreplace(point)


@pytest.mark.parametrize(
    ("name", "where", "printed"),
    [
        ("path.kernel.signal_wire", ONE_NODE | ONES, 0),
        ("path.overlap.decay", {"k": 1, "r": 2, "d": 3}, Rational(1, 8)),
    ],
)
def test_what_the_papers_print_there(name, where, printed):
    claim = catalog()[name]
    assert {source.printed.xreplace(at(claim, where)) for source in claim.sources} == {printed}


VERDICTS = {
    "path.output.sum": {"CONFIRMED"},
    "path.kernel.signal_wire": {"CORRECTED"},
    "path.overlap.decay": {"CORRECTED"},
    "path.overlap.relu": {"CONFIRMED"},
    "path.overlap.product": {"REMARK"},
    "path.experts.hidden_gated": {"CORRECTED"},
    "path.kernel.switch": {"REMARK"},
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name):
    found = examination(name)
    by_source = {finding.source: finding for finding in found.printed}
    rows = {
        verdict_of(standing(found.claim, found.results), source, by_source.get(source))
        for source in found.claim.sources
    }
    assert rows == {Verdict(word) for word in VERDICTS[name]}


def test_gates_at_zero_are_the_condition_of_the_printed_overlap():
    """A pre-activation of exactly 0 is open in (2) and closed in the product of section 3.2."""
    claim = catalog()["path.overlap.relu"]
    point = at(claim, LAYERS | {"x1": 1, "x2": 1, "y1": 1, "y2": 1})
    (source,) = claim.sources
    assert (claim.exact(point), source.printed.xreplace(point)) == (4, 2)
    (reading,) = source.readings
    assert not reading.admits(point)
    assert reading.admits(at(claim, LAYERS | {"x1": 2, "x2": 1, "y1": 1, "y2": 2}))
