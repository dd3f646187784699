"""The views in a real browser: controls, numbers, wrong values, what is saved and copied, several tabs at once."""

import re
from dataclasses import replace
from html import escape
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from derivations.answers.compare import LAW, field_view
from derivations.experiments.folders import problem_file
from derivations.explore.data import numbers, theory_of
from derivations.explore.fields import live, rivals
from derivations.explore.gates import with_gates
from derivations.explore.graphs import EXAMPLE, graph_page, rows, sentence
from derivations.explore.shell.shared_problem import FIRST
from derivations.explore.training import Training
from tests.derivations.explore.browser import EVERY, SECONDS, SIZE, explorer, needs_a_browser
from theory.flow import solve
from theory.problem import AlwaysGate, SiteGate, dumps, load, loads

pytestmark = [needs_a_browser, pytest.mark.xdist_group("views")]

RELU = problem_file("relu-short")
BIASED = problem_file("relu-short-biases")
KURTOSIS, VARIANCE = 4, 2  # rows of the table of the data view
CONDITION = 0  # row of the table of the gates view
STRENGTH = "strength at the end"  # column of the table of the graph view
LOSS = 0  # row of the table of the fields view


@pytest.fixture(scope="module")
def running():
    """The explorer of a problem file that is not the one it shows without."""
    with explorer(str(RELU)) as found:
        yield found


@pytest.fixture(scope="module")
def front(running):
    """The first page, as it was before any view had opened."""
    return urlopen(running.address).read().decode()


@pytest.fixture
def problem():
    return load(FIRST)


def kurtosis_of(**changed):
    return float(theory_of(replace(load(FIRST).data, **changed)).kurtosis[0])


def test_the_first_page_is_of_the_problem_that_the_command_is_given(front):
    assert load(RELU).data != load(FIRST).data
    for row in numbers(theory_of(load(RELU).data), None):
        assert f'data-value="{escape(repr(row["exact"]))}"' in front


@pytest.mark.parametrize("query", ["", "?access_token=", "?access_token=%C3%A9", "?access_token=wrong"])
def test_without_the_token_there_is_nothing_to_see(running, query):
    with pytest.raises(HTTPError) as refused:
        urlopen(running.address.split("?")[0] + query)
    assert refused.value.code == 401
    assert b"<img" not in refused.value.read()


@pytest.mark.parametrize("view", ["data", "gates", "fields", "graph", "formula"])
def test_no_view_is_shown_without_the_token(running, view):
    with pytest.raises(HTTPError, match="404"):
        urlopen(running.address.replace("/?", f"/{view}/?").partition("?")[0], timeout=60)


def test_the_data_view(front, running, problem, tmp_path):
    shown = running.view("data", problem)
    page = shown.page
    shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of())
    sampled = "document.querySelector('#numbers td[data-key=sampled]').dataset.value"
    page.wait_for_function(f"{sampled} != 'None'", polling=EVERY)
    exact, measured = (shown.number("numbers", KURTOSIS, key) for key in ("exact", "sampled"))
    assert exact != measured
    assert shown.fits()
    page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"] // 2})
    assert not shown.fits()
    page.set_viewport_size(SIZE)
    page.screenshot(path=tmp_path / "data.png")

    shown.move(3, "End")
    shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of(gain=100))

    shown.side.get_by_label("normaliser").select_option("none")
    variance = f"document.querySelectorAll('#numbers tr')[{VARIANCE + 1}].children[2].innerText"
    page.wait_for_function(f"{variance} != '1'", polling=EVERY)

    shown.side.get_by_label("boundary").select_option("ring")
    shown.move(1, "End")
    alert = page.get_by_role("alert")
    alert.get_by_text("the covariance is not positive semidefinite").wait_for()
    shown.move(1, "Home")
    shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of(gain=100))
    assert alert.count() == 0

    shown.press("Save")
    shown.saves({"PNG": b"\x89PNG", "SVG": b"<?xml", "PDF": b"%PDF", "CSV": b'"site"'})

    shown.press("Python")
    page.get_by_text("theory_of(problem.data)").first.hover()
    assert shown.fits()
    page.screenshot(path=tmp_path / "python.png")
    shown.press("LaTeX")
    page.get_by_text("begin{tabular}").first.wait_for()

    page.get_by_role("button", name="Figure", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # by the keyboard alone
    page.get_by_text("from theory.problem import loads").wait_for()

    shown.press("Problem")
    shown.text.fill("[data]")
    page.get_by_role("button", name="Use this problem").click()
    page.get_by_role("alert").get_by_text("lacks").wait_for()
    shown.text.fill(dumps(problem).replace('law = "nlgp"', 'law = "gaussian-clone"').replace('"latent"', '"input"'))
    page.get_by_role("button", name="Use this problem").click()
    shown.press("Figure")
    shown.wait_for_number("numbers", KURTOSIS, "exact", 0.0)
    shown.nothing_went_wrong()


def test_laws_and_kinds_are_chosen_in_the_data_view(running, problem):
    shown = running.view("data", problem)
    page, law = shown.page, shown.side.get_by_label("law", exact=True)
    shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of())
    shown.side.get_by_label("correlation of the latent").select_option("table")
    shown.side.get_by_label("parameters of table").wait_for()
    shown.side.get_by_label("correlation length").first.wait_for(state="detached")
    shown.side.get_by_label("correlation of the latent").select_option("gaussian")
    shown.side.get_by_label("correlation length").first.wait_for()

    law.select_option("student-t")
    shown.wait_for_number("numbers", KURTOSIS, "exact", 6.0)
    shown.side.get_by_label("degrees of freedom, class 1").first.wait_for()
    shown.move(4, "Home")
    page.get_by_role("alert").get_by_text("infinite variance").wait_for()
    shown.move(4, "End")
    page.get_by_role("alert").wait_for(state="detached")

    law.select_option("ising")
    page.get_by_text("Runs of equal spins").wait_for()
    shown.side.get_by_label("couplings β").fill("[0.5, 0.2]")
    page.keyboard.press("Enter")
    shown.side.get_by_label("correlation length").first.wait_for(state="detached")

    law.select_option("own")
    page.get_by_role("alert").get_by_text("comes from a problem file").wait_for()
    law.select_option("nlgp")
    shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of())
    shown.nothing_went_wrong()


