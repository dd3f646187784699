"""The gates view: site gates, slabs and open gates by slider; moments through them, exact over measured."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: gates")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import page
    from derivations.explore.board import BOARD, attempt, python_code
    from derivations.explore.data import sampler_is_loaded
    from derivations.explore.gates import PYTHON, csv, gate_view, gates_figure, latex, rows, with_gates
    from theory.problem import dumps

    return (
        BOARD,
        PYTHON,
        attempt,
        csv,
        dumps,
        gate_view,
        gates_figure,
        latex,
        mo,
        page,
        python_code,
        rows,
        sampler_is_loaded,
        with_gates,
    )


@app.cell
def _(mo):
    get_version, set_version = mo.state(0)
    return get_version, set_version


@app.cell
def _(BOARD, get_version, page):
    get_version()
    units = page.unit_count(BOARD.problem)
    return (units,)


@app.cell
def _(BOARD, page, units):
    inputs = page.gate_widgets(BOARD.problem, units.value)
    pair = page.pair_of_units(units.value)
    return inputs, pair


@app.cell
def _(inputs, mo, page, pair, units):
    page.frame("gates", mo.vstack([units, *inputs.values(), mo.hstack(list(pair.values()))], gap=0.2))
    return


@app.cell
def _(page):
    tab = page.tabs()
    tab
    return (tab,)


@app.cell
def _(BOARD, attempt, inputs, page, with_gates):
    problem, refused = attempt(lambda: BOARD.put(with_gates(BOARD.problem, page.gates_of(BOARD.problem, inputs.value))))
    return problem, refused


@app.cell
def _(BOARD, dumps, page, problem):
    editor = page.editor(dumps(problem or BOARD.problem))
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
    gate_view,
    gates_figure,
    latex,
    misread,
    mo,
    page,
    pair,
    problem,
    python_code,
    refused,
    rows,
    sampler_is_loaded,
    tab,
):
    p, q = pair.value["p"], pair.value["q"]

    def content(view):
        if tab.value == "Python":
            return page.code(python_code(dumps(problem), PYTHON), "python")
        if tab.value == "LaTeX":
            return page.code(latex(view), "latex")
        if tab.value == "Save":
            return page.files("gates", lambda: gates_figure(view, p, q), lambda: csv(view, p, q))
        says = "Second moments of the input through two gates, and moments of input and output through each gate."
        errors = [] if view.refused is None else [page.failure(view.refused)]
        return mo.vstack([*errors, page.image(gates_figure(view, p, q), says), page.table(rows(view), "numbers")])

    if tab.value == "Problem":
        mo.output.replace(page.problem(editor, misread, dumps(BOARD.problem)))
    elif refused is not None:
        mo.output.replace(page.failure(refused))
    else:
        exact = None if sampler_is_loaded() else gate_view(problem, measured=False)
        if exact is not None and exact.refused is None:  # loading the simulator takes seconds, once
            mo.output.replace(content(exact))
        measured, failed = attempt(lambda: gate_view(problem))
        mo.output.replace(page.failure(failed) if failed is not None else content(measured))
    return
