"""The way back in a real browser: by the browser's Back and Forward, and to the problem of the reader's own."""

import pytest

from derivations.experiments.folders import problem_file
from derivations.explore.views import views
from tests.derivations.explore.browser import EVERY, explorer, needs_a_browser

pytestmark = needs_a_browser

BACK = "Back to your problem"
REST = 1000  # milliseconds, as in lib/past.js
TEXT = "() => sessionStorage.getItem('gdln-problem')"


@pytest.fixture(scope="module")
def running():
    with explorer(str(problem_file("relu-training"))) as found:
        yield found


def problem_of(page):
    return page.evaluate(TEXT)


def wait_for_problem(page, text):
    page.wait_for_function(f"text => ({TEXT})() === text", arg=text, polling=EVERY)


def wait_for_another(page, text):
    page.wait_for_function(f"text => ({TEXT})() !== text", arg=text, polling=EVERY)


def test_back_and_forward_restore_the_problem_and_the_view(running):
    shown = running.tab("data")
    page = shown.page
    shown.move("gain g", "ArrowRight")
    first = problem_of(page)
    page.evaluate("location.hash = '#/start'")
    page.locator(".view-start .card").first.click()
    wait_for_another(page, first)
    page.locator(".view-start").wait_for(state="detached")
    preset, view = problem_of(page), page.url
    page.go_back()
    wait_for_problem(page, first)
    page.locator(".view-start").wait_for()
    page.go_back()
    page.locator(".view-data .panel-figure[data-version]").wait_for()
    assert problem_of(page) == first
    page.go_forward()
    page.locator(".view-start").wait_for()
    page.go_forward()
    wait_for_problem(page, preset)
    assert page.url == view
    shown.nothing_went_wrong()
    page.close()


def test_moves_of_a_slider_that_follow_at_once_are_one_step(running):
    shown = running.tab("data")
    page = shown.page
    shown.move("gain g", "ArrowRight")
    before, entries = problem_of(page), page.evaluate("history.length")
    rested = page.evaluate(f"performance.now() + {REST}")  # the next move is a step of its own
    page.wait_for_function("rested => performance.now() > rested", arg=rested, polling=EVERY)
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    gain = shown.slider("gain g").get_attribute("aria-valuetext")
    page.wait_for_function("gain => history.state.problem.includes(`gain = ${gain}`)", arg=gain, polling=EVERY)
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    wait_for_problem(page, before)
    shown.nothing_went_wrong()
    page.close()


@pytest.mark.parametrize(("view", "leave"), [("graph", "Open the race"), ("gates", "Make it gated-linear")])
def test_every_view_offers_the_way_back_to_the_reader_s_problem(running, view, leave):
    shown = running.tab(view)
    page = shown.page
    own = page.evaluate("history.state.problem")
    if view == "gates":
        page.get_by_label("look at").select_option("gates")
    assert not page.get_by_role("button", name=BACK).is_visible()
    page.get_by_role("button", name=leave).click()
    page.get_by_role("button", name=BACK).wait_for()
    page.evaluate("location.hash = '#/data'")
    page.locator(".view-data").wait_for()
    page.get_by_role("button", name=BACK).click()
    wait_for_problem(page, own)
    page.get_by_role("button", name=BACK).wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()


def test_a_preset_leaves_the_way_back_to_a_file_and_a_text_ends_it(running):
    shown = running.tab("data")
    page = shown.page
    own = page.evaluate("history.state.problem")
    page.evaluate("location.hash = '#/start'")
    page.locator(".view-start .card").first.click()
    page.get_by_role("button", name=BACK).click()
    wait_for_problem(page, own)
    page.evaluate("location.hash = '#/start'")
    page.locator(".view-start .card").nth(1).click()
    page.get_by_role("button", name=BACK).wait_for()
    assert "gain = 3.0" in own
    page.get_by_role("button", name="TOML").click()
    page.get_by_label("the problem as TOML").fill(own.replace("gain = 3.0", "gain = 4.0"))
    page.get_by_role("button", name="Use this problem").click()
    page.get_by_role("button", name=BACK).wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()


def test_views_that_are_left_before_they_are_answered_make_no_error(running):
    shown = running.tab("data")
    page = shown.page
    for view in (*views(), "data"):
        page.evaluate("name => { location.hash = `#/${name}`; }", view)
        page.locator(f".view-{view}").wait_for()
    page.locator(".view-data .panel-figure[data-version]").wait_for()
    assert not page.locator("#banner").is_visible()
    shown.nothing_went_wrong()
    page.close()


def test_shared_tabs_say_so_in_words(running):
    shown = running.tab("data")
    page = shown.page
    said = page.get_by_text("This problem is shared: a change in one tab changes it in all tabs")
    assert not said.is_visible()
    switch = page.get_by_role("switch", name="Share the problem between tabs")
    switch.click()
    said.wait_for()
    switch.click()
    said.wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()
