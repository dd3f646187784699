r"""SymPy expressions in the notation of the papers: kappa and Z by name, times and rates last, no hanging minus.

>>> import sympy
>>> g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
>>> Notation().tex(sympy.asin(2 * g**2 * rho / (1 + 2 * g**2)))
'\\arcsin{(\\kappa^{2} \\rho)}'
"""

import re
from dataclasses import dataclass, field
from functools import cache

import sympy
from sympy.core.alphabets import greeks
from sympy.printing.latex import LatexPrinter

from theory.expressions.relaxation import phi1
from theory.expressions.symbols import g
from theory.expressions.triangular import triangle
from theory.gaussian.expectation import Expectation, GivenExpectation

KAPPA = sympy.Dummy("kappa", positive=True)  # equal to no symbol of a claim: another kappa there is not this fraction
Z = sympy.Symbol("Z", positive=True)
_KAPPA_LEGEND = r"$\kappa = \sqrt{2}\, g / \sqrt{1 + 2 g^{2}}$"
_Z_LEGEND = r"$Z^{2} = \mathbb{E}[\operatorname{erf}(g z)^{2}] = \frac{2}{\pi} \arcsin(\kappa^{2})$"
_PHI_LEGEND = r"$\varphi(z) = (1 - e^{-z})/z$ with $\varphi(0) = 1$"
_TRIANGLE_LEGEND = r"$T(m) = 1 + 2 + \cdots + m = m (m + 1)/2$ is the triangular number, 0 for $m \leq 0$"
_SPREAD = 1 + 2 * g**2
_AVERAGES = (Expectation, GivenExpectation)
_SECOND_MOMENT = Expectation(sympy.erf(g * sympy.Symbol("z1", real=True)) ** 2, sympy.Matrix([[1]]))
_ARCSINE = sympy.asin(KAPPA**2)  # pi Z^2/2
_WIDE = 78  # characters of a formula that fit a line of text, as `_width` counts them
_NESTED = 260  # characters of TeX from which on a formula that is not wide is high, with small fractions in fractions
_NAMES_AT_MOST = 4
_WORTH_A_NAME = 12  # a repeated part shorter than this is not given a name
_DISPLAYED: dict[tuple, tuple[str, list[str]]] = {}  # a cache, because statements appear on several pages
_LAST = "zz"  # a prefix that sorts a name after all others; it is removed in print

# Names with a special TeX form: values at t = 0, the sum and difference of two sites.
_NAMES = {
    "u0": "u(0)",
    "u10": "u_{1}(0)",
    "u20": "u_{2}(0)",
    "w10": "w_{11}(0)",
    "w20": "w_{12}(0)",
    "u_plus": "u_{+}",
    "u_minus": "u_{-}",
}
# Brackets around an expression of one line need no \left and \right, and stand closer without.
_LOW = r"(?:(?!\\left|\\right|\\frac|\\int|\\sum|\\begin|\\sqrt|\\substack).)*?"
_FLAT = re.compile(rf"\\left([(\[])({_LOW})\\right([)\]])")
_OF_WORDS = re.compile(r"([A-Za-z]+)_([a-z]{3,})")
_PIECE = re.compile(r"([A-Za-z]+)(\d?)(?:_([A-Za-z0-9]+))?(?:\^([A-Za-z0-9]+))?")
_GREEK = ("xi", "rho", "lam", "lambda", "tau", "kappa", "sigma", "beta", "eta", "mu", "Delta", "Lambda", "Sigma", "phi")
_GREEK_TEX = {"lam": r"\lambda", "phi": r"\varphi"}


@cache
def greek(name: str, index: str = "") -> str:
    r"""The letter and its index in TeX: `lam` is \lambda, `xi1` is \xi_{1}."""
    letter = _GREEK_TEX.get(name, rf"\{name}")
    return rf"{letter}_{{{index}}}" if index else letter


