"""The tables of derivations/benchmarks/README.md, made from the stored runs; a test compares them."""

from typing import Any

from derivations.benchmarks import solve as solve_bench
from derivations.benchmarks import threads as threads_bench
from derivations.benchmarks import train as train_bench


def train(found: dict[str, Any]) -> str:
    """The ratios as a Markdown table: sim beside each kind of peer, the best of them in bold, and the goal."""
    lines = ["| size | torch | jax | jax-own | goal |", "|---|---|---|---|---|"]
    for case in found["cases"]:
        shown = {kind: f"{ratio:.1f}" for kind, ratio in case["ratios"].items()}
        shown[case["best"]] = f"**{shown[case['best']]}**"
        outcome = "reached" if case["reached"] else "missed"
        cells = [case["name"], *(shown.get(kind, "–") for kind in train_bench.PEERS), f"{case['goal']:g}: {outcome}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def moments(result: dict[str, Any]) -> str:
    """Times and errors as a Markdown table, per distinct value."""
    lines = ["| gain | workbench | `quad_vec` | CDF |", "|---|---|---|---|"]
    for row in result["rows"]:
        cells = [
            f"{1e6 * row[f'{who}seconds_per_value']:,.1f} µs, error {row[f'{who}error']:.0e}"
            for who in ("", "quad_vec_", "cdf_")
        ]
        cells[1] += f": {row['ratio_to_quad_vec']:.1f} ×"
        cells[2] += f": {row['ratio_to_cdf']:.0f} ×"
        lines.append(f"| {row['gain']:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def threads(found: dict[str, Any]) -> str:
    """Seconds of each command with limited threads and with the libraries' own, and their ratio."""
    lines = ["| command | beside | processor time | wall time |", "|---|---|---|---|"]
    for case in found["cases"]:
        beside = f"{case['busy loops']} busy loops" if case["busy loops"] else "nothing"
        cells = []
        for kind in ("processor", "wall"):
            low, high = (case[kind][way] for way in threads_bench.WAYS)
            cells.append(f"{low:.1f} s, own threads {high:.1f} s: {high / low:.1f} ×")
        lines.append(f"| `{case['command']}` | {beside} | {' | '.join(cells)} |")
    return "\n".join(lines)


def solve(found: dict[str, Any]) -> str:
    """Time and memory of solve and of dense matrices, and the ratio of the times."""
    lines = ["| law | solve | dense | ratio |", "|---|---|---|---|"]
    for row in found["cases"]:
        dense = row["dense"]
        ratio = f"{row['ratio']:.1f}" if "ratio" in row else "–"
        lines.append(f"| {row['name']} | {solve_bench.cell(row['solve'])} | {solve_bench.cell(dense)} | {ratio} |")
    return "\n".join(lines)
