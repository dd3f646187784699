"""Networks trained on laws of listed examples, which theory sums and the simulator draws."""

import sympy
from sympy import Lt, Rational

from theory.claims.model import Claim, Kind

MARGIN = Rational(1, 100)  # of the largest weight

TRAINED = Claim(
    id="law.examples.trained",
    title="Networks trained on pairs, on examples of second moments and on images",
    protocol="Networks trained on pairs, on examples made from second moments and on images follow gradient descent on "
    "the sums over all examples",
    kind=Kind.EMPIRICAL,
    statement=Lt(sympy.Symbol("D", nonnegative=True), MARGIN),
    assumptions=(
        "gated linear networks of two half-spaces, half-mse, fresh batches of 1000 examples, $t = 1$ and 8",
        r"$D$ is the largest deviation of a mean weight, with its interval, in units of the largest predicted weight; "
        "intervals hold for all weights together, and the prediction must not be rejected, at the level of 1 % for all "
        "four laws together",
        "the laws: `finite` with six pairs; `table` with the examples of two contexts made from given second moments; "
        "`mnist` and `fashion-mnist` on files of their format that hold 60 small images made by a formula, 16 blocks "
        "of pixels each: reading, drawing and summing are judged, not the data sets",
        "controls: the same weights beside other labels of the pairs, exchanged weights of the contexts, and other "
        "categories of the images",
    ),
)

CLAIMS = (TRAINED,)
