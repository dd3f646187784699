"""The graph view: the drawing of a gated graph, its flow, and the strengths of its paths beside trained networks."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: graph")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import graphs
    from derivations.explore.fields import BATCHES
    from derivations.explore.figures.graphs import graph_figure
    from derivations.explore.shell import page
    from derivations.explore.shell.session import Session
    from derivations.explore.shell.shared_problem import SHARED, attempt, python_code
    from derivations.explore.training import Training
    from derivations.publish.graph_drawing import drawing
    from theory.problem import dumps

    session = Session(SHARED)
    jobs = []  # the training that runs or has run on the present problem, if any
    get_version, set_version = mo.state(0)
    get_seen, set_seen = mo.state(0)
    return (
        BATCHES,
        Training,
        attempt,
        drawing,
        dumps,
        get_seen,
        get_version,
        graph_figure,
        graphs,
        jobs,
        mo,
        page,
        python_code,
        session,
        set_seen,
        set_version,
    )


@app.cell
def _(BATCHES, graphs, mo):
    w0 = mo.ui.dropdown(graphs.FACTORS, value="1", label="initial weights times", full_width=True)
    tau = mo.ui.dropdown(graphs.FACTORS, value="1", label="tau times", full_width=True)
    batch = mo.ui.dropdown(BATCHES, value="256", label="batch size", full_width=True)
    replicates = mo.ui.slider(2, 32, value=8, label="networks", show_value=True, full_width=True)
    train_button = mo.ui.run_button(label="Train")
    stop_button = mo.ui.run_button(label="Stop", kind="danger")
    example = mo.ui.run_button(label="Open the race")
    return batch, example, replicates, stop_button, tau, train_button, w0


@app.cell
def _(example, graphs, session, set_version):
    if example.value:
        session.read()
        session.replace(graphs.EXAMPLE.read_text(encoding="utf-8"))
        set_version(lambda version: version + 1)
    return


@app.cell
def _(attempt, batch, get_version, graphs, jobs, replicates, session, tau, w0):
    get_version()
    for old in jobs:
        old.stop()
    jobs.clear()
    problem = session.read()
    shown, refused = attempt(
        lambda: graphs.graph_page(problem, w0.value, tau.value, int(batch.value), replicates.value)
    )
    return problem, refused, shown


@app.cell
def _(graphs, mo, shown):
    names = (graphs.NO_WEIGHT, *(() if shown is None else shown.flow.flow.weights))
    through = mo.ui.dropdown(names, value=graphs.NO_WEIGHT, label="highlight the paths through", full_width=True)
    return (through,)


@app.cell
def _(mo):
    clock = mo.ui.refresh(default_interval="1s", label="refresh every")
    return (clock,)


@app.cell
def _(batch, clock, example, mo, page, replicates, stop_button, tau, through, train_button, w0):
    buttons = mo.hstack([train_button, stop_button, example], justify="start")
    page.frame("graph", mo.vstack([w0, tau, through, batch, replicates, buttons, clock], gap=0.6))
    return


@app.cell
def _(Training, graphs, jobs, set_seen, shown, train_button):
    if train_button.value and shown is not None:
        for running in jobs:
            running.stop()
        jobs[:] = [Training({graphs.NETWORKS: shown.problem})]
        set_seen(0)
    return


@app.cell
def _(jobs, stop_button):
    if stop_button.value:
        for stopped in jobs:
            stopped.stop()
    return


@app.cell
def _(clock, get_seen, jobs, mo, page, session, set_seen, set_version, shown, stop_button, train_button):
    clock.value, stop_button.value, train_button.value
    if jobs and jobs[0].version != get_seen():
        set_seen(jobs[0].version)
    if session.stale and not jobs:
        set_version(lambda version: version + 1)
    said = [page.overtaken()] if session.stale and jobs else []
    said += [] if shown is not None else [mo.md("Training is off: there is no prediction to compare with.")]
    mo.vstack([*said, page.progress(jobs[0].progress if jobs else None)])
    return


@app.cell
def _(mo, page):
    get_tab, set_tab = mo.state(page.TABS[0])
    return get_tab, set_tab


@app.cell
def _(graphs, page, session, set_tab, set_version):
    def choose(name):
        if session.stale:  # a click reads the problem again in the same run, so that the old one is not drawn again
            set_version(lambda version: version + 1)
        set_tab(name)

    tabs = page.tabs(choose, graphs.TABS)
    page.in_a_row("graph", tabs)
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
    drawing,
    dumps,
    editor,
    get_seen,
    graph_figure,
    graphs,
    jobs,
    misread,
    page,
    problem,
    python_code,
    refused,
    shown,
    tab,
    through,
):
    get_seen()
    learned = jobs[0].progress.learned if jobs else {}

    def content():
        if tab == "Problem":
            return page.problem(editor, misread, problem)
        if refused is not None:
            return page.failure(refused)
        if tab == graphs.FLOW:
            return page.code(graphs.equations(shown), "text")
        flow = shown.flow.flow
        chosen = None if through.value == graphs.NO_WEIGHT else through.value
        return page.content(
            tab,
            page.Answer(
                "graph",
                "Loss, strengths of paths and sizes of weights against time.",
                figure=lambda: graph_figure(shown, learned),
                rows=lambda: graphs.rows(shown, learned),
                csv=lambda: graphs.csv(shown, learned),
                python=lambda: python_code(dumps(shown.problem), graphs.python()),
                latex=lambda: shown.flow.text("latex"),
                notes=(
                    page.remark([graphs.sentence(shown)]),
                    page.drawn(drawing(flow.graph, flow.paths, chosen)),
                ),
            ),
        )

    content()
    return
