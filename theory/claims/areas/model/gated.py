"""The gated linear network in its equal forms. Localization notes, (3), (4), (12), (17); small-bump note, (1)."""

import sympy
from sympy import Eq, FiniteSet, Integer, Sum

from theory.claims import reasons
from theory.claims.areas.model._definition import definition, output
from theory.claims.areas.model.relu import INPUTS, WEIGHTS, w11, w12, w21, w22, x1, x2
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.finite_data import Number
from theory.claims.gradient_flow import g, j, k, w, x
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.expressions.symbols import K, n
from theory.proof.derivation import Derivation, Step

GATED = definition(
    "model.gated.definition",
    "The gated linear network",
    Eq(output, Sum(g[k] * Sum(w[k, j] * x[j], (j, 1, n)), (k, 1, K)) / K, evaluate=False),
    (Source(NOTES, "(3)"), Source(BUMP_NOTE, "(1)", note="$K = 2$")),
    "$g_k$ depends on $x$ and not on the weights",
)

g1, g2 = sympy.symbols("g1 g2", real=True)


def _gated_output(at: dict[str, Number]) -> Number:
    """Unit by unit: an open gate adds w_k.x, a closed one nothing; half the sum."""
    total = at["x1"] * 0
    for gate, row in ((at["g1"], ("w11", "w12")), (at["g2"], ("w21", "w22"))):
        if gate:
            total += at[row[0]] * at["x1"] + at[row[1]] * at["x2"]
    return total / 2


_BY_ROWS = ((g1 * w11 + g2 * w21) * x1 + (g1 * w12 + g2 * w22) * x2) / 2
_BY_GATED_INPUT = (w11 * (g1 * x1) + w12 * (g1 * x2) + w21 * (g2 * x1) + w22 * (g2 * x2)) / 2
_BY_BILINEAR_FORM = (g1 * (w11 * x1 + w12 * x2) + g2 * (w21 * x1 + w22 * x2)) / 2


def _derive_forms() -> Derivation:
    result = Eq(output, _BY_GATED_INPUT, evaluate=False)
    steps = (
        Step(Eq(output, _BY_ROWS, evaluate=False), "(3) for two units and two inputs", "definition"),
        Step(Eq(output, _BY_BILINEAR_FORM, evaluate=False), r"unit by unit: $\tilde g^\top W_1 x/K$", "identity"),
        Step(result, r"$w \cdot \tilde x/K$ with $\tilde x = \tilde g \otimes x$, the Kronecker product", "identity"),
    )
    return Derivation("model.gated.forms", result, steps)


_GATE = FiniteSet(Integer(0), Integer(1))

FORMS = Claim(
    id="model.gated.forms",
    title="The gated network as a linear function of the gated input",
    protocol=r"The gated network is linear in the gated input: $\hat y = w \cdot \tilde x/K = \tilde g^\top W_1 x/K$ "
    r"with $\tilde x = \tilde g \otimes x$",
    kind=Kind.EQUIVALENCE,
    statement=Eq(output, _BY_GATED_INPUT, evaluate=False),
    params=(
        Param(g1, _GATE, "gate of unit 1", (Integer(1),)),
        Param(g2, _GATE, "gate of unit 2", (Integer(1),)),
        *WEIGHTS,
        *INPUTS,
    ),
    assumptions=("two units, two inputs",),
    sources=(
        Source(
            NOTES,
            "(12)",
            note=r"$\hat y = w \cdot \tilde x/K$, by which $w/K$ regresses $y$ on $\tilde x$",
            says=Says.UNSTATED,
        ),
        Source(NOTES, "(17)", note="the output, where (17) is used for the objective (16)", says=Says.UNSTATED),
    ),
    **rational_by_name(_gated_output),
    derive=_derive_forms,
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)

CLAIMS = (GATED, FORMS)
