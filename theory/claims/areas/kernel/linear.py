"""Deep linear networks as gated ones with all gates open: deep gated networks, section 8."""

from fractions import Fraction

import sympy
from sympy import Eq, Interval, S

from theory.claims.areas.kernel import _networks, _signs
from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V, d, layers, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source
from theory.kernels import alike
from theory.kernels import mean as library_mean

_SIGNS = r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each"


def _mean(at: dict[str, Fraction]) -> Fraction:
    open_ = (1,) * int(at["w"])
    return _signs.coefficients(int(at["d"]), open_, open_)[0][0] * at["V"] ** (int(at["d"]) - 1)


MEAN = Claim(
    id="kernel.linear.mean",
    title="The mean of the tangent kernel of a deep linear network with one input",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0]", real=True), d * (w * V) ** (d - 1), evaluate=False),
    params=(nodes(1, 3), layers(1, 3), VARIANCE),
    assumptions=(_SIGNS, "$x = 1$, one output, all gates open"),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=d * (w * V) ** (d - 1),
            note=r"$V = \sigma^2$; for $x = 1$ and under Assumption 1, on the weights, where the corollary names "
            "Assumption 2, on the gates; another input multiplies it by $x^2$",
        )
        for label in ("Corollary 8.1", "(16)")
    ),
    **rational_by_name(_mean),
    numeric=lambda w, d, V: float(library_mean(alike(w, d))) * V ** (d - 1),
    unchecked={Level.SYMBOLIC: BY_COUNTING},
)

a, b, c, e, p, q, u, v = sympy.symbols("a b c e p q u v", real=True)


def _by_layers(at: dict[str, Fraction]) -> Fraction:
    """The output node by node: an input of two entries is a first layer behind one node."""
    weights = [[[at["u"]], [at["v"]]], [[at["a"], at["b"]], [at["c"], at["e"]]], [[at["p"], at["q"]]]]
    return Fraction(_networks.output(1, weights, [[1, 1], [1, 1]]))


def _numbers() -> tuple[Param, ...]:
    names = {
        a: "first entry of the first row of the first layer",
        b: "second entry of its first row",
        c: "first entry of its second row",
        e: "second entry of its second row",
        p: "first entry of the second layer",
        q: "second entry of the second layer",
        u: "first entry of $x$",
        v: "second entry of $x$",
    }
    return tuple(Param(symbol, S.Reals, doc, (), Interval(-3, 3)) for symbol, doc in names.items())


_ETA = u * (p * a + q * c) + v * (p * b + q * e)
OUTPUT = Claim(
    id="kernel.linear.output",
    title="A deep linear network is linear in its input, with a sum over paths as the weight of each entry",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\hat y", real=True), _ETA, evaluate=False),
    params=_numbers(),
    assumptions=("two layers of weights, two input nodes, two hidden nodes, one output, all gates open",),
    sources=tuple(
        Source(DEEP_GATED_NETWORKS, label, printed=_ETA, note=note)
        for label, note in (
            (
                "(13)",
                r"$\eta(1) = p a + q c$ and $\eta(2) = p b + q e$ are the sums over the paths from each input node",
            ),
            ("(14)", r"the product of $\Phi_{x,1}$ with the strengths of the four paths"),
            ("(15)", r"$x^\top \eta$"),
        )
    ),
    **rational_by_name(_by_layers),
    drawn=8,
    unchecked={
        Level.SYMBOLIC: BY_COUNTING,
        Level.FLOATING: "the library has moments of kernels and evaluates no network",
    },
)

CLAIMS = (MEAN, OUTPUT)
