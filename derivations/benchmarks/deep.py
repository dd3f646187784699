"""`gdln bench deep`: 64 ReLU networks in training beside a plain torch loop over them and beside torch.func.vmap.

The networks have the sizes 784-100-100-100-100-100-1, those of MNIST, and take batches of 32 normal inputs in float32.
`sim.deep` and the peers of `peers/deep_loops.py` begin from the same weights and see the same batches; after the first
round their weights are compared. The rounds of all contenders are interleaved in one process and on one thread. Of the
loop, torch's default and its fused optimiser are tried, and the faster one is the peer. `products` are the batched
matrix products of a step of plain descent and nothing else, below which no step made of them can be. The roofline
compares the step with the products and the memory of the device (`roofline`). Where there is a GPU, all contenders
train on it too, by the clock: the goal is a share of its roofline, whose products and memory are measured there. The
time of `sim` is that of its steps, without the way of the weights to the device and back.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import torch

from derivations.benchmarks.machine import one_thread
from derivations.benchmarks.peers.deep_loops import Train, Weights, loop, vmapped
from derivations.benchmarks.roofline import Peaks, Roofline, measured_peaks, now, work_of_a_step
from sim import deep
from sim.deep.batches import rows_of_batches

NETWORKS, SIZES, BATCH, EXAMPLES, RATE = 64, (784, 100, 100, 100, 100, 100, 1), 32, 1024, 1e-3
STEPS, ROUNDS = 20, 5
WARM = 2  # steps of sim before its time is taken; in the first one a GPU records
GPU_STEPS = {"sim": 500, "products": 500, "vmap": 50}  # of the others 3, whose steps are long
_ITEMSIZE = 4  # bytes of float32
_TINY = 1e-9  # the rate of the products alone: at a rate of 0 BLAS would leave them out
GOALS = {"loop": 8.0, "vmap": 2.0}
GPU_GOAL = 0.6  # of the roofline
OPTIMISERS = {"sgd": (deep.SGD, torch.optim.SGD), "adam": (deep.adam(), torch.optim.Adam)}


class Contender(NamedTuple):
    """A way to train: for some steps; its current weights; and for some steps with the seconds that a step takes."""

    train: Train
    found: Callable[[], Weights]
    timed: Callable[[int], float]


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
            "gpu": on_device("cuda", networks, rounds) if torch.cuda.is_available() else None,
            "optimisers": {name: _compared(name, networks, rounds, peaks) for name in OPTIMISERS},
        }


def on_device(device: str, networks: int, rounds: int) -> dict[str, Any]:
    """Return the seconds of a step of every contender on a device, and the share of its roofline that sim reaches."""
    peaks = measured_peaks(device)
    parts = {name: _compared(name, networks, rounds, peaks) for name in OPTIMISERS}
    for part in parts.values():
        part["goals"] = [{"goal": GPU_GOAL, "reached": part["roofline"]["share"] >= GPU_GOAL}]
    return {
        "unit": "seconds of the clock a step of all networks, float32: medians of rounds",
        "peaks": asdict(peaks),
        "optimisers": parts,
    }


def _compared(optimiser: str, networks: int, rounds: int, peaks: Peaks) -> dict[str, Any]:
    """Return what is measured with one optimiser on the device of the peaks."""
    contenders = _contenders(optimiser, networks, peaks.device)
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    weights: dict[str, Weights] = {}
    for name, own in contenders.items():
        own.train(STEPS)
        weights[name] = [theta.to("cpu", copy=True) for theta in own.found()]
    names = list(contenders)
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            steps = STEPS if peaks.device == "cpu" else GPU_STEPS.get(name, 3)
            seen[name].append(contenders[name].timed(steps))
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


def _contenders(optimiser: str, networks: int, device: str = "cpu") -> dict[str, Contender]:
    """Return the contenders, all with the same weights and examples, which are drawn on the processor."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(EXAMPLES, SIZES[0], generator=generator)
    y = torch.randn(EXAMPLES, 1, generator=generator).sign()
    start = deep.Start("normal", deep.scales_by_fan_in(SIZES, 2), seed=0)
    family = deep.Family((deep.relu(SIZES[1:-1]),), networks, SIZES[0], SIZES[-1], start)
    own, of_torch = OPTIMISERS[optimiser]
    settings = deep.Settings("half-mse", own, RATE, BATCH, seed=0, shared_batches=True, device=device)
    run = deep.train_family(family, deep.ExampleSet(x, y), settings, 0)
    weights = [run.state.parameters[name].to(device) for name in family.names]

    def peer(make: Callable[..., tuple[Train, Callable[[], Weights]]], **more: Any) -> Contender:
        of_peer = make(weights, x.to(device), y.to(device), _rows(device), partial(of_torch, lr=RATE, **more))
        return _clocked(*of_peer, device)

    return {
        "sim": _own(run, device),
        "loop": peer(loop),
        "loop, fused optimiser": peer(loop, fused=True),
        "vmap": peer(vmapped),
        "products": _clocked(*_products(weights), device),
    }


