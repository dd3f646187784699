"""The gates view: site gates, slabs and open gates by slider; moments through them, exact over measured."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: gates")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import gates
    from derivations.explore.data import sampler_is_loaded
    from derivations.explore.figures.gates import gates_figure
    from derivations.explore.shell import page
    from derivations.explore.shell.session import Session, with_moved_gates
    from derivations.explore.shell.shared_problem import SHARED, attempt, python_code
    from theory.problem import dumps

    session = Session(SHARED)
    get_version, set_version = mo.state(0)
    return (
        attempt,
        dumps,
        gates,
        gates_figure,
        get_version,
        mo,
        page,
        python_code,
        sampler_is_loaded,
        session,
        set_version,
        with_moved_gates,
    )


@app.cell
def _(get_version, mo, page, session):
    get_version()
    units = page.unit_count(session.read())
    adopt = mo.ui.run_button(label="Make it gated-linear")
    return adopt, units


@app.cell
def _(page, session, units):
    inputs = page.gate_widgets(session.shared, units.value)
    pair = page.pair_of_units(units.value)
    return inputs, pair


@app.cell
def _(inputs, mo, page, pair, units):
    page.frame("gates", mo.vstack([units, *inputs.values(), mo.hstack(list(pair.values()))], gap=0.2))
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
    page.in_a_row("gates", tabs)
    return


@app.cell
def _(get_tab):
    tab = get_tab()
    return (tab,)


@app.cell
def _(adopt, attempt, inputs, session, set_version, units, with_moved_gates):
    overtaken = session.stale or adopt.value
    values = {"units": units.value, **inputs.value}
    problem, refused = attempt(lambda: with_moved_gates(session, units, values, adopt.value))
    if overtaken:
        set_version(lambda version: version + 1)
    return problem, refused


@app.cell
def _(page, problem, session):
    editor = page.editor(session.problem if problem is None else session.shared)
    return (editor,)


@app.cell
def _(attempt, editor, session, set_version):
    taken, misread = (None, None) if editor.value is None else attempt(lambda: session.replace(editor.value))
    if taken is not None:
        set_version(lambda version: version + 1)
    return (misread,)


@app.cell
def _(
    adopt,
    attempt,
    dumps,
    editor,
    gates,
    gates_figure,
    misread,
    mo,
    page,
    pair,
    problem,
    python_code,
    refused,
    sampler_is_loaded,
    session,
    tab,
):
    p, q = pair.value["p"], pair.value["q"]
    kept = () if session.problem.network.gates else (page.keeps_its_network(session.problem, adopt),)

    def content(view):
        remarks = gates.remarks(view, p)
        said = (page.remark(remarks),) if remarks else ()
        return page.content(
            tab,
            page.Answer(
                "gates",
                "Second moments of the input through two gates, and moments of input and output through each gate.",
                figure=lambda: gates_figure(view, p, q),
                rows=lambda: gates.rows(view),
                csv=lambda: gates.csv(view, p, q),
                python=lambda: python_code(dumps(problem), gates.PYTHON),
                latex=lambda: gates.latex(view),
                notes=(*kept, *said, *(() if view.refused is None else (page.failure(view.refused),))),
            ),
        )

    if tab == "Problem":
        mo.output.replace(page.problem(editor, misread, session.problem))
    elif refused is not None:
        mo.output.replace(mo.vstack([*kept, page.failure(refused)]))
    else:
        exact = None if sampler_is_loaded() else gates.gate_view(problem, measured=False)
        if exact is not None and exact.refused is None:  # loading the simulator takes seconds, once
            mo.output.replace(content(exact))
        measured, failed = attempt(lambda: gates.gate_view(problem))
        mo.output.replace(content(measured) if failed is None else mo.vstack([*kept, page.failure(failed)]))
    return
