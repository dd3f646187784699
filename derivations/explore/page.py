"""What the marimo files share: widgets for controls, the frame of a page, errors and files to keep."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import marimo as mo
from matplotlib.figure import Figure

from derivations.explore.board import BOARD
from derivations.explore.controls import Choice, Control, Entry, Slider
from derivations.explore.drawing import FORMATS, saved
from theory.problem import WorkbenchError

VIEWS = {"data": "Data", "gates": "Gates", "fields": "Fields", "formula": "Formula"}
TABS = ("Figure", "Python", "LaTeX", "Save", "Problem")


def widgets(controls: Mapping[str, Control]) -> Any:
    """The widget of each control, by name; a slider of a pair is two, name.0 and name.1."""
    made: dict[str, Any] = {}
    for name, control in controls.items():
        if isinstance(control, Slider) and isinstance(control.start, tuple):
            for c, start in enumerate(control.start):
                made[f"{name}.{c}"] = _slider(
                    f"{control.label}, {'class ' if len(control.start) == 2 else ''}{c}", control, start
                )
        elif isinstance(control, Slider):
            made[name] = _slider(control.label, control, control.start)
        elif isinstance(control, Choice):
            made[name] = mo.ui.dropdown(control.options, value=control.start, label=control.label, full_width=True)
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
            found[name] = tuple(repr(values[f"{name}.{c}"]) for c in (0, 1)) if pair else repr(values[name])
        else:
            found[name] = values[name]
    return found


def frame(view: str, controls: Any) -> Any:
    """The side of a page: the links to the views, the controls, and what the exploring is of."""
    links = " · ".join(
        f"**{title}**"
        if name == view
        else f'<a href="../{name}/?access_token={BOARD.token}" target="_self">{title}</a>'
        for name, title in VIEWS.items()
    )
    return mo.sidebar([mo.md(links), controls], width="19rem")


def tabs() -> Any:
    """The choice of what the page shows: the figure, or one of the ways to take it away."""
    return mo.ui.tabs(dict.fromkeys(TABS, ""))


def failure(error: WorkbenchError) -> Any:
    """The library's own words, where the figure would be."""
    hint = f"<br>{escape(error.hint)}" if error.hint else ""
    return mo.callout(
        mo.Html(f'<div role="alert" data-error="{error.kind}">{escape(error.message)}{hint}</div>'), "danger"
    )


def code(text: str, language: str) -> Any:
    """Text with a button that copies it."""
    return mo.md(f"```{language}\n{text}\n```")


def files(name: str, figure: Callable[[], Figure], csv: Callable[[], str]) -> Any:
    """Buttons that save the figure as PNG, SVG or PDF and the numbers as CSV; each is made when it is asked for."""
    buttons = [
        mo.download(
            lambda kind=kind: saved(figure(), kind), f"{name}.{kind}", mimetype, label=f"figure as {kind.upper()}"
        )
        for kind, mimetype in FORMATS.items()
    ]
    numbers = mo.download(lambda: csv().encode(), f"{name}.csv", "text/csv", label="numbers as CSV")
    return mo.hstack([*buttons, numbers], justify="start")


def table(rows: list[dict[str, Any]], name: str) -> Any:
    """A table as plain HTML; numbers to six significant digits on the page, in full in the cell's data-value."""
    head = "".join(f"<th>{escape(key)}</th>" for key in rows[0])
    body = "".join(f"<tr>{''.join(_cell(key, value) for key, value in row.items())}</tr>" for row in rows)
    return mo.Html(f'<table id="{name}" class="numbers"><tr>{head}</tr>{body}</table>')


def _cell(key: str, value: Any) -> str:
    shown = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return f'<td data-key="{escape(key)}" data-value="{escape(repr(value))}">{escape(shown)}</td>'


def editor(text: str) -> Any:
    """A form with the problem as TOML; its value is None until it is handed in."""
    area = mo.ui.text_area(text, label="the problem that all views share (TOML)", rows=26, full_width=True)
    return area.form(submit_button_label="Use this problem", bordered=False)


def problem(form: Any, misread: WorkbenchError | None, text: str) -> Any:
    """The shared problem to change and to download, and what is wrong with what was handed in."""
    download = mo.download(text.encode(), "problem.toml", "application/toml", label="problem.toml")
    return mo.vstack([*([] if misread is None else [failure(misread)]), form, download])
