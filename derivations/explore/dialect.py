"""The numbers of a problem in the conventions of the notes, the public codes and the PNAS paper."""

from collections.abc import Callable
from typing import Any

import sympy

from theory.claims import dialects
from theory.claims.dialects import OURS, Dialect, Numbers
from theory.problem import Erf, GatedGraph, InputError, Law, NonlinearGP, Problem
from theory.problem.correlations import GAUSSIAN

# The words of the switch; "workbench" is that of problem files.
DIALECTS: dict[str, Dialect] = {
    "workbench": OURS,
    "notes": dialects.NOTES,
    "PNAS paper": dialects.PNAS,
    "conv_emerge": dialects.CONV_EMERGE_EXACT,
    "Localization": dialects.HEAD,
}
_DIGITS = 6


def in_dialect(problem: Problem, word: str) -> dict[str, Any]:
    """Return the numbers of a problem in a dialect, as texts by name; in `refused` the reason where there are none.

    >>> from theory.problem import load
    >>> from derivations.experiments.folders import problem_file
    >>> found = in_dialect(load(problem_file("small-bump")), "notes")
    >>> found["numbers"]["gain"], found["numbers"]["weights"]
    ('g = 1', 'w × 1')
    """
    if word not in DIALECTS:
        raise InputError(f"There is no dialect {word!r}.", f"Known: {', '.join(DIALECTS)}.", "dialect")
    target = DIALECTS[word]
    try:
        ours = _numbers(problem)
        converted = dialects.convert(ours, OURS, target)
    except InputError as error:
        return {"word": word, "numbers": {}, "refused": [f"{error.message} {error.hint}"]}
    texts = {
        "gain": f"g = {_text(converted.gain)}",
        "lengths": f"ξ = {', '.join(map(_text, converted.xi))} {_unit(target)}",
        "labels": f"y = {', '.join(str(label).replace('-', '−') for label in converted.labels)}",
    }
    refused: list[str] = []
    factors: dict[str, tuple[str, Callable[[], sympy.Expr]]] = {
        "weights": ("w", lambda: dialects.weight_factor(ours, OURS, target)),
        "time": ("t", lambda: dialects.time_factor(ours, OURS, target)),
        "loss": ("L", lambda: dialects.loss(sympy.Integer(1), OURS, target)),
    }
    for name, (symbol, factor) in factors.items():
        try:
            texts[name] = f"{symbol} × {_text(factor())}"
        except InputError as error:
            refused.append(f"{error.message} {error.hint}")
    if "inverse_participation" not in target.undecided:
        texts["ratio"] = "IPR" if target.inverse_participation == OURS.inverse_participation else "IPR → 1/IPR"
    return {"word": word, "numbers": texts, "refused": list(dict.fromkeys(refused))}


def _numbers(problem: Problem) -> Numbers:
    law = problem.data
    if not _convertible(law) or isinstance(problem.network, GatedGraph):
        raise InputError(
            "Dialects are conventions for one hidden layer on the law nlgp with two classes, an erf, a Gaussian "
            "correlation, one gain and unit variance.",
            "Choose such a problem.",
        )
    gain, *xi = (sympy.Rational(value.numerator, value.denominator) for value in (law.gain, *law.xi))
    return Numbers(law.n, problem.network.units, gain, tuple(xi), tuple(int(label) for label in law.labels))


def _convertible(law: Law) -> bool:
    return (
        isinstance(law, NonlinearGP)
        and isinstance(law.nonlinearity, Erf)
        and set(law.kernels) == {GAUSSIAN}
        and law.normaliser == "unit-variance"
        and not isinstance(law.gain, tuple)
        and len(law.labels) == len(law.xi) == 2
        and not law.means
        and all(not isinstance(label, tuple) and label.denominator == 1 for label in law.labels)
    )


def _text(value: sympy.Expr) -> str:
    return str(value) if value.is_Rational else f"{float(value):.{_DIGITS}g}"


def _unit(dialect: Dialect) -> str:
    power = dialect.length_power
    return f"{'of n' if dialect.length_unit == 'fraction' else 'sites'}{'' if power == 2 else f', power {power}'}"
