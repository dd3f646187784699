"""`gdln check "LHS = RHS"`: the verdict on a conjectured formula, with its proof or its plainest counter-example."""

from typing import TYPE_CHECKING, Any

import typer

from derivations.output import CHECK_FAILED, PASS, UNDECIDED, emit, run

if TYPE_CHECKING:
    from theory.conjecture import Answer, Statement
    from theory.conjecture.verdict import Trial

MAY_BEGIN_WITH_MINUS = True
# "supported" exits 0 because nothing speaks against the formula; the text says that it is no proof.
CODES = {"proved": PASS, "supported": PASS, "refuted": CHECK_FAILED, "undecided": UNDECIDED}


def command(
    equation: str = typer.Argument(
        ..., metavar="EQUATION", help='"LHS = RHS" in parameters and E[...], such as "E[erf(z1)*z1] = 2/sqrt(3*pi)".'
    ),
    cov: str = typer.Option(None, "--cov", help="The covariance of z1, z2, ... in E[...]: [[1, rho], [rho, 1]]."),
    mean: str = typer.Option(None, "--mean", help="The means, [0, 0]; zero is what the engine integrates."),
    where: str = typer.Option(None, "--where", help='The domain of the parameters: "g>0, -1<rho<1".'),
    digits: int = typer.Option(30, "--digits", help="Significant digits to which the sides are compared."),
    as_json: bool = typer.Option(False, "--json", help="One JSON object on stdout."),
) -> int:
    """Judge an equation on a domain: proved, supported to N digits, refuted or undecided.

    Exit code 0 where it is proved or supported, 1 where it is refuted, 3 where it is undecided.
    """
    return run(lambda: _check(equation, cov, mean, where, digits, as_json), as_json)


def _check(equation: str, cov: str | None, mean: str | None, where: str | None, digits: int, as_json: bool) -> int:
    from theory.problem.errors import InputError

    if equation.startswith("--"):
        raise InputError(f"There is no option {equation.split('=')[0]}.", "See gdln check --help.", "usage")
    payload = answer(equation, cov, mean, where, digits)
    emit("check", payload, "" if as_json else as_text(payload, where), as_json)
    return CODES[payload["verdict"]]


def answer(equation: str, cov: str | None, mean: str | None, where: str | None, digits: int) -> dict[str, Any]:
    """What `--json` prints of an equation. Raises InputError and OutOfReachError."""
    from theory.conjecture import judge, read

    statement = read(equation, cov, mean, where)
    return _payload(equation, statement, judge(statement, digits))


def _payload(equation: str, statement: "Statement", answer: "Answer") -> dict[str, Any]:
    from theory.gaussian.moment import text

    lhs, rhs = _closed(statement)
    suggestion = answer.suggestion
    return {
        "equation": equation,
        "verdict": answer.verdict,
        "digits": answer.digits,
        "counterexample": _trial(answer.counterexample) if answer.counterexample else None,
        "suggestion": suggestion
        and {"change": suggestion.change, "rhs": text(suggestion.rhs), "verdict": suggestion.verdict},
        "lhs": lhs,
        "rhs": rhs,
        "rule": answer.rule,
        "reason": answer.reason,
        "points": {
            "tried": answer.tried,
            "agreeing": answer.agreeing,
            "undefined": [_trial(trial) for trial in answer.undefined],
        },
        "steps": [
            {"expr": step.expr, "why": step.why, "rule": step.rule, "checked": step.checked, "error": step.error}
            for step in answer.steps
        ],
    }


def _closed(statement: "Statement") -> tuple[str | None, str | None]:
    """Both sides in closed form; None where the engine has none."""
    from theory.gaussian.moment import text
    from theory.problem.errors import OutOfReachError

    try:
        lhs, rhs = statement.closed
    except OutOfReachError:
        return None, None
    return text(lhs), text(rhs)


def _trial(trial: "Trial") -> dict[str, Any]:
    lhs, rhs = trial.comparison.lhs, trial.comparison.rhs
    return {
        "values": {symbol.name: str(number) for symbol, number in trial.point.items()},
        "lhs": lhs.value if lhs else None,
        "rhs": rhs.value if rhs else None,
        "lhs_radius": lhs.radius if lhs else None,
        "rhs_radius": rhs.radius if rhs else None,
    }


def _at(values: dict[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "these numbers"


def as_text(payload: dict[str, Any], where: str | None) -> str:
    """The verdict for a reader."""
    points, found, digits = payload["points"], payload["counterexample"], payload["digits"]
    domain = f" for {where}" if where else ""
    lines = [f"{payload['equation']}{domain}"]
    if payload["verdict"] == "proved":
        lines.append(
            f"proved: by the steps below, and the sides agree to {digits} digits at {points['agreeing']} points"
        )
    elif payload["verdict"] == "supported":
        lines.append(f"supported: the sides agree to {digits} digits at {points['agreeing']} points; this is no proof")
    elif payload["verdict"] == "undecided":
        lines.append(f"undecided: the sides agree at {points['agreeing']} of {points['tried']} points")
    else:
        lines += [
            f"refuted at {_at(found['values'])}",
            f"  left side   {found['lhs']}   (error at most {found['lhs_radius']})",
            f"  right side  {found['rhs']}   (error at most {found['rhs_radius']})",
        ]
    if payload["reason"]:
        lines.append(f"  {payload['reason']}")
    lines += _suggestion(payload["suggestion"]) + _undefined(points["undefined"])
    if payload["verdict"] != "proved" and payload["lhs"] is not None:
        lines += ["closed forms", f"  left side   {payload['lhs']}", f"  right side  {payload['rhs']}"]
    if payload["steps"]:
        lines.append("proof")
    for number, step in enumerate(payload["steps"]):
        mark = "checked" if step["checked"] else f"NOT CHECKED: {step['error']}"
        lines += [f"  {number}. [{step['rule']}, {mark}] {step['why']}", f"     {step['expr']}"]
    return "\n".join(lines)


def _suggestion(suggestion: dict[str, str] | None) -> list[str]:
    if suggestion is None:
        return []
    sure = "proved" if suggestion["verdict"] == "proved" else "supported at all points tried"
    return [f"It holds with {suggestion['change']} ({sure}):", f"  {suggestion['rhs']}"]


def _undefined(trials: list[dict[str, Any]]) -> list[str]:
    if not trials:
        return []
    more = f" and {len(trials) - 1} more points" if len(trials) > 1 else ""
    return [f"A side is not a real number at {_at(trials[0]['values'])}{more}; nothing is said about such points."]
