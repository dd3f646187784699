"""The definition of a claim shares nothing with the engine whose formulas it judges."""

import sys
from types import FrameType

import pytest

from theory.claims import catalog
from theory.claims.model import Kind
from theory.claims.points import points
from theory.expressions.symbols import z
from theory.gaussian import expect

ENGINE = tuple(
    f"theory.{room}." for room in ("conjecture", "flow", "gates", "gaussian", "kernels", "moments", "paths", "proof")
)


def engine_calls(function, *arguments) -> set[str]:
    """The functions of the engine that a call enters."""
    entered = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        module = f"{frame.f_globals.get('__name__', '')}."
        if event == "call" and module.startswith(ENGINE):
            entered.add(module + frame.f_code.co_name)

    sys.setprofile(note)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.slow
def test_definitions_call_nothing_of_the_engine():
    guilty = {}
    for claim in catalog().values():
        point = points(claim)[0] if claim.params else {}
        if claim.kind not in (Kind.DEFINITION, Kind.EMPIRICAL) and claim.oracle is not None:
            guilty[claim.id] = engine_calls(claim.oracle, point, 10)
        elif claim.kind is not Kind.DEFINITION and claim.exact is not None:
            guilty[claim.id] = engine_calls(claim.exact, point)
    assert len(guilty) > 250
    assert {name: calls for name, calls in guilty.items() if calls} == {}
    assert engine_calls(expect, z(1) ** 4, [[1]]), "the profile sees the engine where it is used"


def test_every_claim_that_judges_a_source_has_a_definition():
    lacking = [
        claim.id
        for claim in catalog().values()
        if claim.sources and claim.kind not in (Kind.DEFINITION, Kind.EMPIRICAL)
        if claim.oracle is None and claim.exact is None
    ]
    assert lacking == []
