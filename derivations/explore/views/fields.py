"""The fields view: the fixed point and w(t) under a time slider, and networks trained live beside the prediction."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: receptive fields")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import page
    from derivations.explore.board import BOARD, attempt, python_code
    from derivations.explore.fields import (
        BATCHES,
        PYTHON,
        csv,
        field_view,
        fields_figure,
        latex,
        live,
        rivals,
        rows,
    )
    from derivations.explore.training import Training
    from theory.problem import dumps

    return (
        BATCHES,
        BOARD,
        PYTHON,
        Training,
        attempt,
        csv,
        dumps,
        field_view,
        fields_figure,
        latex,
        live,
        mo,
        page,
        python_code,
        rivals,
        rows,
    )


@app.cell
def _(mo):
    get_version, set_version = mo.state(0)
    get_seen, set_seen = mo.state(0)
    jobs = []  # the training that runs or has run on the present problem, if any
    return get_seen, get_version, jobs, set_seen, set_version


@app.cell
def _(BATCHES, mo):
    batch = mo.ui.dropdown(BATCHES, value="256", label="examples a step", full_width=True)
    replicates = mo.ui.slider(4, 32, value=8, label="networks of each kind", show_value=True, full_width=True)
    train_button = mo.ui.run_button(label="Train")
    stop_button = mo.ui.run_button(label="Stop", kind="danger")
    return batch, replicates, stop_button, train_button


@app.cell
def _(BOARD, attempt, batch, field_view, get_version, jobs, live, replicates):
    get_version()
    for old in jobs:
        old.stop()
    jobs.clear()
    view, refused = attempt(lambda: field_view(live(BOARD.problem, int(batch.value), replicates.value)))
    return refused, view


@app.cell
def _(mo, view):
    marks = 1 if view is None else len(view.times)
    mark = mo.ui.slider(0, marks - 1, value=marks - 1, label="time (mark of the grid)", full_width=True)
    return (mark,)


@app.cell
def _(mo):
    clock = mo.ui.refresh(default_interval="1s", label="look again every")
    return (clock,)


@app.cell
def _(batch, clock, mark, mo, page, replicates, stop_button, train_button):
    buttons = mo.hstack([train_button, stop_button], justify="start")
    page.frame("fields", mo.vstack([mark, batch, replicates, buttons, clock], gap=0.6))
    return


@app.cell
def _(Training, jobs, rivals, set_seen, train_button, view):
    if train_button.value and view is not None:
        for running in jobs:
            running.stop()
        jobs[:] = [Training(rivals(view.problem))]
        set_seen(0)
    return


@app.cell
def _(jobs, stop_button):
    if stop_button.value:
        for stopped in jobs:
            stopped.stop()
    return


@app.cell
def _(clock, get_seen, jobs, page, set_seen, stop_button, train_button):
    clock.value, stop_button.value, train_button.value
    if jobs and jobs[0].version != get_seen():
        set_seen(jobs[0].version)
    page.progress(jobs[0].progress if jobs else None)
    return


@app.cell
def _(page):
    tab = page.tabs()
    tab
    return (tab,)


@app.cell
def _(BOARD, dumps, page, view):
    editor = page.editor(dumps(BOARD.problem if view is None else view.problem))
    return (editor,)


@app.cell
def _(BOARD, attempt, editor, set_version):
    taken, misread = (None, None) if editor.value is None else attempt(lambda: BOARD.read(editor.value))
    if taken is not None:
        set_version(lambda version: version + 1)
    return (misread,)


@app.cell
def _(
    BOARD,
    PYTHON,
    csv,
    dumps,
    editor,
    fields_figure,
    get_seen,
    jobs,
    latex,
    mark,
    misread,
    mo,
    page,
    python_code,
    refused,
    rows,
    tab,
    view,
):
    get_seen()
    learned = jobs[0].progress.learned if jobs else {}

    def content():
        if tab.value == "Problem":
            return page.problem(editor, misread, dumps(BOARD.problem))
        if refused is not None:
            return page.failure(refused)
        if tab.value == "Python":
            return page.code(python_code(dumps(view.problem), PYTHON), "python")
        if tab.value == "LaTeX":
            return page.code(latex(view, mark.value, learned), "latex")
        if tab.value == "Save":
            return page.files(
                "fields",
                lambda: fields_figure(view, mark.value, learned),
                lambda: csv(view, mark.value, learned),
            )
        says = "Receptive fields at one time; loss, participation ratio and distance to theory against time."
        image = page.image(fields_figure(view, mark.value, learned), says)
        return mo.vstack([image, page.table(rows(view, mark.value, learned), "numbers")])

    content()
    return
