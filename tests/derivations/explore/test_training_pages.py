"""The views in a real browser that follow long work: fields, compare, map and graph."""

from dataclasses import replace

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import fields_page, graphs
from derivations.explore.gain_sweep import COARSE
from derivations.explore.map_page import SIZE
from derivations.explore.running import PATIENCE
from tests.derivations.explore.browser import EVERY, SECONDS, explorer, needs_a_browser
from theory.problem import NonlinearGP2D, dumps

pytestmark = [needs_a_browser, pytest.mark.slow]

ENDLESS = 50_000  # a time that takes minutes on any machine, and is within the explorer's limit


@pytest.fixture(scope="module")
def relu():
    """Three ReLU units on twelve sites, trained to t = 16."""
    problem = problem_named("relu-training")
    small = replace(problem, data=replace(problem.data, n=12), network=replace(problem.network, units=3))
    return replace(small, training=replace(small.training, times=(0, 16)))


@pytest.fixture(scope="module")
def running():
    with explorer() as server:
        yield server


def done(shown, place=""):
    """Wait until work is done; a control that asks for other work forgets the old one at once."""
    shown.page.wait_for_selector(f'{place} .work[data-state="done"]', timeout=SECONDS)


def titles(shown):
    return shown.page.locator(".panel-figure .figure-title").all_text_contents()


def begun(page):
    """The reply to the request that begins the next training."""
    return page.expect_response(lambda reply: reply.request.method == "POST" and "/jobs/" in reply.url)


def test_fields_train_at_once_and_are_shown_at_every_time(running, relu):
    shown = running.tab("fields", relu)
    page = shown.page
    done(shown)
    assert "No theory stands beside these networks" in page.locator(".notes").text_content()
    for beginning in ("Fields aligned by their centre, t = 16", "Gates of one ReLU network"):
        assert any(title.startswith(beginning) for title in titles(shown))
    shown.slider("time t").press("Home")
    page.wait_for_function("document.querySelector('.figure-title').textContent.endsWith('t = 2')", polling=EVERY)
    before = shown.version
    page.get_by_role("button", name="Play the film of the training").click()
    page.get_by_role("button", name="Pause the film").wait_for()
    page.get_by_role("button", name="Play the film of the training").wait_for()
    assert page.locator(".figure-title").first.text_content().endswith("t = 16")
    assert shown.version - before == len(fields_page.asked(relu, {}).training.times) - 1
    page.get_by_label("fields of").select_option("2")
    page.get_by_role("switch", name="Aligned by centre").click()
    page.wait_for_function("document.querySelector('.panel-title').textContent === 'unit 2'", polling=EVERY)
    page.get_by_role("switch", name="Aligned by centre").click()
    page.get_by_label("fields of").select_option("all")
    page.get_by_label("replay with frozen gates").select_option("2")
    done(shown)
    page.locator(".panel-title").get_by_text("gates frozen in 2 pieces").wait_for()
    field = page.get_by_label("train to t")
    field.fill("-3")
    field.press("Enter")
    page.locator('.control[data-name="until"]').get_by_role("alert").get_by_text("not above 0").wait_for()
    field.fill("8")
    field.press("Enter")
    done(shown)
    assert page.locator(".figure-title").first.text_content().endswith("t = 8")
    shown.errors.clear()  # the browser reports the refused request
    page.close()


def test_fields_on_a_grid_are_images(running, relu):
    law = NonlinearGP2D((1, "1/2"), 3, "open", "unit-variance", (1, 0), (6, 7))
    training = replace(relu.training, times=(0, 8))
    grid = replace(relu, data=law, network=replace(relu.network, units=1), training=training)
    shown = running.tab("fields", grid)
    page = shown.page
    done(shown)
    every = page.locator("figure", has=page.locator(".figure-title", has_text="ReLU: every field"))
    assert every.locator("svg image").count() == 8
    shown.nothing_went_wrong()
    page.close()


