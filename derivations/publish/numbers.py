"""The numbers in the prose of pages: each comes from a directive within the line, and a typed decimal is refused.

`{certified EXPR; DIGITS}` is a formula without parameters, enclosed by balls and rounded; `{kernel ACTIVATION DEPTH
CORR KIND DIGITS}` is a kernel at infinite width; `{evidence CLAIM KEY ...; FORMAT}` is an entry of the stored evidence
on a claim, and `{measured RUN NAME}` a number of a stored run. `{input TEXT}` is a number that the author sets: a
parameter, a version, a constant of a formula.
"""

import re
from collections.abc import Mapping
from typing import Any

from theory.problem import InputError

INLINE = re.compile(r"\{(certified|kernel|evidence|measured|input) ([^{}]*)\}")
# A decimal or a power of ten. Numbers of sections and theorems, and of preprints, are references.
_TYPED = re.compile(r"(?<![\w.])\d+\.\d+|10\^\{?-?\d")
_REFERENCE = re.compile(
    r"(?:[Ss]ections?|Theorem|Corollary|Lemma|Definition|Proposition|Assumption) \d+\.\d+(?:(?:,| and) \d+\.\d+)*"
    r"|arXiv:[\d.]+"
)


def number(kind: str, argument: str, evidence: Mapping[str, Any], here: str) -> str:
    """Return the text of a directive within a line; `evidence` is what is stored, by claim.

    Raises InputError, with the line, for an argument that names nothing.

    >>> number("certified", "exp(-1/0.49); 2", {}, "page.md, line 1")
    '0.13'
    """
    if kind == "input":
        return argument
    if kind == "measured":
        from derivations.publish.stored_runs import stored_table

        return stored_table(argument, here)
    try:
        return _MAKERS[kind](argument, evidence)
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{here}: {{{kind} {argument}}} gives no number: {error}", __doc__.split("\n\n")[1]) from error


def refuse_typed(line: str, here: str) -> None:
    """Raise InputError where a line of prose, without directives and code, has a decimal or a power of ten.

    >>> refuse_typed(r"The ratio is {input 0.2} in section 3.1 of `gdln 0.1`.", "page.md, line 1")
    >>> refuse_typed("The ratio is 0.41.", "page.md, line 1")
    Traceback (most recent call last):
    theory.problem.errors.InputError: page.md, line 1: the number 0.41 is typed. ...
    """
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", INLINE.sub("", line))
    typed = _TYPED.search(_REFERENCE.sub("", prose))
    if typed:
        raise InputError(
            f"{here}: the number {typed[0]} is typed.",
            "Take it from a directive (certified, kernel, evidence, measured), or write {input ...} for a setting.",
        )


def _certified(argument: str, _evidence: Mapping[str, Any]) -> str:
    from theory.expressions.language import parse
    from theory.gaussian.certified.digits import certified_form

    expression, _, digits = argument.partition(";")
    return _rounded(certified_form(parse(expression.strip()), int(digits) + 2).value, int(digits))


def _kernel(argument: str, _evidence: Mapping[str, Any]) -> str:
    from theory.expressions.language import parse
    from theory.kernels.infinite import WideNetwork, certified_kernel

    activation, depth, correlation, kind, digits = argument.split()
    network = WideNetwork(activation, int(depth))
    value = certified_kernel(network, parse(correlation), digits=int(digits) + 2, kernel=kind).value
    return _rounded(value, int(digits))


def _evidence(argument: str, evidence: Mapping[str, Any]) -> str:
    path, _, form = argument.partition(";")
    claim, *keys = path.split()
    value = evidence[claim]
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else value[key]
    return format(float(value), form.strip())


def _rounded(value: str, digits: int) -> str:
    return f"{float(value):#.{digits}g}".rstrip(".")


_MAKERS = {"certified": _certified, "kernel": _kernel, "evidence": _evidence}
