"""The page in a real browser: the problem bar, tabs, wrong values, the keyboard, two tabs, a server that ends."""

import re
from dataclasses import replace

import pytest

from derivations import fonts
from derivations.experiments.folders import problem_file
from derivations.explore.data import numbers, sampled, theory_of
from derivations.explore.problems import FIRST
from tests.derivations.explore.browser import EVERY, SIZE, explorer, needs_a_browser
from theory.problem import dumps, load

pytestmark = needs_a_browser

KURTOSIS = 4  # row of the table of the data view


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


@pytest.fixture(scope="module")
def shown(running):
    """One tab for tests that leave the problem as it was."""
    return running.tab("data")


@pytest.fixture
def problem():
    return load(FIRST)


def kurtosis_of(**changed):
    return float(theory_of(replace(load(FIRST).data, **changed)).kurtosis[0])


def test_the_data_view_follows_a_slider_and_a_typed_value(shown):
    page = shown.page
    shown.tab("Table")
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of())
    measured = sampled(load(FIRST).data)
    shown.wait_for_number(KURTOSIS, "sampled", numbers(theory_of(load(FIRST).data), measured)[KURTOSIS]["sampled"])
    shown.move("gain g", "End")
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    typed = page.get_by_label("gain g, typed")
    typed.fill("3/2")
    typed.press("Enter")
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain="3/2"))
    assert shown.slider("gain g").get_attribute("aria-valuetext") == "1.5"
    assert shown.slider("number of sites n").get_attribute("aria-valuetext") == "40 sites"
    shown.use(load(FIRST))
    shown.tab("Figure")
    shown.nothing_went_wrong()


def test_a_wrong_value_keeps_the_figure_and_stands_beside_its_control(shown):
    page = shown.page
    page.locator(".panel-figure figure").nth(5).wait_for()  # the examples come last
    figures, before = page.locator(".panel-figure figure").count(), shown.version
    typed = page.get_by_label("gain g, typed")
    typed.fill("-1")
    typed.press("Enter")
    control = page.locator('.control[data-name="data.gain"]')
    control.get_by_role("alert").get_by_text("gain").wait_for()
    assert typed.get_attribute("aria-invalid") == "true"
    assert page.get_by_role("alert").locator("visible=true").count() == 1
    assert page.locator(".panel-figure figure").count() == figures
    assert shown.version == before
    typed.fill("1")
    typed.press("Enter")
    control.get_by_role("alert").wait_for(state="hidden")
    assert typed.get_attribute("aria-invalid") == "false"
    shown.errors.clear()  # the browser reports the refused request


def test_tabs_are_walked_by_arrow_keys_and_say_which_is_open(shown):
    page = shown.page
    page.get_by_role("tab", name="Figure").focus()
    for name in ("Table", "Python", "LaTeX", "Save", "Figure"):
        page.keyboard.press("ArrowRight")
        tab = page.get_by_role("tab", name=name)
        assert tab.get_attribute("aria-selected") == "true"
        assert page.evaluate("document.activeElement.textContent") == name
        assert page.get_by_role("tabpanel").locator("visible=true").get_attribute(
            "aria-labelledby"
        ) == tab.get_attribute("id")
    shown.nothing_went_wrong()


def test_python_is_copied_and_files_are_saved(shown):
    page = shown.page
    shown.tab("Python")
    page.get_by_text("theory_of(problem.data)").first.wait_for()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('theory_of'))", polling=EVERY)
    shown.tab("LaTeX")
    page.get_by_text("begin{tabular}").first.wait_for()
    shown.tab("Save")
    begins = {
        "Figure as SVG": b"<svg",
        "Figure as PNG": b"\x89PNG",
        "Numbers as CSV": b'"site"',
        "Problem as TOML": b"[data]",
    }
    for label, begin in begins.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        with open(waiting.value.path(), "rb") as file:
            assert file.read().startswith(begin), label
    shown.tab("Figure")
    shown.nothing_went_wrong()


