"""The compare view in a real browser: its order, trainings that go on or are there again, and the sweep of gains."""

from dataclasses import replace

import pytest

from derivations.explore.gain_sweep import COARSE
from derivations.explore.running import PATIENCE
from tests.derivations.explore.browser import EVERY, explorer, needs_a_browser
from tests.derivations.explore.trained import done, figures, small_relu

pytestmark = needs_a_browser


@pytest.fixture(scope="module")
def relu():
    return small_relu()


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


def test_a_view_that_is_left_and_shown_again_has_its_networks_and_its_time(running, relu):
    shown = running.tab("compare", relu)
    page = shown.page
    done(shown)
    page.locator(".panel-figure .figure-title").get_by_text("t = 16").first.wait_for()
    figures_before = figures(shown)
    jobs = []
    page.on("response", lambda reply: reply.request.method == "POST" and "/jobs/" in reply.url and jobs.append(reply))
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    page.evaluate("location.hash = '#/compare'")
    page.wait_for_selector(".view-compare .panel-figure[data-version]")
    done(shown)
    page.locator(".panel-figure .figure-title").get_by_text("t = 16").first.wait_for()
    assert figures(shown) == figures_before
    page.get_by_role("slider", name="time t").press("ArrowLeft")
    chosen = shown.slider("time t").get_attribute("aria-valuetext")
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    page.evaluate("location.hash = '#/compare'")
    page.wait_for_selector(".view-compare .panel-figure[data-version]")
    done(shown)
    assert shown.slider("time t").get_attribute("aria-valuetext") == chosen != "16"
    assert len(jobs) == 2
    assert jobs[0].json()["id"] == jobs[1].json()["id"]  # the same training, that of the first visit
    shown.nothing_went_wrong()
    page.close()


def test_networks_train_along_the_gain_when_the_reader_asks(running, relu):
    shown = running.tab("compare", relu)
    page, sweep = shown.page, shown.page.locator(".sweep")
    done(shown)
    begin = page.locator(".sweep-start")
    begin.get_by_text("At which gain do the networks of A localize?").wait_for()
    begin.get_by_role("button", name="Train along the gain").click()
    begin.locator('.work[data-state="done"]').wait_for()
    said = begin.locator(".verdict p").all_text_contents()  # the answer stands beside its question
    assert "at the gain " in said[-1]
    assert sweep.locator(".figure-title").all_text_contents() == ["Participation ratio along the gain"]
    shown.tab("Table")
    gains = page.locator(".table").nth(1).locator("tbody tr")
    assert gains.count() >= len(COARSE)
    shown.tab("Figure")
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    page.evaluate("location.hash = '#/compare'")
    begin.locator(".verdict p").get_by_text(said[-1]).wait_for()  # nobody has asked again
    before = shown.version
    page.get_by_label("networks of each side, typed").fill("5")
    page.get_by_label("networks of each side, typed").press("Enter")
    shown.wait_for_news(before)
    assert begin.locator(".verdict p").count() == 0
    page.get_by_label("data law").select_option("single-pulse")
    sweep.wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()


def tops(page, *places):
    """The upper edges of the first elements at these places, in pixels."""
    return [page.locator(place).first.bounding_box()["y"] for place in places]


@pytest.mark.parametrize(("width", "height", "screens"), [(1440, 900, 1), (390, 844, 2)])
def test_the_compare_view_shows_its_figures_before_it_explains(running, relu, width, height, screens):
    shown = running.tab("compare", relu)
    page = shown.page
    page.set_viewport_size({"width": width, "height": height})
    done(shown)
    page.locator(".view > .verdict:not(.pending) p").nth(2).wait_for()
    places = tops(
        page,
        "h1",
        ".pairs",
        ".view > .steer",
        ".view > .verdict",
        ".sweep-start",
        ".reason",
        "figure",
        ".sweep",
        ".why-section",
    )
    assert places == sorted(places)
    assert page.locator(".reason").text_content().startswith("Why? For one ReLU neuron")
    assert page.locator(".why-section h2").all_text_contents() == ["Why", "How the verdict is reached"]
    assert tops(page, ".panel-figure figure .figure-area svg")[0] < screens * height
    shown.nothing_went_wrong()
    page.close()


