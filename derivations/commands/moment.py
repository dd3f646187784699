"""`gdln moment EXPR --cov MATRIX`: closed form, class, proof, LaTeX and certified value of a Gaussian expectation."""

from typing import TYPE_CHECKING, Any

import typer

from derivations.output import PASS, emit, run

if TYPE_CHECKING:
    from theory.gaussian import Certified, Moment
    from theory.proof.derivation import Derivation

MAY_BEGIN_WITH_MINUS = True
MOST_POINTS = 600  # combinations of parameter values looked at for one that is a covariance


def command(
    expr: str = typer.Argument(
        ..., metavar="EXPR", help="The integrand in z1, z2, ..., such as Heaviside(z1)*erf(g*z2)."
    ),
    cov: str = typer.Option(..., "--cov", help="The covariance matrix: [[1, rho], [rho, 1]], or @file."),
    mean: str = typer.Option(None, "--mean", help="The means, [0, 0]; zero if left out."),
    where: str = typer.Option(None, "--where", help='Domains of the parameters: "g>0, -1<rho<1".'),
    digits: int = typer.Option(30, "--digits", help="Correct significant digits of the value."),
    limit: str = typer.Option(None, "--limit", help="Take a limit in a gain first: g->oo or g->0."),
    export: str = typer.Option(None, "--export", help="Print code of the closed form: latex, numpy, torch or c."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object on stdout."),
) -> int:
    """Derive the expectation of EXPR under N(MEAN, COV), checked step by step, with certified digits."""
    return run(lambda: _moment(expr, cov, mean, where, digits, limit, export, as_json), as_json)


def _moment(
    expr: str,
    cov: str,
    mean: str | None,
    where: str | None,
    digits: int,
    limit: str | None,
    language: str | None,
    as_json: bool,
) -> int:
    from theory.gaussian.export.code import LANGUAGES, export
    from theory.problem.errors import InputError

    if expr.startswith("--"):
        raise InputError(f"There is no option {expr.split('=')[0]}.", "See gdln moment --help.", "usage")
    if language is not None and language not in LANGUAGES:
        raise InputError(f"--export {language} is not known.", f"Choose one of: {', '.join(LANGUAGES)}.")
    payload, moment = answer(expr, cov, mean, where, digits, limit)
    code = export(moment.closed_form, language) if language is not None else None
    if code is not None and not as_json:
        print(code, end="")
        return PASS
    payload |= {} if code is None else {"language": language, "code": code}
    emit("moment", payload, "" if as_json else as_text(payload, moment), as_json)
    return PASS


def answer(
    expr: str, cov: str, mean: str | None, where: str | None, digits: int, limit: str | None = None
) -> "tuple[dict[str, Any], Moment]":
    """What `--json` prints of an expectation, and the moment itself. Raises InputError and OutOfReachError."""
    import sympy

    from theory.expressions.language import Names, parse, parse_domains, parse_list, parse_rows
    from theory.gaussian import expect
    from theory.gaussian.moment import MAX_DIGITS
    from theory.problem.errors import InputError

    if not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"--digits {digits} is not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
    domains = parse_domains(where) if where else {}
    parameters = {name: symbol for name, (symbol, _) in domains.items()}
    rows = parse_rows(cov, Names(parameters=parameters))
    integrand = parse(expr, Names(variables=len(rows), parameters=parameters))
    _require_admissible(sympy.Matrix(rows), {symbol: interval for symbol, interval in domains.values()})
    moment = expect(integrand, rows, parse_list(mean, Names(parameters=parameters)) if mean else None)
    if limit is not None:
        moment = _limit(moment, limit)
    certified = None if moment.closed_form.free_symbols else moment.evaluate(digits)
    return _payload(expr, moment, certified) | {"limit": limit}, moment


def _limit(moment: "Moment", limit: str) -> "Moment":
    """The moment's limit, given as g->oo or g->0."""
    import sympy

    from theory.gaussian.limits import limit as limit_of
    from theory.problem.errors import InputError

    name, arrow, to = (part.strip() for part in limit.partition("->"))
    ends = {"oo": sympy.oo, "0": sympy.S.Zero}
    if not arrow or to not in ends:
        raise InputError(f"--limit {limit!r} is not a limit in a gain.", 'Write --limit "g->oo" or "g->0".')
    return limit_of(moment, name, ends[to])


def _require_admissible(cov: "sympy.Matrix", domains: dict["sympy.Symbol", "sympy.Interval"]) -> None:
    """InputError where no point tried in the domains makes `cov` positive semidefinite."""
    from itertools import islice, product

    from theory.conjecture.points import values
    from theory.conjecture.statement import is_covariance
    from theory.problem.errors import InputError

    used = [symbol for symbol in domains if symbol in cov.free_symbols]
    tried = islice(product(*(values(domains[symbol]) for symbol in used)), MOST_POINTS)
    if used and not any(is_covariance(cov.subs(dict(zip(used, point, strict=True))).as_immutable()) for point in tried):
        raise InputError(
            "No point tried in the domains makes the covariance positive semidefinite.",
            "No Gaussian has such covariances; a correlation lies between -1 and 1. Correct the domains or the matrix.",
        )


def _payload(expr: str, moment: "Moment", certified: "Certified | None") -> dict[str, Any]:
    from theory.gaussian.moment import text

    proof = moment.arctan_derivation
    return {
        "integrand": expr,
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
        "derivation": [*_steps(moment.derivation), *(_steps(proof)[1:] if proof else [])],
    }


def _steps(derivation: "Derivation") -> list[dict[str, Any]]:
    """The steps with what their rules said of them."""
    from theory.gaussian.moment import text

    checks = derivation.check()
    return [
        {"expr": text(step.expr), "why": step.why, "rule": step.rule, "checked": check.passed, "error": check.error}
        for step, check in zip(derivation.steps, checks, strict=False)
    ]


def as_text(payload: dict[str, Any], moment: "Moment") -> str:
    """The answer for a reader."""
    kind = moment.kind
    if moment.dimension:
        kind += f", dimension {moment.dimension}, of {moment.integrand} functions"
    taken = payload["limit"]
    left = f"E[{payload['integrand']}]" if taken is None else f"lim {taken} E[{payload['integrand']}]"
    lines = [f"{left} = {payload['expr']}", f"class   {kind}"]
    if moment.remark:
        lines.append(f"        {moment.remark}")
    if payload["arctan"] != payload["expr"]:
        lines.append(f"arctan  {payload['arctan']}")
    lines.append(f"LaTeX   {payload['latex']}")
    if payload["value"] is None:
        lines.append("value   depends on the parameters; give numbers in their place for digits")
    else:
        lines.append(f"value   {payload['value']}")
        lines.append(
            f"        error at most {payload['radius']}; {payload['digits']} correct digits by {payload['method']}"
        )
    lines.append("proof")
    for number, step in enumerate(payload["derivation"]):
        mark = "checked" if step["checked"] else f"NOT CHECKED: {step['error']}"
        lines += [f"  {number}. [{step['rule']}, {mark}] {step['why']}", f"     {step['expr']}"]
    return "\n".join(lines)
