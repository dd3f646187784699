"""Expressions: the language in which a user writes them, symbols and functions, and the decision of identities.

    parse, parse_equation, parse_rows, parse_list   text to SymPy; `Names` are the names that it may use
    parse_domains                     bounds and joint conditions of parameters, a `Domain` of `Condition`s
    Phi, Phi2, Relu, OwensT, phi1     functions that SymPy does not have
    g, rho, t, tau, z(k)              symbols that several rooms share
    is_zero, prove_equal              True (proved), False (refuted by a value) or None (undecided)

The names are imported on first use, because code that needs only numbers should not load SymPy.
"""

from typing import TYPE_CHECKING

from theory.problem.first_use import on_first_use

if TYPE_CHECKING:
    from theory.expressions.algebra import is_zero, prove_equal
    from theory.expressions.domains import Condition, Domain, parse_domains
    from theory.expressions.functions import OwensT, Phi, Phi2, Relu
    from theory.expressions.language import Names, parse, parse_equation, parse_list, parse_rows
    from theory.expressions.relaxation import phi1
    from theory.expressions.symbols import g, rho, t, tau, z

__all__ = [
    "Condition",
    "Domain",
    "Names",
    "OwensT",
    "Phi",
    "Phi2",
    "Relu",
    "g",
    "is_zero",
    "parse",
    "parse_domains",
    "parse_equation",
    "parse_list",
    "parse_rows",
    "phi1",
    "prove_equal",
    "rho",
    "t",
    "tau",
    "z",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "algebra": "is_zero prove_equal",
        "domains": "Condition Domain parse_domains",
        "functions": "OwensT Phi Phi2 Relu",
        "language": "Names parse parse_equation parse_list parse_rows",
        "relaxation": "phi1",
        "symbols": "g rho t tau z",
    },
)
