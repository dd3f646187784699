"""The formula view: an expectation or a conjectured equation; closed form, class, digits or verdict, and its steps."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: formula")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import comparison, formula
    from derivations.explore.figures.comparison import comparison_figure
    from derivations.explore.shell import page
    from derivations.explore.shell.shared_problem import attempt

    return attempt, comparison, comparison_figure, formula, mo, page


@app.cell
def _(formula, mo):
    example = mo.ui.dropdown(formula.EXAMPLES, value=next(iter(formula.EXAMPLES)), label="example", full_width=True)
    return (example,)


@app.cell
def _(example, page):
    question = page.question(example.value)
    return (question,)


@app.cell
def _(attempt, example, formula, question):
    line, cov, where = example.value
    default = {"line": line, "cov": cov, "mean": "", "where": where, "digits": 30}
    answer, refused = attempt(lambda: formula.asked(**(question.value or default)))
    return answer, refused


@app.cell
def _(answer, page):
    against = page.parameter(() if answer is None else answer.parameters)
    return (against,)


@app.cell
def _(against, example, mo, page, question):
    page.frame("formula", mo.vstack([example, question, against], gap=0.4))
    return


@app.cell
def _(mo):
    get_tab, set_tab = mo.state("Result")
    return get_tab, set_tab


@app.cell
def _(page, set_tab):
    tabs = page.tabs(set_tab, ("Result", "Steps", "Python", "LaTeX", "Save"))
    page.in_a_row("formula", tabs)
    return


@app.cell
def _(get_tab):
    tab = get_tab()
    return (tab,)


@app.cell
def _(against, answer, attempt):
    drawn, undrawn = (None, None) if answer is None else attempt(lambda: answer.compare(against.value))
    return drawn, undrawn


@app.cell
def _(answer, comparison, comparison_figure, drawn, formula, mo, page, refused, tab, undrawn):
    def content():
        if tab == "Steps":
            return (
                page.table(list(answer.steps), "steps")
                if answer.steps
                else mo.md("No proof was found or asked for; the tab Result has the answer.")
            )
        if tab == "Python":
            return page.code(answer.python, "python")
        if tab == "LaTeX":
            return page.code(answer.latex, "latex")
        if tab == "Save":
            what = formula.held(answer)
            steps = mo.download(formula.csv(answer).encode(), f"formula-{what}.csv", "text/csv", label=f"{what} as CSV")
            text = mo.download(answer.text, "formula.txt", label="answer as text")
            return mo.vstack([figure_files(), mo.hstack([steps, text], justify="start")])
        if drawn is None:
            figure = page.failure(undrawn)
        else:
            says = f"The formula against {drawn.axis} (lines), sampled means with errors (marks), and their difference."
            figure = page.image(comparison_figure(drawn), says)
        return mo.vstack(
            [page.scrolling(mo.md(f"$$\n{answer.latex}\n$$")), page.table(list(answer.rows), "numbers"), figure]
        )

    def figure_files():
        if drawn is None:
            return page.failure(undrawn)
        return page.files("formula", lambda: comparison_figure(drawn), lambda: comparison.comparison_csv(drawn))

    content() if refused is None else page.failure(refused)
    return
