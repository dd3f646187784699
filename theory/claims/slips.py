"""The slips of the documents: each is counted once, with the repair that also corrects its consequences.

A source names its slip. Where the row is wrong only through a slip elsewhere, it also gives the form after the repair,
which the checks compare with the definition as any other form.
"""

from collections.abc import Sequence
from typing import Any

import sympy

from theory.claims.documents import BUMP_NOTE, DEEP_GATED_NETWORKS, NOTES
from theory.claims.sources import Reading, Slip
from theory.expressions.symbols import K, tau

SUM_READOUT = r"the sum readout, with $K \tau$ as time constant"

READOUT = Slip(
    NOTES,
    "readout",
    root="(5)",
    title="(5) omits the factor $1/K$ that the mean readout of (3) gives the term in the weights",
    repair=r"Read (3) as a sum over the units, without its $1/K$, and keep $K \tau$ as the time constant.",
)
BUMP_READOUT = Slip(
    BUMP_NOTE,
    "readout",
    root="(4)",
    title="(4) omits the factor 1/2 that the mean readout of (1) gives the terms in the weights",
    repair=r"Read (1) as a sum, without its 1/2, and keep $2 \tau$ as the time constant.",
)
SECOND_MOMENT_OF_ONE_ERF = Slip(
    BUMP_NOTE,
    "second moment",
    root="(8)",
    title="the average of one erf through the gate in place of two, which the note itself doubts",
    repair=r"Take half of the second moment without the gate: $(1/\pi) \arcsin(\kappa^2 \rho_{kl})$ within a class, "
    r"for $x = \operatorname{erf}(g z)$, wherever the gate is.",
)

HALF_DIFFERENCE = Slip(
    NOTES,
    "half-difference",
    root="(31)",
    title=r"the solution of (30) is $w_1 - \Delta$ and is printed as $w_1$",
    repair=r"Add $\Delta$ to the right side: $w_1 = \Delta + (1/2) A_{11}^{-1} (P E 1 + b_1)$, with $E$ the printed "
    r"exponential and $\Lambda$ that of $2 A_{11}$, the matrix of (30); in (32) the last term then becomes "
    r"$-\Delta$.",
)
SECOND_MOMENTS = Slip(
    NOTES,
    "second moments",
    root="(18)",
    title="outer products of class means stand where (16) has second moments",
    repair=r"Put the second moment $\langle \tilde x \tilde x^\top \rangle$ in the place of the outer product of "
    r"the mean, for both classes: $L^\ast = m_1^\top S^{-1} m_1$ with $S = \langle \tilde x \tilde x^\top "
    r"\rangle_1 + \langle \tilde x \tilde x^\top \rangle_0$ and $m_1 = \langle \tilde x \rangle_1$.",
)
SHARED_NODES = Slip(
    DEEP_GATED_NETWORKS,
    "shared nodes",
    root="Fact 7",
    title="the proof splices base paths where they share a weight alone, not where they share a node",
    repair=r"Count base paths that share a node as well (the first Fact 7). For $d \leq C w$, all gates open, $x = x'$ "
    r"and entries of $x$ of at most 1 in size, the variance is at most "
    r"$C' d_{in}^2 \sigma^{4(d-1)} d^3 w^{2(d-2)+1}$. With $\sigma^2 = 1/w$ and $d_{in} = 1$ that is $C' d^3/w$, where "
    r"the theorem has $C \max\{d^2/w, d^3/w^2\}$.",
)

