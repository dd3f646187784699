r"""The gradient flow of a graph as LaTeX, and as Python code for NumPy or torch that stands alone.

Code and formulas are printed from the same products of matrices that the derivation proves.
"""

import re
from collections.abc import Callable, Iterator

import sympy
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from theory.flow.graph.gradient_flow import GraphFlow
from theory.proof.rules.matrices import Word, products

LIBRARIES = ("numpy", "torch")
_NUMBERED = re.compile(r"(\w+)\(([^()]*)\) ?(.*)")


def latex(flow: GraphFlow, weight: str) -> str:
    r"""Return tau dW/dt as LaTeX, with E_a for the correlations of the error with the inputs.

    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> network = Network("gated-linear", "sum", 2, (AlwaysGate(), AlwaysGate()))
    >>> print(latex(GraphFlow(one_hidden_layer(network, 3), "half-mse"), "w.0"))
    \tau \, \frac{d w_{0}}{dt} = E_{1}
    """
    side = tex(flow, flow.velocity_by_errors(weight))
    return rf"\tau \, \frac{{d {symbol(weight)}}}{{dt}} = {side}"


def plain(flow: GraphFlow, weight: str) -> str:
    """Return tau dW/dt as plain text: A' is a transpose, E[a] the correlation of the error with the inputs.

    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> network = Network("gated-linear", "sum", 2, (AlwaysGate(), AlwaysGate()))
    >>> plain(GraphFlow(one_hidden_layer(network, 3), "half-mse"), "w.0")
    'tau dw.0/dt = E[1]'
    """
    return f"tau d{weight}/dt = {characters(flow.velocity_by_errors(weight))}"


def plain_errors(flow: GraphFlow) -> Iterator[str]:
    """E[a] = Syx[a] - sum_j W_j Sxx[a_j,a] of each output node and product of gates, in characters."""
    for output, opening in flow.errors:
        name = characters(flow.error_symbol(output, opening))
        yield f"{name} = {characters(flow.error(output, opening))}"


def latex_of_errors(flow: GraphFlow) -> Iterator[str]:
    r"""E_a = Sigma^yx_a - sum_j W_j Sigma^xx of each output node and product of gates, as LaTeX."""
    for output, opening in flow.errors:
        name = tex(flow, flow.error_symbol(output, opening))
        yield f"{name} = {tex(flow, flow.error(output, opening))}"


def symbol(name: str) -> str:
    r"""The LaTeX of a weight: letters, then an index of digits and of what stands behind a dot or an underscore.

    >>> symbol("W12"), symbol("w.0"), symbol("decode_left")
    ('W_{12}', 'w_{0}', '\\mathrm{decode}_{\\mathrm{left}}')
    >>> symbol("M(1)"), symbol("E(1) F")  # names in brackets are no weights of a problem file
    ('M_{1}', 'E_{1} \\, F')
    """
    if found := _NUMBERED.fullmatch(name):
        return f"{found[1]}_{{{found[2]}}}" + (rf" \, {found[3]}" if found[3] else "")
    head = name.replace(".", "_").partition("_")[0]
    letters = head.rstrip("0123456789")
    digits, rest = head[len(letters) :], name.replace(".", "_").split("_")[1:]
    index = [digits] * bool(digits) + [part if part.isdigit() else rf"\mathrm{{{part}}}" for part in rest]
    base = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
    return f"{base}_{{{','.join(index)}}}" if index else base


def code(flow: GraphFlow, library: str) -> str:
    """Python source with two functions: path moments of examples, and tau dW/dt of every weight.

    It needs the library alone. `flow(W, Syx, Sxx)` takes weights by name as (target, source) matrices.

    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> network = Network("gated-linear", "sum", 1, (AlwaysGate(),))
    >>> print(code(GraphFlow(one_hidden_layer(network, 3), "half-mse"), "numpy").splitlines()[-1])
        return {"w": E["y", 1]}
    """
    outputs = {name: flow.graph.node(name).dimension for name in flow.graph.outputs}
    lines = [
        f"import {library if library == 'torch' else 'numpy as np'}",
        "",
        "# Paths, and the number a of the product of gates g_a that each passes (no gates: g_a = 1):",
        *(f"#   {path}: a = {path.opening}" for path in flow.paths),
        f"OUTPUTS = {outputs!r}  # rows of y at each output node, in this order",
        f"PRODUCTS = {len(flow.openings)}",
        "",
        "",
        "def moments(x, y, g):",
        '    """Syx[o, a] = <g_a y x\'>, Sxx[a, b] = <g_a g_b x x\'> of x (N, n), y (N, m) and g (N, PRODUCTS)."""',
        "    Syx, Sxx, first = {}, {}, 0",
        "    for name, rows in OUTPUTS.items():",
        "        for a in range(PRODUCTS):",
        "            Syx[name, a + 1] = (g[:, a : a + 1] * y[:, first : first + rows]).T @ x / len(x)",
        "        first += rows",
        "    for a in range(PRODUCTS):",
        "        for b in range(PRODUCTS):",
        "            Sxx[a + 1, b + 1] = (g[:, a : a + 1] * g[:, b : b + 1] * x).T @ x / len(x)",
        "    return Syx, Sxx",
        "",
        "",
        "def flow(W, Syx, Sxx):",
        '    """tau dW/dt of every weight, by name."""',
        *_constants(flow, library),
        "    E = {}",
    ]
    for output, opening in flow.errors:
        lines.append(f'    E["{output}", {opening}] = {_python(flow, flow.error(output, opening))}')
    entries = [f'"{name}": {_python(flow, flow.velocity_by_errors(name))}' for name in flow.weights]
    if len(entries) == 1:
        return "\n".join([*lines, f"    return {{{entries[0]}}}"]) + "\n"
    return "\n".join([*lines, "    return {", *(f"        {entry}," for entry in entries), "    }"]) + "\n"


