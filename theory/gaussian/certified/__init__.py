"""Certified values: decimals with a bound on their error, and expectations of signs as balls (Arb).

    certified(expr, cov, digits)      E[expr] for z ~ N(0, cov), without parameters
    certified_form(form, digits)      the value of a closed form
    two_signs, three_signs, four_signs   balls at the working precision, for correlations that are balls

The names are imported on first use, because the last three need python-flint.
"""

from typing import TYPE_CHECKING

from theory.problem.first_use import on_first_use

if TYPE_CHECKING:
    from theory.gaussian.certified.digits import certified, certified_form
    from theory.gaussian.certified.signs import four_signs, three_signs, two_signs

__all__ = ["certified", "certified_form", "four_signs", "three_signs", "two_signs"]

__getattr__, __dir__ = on_first_use(
    __name__, {"digits": "certified certified_form", "signs": "four_signs three_signs two_signs"}
)
