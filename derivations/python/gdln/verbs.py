"""The verbs: each reads its question as the command does, and returns a `Result`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from derivations.output import Answer
from derivations.threads import one_each
from gdln.calls import Array, checked
from gdln.result import verb
from theory import problem as problems
from theory.problem.toml import problem_of, tables_of

# A matrix or a list as text, or as rows of numbers, names and formulas.
Rows = str | Sequence[Any] | Array
Source = str | PathLike[str] | Mapping[str, Any] | problems.Problem


@checked
def problem(source: Source, values: Mapping[str, Any] | None = None) -> problems.Problem:
    """Return the problem of a file, of TOML text (several lines), of its tables, or of a problem itself.

    `values` are set first, by dotted key. Raises InputError with the place and the remedy.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> at_three = gdln.problem(problem_file("small-bump"), {"data.gain": 3, "simulation.replicates": 8})
    >>> at_three.data.gain, at_three.simulation.replicates
    (Fraction(3, 1), 8)
    """
    if isinstance(source, problems.Problem):
        read = source
    elif isinstance(source, Mapping):
        read = problem_of(source)
    else:
        read = problems.loads(source) if isinstance(source, str) and "\n" in source else problems.load(source)
    return read.replace(values) if values else read


def _typed(rows: Rows | None) -> str | None:
    """Return a matrix or a list as text."""
    if rows is None or isinstance(rows, str):
        return rows
    entries = np.asarray(rows).tolist() if isinstance(rows, Array) else rows
    listed = isinstance(entries, Sequence)
    return f"[{', '.join(str(_typed(entry)) for entry in entries)}]" if listed else str(entries)


@verb
def moment(
    expr: str,
    cov: Rows,
    mean: Rows | None = None,
    *,
    where: str | None = None,
    digits: int = 30,
    limit: str | None = None,
    given: str | None = None,
) -> Answer:
    """Return E[expr] of z ~ N(mean, cov) on the domain `where`: closed form, proof and certified digits.

    `limit` is a limit taken first, such as "g->oo", `given` linear observations. `.moment` is the
    `theory.gaussian.Moment`, with `evaluate` and `numeric`. Raises InputError for text that is no expression, matrix
    or domain, OutOfReachError where the engine has no rule.

    >>> import gdln
    >>> gdln.moment("relu(z1)*relu(z2)", "[[1, 1/2], [1/2, 1]]", digits=12).data["value"]
    '0.30449889052211'
    """
    from derivations.answers import moment as answers

    return answers.answer(expr, _typed(cov), _typed(mean), where, digits, limit, given=given)


@verb
def check(
    equation: str,
    cov: Rows | None = None,
    mean: Rows | None = None,
    *,
    where: str | None = None,
    digits: int = 30,
    given: str | None = None,
) -> Answer:
    """Judge an equation in parameters and E[...]: `.verdict` is proved, supported, refuted or undecided.

    Raises InputError for text that is no equation, matrix or domain, OutOfReachError where a side has no value.

    >>> import gdln
    >>> gdln.check("sqrt(x**2) = x", where="-1<x<1")
    <check: sqrt(x**2) = x for -1<x<1: refuted>
    """
    from derivations.answers import check as answers

    return answers.answer(equation, _typed(cov), _typed(mean), where, digits, given)


@verb
def solve(source: Source, values: Mapping[str, Any] | None = None, *, digits: int | None = None) -> Answer:
    """Return what gradient flow on the exact moments learns; `.solution` has `weights` (T, K, n), `at(t)` and rates.

    Raises InputError for a problem that is none, OutOfReachError where no exact solution is known.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> gdln.solve(problem_file("small-bump")).solution.weights.shape
    (6, 2, 40)
    """
    from derivations.answers import solve as answers

    return answers.answer(problem(source, values), digits)


@verb
def simulate(source: Source, values: Mapping[str, Any] | None = None, *, device: str = "auto") -> Answer:
    """Train the networks of a problem on sampled data: observables with standard errors over the replicates.

    Raises InputError for a problem without [simulation], OutOfReachError for a device that is not there, DivergedError
    where fewer than two networks settled.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> start = {"training.times": [0.0], "simulation.replicates": 64, "simulation.samples": 1000}
    >>> gdln.simulate(problem_file("small-bump"), start).to_xarray()["weights"].shape
    (1, 2, 40)
    """
    from derivations.answers import simulate as answers

    with one_each() as threads:
        return answers.answer(problem(source, values), device, threads=threads)


@verb
@one_each()
def compare(
    source: Source,
    values: Mapping[str, Any] | None = None,
    *,
    beside: Source | None = None,
    predict: Callable[[problems.Problem, float], Any] | float | None = None,
    observable: str | None = None,
    margin: float | None = None,
    level: float | None = None,
    device: str = "auto",
) -> Answer:
    """Train the networks of a problem beside the exact law of training, or beside what `predict(problem, t)` returns.

    A function is judged by the test of the claims: `.verdict` is equivalent, different or undecided. It returns the
    numbers of one network at the time t for the `observable`, weights if None: (K, n) for weights, (K,) for what each
    unit has, such as its participation-ratio, a number for the loss; a number in its place is constant. Equivalent is
    what the test does not reject at `level`, 0.01, and what lies within `margin`, 0.02, of the largest prediction for
    certain. `beside` "relu", or a problem of ReLU units on the same data, trains ReLU networks beside the gated
    prediction: `.cosine` and `.overlap` are of each unit, (S, T, K). Raises as `solve` and `simulate` do, and
    InputError for numbers of another shape and problems that do not fit together.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> start = {"training.times": [0.0], "simulation.replicates": 64, "simulation.samples": 1000}
    >>> gdln.compare(problem_file("small-bump"), start, predict=0.5, observable="loss", margin=0.05).verdict
    'equivalent'
    """
    question = problem(source, values)
    settings = _stated(observable=observable, margin=margin, level=level)
    if predict is None:
        _refuse(settings, "without predict nothing is judged")
    if beside is not None:
        from derivations.answers import relu_compare as answers

        _refuse(_stated(predict=predict), "beside names another comparison")
        named = isinstance(beside, str) and "\n" not in beside and not beside.endswith(".toml")
        return answers.answer(question, beside if named else problem(beside), device)
    if predict is None:
        from derivations.answers import compare as answers

        return answers.answer(question, device)
    from derivations.answers import predicted

    function = predict if callable(predict) else lambda _problem, _t: predict
    return predicted.answer(question, function, device=device, **settings)


def _stated(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _refuse(settings: Mapping[str, Any], why: str) -> None:
    """Raise InputError for settings that would be ignored."""
    if settings:
        raise problems.InputError(f"{' and '.join(settings)} would be ignored: {why}.", "Leave it out.", "usage")


@verb
def fields(
    source: Source,
    values: Mapping[str, Any] | None = None,
    *,
    of: str = "theory",
    time: float | None = None,
    networks: int = 4,
) -> Answer:
    """Fit every unit's field by a Gabor function and a difference of Gaussians, of "theory" or of "networks".

    `time` is one of the problem's, the last one if None; theory also has infinity. Raises InputError for another time
    or origin, OutOfReachError for laws without a grid.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> grid = gdln.problem(problem_file("grid"), {"data.shape": [4, 4]})
    >>> len(gdln.fields(grid).data["fields"]) == grid.network.units
    True
    """
    from derivations.answers import fields as answers
    from theory.problem.numbers import one_of

    with one_each() if one_of(of, "of", answers.SOURCES) == "networks" else nullcontext():
        return answers.answer(problem(source, values), of, time, networks)


@verb
def flow(source: Source, values: Mapping[str, Any] | None = None, *, weight: str | None = None) -> Answer:
    """Derive tau dW/dt of every weight of a gated graph, or of one, from its paths, each step checked.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> gdln.flow(problem_file("race")).data["proved"]
    True
    """
    from derivations.answers import flow as answers

    return answers.answer(problem(source, values), weight)


@verb
def data(
    source: Source | Array | Sequence[Any],
    values: Mapping[str, Any] | None = None,
    *,
    labels: Array | Sequence[Any] | str | PathLike[str] | None = None,
    grid: str | Sequence[int] | None = None,
) -> Answer:
    """Return mean, variance, kurtosis, covariance and spectrum of inputs, and what to expect of a ReLU neuron.

    `source` is a problem, an array (N, n) or (N, rows, columns), or a data file as `gdln data show` takes it; `labels`
    and the `grid`, "8x8" or (8, 8), belong to the latter two. Raises InputError for arrays and files that do not fit.

    >>> import gdln
    >>> import numpy as np
    >>> gdln.data(np.array([[1.0, 0.0], [0.0, 2.0]])).data["classes"][0]["variance"]
    [0.25, 1.0]
    """
    from derivations.answers import data_show
    from derivations.answers.data_files import examples, grid_of, is_data

    is_file = isinstance(source, str | PathLike) and "\n" not in str(source) and is_data(Path(source))
    if not is_file and isinstance(source, str | PathLike | Mapping | problems.Problem):
        _refuse(_stated(labels=labels, grid=grid), "a problem declares its own")
        return data_show.answer(problem(source, values).data)
    _refuse(_stated(values=values), "it changes a problem, and data are none")
    shape = grid if grid is None or isinstance(grid, str) else "x".join(map(str, grid))
    if labels is not None and is_file != isinstance(labels, str | PathLike):
        message = "Of inputs and labels one is a file, the other an array."
        raise problems.InputError(message, "Give two files or two arrays.", "usage")
    if is_file:
        return data_show.shown(source, labels=None if labels is None else Path(labels), grid=shape)
    arrays = {name: np.asarray(array) for name, array in _stated(x=source, y=labels).items()}
    return data_show.of_file(examples(arrays, Path("the array"), grid_of(shape)))


@verb
def ntk(
    activation: str,
    depth: int,
    corr: str | float,
    *,
    norms: Rows = "[1, 1]",
    gain: str | float = "1",
    kernel: str = "ntk",
    weight_variance: str | float | None = None,
    bias_variance: str | float = "0",
    last: str = "alike",
    digits: int = 30,
) -> Answer:
    """Return a kernel of a fully connected network of infinite width at two inputs, with certified digits.

    The arguments are the options of `gdln ntk`. Raises InputError for text that is no number, formula or name,
    OutOfReachError where the activation has no dual.

    >>> import gdln
    >>> gdln.ntk("relu", 3, "1/2", digits=5).found.value
    '1.35148'
    """
    from derivations.answers import ntk as answers

    variances = None if weight_variance is None else str(weight_variance), str(bias_variance)
    options = (_typed(norms), str(gain), kernel, *variances, last, digits)
    return answers.answer(answers.Question(activation, depth, str(corr), *options))


@verb
def gram(
    width: int | None = None,
    depth: int | None = None,
    *,
    gates: str = "all-on",
    weights: str = "bernoulli",
    cross: bool = False,
    widths: Rows | None = None,
    x: Rows | None = None,
    other: Rows | None = None,
    tail: str | float | None = None,
) -> Answer:
    """Return mean and variance of a gated network's tangent kernel at initialisation, in fractions.

    The arguments are the options of `gdln gram`; `widths`, `x` and `other` are lists, or text such as "30,50,20".

    >>> import gdln
    >>> str(gdln.gram(10, 3).mean)
    '300'
    """
    from derivations.answers import gram as answers

    lists = {"widths": widths, "x": x, "other": other}
    texts = {name: str(_typed(rows)).strip("[]") for name, rows in _stated(**lists).items()}
    return answers.answer(width, depth, gates, weights, cross, tail=None if tail is None else str(tail), **texts)


@verb
def ledger(
    document: str | None = None, verdict: str | None = None, *, folder: str | PathLike[str] | None = None
) -> Answer:
    """Return what the sources print and what holds, of one document or of one verdict, or all; nothing is run.

    With `folder` the claims of the notes in it. Raises InputError for a document without claims, or a verdict that does
    not exist.

    >>> import gdln
    >>> gdln.ledger("small-bump-gate", "CORRECTED").counts
    {'CORRECTED': 2}
    """
    from derivations.answers import ledger as answers

    return answers.answer(document, verdict) if folder is None else answers.of_notes(Path(folder), document, verdict)


@verb
def sweep(
    source: Source,
    values: Mapping[str, Sequence[Any] | Array] | None = None,
    *,
    observables: str | Sequence[str] | None = None,
    folder: str | PathLike[str] | None = None,
    workers: int = 1,
) -> Answer:
    """Train the networks of every cell of a sweep that its store `folder` lacks; `.to_xarray()` has all results.

    The source is a sweep file, or a problem with the `values` of each field by its dotted key; of these the loss is
    measured if there are no `observables`. Processes are started, as for `validate`. Raises InputError for a cell that
    is no problem, and a folder that is no store.

    >>> import gdln
    >>> from derivations.experiments.folders import problem_file
    >>> from tempfile import TemporaryDirectory
    >>> start = {"training.times": [0.0], "simulation.replicates": 64, "simulation.samples": 1000}
    >>> bump = gdln.problem(problem_file("small-bump"), start)
    >>> with TemporaryDirectory() as folder:
    ...     gdln.sweep(bump, {"data.gain": [1, 2]}, folder=f"{folder}/store").to_xarray()["loss"].shape
    (2, 64, 1)
    """
    from derivations.answers import sweep as answers
    from theory.problem import load_sweep
    from theory.problem.sweep import Axis, Sweep

    if values is None:
        _refuse(_stated(observables=observables), "a sweep file names its own")
        if not isinstance(source, str | PathLike):
            raise problems.InputError("The problem has no values to sweep over.", 'Write {"data.gain": [0.5, 1]}, say.')
        declared = load_sweep(Path(source))
    else:
        base = tables_of(problems.dumps(problem(source)), "problem")
        axes = tuple(
            Axis(field, tuple(np.asarray(each).tolist() if isinstance(each, Array) else each))
            for field, each in values.items()
        )
        measured = (observables,) if isinstance(observables, str) else tuple(observables or ("loss",))
        declared = Sweep(base, axes, measured, str(folder or "gdln-sweep"))
    return answers.answer(declared, None if folder is None else Path(folder), workers=workers)


@verb
@one_each()
def reproduce(*names: str, profile: str = "quick", folder: str | PathLike[str] | None = None) -> Answer:
    """Repeat experiments of the sources, each statement with its interval and verdict; without names the scoreboard.

    Finished cells of the store `folder` are kept. Raises InputError for an unknown name or profile, OutOfReachError
    where images are missing.

    >>> import gdln
    >>> gdln.reproduce().text.splitlines()[0]
    'Verdicts and costs of the full profile. The quick one, the default, takes seconds to minutes.'
    """
    from derivations.answers import reproduce as answers
    from derivations.reproductions.stored import DEFAULT_STORE

    if not names:
        return answers.scoreboard()
    return answers.answer(names, profile, DEFAULT_STORE if folder is None else Path(folder))


@verb
@one_each()
def validate(
    claims: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    *,
    profile: str = "quick",
    folder: str | PathLike[str] = "gdln-report",
) -> Answer:
    """Judge the claims whose ids begin with `claims` (all by default), or a note's, NOTE.toml; report into `folder`.

    Processes are started, which import the program that calls: guard its main part by `if __name__ == "__main__":`.
    Raises InputError for an unknown claim or profile, and for a folder that holds other files.

    >>> import gdln
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     note = Path(folder, "note.toml")
    ...     _ = note.write_text("[[claim]]\\nsays = 'E[z1**4] = 3'\\ncov = '[[1]]'")
    ...     gdln.validate(note, folder=f"{folder}/report").data["claims"][0]["verdict"]
    'CONFIRMED'
    """
    from derivations.answers import validate as answers

    names = (str(claims),) if isinstance(claims, str | PathLike) else tuple(map(str, claims))
    return answers.answer(names, profile, Path(folder))
