"""A closed form as code that stands alone: a function of its parameters in NumPy, torch or C, or LaTeX.

Integrals over t in [0, 1] become tanh-sinh sums of POINTS nodes, which allow for roots at the end t = 1; Owen's T and
Phi2 become Gauss-Legendre sums. Everything is float64, and the code contains all it needs.
"""

from collections.abc import Callable, Iterable
from itertools import count
from keyword import kwlist

import numpy as np
import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.latex import LatexPrinter
from sympy.printing.pycode import PythonCodePrinter

from theory.expressions.functions import OwensT, Phi, Phi2
from theory.gaussian.export import templates
from theory.gaussian.float64.quadrature import legendre
from theory.problem.errors import InputError

LANGUAGES = ("latex", "numpy", "torch", "c")
# tanh-sinh nodes: the step halves the error's exponent; 3.2 is where the weights fall below rounding.
POINTS, REACH = 161, 3.2
ORDER = 48  # Gauss-Legendre nodes of Owen's T and Phi2
NAME, NODE = "expectation", sympy.Symbol("x_", nonnegative=True)


def export(form: sympy.Expr, language: str) -> str:
    """`form` as source text in one of `LANGUAGES`; the function is called `expectation`, its arguments by name.

    numpy and torch: arguments broadcast, the result has their common shape. C: doubles in, a double out. Raises
    InputError for another language.

    >>> rho = sympy.Symbol("rho", real=True)
    >>> print(export(2 * sympy.asin(rho) / sympy.pi, "c"))
    #define _XOPEN_SOURCE 700
    #include <math.h>
    <BLANKLINE>
    <BLANKLINE>
    double expectation(double rho) {
      return 2*asin(rho)/M_PI;
    }
    <BLANKLINE>
    """
    if language not in LANGUAGES:
        raise InputError(f"No export to {language!r}.", f"Choose one of: {', '.join(LANGUAGES)}.")
    if language == "latex":
        return LatexPrinter({"order": "none"}).doprint(form) + "\n"
    return (_c if language == "c" else lambda expr: _python(expr, language))(form)