def _constants(flow: GraphFlow, library: str) -> Iterator[str]:
    """Lines that add the constant matrices (I ... I) to the weights."""
    shapes = dict.fromkeys(
        ones for edge in flow.graph.edges if edge.weight is None and isinstance(ones := flow.matrix(edge), MatrixSymbol)
    )
    for ones in shapes:
        rows, columns = ones.shape
        if library == "torch":
            matrix = f"torch.eye({rows}).repeat(1, {columns // rows}).to(next(iter(W.values())))"
        else:
            matrix = f"np.tile(np.eye({rows}), (1, {columns // rows}))"
        yield f'    W = W | {{"{ones.name}": {matrix}}}  # adds up {columns // rows} blocks of {rows}'


def _python(flow: GraphFlow, expr: MatrixExpr) -> str:
    """A sum of products with @, .T and quotients of whole numbers."""
    names = {each: text for each, text, _ in _moments(flow)}

    def product(word: Word, size: sympy.Rational) -> str:
        letters = [names.get(each, f'W["{each.name}"]') + (".T" if flag else "") for each, flag in word]
        inside = " @ ".join(letters)
        if size == 1:
            return inside
        scale = f"{size.p} / {size.q}" if size.q != 1 else f"{size.p}"
        return f"{scale} * ({inside})" if len(letters) > 1 else f"{scale} * {inside}"

    return _joined(expr, product)


def characters(expr: MatrixExpr) -> str:
    """Return a sum of products as plain text."""

    def product(word: Word, size: sympy.Rational) -> str:
        letters = [each.name.replace("(", "[").replace(")", "]") + ("'" if flag else "") for each, flag in word]
        return " ".join([str(size)] * (size != 1) + letters)

    return _joined(expr, product)


def tex(flow: GraphFlow, expr: MatrixExpr) -> str:
    """A sum of products as LaTeX."""
    names = {each: text for each, _, text in _moments(flow)}

    def product(word: Word, size: sympy.Rational) -> str:
        letters = [names.get(each, symbol(each.name)) + (r"^{\top}" if flag else "") for each, flag in word]
        return r" \, ".join([sympy.latex(size)] * (size != 1) + letters)

    return _joined(expr, product)


def _joined(expr: MatrixExpr, product: Callable[[Word, sympy.Rational], str]) -> str:
    """The products of a sum with their signs, positive ones first; 0 where there are none."""
    terms = [(bool(factor < 0), product(word, abs(factor))) for word, factor in products(expr).items()]
    if not terms:
        return "0"
    terms.sort(key=lambda term: term[0])
    first, *others = terms
    text = ("-" if first[0] else "") + first[1]
    return text + "".join(f" {'-' if minus else '+'} {term}" for minus, term in others)


def _moments(flow: GraphFlow) -> Iterator[tuple[MatrixSymbol, str, str]]:
    """Yield the symbols that are not weights, each with its Python and its LaTeX form."""
    several = len(flow.graph.outputs) > 1
    numbers = flow.numbers
    for output in flow.graph.outputs:
        for a in numbers:
            index = (rf"\mathrm{{{output}}}," if several else "") + str(a)
            yield flow.output_input(output, a), f'Syx["{output}", {a}]', rf"\Sigma^{{yx}}_{{{index}}}"
            yield flow.error_symbol(output, a), f'E["{output}", {a}]', rf"E_{{{index}}}"
    for a in numbers:
        for b in numbers[a - 1 :]:
            yield flow.input_input(a, b), f"Sxx[{a}, {b}]", rf"\Sigma^{{xx}}_{{{a},{b}}}"
    for edge in flow.graph.edges:
        if edge.weight is None and isinstance(ones := flow.matrix(edge), MatrixSymbol):
            rows, columns = ones.shape
            yield ones, f'W["{ones.name}"]', rf"\mathbb{{1}}_{{{rows},{columns}}}"
