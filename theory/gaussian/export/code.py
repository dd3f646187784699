"""A closed form as code that stands alone: a function of its parameters in NumPy, torch or C, or LaTeX.

Integrals over t in [0, 1] become tanh-sinh sums of POINTS nodes, which tolerate a square-root singularity at t = 1;
Owen's T becomes a Gauss-Legendre sum, Phi2 and upper moments tanh-sinh sums of positive terms. The code computes in
float64 and needs no other file. It also sums the absolute values of the terms, and returns nan where cancellation
leaves too few digits: in the tails of thresholds, for a form that is not made of upper moments (`stable_form`).
Upper moments and Phi2 have their limits at infinite thresholds. Other sums multiply powers of a threshold by terms that
vanish with it: where that is nan, the value is the one at +-1e20 in place of +-infinity, if it is the same at +-1e25.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from keyword import kwlist

import numpy as np
import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.codeprinter import CodePrinter
from sympy.printing.latex import LatexPrinter
from sympy.printing.pycode import PythonCodePrinter

from theory.expressions.functions import OwensT, Phi, Phi2, with_tails
from theory.gaussian.export import templates, upper_templates
from theory.gaussian.export.upper_moments import UpperMoment, UpperMoment2, upper_form
from theory.gaussian.float64.closed_form import distributed
from theory.gaussian.float64.quadrature import legendre
from theory.problem.errors import InputError

LANGUAGES = ("latex", "numpy", "torch", "c")
# tanh-sinh nodes, and the largest |u|: at 3.2 the weights fall below rounding.
POINTS, REACH = 161, 3.2
ORDER = 48  # Gauss-Legendre nodes of Owen's T
NAME, NODE = "expectation", sympy.Symbol("x_", nonnegative=True)
# Relative errors: of a term; the largest allowed for a value; the largest allowed for an integral by half of its nodes
# (halving the step of a tanh-sinh sum squares its error, so that the full sum has about the error 1e-12).
TERM, LEAST, DISAGREEMENT = 1e-12, 1e-6, 1e-6
FAR = ("1e20", "1e25")  # their twelfth powers are finite
UNLIMITED = "Relative error below {term:g} wherever the value is a normal float64 (above 2e-308)."
LIMITED = (
    "Relative error at most {term:g} times (sum of the sizes of the terms)/|value|; nan where this bound exceeds "
    "{least:g}. No accuracy is claimed for derivatives."
)


def export(form: sympy.Expr, language: str, far: sympy.Expr | None = None) -> str:
    """Return `form` as source text in one of `LANGUAGES`: a function `expectation` of the parameters, sorted by name.

    numpy and torch: arguments broadcast, and the result has their common shape. C: doubles in, a double out. `far` has
    the same value, in a form to use at far thresholds for limits. Raises InputError for another language, and for a
    parameter whose name the code cannot use.

    >>> rho = sympy.Symbol("rho", real=True)
    >>> print(export(2 * sympy.asin(rho) / sympy.pi, "c"))
    #define _XOPEN_SOURCE 700
    #include <math.h>
    <BLANKLINE>
    <BLANKLINE>
    /* Relative error below 1e-12 wherever the value is a normal float64 (above 2e-308). */
    double expectation(double rho) {
      return 2*asin(rho)/M_PI;
    }
    <BLANKLINE>
    """
    if language not in LANGUAGES:
        raise InputError(f"No export to {language!r}.", f"Choose one of: {', '.join(LANGUAGES)}.")
    if language == "latex":
        return LatexPrinter({"order": "none"}).doprint(form) + "\n"
    far = form if far is None else far
    return _c(form, far) if language == "c" else _python(form, language, far)


def stable_form(closed_form: sympy.Expr, expr: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr:
    """Return the form of E[expr] to export: upper moments where terms of the closed form may cancel, else that form.

    >>> from theory.gaussian import expect
    >>> hinge = expect("relu(z1 - 6)", "[[1]]")
    >>> stable_form(hinge.closed_form, hinge.expr, hinge.cov)
    UpperMoment(1, 6)
    """
    upper = upper_form(expr, cov) if sympy.expand(closed_form).is_Add else None
    return closed_form if upper is None else upper


def accuracy(form: sympy.Expr) -> str:
    """Return a sentence on the relative error of the code of `form`, and on where it returns nan instead."""
    sentence = LIMITED if _has_terms(form) else UNLIMITED
    return sentence.format(term=TERM, least=LEAST)


def _has_terms(form: sympy.Expr) -> bool:
    """Whether the form contains a sum or an integral outside of function arguments, where digits may cancel."""
    if isinstance(form, sympy.Integral) or form.is_Add:
        return True
    return (form.is_Mul or form.is_Pow) and any(_has_terms(argument) for argument in form.args)


def _size(form: sympy.Expr, integrals: dict[sympy.Symbol, sympy.Symbol]) -> sympy.Expr:
    """Return the form with every term replaced by its absolute value; an integral's size is a separate symbol."""
    if form in integrals:
        return integrals[form]
    if form.is_Add or form.is_Mul:
        return form.func(*(_size(argument, integrals) for argument in form.args))
    if form.is_Pow and form.exp.is_Integer and form.exp > 0:
        return _size(form.base, integrals) ** form.exp
    return sympy.Abs(form)