def test_two_tabs(running, problem):
    shown = running.view("data", problem)
    shown.page.locator("#numbers").wait_for()
    other = running.another("data")
    other.page.locator("#numbers").wait_for()
    other.move(0, "ArrowRight")
    other.side.get_by_text("41", exact=True).wait_for()
    other.press("Problem")
    other.text.wait_for()

    shown.move(3, "ArrowRight")
    shown.side.get_by_text("41", exact=True).wait_for()  # it shows what the other changed
    shown.press("Problem")
    assert "n = 41\n" in shown.text.input_value()
    assert "gain = 1.26\n" in shown.text.input_value()

    other.page.get_by_role("button", name="Use this problem").click()
    other.page.get_by_role("alert").get_by_text("Another view has changed").wait_for()
    other.press("Figure")
    other.side.get_by_text("1.26", exact=True).wait_for()
    shown.nothing_went_wrong()
    other.nothing_went_wrong()
    other.page.close()


def test_the_first_figure_comes_before_the_controls_and_gives_way_to_them(running, problem):
    running.view("data", problem).page.locator("#numbers").wait_for()
    shown = running.another()
    page = shown.page
    page.route("**/assets/*", lambda route: None)  # the view behind never loads
    page.goto(shown.address, wait_until="commit")
    page.wait_for_selector("#first-numbers")
    assert page.get_by_role("img").first.bounding_box()["width"] > 800
    for row, expected in enumerate(numbers(theory_of(problem.data), None)):
        assert shown.number("first-numbers", row, "exact") == expected["exact"]
    assert shown.fits()
    page.unroute_all(behavior="ignoreErrors")

    page.goto(shown.address)
    page.wait_for_selector("body.ready", state="attached")
    assert not page.locator("#front").is_visible()
    page.frame_locator("iframe").locator("#numbers").wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "IFRAME"
    shown.nothing_went_wrong()
    page.close()


def test_the_gates_view(running, problem, tmp_path):
    shown = running.view("gates", problem)
    page = shown.page
    shown.wait_for_number("numbers", CONDITION, "value", solve(problem).condition)
    assert shown.fits()
    shown.move(1, "ArrowRight")
    moved = with_gates(problem, [SiteGate(21, lo=0), SiteGate(20, hi=0)])
    shown.wait_for_number("numbers", CONDITION, "value", solve(moved).condition)
    page.screenshot(path=tmp_path / "gates.png")

    shown.move(2, "ArrowLeft")
    lower = with_gates(problem, [SiteGate(21, lo="-1/10"), SiteGate(20, hi=0)])
    shown.wait_for_number("numbers", CONDITION, "value", solve(lower).condition)
    shown.move(2, "ArrowRight")
    shown.wait_for_number("numbers", CONDITION, "value", solve(moved).condition)
    shown.side.get_by_label("gate 1", exact=True).select_option("always")
    both = with_gates(problem, [SiteGate(21, lo=0), AlwaysGate()])
    shown.wait_for_number("numbers", CONDITION, "value", solve(both).condition)

    shown.move(0, "End")
    shown.side.get_by_label("gate 3", exact=True).wait_for()
    assert shown.fits()
    shown.press("Python")
    page.get_by_text("gated_moments(problem)").first.hover()
    assert shown.fits()
    page.get_by_role("button", name="Copy to clipboard").first.click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('site = 21'))", polling=EVERY)
    shown.nothing_went_wrong()


