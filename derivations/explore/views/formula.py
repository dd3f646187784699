"""The formula view: an expectation or a conjectured equation; closed form, class, digits or verdict, and its steps."""

import marimo

app = marimo.App(width="full", app_title="gdln explore: formula")


@app.cell
def _():
    import marimo as mo

    from derivations.explore import page
    from derivations.explore.board import attempt
    from derivations.explore.formula import EXAMPLES, asked, csv

    return EXAMPLES, asked, attempt, csv, mo, page


@app.cell
def _(EXAMPLES, mo):
    example = mo.ui.dropdown(EXAMPLES, value=next(iter(EXAMPLES)), label="begin with", full_width=True)
    return (example,)


@app.cell
def _(example, page):
    question = page.question(example.value)
    return (question,)


@app.cell
def _(example, mo, page, question):
    page.frame("formula", mo.vstack([example, question], gap=0.4))
    return


@app.cell
def _(page):
    tab = page.tabs(("Answer", "Steps", "Python", "LaTeX", "Save"))
    tab
    return (tab,)


@app.cell
def _(asked, attempt, example, question):
    line, cov, where = example.value
    default = {"line": line, "cov": cov, "mean": "", "where": where, "digits": 30}
    answer, refused = attempt(lambda: asked(**(question.value or default)))
    return answer, refused


@app.cell
def _(answer, csv, mo, page, refused, tab):
    def content():
        if tab.value == "Steps":
            return page.table(list(answer.steps), "steps") if answer.steps else mo.md("There is no proof.")
        if tab.value == "Python":
            return page.code(answer.python, "python")
        if tab.value == "LaTeX":
            return page.code(answer.latex, "latex")
        if tab.value == "Save":
            steps = mo.download(csv(answer).encode(), "formula.csv", "text/csv", label="steps as CSV")
            return mo.hstack([steps, mo.download(answer.text, "formula.txt", label="answer as text")], justify="start")
        return mo.vstack([mo.md(f"$$\n{answer.latex}\n$$"), page.table(list(answer.rows), "numbers")])

    content() if refused is None else page.failure(refused)
    return
