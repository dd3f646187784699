"""A conjectured equation: two sides in parameters and expectations E[...], and its domain."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import sympy

from theory.expressions.domains import Condition, Domain
from theory.expressions.functions import Phi, Relu
from theory.expressions.language import Names, parse_equation, parse_equations, parse_list
from theory.expressions.real_algebra import RealSet, within
from theory.expressions.symbols import z
from theory.gaussian import Expectation, Moment, expect
from theory.gaussian.admissible import Admissible, principal_minors
from theory.gaussian.covariance import covariance, means
from theory.gaussian.derive.engine import value_form
from theory.gaussian.expectation import GivenExpectation, variables
from theory.gaussian.moment import centred, prepared
from theory.gaussian.observations import conditioned, observed
from theory.gaussian.text import setting
from theory.problem.errors import InputError, OutOfReachError, WorkbenchError

COVARIANCE = "Give one, such as [[1, rho], [rho, 1]] (--cov on the command line)."
# With more parameters too few values of each would be tried.
MAX_PARAMETERS = 8

Domains = Mapping[sympy.Symbol, sympy.Interval]
WITHOUT_PARAMETERS = Admissible(Domain(), (), ())


@dataclass(frozen=True)
class Statement:
    """lhs = rhs wherever both are real, for parameters in `domains` that meet `conditions` and make `cov` a covariance.

    `asked` is the domain as it was read, with the conditions that the matrix adds. Given observations, each E[...] is
    an expectation under the conditional law, and `questions` pairs it with the one that it stands for. The conditions
    then include that no observation follows from the others, where the law is not continuous in the parameters.

    >>> half = read("E[Heaviside(z1)] = 1/2", "[[1]]")
    >>> half.lhs, half.closed
    (E[Heaviside(z1); cov=[[1]]], (1/2, 1/2))
    """

    lhs: sympy.Expr
    rhs: sympy.Expr
    cov: sympy.ImmutableDenseMatrix | None
    domains: Domains
    conditions: tuple[Condition, ...] = ()
    asked: Admissible = WITHOUT_PARAMETERS
    questions: tuple[tuple[Expectation, GivenExpectation], ...] = ()

    @property
    def expectations(self) -> list[Expectation]:
        """Every E[...] of the two sides."""
        atoms = self.lhs.atoms(Expectation) | self.rhs.atoms(Expectation)
        return sorted(atoms, key=sympy.default_sort_key)

    @property
    def parameters(self) -> list[sympy.Symbol]:
        """The symbols that the statement depends on, the covariance matrix and the conditions included, by name."""
        used = self.lhs.free_symbols | self.rhs.free_symbols
        used |= {symbol for condition in self.conditions for symbol in condition.margin.free_symbols}
        if self.cov is not None:
            used |= self.cov.free_symbols
        return sorted(used, key=lambda symbol: symbol.name)

    @cached_property
    def points(self) -> RealSet:
        """The points of the domain: intervals with their ends, conditions, and the minors of the covariance."""
        relations = [*within({symbol: self.domains[symbol] for symbol in self.parameters})]
        relations += [condition.relation for condition in self.conditions]
        return RealSet((*relations, *((minor, ">=") for minor in self.minors)))

    @property
    def minors(self) -> list[sympy.Expr]:
        """The principal minors of the covariance that have parameters."""
        return [] if self.cov is None else principal_minors(self.cov)

    @cached_property
    def moments(self) -> dict[Expectation, Moment]:
        """Return the derivation of every E[...]. Raises OutOfReachError where there is none."""
        questions = dict(self.questions)
        return {e: _moment(questions.get(e, e)) for e in self.expectations}

    @property
    def derived(self) -> list[Moment]:
        """The derivations of a proof: those of `moments`, and of other questions for which the same E[...] stands."""
        used = set(self.expectations)
        conditional = dict.fromkeys(question for e, question in self.questions if e in used)
        return [
            *map(_moment, conditional),
            *(self.moments[e] for e in self.expectations if e not in dict(self.questions)),
        ]

    @cached_property
    def closed(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Both sides with the closed form in place of every E[...]."""
        forms = {e: moment.closed_form for e, moment in self.moments.items()}
        return self.lhs.xreplace(forms), self.rhs.xreplace(forms)

    def forms_at(self, point: Mapping[sympy.Symbol, sympy.Expr]) -> dict[Expectation, sympy.Expr]:
        """Return every E[...] at a point, derived with numbers in place of symbols; E of signs may remain."""
        return {e: _value_form(_without_certain_steps(e.xreplace(dict(point)))) for e in self.expectations}

    def at(self, point: Mapping[sympy.Symbol, sympy.Expr]) -> "Statement":
        """Return the statement with values inserted for parameters.

        Raises InputError where the matrix is not a covariance matrix or a condition fails, OutOfReachError where SymPy
        cannot represent the result.
        """
        cov = None if self.cov is None else self.cov.xreplace(point)
        if cov is not None and not is_covariance(cov):
            raise InputError(f"{cov.tolist()} is not a covariance matrix.", "Choose values inside the domain.")
        rest = {symbol: domain for symbol, domain in self.domains.items() if symbol not in point}
        try:
            lhs, rhs = self.lhs.xreplace(point), self.rhs.xreplace(point)
            conditions = tuple(condition.at(point) for condition in self.conditions)
        except (ValueError, TypeError) as error:  # SymPy raises it for Min or Max of a complex number
            raise OutOfReachError(f"A side has no value at {point}: {error}", "Exclude it from the domain.") from error
        if any(condition.impossible for condition in conditions):
            raise InputError(f"{point} breaks a condition.", "Choose values inside the domain.")
        return Statement(lhs, rhs, cov, rest, tuple(c for c in conditions if c.margin.free_symbols or not c.holds({})))

    def with_rhs(self, rhs: sympy.Expr) -> "Statement":
        """Return the statement with another right side."""
        return replace(self, rhs=rhs)


