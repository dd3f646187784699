"""The formula view: the questions that it offers, the one of its settings, and the answers of its job."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.running import JOBS, Job, in_a_process
from theory.problem import InputError, Problem

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


def answer(_problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions that the view offers; the job `formula` answers one, and settings["job"] names its texts.

    With settings["want"] of "claims" the answer has the claims of the book on the question of the settings.
    """
    if settings.get("want") == "claims":
        from derivations.explore.book import claims_on

        return {"claims": claims_on(*question_of(settings)[:4])}
    if "want" in settings:
        texts = JOBS.get(str(settings.get("job"))).state().value
        if texts is None or settings["want"] not in texts:
            raise InputError("There is no answer yet.", "Press Answer first.", "want")
        return {"text": texts[settings["want"]]}
    return {"examples": [[name, *question] for name, question in EXAMPLES.items()]}


def run(_problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Answer the formula of the settings in a process that a stop kills, and keep its texts on the server."""
    from derivations.explore.formula_page import MODULES, answered

    job.publish(*in_a_process(job, answered, *question_of(settings), modules=MODULES))


def question_of(settings: Mapping[str, Any]) -> tuple[str, str, str, str, int, str | None]:
    """Line, covariance, mean, domains, digits and the parameter of the figure's axis, as the settings have them.

    >>> question_of({"line": "erf(z1)*z1", "cov": "[[1]]"})
    ('erf(z1)*z1', '[[1]]', '', '', 30, None)
    """
    texts = [settings.get(key) or "" for key in ("line", "cov", "mean", "where")]
    try:
        digits = int(settings.get("digits", 30))
    except (TypeError, ValueError):
        raise InputError("The digits are no whole number.", "Write for example 30.", "digits") from None
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(
            f"{digits} digits: the view certifies 1 to {MOST_DIGITS}.", "gdln moment takes more.", "digits"
        )
    return *texts, digits, settings.get("against")
