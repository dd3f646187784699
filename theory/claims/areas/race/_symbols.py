"""Symbols, parameters and sentences that the claims on the race share."""

import sympy
from sympy import Integer, Interval, Range, Rational, oo

from theory.claims.model import Param
from theory.expressions.symbols import K

M = sympy.Symbol("M", integer=True, positive=True)
s = sympy.Symbol("s", positive=True)
P = sympy.Symbol("P", positive=True)
b1, b2 = sympy.symbols("b1 b2", positive=True)
b10, b20 = sympy.symbols("b10 b20", positive=True)
lam = sympy.Symbol("lambda", real=True)

DOMAINS = Param(M, Range(1, 4), "number of input domains, and of output domains", (Integer(1), Integer(3)))
PARTNERS = Param(K, Range(1, 4), "outputs that each input is trained with")
NO_MORE_PARTNERS = K <= M
DRAWN = K * M * P <= 1  # the trained pairs together
STRENGTH = Param(s, Interval.open(0, oo), "strength of the mode in the targets", likely=Interval(Rational(1, 2), 3))
PROBABILITY = Param(
    P,
    Interval.open(0, 1),
    r"probability of each trained pair: $1/M^2$ where all pairs are drawn, $1/(M K)$ where only trained ones are",
    likely=Interval(Rational(1, 32), Rational(1, 2)),
)
ENDS = Param(b1, Interval.open(0, oo), "strength of the encoders and decoders", likely=Interval(Rational(1, 4), 2))
SHARED = Param(b2, Interval.open(0, oo), "strength of the shared weights", likely=Interval(Rational(1, 4), 2))
START_OF_ENDS = Param(
    b10,
    Interval.open(0, oo),
    "strength of the encoders and decoders at $t = 0$",
    likely=Interval(Rational(1, 8), 1),
)
START_OF_SHARED = Param(
    b20, Interval.open(0, oo), "strength of the shared weights at $t = 0$", likely=Interval(Rational(1, 8), 1)
)
ROUTING = (
    r"$M$ encoders, one shared weight and $M$ decoders; the pair of input $i$ and output $o$ passes encoder $i$, the "
    r"shared weight and decoder $o$; each input is trained with $K$ outputs and each output with $K$ inputs"
)
ALIGNED = "all encoders and decoders start with the same strength"
WHITE = (
    r"in each trained pair $\langle x x^\top \rangle = I$ and $\langle y x^\top \rangle$ has the singular value $s$; "
    r"$L = \langle \lvert y - \hat y \rvert^2 \rangle/2$"
)