def tanh_sinh() -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of int_0^1: t = (1 + tanh(pi/2 sinh u))/2, u from -REACH to REACH in equal steps.

    A square-root singularity at an end does little harm: int_0^1 dt/(2 sqrt t) = int_0^1 dt/(2 sqrt(1 - t)) = 1.

    >>> nodes, weights = tanh_sinh()
    >>> round(float(weights @ (0.5 / np.sqrt(nodes))), 7), round(float(weights @ nodes**3), 14)
    (1.0, 0.25)
    """
    u, step = np.linspace(-REACH, REACH, POINTS, retstep=True)
    inner = np.pi / 2 * np.sinh(u)
    nodes = 1 / (1 + np.exp(-2 * inner))
    weights = step * np.pi / 4 * np.cosh(u) / np.cosh(inner) ** 2
    return nodes, weights


@dataclass(frozen=True)
class _Body:
    """Common subexpressions by name, the value in terms of them, and the size of its terms; None for a single term."""

    steps: list[tuple[sympy.Symbol, sympy.Expr]]
    value: sympy.Expr
    size: sympy.Expr | None


class _Parts:
    """The form with a name for every integral, and the integrands by name."""

    def __init__(self, form: sympy.Expr) -> None:
        form = form.replace(lambda x: x.is_Add, lambda x: sympy.Add(*with_tails(x)))
        form = form.xreplace({e: _quadrant(e) for e in form.atoms(Phi2)})
        integrals = sorted(form.atoms(sympy.Integral), key=sympy.default_sort_key)
        self.parameters = sorted(form.free_symbols, key=lambda symbol: symbol.name)
        _refuse_reserved(symbol.name for symbol in self.parameters)
        self.integrals = {integral: sympy.Symbol(f"integral_{k + 1}_") for k, integral in enumerate(integrals)}
        self.sizes = {symbol: sympy.Symbol(f"size_{k + 1}_") for k, symbol in enumerate(self.integrals.values())}
        self.form = form.xreplace(self.integrals)
        self.terms = _has_terms(form)
        self.special = [f.__name__ for f in (OwensT, Phi) if form.has(f)]
        self.upper, self.pairs = form.has(UpperMoment, UpperMoment2), form.has(UpperMoment2)

    @property
    def needs_limits(self) -> bool:
        """Whether infinity times zero can occur at an infinite argument."""
        return self.terms and bool(self.parameters)

    def body(self) -> _Body:
        """The form itself."""
        if not self.terms:
            return _Body([], self.form, None)
        steps, value, size = _shared(self.form, self.sizes)
        return _Body(steps, value, size)

    def integrands(self) -> list[_Body]:
        """Return the integrand of each integral as a function of x_."""
        functions = (i.function.xreplace({i.limits[0][0]: NODE}) for i in self.integrals)
        return [_Body(*_shared(function, {})) for function in functions]

    def tables(self) -> list[str]:
        """The names of the quadrature rules that the code needs."""
        owned = ["LEGENDRE"] if "OwensT" in self.special else []
        return owned + (["TANH_SINH"] if self.integrals or self.pairs else [])


def _quadrant(e: sympy.Expr) -> sympy.Expr:
    """Write Phi2(h, k, r) as the probability of z1 > -h and z2 > -k."""
    h, k, r = e.args
    return UpperMoment2(0, 0, -h, -k, r, (1 - r) * (1 + r))


def _shared(
    form: sympy.Expr, sizes: dict[sympy.Symbol, sympy.Symbol]
) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], sympy.Expr, sympy.Expr]:
    """Return common subexpressions of the form and its size, and the form and its size in terms of them."""
    names = (sympy.Symbol(f"c{k}_", real=True) for k in count())
    form = distributed(form)
    steps, (value, size) = sympy.cse((form, _size(form, sizes)), symbols=names)
    return steps, value, size


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
    """Printer for NumPy and torch, whose code calls functions by names such as _sqrt that its head defines."""

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

    def _print_UpperMoment(self, expr: sympy.Expr) -> str:
        return f"_upper({', '.join(_with_counts(self, expr, 1))})"

    def _print_UpperMoment2(self, expr: sympy.Expr) -> str:
        return f"_upper2({', '.join(_with_counts(self, expr, 2))})"


def _with_counts(printer: CodePrinter, expr: sympy.Expr, counts: int) -> list[str]:
    """Print the arguments of a function, the first `counts` of them as integers."""
    return [str(int(x)) for x in expr.args[:counts]] + [printer._print(x) for x in expr.args[counts:]]


def _caller(name: str) -> Callable[[_Python, sympy.Expr], str]:
    return lambda self, expr: self._call(name, expr)


for _function, _name in templates.PYTHON_NAMES.items():
    setattr(_Python, f"_print_{_function}", _caller(_name))


def _python(form: sympy.Expr, library: str, far: sympy.Expr) -> str:
    near, printer = _Parts(form), _Python(library)
    every = [near, _Parts(far)] if near.needs_limits and far != form else [near]
    names = ", ".join(symbol.name for symbol in near.parameters)
    comma = "," if len(near.parameters) == 1 else ""
    lines = [templates.PYTHON_HEAD[library]]
    for table in _union(parts.tables() for parts in every):
        nodes, weights = _table(table)
        lines += [f"{table}_X = _table([{_numbers(nodes)}])", f"{table}_W = _table([{_numbers(weights)}])"]
    lines += [upper_templates.PYTHON + upper_templates.CALLS[library]] if any(parts.upper for parts in every) else []
    if any(parts.integrals for parts in every):
        lines += [templates.PYTHON["Integral"] % {"disagreement": DISAGREEMENT}]
    lines += [templates.PYTHON[name] for name in _union(parts.special for parts in every)]
    lines += [templates.PYTHON["guarded"] % {"term": TERM, "least": LEAST}] if near.terms else []

    def assigned(body: _Body) -> list[str]:
        return [f"    {name} = {printer.doprint(expr)}" for name, expr in body.steps]

    def defined(name: str, parts: _Parts, first: list[str]) -> list[str]:
        """Define a function of the parameters, and before it the integrands of its integrals."""
        lines, calls = [], []
        for number, ((integral, size), part) in enumerate(zip(parts.sizes.items(), parts.integrands(), strict=True), 1):
            integrand = f"_{name.strip('_')}_integrand_{number}"
            lines += ["", f"def {integrand}({', '.join(filter(None, (str(NODE), names)))}):", *assigned(part)]
            lines += [f"    return {printer.doprint(part.value)}, {printer.doprint(part.size)}", ""]
            calls.append(f"    {integral}, {size} = _integral({', '.join(filter(None, (integrand, names)))})")
        body = parts.body()
        value = printer.doprint(body.value)
        value = value if body.size is None else f"_guarded({value}, {printer.doprint(body.size)})"
        return [*lines, "", f"def {name}({names}):", *first, *calls, *assigned(body), f"    return {value}"]

    first = [f'    """{accuracy(form)}"""'] + ([f"    {names}{comma} = _arrays({names})"] if names else [])
    if near.needs_limits:
        lines += [*defined("_near", near, []), ""]
        lines += defined("_far", every[1], []) if len(every) > 1 else ["_far = _near"]
        lines += [templates.PYTHON["limit"]]
        lines += [f"def {NAME}({names}):", *first, f"    return _limit({names}{comma})"]
    else:
        lines += defined(NAME, near, first)
    return "\n".join(lines) + "\n"


def _union(lists: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))


class _C(C99CodePrinter):
    def _print_OwensT(self, expr: sympy.Expr) -> str:
        return f"owens_t({', '.join(self._print(argument) for argument in expr.args)})"

    def _print_UpperMoment(self, expr: sympy.Expr) -> str:
        return f"upper({', '.join(_with_counts(self, expr, 1))})"

    def _print_UpperMoment2(self, expr: sympy.Expr) -> str:
        return f"upper2({', '.join(_with_counts(self, expr, 2))})"

    def _print_Phi(self, expr: sympy.Expr) -> str:
        return f"(0.5*erfc(-({self._print(expr.args[0])})*M_SQRT1_2))"

    def _print_sign(self, expr: sympy.Expr) -> str:
        inner = self._print(expr.args[0])
        return f"((({inner}) > 0) - (({inner}) < 0))"


def _c(form: sympy.Expr, far: sympy.Expr) -> str:
    near = _Parts(form)
    every = [near, _Parts(far)] if near.needs_limits and far != form else [near]
    names = [symbol.name for symbol in near.parameters]
    arguments = ", ".join(f"double {name}" for name in names) or "void"
    lines = [templates.C_HEAD]
    for table in _union(parts.tables() for parts in every):
        nodes, weights = _table(table)
        lines.append(f"static const double {table}_X[{len(nodes)}] = {{{_numbers(nodes)}}};")
        lines.append(f"static const double {table}_W[{len(nodes)}] = {{{_numbers(weights)}}};")
    lines += [upper_templates.C["UpperMoment"]] if any(parts.upper for parts in every) else []
    lines += [upper_templates.C["UpperMoment2"] % {"points": POINTS}] if any(parts.pairs for parts in every) else []
    if any("OwensT" in parts.special for parts in every):
        lines += [templates.C["OwensT"] % {"order": ORDER}]
    lines += [templates.C["guarded"] % {"term": TERM, "least": LEAST}] if near.terms else []
    head, sentence = f"double {NAME}({arguments})", f"/* {accuracy(form)} */"
    if not near.needs_limits:
        return "\n".join([*lines, "", sentence, *_c_function(head, near)]) + "\n"
    for name, parts in zip(("near_", "far_"), every, strict=False):
        lines += ["", *_c_function(f"static double {name}({arguments})", parts)]
    sizes = [", ".join(f"isinf({name}) ? copysign({size}, {name}) : {name}" for name in names) for size in FAR]
    limit = {
        "form": "far_" if len(every) > 1 else "near_",
        "here": ", ".join(names),
        "far": sizes[0],
        "beyond": sizes[1],
    }
    limit["infinite"] = " || ".join(f"isinf({name})" for name in names)
    return "\n".join([*lines, "", sentence, f"{head} {{{templates.C['limit'] % limit}"])


def _c_function(head: str, parts: _Parts) -> list[str]:
    body, calls, printer = parts.body(), [], _C()
    for (integral, size), part in zip(parts.sizes.items(), parts.integrands(), strict=True):
        calls += [f"  double {integral} = 0.0, {size} = 0.0, half_{integral} = 0.0;"]
        calls += [f"  for (int k_ = 0; k_ < {POINTS}; ++k_) {{", f"    const double {NODE} = TANH_SINH_X[k_];"]
        calls += [f"    const double {name} = {printer.doprint(expr)};" for name, expr in part.steps]
        calls.append(f"    const double term_ = TANH_SINH_W[k_]*({printer.doprint(part.value)});")
        calls.append(f"    {size} += TANH_SINH_W[k_]*({printer.doprint(part.size)});")
        calls += [f"    {integral} += term_;", f"    if (k_ % 2 == 0) half_{integral} += 2*term_;", "  }"]
        calls.append(f"  if (!(fabs({integral} - half_{integral}) <= {DISAGREEMENT!r}*{size})) {size} = INFINITY;")
    calls += [f"  const double {name} = {printer.doprint(expr)};" for name, expr in body.steps]
    value = printer.doprint(body.value)
    result = value if body.size is None else f"guarded({value}, {printer.doprint(body.size)})"
    return [f"{head} {{", *calls, f"  return {result};", "}"]