def test_every_control_and_button_has_a_name_and_headings_are_in_order(shown):
    unnamed = shown.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea")]
            .filter(part => !(part.getAttribute("aria-label") || part.labels?.length || part.textContent.trim()))
            .map(part => part.outerHTML)"""
    )
    assert unnamed == []
    assert shown.page.get_by_role("heading", level=1).count() == 1
    assert shown.page.locator("nav [aria-current=page]").inner_text() == "Data"
    for figure in shown.page.locator(".panel-figure [role=img]").all():
        assert figure.get_attribute("aria-label")


@pytest.mark.parametrize("width", [390, 1280, 2560])
@pytest.mark.parametrize("view", ["start", "data", "amplifier"])
def test_nothing_is_wider_than_the_page(shown, width, view):
    shown.page.set_viewport_size({"width": width, "height": 900})
    shown.page.evaluate(f"location.hash = '#/{view}'")
    shown.page.locator(f".view-{view}").wait_for()
    shown.page.wait_for_selector(".card, .panel-figure figure svg")
    shown.page.wait_for_function("document.documentElement.scrollWidth <= innerWidth", polling=EVERY)
    shown.page.set_viewport_size(SIZE)
    shown.page.evaluate("location.hash = '#/data'")
    shown.page.locator(".view-data").wait_for()
    shown.drawn()


def test_dark_and_light_are_chosen(shown):
    page, ground = shown.page, "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert light != dark
    page.get_by_label("Theme").select_option("light")
    assert page.evaluate(ground) == light
    page.get_by_label("Theme").select_option("auto")
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="light")


def test_formulas_are_set_in_the_embedded_font(shown):
    page = shown.page
    page.locator("#bar math").first.wait_for()
    page.wait_for_function("document.fonts.check('16px \"Latin Modern Math\"')", polling=EVERY)
    loaded = page.evaluate("[...document.fonts].filter(face => face.status === 'loaded').map(face => face.family)")
    assert loaded == [fonts.FAMILY]
    assert page.evaluate("getComputedStyle(document.querySelector('#bar math')).fontFamily").startswith(
        f'"{fonts.FAMILY}"'
    )
    shown.nothing_went_wrong()


def test_laws_and_kinds_are_chosen_in_the_problem_bar(running):
    shown = running.tab("data")
    page = shown.page
    law = page.get_by_label("data law")
    law.select_option("ising")
    page.get_by_text("Runs of equal spins").wait_for()
    page.get_by_role("note").get_by_text("no latent").wait_for()
    page.get_by_label("couplings β").fill("[0.5, 0.2]")
    page.keyboard.press("Enter")
    shown.slider("correlation length").first.wait_for(state="detached")
    law.select_option("nlgp")
    page.get_by_text("More of the law").click()
    page.get_by_label("correlation of the latent").select_option("table")
    page.get_by_label("parameters of table").wait_for()
    law.select_option("own")
    page.locator('.control[data-name="data.law"]').get_by_text("comes from a problem file").wait_for()
    shown.page.close()


def test_two_tabs_are_independent_unless_joined(running):
    one, two = running.tab("data"), running.tab("data")
    one.tab("Table")
    two.tab("Table")
    one.move("gain g", "End")
    one.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    two.move("number of sites n", "ArrowRight")
    assert two.number(KURTOSIS, "exact") == kurtosis_of()
    for tab in (one, two):
        tab.page.get_by_role("switch", name="Share the problem between tabs").click()
    two.wait_for_number(KURTOSIS, "exact", kurtosis_of())  # that of the tab which joined last
    one.wait_for_number(KURTOSIS, "exact", kurtosis_of())
    assert one.slider("number of sites n").get_attribute("aria-valuetext") == "41 sites"
    for tab in (one, two):
        tab.nothing_went_wrong()
        tab.page.close()


def test_a_reload_keeps_the_problem_and_the_view(running):
    shown = running.tab("data")
    shown.tab("Table")
    shown.move("gain g", "End")
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    assert "token" not in shown.page.url
    shown.page.reload()
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=100))
    shown.nothing_went_wrong()
    shown.page.close()


def test_a_text_that_is_refused_says_why_and_another_is_taken(running, problem):
    shown = running.tab("data")
    page = shown.page
    page.get_by_role("button", name="TOML").click()
    text = page.get_by_label("the problem as TOML")
    assert text.input_value() == dumps(problem)
    text.fill("[data]")
    page.get_by_role("button", name="Use this problem").click()
    page.get_by_role("dialog").get_by_role("alert").get_by_text("lacks").wait_for()
    page.get_by_role("button", name="Close").click()
    typed = page.get_by_label("gain g, typed")
    typed.fill("-1")
    typed.press("Enter")
    page.locator('.control[data-name="data.gain"]').get_by_role("alert").wait_for()
    page.get_by_role("button", name="TOML").click()
    text.fill(dumps(problem).replace("gain = 1.0", "gain = 3.0"))
    page.get_by_role("button", name="Use this problem").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    assert typed.input_value() == "3"  # the refused value is gone
    shown.tab("Table")
    shown.wait_for_number(KURTOSIS, "exact", kurtosis_of(gain=3))
    page.close()


def test_the_numbers_are_also_shown_in_the_conventions_of_a_source(running):
    shown = running.tab("data")
    page = shown.page
    page.get_by_label("Conventions").select_option("notes")
    page.locator(".dialect").get_by_text("In the conventions of the notes: g = 1 · ξ = 2, 1 sites").wait_for()
    shown.move("gain g", "End")
    page.locator(".dialect").get_by_text("g = 100").wait_for()
    page.get_by_label("Conventions").select_option("PNAS paper")
    page.locator(".dialect").get_by_text("has the labels").wait_for()
    page.get_by_label("Conventions").select_option("")
    page.locator(".dialect").wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()


def test_the_menu_stays_below_the_bar_and_the_text_of_a_problem_opens_at_its_beginning(running):
    shown = running.tab("amplifier", load(problem_file("relu-training")))
    page = shown.page
    for width, height in ((1000, 500), (1000, 700), (1280, 800), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(  # a figure that is drawn again moves the end of the page
            """() => {
                scrollTo(0, document.documentElement.scrollHeight);
                const bar = document.querySelector("#bar").getBoundingClientRect().bottom;
                const first = document.querySelector("#nav a").getBoundingClientRect().top;
                const last = document.querySelector("#nav li:last-child a").getBoundingClientRect().bottom;
                return scrollY > 0 && bar < innerHeight / 2 && Math.max(bar, 0) <= first && last <= innerHeight; }""",
            polling=EVERY,
        )
    page.get_by_role("button", name="TOML").click()
    text = page.get_by_label("the problem as TOML")
    assert text.evaluate("area => [area.scrollTop, area.selectionStart, area.scrollHeight > area.clientHeight]") == [
        0, 0, True,
    ]  # fmt: skip
    shown.page.close()


def test_a_preset_opens_its_problem_in_its_view(running):
    shown = running.tab("data")
    page = shown.page
    page.evaluate("location.hash = '#/start'")
    page.get_by_role("button", name=re.compile("Gain through the transition")).click()
    page.locator(".view-amplifier").wait_for()
    page.locator(".finding", has_text="The flat field is unstable").wait_for()
    assert page.locator(".classes").get_by_text("y = 1, ξ = 2").count() == 1
    shown.nothing_went_wrong()
    page.close()


def test_a_server_that_has_ended_is_said_with_the_problem_to_keep(running):
    shown = running.tab("data")
    shown.page.route("**/api/**", lambda route: route.abort())
    shown.slider("gain g").focus()
    shown.page.keyboard.press("End")
    banner = shown.page.locator("#banner")
    banner.get_by_text("gdln explore problem.toml").wait_for()
    assert shown.page.locator(".panel-figure figure").count() >= 5
    banner.get_by_text("The problem", exact=True).click()
    assert banner.get_by_label("The problem as TOML").input_value() == dumps(load(FIRST))
    shown.page.close()
