"""The problem bar on a desktop, a small window and a phone: nothing is covered, nothing is cut off."""

from itertools import combinations

import pytest

from tests.derivations.explore.browser import explorer, needs_a_browser

pytestmark = needs_a_browser

SIZES = {"desktop": (1440, 900), "small": (1000, 700), "phone": (390, 844)}
CONTROLS = "Controls"
# Words of the menus that would be cut off if they were chosen: a copy with room for the word is wider.
CUT_OFF = """() => [...document.querySelectorAll("#bar select, #folds select")].flatMap(select => {
    if (!select.checkVisibility()) return [];
    const before = select.value;
    const cut = [...select.options].filter(option => {
        select.value = option.value;
        const roomy = select.cloneNode(true);
        roomy.value = option.value;
        roomy.style.cssText = "position: absolute; max-width: none";
        select.after(roomy);
        const wider = roomy.offsetWidth > select.offsetWidth;
        roomy.remove();
        return wider;
    });
    select.value = before;
    return cut.map(option => option.text);
})"""


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


@pytest.fixture(params=SIZES)
def page(request, running):
    """The data view in a window of each size, with all controls of the bar."""
    shown = running.tab("data")
    width, height = SIZES[request.param]
    shown.page.set_viewport_size({"width": width, "height": height})
    if request.param == "phone":
        shown.page.get_by_role("button", name=CONTROLS).click()
    yield shown.page
    shown.nothing_went_wrong()
    shown.page.close()


def overlap(one, other):
    return all(
        one[start] < other[start] + other[size] and other[start] < one[start] + one[size]
        for start, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.parametrize("fold", ["More of the law", "Network"])
def test_folded_controls_cover_no_slider_and_no_figure(page, fold):
    button = page.get_by_role("button", name=fold)
    button.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name=fold)
    panel.wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    parts = [
        panel,
        *page.locator("#bar .steer .control").all(),
        page.locator("h1"),
        page.locator(".figures figure").first,
    ]
    boxes = [part.bounding_box() for part in parts]
    assert len(boxes) > 5
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
    page.get_by_role("slider", name="gain g").focus()
    page.keyboard.press("End")  # a slider moves with the fold open
    page.wait_for_function("document.querySelector('[aria-label=\"gain g, typed\"]').value === '100'")
    button.press("Enter")
    panel.wait_for(state="hidden")
    assert button.get_attribute("aria-expanded") == "false"


def test_no_word_of_a_menu_is_cut_off(page):
    for fold in ("More of the law", "Network"):
        page.get_by_role("button", name=fold).click()
        assert page.evaluate(CUT_OFF) == []


def test_a_phone_shows_the_law_and_a_line_and_unfolds_the_rest(running):
    shown = running.tab("data")
    page = shown.page
    page.set_viewport_size({"width": 390, "height": 844})
    bar = page.locator("#bar").bounding_box()
    assert bar["height"] < 844 / 8
    assert page.get_by_label("data law").is_visible()
    assert page.get_by_text("gated-linear network, 2 units").is_visible()
    assert page.evaluate(CUT_OFF) == []
    slider = shown.slider("gain g")
    assert slider.is_hidden()
    button = page.get_by_role("button", name=CONTROLS)
    button.focus()
    page.keyboard.press("Enter")
    slider.wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    shown.move("gain g", "End")
    button.press("Enter")
    slider.wait_for(state="hidden")
    shown.nothing_went_wrong()
    page.close()
