"""`gdln bench deep`: 64 ReLU networks in training beside a plain torch loop over them and beside torch.func.vmap.

The networks have the sizes 784-100-100-100-100-100-1, those of MNIST, and take batches of 32 normal inputs in float32.
`sim.deep` and the peers of `peers/deep_loops.py` begin from the same weights and see the same batches; after the first
round their weights are compared. The rounds of all contenders are interleaved in one process and on one thread. Of the
loop, torch's default and its fused optimiser are tried, and the faster one is the peer. `products` are the batched
matrix products of a step of plain descent and nothing else, below which no step made of them can be. The roofline
compares the step with the products and the memory of the processor (`roofline`). `sim.deep` trains on the processor;
where there is a GPU, the products of a step alone are measured there, with the share of its roofline that they reach.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Any

import torch

from derivations.benchmarks.machine import one_thread
from derivations.benchmarks.peers.deep_loops import Train, Weights, loop, vmapped
from derivations.benchmarks.roofline import Peaks, Roofline, measured_peaks, seconds_of, work_of_a_step
from sim import deep
from sim.deep.batches import rows_of_batches

NETWORKS, SIZES, BATCH, EXAMPLES, RATE = 64, (784, 100, 100, 100, 100, 100, 1), 32, 1024, 1e-3
STEPS, ROUNDS = 20, 5
_ITEMSIZE = 4  # bytes of float32
_TINY = 1e-9  # the rate of the products alone: at a rate of 0 BLAS would leave them out
GOALS = {"loop": 8.0, "vmap": 2.0}
GPU_GOAL = 0.6  # of the roofline
OPTIMISERS = {"sgd": (deep.SGD, torch.optim.SGD), "adam": (deep.adam(), torch.optim.Adam)}

Contender = tuple[Train, Callable[[], Weights]]


def measure(networks: int = NETWORKS, rounds: int | None = None) -> dict[str, Any]:
    """Seconds of processor time of a step of all networks, the ratios to sim's, and the distances of the weights."""
    rounds = rounds or ROUNDS
    with one_thread("gdln bench deep"):
        peaks = measured_peaks()
        return {
            "unit": "seconds of processor time a step of all networks, one thread, float32: medians of rounds",
            "networks": networks,
            "sizes": SIZES,
            "batch": BATCH,
            "steps a round": STEPS,
            "rounds": rounds,
            "peaks": asdict(peaks),
            "gpu": products_on("cuda", networks) if torch.cuda.is_available() else None,
            "optimisers": {name: _compared(name, networks, rounds, peaks) for name in OPTIMISERS},
        }


def _compared(optimiser: str, networks: int, rounds: int, peaks: Peaks) -> dict[str, Any]:
    """Return what is measured with one optimiser."""
    contenders = _contenders(optimiser, networks)
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    weights: dict[str, Weights] = {}
    for name, (train, found) in contenders.items():
        train(STEPS)
        weights[name] = [theta.clone() for theta in found()]
    names = list(contenders)
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            seen[name].append(_seconds(contenders[name][0]))
    seconds = {name: median(values) for name, values in seen.items()}
    ratios = {name: seconds[name] / seconds["sim"] for name in names if name != "sim"}
    work = work_of_a_step(SIZES, networks, BATCH, _ITEMSIZE, plain=OPTIMISERS[optimiser][0].plain)
    peers = {"loop": min((name for name in names if name.startswith("loop")), key=seconds.__getitem__), "vmap": "vmap"}
    return {
        "seconds": seconds,
        "range": {name: [min(values), max(values)] for name, values in seen.items()},
        "ratios": ratios,
        "apart": {name: _apart(weights["sim"], weights[name]) for name in names if name not in ("sim", "products")},
        "goals": [
            {"beside": kind, "peer": peers[kind], "goal": goal, "ratio": ratios[peers[kind]]}
            | {"reached": ratios[peers[kind]] >= goal}
            for kind, goal in GOALS.items()
        ],
        "work": asdict(work),
        "roofline": asdict(Roofline.of(work, peaks, seconds["sim"])),
        "largest possible ratio to the loop": seconds[peers["loop"]] / seconds["products"],
    }