def test_the_gates_view_of_a_network_that_gates_itself(running):
    given = load(RELU)
    shown = running.view("gates", given)
    page = shown.page
    note = page.get_by_role("note").filter(has_text='model "relu"')
    note.wait_for()
    shown.side.get_by_label("gate 0", exact=True).select_option("site")
    gated = with_gates(given, [SiteGate(20, lo=0), *[AlwaysGate()] * 9])  # as many as the network has units
    shown.wait_for_number("numbers", CONDITION, "value", solve(gated).condition)
    assert shown.fits("#App")  # thirty controls for ten units scroll, beside it
    shown.press("Problem")
    assert loads(shown.text.input_value()) == given
    shown.press("Figure")
    page.get_by_role("button", name="Make it gated-linear").click()
    note.wait_for(state="detached")
    shown.press("Problem")
    assert loads(shown.text.input_value()) == gated
    shown.nothing_went_wrong()


def test_a_network_that_gates_itself_and_says_something_of_each_unit(running):
    given = load(BIASED)
    shown = running.view("gates", given)
    page = shown.page
    opened = with_gates(given, [AlwaysGate()] * 10)
    shown.wait_for_number("numbers", CONDITION, "value", solve(opened).condition)
    shown.move(0, "ArrowLeft")
    page.get_by_role("alert").get_by_text("hidden_bias0 has 10 numbers; the network has K = 9 units").wait_for()
    page.get_by_role("note").get_by_text('model "relu"').wait_for()
    shown.move(0, "ArrowRight")
    page.get_by_role("button", name="Make it gated-linear").click()
    page.get_by_role("note").get_by_text('model "relu"').wait_for(state="detached")
    shown.press("Problem")
    assert loads(shown.text.input_value()) == opened
    shown.nothing_went_wrong()


def test_the_formula_view(running, tmp_path):
    shown = running.view("formula")
    page, side = shown.page, shown.side
    page.locator("#numbers").get_by_text("asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi").wait_for()
    assert shown.fits()
    side.get_by_label("integrand, or equation between E[…]").fill("foo(z1)")
    side.get_by_role("button", name="Answer").click()
    page.get_by_role("alert").get_by_text("foo is not known").wait_for()
    side.get_by_label("integrand, or equation between E[…]").fill("relu(z1)**2")
    side.get_by_label("covariance of z1, z2, …").fill("[[3]]")
    side.get_by_label("domains of the parameters").fill("")
    side.get_by_role("button", name="Answer").click()
    page.locator("#numbers").get_by_text("3/2", exact=True).wait_for()  # half of the variance

    side.get_by_label("integrand, or equation between E[…]").fill("z1**2")
    side.get_by_label("covariance of z1, z2, …").fill("[[1e400]]")
    side.get_by_role("button", name="Answer").click()
    page.get_by_role("alert").get_by_text("float64, which cannot hold").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZE["width"]
    assert page.locator("#numbers").bounding_box()["width"] <= SIZE["width"]
    page.screenshot(path=tmp_path / "long.png")

    side.get_by_label("example").select_option("an equation")
    page.locator("#numbers").get_by_text("refuted").wait_for()
    page.get_by_alt_text("The formula against log₁₀ g").wait_for()
    side.get_by_label("horizontal axis").select_option("rho")
    page.get_by_alt_text("The formula against rho").wait_for()
    assert shown.fits()
    page.screenshot(path=tmp_path / "formula.png")
    shown.press("Save")
    shown.saves({"PNG": b"\x89PNG", "SVG": b"<?xml", "PDF": b"%PDF", "numbers as CSV": b"curve,rho"})
    shown.press("LaTeX")
    page.get_by_text("operatorname").first.wait_for()
    side.get_by_label("example").select_option("its value")
    shown.press("Steps")
    page.locator("#steps").get_by_text("linearity").first.wait_for()
    shown.nothing_went_wrong()