def _piece(found: re.Match) -> str:
    """One letter or word with its index and exponent, inside a name such as `P_low(xi1>xi2)`."""
    word, digit, low, high = found.groups()
    letter = greek(word, digit) if word in _GREEK else (word if len(word) == 1 else rf"\text{{{word}}}") + digit
    letter += f"_{{{_worded(low)}}}" if low else ""
    return letter + (f"^{{{_worded(high)}}}" if high else "")


def _worded(index: str) -> str:
    return rf"\text{{{index}}}" if re.fullmatch(r"[a-z]{3,}", index) else index


class _Printer(LatexPrinter):
    """SymPy's printer with the papers' letters; `laws` collects the covariance matrices of expectations."""

    def __init__(self) -> None:
        super().__init__({"ln_notation": True, "inv_trig_style": "full"})
        self.laws: list[sympy.ImmutableDenseMatrix] = []
        self.several = False

    def _print(self, expr: sympy.Basic, **settings: object) -> str:
        if isinstance(expr, _AVERAGES):  # its own `_latex` would write the law below each expectation
            return self._expectation(expr)
        return super()._print(expr, **settings)

    def _expectation(self, expr: Expectation | GivenExpectation) -> str:
        if expr.cov not in self.laws:
            self.laws.append(expr.cov)
        index = f"_{{{self.laws.index(expr.cov) + 1}}}" if self.several else ""
        given = rf" \mid {', '.join(expr.equations(self._print))}" if isinstance(expr, GivenExpectation) else ""
        return rf"\mathbb{{E}}{index}\left[{self._print(expr.integrand)}{given}\right]"

    def _deal_with_super_sub(self, string: str, style: str = "plain") -> str:
        name = string.removeprefix(_LAST)
        if name in _NAMES:
            return _NAMES[name]
        if "\\" in name:  # TeX already: SymPy would take all that follows the first ^ or _ for one exponent or index
            return name
        if name.endswith("'"):  # the transpose of a vector in matrix notation
            return f"{self._deal_with_super_sub(name[:-1], style)}'"
        if re.search(r"[ (<>=]", name):
            return _PIECE.sub(_piece, name)
        if (words := _OF_WORDS.fullmatch(name)) and words[2] not in greeks:
            return rf"{super()._deal_with_super_sub(words[1])}_{{\text{{{words[2]}}}}}"
        return super()._deal_with_super_sub(name, style=style)

    def _print_Heaviside(self, expr: sympy.Heaviside, exp: str | None = None) -> str:
        return rf"\mathbf{{1}}[{self._print(expr.args[0])} \geq 0]" + (f"^{{{exp}}}" if exp else "")

    def _print_Piecewise(self, expr: sympy.Piecewise) -> str:
        """The indicator of a relation as such; other cases one below another."""
        return rf"\mathbf{{1}}[{self._print(expr.args[0][1])}]" if _indicates(expr) else super()._print_Piecewise(expr)

    def _needs_mul_brackets(self, expr: sympy.Expr, first: bool = False, last: bool = False) -> bool:
        return not _indicates(expr) and super()._needs_mul_brackets(expr, first=first, last=last)

    def _print_ExpBase(self, expr: sympy.exp, exp: str | None = None) -> str:
        """An exponent is written on one line: a fraction in it would be too small to read."""
        above, below = sympy.fraction(expr.args[0])
        if below == 1 or above.is_Add:
            return super()._print_ExpBase(expr, exp=exp)
        divisor = self._print(below)
        divisor = f"({divisor})" if below.is_Mul or below.is_Add else divisor
        text = rf"e^{{{self._print(above)} / {divisor}}}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _print_Add(self, expr: sympy.Add, order: str | None = None) -> str:
        """The sum with a positive term first."""
        terms = self._as_ordered_terms(expr, order=order)
        terms.sort(key=lambda term: term.could_extract_minus_sign())
        text = ""
        for number, term in enumerate(terms):
            negative = term.could_extract_minus_sign()
            shown = -term if negative else term
            part = self._print(shown)
            part = rf"\left({part}\right)" if negative and shown.is_Add else part
            text += ("-" if negative else "") + part if number == 0 else (" - " if negative else " + ") + part
        return text


