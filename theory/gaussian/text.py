"""An expectation given as text: the formula, its covariance and its mean, in the language of `gdln moment`."""

from collections.abc import Iterable

import sympy

from theory.expressions.language import Names, parse, parse_domains, parse_list, parse_rows
from theory.gaussian.covariance import covariance
from theory.gaussian.expectation import VARIABLE
from theory.problem.errors import InputError


def typed(expr: object, cov: object, mean: object, where: str | None) -> tuple[object, object, object]:
    """Return `expr`, `cov` and `mean` with text replaced by the expressions that it means.

    Parameters of the text are those of `where` and the symbols of what is not text. Raises InputError for text that is
    no formula, matrix, list or domain, and for `where` without any text.

    >>> typed("erf(g*z1)", "[[1/2]]", None, "g>0")
    (erf(g*z1), [[1/2]], None)
    """
    given = (expr, cov, mean)
    if where is not None and not any(isinstance(one, str) for one in given):
        raise InputError(
            f"where = {where!r} gives domains to the parameters of text, and nothing here is text.",
            'SymPy symbols carry their own: Symbol("g", positive=True).',
        )
    parameters = _symbols(one for one in given if not isinstance(one, str))
    if where is not None:
        parameters |= {name: symbol for name, (symbol, _) in parse_domains(where).items()}
    rows = parse_rows(cov, Names(parameters=parameters)) if isinstance(cov, str) else cov
    count = covariance(rows).rows if isinstance(expr, str) else 0
    return (
        parse(expr, Names(variables=count, parameters=parameters)) if isinstance(expr, str) else expr,
        rows,
        parse_list(mean, Names(parameters=parameters)) if isinstance(mean, str) else mean,
    )


def _symbols(given: Iterable[object]) -> dict[str, sympy.Symbol]:
    """The parameters of expressions, and of lists of them, by name."""
    found: dict[str, sympy.Symbol] = {}
    for one in given:
        if isinstance(one, sympy.Basic | sympy.MatrixBase):
            found |= {symbol.name: symbol for symbol in one.free_symbols if not VARIABLE.fullmatch(symbol.name)}
        elif isinstance(one, list | tuple):
            found |= _symbols(one)
    return found
