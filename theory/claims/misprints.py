"""The printing slips of the documents: what is printed, and how a reader of the document reads it.

They make no statement false, so that a row with one is judged by the form that is read. A slip that changes a statement
stands in `theory/claims/slips.py`. A misprint that no row names is listed all the same.
"""

from collections.abc import Iterable

from theory.claims.documents import DEEP_GATED_NETWORKS, HALF_SPACES, NEURAL_PATH_KERNEL, NOTES
from theory.claims.sources import Misprint

EXPONENTIAL_AT_REST = Misprint(
    NOTES,
    "(26)",
    r"$w_1(\infty)$ with the exponential of $w_1(t)$ in it",
    "without the exponential, as the next sentence has it",
)

_SECOND_SUM = (
    r"$\sum_{i_1 = 1}^m \sum_{i_1 = 2}^m$",
    r"$\sum_{i_1 = 1}^m \sum_{i_2 = 1}^m$; the summand has the index $i_2$",
)
SECOND_INDEX = {label: Misprint(HALF_SPACES, label, *_SECOND_SUM) for label in ("(8)", "(11)", "Lemma 3", "Lemma 4")}

LAYERS_OF_THE_MEAN = Misprint(
    DEEP_GATED_NETWORKS,
    "(10)",
    "a product over the layers $l = 1, \\ldots, d - 1$ but the marked one",
    "over $l = 1, \\ldots, d$ but the marked one, as in the proof of Lemma 7.2",
)
LAYERS_OF_GATES = Misprint(
    DEEP_GATED_NETWORKS,
    "Definition 7.3",
    r"$\prod_{l=1}^d G(s, p(l), l)$",
    r"$\prod_{l=1}^{d-1}$: the output has no gate, and section 1 ends the product at $d - 1$",
)
DISTINCT_INPUTS = Misprint(
    DEEP_GATED_NETWORKS,
    "Lemma 2.4",
    r"$\forall s, s' \in [n]$, for (ii) as well",
    "for $s \\neq s'$ in (ii): part (i) is the case $s = s'$",
)
OTHER_INPUTS = Misprint(
    DEEP_GATED_NETWORKS,
    "section 2",
    r"$\eta$ as a maximum over all $s'$ and the layers $l \in [d]$",
    "over $s' \\neq s$ and $l \\in [d - 1]$: for $s' = s$ the ratio is 1, and layer $d$ has no gates",
)
FIRST_PLOT = Misprint(
    DEEP_GATED_NETWORKS, "section 2", "the ideal e.c.d.f. is the middle plot of Figure 1", "the left plot"
)
SOFT_GATES = Misprint(
    DEEP_GATED_NETWORKS,
    "Table 3",
    r"$G \in (0, 1)$ for soft gates",
    r"$G \in (0, 1 + \varepsilon)$, by Table 2 and item 3 below the table",
)
GATED_LEVELS = Misprint(
    DEEP_GATED_NETWORKS,
    "section 1",
    r"$\lambda_0(s, s')/\lambda_0(s, s) \leq \mu^d$",
    r"$\mu^{d-1}$, as (5) has it: the $d - 1$ hidden levels have gates",
)
_LAYERS = (
    r"products over $l = 1, \ldots, d - 1$ but $l'(m')$, beside the two single factors",
    r"over $l = 1, \ldots, d$ but both marked layers, with the single factors where these differ, as in the first form "
    "of (11) and in Fact 1",
)
LAYERS_OF_PRODUCTS = {label: Misprint(DEEP_GATED_NETWORKS, label, *_LAYERS) for label in ("(11)", "(12)")}
OUTPUT_LAYER = Misprint(
    HALF_SPACES,
    "section 3.1",
    "$m^L$ paths, $2^{mL}$ bit patterns, $L$ and $mL$ faces",
    r"$L - 1$ for $L$: section 2 has $L - 1$ hidden layers and $m^{L-1}$ paths, and $b \in \{0, 1\}^{(L-1)m}$",
)
SIGNS_OF_WEIGHTS = Misprint(
    DEEP_GATED_NETWORKS, "Corollary 8.1", "under Assumption 2", "under Assumption 1: all gates are open"
)
SQUARE_OF_THE_MEAN = Misprint(
    DEEP_GATED_NETWORKS,
    "Fact 8",
    r"extra terms of (12) beside $\mathbb{E}[K_0(s, s')^2]$",
    r"beside $\mathbb{E}[K_0(s, s')]^2$, which is (11); the second Fact 7 has the same",
)

