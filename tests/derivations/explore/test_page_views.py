"""The map, gates, formula, graph, amplifier and compare views in a real browser."""

import re

import pytest

from derivations.experiments.folders import problem_file, problem_named
from derivations.explore import amplifier, graphs
from derivations.explore.map_page import SIZE
from derivations.explore.phase_map import EXCESS, QUANTITIES
from derivations.explore.problems import FIRST
from tests.derivations.explore.browser import EVERY, explorer, needs_a_browser
from theory.problem import load, loads

pytestmark = needs_a_browser


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


def test_the_map_comes_row_by_row_and_a_click_opens_the_fields(running):
    shown = running.tab("map")
    page = shown.page
    page.locator(".work[data-state=done]").wait_for()
    page.locator(".figure-heat").first.click(position={"x": 300, "y": 150})
    page.get_by_text("Fields at gain g =").wait_for()
    assert page.get_by_role("button", name="Stop").count() == 0
    shown.tab("Python")
    page.get_by_text("found = phase_map(problem, x, y").wait_for()
    shown.nothing_went_wrong()


def test_cells_that_are_not_computed_yet_are_grey(running):
    shown = running.tab("map")
    page, grey = shown.page, shown.page.locator("svg [aria-label='not computed yet']")
    page.locator(".work[data-state=done]").wait_for()
    assert grey.count() == 0
    held = []
    page.route("**/api/jobs/map", lambda route: held.append(route))
    page.get_by_label("quantity").select_option("loss")
    grey.wait_for(state="attached")
    page.locator(".figure-legend").get_by_text("not computed yet").wait_for()
    wait_for(page, held, 1)
    held[0].continue_()
    page.locator(".work[data-state=done]").wait_for()
    assert grey.count() == 0
    shown.nothing_went_wrong()
    page.close()


# The meanings in the legend, each with the red, green and blue of its swatch.
MEANINGS = """() => [...document.querySelectorAll(".figure-legend li")]
    .filter(item => item.querySelector(".swatch-full"))
    .map(item => [item.textContent,
        getComputedStyle(item.querySelector(".swatch")).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)])"""
COLOURS = {
    "red": lambda red, green, blue: red > 2 * max(green, blue),
    "blue": lambda red, green, blue: blue > 1.5 * max(red, green),
    "yellow": lambda red, green, blue: min(red, green) > 2 * blue,
    "dark purple": lambda red, green, blue: min(red, blue) > 2 * green and max(red, blue) < 128,
}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_legend_of_the_map_says_in_words_what_its_colours_mean(running, quantity):
    excess = quantity == EXCESS
    shown = running.tab("map", problem_named("relu-training") if excess else load(FIRST))
    page = shown.page
    page.get_by_label("quantity").select_option(quantity)
    page.wait_for_function(  # the work that is done may still be that of the quantity before
        f"means => `${{({MEANINGS})().map(([text]) => text.split(': ').slice(1).join(': '))}}` === `${{means}}`",
        arg=list(QUANTITIES[quantity].means),
        polling=EVERY,
    )
    found = page.evaluate(MEANINGS)
    names = [text.partition(": ")[0] for text, _ in found]
    assert names == (["red", "blue"] if excess else ["dark purple", "yellow"])
    assert all(COLOURS[name](*rgb) for name, (_, rgb) in zip(names, found, strict=True))
    shown.nothing_went_wrong()
    page.close()


def test_the_map_s_csv_and_a_wrong_range_beside_its_control(running):
    shown = running.tab("map")
    page = shown.page
    page.locator(".work[data-state=done]").wait_for()
    shown.tab("Save")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Numbers as CSV").click()
    lines = waiting.value.path().read_text().splitlines()
    assert lines[0] == "data.gain,data.xi.0,ratio,state"
    assert len(lines) == 1 + SIZE**2
    shown.tab("Figure")
    page.get_by_text("Ranges, resolution, networks of a sweep").click()
    low = page.get_by_label("gain g, from")
    low.fill("1000")
    low.press("Enter")
    control = page.locator('.control[data-name="x.high"]')
    control.get_by_role("alert").get_by_text("is no range").wait_for()
    assert page.locator(".refusal").is_hidden()
    low.fill("0.1")
    low.press("Enter")
    control.get_by_role("alert").wait_for(state="hidden")
    shown.errors.clear()  # the browser reports the refused request
    page.close()


