"""The inverse participation ratio of a trained neuron at two gains.

Localization notes, section 1.
"""

import sympy
from sympy import Rational

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind
from theory.claims.sources import Says, Source

low_gain = sympy.Symbol("R(g=1/10)", real=True)
high_gain = sympy.Symbol("R(g=10)", real=True)

NEURON = Claim(
    id="localization.gain.neuron",
    title="Effective number of sites of one ReLU neuron at two gains",
    protocol=r"One ReLU neuron, nonlinear Gaussian process on a ring of 40, $\xi_1 = 0.7 > \xi_2 = 0.3$, $t = 100$: "
    "the effective number of sites $1/R$ is above 10 at gain 1/10 and below 2 at gain 10",
    kind=Kind.EMPIRICAL,
    statement=sympy.And(low_gain < Rational(1, 10), high_gain > Rational(1, 2)),
    assumptions=(
        r"$R$ is the inverse participation ratio $\sum w^4/(\sum w^2)^2$: $1/m$ for equal weights on $m$ sites; in "
        "the mean 1/14 for independent Gaussian weights",
        r"the public experiment: ring of 40 sites, lengths $\xi_1 = 0.7$ ($y = 1$) and $\xi_2 = 0.3$ ($y = 0$), one "
        "ReLU neuron without bias, squared error without 1/2, learning rate 0.1, $w(0)$ of standard deviation "
        "0.007; fresh batches of 1000",
        "judged by 99 % intervals for both gains together, one value a network",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="in this configuration and at these two gains; the page on the sweep of the gain measures ten; the "
            "second half, of the single pulse, is not judged: the law has no gain",
            says=Says.READ_AS,
            words="The former also has a gain parameter that controls the degree of localization, while the latter "
            "does not",
        ),
    ),
)

CLAIMS = (NEURON,)
