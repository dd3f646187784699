"""The data view: a law and its parameters, samples of both classes, exact statistics over sampled ones."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: data")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import data, page
    from derivations.explore.board import BOARD, attempt, law_values, python_code
    from derivations.explore.controls import controls
    from derivations.explore.desk import Desk, with_law
    from derivations.explore.drawing import data_figure
    from theory.problem import LAWS, dumps

    desk = Desk(BOARD)
    get_version, set_version = mo.state(0)
    return (
        LAWS,
        attempt,
        controls,
        data,
        data_figure,
        desk,
        dumps,
        get_version,
        law_values,
        mo,
        page,
        python_code,
        set_version,
        with_law,
    )


@app.cell
def _(LAWS, desk, get_version, mo):
    get_version()
    law_choice = mo.ui.dropdown(LAWS, value=desk.read().data.law, label="law", full_width=True)
    return (law_choice,)


@app.cell
def _(controls, desk, law_choice, law_values, page):
    specification = controls(law_choice.value, law_values(desk.shared.data))
    inputs = page.widgets(specification)
    return inputs, specification


@app.cell
def _(inputs, law_choice, mo, page):
    page.frame("data", mo.vstack([law_choice, *inputs.values()], gap=0.4))
    return


@app.cell
def _(mo, page):
    get_tab, set_tab = mo.state(page.TABS[0])
    return get_tab, set_tab


@app.cell
def _(desk, page, set_tab, set_version):
    def choose(name):
        if desk.stale:  # a click looks again, in the same turn: nothing of the old problem is drawn once more
            set_version(lambda version: version + 1)
        set_tab(name)

    tabs = page.tabs(choose)
    page.in_a_row(tabs)
    return


@app.cell
def _(get_tab):
    tab = get_tab()
    return (tab,)


@app.cell
def _(attempt, desk, inputs, law_choice, page, set_version, specification, with_law):
    overtaken = desk.stale
    values = page.read(specification, inputs.value)
    asked, refused = attempt(lambda: with_law(desk, law_choice, law_choice.value, values))
    problem, changes = asked or (None, ())
    if overtaken:
        set_version(lambda version: version + 1)
    return changes, problem, refused


@app.cell
def _(attempt, data, problem, refused):
    theory, unanswered = (None, refused) if problem is None else attempt(lambda: data.theory_of(problem.data))
    return theory, unanswered


@app.cell
def _(desk, page, problem):
    editor = page.editor(problem or desk.problem)
    return (editor,)


@app.cell
def _(attempt, desk, editor, set_version):
    taken, misread = (None, None) if editor.value is None else attempt(lambda: desk.replace(editor.value))
    if taken is not None:
        set_version(lambda version: version + 1)
    return (misread,)


@app.cell
def _(
    changes,
    data,
    data_figure,
    desk,
    dumps,
    editor,
    misread,
    mo,
    page,
    problem,
    python_code,
    tab,
    theory,
    unanswered,
):
    def content(sample):
        return page.content(
            tab,
            page.Answer(
                "data",
                "Covariance, spectrum and marginal of both classes, exact as lines and sampled as markers.",
                figure=lambda: data_figure(theory, sample),
                rows=lambda: data.numbers(theory, sample),
                csv=lambda: data.csv(theory, sample),
                python=lambda: python_code(dumps(problem), data.PYTHON),
                latex=lambda: data.latex(theory),
                notes=tuple(mo.md(note) for note in changes),
            ),
        )

    if tab == "Problem":
        mo.output.replace(page.problem(editor, misread, desk.problem))
    elif unanswered is not None:
        mo.output.replace(page.failure(unanswered))
    else:
        if not data.sampler_is_loaded():  # that takes seconds, once: what is exact comes first
            mo.output.replace(content(None))
        mo.output.replace(content(data.sampled(problem.data)))
    return