ENDLESS = 64000  # a time that takes minutes on any machine, and is within the explorer's limit

# Keeps every text that is said about a training, which the next result may remove at once.
RECORD_WHAT_IS_SAID = """() => {
    window.said = [];
    const texts = () => [...document.querySelectorAll(".work .said")].map((said) => said.textContent);
    const keep = () => window.said.push(...texts());
    new MutationObserver(keep).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


def test_a_training_goes_on_while_another_view_is_shown(running, relu):
    """It is shown again without a second question to the server, and ends where the problem changes."""
    long = replace(relu, training=replace(relu.training, times=(0, ENDLESS)))
    shown = running.tab("compare", long)
    page = shown.page
    page.locator(".view > .verdict p", has_text="It is judged at the end").wait_for()
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    begun = []
    page.on("request", lambda request: request.url.endswith("/api/jobs/compare") and begun.append(request.url))
    page.evaluate(RECORD_WHAT_IS_SAID)
    page.evaluate("location.hash = '#/compare'")
    page.locator(".work[data-state=running]").wait_for()
    page.locator(".view > .verdict p", has_text="It is judged at the end").wait_for()
    assert "It went on while another view was shown." in page.evaluate("window.said")  # until the next result
    assert begun == []
    page.evaluate("location.hash = '#/data'")
    page.wait_for_selector(".view-data figure")
    with page.expect_request(lambda request: request.method == "DELETE"):
        shown.move("number of sites n", "ArrowRight")
    shown.nothing_went_wrong()
    page.close()


# The state of a job, asked from any tab.
STATE = """async job => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("gdln-token")}` };
    return (await fetch(`/api/jobs/${job}`, { headers })).json();
}"""


def begun(page):
    """The number of the training that begins with the next problem."""
    return page.expect_response(lambda reply: reply.request.method == "POST" and "/jobs/" in reply.url)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_training_ends_with_its_tab(running, relu, elsewhere):
    """At once, and also one that goes on while another view is shown; other tabs keep theirs."""
    long = replace(relu, training=replace(relu.training, times=(0, ENDLESS)))
    tabs, jobs = [], []
    for end in (ENDLESS, 0.9 * ENDLESS):
        tab = running.tab("compare")
        with begun(tab.page):  # that of the first problem, which the next one stops
            pass
        with begun(tab.page) as reply:
            tab.use(replace(long, training=replace(long.training, times=(0, end))))
        tabs.append(tab)
        jobs.append(reply.value.json()["id"])
    (closed, left), (job, other) = tabs, jobs
    if elsewhere:
        closed.page.evaluate("location.hash = '#/data'")
        closed.page.wait_for_selector(".view-data figure")
    assert left.page.evaluate(STATE, job)["running"]
    closed.page.goto("about:blank")
    ended = f"async job => !(await ({STATE})(job)).running"
    left.page.wait_for_function(ended, arg=job, polling=EVERY, timeout=1000 * PATIENCE / 2)
    assert left.page.evaluate(STATE, other)["running"]
    left.nothing_went_wrong()
    for tab in tabs:
        tab.page.close()


def test_a_question_of_a_view_that_was_left_is_not_asked(running):
    """One is under way and one waits as the view is left: the first is given up, and the second is never sent.

    The samples, which the view asks for once it rests, are other questions.
    """

    def is_question(request):
        return request.url.endswith("/views/data") and '"sample":true' not in request.post_data

    shown = running.tab("data")
    page, sent = shown.page, []
    page.route("**/api/views/data", lambda route: None)  # no answer comes
    page.on("request", lambda request: is_question(request) and sent.append(request))
    slider = shown.slider("gain g")
    slider.focus()
    for _ in range(2):
        with page.expect_response("**/api/problem"):
            page.keyboard.press("ArrowRight")
    with page.expect_event("requestfailed", is_question):
        page.evaluate("location.hash = '#/amplifier'")
    page.locator(".view-amplifier .panel-figure[data-version]").wait_for(state="attached")
    assert len(sent) == 1
    assert not page.locator("#banner").is_visible()
    page.close()
