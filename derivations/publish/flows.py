"""The gradient flow of a gated graph as Markdown: its paths, its formulas and its reductions."""

from collections.abc import Iterator, Mapping, Sequence

from derivations.experiments.folders import problem_named
from theory.flow.graph import export
from theory.flow.graph.data import flow_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.reduction import NotReduced, Reduction, reductions_of
from theory.problem import InputError

_SHOWN = 3  # conditions that are listed; `gdln flow --json` has all
_MOMENTS = (
    r"$\Sigma^{yx}_a = \langle g_a y x^{\top} \rangle$, $\Sigma^{xx}_{a,b} = \langle g_a g_b x x^{\top} \rangle$; "
    "$g_a$ is the product of the gates on a path; in code they are `Syx[a]` and `Sxx[a,b]`."
)
Found = Mapping[str, Reduction | NotReduced]


def section(argument: str, here: str) -> str:
    """A part of the flow of a starter problem, by "NAME paths", "NAME flow" or "NAME REDUCTION".

    Raises InputError for another part.
    """
    name, _, part = argument.partition(" ")
    problem = problem_named(name)
    flow = flow_of(problem)
    if part == "paths":
        return paths(flow) + "\n"
    if part == "flow":
        return aligned([*export.latex_of_errors(flow), *(export.latex(flow, weight) for weight in flow.weights)])
    found = reductions_of(problem, flow)
    if part not in found:
        raise InputError(f"{here}: there is no part {part!r} of a flow.", f"Known: paths, flow, {', '.join(found)}.")
    return "\n".join(reduction(part, found[part])) + "\n"


def paths(flow: GraphFlow) -> str:
    """Return a table of the paths and the moments on which they depend."""
    lines = ["| path | weights | $a$ |", "|---|---|---|"]
    for path in flow.paths:
        weights = ", ".join(f"${export.symbol(edge.weight)}$" for edge in path.edges if edge.weight is not None)
        lines.append(f"| {' → '.join(path.nodes)} | {weights or '–'} | {path.opening} |")
    return "\n".join([*lines, "", _MOMENTS, ""])


def whole(flow: GraphFlow, weights: Sequence[str], found: Found) -> str:
    """Paths, formulas and reductions."""
    formulas = [*export.latex_of_errors(flow), *(export.latex(flow, name) for name in weights)]
    lines = [paths(flow), *(f"$$\n{formula}\n$$\n" for formula in formulas)]
    return "\n".join([*lines, *(line for name, each in found.items() for line in reduction(name, each))]).rstrip("\n")


def reduction(name: str, each: Reduction | NotReduced) -> Iterator[str]:
    """Return the result of a reduction with the conditions that it checked, or the reason why it does not apply."""
    if isinstance(each, NotReduced):
        yield f"**{name}** does not apply: {each}.\n"
        return
    yield f"**{name}** applies: {each.says}.\n"
    yield from (f"- {line}." for line in conditions(each))
    for part in each.parts:
        yield f"- {part.says}{':' if part.formulas else '.'}"
        if part.formulas:
            yield "\n" + aligned([formula.latex for formula in part.formulas])
    yield ""


def conditions(each: Reduction) -> Iterator[str]:
    """The conditions as sentences: those on the data, then those on the initial weights."""
    listed = "; ".join(condition.says for condition in each.conditions[:_SHOWN])
    more = len(each.conditions) - _SHOWN
    how = "exactly" if all(condition.exact for condition in each.conditions) else "in float64, within its rounding"
    yield f"checked {how}: {listed}{f'; and {more} more' if more > 0 else ''}"
    for condition in each.start:
        verdict = "holds" if condition.holds else f"does not hold, off by {condition.off}"
        yield f"it needs that {condition.says}: here this {verdict}"


def aligned(equations: Sequence[str]) -> str:
    """Equations below each other, as one display formula; an expression without a left side has a line of its own."""
    if len(equations) == 1:
        return f"$$\n{equations[0]}\n$$\n"
    lines = [line.replace(" = ", " &= ", 1) for line in equations]
    return "$$\n\\begin{aligned}" + r" \\ ".join(lines) + "\\end{aligned}\n$$\n"