def tanh_sinh() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of int_0^1: t = (1 + tanh(pi/2 sinh u))/2, u from -REACH to REACH in equal steps.

    A root at the end t = 1 costs nothing: int_0^1 dt/(2 sqrt t) = int_0^1 dt/(2 sqrt(1 - t)) = 1.

    >>> nodes, weights = tanh_sinh()
    >>> round(float(weights @ (0.5 / np.sqrt(nodes))), 7), round(float(weights @ nodes**3), 14)
    (1.0, 0.25)
    """
    u, step = np.linspace(-REACH, REACH, POINTS, retstep=True)
    inner = np.pi / 2 * np.sinh(u)
    nodes = 1 / (1 + np.exp(-2 * inner))
    weights = step * np.pi / 4 * np.cosh(u) / np.cosh(inner) ** 2
    return nodes, weights


class _Parts:
    """The form with a name for every integral, and the integrands by name."""

    def __init__(self, form: sympy.Expr) -> None:
        integrals = sorted(form.atoms(sympy.Integral), key=sympy.default_sort_key)
        self.parameters = sorted(form.free_symbols, key=lambda symbol: symbol.name)
        _refuse_reserved(symbol.name for symbol in self.parameters)
        self.integrals = {integral: sympy.Symbol(f"integral_{k + 1}_") for k, integral in enumerate(integrals)}
        self.form = form.xreplace(self.integrals)
        self.special = {f for f in (OwensT, Phi2, Phi) if form.has(f)}

    def integrands(self) -> list[tuple[str, list[tuple[sympy.Symbol, sympy.Expr]], sympy.Expr]]:
        """Name, common subexpressions and integrand in x_ of each integral."""
        found = []
        for integral, symbol in self.integrals.items():
            function = integral.function.xreplace({integral.limits[0][0]: NODE})
            steps, (result,) = sympy.cse(function, symbols=(sympy.Symbol(f"c{k}_") for k in count()))
            found.append((symbol.name, steps, result))
        return found

    def tables(self) -> list[str]:
        """The names of the quadrature rules that the code needs."""
        owned = ["LEGENDRE"] if self.special & {OwensT, Phi2} else []
        return owned + (["TANH_SINH"] if self.integrals else [])


def _refuse_reserved(names: Iterable[str]) -> None:
    taken = {*templates.RESERVED, *templates.C_WORDS, *kwlist}
    for name in names:
        if name in taken or name.endswith("_"):
            raise InputError(f"{name} cannot be the name of a parameter in exported code.", "Rename it.")


def _numbers(values: np.ndarray) -> str:
    return ", ".join(repr(float(value)) for value in values)


def _table(name: str) -> tuple[np.ndarray, np.ndarray]:
    return legendre(ORDER) if name == "LEGENDRE" else tanh_sinh()


class _Python(PythonCodePrinter):
    """NumPy and torch share the names of these functions, except erf and the inverse ones."""

    def __init__(self, library: str) -> None:
        super().__init__({"fully_qualified_modules": False})
        self.library = library

    def _call(self, name: str, expr: sympy.Expr) -> str:
        return f"{name}({', '.join(self._print(argument) for argument in expr.args)})"

    def _print_Rational(self, expr: sympy.Rational) -> str:
        return f"({expr.p}.0/{expr.q}.0)" if expr.q != 1 else f"{expr.p}.0"

    def _print_Integer(self, expr: sympy.Integer) -> str:
        return f"{expr.p}.0"

    def _print_Pow(self, expr: sympy.Pow, **_options: bool) -> str:
        base = self._print(expr.base)
        if expr.exp.is_Rational and expr.exp.q == 2:
            root = f"_sqrt({base})"
            return root if expr.exp == sympy.S.Half else f"{root}**({expr.exp.p})"
        if expr.exp.is_Integer:
            return f"({base})**({expr.exp.p})"
        return f"({base})**({self._print(expr.exp)})"

    def _print_Exp1(self, _expr: sympy.Expr) -> str:
        return "_E"

    def _print_Pi(self, _expr: sympy.Expr) -> str:
        return "_PI"


def _caller(name: str) -> Callable[[_Python, sympy.Expr], str]:
    return lambda self, expr: self._call(name, expr)


for _function, _name in templates.PYTHON_NAMES.items():
    setattr(_Python, f"_print_{_function}", _caller(_name))


def _python(form: sympy.Expr, library: str) -> str:
    parts, printer = _Parts(form), _Python(library)
    names = ", ".join(symbol.name for symbol in parts.parameters)
    comma = "," if len(parts.parameters) == 1 else ""
    lines = [templates.PYTHON_HEAD[library]]
    for table in parts.tables():
        nodes, weights = _table(table)
        lines += [f"{table}_X = _table([{_numbers(nodes)}])", f"{table}_W = _table([{_numbers(weights)}])"]
    lines += [templates.PYTHON["Integral"]] if parts.integrals else []
    lines += [templates.PYTHON[function.__name__] for function in sorted(parts.special, key=lambda f: f.__name__)]
    calls = []
    for number, (integral, steps, result) in enumerate(parts.integrands(), start=1):
        lines += ["", f"def _integrand_{number}({', '.join(filter(None, (str(NODE), names)))}):"]
        lines += [f"    {name} = {printer.doprint(expr)}" for name, expr in steps]
        lines += [f"    return {printer.doprint(result)}", ""]
        calls.append(f"    {integral} = _integral({', '.join(filter(None, (f'_integrand_{number}', names)))})")
    body = [f"def {NAME}({names}):", *([f"    {names}{comma} = _arrays({names})"] if names else []), *calls]
    body.append(f"    return {printer.doprint(parts.form)}")
    return "\n".join([*lines, "", "\n".join(body)]) + "\n"


class _C(C99CodePrinter):
    def _print_OwensT(self, expr: sympy.Expr) -> str:
        return f"owens_t({', '.join(self._print(argument) for argument in expr.args)})"

    def _print_Phi2(self, expr: sympy.Expr) -> str:
        return f"phi2({', '.join(self._print(argument) for argument in expr.args)})"

    def _print_Phi(self, expr: sympy.Expr) -> str:
        return f"(0.5*erfc(-({self._print(expr.args[0])})*M_SQRT1_2))"

    def _print_sign(self, expr: sympy.Expr) -> str:
        inner = self._print(expr.args[0])
        return f"((({inner}) > 0) - (({inner}) < 0))"


def _c(form: sympy.Expr) -> str:
    parts, printer = _Parts(form), _C()
    arguments = ", ".join(f"double {symbol.name}" for symbol in parts.parameters) or "void"
    lines = [templates.C_HEAD]
    for table in parts.tables():
        nodes, weights = _table(table)
        lines.append(f"static const double {table}_X[{len(nodes)}] = {{{_numbers(nodes)}}};")
        lines.append(f"static const double {table}_W[{len(nodes)}] = {{{_numbers(weights)}}};")
    lines += [templates.C[f.__name__] % {"order": ORDER} for f in (OwensT, Phi2) if f in parts.special]
    body = [f"double {NAME}({arguments}) {{"]
    for integral, steps, result in parts.integrands():
        body += [f"  double {integral} = 0.0;", f"  for (int k_ = 0; k_ < {POINTS}; ++k_) {{"]
        body.append(f"    const double {NODE} = TANH_SINH_X[k_];")
        body += [f"    const double {name} = {printer.doprint(expr)};" for name, expr in steps]
        body += [f"    {integral} += TANH_SINH_W[k_]*({printer.doprint(result)});", "  }"]
    body += [f"  return {printer.doprint(parts.form)};", "}"]
    return "\n".join([*lines, "", "\n".join(body)]) + "\n"
