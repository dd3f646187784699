"""Every view by keyboard alone and as a screen reader meets it, with little motion, and on paper.

Chromium's accessibility tree says which controls there are and how they are named; it does not hold `aria-valuetext`,
which is read from the elements.
"""

import re
from itertools import pairwise

import pytest

from derivations.explore.views import views
from tests.derivations.explore.browser import EVERY, explorer, needs_a_browser
from tests.derivations.explore.trained import done, small_relu

pytestmark = needs_a_browser

NAMED = {"button", "slider", "textbox", "combobox", "switch", "tab", "link", "progressbar", "dialog", "form", "region"}
NAMED |= {"application", "image", "img", "searchbox", "checkbox", "list", "tabpanel", "tablist"}
UNNAMED = {"list"}  # a list need not have a name
# Elements that the Tab key must reach: all that are shown, but for tabs that are not open, which arrows reach.
REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter(part => part.tabIndex >= 0 && !part.disabled && part.checkVisibility({ contentVisibilityAuto: true }))
    .map(part => part.dataset.reached = part.outerHTML.slice(0, 90))"""
FOCUSED = """() => {
    const part = document.activeElement, style = getComputedStyle(part);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return part === document.body ? null : { part: part.dataset.reached ?? part.outerHTML.slice(0, 90), outline };
}"""


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


@pytest.fixture(scope="module")
def shown(running):
    return running.tab("data")


@pytest.fixture(params=list(views()))
def page(request, shown):
    """A page at each view, once the view has drawn its answer."""
    page = shown.page
    page.evaluate("name => { location.hash = `#/${name}`; }", request.param)
    page.locator(f".view-{request.param}").wait_for()
    page.locator(f".view-{request.param} :is(.card, .panel-figure[data-version])").first.wait_for(state="attached")
    if request.param == "map":  # the map is drawn anew with each of its rows
        page.locator(".work[data-state=done]").wait_for()
    if request.param == "formula":
        page.locator(".links h2").wait_for()
    return page


def spaceless(*texts):
    """Texts without white space: a line of the page is broken elsewhere on paper."""
    return "".join("".join(texts).split())


def tree(page):
    """The nodes of the accessibility tree that readers meet: role, name, level and the element's number."""
    tools = page.context.new_cdp_session(page)
    nodes = [node for node in tools.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    tools.detach()
    return [
        {
            "role": node["role"]["value"],
            "name": node.get("name", {}).get("value", "").strip(),
            "level": next((p["value"]["value"] for p in node.get("properties", []) if p["name"] == "level"), None),
        }
        for node in nodes
    ]


def test_everything_that_can_be_used_has_a_name(page):
    met = [node for node in tree(page) if node["role"] in NAMED - UNNAMED]
    assert len(met) > 15
    assert [node for node in met if not node["name"]] == []


def test_sliders_say_their_values_as_words(page):
    sliders = page.locator("input[type=range]").all()
    assert len(sliders) == len(page.locator(".control-slider").all()) > 0
    for slider in sliders:
        typed = slider.locator("xpath=../input[@type='text']").input_value()
        words = slider.get_attribute("aria-valuetext")
        assert re.fullmatch(rf"{re.escape(typed)}( \w+)?", words), (words, typed)


def test_headings_begin_with_one_and_leave_out_no_level(page):
    levels = [node["level"] for node in tree(page) if node["role"] == "heading"]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= before + 1 for before, later in pairwise(levels))


def test_the_tab_key_reaches_everything_with_a_visible_focus(page):
    wanted = set(page.evaluate(REACHABLE))
    assert len(wanted) > 20
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


def test_nothing_moves_by_itself_for_readers_who_want_little_motion(page):
    assert page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.get_by_role("button", name="Pause").count() == 0


