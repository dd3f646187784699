"""`gdln moment EXPR --cov MATRIX`: closed form, class, proof, LaTeX and certified value of a Gaussian expectation."""

import typer

from derivations.commands import Timeout
from derivations.output import PASS, run, show

MAY_BEGIN_WITH_MINUS = True


def command(
    expr: str = typer.Argument(
        ..., metavar="EXPR", help="The integrand in z1, z2, ..., such as Heaviside(z1)*erf(g*z2)."
    ),
    cov: str = typer.Option(..., "--cov", help="The covariance matrix: [[1, rho], [rho, 1]], or @file."),
    mean: str = typer.Option(None, "--mean", help="The means, [m1, 0]; zero if left out."),
    given: str = typer.Option(None, "--given", help='Linear observations to condition on: "z1 + z2 = 1, z3 = b".'),
    where: str = typer.Option(None, "--where", help='The domain of the parameters: "g>0, -1<rho<1, c**2<a*b".'),
    digits: int = typer.Option(30, "--digits", help="Significant digits of the value, all correct."),
    limit: str = typer.Option(None, "--limit", help="Take a limit in a gain first: g->oo or g->0."),
    export: str = typer.Option(None, "--export", help="Print code of the closed form: latex, numpy, torch or c."),
    timeout: Timeout = None,
    as_json: bool = typer.Option(False, "--json", help="One JSON object on stdout."),
) -> int:
    """Derive the expectation of EXPR under N(MEAN, COV), checked step by step, with certified digits.

    A name in the means or in the observed values that has no domain is a real number.
    """
    return run(lambda: _moment(expr, cov, mean, where, digits, limit, export, given, as_json=as_json), as_json, timeout)


def _moment(expr: str, *rest: object, as_json: bool) -> int:
    from derivations.answers import moment
    from theory.problem.errors import InputError

    if expr.startswith("--"):
        raise InputError(f"There is no option {expr.split('=')[0]}.", "See gdln moment --help.", "usage")
    show("moment", moment.answer(expr, *rest), as_json)
    return PASS
