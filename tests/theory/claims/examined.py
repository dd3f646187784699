"""Examinations of the catalog's claims, each computed once in a process; tests of one claim share a process."""

from collections.abc import Iterable
from functools import cache

import pytest

from theory.claims import catalog
from theory.claims.judge import Examination, examine
from theory.claims.model import Claim


@cache
def examination(name: str) -> Examination:
    """The examination of the claim of this id."""
    return examine(catalog()[name], catalog())


def each(claims: Iterable[Claim]) -> pytest.MarkDecorator:
    """A test of each claim, as its argument `claim`; pytest-xdist keeps those of one claim together."""
    marked = [pytest.param(claim, id=claim.id) for claim in claims]
    return pytest.mark.parametrize("claim", marked)
