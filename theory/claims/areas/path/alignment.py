"""The alignment of a kernel with the labels by its eigenvectors.

Deep gated networks, section 3; neural path kernel, section 6.
"""

from fractions import Fraction

import sympy
from flint import fmpq, fmpq_poly
from sympy import Eq, Integer, Interval, Rational, Symbol, oo

from theory.claims.areas.path._networks import SMALL
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Says, Source

t, y1, y2 = sympy.symbols("t y1 y2", real=True)
rho_1, rho_2 = sympy.symbols("rho_1 rho_2", positive=True)

_COS, _SIN = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
_FORMULA = (rho_1 + rho_2) * ((_COS * y1 + _SIN * y2) ** 2 / rho_1 + (_COS * y2 - _SIN * y1) ** 2 / rho_2)


def _by_solving(at: dict[str, Fraction]) -> Fraction:
    """y^T z, where z solves (H / trace H) z = y by Cramer's rule."""
    first = (1 - at["t"] ** 2, 2 * at["t"])
    size = first[0] ** 2 + first[1] ** 2
    second = (-first[1], first[0])
    values = (at["rho_1"], at["rho_2"])
    h = [
        [sum(rho * own[i] * own[j] for rho, own in zip(values, (first, second), strict=True)) / size for j in range(2)]
        for i in range(2)
    ]
    trace = h[0][0] + h[1][1]
    h = [[value / trace for value in row] for row in h]
    y = (at["y1"], at["y2"])
    determinant = h[0][0] * h[1][1] - h[0][1] * h[1][0]
    z = ((y[0] * h[1][1] - h[0][1] * y[1]) / determinant, (h[0][0] * y[1] - y[0] * h[1][0]) / determinant)
    return y[0] * z[0] + y[1] * z[1]


EIGENVECTORS = Claim(
    id="path.alignment.eigenvectors",
    title="The alignment of a normalised kernel with the labels is a sum over its eigenvectors",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"y^\top (H / \operatorname{tr} H)^{-1} y", real=True), _FORMULA, evaluate=False),
    params=(
        Param(t, sympy.S.Reals, "direction of the first eigenvector", (Integer(0), Integer(1))),
        *(Param(own, Interval.open(0, oo), "eigenvalue of $H$", (Rational(1, 2),)) for own in (rho_1, rho_2)),
        *(Param(own, sympy.S.Reals, "label", likely=SMALL) for own in (y1, y2)),
    ),
    assumptions=(
        r"two inputs; $H$ has the eigenvectors $u_1 = (1 - t^2, 2 t)/(1 + t^2)$ and $u_2$ at right angles to it, with "
        r"the eigenvalues $\rho_1$ and $\rho_2$, which are divided by their sum, the trace",
    ),
    sources=tuple(
        Source(
            document, label, printed=_FORMULA, note=r"the sum of $(u_i^\top y)^2/\hat\rho_i$ over $i$, for two inputs"
        )
        for document, label in ((DEEP_GATED_NETWORKS, "section 3"), (NEURAL_PATH_KERNEL, "section 6"))
    ),
    **rational_by_name(_by_solving),
    drawn=10,
    unchecked={
        Level.SYMBOLIC: "a linear system is solved in fractions at drawn points; no chain of steps derives the sum",
        Level.FLOATING: "the simulator has the alignment of kernels of trained networks, the library has none",
    },
)

r = Symbol("rho", real=True)  # the share of the first eigenvalue in the trace


def _slope(at: dict[str, Fraction]) -> int:
    """The sign of the slope of y1^2/rho + y2^2/(1 - rho): that of its numerator, the denominator is a square."""
    first, second = (fmpq(value.numerator, value.denominator) ** 2 for value in (at["y1"], at["y2"]))
    share = fmpq_poly([0, 1])
    above, below = first * (1 - share) + second * share, share * (1 - share)
    numerator = above.derivative() * below - above * below.derivative()
    value = numerator(fmpq(at["rho"].numerator, at["rho"].denominator))
    return (value > 0) - (value < 0)


CONCENTRATION = Claim(
    id="path.alignment.concentration",
    title="Alignment where the trace is concentrated on one eigenvalue",
    protocol="More of the trace on the eigenvalue with more of the labels lowers the alignment, up to the share at "
    "which "
    "it is least",
    kind=Kind.EQUATION,
    statement=Eq(
        Symbol(r"\operatorname{sign} \partial_{\rho} \nu", real=True),
        sympy.sign(r * (y1 + y2) - y1),
        evaluate=False,
    ),
    params=(
        Param(r, Interval.open(0, 1), r"$\hat\rho_1$, the share of the first eigenvalue", (Rational(1, 2),)),
        *(
            Param(own, Interval.open(0, oo), "size of the labels along an eigenvector", (value,), Interval(0, 4))
            for own, value in ((y1, Integer(2)), (y2, Integer(1)))
        ),
    ),
    conditions=(y1 > y2,),
    assumptions=(
        r"two inputs; $\nu = y_1^2/\rho + y_2^2/(1 - \rho)$ is the alignment by `path.alignment.eigenvectors`, with "
        r"$y_i = \lvert u_i^\top y \rvert$",
        r"$\nu$ is least where the eigenvalues are in proportion to $y_1$ and $y_2$",
    ),
    sources=tuple(
        Source(
            document,
            label,
            printed=Integer(-1),
            says=Says.READ_AS,
            words=r"Since $\sum_{i=1}^{n'} \hat\rho_{i,t} = 1$, the only way $\nu_t$ reduces is when more and more "
            r"energy gets concentrated on [those] $\hat\rho_{i,t}$ for which $(u_{i,t}^\top y)^2$ [...] are also high.",
            note="read for fixed eigenvectors: the larger share of the eigenvalue with more of the labels lowers "
            r"$\nu_t$. Beyond the best share a smaller one does: for $y_1 = 2 y_2$ it is $10 y_2^2$ with eigenvalues "
            r"4 to 1, and $9 y_2^2$ with 2 to 1",
            readings=(
                Reading(
                    r"$\hat\rho_1/\hat\rho_2 < \lvert u_1^\top y \rvert/\lvert u_2^\top y \rvert$",
                    where=r * (y1 + y2) < y1,
                ),
            ),
        )
        for document, label in ((DEEP_GATED_NETWORKS, "section 3"), (NEURAL_PATH_KERNEL, "section 6"))
    ),
    **rational_by_name(_slope),
    drawn=10,
    unchecked={
        Level.SYMBOLIC: "the slope of a quotient of polynomials, evaluated in fractions; there is no chain of steps",
        Level.FLOATING: "the simulator has the alignment of kernels of trained networks, the library has none",
    },
)

CLAIMS = (EIGENVECTORS, CONCENTRATION)
