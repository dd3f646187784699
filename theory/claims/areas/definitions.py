"""What the two notes define: the network, its gates, the averages through them, the gated input.

Localization notes, eq. (1), (3), (4), (6), (7), (12), (17); small-bump note, eq. (1)-(3), (5), (6). A definition needs
no proof; what follows from these is stated and checked in `theory.claims.areas.gated_forms`.
"""

import sympy
from sympy import Eq, Heaviside, Sum

from theory.claims.areas.flow import BUMP_NOTE, NOTES
from theory.claims.model import Claim, Kind, Source
from theory.expressions.symbols import K, n
from theory.flow.derive import gradient
from theory.flow.derive.gradient import A, b, g, i, j, k, l, w, x

output = sympy.Symbol(r"\hat{y}", real=True)
activation = sympy.Function("sigma")
W1, W2, b1, first_row = (sympy.IndexedBase(name) for name in ("W1", "W2", "b1", "w"))
b2 = sympy.Symbol("b2", real=True)
gated_input, gate_vector = sympy.IndexedBase(r"\tilde{x}"), sympy.IndexedBase(r"\tilde{g}")
site = sympy.Symbol("i", integer=True, positive=True)
_gate = sympy.Function("g")


def _definition(name: str, title: str, statement: sympy.Basic, sources: tuple[Source, ...], *notes: str) -> Claim:
    return Claim(
        id=name, title=title, kind=Kind.DEFINITION, statement=statement, sources=sources, assumptions=tuple(notes)
    )


NETWORK = _definition(
    "model.network.definition",
    "A network with one hidden layer",
    Eq(
        output,
        Sum(W2[k] * activation(Sum(W1[k, j] * x[j], (j, 1, n)) + b1[k]), (k, 1, K)) + b2,
        evaluate=False,
    ),
    (Source(NOTES, "(1)"),),
    "x in R^n, one output, K hidden units; in the runs that are described W2 is fixed, each entry 1/K",
)

GATED = _definition(
    "model.gated.definition",
    "The gated linear network",
    Eq(output, Sum(g[k] * Sum(w[k, j] * x[j], (j, 1, n)), (k, 1, K)) / K, evaluate=False),
    (Source(NOTES, "(3)"), Source(BUMP_NOTE, "(1)", note="K = 2")),
    "g_k depends on x and not on the weights",
)

WEIGHT_ROWS = _definition(
    "model.weights.definition",
    "The rows of the first-layer weights",
    Eq(W1[k, j], first_row[k, j], evaluate=False),
    (Source(NOTES, "(4)", note="row k of W_1 is w_k^T"),),
)

INPUT_OUTPUT = _definition(
    "model.input_output.definition",
    "Sigma^yx(p_k) = <g_k y x^T>, the correlation of input and output through a gate; b_k is its transpose",
    Eq(b[k, i], gradient.INPUT_OUTPUT[1], evaluate=False),
    (Source(NOTES, "(6)"), Source(BUMP_NOTE, "(5)")),
    "written for a law of N points with probabilities p; both classes are averaged over, with their priors",
)

INPUT_INPUT = _definition(
    "model.input_input.definition",
    "Sigma^xx(p_k, p_l) = <g_k g_l x x^T>, the second moment of the input through two gates; A_kl is the same",
    Eq(A[k, i, l, j], gradient.SECOND_MOMENT[1], evaluate=False),
    (Source(NOTES, "(7)"), Source(BUMP_NOTE, "(6)")),
    "an uncentred moment; written for a law of N points with probabilities p",
)

GATED_INPUT = _definition(
    "model.gated_input.definition",
    "The gated input: x once for each unit, where its gate is open",
    Eq(gated_input[k, j], g[k] * x[j], evaluate=False),
    (Source(NOTES, "(12)"),),
    "unit after unit: component (k, j) has the place (k - 1) n + j",
)

GATE_VECTOR = _definition(
    "model.gate_vector.definition",
    "The vector of the gates",
    Eq(gate_vector[k], g[k], evaluate=False),
    (Source(NOTES, "(17)"),),
    "g_k(x) is 0 or 1",
)

SMALL_BUMP_GATES = _definition(
    "model.small_bump_gate.definition",
    "The two gates of the small-bump network: half-spaces of one site, both closed",
    sympy.Tuple(
        Eq(_gate(1), Heaviside(x[site], 1), evaluate=False), Eq(_gate(2), Heaviside(-x[site], 1), evaluate=False)
    ),
    (Source(BUMP_NOTE, "(2)"), Source(BUMP_NOTE, "(3)")),
    "on {x_i = 0} both gates are 1 (gate.small_bump.complement)",
)

CLAIMS = (
    NETWORK,
    GATED,
    WEIGHT_ROWS,
    INPUT_OUTPUT,
    INPUT_INPUT,
    GATED_INPUT,
    GATE_VECTOR,
    SMALL_BUMP_GATES,
)