# The page of A4 and Letter inside the margins of the style sheet: the narrower and the lower of both, in pixels.
PAPER = (186 / 25.4 * 96, 255 / 25.4 * 96)
PIXEL = 1  # to which the browser may round
PRINTED = """() => {
    const leaf = document.querySelector(".leaf"), size = leaf.getBoundingClientRect();
    const whole = leaf.querySelector(".on-paper").getBoundingClientRect();
    const figures = [...leaf.querySelectorAll(".on-paper > svg")].map(part => part.getBoundingClientRect());
    const inside = ({ left, right, bottom }) =>
        left >= whole.left - 1 && right <= whole.right + 1 && bottom <= size.bottom + 1;
    const apart = (one, other) => one.left >= other.right || one.top >= other.bottom;
    return {
        size: [size.width, size.height],
        heading: leaf.querySelector("h1").textContent,
        figures: figures.length,
        inside: figures.every(inside),
        apart: figures.every((one, k) => figures.slice(0, k).every(other => apart(one, other))),
    };
}"""


def check_that_figures_stand_on_one_page(page):
    """The first page has every figure, none of them over another; further pages are there for texts alone."""
    shown = page.locator(".panel-figure figure").locator("visible=true")
    count, heading = shown.count(), page.locator("h1").inner_text()
    titles = [spaceless(title) for title in shown.locator(".figure-title").all_inner_texts()]
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    found = page.evaluate(PRINTED)
    controls = page.locator("button, input, select, textarea").locator("visible=true").count()
    texts = spaceless(*page.locator(".on-paper > svg").all_text_contents())
    further = page.locator(".leaf ~ *").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="null")
    assert page.locator(".printed").count() == 0
    assert [title for title in titles if title not in texts] == []
    assert [side <= most + PIXEL for side, most in zip(found.pop("size"), PAPER, strict=True)] == [True, True]
    assert found == {"heading": heading, "figures": count, "inside": True, "apart": True}
    assert controls == 0
    for paper in ("A4", "Letter"):
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper)))
        assert (pages > 1) if further else (pages == 1)


def test_a_view_prints_its_figures_on_one_page_without_controls(page):
    if page.locator(".panel-figure figure").count() == 0:  # the start page, and a note in place of a figure
        return
    check_that_figures_stand_on_one_page(page)


@pytest.mark.parametrize("width", [390, 1440, 2560])
@pytest.mark.parametrize("view", ["compare", "fields"])
def test_trained_networks_print_on_one_page(running, view, width):
    shown = running.tab(view, small_relu())
    shown.page.set_viewport_size({"width": width, "height": 900})
    done(shown)
    shown.page.locator(".figure-title").get_by_text("t = 16").first.wait_for()
    check_that_figures_stand_on_one_page(shown.page)
    shown.nothing_went_wrong()
    shown.page.close()


def test_networks_along_the_gain_and_a_graph_print_on_one_page(running):
    shown = running.tab("compare", small_relu())
    page = shown.page
    done(shown)
    page.get_by_role("button", name="Train along the gain").click()
    page.locator(".sweep-start .work[data-state=done]").wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    found = " ".join(page.locator(".leaf > :is(.verdict, .reason)").all_text_contents())
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    places = [found.find(words) for words in ("t = 16 A ", "at the gain ", "Why? For one ReLU neuron")]
    assert -1 < places[0] < places[1] < places[2]
    check_that_figures_stand_on_one_page(page)
    page.evaluate("location.hash = '#/graph'")
    page.get_by_role("button", name="Open the race").click()
    page.locator(".view-graph figure").first.wait_for()
    check_that_figures_stand_on_one_page(page)
    shown.nothing_went_wrong()
    page.close()


def test_a_fold_is_opened_and_closed_by_keys_and_keeps_the_focus(shown):
    page = shown.page
    summary = page.get_by_text("More of the law")
    summary.focus()
    page.keyboard.press("Enter")
    inside = page.get_by_label("boundary")
    inside.focus()
    page.keyboard.press("Escape")
    inside.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.textContent") == "More of the law"


def test_the_dialog_is_closed_by_escape_and_gives_the_focus_back(shown):
    page = shown.page
    button = page.get_by_role("button", name="TOML")
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_function("document.activeElement.textContent === 'TOML'", polling=EVERY)
    shown.nothing_went_wrong()