@dataclass
class Notation:
    """The notation of one claim: whether Z stands for the normaliser, and the letters explained so far.

    `explained` holds the last explanation of each letter; a legend repeats a letter where its meaning changes.
    """

    normaliser: bool = True
    explained: dict[str, str] = field(default_factory=dict)

    def tex(self, expr: sympy.Basic) -> str:
        """One expression, on one line, without its legend."""
        return self._print(self._fold(expr), _Printer())

    def says_nothing(self, expr: sympy.Basic) -> bool:
        """Whether an equation becomes x = x in this notation."""
        sides = self._sides(expr)
        return len(sides) == 2 and sides[0] == sides[1]

    def display(self, expr: sympy.Basic, name: str = "") -> tuple[str, list[str]]:
        """A statement as display TeX (several lines where it is wide), and what its letters stand for.

        `name` is how the paper calls the left-hand side; it is put before it.
        """
        text, found = self._displayed(expr, name)
        new = []
        for item in found:
            letter = re.split(r" = | is over ", item)[0]
            if self.explained.get(letter) != item:
                self.explained[letter] = item
                new.append(item)
        return text, new

    def _displayed(self, expr: sympy.Basic, name: str) -> tuple[str, list[str]]:
        key = (expr, name, self.normaliser)
        if key not in _DISPLAYED:
            _DISPLAYED[key] = self._set(expr, name)
        return _DISPLAYED[key]

    def _set(self, expr: sympy.Basic, name: str) -> tuple[str, list[str]]:
        """The TeX and the whole legend."""
        rows = [self._sides(part) for part in expr] if isinstance(expr, sympy.Tuple) else [self._sides(expr)]
        named: dict[sympy.Basic, sympy.Symbol] = {}
        shown = [[self._print(side, _Printer()) for side in row] for row in rows]
        if max(sum(map(_width, row)) for row in shown) > _WIDE or any(len(t) > _NESTED for row in shown for t in row):
            named = _named_parts(rows)
            rows = [[side.xreplace(named) for side in row] for row in rows]
        printer = _Printer()
        every = sympy.Tuple(*(side for row in rows for side in row), *named)
        printer.laws = sorted({e.cov for e in every.atoms(*_AVERAGES)}, key=lambda law: (law.rows, str(law)))
        printer.several = len(printer.laws) > 1
        lines = [[self._print(side, printer) for side in row] for row in rows]
        if name:
            lines[0].insert(0, name)
        text = _one_line_or_more(lines, rows, lambda side: self._print(side, printer))
        return text, self._legend(every, named, printer)

    def _legend(self, shown: sympy.Tuple, named: dict[sympy.Basic, sympy.Symbol], printer: _Printer) -> list[str]:
        """The legend of the letters in the `shown` expressions.

        It goes by the expressions and not by their TeX, in which a claim may give the same letter another meaning.
        """
        found = [f"${self._print(symbol, printer)} = {self._print(part, printer)}$" for part, symbol in named.items()]
        for number, law in enumerate(printer.laws, start=1):
            expectation = rf"$\mathbb{{E}}_{{{number}}}$" if printer.several else r"$\mathbb{E}$"
            found.append(f"{expectation} is over {self._law(law, printer)}")
        laws = [self._fold(entry) for law in printer.laws for entry in law]
        letters = set().union(*(part.free_symbols for part in (shown, *laws)))
        if Z in letters:
            found.append(_Z_LEGEND)
        if KAPPA in letters or Z in letters:
            found.append(_KAPPA_LEGEND)
        if shown.has(phi1):
            found.append(_PHI_LEGEND)
        if shown.has(triangle):
            found.append(_TRIANGLE_LEGEND)
        return found

    def _law(self, law: sympy.ImmutableDenseMatrix, printer: _Printer) -> str:
        """The law of z1, z2, ... in words where the variances are 1, by its matrix where they are not."""
        law = law.applyfunc(self._fold)
        if law.rows == 1:
            return (
                "a unit Gaussian $z_{1}$" if law[0] == 1 else f"$z_{{1}}$ of variance ${self._print(law[0], printer)}$"
            )
        if any(law[i, i] != 1 for i in range(law.rows)):
            rows = [" & ".join(self._print(entry, printer) for entry in row) for row in law.tolist()]
            matrix = r" \\ ".join(rows)
            return rf"Gaussians of covariance $\begin{{pmatrix}} {matrix} \end{{pmatrix}}$"
        pairs = [(i, j) for i in range(law.rows) for j in range(i + 1, law.rows) if law[i, j] != 0]
        if not pairs:
            return "independent unit Gaussians"
        correlations = [
            rf"$\langle z_{{{i + 1}}} z_{{{j + 1}}} \rangle = {self._print(law[i, j], printer)}$" for i, j in pairs
        ]
        return f"unit Gaussians with {', '.join(correlations)}"

    def _sides(self, expr: sympy.Basic) -> list[sympy.Basic]:
        sides = expr.args if isinstance(expr, sympy.Eq) else (expr,)
        return [self._fold(side) for side in sides]

    def _fold(self, expr: sympy.Basic) -> sympy.Basic:
        """kappa for its fraction in g and Z for the normaliser; symbols with a dot are sorted last."""
        if isinstance(expr, sympy.Eq):
            return sympy.Eq(self._fold(expr.lhs), self._fold(expr.rhs), evaluate=False)
        if not isinstance(expr, sympy.Expr):
            return expr
        if expr.has(_SPREAD):
            expr = expr.replace(lambda part: part.is_Mul, _with_kappa)
        if self.normaliser:
            powers = [part for part in expr.atoms(sympy.Pow) if part.base in (_SECOND_MOMENT, _ARCSINE)]
            expr = expr.xreplace({part: _power_of_normaliser(part.base, part.exp) for part in powers})
            expr = expr.xreplace({base: _power_of_normaliser(base, sympy.S.One) for base in (_SECOND_MOMENT, _ARCSINE)})
        dotted = [symbol for symbol in expr.atoms(sympy.Symbol) if symbol.name.startswith(r"\dot")]
        return expr.xreplace(
            {s: sympy.Symbol(_LAST + s.name, commutative=s.is_commutative) for s in dotted if s.is_commutative}
        )

    @staticmethod
    def _print(expr: sympy.Basic, printer: _Printer) -> str:
        text = printer.doprint(expr)
        while (flat := _FLAT.sub(lambda f: f"{f[1]}{f[2].strip()}{f[3]}", text)) != text:
            text = flat
        # In a Markdown table a bar would end the cell.
        return text.replace(r"\left|", r"\left\vert ").replace(r"\right|", r"\right\vert ")