def test_samples_keep_no_move_waiting_and_are_not_shown_with_the_next_problem(running):
    """The question for samples is held back, as where the server loads PyTorch for the first of them."""
    shown = running.tab("data")
    page = shown.page
    page.get_by_text("sampled").first.wait_for()  # of the first problem
    held = []
    page.route(
        "**/api/views/data",
        lambda route: held.append(route) if '"sample":true' in route.request.post_data else route.continue_(),
    )
    shown.move("gain g", "End")
    assert page.get_by_text("sampled").count() == 0
    wait_for(page, held, 1)
    shown.move("gain g", "Home")  # it waits for an answer, which comes although the samples are still missing
    version = shown.version
    held[0].continue_()  # the samples of the largest gain, with the smallest one on the page
    wait_for(page, held, 2)  # the next question for samples, which follows that answer
    assert (shown.version, page.get_by_text("sampled").count()) == (version, 0)
    held[1].continue_()
    page.get_by_text("sampled").first.wait_for()
    shown.nothing_went_wrong()
    page.close()


def wait_for(page, requests, count):
    """Wait until so many requests are held back, a minute at most."""
    for _ in range(3000):
        if len(requests) >= count:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"{len(requests)} requests came within a minute, not {count}")


def test_weights_are_drawn_by_the_arrow_keys(running):
    shown = running.tab("gates")
    page = shown.page
    pencil = page.locator(".figure-pencil")
    pencil.wait_for()
    before = shown.version
    page.get_by_label("weights to start from").select_option("one site")
    shown.wait_for_news(before)
    page.get_by_text("the exact formula, and samples that know none").wait_for()
    pencil.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    pencil.get_by_text("site 21: 0.05").wait_for(state="attached")
    page.get_by_text("samples ± 2 standard errors").first.wait_for()
    page.keyboard.press("ArrowUp")  # the focus and the site stay with the figure that is drawn anew
    pencil.get_by_text("site 21: 0.1").wait_for(state="attached")
    page.get_by_text("(95 %: ").first.wait_for()
    shown.nothing_went_wrong()


def test_a_gate_s_control_changes_the_problem_of_all_views(running):
    shown = running.tab("gates")
    page = shown.page
    page.get_by_label("look at").select_option("gates")
    with page.expect_response("**/api/problem"):
        page.get_by_label("gate 0", exact=True).select_option("always")
    with page.expect_response("**/api/views/gates"):  # the view follows the new problem
        page.get_by_label("gate 0: site", exact=True).wait_for(state="detached")
    page.get_by_role("button", name="TOML").click()
    text = page.get_by_label("the problem as TOML").input_value()
    assert loads(text).network.gates[0].kind == "always"
    assert loads(text).network.gates[1] == load(FIRST).network.gates[1]
    shown.nothing_went_wrong()


def test_a_formula_is_answered_refuted_and_refused(running):
    shown = running.tab("formula")
    page = shown.page
    page.locator(".verdict .badge", has_text=re.compile("^proved$")).wait_for()
    assert page.locator(".steps li").count() == page.locator(".steps .badge[data-holds=true]").count() > 3
    assert page.locator(".steps math").count() > 3
    page.get_by_label("examples").select_option("a wrong factor")
    page.locator(".verdict .badge", has_text="refuted").wait_for()
    page.get_by_label("integrand, or equation between E[…]").fill("foo(z1)")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator(".asked-line").get_by_role("alert").get_by_text("foo is not known").wait_for()
    assert page.locator(".verdict .badge").count() == 0  # that of the question before
    page.get_by_label("examples").select_option("a site gate")
    page.locator(".verdict .badge", has_text="derived, each step checked").wait_for()
    covariance = page.get_by_label("covariance of z1, z2, …")
    covariance.fill("[[1,2],[2,1]]")
    page.get_by_text("The question has changed").wait_for()
    assert page.locator(".panel-figure.stale .verdict .badge").count() == 1
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator(".asked-cov").get_by_role("alert").get_by_text("not positive semidefinite").wait_for()
    assert (page.locator(".verdict .badge").count(), page.locator(".panel-figure figure").count()) == (0, 0)
    assert covariance.get_attribute("aria-invalid") == "true"
    covariance.fill("[[1,1/2],[1/2,1]]")
    page.locator(".asked-cov").get_by_role("alert").wait_for(state="hidden")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator(".verdict .badge", has_text="derived, each step checked").wait_for()
    shown.nothing_went_wrong()


