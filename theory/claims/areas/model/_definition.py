"""Definitions of the two notes: a network, its gates and its averages.

A definition needs no proof; consequences are stated in `relu`, `gated` and the areas `gate`, `flow`, `ols`.
"""

import sympy

from theory.claims.model import Claim, Kind
from theory.claims.sources import Source

output = sympy.Symbol(r"\hat{y}", real=True)
W1, W2, b1, first_row = (sympy.IndexedBase(name) for name in ("W1", "W2", "b1", "w"))
gated_input, gate_vector = sympy.IndexedBase(r"\tilde{x}"), sympy.IndexedBase(r"\tilde{g}")


def definition(name: str, title: str, statement: sympy.Basic, sources: tuple[Source, ...], *notes: str) -> Claim:
    """Return a claim that is a definition; `notes` state in words what its formula does not contain."""
    return Claim(
        id=name, title=title, kind=Kind.DEFINITION, statement=statement, sources=sources, assumptions=tuple(notes)
    )
