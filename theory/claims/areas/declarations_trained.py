"""What the localization notes say that trained networks do, beyond the order of the lengths (sections 1 and 2.1).

A sentence such as "relatively constant" names no number; each is read as a bound that was fixed before the run, and the
claim is what the experiment can establish about that bound.
"""

import sympy
from sympy import Ge, Gt, Lt, Rational

from theory.claims.areas.flow import NOTES
from theory.claims.model import Claim, Kind, Level, Source

flipped = sympy.Symbol("F", real=True)
growth = sympy.Symbol("N", real=True)
contrast_with = sympy.Symbol("D_biases", real=True)
contrast_without = sympy.Symbol("D", real=True)
same_order = sympy.Symbol("P_low^sigmoid(xi1>xi2) - P_low^erf(xi1>xi2)", real=True)

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

SIGMOID_LIKE_ERF = Claim(
    id="localization.sigmoid.like_erf",
    title="Sigmoid networks localize as erf networks do",
    kind=Kind.EMPIRICAL,
    statement=Ge(same_order, 0),
    assumptions=("P_low is the share of the field's power at frequencies |q| <= n/4, the mean over units",),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="'the results are qualitatively identical': which, and from which biases and rates, is not said",
        ),
    ),
    settled_by=(
        "The notes' configuration of these runs: how b_1 and b_2 start, their learning rates, the readout, the order "
        "of the lengths, and which statistic counts as qualitatively identical. Without biases a sigmoid network "
        "learns nothing (localization.sigmoid.no_biases); with them the outcome depends on what is not given."
    ),
    unchecked={Level.NEGATIVE_CONTROL: "no rule decides the sentence as it stands, so none can be tried on a fault"},
)

CLAIMS = (GATES_FLIP, GROWTH_STOPS, BIASES_REMOVED, SIGMOID_LIKE_ERF)
