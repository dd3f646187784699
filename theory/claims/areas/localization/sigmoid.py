"""Sigmoid networks: they need biases, and what the notes say of trained ones. Localization notes, section 1.

"Qualitatively identical" names no number and no configuration, so that claim is open and says what would settle it.
"""

from itertools import product

import mpmath
import sympy
from sympy import Eq, Ge, Integer, Interval, Rational, exp

from theory.claims import reasons
from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.sources import Says, Source
from theory.proof.derivation import Derivation, Step

h1, h2 = sympy.symbols("h1 h2", real=True)
share = sympy.Symbol("p", positive=True)


def _sigmoid_output(sign: int) -> sympy.Expr:
    return (1 / (1 + exp(-sign * h1)) + 1 / (1 + exp(-sign * h2))) / 2


_PAIR_ERROR = sum(
    (share * (1 - _sigmoid_output(sign)) ** 2 + (1 - share) * _sigmoid_output(sign) ** 2) / 2 for sign in (1, -1)
)

_SIGMOID = Eq(_PAIR_ERROR, Rational(1, 4) + (_sigmoid_output(1) - Rational(1, 2)) ** 2, evaluate=False)


def _derive_sigmoid() -> Derivation:
    steps = (
        Step(
            _PAIR_ERROR,
            "$x$ and $-x$ are equally likely given $y$; without biases $-x$ has the pre-activations $-h$",
            "definition",
        ),
        Step(_SIGMOID.rhs, r"$\operatorname{sigmoid}(-h) = 1 - \operatorname{sigmoid}(h)$", "identity"),
    )
    return Derivation("localization.sigmoid.no_biases", _SIGMOID, steps)


def _sigmoid_by_cases(point: Point, digits: int) -> mpmath.mpf:
    """The mean of (y - yhat)^2 over the four cases y = 1, 0 at x and -x, from exponentials."""
    with mpmath.workdps(digits + 20):
        at = {symbol: mpmath.mpf(value.p) / value.q for symbol, value in point.items()}
        total = mpmath.mpf(0)
        for sign, (label, weight) in product((1, -1), ((1, at[share]), (0, 1 - at[share]))):
            output = sum(mpmath.exp(sign * at[h]) / (1 + mpmath.exp(sign * at[h])) for h in (h1, h2)) / 2
            total += weight * (label - output) ** 2 / 2
        return total


SIGMOID_NO_BIASES = Claim(
    id="localization.sigmoid.no_biases",
    title="Two sigmoid units without biases, each class even in $x$: averaged over $x$ and $-x$ the squared error "
    "is 1/4 plus the squared deviation of the output from 1/2",
    kind=Kind.EQUATION,
    statement=_SIGMOID,
    params=(
        Param(h1, Interval(-8, 8), r"$w_1 \cdot x$", (Integer(0),)),
        Param(h2, Interval(-8, 8), r"$w_2 \cdot x$", (Integer(0),)),
        Param(share, Interval.open(0, 1), r"probability of $y = 1$ given $\lvert x \rvert$", (Rational(1, 2),)),
    ),
    assumptions=(
        "each class has the same density at $x$ and $-x$, as the nonlinear Gaussian process; labels 1 and 0; mean "
        "readout",
        "averaged over $x$ the error is 1/4 at least, and 1/4 only if the output is 1/2 everywhere: nothing is learned",
        "simulated: four units on a ring of ten sites, gain 3, lengths 3/2 and 3/4, learning rate 2, fresh batches "
        r"of 200, $t/\tau = 1000$ and 2000; both 99 % intervals of the error must lie within 1 % of 1/4",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="where each class has the same density at $x$ and $-x$, as the nonlinear Gaussian process, for the "
            "mean readout and labels 1 and 0, for two units; more change nothing; the ReLU half is "
            "`localization.relu.biases_removed`",
            says=Says.READ_AS,
            words="one can further remove the bias terms $b_1$ and $b_2$ (though not for sigmoid)",
        ),
    ),
    oracle=_sigmoid_by_cases,
    derive=_derive_sigmoid,
    unchecked={Level.EXACT: "exponentials of rational numbers are not rational", Level.FLOATING: reasons.NO_NETWORK},
)

same_order = sympy.Symbol("P_low^sigmoid(xi1>xi2) - P_low^erf(xi1>xi2)", real=True)

SIGMOID_LIKE_ERF = Claim(
    id="localization.sigmoid.like_erf",
    title=r"For $\xi_1 > \xi_2$ sigmoid networks have at least the low-frequency share of erf networks (no "
    "configuration is given)",
    kind=Kind.EMPIRICAL,
    statement=Ge(same_order, 0),
    assumptions=(
        r"$P_{\text{low}}$ is the share of the field's power at frequencies $\lvert q \rvert \leq n/4$, the mean "
        "over units",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="which results, and from which biases and rates, is not said",
            says=Says.READ_AS,
            words="For the former, the results are qualitatively identical",
        ),
    ),
    settled_by="The notes' configuration of these runs: how $b_1$ and $b_2$ start, their learning rates, the "
    "readout, the order of the lengths, and which statistic counts as qualitatively identical. Without "
    "biases a sigmoid network learns nothing (`localization.sigmoid.no_biases`); with them the outcome "
    "depends on what is not given.",
    unchecked={Level.NEGATIVE_CONTROL: "no rule decides the sentence as it stands, so none can be tried on a fault"},
)

CLAIMS = (SIGMOID_NO_BIASES, SIGMOID_LIKE_ERF)