def _clocked(train: Train, found: Callable[[], Weights], device: str) -> Contender:
    """Return a contender whose time is that of its training."""

    def timed(steps: int) -> float:
        begin = now(device)
        train(steps)
        return (now(device) - begin) / steps

    return Contender(train, found, timed)


def _own(run: deep.FamilyRun, device: str) -> Contender:
    """Return sim, whose time is that of its steps without the copies of the weights before and after them."""
    held = {"run": run}

    def train(steps: int, progress: Callable[[int], None] | None = None) -> None:
        own = held["run"]
        upto = own.state.step + steps
        held["run"] = deep.train_family(own.family, own.data, own.settings, upto, state=own.state, progress=progress)

    def timed(steps: int) -> float:
        begin, marks = held["run"].state.step + WARM, {}

        def mark(step: int) -> None:
            if step in (begin, begin + steps):
                marks[step] = now(device)

        train(WARM + steps, mark)
        return (marks[begin + steps] - marks[begin]) / steps

    return Contender(train, lambda: [held["run"].state.parameters[name] for name in run.family.names], timed)


def _rows(device: str) -> Iterator[torch.Tensor]:
    """Yield the rows of successive batches, those of `sim.deep` for replicates that share them."""
    for rows in rows_of_batches(EXAMPLES, BATCH, seed=0, replicates=1, device=device):
        yield rows[0]


def _products(weights: Weights) -> tuple[Train, Callable[[], Weights]]:
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


def _apart(own: Weights, other: Weights) -> float:
    """Return the norm of the difference of two sets of weights over the norm of the weights, of the worst layer.

    Single entries may differ by more: Adam moves an entry whose gradient is mere rounding by a whole rate.
    """
    return max(float((a - b).norm() / a.norm()) for a, b in zip(own, other, strict=True))


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    sizes = "-".join(map(str, found["sizes"]))
    lines = [f"{found['unit']}; {found['networks']} networks {sizes}, batch {found['batch']}"]
    lines += _lines(found)
    if found["gpu"] is None:
        return "\n".join([*lines, "no GPU: nothing was measured on one"])
    return "\n".join([*lines, "", f"GPU; {found['gpu']['unit']}", *_lines(found["gpu"])])


def _lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of what was measured on a device."""
    for optimiser, part in found["optimisers"].items():
        yield optimiser
        for name, took in part["seconds"].items():
            beside = f"   sim is {part['ratios'][name]:.1f} x" if name != "sim" else ""
            apart = f", weights apart {part['apart'][name]:.0e}" if name in part["apart"] else ""
            yield f"  {name:<22} {1e3 * took:>8.3g} ms{beside}{apart}"
        for goal in part["goals"]:
            outcome = "reached" if goal["reached"] else "missed"
            if "peer" in goal:
                yield f"  goal {goal['goal']:g} x {goal['beside']}: {outcome} ({goal['ratio']:.1f} x {goal['peer']})"
            else:
                yield f"  goal {100 * goal['goal']:.0f} % of the roofline: {outcome}"
        roof = part["roofline"]
        yield (
            f"  roofline: {1e3 * roof['least']:.3g} ms by the {roof['binds']} of the {found['peaks']['device']}; "
            f"sim reaches {100 * roof['share']:.0f} %"
        )
        yield f"  products alone would be {part['largest possible ratio to the loop']:.1f} x the loop"
