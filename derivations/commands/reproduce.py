"""`gdln reproduce`: the experiments of the sources, repeated from their registered definitions, with a verdict each."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Experiments to run; without one all are listed.")
    ] = None,
    profile: Annotated[str, typer.Option(help="quick, a stated reduction, or full, the size of the source.")] = "quick",
    store: Annotated[Path | None, typer.Option(help="Folder of the cells; by default gdln-reproduce.")] = None,
    device: Annotated[
        str, typer.Option(help="auto, cpu or cuda; auto takes a GPU for deep networks that train on one.")
    ] = "auto",
    workers: Annotated[int, typer.Option(help="Processes; with 1, cells are computed in this one.")] = 1,
    engine: Annotated[str, typer.Option(help="local; slurm or dask, as of gdln sweep.")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="dask: address; by default a cluster on this machine.")] = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Repeat experiments of the sources: printed value, measured value with its interval, verdict. Runs resume."""
    from derivations import output

    def body() -> int:
        from derivations.answers import reproduce
        from derivations.progress import bars
        from derivations.reproductions.stored import DEFAULT_STORE
        from theory.problem import InputError

        if not names:
            options = {"--store": store is not None, "--device": device != "auto", "--profile": profile != "quick"}
            for option in (option for option, is_given in options.items() if is_given):
                raise InputError(f"{option} is for experiments that run, and none is named.", "Name one.", "usage")
            output.show("reproduce", reproduce.scoreboard(), json)
            return output.PASS
        with bars() as report:
            answer = reproduce.answer(
                names,
                profile,
                DEFAULT_STORE if store is None else store,
                lambda name: lambda done, total: report(name, name, done / total),
                device,
                (engine, workers, scheduler),
            )
        output.show("reproduce", answer, json)
        return answer.exit_code

    return output.run(body, json, timeout)
