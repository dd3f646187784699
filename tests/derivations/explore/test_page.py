"""The page in a real browser: the problem bar, links, files, keyboard, tabs and the views that train no networks."""

import re
import shlex
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import amplifier
from derivations.explore.data import theory_of
from derivations.explore.problems import FIRST
from derivations.explore.server import view_at
from derivations.explore.views import views
from tests.derivations.explore.browser import EVERY, Page, explorer, needs_a_browser
from theory.problem import dumps, load, loads

pytestmark = needs_a_browser

KURTOSIS = 4  # row of the table of the data view
PROBLEM = load(FIRST)
TEXT = "() => sessionStorage.getItem('gdln-problem')"
AT = "#/formula?line=Heaviside(z1)*erf(h*z2)&cov=[[1,r],[r,1]]&where=h>0,-1<r<1"
STEPS = ("E[Heaviside(z1)*Heaviside(z2)] = 1/4 + asin(c)/(2*pi)", "[[1, c], [c, 1]]", "-1<c<1")
CLAIM = "gaussian.step_step.orthant"
DERIVED = "derived, each step checked"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """An explorer with a site of the page of one claim and one chapter."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "claims").mkdir()
    (folder / "claims" / f"{CLAIM}.html").write_text(f"<!doctype html><h1>{CLAIM}</h1>", encoding="utf-8")
    chapter = '<!doctype html><h1>A chapter</h1><a href="/#/formula?line=z1**2&cov=[[1]]">to the explorer</a>'
    (folder / "amplifier.html").write_text(chapter, encoding="utf-8")
    with explorer("--at", AT, "--site", str(folder)) as server:
        yield server


@pytest.fixture
def tab(running, request):
    """A tab at the view of the test's parameter, or at the data view; at its end no error may be on its console."""
    shown = running.tab(getattr(request, "param", "data"))
    yield shown
    shown.nothing_went_wrong()
    shown.page.close()


def kurtosis_of(**fields):
    return float(theory_of(replace(PROBLEM.data, **fields)).kurtosis[0])


def wait_for_problem(page, text):
    page.wait_for_function(f"text => ({TEXT})() === text", arg=text, polling=EVERY)


def test_the_first_page_opens_and_a_view_answers(tab):
    tab.tab("Table")
    tab.wait_for_number(KURTOSIS, "exact", kurtosis_of())


@pytest.mark.slow
def test_a_view_follows_a_slider_and_refuses_a_wrong_value_next_to_its_control(tab):
    page = tab.page
    tab.tab("Table")
    tab.move("gain g", "End")
    tab.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    gain = 100
    for name, wrong, right in (("gain g", "-1", "3/2"), ("number of sites n", "10000", "41")):
        typed = page.get_by_label(f"{name}, typed")
        typed.fill(wrong)
        typed.press("Enter")
        alert = page.get_by_role("alert").locator("visible=true")
        alert.wait_for()
        assert alert.count() == 1
        assert typed.get_attribute("aria-invalid") == "true"
        assert page.locator(".panel-figure figure").count() >= 5
        assert tab.number(KURTOSIS, "exact") == kurtosis_of(gain=gain)
        typed.fill(right)
        typed.press("Enter")
        alert.wait_for(state="hidden")
        gain = "3/2"
        tab.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=gain))
    assert tab.slider("number of sites n").get_attribute("aria-valuetext") == "41 sites"
    tab.errors.clear()  # the browser reports the refused requests


@pytest.mark.slow
def test_python_is_copied_and_files_are_saved(tab):
    page = tab.page
    tab.tab("Python")
    page.get_by_text("theory_of(problem.data)").first.wait_for()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('theory_of'))", polling=EVERY)
    tab.tab("LaTeX")
    page.get_by_text("begin{tabular}").first.wait_for()
    tab.tab("Save")
    begins = {"Figure as SVG": b"<svg", "Figure as PNG": b"\x89PNG", "Problem as TOML": b"[data]"}
    begins["Numbers as CSV"] = b'"site"'
    for label, begin in begins.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        assert waiting.value.path().read_bytes().startswith(begin), label


@pytest.mark.slow
def test_laws_and_kinds_are_chosen_in_the_problem_bar(tab):
    page = tab.page
    law = page.get_by_label("data law")
    law.select_option("ising")
    page.get_by_role("note").get_by_text("no latent").wait_for()
    page.get_by_label("couplings β").fill("[0.5, 0.2]")
    page.keyboard.press("Enter")
    tab.slider("correlation length").first.wait_for(state="detached")
    law.select_option("nlgp")
    page.get_by_text("More of the law").click()
    page.get_by_label("correlation of the latent").select_option("table")
    page.get_by_label("parameters of table").wait_for()
    page.get_by_label("Conventions").select_option("PNAS paper")
    page.locator(".dialect").wait_for()
    law.select_option("own")
    page.locator('.control[data-name="data.law"]').get_by_text("comes from a problem file").wait_for()
    tab.errors.clear()  # the browser reports the refused request


