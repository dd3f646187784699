"""The tables of derivations/benchmarks/README.md, made from the stored runs; a test compares them."""

from typing import Any


def flow(found: dict[str, Any]) -> str:
    """Seconds by structure and by the dense matrix; then the other measurements, a line each."""
    lines = ["| structure | rank | w(t) | dense | ratio | goal | `solve` |", "|---|---|---|---|---|---|---|"]
    for row in found["solutions"]:
        goal = f"{row['goal']}: {'reached' if row['reached'] else 'missed'}" if "goal" in row else "–"
        seconds = [f"{row[name]:.3g} s" for name in ("seconds", "dense_seconds", "solve_seconds")]
        cells = [row["name"], f"{row['rank']:,}", seconds[0], seconds[1], f"{row['ratio']:,.0f}", goal, seconds[2]]
        lines.append(f"| {' | '.join(cells)} |")
    many, proof, train, steps = (found[name] for name in ("integration", "derivation", "training", "steps"))
    small, large = found["memory"]
    seconds = train["seconds"]
    lines += [
        "",
        "| | |",
        "|---|---|",
        f"| peak memory of a ring | {small['megabytes']:.0f} MB for {small['weights']:,} weights, "
        f"{large['megabytes']:.0f} MB for {large['weights']:,} |",
        f"| {many['networks']} networks of the race | at once {many['seconds']:.2g} s, one by one with DOP853 "
        f"{many['dop853_seconds']:.2g} s: {many['ratio']:.1f} × |",
        f"| {proof['paths']} paths | derived in {proof['seconds']:.2g} s, steps checked in "
        f"{proof['checking_seconds']:.2g} s |",
        f"| `simulate`, small-bump | hidden layer {seconds['hidden layer']:.2g} s, graph {seconds['graph']:.2g} s: "
        f"{train['speed']:.2f} of the speed |",
        f"| gradient of the race | by hand {steps['by hand']:.0f} µs, by autograd {steps['autograd']:.0f} µs |",
    ]
    return "\n".join(lines)
