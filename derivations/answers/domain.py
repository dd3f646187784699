"""The domain of an answer: bounds and conditions of the user, conditions of the matrix, and what was cut off."""

from typing import Any

from theory.gaussian.admissible import Admissible

SEMIDEFINITE = "the covariance is positive semidefinite"


def domain_json(admissible: Admissible) -> dict[str, Any]:
    """The content of the key `domain`.

    >>> from theory.gaussian.text import setting
    >>> found = domain_json(setting("-2<r<2", "[[1, r], [r, 1]]", ())[1])
    >>> found["bounds"], found["remarks"]
    (['-1 <= r <= 1'], ['-2 < r < 2 is cut to -1 <= r <= 1: the covariance needs 1 - r**2 >= 0.'])
    """
    return {
        "bounds": admissible.domain.bounds,
        "conditions": [str(condition) for condition in admissible.domain.conditions],
        "covariance": [*map(str, admissible.conditions), *([] if admissible.whole else [SEMIDEFINITE])],
        "remarks": list(admissible.remarks),
    }


def domain_lines(domain: dict[str, Any], label: str = "domain  ") -> list[str]:
    """The lines for a reader; none where the domain is exactly as it was typed.

    >>> domain_lines({"bounds": ["a > 0"], "conditions": ["a < b"], "covariance": [], "remarks": []})
    ['domain  a > 0; a < b']
    """
    if not (domain["conditions"] or domain["covariance"] or domain["remarks"]):
        return []
    parts = [", ".join(domain[key]) for key in ("bounds", "conditions") if domain[key]]
    if domain["covariance"]:
        parts.append(f"for the covariance {', '.join(domain['covariance'])}")
    return [f"{label}{'; '.join(parts)}", *(" " * len(label) + remark for remark in domain["remarks"])]