def symbolic_power(expr: sympy.Basic) -> bool:
    """Return whether a parameter occurs in an exponent, as in 2**a; with numbers inserted SymPy may not terminate.

    >>> a = sympy.Symbol("a")
    >>> symbolic_power(2**a), symbolic_power(a**2)
    (True, False)
    """
    return any(power.exp.free_symbols for power in expr.atoms(sympy.Pow))


@lru_cache(maxsize=4096)
def is_covariance(cov: sympy.ImmutableDenseMatrix) -> bool:
    """Return whether the matrix is certainly real, symmetric and positive semidefinite; False if undecided.

    >>> [is_covariance(sympy.ImmutableDenseMatrix([[1, r], [r, 1]])) for r in (1, 2)]
    [True, False]
    """
    try:
        covariance(cov)
    except WorkbenchError:
        return False
    return True


@lru_cache(maxsize=4096)
def _moment(e: Expectation | GivenExpectation) -> Moment:
    """Return the derivation, cached because every tried correction needs the same expectations at the same numbers."""
    if isinstance(e, Expectation):
        return expect(e.integrand, e.cov)
    forms = e.A * sympy.Matrix(e.bound_symbols)
    return expect(e.integrand, e.cov, given=list(zip(forms, e.values, strict=True)))


def _without_certain_steps(e: Expectation) -> Expectation:
    """Return the expectation with steps of numbers in place of steps whose argument has variance zero.

    >>> z1 = sympy.Symbol("z1", real=True)
    >>> _without_certain_steps(Expectation(sympy.sign(z1 - 1), sympy.ImmutableDenseMatrix([[0]]))).integrand
    -1
    """
    if e.cov.free_symbols:
        return e
    table = {}
    for step in e.integrand.atoms(sympy.sign, sympy.Heaviside):
        factors = step_factors(step.args[0], e.cov)
        if any(variance == 0 for _, _, variance in factors):
            origin = dict.fromkeys(e.bound_symbols, sympy.Integer(0))
            parts = [(base.xreplace(origin) if variance == 0 else base) ** power for base, power, variance in factors]
            table[step] = step.func(sympy.Mul(*parts))
    return Expectation(e.integrand.xreplace(table), e.cov)


def step_factors(
    argument: sympy.Expr, cov: sympy.MatrixBase
) -> list[tuple[sympy.Expr, sympy.Integer, sympy.Expr | None]]:
    """Return (base, power, variance of the base) for the factors of the argument of a step.

    The variance is None for a base without Gaussian variables, and depends on them where the base is not linear.

    >>> z1, a = sympy.symbols("z1 a", real=True)
    >>> step_factors(a * z1**2 - a * z1, sympy.Matrix([[2 * a]]))
    [(a, 1, None), (z1 - 1, 1, 2*a), (z1, 1, 2*a)]
    """
    symbols = [z(index) for index in variables(argument)]
    factors = [(argument, sympy.Integer(1))]
    # Numbers such as exp(10**20) are no matter for a factorisation, and a linear form of numbers has no factors.
    plain = argument.free_symbols <= set(symbols) and all(argument.diff(one).is_number for one in symbols)
    if symbols and not plain and argument.is_polynomial(*symbols) and argument.has(sympy.Mul, sympy.Pow):
        number, powers = sympy.factor_list(argument, *symbols)
        factors = [(number, 1), *powers] if number != 1 else powers
    result = []
    for base, power in factors:
        gradient = sympy.Matrix([base.diff(z(k + 1)) for k in range(cov.rows)])
        variance = sympy.expand((gradient.T * cov * gradient)[0, 0]) if variables(base) else None
        result.append((base, power, variance))
    return result


@lru_cache(maxsize=4096)
def _value_form(e: Expectation) -> sympy.Expr:
    return value_form(*prepared(e.integrand, e.cov))


