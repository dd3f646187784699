"""The questions of the formula view: those that it offers, and the one of its settings."""

from collections.abc import Mapping
from typing import Any

from theory.problem import InputError

MOST_DIGITS = 100
EXAMPLES = {
    "an equation of the notes": (
        "E[Heaviside(z1)*erf(g*z2)] = asin(sqrt(2)*g*rho/sqrt(1+2*g**2))/pi",
        "[[1, rho], [rho, 1]]",
        "g>0, -1<rho<1",
    ),
    "a site gate": ("Heaviside(z1)*erf(g*z2)", "[[1, rho], [rho, 1]]", "g>0, -1<rho<1"),
    "its value": ("Heaviside(z1)*erf(z2)", "[[1, 1/2], [1/2, 1]]", ""),
    "a threshold": ("Heaviside(z1-1)*erf(2*z2)", "[[1, 3/5], [3/5, 1]]", ""),
    "a wrong factor": (
        "E[Heaviside(z1)*erf(g*z2)] = 2*asin(sqrt(2)*g*rho/sqrt(1+2*g**2))/pi",
        "[[1, rho], [rho, 1]]",
        "g>0, -1<rho<1",
    ),
    "two ReLUs": ("relu(z1)*relu(z2)", "[[1, rho], [rho, 1]]", "-1<rho<1"),
}


def question_of(settings: Mapping[str, Any]) -> tuple[str, str, str, str, int, str | None]:
    """Line, covariance, mean, domains, digits and the parameter of the figure's axis, as the settings have them.

    >>> question_of({"line": "erf(z1)*z1", "cov": "[[1]]"})
    ('erf(z1)*z1', '[[1]]', '', '', 30, None)
    """
    texts = [settings.get(key) or "" for key in ("line", "cov", "mean", "where")]
    for key, text in zip(("line", "cov", "mean", "where"), texts, strict=True):
        if not isinstance(text, str):
            raise InputError(f"{key} is no text.", "Type it again.", key)
    try:
        digits = int(settings.get("digits", 30))
    except (TypeError, ValueError):
        raise InputError("The digits are no whole number.", "Write for example 30.", "digits") from None
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(
            f"{digits} digits: the view certifies 1 to {MOST_DIGITS}.", "gdln moment takes more.", "digits"
        )
    return *texts, digits, settings.get("against")
