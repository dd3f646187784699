"""The data view: a law and its parameters, samples of each class, exact statistics over sampled ones."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: data")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import data
    from derivations.explore.figures.data import data_figure
    from derivations.explore.laws import says
    from derivations.explore.shell import page
    from derivations.explore.shell.controls import controls, same_widgets
    from derivations.explore.shell.session import Session, with_law
    from derivations.explore.shell.shared_problem import SHARED, attempt, law_values, python_code, starting_values
    from theory.problem import LAWS, dumps

    session = Session(SHARED)
    get_version, set_version = mo.state(0)
    return (
        LAWS,
        attempt,
        controls,
        data,
        data_figure,
        dumps,
        get_version,
        law_values,
        mo,
        page,
        python_code,
        same_widgets,
        says,
        session,
        set_version,
        starting_values,
        with_law,
    )


@app.cell
def _(LAWS, get_version, mo, session):
    get_version()
    law_choice = mo.ui.dropdown(LAWS, value=session.read().data.law, label="law", full_width=True)
    return (law_choice,)


@app.cell
def _(controls, law_choice, page, session, starting_values):
    specification = controls(law_choice.value, starting_values(law_choice.value, session.shared.data))
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
def _(page, session, set_tab, set_version):
    tabs = page.tabs(session.looking_again(set_tab, set_version))
    page.in_a_row("data", tabs)
    return


@app.cell
def _(get_tab):
    tab = get_tab()
    return (tab,)


@app.cell
def _(
    attempt,
    controls,
    inputs,
    law_choice,
    law_values,
    page,
    same_widgets,
    session,
    set_version,
    specification,
    with_law,
):
    overtaken = session.stale
    values = page.read(specification, inputs.value)
    asked, refused = attempt(lambda: with_law(session, law_choice, law_choice.value, values))
    problem, changes = asked or (None, ())
    present = None if problem is None else controls(type(problem.data), law_values(problem.data))
    if overtaken or (present is not None and not same_widgets(present, specification)):
        set_version(lambda version: version + 1)
    return changes, problem, refused


@app.cell
def _(attempt, data, problem, refused):
    theory, unanswered = (None, refused) if problem is None else attempt(lambda: data.theory_of(problem.data))
    return theory, unanswered


@app.cell
def _(mo):
    get_first, set_first = mo.state(0)
    return get_first, set_first


@app.cell
def _(get_first, page, set_first, theory):
    drawn = None if theory is None else page.classes_drawn(theory.law.classes, get_first(), set_first)
    return (drawn,)


@app.cell
def _(page, problem, session):
    editor = page.editor(problem or session.problem)
    return (editor,)


@app.cell
def _(editor, session, set_version):
    misread = session.take(editor.value, set_version)
    return (misread,)


@app.cell
def _(
    changes,
    data,
    data_figure,
    drawn,
    dumps,
    editor,
    misread,
    mo,
    page,
    problem,
    python_code,
    says,
    session,
    tab,
    theory,
    unanswered,
):
    first = 0 if drawn is None else drawn.value

    def content(sample):
        return page.content(
            tab,
            page.Answer(
                "data",
                f"Covariance, spectrum and marginal of each class, {theory.how} as lines and sampled as markers.",
                figure=lambda: data_figure(theory, sample, first),
                rows=lambda: data.numbers(theory, sample),
                csv=lambda: data.csv(theory, sample),
                python=lambda: python_code(dumps(problem), data.PYTHON),
                latex=lambda: data.latex(theory),
                notes=(
                    page.definition(*says(type(theory.law))),
                    *(mo.md(note) for note in (*changes, *theory.missing)),
                    *(() if drawn is None else (drawn,)),
                ),
            ),
        )

    if tab == "Problem":
        mo.output.replace(page.problem(editor, misread, session.problem))
    elif unanswered is not None:
        mo.output.replace(page.failure(unanswered))
    else:
        if not data.sampler_is_loaded():  # loading takes seconds, once: exact numbers are shown first
            mo.output.replace(content(None))
        mo.output.replace(content(data.sampled(problem.data)))
    return
