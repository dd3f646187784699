"""Definitions of the networks of the three papers: layers, gates, tangent features, gated networks, regions."""

import sympy
from sympy import Eq, Function, Piecewise, Product, Sum, Symbol

from theory.claims.documents import DEEP_GATED_NETWORKS, HALF_SPACES, NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind
from theory.claims.sources import Source

x, s, t, i, j, p, n, v, pi = (Symbol(name) for name in ("x", "s", "t", "i", "j", "p", "n", "v", "pi"))
epsilon, tau_A, tau_S = (Symbol(name) for name in ("epsilon", "tau_A", "tau_S"))
level = Symbol("l", integer=True)
w, N, P, L, m, count = sympy.symbols("w N P L m n", integer=True, positive=True)
Theta, G, z, q, y, e = (Function(name) for name in ("Theta", "G", "z", "q", "y", "e"))
chi = Function("chi_epsilon")
y_hat, slope = Function(r"\hat{y}"), Function(r"\partial \hat{y}")


def _definition(name: str, title: str, statement: sympy.Basic, sources: tuple[Source, ...], *notes: str) -> Claim:
    return Claim(f"path.setting.{name}", title, Kind.DEFINITION, statement, sources=sources, assumptions=notes)


def _one_if(condition: sympy.Basic) -> sympy.Expr:
    return Piecewise((1, condition), (0, True))


