"""The alignment of a kernel with the labels by its eigenvectors.

Deep gated networks, section 3; neural path kernel, section 6.
"""

from fractions import Fraction

import sympy
from sympy import Eq, Integer, Interval, Rational, Symbol, oo

from theory.claims.areas.path._networks import SMALL
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source

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

CLAIMS = (EIGENVECTORS,)
