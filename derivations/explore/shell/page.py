"""Elements that the marimo files share: widgets for controls, the frame of a page, errors and files to keep."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import marimo as mo

from derivations.explore.data import IMAGES
from derivations.explore.figures.axes import FORMATS, saved, shown
from derivations.explore.figures.pixels import settle
from derivations.explore.figures.sheets import Sheet
from derivations.explore.gates import END, KEPT, KINDS, MOST_ADOPTED, MOST_GATES, has_controls
from derivations.explore.shell.controls import Choice, Control, Entry, Slider
from derivations.explore.shell.kinds import Kind
from derivations.explore.shell.shared_problem import SHARED, attempt
from derivations.explore.training import Progress
from theory.problem import AlwaysGate, Problem, WorkbenchError, dumps
from theory.problem.gates.base import sites_of

VIEWS = {"data": "Data", "gates": "Gates", "fields": "Fields", "graph": "Graph", "formula": "Formula"}
QUESTIONS = {
    "data": "How do the inputs x of the classes differ: exactly, and in samples?",
    "gates": "Which moments of the data drive learning? Σxx(p, q) = ⟨g_p g_q x xᵀ⟩ and Σyx(p) = ⟨g_p y x⟩.",
    "fields": "Which receptive fields w_k does gradient descent learn, and do trained networks follow the theory?",
    "graph": "Which path wins, and when? Gradient descent along each path of a gated graph, beside trained networks.",
    "formula": "Does this Gaussian expectation have a closed form? Does this equation hold?",
}
# The margin is that at which a view fits 900 pixels; on a narrow page the button of the menu is above the heading.
_HEADING = """<style>
.question { font-size: 1.1rem; font-weight: 600; line-height: 1; margin-top: -0.5rem }
.numbers td, .numbers th { padding-right: 0.6rem }
@media (max-width: 45rem) { .question { margin-top: 2.5rem } }
</style>"""
_NARROWEST = "40rem"  # of a figure: below it the box scrolls
LONGEST_WORD = 60  # characters that a cell of a table does not break
TABS = ("Figure", "Python", "LaTeX", "Save", "Problem")


def widgets(controls: Mapping[str, Control]) -> Any:
    """The widget of each control, by name; a slider of several numbers is as many, name.0, name.1, ...

    The parameters of a kind are an entry of their own, name.parameters.
    """
    made: dict[str, Any] = {}
    for name, control in controls.items():
        if isinstance(control, Slider) and isinstance(control.start, tuple):
            for c, (part, start) in enumerate(zip(control.parts, control.start, strict=True)):
                made[f"{name}.{c}"] = _slider(f"{control.label}, {part}", control, start)
        elif isinstance(control, Slider):
            made[name] = _slider(control.label, control, control.start)
        elif isinstance(control, Choice):
            made[name] = mo.ui.dropdown(control.options, value=control.start, label=control.label, full_width=True)
        elif isinstance(control, Kind):
            options = list(control.options)
            made[name] = mo.ui.dropdown(options, value=control.word, label=control.label, full_width=True)
            if control.parameters:
                label = f"parameters of {control.word}"
                made[f"{name}.parameters"] = mo.ui.text(control.parameters, label=label, full_width=True)
        elif isinstance(control, Entry):
            made[name] = mo.ui.text(control.start, label=control.label, full_width=True)
    return mo.ui.dictionary(made)


def _slider(label: str, control: Slider, start: str) -> Any:
    steps = [float(step) for step in control.steps]
    return mo.ui.slider(steps=steps, value=float(start), label=label, show_value=True, full_width=True)


def read(controls: Mapping[str, Control], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of `widgets` as `controls.law_of` takes them: decimals as text, pairs together."""
    found: dict[str, Any] = {}
    for name, control in controls.items():
        if isinstance(control, Slider):
            pair = isinstance(control.start, tuple)
            found[name] = (
                tuple(repr(values[f"{name}.{c}"]) for c in range(len(control.start))) if pair else repr(values[name])
            )
        elif isinstance(control, Kind):
            found[name] = control.text(values[name], values.get(f"{name}.parameters", ""))
        else:
            found[name] = values[name]
    return found


def unit_count(problem: Problem) -> Any:
    """Return the control of the number of gated units, which starts at the number of gates.

    A network without gates starts at its number of units, at most MOST_ADOPTED. A value that the problem gives for
    each unit, such as its bias at the start, then applies to each gated unit.
    """
    now = len(problem.network.gates) or min(problem.network.units, MOST_ADOPTED)
    return mo.ui.slider(1, max(MOST_GATES, now), value=now, label="gated units K", show_value=True, full_width=True)