def _indicates(expr: sympy.Basic) -> bool:
    """Return whether an expression is the indicator of a relation."""
    if not isinstance(expr, sympy.Piecewise):
        return False
    return [expr.args[0][0], *map(tuple, expr.args[1:])] == [1, (0, sympy.true)]


def _power_of_normaliser(base: sympy.Expr, power: sympy.Expr) -> sympy.Expr:
    """(Z^2)^power for the second moment, (pi Z^2/2)^power for its arcsine."""
    return Z ** (2 * power) * (1 if base == _SECOND_MOMENT else (sympy.pi / 2) ** power)


def _with_kappa(product: sympy.Mul) -> sympy.Expr:
    """Replace g^2/(1 + 2 g^2) by kappa^2/2 in a product as often as its powers of g allow."""
    powers = product.as_powers_dict()
    below, above = -powers.get(_SPREAD, 0), powers.get(g, 0)
    if not (below > 0 and above >= 2 * below) or not (2 * below).is_Integer:
        return product
    return product / (g**2 / _SPREAD) ** below * (KAPPA**2 / 2) ** below


def _named_parts(rows: list[list[sympy.Basic]]) -> dict[sympy.Basic, sympy.Symbol]:
    """Greek names for the longest parts that a wide formula repeats, at most four."""
    parts = sympy.Tuple(*(side for row in rows for side in row))
    named: dict[sympy.Basic, sympy.Symbol] = {}
    while len(named) < _NAMES_AT_MOST:
        seen: dict[sympy.Basic, int] = {}
        for part in sympy.preorder_traversal(parts):
            if isinstance(part, sympy.asin | sympy.atan | sympy.Add) or (part.is_Pow and part.base.is_Add):
                seen[part] = seen.get(part, 0) + 1
        repeated = [part for part, count in seen.items() if count > 1 and len(str(part)) > _WORTH_A_NAME]
        if not repeated:
            break
        longest = max(repeated, key=lambda part: (len(str(part)), str(part)))
        named[longest] = sympy.Symbol(f"alpha{len(named) + 1}")
        parts = parts.xreplace({longest: named[longest]})
    return named


