"""Completeness of a claim, required before any check: an oracle, and a reason for each level that is not run."""

from theory.claims import reasons
from theory.claims.model import Claim, Level

_FEWEST_WORDS = 4  # the least length of a reason


def left_out(claim: Claim) -> tuple[Level, ...]:
    """Return the levels that are not run for a claim, by the fields that it lacks; simulation is never required.

    >>> import sympy
    >>> from theory.claims.model import Kind
    >>> bare = Claim("an.example.equation", "x", Kind.EQUATION, sympy.true, oracle=lambda point, digits: 1)
    >>> [level.value for level in left_out(bare)]
    ['symbolic', 'exact', 'floating']
    """
    lacking = {
        Level.SYMBOLIC: claim.derive is None,
        Level.EXACT: claim.exact is None,
        Level.PRECISE: claim.oracle is None,
        Level.FLOATING: claim.oracle is None or claim.numeric is None,
        Level.NEGATIVE_CONTROL: claim.oracle is None,
    }
    return tuple(level for level, lacks in lacking.items() if lacks)


def faults(claim: Claim) -> tuple[str, ...]:
    """Return a sentence for each missing piece of a claim; none for a complete claim.

    A definition, and a sentence that an experiment decides, needs no oracle, and its kind determines the reasons.

    >>> import sympy
    >>> from theory.claims.model import Kind
    >>> x = sympy.Symbol("x")
    >>> faults(Claim("an.example.definition", "x", Kind.DEFINITION, sympy.Eq(x, 1, evaluate=False)))
    ()
    """
    found = []
    if claim.kind not in reasons.OF_KIND:
        if claim.oracle is None:
            found.append("it has no oracle, the definition by which its formula is judged")
        for level in left_out(claim):
            if level not in claim.unchecked and (claim.oracle is not None or level in (Level.SYMBOLIC, Level.EXACT)):
                found.append(f"its level {level.value!r} is not run, and `unchecked` gives no reason")
    for level, reason in claim.unchecked.items():
        if level not in left_out(claim):
            found.append(f"`unchecked` gives a reason for the level {level.value!r}, which is run")
        if len(reason.split()) < _FEWEST_WORDS:
            found.append(f"the reason why its level {level.value!r} is not run says too little: {reason!r}")
    return tuple(found)