def test_a_law_and_its_clone_are_judged_and_kept_while_another_view_is_shown(running, relu):
    shown = running.tab("compare", relu)
    page, said = shown.page, shown.page.locator(".steer ~ .verdict p")
    done(shown)
    said.nth(2).wait_for()
    verdict = said.all_text_contents()
    assert [side in text for side, text in zip("AB", verdict[:2], strict=True)] == [True, True]
    assert "B − A is" in verdict[2]
    jobs = []
    page.on("request", lambda request: request.url.endswith("/api/jobs/compare") and jobs.append(request))
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    page.evaluate("location.hash = '#/compare'")
    said.nth(2).wait_for()
    assert said.all_text_contents() == verdict
    page.get_by_role("slider", name="time t").press("Home")
    page.locator(".verdict.pending p", has_text="It is judged at the end").wait_for()
    at_once = page.get_by_label("train when a control changes")
    at_once.uncheck()
    before, count = shown.version, len(jobs)
    page.get_by_role("button", name="its labels exchanged").click()
    shown.wait_for_news(before)
    assert (said.count(), len(jobs)) == (0, count)
    page.get_by_role("button", name="a problem of its own").click()
    other = page.get_by_label("The problem B as TOML")
    other.fill("[data]")
    page.get_by_role("button", name="Use as B").click()
    page.locator(".own").get_by_role("alert").get_by_text("lacks").wait_for()
    other.fill(dumps(replace(relu, data=replace(relu.data, gain=1))))
    page.get_by_role("button", name="Use as B").click()
    at_once.check()
    done(shown)
    shown.errors.clear()  # the browser reports the refused request
    page.close()


def test_networks_train_along_the_gain_when_the_reader_asks(running, relu):
    shown = running.tab("compare", replace(relu, training=replace(relu.training, times=(0, 4))))
    page = shown.page
    done(shown)
    page.get_by_role("button", name="Train along the gain").click()
    done(shown, ".sweep-start")
    assert "at the gain " in page.locator(".sweep-start .verdict p").last.text_content()
    shown.tab("Table")
    assert page.locator(".table").nth(1).locator("tbody tr").count() >= len(COARSE)
    shown.nothing_went_wrong()
    page.close()


# The state of a job, requested from any tab.
STATE = """async job => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("gdln-token")}` };
    return (await fetch(`/api/jobs/${job}`, { headers })).json(); }"""


def test_a_training_ends_with_its_tab_and_others_go_on(running, relu):
    tabs, jobs = [], []
    for end in (ENDLESS, 0.9 * ENDLESS):
        tab = running.tab("compare")
        with begun(tab.page):  # that of the first problem, which the next one stops
            pass
        with begun(tab.page) as reply:
            tab.use(replace(relu, training=replace(relu.training, times=(0, end))))
        tabs.append(tab)
        jobs.append(reply.value.json()["id"])
    tabs[0].page.goto("about:blank")
    page = tabs[1].page
    ended = f"async job => !(await ({STATE})(job)).running"
    page.wait_for_function(ended, arg=jobs[0], polling=EVERY, timeout=1000 * PATIENCE / 2)
    assert page.evaluate(STATE, jobs[1])["running"]
    tabs[1].nothing_went_wrong()
    for tab in tabs:
        tab.page.close()


def test_the_map_comes_row_by_row_opens_fields_and_refuses_a_wrong_range(running):
    shown = running.tab("map")
    page = shown.page
    done(shown)
    assert page.locator("svg [aria-label='not computed yet']").count() == 0
    page.locator(".figure-heat").first.click(position={"x": 300, "y": 150})
    page.get_by_text("Fields at gain g =").wait_for()
    shown.tab("Save")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Numbers as CSV").click()
    assert len(waiting.value.path().read_text().splitlines()) == 1 + SIZE**2
    shown.tab("Figure")
    page.get_by_text("Ranges, resolution, networks of a sweep").click()
    low = page.get_by_label("gain g, from")
    low.fill("1000")
    low.press("Enter")
    page.locator('.control[data-name="x.high"]').get_by_role("alert").get_by_text("is no range").wait_for()
    shown.errors.clear()  # the browser reports the refused request
    page.close()


def test_a_graph_and_its_networks(running):
    shown = running.tab("graph")
    page = shown.page
    page.get_by_role("button", name="Open the race").click()
    page.get_by_text(graphs.sentence(graphs.graph_page(problem_named("race"), "1", "1", 256, 8))).wait_for()
    page.get_by_label("highlight the paths through").select_option("decode")
    page.get_by_text("paths through decode", exact=True).wait_for()
    page.get_by_role("button", name="Train").click()
    done(shown)
    page.get_by_text("networks ± 2 standard errors").first.wait_for()
    page.get_by_role("button", name="Back to your problem").click()
    page.get_by_role("button", name="Open the race").wait_for()
    shown.nothing_went_wrong()
    page.close()