def test_the_graph_view(running, problem, tmp_path):
    shown = running.view("graph", problem)
    page, side = shown.page, shown.side
    page.get_by_role("alert").get_by_text("This view shows gated graphs").wait_for()
    side.get_by_role("button", name="Open the race").click()
    race = loads(EXAMPLE.read_text())
    first = graph_page(race, "1", "1", 256, 8)
    path, strength = rows(first, {})[0]["path"], rows(first, {})[0][STRENGTH]
    page.locator("#numbers").get_by_text(path, exact=True).wait_for()
    shown.wait_for_number("numbers", 0, STRENGTH, strength)
    page.get_by_role("note").get_by_text(sentence(first)).wait_for()
    page.locator(".drawn svg").get_by_text("always").wait_for()
    assert shown.fits()

    side.get_by_label("initial weights times").select_option("1/2")
    other = graph_page(race, "1/2", "1", 256, 8)
    shown.wait_for_number("numbers", 0, STRENGTH, rows(other, {})[0][STRENGTH])
    side.get_by_label("highlight the paths through").select_option("decode")
    page.locator(".drawn svg").get_by_text("paths through decode", exact=True).wait_for()
    side.get_by_role("button", name="Train").click()
    page.locator("#training[data-state=done]").wait_for()
    training = Training({"networks": other.problem})
    training.wait()
    shown.wait_for_number("numbers", 0, "networks", rows(other, training.progress.learned)[0]["networks"])
    page.screenshot(path=tmp_path / "graph.png")
    shown.press("Save")
    shown.saves({"PNG": b"\x89PNG", "SVG": b"<?xml", "PDF": b"%PDF", "CSV": b"quantity,name"})
    shown.press("LaTeX")
    page.get_by_text("begin{align}").first.wait_for()
    shown.press("Flow")
    page.get_by_text("tau dencode/dt = R' decode' E[1]").first.wait_for()
    shown.nothing_went_wrong()

    data = running.view("data")  # a graph's gates look at inputs of other data, too
    data.page.locator("#numbers").wait_for()
    fields = running.view("fields", race)
    fields.page.get_by_role("alert").get_by_text("the network is a graph").wait_for()


# The fields last: their page looks for progress every second, for as long as it is open.
def test_the_fields_view(running, problem, tmp_path):
    shipped = live(problem, batch=256, replicates=8)
    losses = field_view(shipped).losses
    shown = running.view("fields", problem)
    page, side = shown.page, shown.side
    shown.wait_for_number("numbers", LOSS, LAW, float(losses[-1]))
    shown.move(0, "Home")
    shown.wait_for_number("numbers", LOSS, LAW, float(losses[0]))
    shown.move(0, "End")
    shown.wait_for_number("numbers", LOSS, LAW, float(losses[-1]))

    side.get_by_role("button", name="Train").click()
    page.locator("#training[data-state=done]").wait_for()
    training = Training({"gated-linear": rivals(shipped)["gated-linear"]})
    training.wait()
    expected = float(training.progress.learned["gated-linear"].losses[:, -1].mean())
    shown.wait_for_number("numbers", LOSS, "gated-linear", expected)
    assert shown.fits()
    page.screenshot(path=tmp_path / "fields.png")
    shown.press("Python")
    page.get_by_text("training.progress.learned").first.hover()
    assert shown.fits()

    endless = replace(problem, training=replace(problem.training, times=(1, 10**6)))  # no test waits for its end
    shown.use(endless)
    page.locator("#training[data-state=none]").wait_for()
    side.get_by_role("button", name="Train").click()
    page.locator("#training[data-state=running]").wait_for()
    shown.move(0, "Home")  # the page answers while networks are trained
    shown.wait_for_number("numbers", LOSS, LAW, float(field_view(live(endless, 256, 8)).losses[0]))
    page.locator("#training[data-state=running]").wait_for()
    side.get_by_role("button", name="Stop").click()
    page.locator("#training[data-state=stopped]").wait_for()
    shown.move(0, "End")
    page.get_by_text("the time slider stands at t =").wait_for()
    shown.nothing_went_wrong()

    @running.last.callback
    def interrupted_while_networks_are_trained():
        running.view("fields", endless)
        side.get_by_role("button", name="Train").click()
        page.locator("#training[data-state=running]").wait_for()
        shown.nothing_went_wrong()


def test_a_view_with_trained_networks_says_that_it_was_overtaken(running, problem):
    from playwright.sync_api import expect

    shown = running.view("fields", problem)
    page = shown.page
    page.locator("#numbers").wait_for()
    shown.side.get_by_role("button", name="Train").click()
    page.locator("#training[data-state=done]").wait_for()
    other = running.view("data", beside=("fields",))
    other.page.locator("#numbers").wait_for()
    other.move(0, "ArrowRight")
    page.get_by_role("note").get_by_text("Another view has changed").wait_for()
    shown.press("Problem")
    page.locator("#training[data-state=none]").wait_for()
    expect(shown.text).to_have_value(re.compile(r"^n = 41$", re.MULTILINE), timeout=SECONDS)
    shown.nothing_went_wrong()