FIRST_LAYER = Slip(
    DEEP_GATED_NETWORKS,
    "first layer",
    root="Fact 2",
    title="a weight of the first layer is counted with the paths of all input nodes",
    repair=r"A weight of the first layer belongs to one input node: $w^{d-2}$ paths pass it, which is the printed "
    r"number for $d_{in} = 1$.",
)
ADJACENT_WEIGHTS = Slip(
    DEEP_GATED_NETWORKS,
    "adjacent weights",
    root="Fact 3",
    title="a further weight is taken to be independent of those that the paths already pass",
    repair=r"The share is $1/w^2$ for a weight of a middle layer both of whose nodes are free. It is $1/w$ where a "
    "weight of a neighbouring layer is fixed and meets it at a node, and 0 where the fixed weight does not meet it.",
)
DEPTH_FACTOR = Slip(
    DEEP_GATED_NETWORKS,
    "number of layers",
    root="Lemma 3.1",
    title=r"the mean of $K_0^w$ omits the factor $d$ of Theorem 2.3",
    repair=r"Write $\mathbb{E}[K_0^w] = d \sigma^{2(d-1)} (x^\top x) \odot \lambda$ in (ii).",
)
BEFORE_POOLING = Slip(
    DEEP_GATED_NETWORKS,
    "before pooling",
    root="after (7)",
    title="the mean before pooling is replaced by the mean after it",
    repair=r"Study the pooled output itself. Before pooling, only a path with itself has a mean other than 0, so that "
    "the mean depends on the positions of both inputs.",
)
DIFFERENT_INPUT_NODES = Slip(
    DEEP_GATED_NETWORKS,
    "different input nodes",
    root="(9)",
    title="the Gram matrix is summed over pairs of paths from one input node alone",
    repair=r"Sum over all pairs of input nodes, $K(s, s') = \sum_{i, j} x(i, s) x(j, s') \kappa(s, s', i, j)$: paths "
    r"that start at $i$ and at $j \neq i$ share later weights, and the proof drops them between its fourth and fifth "
    r"line. The printed form holds for $d_{in} = 1$, and for the mean over independent symmetric weights "
    "where the gates are independent of them.",
)
SLOPE_AT_THE_THRESHOLD = Slip(
    DEEP_GATED_NETWORKS,
    "slope at the threshold",
    root="section 3.1",
    title=r"the slope of $\chi_\epsilon$ at the threshold omits $\beta$ and the slopes of the pre-activations, and is "
    r"not the largest above a threshold below $(1 + \epsilon)/2$",
    repair=r"Take $\tau_S \geq \beta M \tau_A (1 + \epsilon - \tau_A)/(1 + \epsilon)$ for $\tau_A \geq (1 + "
    r"\epsilon)/2$, and $\tau_S \geq \beta M (1 + \epsilon)/4$ for a smaller $\tau_A$, where $M$ bounds the slopes "
    "of the pre-activations by the weights.",
)


def charged(slip: Slip, label: str, form: sympy.Basic) -> dict[str, Any]:
    """Return the fields of a source that prints a wrong form: its slip, and beyond the root the form once repaired.

    >>> charged(READOUT, "(5)", sympy.S.One) == {"slip": READOUT}, charged(READOUT, "(8)", sympy.S.One)["repaired"]
    (True, Reading(convention='the form after the repair of (5)', printed=1, where=True, condition=''))
    """
    if label == slip.root:
        return {"slip": slip}
    return {"slip": slip, "repaired": Reading(f"the form after the repair of {slip.root}", form)}


def under_sum_readout(
    printed: sympy.Expr,
    weights: Sequence[sympy.Symbol] = (),
    where: sympy.Basic = sympy.true,
    condition: str = "",
    units: sympy.Expr = K,
) -> Reading:
    """Return the form for weights under the sum readout, in terms of the weights of the mean readout.

    With yhat = sum_k g_k v_k.x in place of (1/K) sum_k g_k w_k.x, w = K v; the note's time constant K tau is that of
    the sum. So w is K times the form for v, with `weights`/K and K tau in place of the weights and tau.

    >>> u0, c, lam, t = sympy.symbols("u0 c lam t")
    >>> under_sum_readout(c / lam).printed
    K*c/lam
    """
    change = {weight: weight / units for weight in weights} | {tau: units * tau}
    return Reading(SUM_READOUT, units * printed.xreplace(change), where, condition)
