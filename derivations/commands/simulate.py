"""`gdln simulate`: train the networks of a problem file on sampled data and measure what they learned."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import typer

MAY_BEGIN_WITH_MINUS = False
_UPDATES = 200


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with a [simulation] table.")],
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="Write every replicate's values to this .npz file.")] = None,
    backend: Annotated[str, typer.Option(help="auto, reference, compiled (CPU) or captured (GPU).")] = "auto",
    memory: Annotated[float | None, typer.Option(help="GiB that networks trained side by side may take.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Train the networks of PROBLEM and print the observables with their standard errors over replicates."""
    from derivations.atomic import check_archive
    from derivations.output import PASS, emit, run

    def body() -> int:
        from theory.problem import load
        from theory.problem.numbers import exact

        question = load(problem)
        limit = None if memory is None else int(exact(memory, "--memory") * 2**30)
        how = {"backend": backend, "memory": limit}
        if out is None:
            payload, _ = _simulate(question, device, how)
        else:
            check_archive(out, problem)
            with _aside(out) as file:
                payload, arrays = _simulate(question, device, how)
                _write(file, question, arrays)
        emit("simulate", payload, _text(payload, question.training.loss, out), json)
        return PASS

    return run(body, json)


def _simulate(problem: Any, device: str, how: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer for a reader, and every replicate's values for a file."""
    from sim.measure import measure
    from sim.train import train
    from sim.training.schedule import refuse_endless_measurement
    from theory.problem import (
        BiasesAtTimes,
        InputError,
        InputOutputMoment,
        LossAtTimes,
        LowFrequencyPowerAtTimes,
        ParticipationRatioAtTimes,
        ReadoutAtTimes,
        WeightsAtTimes,
    )

    observables = {
        "weights": WeightsAtTimes(),
        "loss": LossAtTimes(),
        "participation_ratio": ParticipationRatioAtTimes(),
        "low_frequency_power": LowFrequencyPowerAtTimes(),
    }
    if problem.network.has_biases:
        observables["biases"] = BiasesAtTimes()
    if problem.network.trains_readout:
        observables["readout"] = ReadoutAtTimes()
    if problem.network.gates:
        observables["input_output_moment"] = InputOutputMoment()
    refuse_endless_measurement(problem, problem.simulated().replicates)
    with _progress() as (train_progress, measuring):
        trained = train(problem, device, progress=train_progress, **how)
        payload: dict[str, Any] = {"times": trained.times, "readout": None, "readout_standard_error": None}
        arrays = {
            "times": trained.times,
            "replicates": trained.replicates,
            "diverged": trained.diverged,
            "all_weights": trained.weights,
        }
        if trained.biases is not None:
            arrays["all_biases"] = trained.biases
        if trained.readout is not None:
            arrays["all_readout"] = trained.readout
        for name, observable in observables.items():
            measuring(name)
            try:
                estimate = measure(observable, trained, device)
            except InputError as error:
                if error.kind != "undefined":
                    raise
                # A unit that has only zero weights has no shape; the other observables stand.
                payload |= {name: None, f"{name}_standard_error": None}
                continue
            error = None if estimate.one_cluster else estimate.standard_error
            payload |= {name: estimate.mean, f"{name}_standard_error": error}
            arrays[name] = estimate.values
    payload |= _apart(payload)
    payload |= {
        "replicates": len(trained.replicates),
        "diverged": int(trained.diverged.sum()),
        "device": trained.device,
        "backend": trained.backend,
        "fallback": trained.fallback,
        "seed": trained.seed,
        "steps": trained.steps,
    }
    return payload, arrays


def _apart(payload: dict[str, Any]) -> dict[str, Any]:
    """Hidden biases and output bias by themselves; null for a network without biases, as in gdln solve."""
    answer = {}
    for end in ("", "_standard_error"):
        both = payload.pop(f"biases{end}", None)
        answer[f"hidden_biases{end}"] = None if both is None else both[:, :-1]
        answer[f"output_bias{end}"] = None if both is None else both[:, -1]
    return answer


@contextmanager
def _progress() -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """A bar on stderr: the callback of training, and one that names what is measured."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("training", total=None)
        shown = 0

        def trained(done: int, total: int) -> None:
            nonlocal shown
            if done == total or done - shown >= total / _UPDATES:
                shown = done
                bar.update(task, completed=done, total=total)

        yield trained, lambda name: bar.update(task, description=f"measuring {name.replace('_', ' ')}")


@contextmanager
def _aside(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place when the block ends well, and is removed otherwise."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write(file: IO[bytes], problem: Any, arrays: dict[str, Any]) -> None:
    import numpy as np

    from theory.problem import dumps

    np.savez(file, problem=np.array(dumps(problem)), **arrays)


def _text(payload: dict[str, Any], kind: str, out: Path | None) -> str:
    total, lost = payload["replicates"], payload["diverged"]
    penalty = "<log(1+e^(-y yhat))>" if kind == "cross-entropy" else "<(y-yhat)^2>"
    lines = [
        f"{total} replicates, {payload['steps']} steps, device {payload['device']}, seed {payload['seed']}",
        "",
        "mean (standard error) over replicates; per unit where units are listed",
        f"{'t':>10}  {penalty:>20}  {'participation ratio':<24}  low-frequency power",
    ]
    for index, time in enumerate(payload["times"]):
        loss = _shown(payload, "loss", index)
        ratio, power = (_per_unit(payload, name, index) for name in ("participation_ratio", "low_frequency_power"))
        lines.append(f"{time:>10g}  {loss:>20}  {ratio:<24}  {power}")
    last = payload["weights"][-1]
    lines += ["", f"largest weight of each unit at t = {payload['times'][-1]:g}"]
    for unit, row in enumerate(last):
        site = int(abs(row).argmax())
        lines.append(f"  unit {unit}: {_shown(payload, 'weights', -1, unit, site)} at site {site}")
    if payload["output_bias"] is not None:
        hidden = _per_unit(payload, "hidden_biases", -1)
        output = _shown(payload, "output_bias", -1)
        lines += ["", f"biases at t = {payload['times'][-1]:g}", f"  output: {output}", f"  units from 0: {hidden}"]
    if payload["readout"] is not None:
        weights = _per_unit(payload, "readout", -1)
        lines += ["", f"readout weights at t = {payload['times'][-1]:g}, units from 0: {weights}"]
    if lost:
        lines += ["", f"{lost} of {total} replicates diverged and are left out: the means are over the others."]
    if out is not None:
        lines += ["", f"Written: {out}"]
    return "\n".join(lines)


def _per_unit(payload: dict[str, Any], name: str, index: int) -> str:
    if payload[name] is None:
        return "undefined (a unit has only zero weights)"
    shown = [_shown(payload, name, index, unit) for unit in range(len(payload[name][index]))]
    return " ".join(shown[:4]) + (" ..." if len(shown) > 4 else "")


def _shown(payload: dict[str, Any], name: str, *place: int) -> str:
    """An entry with its standard error; alone where the replicates are one cluster."""
    value, error = payload[name][place], payload[f"{name}_standard_error"]
    return f"{value:.4g}" if error is None else _with_error(value, error[place])


def _with_error(value: float, error: float) -> str:
    return f"{value:.4g} ({error:.1g})"
