"""The flow of one mode: the same graph with one unit per node, and its scalar equations as SymPy, text, LaTeX and code.

With b_e the strength of a weight in the mode, S(a) and D(a, b) the entries of the moments,

    tau db_e/dt = c sum_{p through e} s_p b_{p without e} [S(a_p) - sum_j s_j b_j D(a_j, a_p)],

c = 2 for the loss "mse" and 1 for "half-mse". Source: "The Neural Race Reduction" (Saxe, Sodhani, Lewallen 2022).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import sympy
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from theory.flow.graph.export import symbol
from theory.flow.graph.gradient_flow import GraphFlow
from theory.problem import OutOfReachError
from theory.problem.graph import Graph
from theory.proof.rules.matrices import products


@cache
def one_unit_a_node(flow: GraphFlow) -> GraphFlow:
    """The flow of the same graph with all dimensions 1, the same gates and the same loss.

    Raises OutOfReachError for an edge without weights that adds up blocks: its blocks have no mode in common.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> one_unit_a_node(GraphFlow(one_hidden_layer(network, 3), "half-mse")).shape("w")
    (1, 1)
    """
    graph = flow.graph
    for edge in graph.edges:
        if edge.weight is None and graph.node(edge.source).dimension != graph.node(edge.target).dimension:
            raise OutOfReachError(
                f"The edge from {edge.source} to {edge.target} adds up blocks without weights.", "Name a weight for it."
            )
    nodes = tuple(replace(node, dimension=1) for node in graph.nodes)
    weights = tuple(replace(parameter, shape=(1, 1)) for parameter in graph.parameters)
    return GraphFlow(Graph(nodes, graph.edges, weights, graph.inputs, graph.outputs), flow.loss)


def entry(matrix: MatrixSymbol) -> sympy.Symbol:
    """The entry of a matrix in one mode: Syx(1) has S[1], Sxx(1,2) has D[1,2], E(1) has e[1], a weight its own name."""
    name = matrix.name
    for whole, letter in (("Syx(", "S["), ("Sxx(", "D["), ("E(", "e[")):
        if name.startswith(whole):
            return sympy.Symbol(f"{letter}{name[len(whole) : -1]}]", real=True)
    return sympy.Symbol(name, real=True)


def in_one_mode(expr: MatrixExpr) -> sympy.Expr:
    """A sum of products of matrices in which each letter is replaced by its entry in one mode.

    >>> in_one_mode(MatrixSymbol("R", 2, 2).T * MatrixSymbol("E(1)", 2, 2))
    R*e[1]
    """
    terms = products(expr).items()
    return sympy.Add(*(sympy.Mul(factor, *(entry(letter) for letter, _ in word)) for word, factor in terms))


def equations(flow: GraphFlow) -> dict[str, sympy.Expr]:
    """tau db/dt of every weight in one mode, by the weight's name, as polynomials in b, S and D.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> equations(GraphFlow(one_hidden_layer(network, 3), "half-mse"))
    {'w': -D[1,1]*w + S[1]}
    """
    errors = {entry(flow.error_symbol(*key)): in_one_mode(flow.error(*key)) for key in flow.errors}
    return {name: in_one_mode(flow.velocity_by_errors(name)).xreplace(errors) for name in flow.weights}


def plain(flow: GraphFlow) -> Iterator[str]:
    """The errors and the equations of one mode, in characters."""
    for key in flow.errors:
        yield f"{entry(flow.error_symbol(*key))} = {_characters(flow.error(*key))}"
    for name in flow.weights:
        yield f"tau d{name}/dt = {_characters(flow.velocity_by_errors(name))}"


def latex(flow: GraphFlow) -> Iterator[str]:
    r"""The errors and the equations of one mode, as LaTeX: b with the weight's name, S_a, D_{a,b}, e_a."""
    names = {entry(MatrixSymbol(name, 1, 1)): f"b_{{{symbol(name)}}}" for name in flow.weights}
    for key in flow.errors:
        error = flow.error_symbol(*key)
        yield f"{_tex(sympy.Integer(1) * entry(error), names)} = {_tex(in_one_mode(flow.error(*key)), names)}"
    for name in flow.weights:
        side = _tex(in_one_mode(flow.velocity_by_errors(name)), names)
        yield rf"\tau \, \frac{{d b_{{{symbol(name)}}}}}{{dt}} = {side}"


def code(flow: GraphFlow) -> str:
    """Python source of tau db/dt for arrays with one number a mode; it needs no library.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> names = {}
    >>> exec(code(GraphFlow(one_hidden_layer(network, 3), "half-mse")), names)
    >>> names["race"]({"w": 0.5}, {("y", 1): 3.0}, {(1, 1): 2.0})
    {'w': 2.0}
    """
    lines = [
        "def race(b, S, D):",
        '    """tau db/dt by weight: b by weight, S by (output, a), D by (a, b); arrays have one number a mode."""',
        "    e = {}",
    ]
    lines += [f'    e["{output}", {a}] = {_python(flow, flow.error(output, a))}' for output, a in flow.errors]
    lines += ["    return {"]
    lines += [f'        "{name}": {_python(flow, flow.velocity_by_errors(name))},' for name in flow.weights]
    return "\n".join([*lines, "    }"]) + "\n"


def _python(flow: GraphFlow, expr: MatrixExpr) -> str:
    names = {entry(flow.output_input(o, a)): f'S["{o}", {a}]' for o, a in flow.errors}
    names |= {entry(flow.error_symbol(o, a)): f'e["{o}", {a}]' for o, a in flow.errors}
    numbers = flow.numbers
    names |= {entry(flow.input_input(a, b)): f"D[{a}, {b}]" for a in numbers for b in numbers if a <= b}
    return _joined(expr, " * ", lambda letter: names.get(letter, f'b["{letter}"]'))


def _characters(expr: MatrixExpr) -> str:
    return _joined(expr, " ", str)


def _joined(expr: MatrixExpr, times: str, say) -> str:
    """Write the products of a sum, with each power written as repeated factors."""
    text = ""
    for word, factor in products(expr).items():
        letters = [say(entry(letter)) for letter, _ in word]
        size = [str(abs(factor)) if times == " " else f"({abs(factor)})"] * (abs(factor) != 1)
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + (times.join([*size, *letters]) or "1")
    return text


def _tex(expr: sympy.Expr, names: dict[sympy.Symbol, str]) -> str:
    known = {
        letter: f"{letter.name[0]}_{{{letter.name[2:-1]}}}" for letter in expr.free_symbols if letter.name[1:2] == "["
    }
    return sympy.latex(expr, symbol_names=names | known, order="none")
