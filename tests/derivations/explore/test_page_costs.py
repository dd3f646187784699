"""The page in a real browser where an answer costs much: what is refused, and what is shown while it computes."""

import pytest

from tests.derivations.explore.browser import explorer, needs_a_browser

pytestmark = needs_a_browser


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


def test_too_many_sites_are_refused_beside_their_control_and_the_figure_stays(running):
    shown = running.tab("data")
    field = shown.page.get_by_label("number of sites n, typed")
    field.fill("10000")
    field.press("Enter")
    fault = shown.page.locator('.control[data-name="data.n"]').get_by_role("alert")
    fault.get_by_text("at most 500 sites here").wait_for()
    shown.move("gain g", "ArrowRight")  # the explorer still answers
    shown.page.close()


def test_a_page_that_waits_says_that_it_computes(running):
    shown, held = running.tab("amplifier"), []
    page = shown.page
    page.route("**/api/views/amplifier", lambda route: held.append(route))
    before = shown.version
    shown.slider("gain g").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Computing …").wait_for()
    assert page.locator(".panel-figure.stale").count() == 1
    for route in held:
        route.continue_()
    page.unroute("**/api/views/amplifier")
    shown.wait_for_news(before)
    page.get_by_text("Computing …").wait_for(state="hidden")
    assert page.locator(".stale").count() == 0
    shown.nothing_went_wrong()
    page.close()
