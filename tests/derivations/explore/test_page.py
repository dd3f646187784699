"""The page in a real browser: every view answers and does its long work, controls act, files are saved."""

from dataclasses import replace

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore.data import theory_of
from derivations.explore.problems import FIRST
from derivations.explore.views import VIEWS
from tests.derivations.explore.browser import explorer, needs_a_browser
from theory.problem import dumps, load

pytestmark = needs_a_browser

KURTOSIS = 4  # row of the table of the data view
TRAINED = ("fields", "compare", "map", "formula")  # views that begin their long work at once


@pytest.fixture(scope="module")
def running():
    with explorer() as opened:
        yield opened


@pytest.fixture
def tab(running):
    """A tab at the data view; at its end no error may be on its console."""
    shown = running("data")
    yield shown
    shown.nothing_went_wrong()
    shown.page.close()


def kurtosis_of(**fields):
    return float(theory_of(replace(load(FIRST).data, **fields)).kurtosis[0])


@pytest.mark.slow
def test_the_first_page_opens_and_a_view_answers(tab):
    tab.tab("Table")
    tab.wait_for_number(KURTOSIS, "exact", kurtosis_of())


NAMED = {"button", "slider", "textbox", "combobox", "switch", "tab", "link", "progressbar", "image", "img", "tabpanel"}


@pytest.mark.slow
def test_every_view_answers_does_its_work_and_names_its_controls(tab):
    """Three ReLU units on twelve sites, trained to t = 16."""
    page, relu = tab.page, problem_named("relu-training")
    training = replace(relu.training, times=(0, 16))
    data, network = replace(relu.data, n=12), replace(relu.network, units=3)
    tab.use(dumps(replace(relu, data=data, network=network, training=training)))
    tools = page.context.new_cdp_session(page)
    for view in VIEWS:
        page.evaluate("name => { location.hash = `#/${name}`; }", view)
        page.locator(f".view-{view} :is(.card, .panel-figure[data-version])").first.wait_for(state="attached")
        if view in TRAINED:
            page.locator(f'.view-{view} .work[data-state="done"]').first.wait_for(state="attached")
        nodes = [node for node in tools.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        names = [node.get("name", {}).get("value", "").strip() for node in nodes if node["role"]["value"] in NAMED]
        assert len(names) > 15
        assert all(names), view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        if view == "fields":
            page.get_by_role("slider", name="time t").press("Home")
            tab.wait_for("() => document.querySelector('.figure-title').textContent.endsWith('t = 2')")
    assert page.locator("#banner").is_hidden()


@pytest.mark.slow
def test_a_view_follows_a_slider_refuses_a_wrong_value_and_saves_its_files(tab):
    page = tab.page
    tab.tab("Table")
    page.get_by_role("slider", name="gain g").press("End")
    tab.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    typed = page.get_by_label("gain g, typed")
    typed.fill("-1")
    typed.press("Enter")
    alert = page.get_by_role("alert").locator("visible=true")
    alert.wait_for()
    assert (alert.count(), typed.get_attribute("aria-invalid")) == (1, "true")
    typed.fill("3/2")
    typed.press("Enter")
    alert.wait_for(state="hidden")
    tab.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain="3/2"))
    tab.errors.clear()  # the browser reports the refused request
    tab.tab("Save")
    begins = {"Figure as SVG": b"<svg", "Figure as PNG": b"\x89PNG", "Problem as TOML": b"[data]"}
    for label, begin in (begins | {"Numbers as CSV": b"site,"}).items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        assert waiting.value.path().read_bytes().startswith(begin), label


MODULES = """async () => {
    const [{ diverging, saturating }, { paletteOf }, { signSides, missingCells }, { number }] = await Promise.all(
        ["colours", "heat", "overlays", "scales"].map(name => import(`/figures/${name}.js`)));
    const values = [[-1, 2, null], [-1, -1, 3], [null, null, null]];
    const { half, ends } = paletteOf({ palette: "saturating" }, [0, -0.01, 0.03, 0.02, 5, null]);
    return {
        diverging: [-2, 0, 2].map(value => diverging(2)(value)),
        saturating: [-0.02, 0, 0.02, 0.5, 1].map(saturating(0.02)),
        palette: [half, ends], sides: signSides(values, { x: [0, 1, 2, 3], y: [0, 10, 20, 30] }),
        missing: missingCells(values, 2),
        numbers: [0, -1.5, 1e-7, -2.5e9, 123456, null].map(value => number(value)) }; }"""


@pytest.mark.slow
def test_figures_have_colours_of_their_sign_contours_and_numbers_as_in_print(tab):
    shown = tab.page.evaluate(MODULES)
    low, zero, high = shown["diverging"]
    assert (low[3], zero[3], high[3]) == (1, 0, 1)
    assert low[0] > low[2]  # red
    assert high[2] > high[0]  # blue
    opacity = [colour[3] for colour in shown["saturating"]]
    assert opacity[:3] == [0.5, 0, 0.5]
    assert 0.5 < opacity[3] < opacity[4] < 1
    assert shown["palette"] == [0.025, [-5, 5]]  # the median sets the scale
    assert sorted(shown["sides"]) == [[1, 0, 1, 10], [1, 10, 2, 10], [2, 10, 2, 20]]
    assert shown["missing"] == [[0, 2]]  # the last row is not computed yet
    assert shown["numbers"] == ["0", "−1.5", "10⁻⁷", "−2.5 × 10⁹", "123500", "–"]


@pytest.mark.slow
def test_a_page_that_is_left_stops_its_work(running, tab):
    other = running("fields").page
    until = other.get_by_label("train to t")
    until.fill("10000")
    with other.expect_response(lambda answer: answer.url.endswith("views/fields")):
        until.press("Enter")
    with other.expect_response(lambda answer: answer.url.endswith("jobs/fields")) as begun:
        other.get_by_role("button", name="Train", exact=True).click()
    job = begun.value.json()["id"]
    # It answers after a second, or when the job has ended.
    look = "async id => (await (await import('/lib/api.js')).look(`jobs/${id}?after=1000&seconds=1`)).running"
    assert tab.page.evaluate(look, job)
    other.goto("about:blank")
    assert not all(tab.page.evaluate(look, job) for _ in range(10))
