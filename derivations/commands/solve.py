"""`gdln solve`: the exact solution of a problem with fixed gates, from theory alone."""

from pathlib import Path
from typing import Annotated, Any

import typer

MAY_BEGIN_WITH_MINUS = False
_REACH = 3  # sites shown on each side of a unit's peak
_UNITS = 12  # units shown; --json has them all
_NAMES = ("mse", "fixed_point", "rates", "weights", "condition", "rank", "times", "losses", "notes", "digits")
_NAMES += ("hidden_biases", "output_bias", "fixed_hidden_biases", "fixed_output_bias")


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with a gated-linear network.")],
    digits: Annotated[int | None, typer.Option(help="Certified significant digits of every number.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Solve PROBLEM exactly: optimum, fixed point, rates and weights over time under gradient flow."""
    from derivations.output import PASS, emit, run

    def body() -> int:
        from theory.flow import solve
        from theory.problem import load

        question = load(problem)
        solution = solve(question, digits)
        ring = question.data.boundary == "ring"
        emit("solve", {name: getattr(solution, name) for name in _NAMES}, _text(solution, ring), json)
        return PASS

    return run(body, json)


def _text(solution: Any, ring: bool) -> str:
    moving = solution.rates[len(solution.rates) - solution.rank :]
    lines = [
        f"<(y - yhat)^2> at the optimum   {_shown(solution.mse)}",
        f"rates (1/tau)                   {_shown(moving[0])} ... {_shown(moving[-1])}",
        f"condition of A                  {_shown(solution.condition, 4)}",
        f"rank of A                       {solution.rank} of {len(solution.rates)}",
        "",
        f"{'t':>12}  <(y - yhat)^2>",
        *(f"{_shown(t, 6):>12}  {_shown(loss)}" for t, loss in zip(solution.times, solution.losses, strict=True)),
        "",
        "w(infinity), each unit around its largest weight",
        *(_profile(unit, row, ring) for unit, row in enumerate(solution.fixed_point[:_UNITS])),
    ]
    if len(solution.fixed_point) > _UNITS:
        lines.append(f"  ... {len(solution.fixed_point) - _UNITS} more units; --json has them all")
    if solution.fixed_hidden_biases is not None:
        hidden = [_shown(bias) for bias in solution.fixed_hidden_biases[:_UNITS]]
        more = "  ..." if len(solution.fixed_hidden_biases) > _UNITS else ""
        lines += ["", "biases at infinity", f"  output: {_shown(solution.fixed_output_bias)}"]
        lines.append(f"  units from 0: {'  '.join(hidden)}{more}")
    return "\n".join([*lines, "", *(f"note: {note}" for note in solution.notes)])


def _profile(unit: int, row: Any, ring: bool) -> str:
    """A unit's peak and its neighbours; seven sites of a profile say whether it is a bump or an oscillation."""
    sizes = abs(row.astype(float))
    peak, n = int(sizes.argmax()), len(row)
    if ring:
        width = min(n, 2 * _REACH + 1)
        sites = [(peak - width // 2 + offset) % n for offset in range(width)]
    else:
        sites = list(range(max(0, peak - _REACH), min(n, peak + _REACH + 1)))
    around = "  ".join(f"{float(x):.4f}" if sizes[peak] < 1000 else f"{float(x):.4g}" for x in row[sites])
    shown = f"sites {sites[0]}-{sites[-1]}" + (" across the end of the ring" if sites[0] > sites[-1] else "")
    return f"  unit {unit}: {_shown(row[peak])} at site {peak}; {shown}: {around}"


def _shown(number: Any, digits: int = 10) -> str:
    """Decimal strings as they are, float64 to `digits` significant digits."""
    return number if isinstance(number, str) else f"{number:.{digits}g}"
