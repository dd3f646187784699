"""The fields view: the fixed point and w(t) under a time slider, and networks trained live beside the prediction."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: receptive fields")


@app.cell
def _():
    import marimo as mo

    from derivations.answers.compare import field_view
    from derivations.explore import fields
    from derivations.explore.figures.fields import fields_figure
    from derivations.explore.shell import page
    from derivations.explore.shell.session import Session
    from derivations.explore.shell.shared_problem import SHARED, attempt, python_code
    from derivations.explore.training import Training
    from theory.problem import dumps

    session = Session(SHARED)
    jobs = []  # the training that runs or has run on the present problem, if any
    get_version, set_version = mo.state(0)
    get_seen, set_seen = mo.state(0)
    return (
        Training,
        attempt,
        dumps,
        field_view,
        fields,
        fields_figure,
        get_seen,
        get_version,
        jobs,
        mo,
        page,
        python_code,
        session,
        set_seen,
        set_version,
    )


@app.cell
def _(fields, mo):
    batch = mo.ui.dropdown(fields.BATCHES, value="256", label="batch size", full_width=True)
    replicates = mo.ui.slider(5, 32, value=8, label="networks of each model", show_value=True, full_width=True)
    train_button = mo.ui.run_button(label="Train")
    stop_button = mo.ui.run_button(label="Stop", kind="danger")
    return batch, replicates, stop_button, train_button


@app.cell
def _(attempt, batch, field_view, fields, get_version, jobs, replicates, session):
    get_version()
    for old in jobs:
        old.stop()
    jobs.clear()
    problem = session.read()
    view, refused = attempt(lambda: field_view(fields.live(problem, int(batch.value), replicates.value)))
    return problem, refused, view


@app.cell
def _(mo, page, problem, view):
    snapshots = 1 if view is None else len(view.times)
    snapshot = mo.ui.slider(
        0, snapshots - 1, value=snapshots - 1, label="time t (on a logarithmic grid)", full_width=True
    )
    unit = page.unit_of(problem.network.units)
    return snapshot, unit


@app.cell
def _(mo):
    clock = mo.ui.refresh(default_interval="1s", label="refresh every")
    return (clock,)


@app.cell
def _(batch, clock, mo, page, replicates, snapshot, stop_button, train_button, unit):
    buttons = mo.hstack([train_button, stop_button], justify="start")
    page.frame("fields", mo.vstack([snapshot, unit, batch, replicates, buttons, clock], gap=0.6))
    return


@app.cell
def _(Training, fields, jobs, set_seen, train_button, view):
    if train_button.value and view is not None:
        for running in jobs:
            running.stop()
        jobs[:] = [Training(fields.rivals(view.problem))]
        set_seen(0)
    return


@app.cell
def _(jobs, stop_button):
    if stop_button.value:
        for stopped in jobs:
            stopped.stop()
    return


@app.cell
def _(
    clock, fields, get_seen, jobs, mo, page, session, set_seen, set_version, snapshot, stop_button, train_button, view
):
    clock.value, stop_button.value, train_button.value
    if jobs and jobs[0].version != get_seen():
        set_seen(jobs[0].version)
    if session.stale and not jobs:
        set_version(lambda version: version + 1)
    said = [page.overtaken()] if session.stale and jobs else []
    progress = jobs[0].progress if jobs else None
    behind = None if progress is None or view is None else fields.behind(view, snapshot.value, progress.learned)
    said += [] if behind is None else [mo.md(behind)]
    said += (
        [] if view is not None else [mo.md("Training is off: this problem has no exact prediction to compare with.")]
    )
    mo.vstack([*said, page.progress(progress)])
    return


@app.cell
def _(mo, page):
    get_tab, set_tab = mo.state(page.TABS[0])
    return get_tab, set_tab


@app.cell
def _(page, session, set_tab, set_version):
    def choose(name):
        if session.stale:  # a click reads the problem again in the same run, so that the old one is not drawn again
            set_version(lambda version: version + 1)
        set_tab(name)

    tabs = page.tabs(choose)
    page.in_a_row("fields", tabs)
    return


@app.cell
def _(get_tab):
    tab = get_tab()
    return (tab,)


@app.cell
def _(page, problem):
    editor = page.editor(problem)
    return (editor,)


@app.cell
def _(attempt, editor, session, set_version):
    taken, misread = (None, None) if editor.value is None else attempt(lambda: session.replace(editor.value))
    if taken is not None:
        set_version(lambda version: version + 1)
    return (misread,)


@app.cell
def _(
    dumps,
    editor,
    fields,
    fields_figure,
    get_seen,
    jobs,
    misread,
    page,
    problem,
    python_code,
    refused,
    snapshot,
    tab,
    unit,
    view,
):
    get_seen()
    learned = jobs[0].progress.learned if jobs else {}

    def content():
        if tab == "Problem":
            return page.problem(editor, misread, problem)
        if refused is not None:
            return page.failure(refused)
        shown = snapshot.value, learned, unit.value
        return page.content(
            tab,
            page.Answer(
                "fields",
                "Receptive fields at one time; loss, participation ratio and distance to theory against time.",
                figure=lambda: fields_figure(view, *shown),
                rows=lambda: fields.rows(view, *shown),
                csv=lambda: fields.csv(view, *shown[:2]),
                python=lambda: python_code(
                    dumps(view.problem), fields.python(snapshot.value, unit.value, bool(learned))
                ),
                latex=lambda: fields.latex(view, *shown),
            ),
        )

    content()
    return