# All elements that the Tab key must reach, which are those that are shown, but for tabs that are not open.
REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter(part => part.tabIndex >= 0 && !part.disabled && part.checkVisibility({ contentVisibilityAuto: true }))
    .map(part => part.dataset.reached = part.outerHTML.slice(0, 90))"""
FOCUSED = """() => {
    const part = document.activeElement, style = getComputedStyle(part);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return part === document.body ? null : { part: part.dataset.reached ?? part.outerHTML.slice(0, 90), outline }; }"""
NAMED = {"button", "slider", "textbox", "combobox", "switch", "tab", "link", "progressbar", "image", "img", "tabpanel"}


@pytest.mark.slow
def test_every_view_answers_and_names_its_controls(tab):
    page = tab.page
    tools = page.context.new_cdp_session(page)
    for view in views():
        page.evaluate("name => { location.hash = `#/${name}`; }", view)
        page.locator(f".view-{view} :is(.card, .panel-figure[data-version])").first.wait_for(state="attached")
        nodes = [node for node in tools.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        names = [node.get("name", {}).get("value", "").strip() for node in nodes if node["role"]["value"] in NAMED]
        assert len(names) > 15
        assert all(names), view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    assert page.locator("#banner").is_hidden()


@pytest.mark.slow
def test_keys_reach_everything_walk_the_tabs_and_close_the_dialog(tab):
    page = tab.page
    page.get_by_role("tab", name="Figure").focus()
    for name in ("Table", "Python", "LaTeX", "Save", "Figure"):
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("tab", name=name).get_attribute("aria-selected") == "true"
        assert page.evaluate("document.activeElement.textContent") == name
    button = page.get_by_role("button", name="TOML")
    button.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_function("document.activeElement.textContent === 'TOML'", polling=EVERY)
    wanted = set(page.evaluate(REACHABLE))
    page.locator("body").evaluate("body => { body.tabIndex = -1; body.focus(); body.removeAttribute('tabindex'); }")
    reached = []
    while len(reached) < 3 * len(wanted):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            break
        reached.append(focused)
    assert wanted - {focused["part"] for focused in reached} == set()
    assert [focused["part"] for focused in reached if not focused["outline"]] == []


@pytest.mark.slow
def test_two_tabs_are_independent_unless_joined_and_a_reload_keeps_the_problem(running):
    one, two = running.tab("data"), running.tab("data")
    for shown in (one, two):
        shown.tab("Table")
    one.move("gain g", "End")
    one.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    one.page.reload()
    one.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    two.move("number of sites n", "ArrowRight")
    assert two.number(KURTOSIS, "exact") == kurtosis_of()
    for shown in (one, two):
        shown.page.get_by_role("switch", name="Share the problem between tabs").click()
    for shown in (two, one):
        shown.wait_for_number(KURTOSIS, "exact", kurtosis_of())  # that of the tab which joined last
    assert one.slider("number of sites n").get_attribute("aria-valuetext") == "41 sites"
    for shown in (one, two):
        shown.nothing_went_wrong()
        shown.page.close()


@pytest.mark.slow
def test_presets_open_and_back_restores_the_problem_and_the_view(tab):
    page = tab.page
    tab.move("gain g", "ArrowRight")
    moved = f"text => ![null, text].includes(({TEXT})())"
    page.wait_for_function(moved, arg=dumps(PROBLEM), polling=EVERY)
    first = page.evaluate(TEXT)
    page.evaluate("location.hash = '#/start'")
    page.get_by_role("button", name=re.compile("Gain through the transition")).click()
    page.locator(".finding", has_text="The flat field is unstable").wait_for()
    page.go_back()
    wait_for_problem(page, first)
    page.go_back()
    page.locator(".view-data .panel-figure[data-version]").wait_for()
    page.go_forward()
    page.go_forward()
    page.locator(".finding", has_text="The flat field is unstable").wait_for()


@pytest.mark.slow
def test_a_server_that_has_ended_and_a_tab_without_its_token_are_told_apart(running):
    shown = running.tab("data")
    shown.page.route("**/api/**", lambda route: route.abort())
    shown.slider("gain g").press("End")
    banner = shown.page.locator("#banner")
    banner.get_by_text("gdln explore problem.toml").wait_for()
    banner.get_by_text("The problem", exact=True).click()
    assert banner.get_by_label("The problem as TOML").input_value() == dumps(PROBLEM)
    page = running.context.new_page()
    page.goto(running.address.partition("#")[0] + "#/formula?line=z1")
    page.locator("#banner").get_by_text("This tab lacks the token").wait_for()
    page.evaluate("sessionStorage.setItem('gdln-token', 'of-another-server')")
    page.reload()
    page.locator("#banner").get_by_text("This page belongs to a server that has ended").wait_for()
    for one in (shown.page, page):
        one.close()


def question(shown):
    """The texts of the three boxes of a formula."""
    boxes = (f".asked-{name} :is(input, textarea)" for name in ("line", "cov", "where"))
    return [shown.page.locator(box).input_value() for box in boxes]


def copied(shown, label, beginning):
    """The text that a button copies, which begins so."""
    shown.page.get_by_role("button", name=label).click()
    holds = "beginning => navigator.clipboard.readText().then(text => text.startsWith(beginning))"
    shown.page.wait_for_function(holds, arg=beginning, polling=EVERY)
    return shown.page.evaluate("navigator.clipboard.readText()")


@pytest.mark.slow
def test_a_question_comes_from_the_address_goes_into_links_and_leads_to_its_claim(running):
    shown, other = (Page(running.context.new_page(), running.address) for _ in range(2))
    shown.page.goto(running.printed)
    shown.page.locator(".verdict .badge", has_text=DERIVED).wait_for()
    assert question(shown) == ["Heaviside(z1)*erf(h*z2)", "[[1,r],[r,1]]", "h>0,-1<r<1"]
    command = shlex.split(copied(shown, "Copy the command that opens it", "gdln "))
    linked = parse_qs(view_at(command[3]).partition("?")[2])
    assert [linked[name] for name in ("line", "cov", "where")] == [[value] for value in question(shown)]
    other.page.goto(copied(shown, "Copy a link to this formula", running.address))
    other.page.locator(".verdict .badge", has_text=DERIVED).wait_for()
    assert question(other) == question(shown)
    assert "token" not in other.page.url
    fragment = "given => { location.hash = '#/formula?' + new URLSearchParams(given); }"
    other.page.evaluate(fragment, dict(zip(("line", "cov", "where"), STEPS, strict=True)))
    other.page.locator(".verdict .badge", has_text="proved").wait_for()
    with other.page.context.expect_page() as opened:
        other.page.get_by_role("link", name=CLAIM).click()
    opened.value.get_by_role("heading", name=CLAIM).wait_for()
    opened.value.close()
    for one in (shown, other):
        one.nothing_went_wrong()
        one.page.close()


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["formula"], indirect=True)
def test_a_formula_is_answered_refuted_and_refused(tab):
    page = tab.page
    page.locator(".verdict .badge", has_text=re.compile("^proved$")).wait_for()
    assert page.locator(".steps li").count() == page.locator(".steps .badge[data-holds=true]").count() > 3
    page.get_by_label("examples").select_option("a wrong factor")
    page.locator(".verdict .badge", has_text="refuted").wait_for()
    page.get_by_label("integrand, or equation between E[…]").fill("foo(z1)")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator(".asked-line").get_by_role("alert").get_by_text("foo is not known").wait_for()
    assert page.locator(".verdict .badge").count() == 0  # that of the question before
    page.get_by_label("examples").select_option("a site gate")
    page.locator(".verdict .badge", has_text=DERIVED).wait_for()
    page.get_by_label("covariance of z1, z2, …").fill("[[1,1/2],[1/2,1]]")
    page.get_by_text("The question has changed").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["gates"], indirect=True)
def test_weights_are_drawn_by_keys_and_gates_change_the_problem_of_all_views(tab):
    page, pencil = tab.page, tab.page.locator(".figure-pencil")
    pencil.wait_for()
    before = tab.version
    page.get_by_label("weights to start from").select_option("one site")
    tab.wait_for_news(before)
    page.get_by_text("the exact formula, and samples that know none").wait_for()
    pencil.focus()
    for key in ("ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    pencil.get_by_text("site 21: 0.05").wait_for(state="attached")
    page.get_by_text("samples ± 2 standard errors").first.wait_for()
    page.get_by_label("look at").select_option("gates")
    with page.expect_response("**/api/problem"):
        page.get_by_label("gate 0", exact=True).select_option("always")
    page.get_by_label("gate 0: site", exact=True).wait_for(state="detached")
    page.get_by_role("button", name="TOML").click()
    gates = loads(page.get_by_label("the problem as TOML").input_value()).network.gates
    assert (gates[0].kind, gates[1]) == ("always", PROBLEM.network.gates[1])


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["amplifier"], indirect=True)
def test_the_amplifier_says_whether_a_flat_field_is_unstable_and_leads_to_its_chapter(tab):
    page, ring = tab.page, problem_named("relu-training")
    tab.use(ring)
    page.get_by_text(amplifier.said(amplifier.amplifier_view(ring.data))).wait_for()
    page.locator(".headline").get_by_text("Predicted gain: g = 0.").wait_for()
    page.get_by_text("More of the law").click()
    page.get_by_label("boundary").select_option("open")
    page.get_by_text("No flat state").wait_for()
    page.get_by_role("button", name="Put the sites on a ring").click()
    page.locator(".finding", has_text="The flat field is unstable").wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="The localization amplifier").click()
    opened.value.get_by_role("link", name="to the explorer").click()
    opened.value.locator(".verdict .badge").first.wait_for()
    opened.value.close()


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