def read(
    equation: str, cov: str | None = None, mean: str | None = None, where: str | None = None, given: str | None = None
) -> Statement:
    """Parse "LHS = RHS" with a covariance, a mean, domains and linear observations on which every E[...] conditions.

    Raises InputError, which names the part that is invalid.

    >>> read("E[erf(g*z1)*z1] = 2*g/sqrt(pi*(1 + 2*g**2))", "[[1]]", where="g>0").parameters
    [g]
    >>> read("E[z1] = b*r", "[[1, r], [r, 1]]", where="-1<r<1", given="z2 = b").lhs
    E[b*r + z1; cov=[[1 - r**2, 0], [0, 0]]]
    """
    rows, restricted = setting(where, cov, (equation,), (mean, given))
    names = restricted.domain.names
    matrix = None if rows is None else covariance(rows)
    if matrix is None:
        _require_none(equation, mean, given)
    size = 0 if matrix is None else matrix.rows
    middle = None if mean is None else parse_list(mean, Names(parameters=names))
    pairs = None if given is None else parse_equations(given, Names(size, names))
    averages = _Averages(matrix, middle, pairs, restricted.domain.intervals)
    lhs, rhs = parse_equation(equation, Names(size, names, averages.of))
    for side in (lhs, rhs):
        outside = [symbol for symbol in side.free_symbols if variables(symbol)]
        if outside:
            raise InputError(f"{outside[0]} occurs outside E[...].", f"Write E[{outside[0]}] or use a parameter.")
        if side.has(sympy.oo, -sympy.oo):
            raise InputError("A side of the equation is infinite or contains oo.", "Both sides are real numbers.")
    conditions, questions = (*restricted.domain.conditions, *averages.needs), tuple(averages.questions)
    statement = Statement(
        in_steps(lhs), in_steps(rhs), matrix, restricted.domain.intervals, conditions, restricted, questions
    )
    for part in (*statement.expectations, *([] if matrix is None else matrix)):
        if symbolic_power(part):
            raise OutOfReachError(f"{part} has a parameter in an exponent.", "Give it a number, or use exp.")
    if len(statement.parameters) > MAX_PARAMETERS:
        raise InputError(
            f"The statement has {len(statement.parameters)} parameters; the limit is {MAX_PARAMETERS}.",
            "Give numbers for some of them.",
        )
    return statement


def _require_none(equation: str, mean: str | None, observations: str | None) -> None:
    """Raise InputError for what needs a covariance."""
    if mean is not None:
        raise InputError("A mean needs a covariance beside it.", COVARIANCE)
    if observations is not None:
        raise InputError("Observations need the covariance of z1, z2, ....", COVARIANCE)
    if "E[" in equation.replace(" ", ""):
        raise InputError("E[...] needs the covariance of z1, z2, ....", COVARIANCE)


@dataclass(frozen=True)
class _Averages:
    """The meaning of E[...]; collects the questions for which averages stand, and the conditions that they need."""

    cov: sympy.ImmutableDenseMatrix | None
    mean: list[sympy.Expr] | None
    observations: list[tuple[sympy.Expr, sympy.Expr]] | None
    domains: Domains
    questions: list[tuple[Expectation, GivenExpectation]] = field(default_factory=list)
    needs: dict[Condition, None] = field(default_factory=dict)

    def of(self, integrand: sympy.Expr) -> Expectation:
        if integrand.has(Expectation):
            raise InputError("There is an E[...] inside an E[...].", "An expectation is a number: take it out.")
        integrand = in_steps(integrand.xreplace(centred(self.mean, self.cov.rows)))
        if self.observations is None:
            return Expectation(integrand, self.cov)
        question = observed(integrand, self.cov, means(self.mean, self.cov.rows), self.observations)
        after, law = conditioned(question)
        after = Expectation(in_steps(after.integrand), after.cov)
        self.questions.append((after, question))
        for variance in law.innovations:
            if RealSet(within(self.domains)).sign(variance) <= 0:
                self.needs[Condition(variance, ">", sympy.Integer(0))] = None
        return after


def in_steps(expr: sympy.Expr) -> sympy.Expr:
    """Return an expression with steps, signs and erfs in place of relu, Abs of variables, Phi and erfc.

    >>> in_steps(Relu(sympy.Symbol("z1", real=True)))
    z1*Heaviside(z1)
    """
    try:
        return _rewritten(expr)
    except (ValueError, TypeError) as error:  # SymPy raises it for arguments that are not real
        if isinstance(error, WorkbenchError):
            raise
        raise InputError(f"{expr} is not real.", "Check even roots, logarithms and inverse sines.") from error


def _rewritten(expr: sympy.Expr) -> sympy.Expr:
    table: dict[sympy.Expr, sympy.Expr] = {}
    for atom in sorted(expr.atoms(Relu, Phi, sympy.erfc, sympy.Abs), key=sympy.count_ops):
        first = atom.args[0].xreplace(table)
        if isinstance(atom, Relu):
            table[atom] = first * sympy.Heaviside(first) if variables(first) else sympy.Max(first, 0)
        elif isinstance(atom, Phi):
            table[atom] = (1 + sympy.erf(first / sympy.sqrt(2))) / 2
        elif isinstance(atom, sympy.erfc):
            table[atom] = 1 - sympy.erf(first)
        elif variables(first):
            table[atom] = first * sympy.sign(first)
    return expr.xreplace(table)
