"""Definitions of the path view: activity, feature, value, their gradients, overlap, and mixtures of experts."""

import sympy
from sympy import Eq, Function, Product, Sum, Symbol

from theory.claims.documents import DEEP_GATED_NETWORKS, HALF_SPACES, NEURAL_PATH_KERNEL
from theory.claims.indicator import is_open
from theory.claims.misprints import LAYERS_OF_GATES, SECOND_ACTIVITY
from theory.claims.model import Claim, Kind
from theory.claims.sources import Source

p, x, s, t, n = (Symbol(name) for name in ("p", "x", "s", "t", "n"))
other = Symbol("x'")
d, d_in, P, N, L = sympy.symbols("d d_in P N L", integer=True, positive=True)
level = Symbol("l", integer=True)
A, G, Theta, v = Function("A"), Function("G"), Function("Theta"), Function("v")
node = Function("I")
pi = Symbol("pi")
f, g, q = Function("f"), Function("g"), Function("q")


def _definition(name: str, title: str, statement: sympy.Basic, sources: tuple[Source, ...], *notes: str) -> Claim:
    return Claim(f"path.feature.{name}", title, Kind.DEFINITION, statement, sources=sources, assumptions=notes)


ACTIVITY = _definition(
    "activity",
    "The activity of a path is the product of its gates",
    Eq(A(x, p), Product(G(x, level, node(level, p)), (level, 1, d - 1)), evaluate=False),
    (
        Source(
            NEURAL_PATH_KERNEL, "Definition 2.1", note=r"$I_l$ has the values $1, \ldots, w$; $I_0$ those to $d_{in}$"
        ),
        Source(DEEP_GATED_NETWORKS, "section 1", note="the activation level"),
        Source(
            DEEP_GATED_NETWORKS,
            "Definition 7.3",
            misprint=LAYERS_OF_GATES,
        ),
    ),
    "$I_l(p)$ is the node of the path $p$ in level $l$, and $I_0(p)$ its input node",
)
PATH = _definition(
    "path",
    "A path is an input node and a node of each hidden level",
    Eq(p, sympy.Tuple(node(0, p), node(1, p), Symbol(r"\ldots"), node(d - 1, p)), evaluate=False),
    (
        Source(DEEP_GATED_NETWORKS, "Definition 7.1"),
        Source(DEEP_GATED_NETWORKS, "section 1", note="with the output as last entry, the same for all paths"),
        Source(NEURAL_PATH_KERNEL, "section 2.1"),
    ),
)
FEATURE = _definition(
    "feature",
    "The neural path feature is the entry of the input times the activity",
    Eq(Function("phi")(x, p), Function("x")(node(0, p)) * A(x, p), evaluate=False),
    (
        Source(NEURAL_PATH_KERNEL, "Definition 2.1"),
        Source(DEEP_GATED_NETWORKS, "(8)"),
        Source(DEEP_GATED_NETWORKS, "Definition 7.4", note="the hidden feature"),
    ),
)
VALUE = _definition(
    "value",
    "The neural path value, or strength, is the product of the weights of a path",
    Eq(v(p), Product(Theta(level, node(level - 1, p), node(level, p)), (level, 1, d)), evaluate=False),
    (
        Source(NEURAL_PATH_KERNEL, "Definition 2.1"),
        Source(DEEP_GATED_NETWORKS, "Definition 7.2", note="the strength $w_t(p)$"),
        Source(DEEP_GATED_NETWORKS, "section 1", note="the strength $w_t(p)$"),
    ),
)
EFFECTIVE = _definition(
    "effective",
    "The effective weight of an input node is the sum of the values of its paths",
    Eq(Function("eta")(n), Sum(v(p), (p, 1, P / d_in)), evaluate=False),
    (Source(DEEP_GATED_NETWORKS, "(13)"),),
    "the sum is over the paths with $p(0) = n$, all gates open",
)
OVERLAP = _definition(
    "overlap",
    "The overlap is the number of paths from one input node that are active on both inputs",
    Eq(Function("Lambda")(s, t), Sum(A(s, p) * A(t, p), (p, 1, P)) / d_in, evaluate=False),
    (
        Source(
            NEURAL_PATH_KERNEL,
            "Definition 2.2",
            note="the set of paths asks for an activity of 1 on both inputs",
            misprint=SECOND_ACTIVITY,
        ),
        Source(DEEP_GATED_NETWORKS, "section 1", note=r"$\lambda_t(s, s')$"),
        Source(HALF_SPACES, "section 3.2", note="over paths of hidden nodes, so that no $d_{in}$ occurs"),
    ),
)
TANGENT = _definition(
    "value_tangent",
    "The value tangent kernel has the inner products of the gradients of path values",
    Eq(
        Function("V")(p, Symbol("p'")),
        Sum(Function(r"\partial v")(p, n) * Function(r"\partial v")(Symbol("p'"), n), (n, 1, N)),
        evaluate=False,
    ),
    (
        Source(NEURAL_PATH_KERNEL, "Definition 3.1"),
        Source(NEURAL_PATH_KERNEL, "Definition 3.2"),
        Source(
            NEURAL_PATH_KERNEL,
            "section 3.1",
            note="path values have no gates, so that a deep linear network with the same weights has the same kernel",
        ),
    ),
    r"$\partial v(p, n)$ is the derivative of $v(p)$ by the weight with the number $n$, of $N = d_{net}$ weights",
)
DELTA = _definition(
    "sensitivity",
    "The sensitivity is the overlap of the slopes of the activities by the weights of the gates",
    Eq(
        Function("delta")(s, t),
        Sum(Function(r"\partial A")(s, p, n) * Function(r"\partial A")(t, p, n), (p, 1, P / d_in), (n, 1, N)),
        evaluate=False,
    ),
    (Source(DEEP_GATED_NETWORKS, "Definition 3.1"),),
    r"$\partial A(s, p, n)$ is the derivative of the activity by the weight of the gating network with the number $n$; "
    "the paths are those from one input node",
)
SWITCHING = _definition(
    "switching",
    "Switching instants are the times at which the feature of an input changes",
    Eq(Function("phi")(s, t), Function("phi")(s, Symbol("T_i")), evaluate=False),
    (Source(NEURAL_PATH_KERNEL, "Definition 3.3"),),
    r"for all inputs $s$ and $T_i \leq t < T_{i+1}$; at $T_{i+1}$ the feature of an input differs from that at $T_i$",
)
EXPERTS = _definition(
    "experts",
    "A mixture of experts",
    Eq(Symbol(r"\hat{y}"), Sum(f(pi, x) * g(pi, x), (pi, 1, P)), evaluate=False),
    (Source(HALF_SPACES, "(1)"),),
)
EXPERT_GATE = _definition(
    "expert_gate",
    "The gate of an expert is open where all pre-activations of its path are at least 0",
    Eq(f(pi, x), Product(is_open(q(level, node(level, pi), x)), (level, 1, L - 1)), evaluate=False),
    (
        Source(HALF_SPACES, "(2)", note="pre-activations of the ReLU network itself"),
        Source(HALF_SPACES, "(4)", note="pre-activations of linear gating"),
        Source(HALF_SPACES, "(6)", note="the same gates, as factors of the values of the nodes"),
        Source(HALF_SPACES, "(9)", note="the same gates, as factors of the values of the nodes"),
    ),
)
EXPERT_MODEL = _definition(
    "expert_model",
    "The expert of a path is its weights times the pre-activation of its first node",
    Eq(
        g(pi, x),
        Product(Theta(level, node(level - 1, pi), node(level, pi)), (level, 2, L)) * q(1, node(1, pi), x),
        evaluate=False,
    ),
    (
        Source(HALF_SPACES, "(3)"),
        Source(HALF_SPACES, "(5)", note="weights $U$ of the value network, apart from those of the gates"),
    ),
    r"with the one output node as $I_L(\pi)$",
)

CLAIMS = (
    PATH,
    ACTIVITY,
    FEATURE,
    VALUE,
    EFFECTIVE,
    OVERLAP,
    TANGENT,
    DELTA,
    SWITCHING,
    EXPERTS,
    EXPERT_GATE,
    EXPERT_MODEL,
)
