"""The data view: a law and its parameters, samples of both classes, exact statistics over sampled ones."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: data")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import page
    from derivations.explore.board import BOARD, attempt, carried, law_values, python_code
    from derivations.explore.controls import controls, law_of
    from derivations.explore.data import PYTHON, csv, latex, numbers, sampled, sampler_is_loaded, theory_of
    from derivations.explore.drawing import data_figure
    from theory.problem import dumps
    from theory.problem.laws import LAWS

    return (
        BOARD,
        LAWS,
        PYTHON,
        attempt,
        carried,
        controls,
        csv,
        data_figure,
        dumps,
        latex,
        law_of,
        law_values,
        mo,
        numbers,
        page,
        python_code,
        sampled,
        sampler_is_loaded,
        theory_of,
    )


@app.cell
def _(mo):
    get_version, set_version = mo.state(0)
    return get_version, set_version


@app.cell
def _(BOARD, LAWS, get_version, mo):
    get_version()
    law_choice = mo.ui.dropdown(LAWS, value=BOARD.problem.data.law, label="law", full_width=True)
    return (law_choice,)


@app.cell
def _(BOARD, controls, law_choice, law_values, page):
    kind = law_choice.value
    specification = controls(kind, law_values(BOARD.problem.data))
    inputs = page.widgets(specification)
    return inputs, kind, specification


@app.cell
def _(inputs, law_choice, mo, page):
    page.frame("data", mo.vstack([law_choice, *inputs.values()], gap=0.4))
    return


@app.cell
def _(page):
    tab = page.tabs()
    tab
    return (tab,)


@app.cell
def _(BOARD, attempt, carried, inputs, kind, law_of, page, specification):
    def declared():
        law = law_of(kind, page.read(specification, inputs.value))
        problem, changes = carried(BOARD.problem, law)
        return BOARD.put(problem), changes

    asked, refused = attempt(declared)
    problem, changes = asked or (None, ())
    return changes, problem, refused


@app.cell
def _(attempt, problem, refused, theory_of):
    theory, unanswered = (None, refused) if problem is None else attempt(lambda: theory_of(problem.data))
    return theory, unanswered


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
    changes,
    csv,
    data_figure,
    dumps,
    editor,
    latex,
    misread,
    mo,
    numbers,
    page,
    problem,
    python_code,
    sampled,
    sampler_is_loaded,
    tab,
    theory,
    unanswered,
):
    def content(sample):
        if tab.value == "Python":
            return page.code(python_code(dumps(problem), PYTHON), "python")
        if tab.value == "LaTeX":
            return page.code(latex(theory), "latex")
        if tab.value == "Save":
            return page.files("data", lambda: data_figure(theory, sample), lambda: csv(theory, sample))
        if tab.value == "Problem":
            return page.problem(editor, misread, dumps(problem))
        says = "Covariance, spectrum and marginal of both classes, exact as lines and sampled as markers."
        notes = [mo.md(note) for note in changes]
        image = page.image(data_figure(theory, sample), says)
        return mo.vstack([*notes, image, page.table(numbers(theory, sample), "numbers")])

    if unanswered is not None and tab.value != "Problem":
        mo.output.replace(page.failure(unanswered))
    elif unanswered is not None:
        mo.output.replace(page.problem(editor, misread, dumps(BOARD.problem)))
    else:
        if not sampler_is_loaded():  # that takes seconds, once: what is exact comes first
            mo.output.replace(content(None))
        mo.output.replace(content(sampled(problem.data)))
    return
