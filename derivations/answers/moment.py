"""The answer of `gdln moment`: closed form, class, proof, LaTeX and certified value of a Gaussian expectation."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any

import sympy

from derivations.answers.steps import checked_steps, step_lines
from theory.conjecture.points import values
from theory.conjecture.statement import is_covariance
from theory.expressions.language import Names, parse, parse_domains, parse_list, parse_rows
from theory.gaussian import Certified, Moment, expect
from theory.gaussian.limits import limit as limit_of
from theory.gaussian.moment import MAX_DIGITS, text
from theory.problem import InputError

MOST_POINTS = 600  # combinations of parameter values looked at for one that is a covariance


@dataclass(frozen=True)
class MomentAnswer:
    """The expectation of `integrand` as typed: its `moment`, and its value where it has no parameter.

    `limit` is the limit that was taken first, "g->oo"; `code` the closed form in the programming `language`, `accuracy`
    a sentence on its relative error.
    """

    integrand: str
    moment: Moment
    certified: Certified | None
    limit: str | None = None
    language: str | None = None
    code: str | None = None
    accuracy: str | None = None

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Made once: the rules check every step of the proof."""
        moment, certified, proof = self.moment, self.certified, self.moment.arctan_derivation
        content = {
            "integrand": self.integrand,
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
        }
        if self.code is None:
            return content
        return content | {"language": self.language, "code": self.code, "accuracy": self.accuracy}

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
        left = f"E[{self.integrand}]" if self.limit is None else f"lim {self.limit} E[{self.integrand}]"
        lines = [f"{left} = {content['expr']}", f"class   {kind}"]
        if moment.remark:
            lines.append(f"        {moment.remark}")
        if content["arctan"] != content["expr"]:
            lines.append(f"arctan  {content['arctan']}")
        lines.append(f"LaTeX   {content['latex']}")
        if self.certified is None:
            lines.append("value   depends on the parameters; give numbers in their place for digits")
        else:
            found = self.certified
            lines.append(f"value   {found.value}")
            lines.append(f"        error at most {found.radius}; {found.digits} correct digits by {found.method}")
        return "\n".join([*lines, "proof", *step_lines(content["derivation"])])


def answer(
    expr: str,
    cov: str,
    mean: str | None = None,
    where: str | None = None,
    digits: int = 30,
    limit: str | None = None,
    language: str | None = None,
) -> MomentAnswer:
    """The expectation of `expr` under N(mean, cov), all as a user types them; see `gdln moment --help`.

    Raises InputError for text that is no expression, matrix or domain, OutOfReachError where the engine has no rule.

    >>> answer("erf(z1)*z1", "[[1]]").json()["expr"]
    '2*sqrt(3)/(3*sqrt(pi))'
    """
    exporter = None if language is None else _exporter(language)
    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"--digits {digits} is not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
    domains = parse_domains(where) if where is not None else {}
    parameters = {name: symbol for name, (symbol, _) in domains.items()}
    rows = parse_rows(cov, Names(parameters=parameters))
    integrand = parse(expr, Names(variables=len(rows), parameters=parameters))
    _require_admissible(sympy.Matrix(rows), {symbol: interval for symbol, interval in domains.values()})
    moment = expect(integrand, rows, parse_list(mean, Names(parameters=parameters)) if mean is not None else None)
    if limit is not None:
        moment = _limit(moment, limit)
    certified = None if moment.closed_form.free_symbols else moment.evaluate(digits)
    code, accuracy = (None, None) if exporter is None else exporter(moment)
    return MomentAnswer(expr, moment, certified, limit, language, code, accuracy)


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
        form = stable_form(moment.closed_form, moment.expr, moment.cov)
        return export(form, language), accuracy(form)

    return written


def _limit(moment: Moment, limit: str) -> Moment:
    """The moment's limit, given as g->oo or g->0."""
    name, arrow, to = (part.strip() for part in limit.partition("->"))
    ends = {"oo": sympy.oo, "0": sympy.S.Zero}
    if not arrow or to not in ends:
        raise InputError(f"--limit {limit!r} is not a limit in a gain.", 'Write --limit "g->oo" or "g->0".')
    return limit_of(moment, name, ends[to])


def _require_admissible(cov: sympy.Matrix, domains: dict[sympy.Symbol, sympy.Interval]) -> None:
    """InputError where no point tried in the domains makes `cov` positive semidefinite."""
    used = [symbol for symbol in domains if symbol in cov.free_symbols]
    tried = islice(product(*(values(domains[symbol]) for symbol in used)), MOST_POINTS)
    if used and not any(is_covariance(cov.subs(dict(zip(used, point, strict=True))).as_immutable()) for point in tried):
        raise InputError(
            "No point tried in the domains makes the covariance positive semidefinite.",
            "No Gaussian has such covariances; a correlation lies between -1 and 1. Correct the domains or the matrix.",
        )
