"""The tables of derivations/benchmarks/README.md, made from the stored runs; a test compares them."""

from typing import Any

from derivations.benchmarks import fused_roofline
from derivations.benchmarks import solve as solve_bench
from derivations.benchmarks import threads as threads_bench
from derivations.benchmarks import train as train_bench
from sim.training.backends.fused.sizes import networks_of_a_program


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


def sweep(found: dict[str, Any]) -> str:
    """Milliseconds of a cell in a store and without one, the time to list cells, and what a second worker gains."""
    listed, two, large, small = found["listed"], found["two workers"], found["large"], found["small"]
    looks = [
        f"| {words} | {small[words]['wall']:.2f} s | {small[words]['processor']:.2f} s |"
        for words in ("both there", "one missing")
    ]
    rows = [
        f"| {way}, {found['workers']} workers | {1000 * cell['wall']:.1f} ms ({1000 * cell['fastest']:.1f} ms) "
        f"| {1000 * cell['processor']:.1f} ms |"
        for way, cell in found["a cell"].items()
    ]
    return "\n".join(
        [
            "| a cell | wall time (fastest round) | processor time |",
            "|---|---|---|",
            *rows,
            "",
            f"{listed['cells']:,} cells are listed in {listed['seconds']:.2f} s. "
            f"Two workers reached {two['ratio']:.2f} times the speed of one.",
            "",
            f"| a sweep of {large['cells']:,} cells, every other one there | processor time |",
            "|---|---|",
            f"| its plan, made once and kept | {large['planned']:.1f} s |",
            f"| the first look, which reads the plan and {large['read']:,} cells | {large['first look']:.2f} s |",
            f"| a further look | {large['next look']:.2f} s |",
            "",
            f"| the status of 2 cells in a store with {small['others']:,} others | wall time | processor time |",
            "|---|---|---|",
            *looks,
        ]
    )


def solve(found: dict[str, Any]) -> str:
    """Time and memory of solve and of dense matrices, and the ratio of the times."""
    lines = ["| law | solve | dense | ratio |", "|---|---|---|---|"]
    for row in found["cases"]:
        dense = row["dense"]
        ratio = f"{row['ratio']:.1f}" if "ratio" in row else "–"
        lines.append(f"| {row['name']} | {solve_bench.cell(row['solve'])} | {solve_bench.cell(dense)} | {ratio} |")
    return "\n".join(lines)


def gates(found: dict[str, Any]) -> str:
    """Seconds of each problem, whether the goal is reached, and its condition number."""
    lines = [f"| law | xi | gates | solve | goal {found['goal']:g} s | condition |", "|---|---|---|---|---|---|"]
    for row in found["rows"]:
        reached = "reached" if row["reached"] else "missed"
        cells = [row["law"], "{}, {}".format(*row["xi"]), row["gates"], f"{row['seconds']:.2g} s", reached]
        lines.append(f"| {' | '.join(cells)} | {row['condition']:.2g} |")
    return "\n".join(lines)


def sample(found: dict[str, Any]) -> str:
    """Microseconds an example of each way, and the ratios to NumPy's Cholesky sampling with the goal."""
    ways = ("sim float64", "sim float32", "cholesky float64", "cholesky float32", "multivariate", "fourier")
    lines = [
        f"| law | {' | '.join(ways)} | f64 / f64 | f64 / f32 | f32 / f32 | goal |",
        "|---" * (len(ways) + 5) + "|",
    ]
    for case in found["cases"]:
        took = [f"{case['microseconds'][way]:.3g}" for way in ways]
        ratios = [f"{ratio:.1f}" for ratio in case["ratios"].values()]
        name = f"{case['shape']}, n = {case['n']:,}, xi = {case['xi']}"
        lines.append(f"| {' | '.join([name, *took, *ratios, str(case['goal'])])} |")
    return "\n".join(lines)


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


def kernels(found: dict[str, Any]) -> str:
    """Milliseconds of every way to compute a kernel, how many times sim (or theory) is faster, and the distance."""
    lines = ["| kernel | way | time | ratio | apart | goal |", "|---|---|---|---|---|---|"]
    goals = {goal["beside"]: goal for goal in found["tangent"]["goals"]}
    beside = {"jacobian": "jacobian", found["tangent"]["best of neural-tangents"]: "neural-tangents"}
    for kind in ("tangent", "path"):
        part = found[kind]
        for name, took in part["seconds"].items():
            ratio, apart = part["ratios"].get(name), part["apart"].get(name)
            goal = goals[beside[name]] if kind == "tangent" and name in beside else None
            lines.append(_kernel(kind, name, took, ratio, apart, goal))
    part = found["recursion"]
    for name, took in part["seconds"].items():
        goal = part["goal"] if name == part["goal"]["way"] else None
        lines.append(_kernel("infinite width", name, took, part["ratios"].get(name), part["errors"].get(name), goal))
    return "\n".join(lines)


def _kernel(kind: str, name: str, took: Any, ratio: Any, apart: Any, goal: Any) -> str:
    time = took if isinstance(took, str) else f"{1e3 * took:,.1f} ms"
    shown = "–" if ratio is None else f"{ratio:.1f}"
    far = "–" if apart is None else f"{apart:.0e}"
    outcome = "–" if goal is None else f"{goal['goal']:g}: {'reached' if goal['reached'] else 'missed'}"
    return f"| {kind} | {name} | {time} | {shown} | {far} | {outcome} |"


def deep(found: dict[str, Any]) -> str:
    """Milliseconds of a step of all networks, how many times sim is faster, and the distance of the weights."""
    lines = ["| optimiser | way | time | ratio | apart | goal |", "|---|---|---|---|---|---|"]
    for optimiser, part in found["optimisers"].items():
        goals = {goal["peer"]: goal for goal in part["goals"]}
        for name, took in part["seconds"].items():
            lines.append(
                _kernel(optimiser, name, took, part["ratios"].get(name), part["apart"].get(name), goals.get(name))
            )
    return "\n".join(lines)


def fused_estimates() -> str:
    """The roofline of the fused step on paper as a Markdown table; nothing in it is measured."""
    lines = [
        "| size | networks | of a program | integers | floating point | special functions | products of TF32 | limit "
        "| network-steps a second |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    sizes = [(case.name, (case.n, case.units, case.batch), modes) for case, modes, _ in train_bench._ON_A_GPU]
    many = {case.name: case.networks for case, *_ in train_bench._ON_A_GPU}
    small = ("n=40 K=2 batch=1 xi=2,1", (40, 2, 1), 48)
    rows = [(*size, many[size[0]]) for size in sizes] + [(*small, networks) for networks in (32, 8192)]
    for name, (n, units, batch), modes, networks in rows:
        work = fused_roofline.operations_of_a_step(n, units, batch, modes, networks)
        rate, limit = fused_roofline.bound(work)
        numbers = (networks, networks_of_a_program(units, batch, networks))
        counts = (f"{count:,.0f}" for count in (*numbers, work.integer, work.floating, work.special, work.products))
        lines.append(f"| {name} | {' | '.join(counts)} | {limit} | {rate:.1e} |")
    return "\n".join(lines)


def fused_kernels(found: dict[str, Any]) -> str:
    """Return a Markdown table of the registers of the kernels that `tests.sim.training.for_cuda` compiles whole."""
    lines = [
        "| kernel | warps of a program | registers of a thread | bytes spilled | shared memory |",
        "|---|---|---|---|---|",
    ]
    for name, taken in found.items():
        if taken is not None:
            cells = (f"{taken[key]:,}" for key in ("warps", "registers", "spilled", "shared"))
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
