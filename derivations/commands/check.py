"""`gdln check "LHS = RHS"`: the verdict on a conjectured formula, with its proof or its simplest counter-example."""

import typer

from derivations.commands import Timeout
from derivations.output import CHECK_FAILED, PASS, UNDECIDED, run, show

MAY_BEGIN_WITH_MINUS = True
# "supported" exits with 0 because no evidence contradicts the formula; the text says that this is not a proof.
CODES = {"proved": PASS, "supported": PASS, "refuted": CHECK_FAILED, "undecided": UNDECIDED}


def command(
    equation: str = typer.Argument(
        ...,
        metavar="EQUATION",
        help='"LHS = RHS" in parameters and E[...], such as "E[erf(z1)*z1] = 2/sqrt(3*pi)"; or @FILE, one a line.',
    ),
    cov: str = typer.Option(None, "--cov", help="The covariance of z1, z2, ... in E[...]: [[1, rho], [rho, 1]]."),
    mean: str = typer.Option(None, "--mean", help="The means, such as [0, 0]; zero by default."),
    given: str = typer.Option(None, "--given", help='Linear observations: each E[...] is given "z1 + z2 = 1, z3 = b".'),
    where: str = typer.Option(None, "--where", help='The domain of the parameters: "g>0, -1<rho<1, c**2<a*b".'),
    digits: int = typer.Option(30, "--digits", help="Significant digits to which the sides are compared."),
    timeout: Timeout = None,
    as_json: bool = typer.Option(False, "--json", help="One JSON object on stdout."),
) -> int:
    """Judge an equation, or each of a file, on a domain: proved, supported to N digits, refuted or undecided.

    Exit code 0 where it is proved or supported, 1 where it is refuted, 3 where it is undecided.
    """
    return run(lambda: _check(equation, cov, mean, where, digits, given, as_json=as_json), as_json, timeout)


def _check(equation: str, *rest: object, as_json: bool) -> int:
    from derivations.answers import check
    from theory.problem.errors import InputError

    if equation.startswith("--"):
        raise InputError(f"There is no option {equation.split('=')[0]}.", "See gdln check --help.", "usage")
    if equation.startswith("@"):
        answers = check.of_file(equation[1:], *rest)
        show("check", answers, as_json)
        codes = [CODES[one.verdict] for one in answers.answers]
        return CHECK_FAILED if CHECK_FAILED in codes else max(codes)
    answer = check.answer(equation, *rest)
    show("check", answer, as_json)
    return CODES[answer.verdict]