def _contenders(optimiser: str, networks: int) -> dict[str, Contender]:
    """Return the contenders, all with the same weights and examples."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(EXAMPLES, SIZES[0], generator=generator)
    y = torch.randn(EXAMPLES, 1, generator=generator).sign()
    start = deep.Start("normal", deep.scales_by_fan_in(SIZES, 2), seed=0)
    family = deep.Family((deep.relu(SIZES[1:-1]),), networks, SIZES[0], SIZES[-1], start)
    own, of_torch = OPTIMISERS[optimiser]
    settings = deep.Settings("half-mse", own, RATE, BATCH, seed=0, shared_batches=True)
    run = deep.train_family(family, deep.ExampleSet(x, y), settings, 0)
    weights = [run.state.parameters[name] for name in family.names]

    def peer(make: Callable[..., Contender], **more: Any) -> Contender:
        return make(weights, x, y, _rows(), partial(of_torch, lr=RATE, **more))

    return {
        "sim": _own(run),
        "loop": peer(loop),
        "loop, fused optimiser": peer(loop, fused=True),
        "vmap": peer(vmapped),
        "products": _products(weights),
    }


def _own(run: deep.FamilyRun) -> Contender:
    held = {"run": run}

    def train(steps: int) -> None:
        before = held["run"]
        upto = before.state.step + steps
        held["run"] = deep.train_family(before.family, before.data, before.settings, upto, state=before.state)

    return train, lambda: [held["run"].state.parameters[name] for name in run.family.names]


def _rows() -> Iterator[torch.Tensor]:
    """Yield the rows of successive batches, those of `sim.deep` for replicates that share them."""
    for rows in rows_of_batches(EXAMPLES, BATCH, seed=0, replicates=1):
        yield rows[0]


def _products(weights: Weights) -> Contender:
    """Return the products of a step alone: forward, back to all levels but the input, and onto the weights."""
    stacks = [theta.clone() for theta in weights]
    networks = len(stacks[0])
    generator = torch.Generator().manual_seed(1)
    levels = [torch.randn(networks, BATCH, size, generator=generator).to(stacks[0].device) for size in SIZES]
    levels[0] = levels[0][:1].expand_as(levels[0])  # all networks see one batch
    made = [torch.empty_like(level) for level in levels]

    def train(steps: int) -> None:
        for _ in range(steps):
            for k, theta in enumerate(stacks):
                torch.bmm(levels[k], theta.mT, out=made[k + 1])
            for k in reversed(range(len(stacks))):
                if k:
                    torch.bmm(levels[k + 1], stacks[k], out=made[k])
                stacks[k].baddbmm_(levels[k + 1].mT, levels[k], alpha=-_TINY)

    return train, lambda: stacks


def products_on(device: str, networks: int) -> dict[str, Any]:
    """Return the seconds of the products of a step of plain descent on a device, and their roofline."""
    weights = [torch.randn(networks, after, before).to(device) for before, after in pairwise(SIZES)]
    train, _ = _products(weights)
    peaks = measured_peaks(device)
    seconds = seconds_of(lambda: train(STEPS), device) / STEPS
    found = Roofline.of(work_of_a_step(SIZES, networks, BATCH, _ITEMSIZE, plain=True), peaks, seconds)
    reached = found.share >= GPU_GOAL
    return {"peaks": asdict(peaks), "seconds": seconds, "roofline": asdict(found), "goal": GPU_GOAL, "reached": reached}


def _seconds(train: Train) -> float:
    begin = time.process_time()
    train(STEPS)
    return (time.process_time() - begin) / STEPS


def _apart(own: Weights, other: Weights) -> float:
    """Return the norm of the difference of two sets of weights over the norm of the weights, of the worst layer.

    Single entries may differ by more: Adam moves an entry whose gradient is mere rounding by a whole rate.
    """
    return max(float((a - b).norm() / a.norm()) for a, b in zip(own, other, strict=True))


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    sizes = "-".join(map(str, found["sizes"]))
    lines = [f"{found['unit']}; {found['networks']} networks {sizes}, batch {found['batch']}"]
    for optimiser, part in found["optimisers"].items():
        lines.append(optimiser)
        for name, took in part["seconds"].items():
            beside = f"   sim is {part['ratios'][name]:.1f} x" if name != "sim" else ""
            apart = f", weights apart {part['apart'][name]:.0e}" if name in part["apart"] else ""
            lines.append(f"  {name:<22} {1e3 * took:>8.1f} ms{beside}{apart}")
        for goal in part["goals"]:
            outcome = "reached" if goal["reached"] else "missed"
            lines.append(
                f"  goal {goal['goal']:g} x {goal['beside']}: {outcome} ({goal['ratio']:.1f} x {goal['peer']})"
            )
        roof = part["roofline"]
        lines.append(
            f"  roofline: {1e3 * roof['least']:.1f} ms by the {roof['binds']} of the {found['peaks']['device']}; "
            f"sim reaches {100 * roof['share']:.0f} %"
        )
        largest = part["largest possible ratio to the loop"]
        lines.append(f"  products alone would be {largest:.1f} x the loop")
    if found["gpu"] is None:
        return "\n".join([*lines, "no GPU: the products were not measured on one"])
    gpu, roof = found["gpu"], found["gpu"]["roofline"]
    lines.append(
        f"GPU: the products of a step take {1e6 * gpu['seconds']:.0f} us and reach {100 * roof['share']:.0f} % of the "
        f"roofline by the {roof['binds']}; goal {100 * gpu['goal']:.0f} %"
    )
    return "\n".join(lines)
