"""The gates of a half-space and of its mirror image. Small-bump note, eq. (2), (3) and after."""

from fractions import Fraction

import sympy
from sympy import Eq, Integer, Interval, Ne, Piecewise, Range, Sum, Tuple, oo

from theory.claims.documents import BUMP_NOTE
from theory.claims.finite_data import Number
from theory.claims.indicator import TINY, is_open
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Says, Source
from theory.expressions.symbols import n
from theory.proof.derivation import Derivation, Step

at_site = sympy.Symbol("x_i", real=True)
_OPEN_GATES = sympy.Symbol("g_1 + g_2", real=True)
_COUNT = Piecewise((2, Eq(at_site, 0)), (1, True))
_ALMOST_SURE = Reading(
    "$x_i$ is not 0, which has probability 1 for the nonlinear Gaussian process, as the gain in (7) implies",
    where=Ne(at_site, 0),
)


def _count_open(at: dict[str, Number]) -> Number:
    return sum(Fraction(1) for value in (at["x_i"], -at["x_i"]) if value >= 0)


def _derive_count() -> Derivation:
    result = Eq(_OPEN_GATES, _COUNT, evaluate=False)
    steps = (
        Step(Eq(_OPEN_GATES, is_open(at_site) + is_open(-at_site), evaluate=False), "(2) and (3)", "definition"),
        Step(result, "$x_i > 0$, $x_i = 0$ and $x_i < 0$", "cases", (at_site,)),
    )
    return Derivation("gate.small_bump.complement", result, steps)


COMPLEMENT = Claim(
    id="gate.small_bump.complement",
    title="The small-bump gates are complements except where $x_i = 0$: there both are open",
    kind=Kind.EQUATION,
    statement=Eq(_OPEN_GATES, _COUNT, evaluate=False),
    params=(Param(at_site, Interval(-oo, oo), "input at the gates' site", (Integer(0), TINY, -TINY)),),
    sources=(
        Source(
            BUMP_NOTE,
            "after (3)",
            printed=Integer(1),
            note="where $x_i = 0$ both closed half-spaces hold the input",
            words="So, $g_1(x) = 1 - g_2(x)$",
            readings=(_ALMOST_SURE,),
        ),
    ),
    **rational_by_name(_count_open),
    derive=_derive_count,
    unchecked={Level.FLOATING: "gates are counted, and a count is not rounded"},
)

# Sigma^xx(p_1, p_2) is the mean of g_1 g_2 x x^T
_PRODUCT = sympy.Symbol("g_1 g_2", real=True)
_BOTH = Piecewise((1, Eq(at_site, 0)), (0, True))


def _product_of_gates(at: dict[str, Number]) -> Number:
    return Fraction(int(at["x_i"] >= 0) * int(-at["x_i"] >= 0))


def _derive_product() -> Derivation:
    result = Eq(_PRODUCT, _BOTH, evaluate=False)
    steps = (
        Step(Eq(_PRODUCT, is_open(at_site) * is_open(-at_site), evaluate=False), "(2) and (3)", "definition"),
        Step(result, "$x_i > 0$, $x_i = 0$ and $x_i < 0$", "cases", (at_site,)),
    )
    return Derivation("gate.small_bump.product", result, steps)


PRODUCT = Claim(
    id="gate.small_bump.product",
    title="The product of the small-bump gates",
    protocol=r"The small-bump gates are both open at $x_i = 0$ alone: $\Sigma^{xx}(p_1, p_2) = 0$ where $x_i$ has a "
    "density",
    kind=Kind.EQUATION,
    statement=Eq(_PRODUCT, _BOTH, evaluate=False),
    params=(Param(at_site, Interval(-oo, oo), "input at the gates' site", (Integer(0), TINY, -TINY)),),
    assumptions=(
        r"$\Sigma^{xx}(p_1, p_2) = \langle g_1 g_2 x x^\top \rangle$: an integrand that is 0 but on a set of "
        "probability 0",
    ),
    sources=(
        Source(
            BUMP_NOTE,
            "after (6)",
            printed=Integer(0),
            note=r"for single pulses of support $\{0, 1\}$, which the note does not treat, see "
            "`pulse.small_bump.cross`",
            says=Says.READ_AS,
            words=r"Note that $\Sigma^{xx}(p_1, p_2) = 0$ by the construction of our gates, since they are never "
            "both nonzero",
            readings=(_ALMOST_SURE,),
        ),
    ),
    **rational_by_name(_product_of_gates),
    derive=_derive_product,
    unchecked={Level.FLOATING: "gates are counted, and a count is not rounded"},
)

# Single pulses, for which x_i = 0 often occurs
shortest, longest, width = sympy.symbols("a b W", integer=True, positive=True)
_P_BOTH = sympy.Symbol("P(g_1 g_2 = 1)", real=True)
_OFF = 1 - (shortest + longest) / (2 * n)


def _share_of_zeros(at: dict[str, Number]) -> Number:
    """Every pulse of the ring: its start and its width are uniform; count those that leave site 0 at 0."""
    sites, widths = int(at["n"]), range(int(at["a"]), int(at["b"]) + 1)
    off = sum(
        0 not in {(start + step) % sites for step in range(length)} for length in widths for start in range(sites)
    )
    return Fraction(off, sites * len(widths))


def _derive_both_open() -> Derivation:
    total = Sum((1 - width / n) / (longest - shortest + 1), (width, shortest, longest))
    antidifference = (width - width * (width - 1) / (2 * n)) / (longest - shortest + 1)
    summed = antidifference.subs(width, longest + 1) - antidifference.subs(width, shortest)
    result = Eq(_P_BOTH, _OFF, evaluate=False)
    steps = (
        Step(
            Eq(_P_BOTH, total, evaluate=False),
            "a pulse of width $W$ covers a site with probability $W/n$; where it does not, $x_i = 0$ and both gates "
            "are 1",
            "definition",
        ),
        Step(Eq(_P_BOTH, summed, evaluate=False), "an arithmetic series", "telescope", (Tuple(total, antidifference),)),
        Step(result, "the difference of the two ends, with the factor $b - a + 1$ cancelled", "identity"),
    )
    return Derivation("gate.small_bump.both_open", result, steps)


BOTH_OPEN = Claim(
    id="gate.small_bump.both_open",
    title="Probability that both small-bump gates are open on a single pulse",
    protocol=r"For single pulses of support $\{0, 1\}$ on a ring, width uniform on $a, \ldots, b$, both small-bump "
    "gates are open with probability $1 - (a + b)/(2 n)$",
    kind=Kind.EQUATION,
    statement=Eq(_P_BOTH, _OFF, evaluate=False),
    params=(
        Param(n, Range(8, 65), "sites of the ring", (Integer(40), Integer(64))),
        Param(shortest, Range(1, 5), "least width of the pulse", (Integer(3),)),
        Param(longest, Range(4, 9), "largest width", (Integer(4), Integer(8))),
    ),
    assumptions=(r"the width is uniform on $a, \ldots, b$ and the start uniform on the ring; there is no random flip",),
    sources=(
        Source(
            BUMP_NOTE,
            "after (6)",
            note="the gain in (7) implies the nonlinear Gaussian process, for which this probability is 0; for "
            r"single pulses one half-space closed and one open, or the support $\{-1, 1\}$, gives complements",
            says=Says.UNSTATED,
        ),
    ),
    **rational_by_name(_share_of_zeros),
    derive=_derive_both_open,
    unchecked={Level.FLOATING: "gates are counted, and a count is not rounded"},
)

CLAIMS = (COMPLEMENT, PRODUCT, BOTH_OPEN)