MIDDLE_LAYERS = Misprint(
    DEEP_GATED_NETWORKS,
    "Case 2",
    "weights “in the first and the last layer”, and $w^{2(d-3)}$ in the product, in Cases 5 and 8 too",
    "the $w^2 (d - 2)$ weights of the middle layers, and $w^2 w^{2(d-3)} = w^{2(d-2)}$",
)

SWITCHES = Misprint(
    NEURAL_PATH_KERNEL,
    "section 3.1",
    "the features change when any one of the gates switches",
    "when a switch changes a feature, as Definition 3.3 asks; a gate may lie on no active path",
)
SECOND_ACTIVITY = Misprint(
    NEURAL_PATH_KERNEL,
    "Definition 2.2",
    r"$\{p : A_\Theta(x_s, p) = 1, A_\Theta(x_{s'}, p), p \in [P]\}$",
    r"$A_\Theta(x_{s'}, p) = 1$",
)

MISPRINTS = (
    EXPONENTIAL_AT_REST,
    OTHER_INPUTS,
    DISTINCT_INPUTS,
    FIRST_PLOT,
    SOFT_GATES,
    Misprint(
        DEEP_GATED_NETWORKS, "section 3", r"$K^w_t = \Psi^w_t \Psi^w_t$", r"$\Psi^{w \top}_t \Psi^w_t$, and alike"
    ),
    Misprint(
        DEEP_GATED_NETWORKS,
        "section 4",
        r"$x_s(L) \in \mathbb{R}^w$, and the strength $\theta^1(1)\, \theta^1(2)\, \theta^1(3)/d_{in}$",
        r"$x_s(L) \in \mathbb{R}^{d_{in}}$, and one weight of each layer",
    ),
    LAYERS_OF_GATES,
    LAYERS_OF_THE_MEAN,
    *LAYERS_OF_PRODUCTS.values(),
    GATED_LEVELS,
    SQUARE_OF_THE_MEAN,
    MIDDLE_LAYERS,
    Misprint(
        DEEP_GATED_NETWORKS,
        "Theorem 7.3",
        "$d^3$ in the second sum of cases, and $d^2$ in the third",
        "$d^2$ in the sum with Case 3, and $d^3$ in that with Case 2, as in the bound that follows",
    ),
    SIGNS_OF_WEIGHTS,
    Misprint(
        NEURAL_PATH_KERNEL,
        "section 1",
        r"$\Theta(1) \in \mathbb{R}^{w \times d_{in}}$",
        r"$\mathbb{R}^{d_{in} \times w}$, so that $q = \Theta(1)^\top x$; $\hat y = \Theta(d)^\top z$ in Figure 2",
    ),
    Misprint(
        NEURAL_PATH_KERNEL,
        "section 2.1",
        r"$\mathcal{I}_l : [P] \to [w]$ for $l = 0, \ldots, d - 1$",
        r"$\mathcal{I}_0 : [P] \to [d_{in}]$",
    ),
    SECOND_ACTIVITY,
    SWITCHES,
    *SECOND_INDEX.values(),
    OUTPUT_LAYER,
    Misprint(
        HALF_SPACES,
        "Theorem 1",
        "in the proof, and in that of Theorem 2, the last weight before the sum over $i_{L-1}$ in one line",
        "inside the sum, as in the lines around it",
    ),
)


def misprints_of(documents: Iterable[str]) -> tuple[Misprint, ...]:
    """Return the printing slips of these documents, in their order.

    >>> [misprint.label for misprint in misprints_of([NOTES])]
    ['(26)']
    """
    wanted = set(documents)
    return tuple(misprint for misprint in MISPRINTS if misprint.document in wanted)
