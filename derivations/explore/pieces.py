"""A ReLU network's gates, replayed: gated-linear networks whose gates stay as they were at a few recorded times."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from derivations.explore.training import Learned
from theory.problem import InputError, Problem

MOST_PIECES = 8
END = "end"
CHOICES = (*map(str, range(1, MOST_PIECES + 1)), END)


def name_of(pieces: str) -> str:
    """Return the name of a replay on the page.

    >>> name_of("1"), name_of("4"), name_of("end")
    ('gates of the start', 'gates frozen in 4 pieces', 'gates of the end')
    """
    if pieces == END:
        return "gates of the end"
    return "gates of the start" if pieces == "1" else f"gates frozen in {pieces} pieces"


def recorded_times(problem: Problem, pieces: str) -> tuple[Fraction, ...]:
    """Return the times at which gates are recorded: the start of each of equal pieces, in whole steps, or the end.

    Raises InputError for a number of pieces that is none, and where the training has fewer steps than pieces.
    """
    if pieces not in CHOICES:
        raise InputError(f"{pieces!r} is no number of pieces.", f"Choose 1 to {MOST_PIECES}, or {END!r}.")
    last = problem.training.times[-1]
    if pieces == END:
        return (last,)
    step = problem.training.tau * problem.simulated().learning_rate
    count, steps = int(pieces), int(last / step)
    if steps < count:
        raise InputError(
            f"The training has {steps} steps, fewer than {count} pieces.", "Choose fewer pieces or train longer."
        )
    return tuple(step * (steps * piece // count) for piece in range(count))


def replayed(problem: Problem, pieces: str, report: Callable[[float], None]) -> Learned:
    """Return the networks that replay the gates of the ReLU networks of `problem`, at its times.

    The ReLU networks are trained once more, with their gates recorded: the same streams give the same networks.
    `report` receives the share of the work that is done. Raises OutOfReachError for other models.
    """
    from sim.record import loss, record, replay
    from sim.train import train

    starts = recorded_times(problem, pieces)
    times = tuple(sorted({*starts, *problem.training.times}))
    whole = replace(problem, training=replace(problem.training, times=times))
    trained = train(whole, "cpu", progress=lambda done, total: report(done / total / 2), compile_steps=False)
    gates = record(trained).at(*starts)
    mode = "frozen" if len(starts) == 1 else "piecewise"
    again = replay(problem, gates, mode, device="cpu", progress=lambda done, total: report((1 + done / total) / 2))
    return Learned(again.weights, loss(again, gates, "cpu").values, again.parameters)
