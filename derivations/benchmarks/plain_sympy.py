"""One Gaussian expectation by SymPy alone: its integrator on the defining integral, in a process of its own.

    python -m derivations.benchmarks.plain_sympy NAME

prints one JSON object. The caller limits the time of the process; nothing of the engine is used.
"""

import json
import sys

import sympy

from derivations.benchmarks.gallery import CASES, Case
from theory.expressions.domains import parse_domains
from theory.expressions.functions import Phi, Relu
from theory.expressions.language import Names, parse, parse_rows

ERROR_LENGTH = 200


def integral(case: Case) -> tuple[sympy.Expr, list[sympy.Symbol]]:
    """The integrand times the density, in functions that SymPy has, and the variables."""
    parameters = parse_domains(case.where or None).names
    cov = sympy.Matrix(parse_rows(case.cov, Names(parameters=parameters)))
    expr = parse(case.expr, Names(variables=cov.rows, parameters=parameters))
    expr = expr.replace(Relu, lambda u: sympy.Max(u, 0)).replace(Phi, lambda u: (1 + sympy.erf(u / sympy.sqrt(2))) / 2)
    variables = [sympy.Symbol(f"z{k + 1}", real=True) for k in range(cov.rows)]
    z = sympy.Matrix(variables)
    exponent = -(z.T * cov.inv() * z)[0, 0] / 2
    density = sympy.exp(sympy.expand(sympy.cancel(exponent))) / sympy.sqrt((2 * sympy.pi) ** cov.rows * cov.det())
    return expr * density, variables


def main(name: str) -> None:
    """Integrate the case called `name` over all its variables, the last one first."""
    (case,) = (case for case in CASES if case.name == name)
    value, variables = integral(case)
    try:
        for variable in reversed(variables):
            value = sympy.integrate(value, (variable, -sympy.oo, sympy.oo))
        answer = {"outcome": "unevaluated", "text": sympy.sstr(value)}
        if not value.has(sympy.Integral):
            point = {symbol: sympy.Rational(dict(case.point)[symbol.name]) for symbol in value.free_symbols}
            answer |= {"outcome": "closed form", "value": str(value.subs(point).evalf(20))}
    except (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError) as error:
        answer = {"outcome": "error", "text": f"{type(error).__name__}: {error}"[:ERROR_LENGTH]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
