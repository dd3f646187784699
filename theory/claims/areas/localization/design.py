"""Statements of the localization notes on trained ReLU networks, by the share of configurations in which they hold.

The notes' sentences come from runs whose settings they do not give. `derivations/experiments/relu_design` draws
configurations from stated sets; a claim is what it establishes about the share of them.
"""

import sympy
from sympy import Gt, Rational

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind
from theory.claims.sources import Says, Source

_HALF = Rational(1, 2)
_DESIGN = (
    "48 of the 144 configurations of: ring of 40 sites, lengths (2, 1), (3, 1), (3, 2) or (3.5, 2), gain 1, 3 or 10, "
    "K = 4, 10 or 20 units without biases, mean readout, entries of w(0) of standard deviation 1/100 or 1/10, "
    "learning rate K^2/100 or K^2/50, batches of 500; eight networks each"
)
_SHARE = "the share counts configurations whose 99 % interval over networks decides so, the mean over units"
_ORDERS = "while for ReLU we get localization if xi_1 > xi_2 and short-range oscillations otherwise"


def _share(name: str) -> sympy.Symbol:
    return sympy.Symbol(f"P_{name}", nonnegative=True)


CONCENTRATED = Claim(
    id="localization.design.concentrated",
    title="With xi1 > xi2 the fields of ReLU units end more concentrated than Gaussian noise in most configurations",
    kind=Kind.EMPIRICAL,
    statement=Gt(_share("concentrated"), _HALF),
    assumptions=(
        _DESIGN,
        "concentrated: the inverse participation ratio exceeds 3/(n + 2), that of Gaussian noise, at t = 16 K^2 tau",
        _SHARE,
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="the notes do not say how localization was measured, nor for which settings",
            says=Says.READ_AS,
            words=_ORDERS,
        ),
    ),
)

OSCILLATING = Claim(
    id="localization.design.oscillating",
    title="With xi1 < xi2 the fields of ReLU units end with most of their power at short range in most configurations",
    kind=Kind.EMPIRICAL,
    statement=Gt(_share("oscillating"), _HALF),
    assumptions=(
        _DESIGN,
        "at short range: under half of the power at frequencies |q| <= n/4 at t = 16 K^2 tau; white noise has 21/40",
        _SHARE,
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="the fields pass through a phase of long range first, and where the shorter length is 2 they are "
            "still in it at t = 16 K^2 tau",
            says=Says.READ_AS,
            words=_ORDERS,
        ),
    ),
    settled_by="Longer training. By t = 16 K^2 tau it holds in most configurations with lengths (2, 1) and (3, 1) and "
    "in none with (3, 2) and (3.5, 2), where the low-frequency share is still falling; 64 K^2 tau would tell.",
)

GATES = Claim(
    id="localization.design.gates",
    title="More than a tenth of the gates of ReLU units differ from those of the start in most configurations",
    kind=Kind.EMPIRICAL,
    statement=Gt(_share("flipped"), _HALF),
    assumptions=(
        _DESIGN,
        "of pairs (unit, example), at t = 4, 8 and 16 K^2 tau, with the lengths in either order; unrelated gates: 1/2",
        _SHARE,
    ),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            note="the notes say that g may be relatively constant and name no number; most flips come early",
            says=Says.UNSTATED,
        ),
    ),
)

GROWTH = Claim(
    id="localization.design.growth",
    title="With xi1 < xi2 the weights of ReLU units keep growing in most configurations",
    kind=Kind.EMPIRICAL,
    statement=Gt(_share("grown"), _HALF),
    assumptions=(_DESIGN, "|w_k| at t = 4, 8 and 16 K^2 tau exceeds that at t = K^2 tau", _SHARE),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            note="with xi1 > xi2 the same rule does not pass: there most lengths change little after t = K^2 tau; the "
            "sentence speaks of earlier experiments whose settings are not given",
            says=Says.READ_AS,
            words="w_1 appears to grow uniformly in size during much of its training",
        ),
    ),
)

CLAIMS = (CONCENTRATED, OSCILLATING, GATES, GROWTH)
