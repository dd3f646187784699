"""The answer of `gdln moment`: closed form, class, proof, LaTeX and certified value of a Gaussian expectation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from derivations.answers.domain import domain_json, domain_lines
from derivations.answers.steps import checked_steps, step_lines
from theory.conjecture.points import points
from theory.conjecture.statement import Statement
from theory.expressions.language import Names, parse, parse_equations, parse_list
from theory.gaussian import Certified, Moment, conditional_law, expect
from theory.gaussian.admissible import Admissible
from theory.gaussian.certified.digits import with_numbers
from theory.gaussian.limits import limit as limit_of
from theory.gaussian.moment import MAX_DIGITS, text
from theory.gaussian.text import setting
from theory.problem import InputError


@dataclass(frozen=True)
class MomentAnswer:
    """The expectation of `integrand` as typed, on its domain `admissible`: the `moment`, and its value, if a number.

    `given` are the observations as typed, and `law` the conditional mean and covariance; `limit` is the limit that was
    taken first, "g->oo"; `code` the closed form in the programming `language`, `accuracy` a sentence on its relative
    error.
    """

    integrand: str
    admissible: Admissible
    moment: Moment
    certified: Certified | None
    limit: str | None = None
    language: str | None = None
    code: str | None = None
    accuracy: str | None = None
    given: str | None = None
    law: tuple[sympy.MatrixBase, sympy.MatrixBase] | None = None

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Return the content of `json()`, computed once, because the rules check every step of the proof."""
        moment, certified, proof = self.moment, self.certified, self.moment.arctan_derivation
        content = {
            "integrand": self.integrand,
            "domain": domain_json(self.admissible),
            "expr": text(moment.closed_form),
            "latex": moment.latex,
            "kind": moment.kind,
            "dimension": moment.dimension,
            "left_to_integrate": moment.integrand,
            "value": certified.value if certified else None,
            "radius": certified.radius if certified else None,
            "digits": certified.digits if certified else None,
            "method": certified.method if certified else None,
            "arctan": text(moment.arctan_form),
            "remark": moment.remark,
            "derivation": [*checked_steps(moment.derivation), *(checked_steps(proof)[1:] if proof else [])],
            "limit": self.limit,
            "given": self._given,
        }
        if self.code is None:
            return content
        return content | {"language": self.language, "code": self.code, "accuracy": self.accuracy}

    @property
    def _given(self) -> dict[str, Any] | None:
        """Return the observations and the conditional law, whose entries are text."""
        if self.law is None:
            return None
        mean, cov = self.law
        rows = [[text(entry) for entry in row] for row in cov.tolist()]
        return {"equations": self.given, "mean": [text(entry) for entry in mean], "cov": rows}

    def json(self) -> dict[str, Any]:
        """The object that `gdln moment --json` prints."""
        return dict(self._content)

    def text(self) -> str:
        """The answer for a reader; the code alone where a language was asked for."""
        if self.code is not None:
            return self.code.rstrip("\n")
        content, moment = self._content, self.moment
        kind = moment.kind
        if moment.dimension:
            kind += f", dimension {moment.dimension}, of {moment.integrand} functions"
        condition = "" if self.given is None else f" | {self.given}"
        left = f"{'' if self.limit is None else f'lim {self.limit} '}E[{self.integrand}{condition}]"
        lines = [f"{left} = {content['expr']}", f"class   {kind}"]
        if moment.remark:
            lines.append(f"        {moment.remark}")
        if content["given"] is not None:
            rows = ", ".join(f"[{', '.join(row)}]" for row in content["given"]["cov"])
            lines += [f"law     mean [{', '.join(content['given']['mean'])}]", f"        covariance [{rows}]"]
        lines += domain_lines(content["domain"])
        if content["arctan"] != content["expr"]:
            lines.append(f"arctan  {content['arctan']}")
        lines.append(f"LaTeX   {content['latex']}")
        if self.certified is None:
            lines.append("value   depends on the parameters; give numbers in their place for digits")
        else:
            certified = self.certified
            lines.append(f"value   {certified.value}")
            digits = f"{certified.digits} correct digits by {certified.method}"
            lines.append(f"        error at most {certified.radius}; {digits}")
        return "\n".join([*lines, "proof", *step_lines(content["derivation"])])


def answer(
    expr: str,
    cov: str,
    mean: str | None = None,
    where: str | None = None,
    digits: int = 30,
    limit: str | None = None,
    language: str | None = None,
    given: str | None = None,
) -> MomentAnswer:
    """The expectation of `expr` under N(mean, cov), all as a user types them; see `gdln moment --help`.

    Raises InputError for text that is no expression, matrix or domain, OutOfReachError where the engine has no rule.

    >>> answer("erf(z1)*z1", "[[1]]").json()["expr"]
    '2*sqrt(3)/(3*sqrt(pi))'
    >>> answer("z1", "[[1, r], [r, 1]]", where="-1<r<1", given="z2 = b").json()["expr"]
    'b*r'
    """
    exporter = None if language is None else _exporter(language)
    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"--digits {digits} is not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
    rows, admissible = setting(where, cov, (expr,), (mean, given))
    parameters = admissible.domain.names
    names = Names(variables=len(rows), parameters=parameters)
    integrand = parse(expr, names)
    _require_admissible(sympy.ImmutableDenseMatrix(rows), admissible)
    middle = None if mean is None else parse_list(mean, Names(parameters=parameters))
    pairs = None if given is None else parse_equations(given, names)
    moment = expect(integrand, rows, middle, given=pairs)
    law = None if pairs is None else conditional_law(pairs, rows, middle)
    if limit is not None:
        moment = _limit(moment, limit)
    certified = None if moment.closed_form.free_symbols else moment.evaluate(digits)
    code, accuracy = (None, None) if exporter is None else exporter(moment)
    return MomentAnswer(expr, admissible, moment, certified, limit, language, code, accuracy, given, law)


def _exporter(language: str) -> Callable[[Moment], tuple[str, str | None]]:
    """The function that writes code and a sentence on its accuracy, if it knows the language.

    It loads SciPy, which takes longer than a derivation.
    """
    from theory.gaussian.export.code import LANGUAGES, accuracy, export, stable_form

    if language not in LANGUAGES:
        raise InputError(f"--export {language} is not known.", f"Choose one of: {', '.join(LANGUAGES)}.")
    if language == "latex":
        return lambda moment: (export(moment.closed_form, language), None)

    def written(moment: Moment) -> tuple[str, str]:
        closed_form = with_numbers(moment.closed_form)
        form = stable_form(closed_form, moment.expr, moment.cov)
        return export(form, language, closed_form), accuracy(form)

    return written


def _limit(moment: Moment, limit: str) -> Moment:
    """The moment's limit, given as g->oo or g->0."""
    name, arrow, to = (part.strip() for part in limit.partition("->"))
    ends = {"oo": sympy.oo, "0": sympy.S.Zero}
    if not arrow or to not in ends:
        raise InputError(f"--limit {limit!r} is not a limit in a gain.", 'Write --limit "g->oo" or "g->0".')
    return limit_of(moment, name, ends[to])


def _require_admissible(cov: sympy.ImmutableDenseMatrix, admissible: Admissible) -> None:
    """InputError where no point tried in the domain meets the conditions and makes `cov` positive semidefinite."""
    nothing, domain = sympy.Integer(0), admissible.domain
    next(points(Statement(nothing, nothing, cov, domain.intervals, domain.conditions, admissible), 1, 1))
