"""Statements of the localization notes on trained ReLU networks (sections 1 and 2.1).

A sentence such as "relatively constant" names no number; each is read as a bound that was fixed before the run, and the
claim is what the experiment can establish about that bound.
"""

import sympy
from sympy import Gt, Lt, Rational

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind
from theory.claims.sources import Source

long_first = sympy.Symbol("P_low(xi1>xi2)", real=True)
short_first = sympy.Symbol("P_low(xi1<xi2)", real=True)

RELU_ORDER = Claim(
    id="localization.relu.order",
    title="Trained ReLU fields are low-frequency for xi1 > xi2 and oscillate at short range for xi1 < xi2",
    kind=Kind.EMPIRICAL,
    statement=sympy.And(long_first > sympy.Rational(1, 2), short_first < sympy.Rational(1, 2)),
    assumptions=(
        "P_low is the share of the field's power at frequencies |q| <= n/4, the mean over units; 21/40 for white noise",
        "ring of 40 sites, gain 3, lengths 2 and 1, ten units, no biases, three horizons: t = 400, 800, 1600 tau",
    ),
    sources=(Source(NOTES, "section 1", note="ReLU, the order of xi1 and xi2"),),
)

flipped = sympy.Symbol("F", real=True)
growth = sympy.Symbol("N", real=True)
contrast_with = sympy.Symbol("D_biases", real=True)
contrast_without = sympy.Symbol("D", real=True)

_RING = (
    "ring of 40 sites, gain 3, lengths 2 and 1, ten ReLU units without biases, mean readout, w(0) of standard "
    "deviation 1/10 an entry; in the mean over units, and at every registered time"
)

GATES_FLIP = Claim(
    id="localization.relu.gates_flip",
    title="The gates of ReLU units do not stay as they start: more than a tenth of them flip while the network learns",
    kind=Kind.EMPIRICAL,
    statement=Gt(flipped, Rational(1, 10)),
    assumptions=(
        "F(t) is the share of pairs (unit, example) whose gate 1[w(t).x >= 0] is not that of w(0); 1/2 is unrelated",
        "t = 100, 200, 400, 800 tau",
        _RING,
    ),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            printed=Lt(flipped, Rational(1, 10)),
            note="'g(x) may be relatively constant during learning', read as fewer than one gate in ten at all times; "
            "it would follow if w grew uniformly",
        ),
    ),
)

GROWTH_STOPS = Claim(
    id="localization.relu.growth_stops",
    title="The lengths of ReLU weights grow in a first phase only, and shrink after it",
    kind=Kind.EMPIRICAL,
    statement=Lt(growth, 1),
    assumptions=("N(t) = |w(t)|/|w(100)| at t = 200, 400, 800 tau", _RING),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            printed=Gt(growth, 1),
            note="'w_1 appears to grow uniformly in size during much of its training', read as growing after t = 100; "
            "nor is it uniform, for then no gate would flip",
        ),
    ),
)

BIASES_REMOVED = Claim(
    id="localization.relu.biases_removed",
    title="ReLU networks need no biases: the two orders of the lengths differ to the same side with and without them",
    kind=Kind.EMPIRICAL,
    statement=Gt(contrast_with * contrast_without, 0),
    assumptions=(
        "D = P_low(xi1>xi2) - P_low(xi1<xi2), P_low the share of the field's power at frequencies |q| <= n/4, the mean "
        "over units; D_biases is that of networks that train hidden biases and an output bias, all from 0",
        "ring of 40 sites, gain 3, lengths 2 and 1, ten units, mean readout, three horizons: t = 200, 400, 800 tau",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="'for sigma = ReLU, one can further remove the bias terms b_1 and b_2 (though not for sigmoid)': the "
            "ReLU half, read as the contrast of the two orders; the sigmoid half is localization.sigmoid.no_biases",
        ),
    ),
)

CLAIMS = (RELU_ORDER, GATES_FLIP, GROWTH_STOPS, BIASES_REMOVED)