def test_a_graph_and_its_networks(running):
    shown = running.tab("graph")
    page = shown.page
    before = page.evaluate("sessionStorage.getItem('gdln-problem')")
    page.get_by_role("button", name="Open the race").click()
    page.get_by_role("button", name="Back to your problem").click()
    page.get_by_role("button", name="Open the race").wait_for()
    page.get_by_role("button", name="Back to your problem").wait_for(state="hidden")
    assert before in (None, page.evaluate("sessionStorage.getItem('gdln-problem')"))
    page.get_by_role("button", name="Open the race").click()
    race = graphs.graph_page(problem_named("race"), "1", "1", 256, 8)
    page.get_by_text(graphs.sentence(race)).wait_for()
    page.get_by_label("highlight the paths through").select_option("decode")
    page.get_by_text("paths through decode", exact=True).wait_for()
    page.get_by_role("button", name="Train").click()
    page.locator(".work[data-state=done]").wait_for()
    page.get_by_text("networks ± 2 standard errors").first.wait_for()
    assert page.locator("[aria-label='x-axis label']").get_by_text("time t", exact=True).count() == 3
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        ground, drawn = page.evaluate(
            """() => [getComputedStyle(document.body).backgroundColor,
                getComputedStyle(document.querySelector(".typeset svg > rect")).fill]"""
        )
        assert drawn == ground
    shown.nothing_went_wrong()


def test_the_amplifier_says_whether_a_flat_field_is_unstable(running):
    ring = load(problem_file("relu-training"))
    shown = running.tab("amplifier", ring)
    page = shown.page
    page.get_by_text(amplifier.said(amplifier.amplifier_view(ring.data))).wait_for()
    page.get_by_text("it changes at the gain").wait_for()
    page.locator(".headline").get_by_text("Predicted gain: g = 0.").wait_for()
    assert page.locator(".headline a").get_attribute("href") == "#/compare"
    shown.move("gain g", "Home")
    page.get_by_text("The flat field is stable").wait_for()
    page.get_by_text("More of the law").click()
    page.get_by_label("boundary").select_option("open")
    page.get_by_text("No flat state").wait_for()
    page.get_by_role("button", name="Put the sites on a ring").click()
    page.get_by_text("The flat field is stable").wait_for()
    shown.nothing_went_wrong()
    page.close()


def test_the_compare_view_puts_sites_on_a_ring_where_the_closure_needs_one(running):
    shown = running.tab("compare", load(FIRST))
    page = shown.page
    page.get_by_label("train when a control changes").uncheck()
    page.get_by_text("says nothing of this law").first.wait_for()
    page.get_by_role("button", name="Put the sites on a ring").click()
    page.get_by_text("A: under the closure for one ReLU neuron").wait_for()
    assert page.get_by_role("button", name="Put the sites on a ring").count() == 0
    shown.nothing_went_wrong()
    page.close()


def test_without_a_site_the_command_that_makes_a_page_of_the_book_is_copied(running):
    shown = running.tab("formula")
    page = shown.page
    page.get_by_role("heading", name="Where the book derives this").wait_for()
    page.get_by_role("button", name="Copy gdln derive gaussian-averages").first.click()
    command = "gdln derive gaussian-averages"
    page.wait_for_function(
        "text => navigator.clipboard.readText().then(now => now === text)", arg=command, polling=EVERY
    )
    shown.nothing_went_wrong()
    page.close()


def test_a_thousand_moves_leave_no_elements_behind(running):
    shown = running.tab("amplifier", load(problem_file("relu-training")))
    count = "document.querySelectorAll('*').length"
    for key in ("ArrowLeft", "ArrowRight"):
        shown.move("gain g", key)
    before = shown.page.evaluate(count)
    shown.page.evaluate(
        """async () => {
            const range = document.querySelector('.control[data-name="data.gain"] input[type=range]');
            for (let move = 0; move < 1000; move += 1) {
                range.value = 10 + (move % 20);
                range.dispatchEvent(new Event("input"));
                if (move % 20 === 0) await new Promise((next) => setTimeout(next, 0));
            }
        }"""
    )
    shown.move("gain g", "ArrowRight")
    assert shown.page.evaluate(count) <= before * 1.2  # a legend or tick more
    shown.nothing_went_wrong()
    shown.page.close()
