"""The answer of `gdln flow`: the gradient flow of a gated graph, derived path by path, as formulas and code."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from derivations.answers import reductions
from derivations.answers.steps import checked_steps
from derivations.publish import flows
from theory.flow.graph import export
from theory.flow.graph.conserved import Conserved, NotConserved, conserved
from theory.flow.graph.data import flow_of
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.reduction import NotReduced, Reduction, reductions_of
from theory.problem import InputError, Problem
from theory.problem.toml import gate_text

FORMATS = ("text", "latex", "markdown", *export.LIBRARIES)
_MOMENTS = "Syx[a] = <g_a y x'>, Sxx[a,b] = <g_a g_b x x'>, E[a] the correlation of the error with the inputs"


@dataclass(frozen=True)
class FlowAnswer:
    """The flow of a problem's network: of one weight, or of all of them."""

    problem: Problem
    flow: GraphFlow
    weights: tuple[str, ...]

    @cached_property
    def reductions(self) -> dict[str, Reduction | NotReduced]:
        """Return every reduction by name: its result, or the reason why it does not apply."""
        return reductions_of(self.problem, self.flow)

    @cached_property
    def conserved(self) -> tuple[tuple[Conserved, ...], tuple[NotConserved, ...]]:
        """Conserved matrices of hidden nodes, and the nodes at which a condition fails."""
        return conserved(self.flow)

    @cached_property
    def steps(self) -> dict[str, list[dict[str, Any]]]:
        """The checked steps of the proofs: of the loss by moments, of each weight's equation, of the reductions."""
        proofs = {"loss": self.flow.loss_derivation} | {name: self.flow.derivation(name) for name in self.weights}
        applied = (each for each in self.reductions.values() if isinstance(each, Reduction))
        proofs |= {proof.id: proof for each in applied for proof in each.derivations}
        return {name: checked_steps(proof) for name, proof in proofs.items()}

    @property
    def proved(self) -> bool:
        """Whether the rules accept every step."""
        return all(step["checked"] for steps in self.steps.values() for step in steps)

    def json(self) -> dict[str, Any]:
        """The object that `gdln flow --json` prints."""
        flow = self.flow
        return {
            "loss": flow.loss,
            "paths": [
                {
                    "nodes": list(path.nodes),
                    "weights": [edge.weight for edge in path.edges],
                    "scale": str(path.scale),
                    "gates": [gate_text(gate) for gate in path.gates],
                    "a": path.opening,
                }
                for path in flow.paths
            ],
            "flow": {name: export.plain(flow, name) for name in self.weights},
            "errors": list(export.plain_errors(flow)),
            "latex": {name: export.latex(flow, name) for name in self.weights},
            "numpy": export.code(flow, "numpy"),
            "torch": export.code(flow, "torch"),
            "conserved": [{"nodes": kept.nodes, "matrix": str(kept)} for kept in self.conserved[0]],
            "not_conserved": [{"nodes": lost.nodes, "why": lost.why} for lost in self.conserved[1]],
            "reductions": reductions.json(self.reductions),
            "derivation": self.steps,
            "proved": self.proved,
        }

    def text(self, form: str = "text") -> str:
        """The flow in one of the FORMATS."""
        if form in export.LIBRARIES:
            reduced = [each.code for each in self.reductions.values() if isinstance(each, Reduction) and each.code]
            return "\n\n".join([export.code(self.flow, form), *reduced]).rstrip("\n")
        if form == "latex":
            lines = [*export.latex_of_errors(self.flow), *(export.latex(self.flow, name) for name in self.weights)]
            aligned = [line.replace(" = ", " &= ", 1) for line in lines]
            return "\\begin{align}\n" + " \\\\\n".join(aligned) + "\n\\end{align}"
        return flows.whole(self.flow, self.weights, self.reductions) if form == "markdown" else self._plain()

    def _plain(self) -> str:
        flow = self.flow
        lines = ["paths, and the number a of the product of gates g_a that each passes"]
        lines += [f"  {path}   a = {path.opening}{self._open(path.opening)}" for path in flow.paths]
        lines += ["", _MOMENTS, *(f"  {line}" for line in export.plain_errors(flow)), "", "gradient flow"]
        lines += [f"  {export.plain(flow, name)}" for name in self.weights]
        lines += ["", "reductions", *reductions.text(self.reductions)]
        steps = [(name, step) for name, proof in self.steps.items() for step in proof]
        failed = [f"  {name}, {step['rule']}: {step['error']}" for name, step in steps if not step["checked"]]
        said = "each checked by its rule" if not failed else f"{len(failed)} NOT CHECKED"
        lines += ["", f"proof  {len(steps)} steps from the loss, {said}; --json has them", *failed]
        return "\n".join(lines)

    def _open(self, opening: int) -> str:
        gates = self.flow.openings[opening - 1]
        return " (no gate)" if not gates else ": " + " times ".join(map(gate_text, gates))


def answer(problem: Problem, weight: str | None = None) -> FlowAnswer:
    """The gradient flow of the problem's network, for one weight or for all.

    Raises InputError for a weight that the network does not train, OutOfReachError for nodes that are not linear, for
    biases and for losses that are not quadratic.

    >>> from derivations.experiments.folders import problem_named
    >>> answer(problem_named("small-bump")).json()["flow"]["w.0"]
    'tau dw.0/dt = 1/2 E[1]'
    """
    flow = flow_of(problem)
    if weight is not None and weight not in flow.weights:
        raise InputError(f"The network trains no weight {weight}.", f"Choose one of: {', '.join(flow.weights)}.")
    return FlowAnswer(problem, flow, flow.weights if weight is None else (weight,))