LAYER = _definition(
    "layer",
    "A node of a gated network has its gate times its pre-activation as value",
    Eq(z(level, i), G(x, level, i) * Sum(Theta(level, j, i) * z(level - 1, j), (j, 1, w)), evaluate=False),
    (
        Source(DEEP_GATED_NETWORKS, "Table 1"),
        Source(DEEP_GATED_NETWORKS, "Table 5", note="the same with all inputs in one array"),
        Source(
            NEURAL_PATH_KERNEL,
            "Table 1",
            note="with ReLU gates; the copy has only the caption of the table",
        ),
        Source(
            NEURAL_PATH_KERNEL,
            "Figure 2",
            note=r"$q = \Theta^\top z$ and $z = q \odot G$; the first layer then has $d_{in}$ rows and $w$ columns",
        ),
        Source(HALF_SPACES, "(6)", note="linear gating"),
        Source(HALF_SPACES, "(9)", note="a ReLU network"),
        Source(
            HALF_SPACES,
            "Table 1",
            note="ReLU networks, linear gating with linear and constant experts, and all gates open; the accuracies of "
            "the table are results of training",
        ),
    ),
    "$z(0) = x$; the output is a sum over the nodes of the last hidden level and has no gate",
)
RELU_GATE = _definition(
    "relu_gate",
    "A ReLU gate is open where its pre-activation is positive",
    Eq(G(x, level, i), _one_if(q(level, i) > 0), evaluate=False),
    (
        Source(NEURAL_PATH_KERNEL, "section 1", note="so that the ReLU is $q$ times its gate"),
        Source(DEEP_GATED_NETWORKS, "section 1", note="the standard network as a gated one"),
        Source(DEEP_GATED_NETWORKS, "Table 2", note=r"the case $\beta = \infty$"),
    ),
)
ERROR = _definition(
    "error",
    "The error is the output less the label",
    Eq(e(s), y_hat(s) - y(s), evaluate=False),
    (
        Source(NEURAL_PATH_KERNEL, "section 1", note="the loss is half the sum of its squares"),
        Source(DEEP_GATED_NETWORKS, "section 1", note="the loss is the sum of its squares, without 1/2"),
    ),
)
TANGENT = _definition(
    "tangent_kernel",
    "The tangent kernel has the inner products of the gradients of the outputs",
    Eq(Function("K")(s, t), Sum(slope(s, n) * slope(t, n), (n, 1, N)), evaluate=False),
    (
        Source(NEURAL_PATH_KERNEL, "section 1.1", note="the gradient is the neural tangent feature"),
        Source(DEEP_GATED_NETWORKS, "section 1", note=r"$K_t = \Psi_t^\top \Psi_t$"),
    ),
    r"$\partial \hat y(s, n)$ is the derivative of the output for $s$ by the weight with the number $n$",
)
TWO_NETWORKS = _definition(
    "two_networks",
    "A deep gated network has the path features of one network and the path values of another",
    Eq(
        y_hat(x),
        Sum(Function("phi")(x, p, Symbol("Theta^F")) * Function("v")(p, Symbol("Theta^V")), (p, 1, P)),
        evaluate=False,
    ),
    (
        Source(NEURAL_PATH_KERNEL, "Figure 2"),
        Source(
            NEURAL_PATH_KERNEL,
            "section 4",
            note=r"FNPF: $\Theta^F$ stays fixed; DNPFL: both are trained",
        ),
        Source(DEEP_GATED_NETWORKS, "Table 2", note=r"$\Theta^g$ and $\Theta^w$"),
        Source(
            DEEP_GATED_NETWORKS,
            "Table 3",
            note=r"ReLU and soft-ReLU: one set of weights for both; GaLU and soft-GaLU: two, and frozen gates are not "
            "trained",
        ),
    ),
)
SOFT_GATE = _definition(
    "soft_gate",
    "A soft gate falls from its largest value to 0 as a logistic function",
    Eq(chi(v), (1 + epsilon) / (1 + sympy.exp(v)), evaluate=False),
    (Source(DEEP_GATED_NETWORKS, "Table 2"),),
    r"the gate is $\chi_\epsilon(-\beta q)$ with $\epsilon \geq 0$ and $\beta > 0$",
)
ACTIVE_GATES = _definition(
    "active_gates",
    "A gate is active on an input where its value is above a threshold",
    Eq(Function("1_A")(x, level, i), _one_if(G(x, level, i) > tau_A), evaluate=False),
    (Source(DEEP_GATED_NETWORKS, "section 3.1", note=r"$\mathcal{G}^A(x, \tau_A)$ has these gates"),),
)
SENSITIVE_GATES = _definition(
    "sensitive_gates",
    "A gate is sensitive on an input where a slope of it by a weight is above a threshold",
    Eq(
        Function("1_S")(x, level, i),
        _one_if(Function("M")(x, level, i) > tau_S),
        evaluate=False,
    ),
    (Source(DEEP_GATED_NETWORKS, "section 3.1", note=r"$\mathcal{G}^S(x, \tau_S)$ has these gates"),),
    r"$M(x, l, i)$ is the largest $|\partial_\theta G(x, l, i)|$ over the weights $\theta$ of the gating network",
)
LABELLED = _definition(
    "alignment",
    "The alignment of a kernel with the labels",
    Eq(
        Symbol("nu"),
        Sum(y(s) * Function("K^{-1}")(s, t) * y(t), (s, 1, count), (t, 1, count)),
        evaluate=False,
    ),
    (
        Source(DEEP_GATED_NETWORKS, "section 1", note="with the tangent kernel"),
        Source(DEEP_GATED_NETWORKS, "section 3", note="with the Gram matrix of the features, divided by its trace"),
        Source(NEURAL_PATH_KERNEL, "section 6", note="with the path kernel, divided by its trace"),
    ),
)
INFORMATION = _definition(
    "information",
    "The information in the gates is the performance of a network that is trained with these gates kept",
    Eq(Function("I")(Symbol("Theta")), Function("R")(Symbol("Theta")), evaluate=False),
    (Source(NEURAL_PATH_KERNEL, "Definition 5.1"),),
    r"$R(\Theta)$ is the performance on new examples of a gated network of the same architecture whose gates are those "
    r"of $\Theta$ and are not trained, and whose path values are trained",
)
ACTIVE_PATHS = _definition(
    "active_paths",
    "Active paths and their regions",
    Eq(Function("1_{A(x)}")(pi), Function("f")(pi, x), evaluate=False),
    (Source(HALF_SPACES, "section 3.1", note=r"$\pi \in A(x)$ and $x \in A_\pi$ are the same"),),
)
PATTERN = _definition(
    "pattern",
    "The region of a bit pattern: the inputs that open its gates alone",
    Eq(
        Function("1_{A_b}")(x),
        Product(
            Function("G")(x, level, i) ** Function("b")(level, i)
            * (1 - Function("G")(x, level, i)) ** (1 - Function("b")(level, i)),
            (level, 1, L - 1),
            (i, 1, m),
        ),
        evaluate=False,
    ),
    (Source(HALF_SPACES, "section 3.1", note="$A_b$ for the bits $b$, one for each of $m (L - 1)$ nodes"),),
)

CLAIMS = (
    LAYER,
    RELU_GATE,
    ERROR,
    TANGENT,
    TWO_NETWORKS,
    SOFT_GATE,
    ACTIVE_GATES,
    SENSITIVE_GATES,
    LABELLED,
    INFORMATION,
    ACTIVE_PATHS,
    PATTERN,
)
