"""The gates of the small-bump note on single pulses, which the note does not treat. Its eq. (2), (3) and after (6)."""

from fractions import Fraction

import sympy
from sympy import Eq

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import (
    FIRST,
    FIT,
    HALF_SPACE,
    LAW,
    SECOND,
    WIDTHS,
    covered,
    enumerated,
    library_moments,
    p,
    q,
    site_gate,
    zeros_and_ones,
)
from theory.claims.documents import BUMP_NOTE
from theory.claims.model import Claim, Kind, Level
from theory.claims.sources import Says, Source
from theory.expressions.symbols import n

# Both are closed: 1[x_i >= 0] and 1[-x_i >= 0]; on {0, 1} the second is 1[x_i < 1/2].
_CLOSED_BELOW = site_gate(hi=Fraction(1, 2))

OVERLAP = Claim(
    id="pulse.small_bump.cross",
    title="Overlap of the small-bump gates on single pulses",
    protocol=r"For single pulses of support $\{0, 1\}$ on a ring, width uniform on $a, \ldots, b$, the small-bump "
    r"gates overlap: $\Sigma^{xx}(p_1, p_2)$ is not 0 in general",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle g_1 g_2 x_{k} x_{l} \rangle", real=True),
        covered(n - q + p) - covered(p, n - q),
        evaluate=False,
    ),
    params=(*WIDTHS, FIRST, SECOND),
    conditions=(*FIT, p <= q, q < n),
    assumptions=(
        LAW,
        r"$g_1 = \mathbf{1}[x_i \geq 0]$, $g_2 = \mathbf{1}[-x_i \geq 0]$ as printed, two closed half-spaces; "
        "$k = i + p$ and $l = i + q$ on the ring; no flip",
        r"$\langle u_k u_l \rangle - \langle u_i u_k u_l \rangle$: the gap $q - p$ between $k$ and $l$ is in both "
        "and cancels",
        r"with one half-space open, $\mathbf{1}[x_i < 0]$, the first gate is always 1 and the second always 0",
    ),
    sources=(
        Source(
            BUMP_NOTE,
            "after (6)",
            note="the gain in (7) implies the nonlinear Gaussian process, for which $x_i = 0$ has probability 0 and "
            r"$\Sigma^{xx}(p_1, p_2) = 0$ (`gate.small_bump.product`); a single pulse that misses site $i$ "
            "opens both gates",
            says=Says.UNSTATED,
        ),
    ),
    **enumerated(zeros_and_ones, lambda x, at: (x[0] >= 0) * (-x[0] >= 0) * x[at["p"]] * x[at["q"]]),
    numeric=lambda **at: float(
        library_moments(at, "zero-one", "none", HALF_SPACE, _CLOSED_BELOW).sigma_xx[0, 1, at["p"], at["q"]]
    ),
    drawn=60,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (OVERLAP,)
