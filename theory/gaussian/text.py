"""An expectation given as text: formula, covariance, mean and observations, in the language of `gdln moment`."""

from collections.abc import Iterable

import sympy

from theory.expressions.domains import Domain, parse_domains
from theory.expressions.language import Names, named, parse, parse_equations, parse_list, parse_rows
from theory.gaussian.admissible import Admissible, admissible
from theory.gaussian.covariance import covariance
from theory.gaussian.expectation import VARIABLE
from theory.problem.errors import InputError
from theory.problem.grammar import NAME


def typed(
    expr: object, cov: object, mean: object, where: str | None, observations: object = None
) -> tuple[object, object, object, object]:
    """Return `expr`, `cov`, `mean` and `observations` with text replaced by the expressions that it means.

    The text may use the parameters of `where`, those that a covariance, a mean or observations name, which are real,
    and the symbols of those inputs that are no text. Raises InputError for text that is no formula, matrix, list, list
    of equations or domain, and for `where` without any text.

    >>> typed("erf(g*z1)", "[[1/2]]", "[m]", "g>0", "z1 = 2")
    (erf(g*z1), [[1/2]], [m], [(z1, 2)])
    """
    inputs = (expr, cov, mean, observations)
    if where is not None and not any(isinstance(one, str) for one in inputs):
        raise InputError(
            f"where = {where!r} gives domains to the parameters of text, but the inputs are SymPy expressions.",
            'Declare them with the symbols: Symbol("g", positive=True).',
        )
    parameters = _symbols(one for one in inputs if not isinstance(one, str))
    if where is not None:
        parameters |= parse_domains(where).names
    texts = (one for one in (cov, mean, observations) if isinstance(one, str) and not one.startswith("@"))
    parameters = {name: sympy.Symbol(name, real=True) for name in named(*texts)} | parameters
    rows = parse_rows(cov, Names(parameters=parameters)) if isinstance(cov, str) else cov
    several = isinstance(expr, str) or isinstance(observations, str)
    names = Names(variables=covariance(rows).rows if several else 0, parameters=parameters)
    return (
        parse(expr, names) if isinstance(expr, str) else expr,
        rows,
        parse_list(mean, Names(parameters=parameters)) if isinstance(mean, str) else mean,
        parse_equations(observations, names) if isinstance(observations, str) else observations,
    )


def setting(
    where: str | None, cov: str | None, texts: Iterable[str | None], real: Iterable[str | None] = ()
) -> tuple[list[list[sympy.Expr]] | None, Admissible]:
    """Parse a covariance; return its rows and the part of the domain `where` on which it can be a covariance.

    `texts` are the other formulas of the user; names in the covariance and in those of `real` are real numbers where
    they have no domain. Raises InputError for text that cannot be parsed, for a condition on a name that occurs nowhere
    else, and where no point of the domain makes the matrix a covariance.

    >>> rows, found = setting(None, "[[1, r], [r, 1]]", ())
    >>> rows, found.domain.bounds
    ([[1, r], [r, 1]], ['-1 <= r <= 1'])
    """
    domain = parse_domains(where)
    real = [text for text in (cov, *real) if text is not None and not text.startswith("@")]
    line = sympy.Interval(-sympy.oo, sympy.oo)
    free = {sympy.Symbol(name, real=True): line for name in named(*real) if name not in domain.names}
    domain = Domain({**domain.intervals, **free}, domain.conditions)
    rows = None if cov is None else parse_rows(cov, Names(parameters=domain.names))
    _require_used(domain, rows or [], (*texts, *real))
    if rows is None:
        return None, admissible(domain, sympy.eye(1))
    restricted = admissible(domain, covariance(rows))
    table = {symbol: restricted.domain.names[symbol.name] for symbol in domain.intervals}
    return [[entry.xreplace(table) for entry in row] for row in rows], restricted


def _require_used(domain: Domain, rows: list[list[sympy.Expr]], texts: Iterable[str | None]) -> None:
    """Raise InputError for a condition on a name that occurs nowhere else: it is misspelt or has no effect."""
    known = {symbol.name for row in rows for entry in row for symbol in entry.free_symbols}
    known |= {name for text in texts if text is not None for name in NAME.findall(text)}
    for condition in domain.conditions:
        for symbol in condition.margin.free_symbols:
            if symbol.name not in known:
                raise InputError(
                    f"{symbol} occurs in the condition {condition} and nowhere else.",
                    "Correct the name or leave the condition out; infinity is written oo.",
                )


def _symbols(inputs: Iterable[object]) -> dict[str, sympy.Symbol]:
    """Return the parameters of expressions, and of lists of expressions, by name."""
    by_name: dict[str, sympy.Symbol] = {}
    for one in inputs:
        if isinstance(one, sympy.Basic | sympy.MatrixBase):
            by_name |= {symbol.name: symbol for symbol in one.free_symbols if not VARIABLE.fullmatch(symbol.name)}
        elif isinstance(one, list | tuple):
            by_name |= _symbols(one)
    return by_name