def _one_line_or_more(lines: list[list[str]], rows: list[list[sympy.Basic]], show) -> str:
    total = [sum(_width(side) for side in line) + 3 * (len(line) - 1) for line in lines]
    if len(lines) == 1 and total[0] <= _WIDE:
        return " = ".join(lines[0])
    broken = []
    for line, row, size in zip(lines, rows, total, strict=True):
        if size <= _WIDE and len(line) == 2:
            broken.append(f"{line[0]} &= {line[1]}")
        elif len(line) == 1:
            broken += [part if number else f"& {part}" for number, part in enumerate(_terms(line[0], row[0], show))]
        else:
            first, *rest = line
            if _width(first) > _WIDE // 3:
                head, *more = _terms(first, row[0], show) if len(row) == len(line) else [first]
                broken += [f"& {head}", *more]
                first = ""
            for number, (side, expr) in enumerate(zip(rest, row[-len(rest) :], strict=True)):
                head = f"{first} &= " if number == 0 and first else "&= "
                parts = _terms(side, expr, show)
                broken += [head + parts[0], *parts[1:]]
    return r"\begin{aligned} " + r" \\ ".join(broken) + r" \end{aligned}"


def _terms(text: str, expr: sympy.Basic, show, widest: int = _WIDE) -> list[str]:
    """A sum that is too wide, or a multiple of one, over several lines."""
    if _width(text) <= widest:
        return [text]
    if isinstance(expr, sympy.Mul):
        return _bracketed(text, expr, show)
    if not isinstance(expr, sympy.Add):
        return [text]
    terms = sorted(expr.as_ordered_terms(), key=lambda term: term.could_extract_minus_sign())
    lines, line = [], ""
    for term in terms:
        negative = term.could_extract_minus_sign()
        shown, *more = _terms(show(-term if negative else term), -term if negative else term, show)
        sign = "- " if negative else "+ "
        part = sign + shown if negative or lines or line else shown
        if line and _width(line + part) > widest:
            lines.append(line)
            line = r"& \quad " + part
        else:
            line = f"{line} {part}".strip()
        if more:
            lines += [line, *more[:-1]]
            line = more[-1]
    return [*lines, line]


def _bracketed(text: str, product: sympy.Mul, show) -> list[str]:
    """c (a + b + ...) as c [a + b + ...] with the sum over several lines."""
    sums = [factor for factor in product.args if factor.is_Add]
    if not sums:
        return [text]
    longest = max(sums, key=lambda factor: _width(show(factor)))
    first, *rest = _terms(show(longest), longest, show, _WIDE * 3 // 4)
    others = sympy.Mul(*(f for f in product.args if f is not longest))
    factor = f"({show(others)})" if others.is_Add else show(others)
    return [f"{factor} [", rf"& \quad {first}", *rest[:-1], f"{rest[-1]} ]"] if rest else [text]


def _width(tex: str) -> int:
    """Estimate the width of TeX in characters: the wider half of a fraction, a command as one character."""
    while (fraction := re.search(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", tex)) is not None:
        tex = tex[: fraction.start()] + max(fraction[1], fraction[2], key=_width) + tex[fraction.end() :]
        if "frac" not in tex:
            break
    tex = re.sub(r"\\(?:left|right|operatorname|text|mathbf|mathbb|displaystyle)\b", "", tex)
    return len(re.sub(r"\\[A-Za-z]+", "x", re.sub(r"[\s{}^_&]|\\[,!; ]", "", tex)))