def gate_widgets(problem: Problem, units: int) -> Any:
    """Kind, site and bounds of the gate of each unit; beyond the units that the problem has, gates are open."""
    made: dict[str, Any] = {}
    for unit in range(units):
        given = problem.network.gates[unit] if unit < len(problem.network.gates) else AlwaysGate()
        simple = has_controls(given)
        kind = given.kind if simple else KEPT
        n, site = problem.data.n, next(iter(sites_of(given)), problem.data.n // 2)
        low, high = (min(END, max(-END, float(getattr(given, end, 0)))) for end in ("lo", "hi"))
        steps = sorted({*(tenth / 10 for tenth in range(-30, 31)), low, high})
        made[f"kind.{unit}"] = mo.ui.dropdown(
            [*KINDS, *([] if simple else [KEPT])], value=kind, label=f"gate {unit}", full_width=True
        )
        made[f"site.{unit}"] = mo.ui.slider(
            0, n - 1, value=site, label=f"site of gate {unit}", show_value=True, full_width=True
        )
        made[f"range.{unit}"] = mo.ui.range_slider(
            steps=steps,
            value=[low, high] if low < high else [0.0, END],
            label=f"open between (±{END:g}: unbounded)",
            show_value=True,
            full_width=True,
        )
    return mo.ui.dictionary(made)


def pair_of_units(units: int) -> Any:
    """The choice of two units whose second moments are drawn."""
    options = {str(unit): unit for unit in range(units)}
    return mo.ui.dictionary(
        {
            "p": mo.ui.dropdown(options, value="0", label="p of Σxx(p, q)"),
            "q": mo.ui.dropdown(options, value="0", label="q"),
        }
    )


def unit_of(units: int) -> Any:
    """The choice of the unit whose field, image and participation ratio are drawn."""
    options = {str(unit): unit for unit in range(units)}
    return mo.ui.dropdown(options, value="0", label="unit", full_width=True)


def classes_drawn(classes: int, first: int, choose: Callable[[int], None]) -> Any:
    """The choice of classes whose covariances are drawn side by side, from class `first` on; None where all are."""
    if classes <= IMAGES:
        return None
    options = {f"{c} and {c + 1}": c for c in range(classes - 1)}
    now = list(options)[min(first, classes - 2)]
    return mo.ui.dropdown(options, value=now, label=f"covariance shown, of {classes} classes", on_change=choose)


def frame(view: str, controls: Any) -> Any:
    """The side of a page: the links to the views, and the controls."""
    links = " · ".join(
        f"**{title}**"
        if name == view
        else f'<a href="../{name}/?access_token={SHARED.token}" target="_self">{title}</a>'
        for name, title in VIEWS.items()
    )
    # Five links fit on one line only in smaller letters.
    return mo.sidebar([mo.md(f"<small>{links}</small>"), controls], width="19rem")


def tabs(choose: Callable[[str], None], names: tuple[str, ...] = TABS) -> Any:
    """Buttons that choose what the page shows: the figure, or one of the ways to export it.

    marimo's own tabs and radio buttons do not respond to the arrow keys.
    """
    return mo.ui.dictionary(
        {name: mo.ui.button(label=name, on_change=lambda _, name=name: choose(name)) for name in names}
    )


def in_a_row(view: str, buttons: Any) -> Any:
    """The question that a view answers, and the buttons beside each other."""
    asked = mo.Html(f'{_HEADING}<h1 class="question">{escape(QUESTIONS[view])}</h1>')
    return mo.vstack([asked, mo.hstack(list(buttons.values()), justify="start")], gap=0.2)


def question(example: tuple[str, str, str]) -> Any:
    """The form of the formula view: an expectation or equation, the Gaussian behind it, domains, digits."""
    line, cov, where = example
    fields = mo.md("{line}\n\n{cov}\n\n{mean}\n\n{where}\n\n{digits}").batch(
        line=mo.ui.text_area(line, label="integrand, or equation between E[…]", rows=4, full_width=True),
        cov=mo.ui.text_area(cov, label="covariance of z1, z2, …", rows=3, full_width=True),
        mean=mo.ui.text("", label="mean (zero if empty)", full_width=True),
        where=mo.ui.text(where, label="domains of the parameters", full_width=True),
        digits=mo.ui.slider(5, 100, value=30, label="digits", show_value=True, full_width=True),
    )
    return fields.form(submit_button_label="Answer", bordered=False)


def parameter(names: tuple[str, ...]) -> Any:
    """The choice of the parameter on the axis of a formula's figure."""
    return mo.ui.dropdown(names, value=names[0] if names else None, label="horizontal axis", full_width=True)


def failure(error: WorkbenchError) -> Any:
    """The library's error message in the place of the figure."""
    hint = f"<br>{escape(error.hint)}" if error.hint else ""
    return mo.callout(
        mo.Html(f'<div role="alert" data-error="{error.kind}">{escape(error.message)}{hint}</div>'), "danger"
    )


def drawn(svg: str) -> Any:
    """A drawing as SVG, low enough for a figure and its table below, in a box that scrolls if it is wide."""
    style = "<style>.drawn svg { height: 13rem; width: auto; }</style>"
    return scrolling(mo.Html(f'{style}<div class="drawn">{svg}</div>'))


def image(figure: Sheet, says: str) -> Any:
    """The figure; `says` is its text for readers who cannot see it."""
    return scrolling(mo.Html(f'<div style="min-width: {_NARROWEST}">{shown(figure, says)}</div>'))


def progress(now: Progress | None) -> Any:
    """Return the progress of the training, or how it ended."""
    if now is None:
        return mo.Html('<div id="training" data-state="none">Nothing is trained yet.</div>')
    state = "running" if now.running else "failed" if now.error else "done" if now.share >= 1 else "stopped"
    bar = f'<progress max="1" value="{now.share:.4f}" style="width: 20rem"></progress>'
    said = "" if now.error is None else escape(f" {now.error.message} {now.error.hint}")
    return mo.Html(f'<div id="training" data-state="{state}">{bar} {state}, {now.share:.0%}{said}</div>')


def code(text: str, language: str) -> Any:
    """Text with a button that copies it; long text scrolls in a box."""
    return mo.md(f"```{language}\n{text}\n```").style({"max-height": "40rem", "overflow": "auto"})


@dataclass(frozen=True)
class Answer:
    """The content of a view and the files to download; each is made when its tab is open.

    `says` is the figure in words, `notes` stand above it and `rows` below.
    """

    name: str
    says: str
    figure: Callable[[], Sheet]
    rows: Callable[[], list[dict[str, Any]]]
    csv: Callable[[], str]
    python: Callable[[], str]
    latex: Callable[[], str]
    notes: tuple[Any, ...] = ()


def content(tab: str, answer: Answer) -> Any:
    """The element below the tabs; an error of the library in the place of an absent answer."""
    if tab == "Save":
        return files(answer.name, answer.figure, answer.csv)
    if tab in ("Python", "LaTeX"):
        text, refused = attempt(answer.python if tab == "Python" else answer.latex)
        return failure(refused) if refused is not None else code(text, tab.lower())
    settle()
    figure = image(answer.figure(), answer.says)
    return mo.vstack([*answer.notes, figure, table(answer.rows(), "numbers")])


def files(name: str, figure: Callable[[], Sheet], csv: Callable[[], str]) -> Any:
    """Buttons that save the figure as PNG, SVG or PDF and the numbers as CSV; each is made on demand."""
    buttons = [
        mo.download(
            lambda kind=kind: saved(figure(), kind), f"{name}.{kind}", mimetype, label=f"figure as {kind.upper()}"
        )
        for kind, mimetype in FORMATS.items()
    ]
    numbers = mo.download(lambda: csv().encode(), f"{name}.csv", "text/csv", label="numbers as CSV")
    return mo.hstack([*buttons, numbers], justify="start")


def scrolling(wide: Any) -> Any:
    """An element that may be wider than the page, in a box that scrolls."""
    return wide.style({"overflow-x": "auto", "overflow-y": "hidden", "max-width": "100%"})


def table(rows: list[dict[str, Any]], name: str) -> Any:
    """A table as plain HTML; numbers to six significant digits on the page, in full in the cell's data-value."""
    head = "".join(f'<th style="text-align: left">{escape(key)}</th>' for key in rows[0])
    body = "".join(f"<tr>{''.join(_cell(key, value) for key, value in row.items())}</tr>" for row in rows)
    return mo.Html(f'<table id="{name}" class="numbers"><tr>{head}</tr>{body}</table>')


def _cell(key: str, value: Any) -> str:
    shown = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    # A number of hundreds of digits has no space for a line break; only such words are broken, not short ones.
    wraps = ' style="overflow-wrap: anywhere"' if max(map(len, shown.split()), default=0) > LONGEST_WORD else ""
    return f'<td{wraps} data-key="{escape(key)}" data-value="{escape(repr(value))}">{escape(shown)}</td>'


def editor(shared: Problem) -> Any:
    """A form with the problem as TOML; its value is None until it is submitted."""
    area = mo.ui.text_area(dumps(shared), label="the problem that all views share (TOML)", rows=26, full_width=True)
    return area.form(submit_button_label="Use this problem", bordered=False)


def definition(formula: str, seen: str) -> Any:
    """The definition of a law and what is seen of it, in small print above the figure."""
    return mo.md(f"<small>{formula}. {seen}</small>")


def keeps_its_network(problem: Problem, adopt: Any) -> Any:
    """The note of the gates view for a network without gates, and the button that gives it those of the controls."""
    said = (
        f'The shared problem has a network of the model "{problem.network.model}", whose gates depend on its weights. '
        "This view shows a gated-linear network on the same data, with the gates chosen on the left; the shared "
        "problem keeps its network."
    )
    return mo.hstack([mo.Html(f'<div role="note">{escape(said)}</div>'), adopt], widths=[4, 1], align="center")


def remark(words: Sequence[str]) -> Any:
    """Notes on facts that a figure does not show."""
    return mo.Html(f'<div role="note">{escape(" ".join(words))}</div>')


def overtaken() -> Any:
    """The notice of a view that still shows a problem that another view has changed."""
    return mo.Html(
        '<div role="note">Another view has changed the shared problem. This one still shows the problem that its '
        "networks were trained on; click a tab to take the new one.</div>"
    )


def problem(form: Any, misread: WorkbenchError | None, shared: Problem) -> Any:
    """The shared problem to change and to download, and the fault of a text that was refused."""
    download = mo.download(dumps(shared).encode(), "problem.toml", "application/toml", label="problem.toml")
    return mo.vstack([*([] if misread is None else [failure(misread)]), form, download])
