"""The figures in a browser: titles, axes, ticks, values under the pointer, sizes, both themes and saved files."""

import re
import shutil
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from itertools import combinations
from math import exp
from pathlib import Path

import pytest

from tests.paths import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WEB = ROOT / "derivations" / "explore" / "web"
GALLERY = Path(__file__).parent / "gallery"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
FIGURES = 12
WIDTHS = (390, 1280, 2560)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None,
    reason="the tests of the figures need playwright and a Chromium",
)


def answer(route):
    """Answer a request for a file of the explorer or of the gallery."""
    path = route.request.url.split("/", 3)[3]
    file = GALLERY / path.removeprefix("gallery/") if path.startswith("gallery/") else WEB / path
    route.fulfill(path=file if path else GALLERY / "index.html", content_type=TYPES[file.suffix or ".html"])


@pytest.fixture(scope="module")
def page():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        errors = []
        shown.on("pageerror", lambda error: errors.append(str(error)))
        shown.on("console", lambda message: message.type == "error" and errors.append(message.text))
        shown.route("**/*", answer)
        shown.goto("http://gallery.test/")
        shown.wait_for_function(f"document.querySelectorAll('.figure-area svg').length >= {FIGURES}")
        yield shown
        assert errors == []
        browser.close()


def of(page, title):
    """The figure with this title."""
    return page.locator("figure", has=page.locator(".figure-title", has_text=re.compile(f"^{re.escape(title)}$")))


def test_every_figure_has_a_title_a_caption_names_of_axes_and_a_description(page):
    figures = page.locator("figure")
    assert figures.count() == FIGURES
    for index in range(FIGURES):
        figure = figures.nth(index)
        title, caption = (figure.locator(part).inner_text() for part in (".figure-title", ".figure-caption"))
        assert title
        assert caption.endswith(".")
        label = figure.locator(".figure-area > *").get_attribute("aria-label")
        assert label.startswith(f"{title}. ")
        axes = {"Strengths of paths": 1, "Every field": 0}.get(title, 2)
        assert figure.locator("[aria-label$='axis label']").count() >= axes


def test_units_stand_in_the_names_of_axes(page):
    assert of(page, "Loss over time").get_by_text("t (τ)", exact=True).count() == 1
    assert of(page, "Participation ratio").get_by_text("ξ₁ (sites)", exact=True).count() == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_figures_are_as_wide_as_their_place(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    field = of(page, "Field of unit 1")
    place = field.locator(".figure-area").bounding_box()["width"]
    page.wait_for_function(
        "width => document.querySelector('figure svg').getAttribute('width') === String(Math.floor(width))", arg=place
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
    inside = page.evaluate("""() => [...document.querySelectorAll('.figure-area > *')].every(
        part => part.getBoundingClientRect().width <= part.parentElement.clientWidth)""")
    assert inside
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("title", "count"), [("Levels close together", 7), ("A histogram with levels close together", 4)]
)
def test_words_of_levels_never_overlap(page, width, title, count):
    page.set_viewport_size({"width": width, "height": 900})
    figure = of(page, title)
    place = figure.locator(".figure-area").bounding_box()
    page.wait_for_function(
        "([title, width]) => [...document.querySelectorAll('figure')].some((one) => "
        "one.querySelector('.figure-title').textContent === title && "
        "one.querySelector('svg').getAttribute('width') === String(Math.floor(width)))",
        arg=[title, place["width"]],
    )
    boxes = [word.bounding_box() for word in figure.locator(".level-word").all()]
    assert len(boxes) == count
    for one, other in combinations(boxes, 2):
        apart = [
            one[a] + one[s] <= other[a] or other[a] + other[s] <= one[a] for a, s in (("x", "width"), ("y", "height"))
        ]
        assert any(apart), (one, other)
    for box in boxes:
        assert box["x"] >= place["x"]
        assert box["x"] + box["width"] <= place["x"] + place["width"]
    page.set_viewport_size({"width": 1280, "height": 900})


def test_every_field_is_a_tile_with_its_name(page):
    tiles = of(page, "Every field").locator("svg g")
    assert [tile.locator("title").text_content() for tile in tiles.all()] == [f"network 0, unit {k}" for k in range(7)]
    assert len({tile.locator("image").get_attribute("href") for tile in tiles.all()}) == 7


def test_logarithmic_axes_are_labelled_one_three_ten(page):
    ticks = of(page, "Loss over time").locator("[aria-label='x-axis tick label'] text").all_text_contents()
    assert ticks == ["0.1", "0.3", "1", "3", "10", "30", "100"]


def test_a_value_is_shown_under_the_pointer(page):
    loss = of(page, "Loss over time")
    loss.scroll_into_view_if_needed()
    box = loss.locator("svg").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    loss.get_by_text("⟨(y − ŷ)²⟩ (y²):").wait_for()
    moments = of(page, "Σxx(0, 1)")
    moments.scroll_into_view_if_needed()
    box = moments.locator(".figure-heat > svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    said = moments.locator(".figure-tip").inner_text().splitlines()
    site, other, value = (float(line.partition(": ")[2]) for line in said)
    matrix = 0.5 * exp(-(((site - other) / 4) ** 2)) - 0.3 * exp(-(((site + other - 40) / 9) ** 2))
    assert value == float(f"{matrix:.4g}")


def test_zero_is_the_ground_of_a_diverging_map_and_its_ends_are_opposite(page):
    paint = """async values => (await import("/figures/colours.js")).diverging(2)(values)"""
    assert page.evaluate(paint, 0)[3] == 0
    low, high = (page.evaluate(paint, value) for value in (-2, 2))
    assert low[3] == high[3] == 1
    assert low[0] > low[2]
    assert high[2] > high[0]


def test_a_saturating_scale_has_half_of_the_colour_at_half_and_keeps_the_order(page):
    paint = """async values => { const {saturating} = await import("/figures/colours.js");
        return values.map(saturating(0.02)); }"""
    low, zero, half, large, larger = page.evaluate(paint, [-0.02, 0, 0.02, 0.5, 1])
    assert (zero[3], half[3], low[3]) == (0, 0.5, 0.5)
    assert low[0] > low[2]
    assert half[2] > half[0]
    assert half[3] < large[3] < larger[3] < 1


def test_the_median_of_the_values_sets_the_saturating_scale(page):
    found = page.evaluate(
        """async values => { const {half, ends} = (await import("/figures/heat.js")).paletteOf(
            {palette: "saturating"}, values); return {half, ends}; }""",
        [0, -0.01, 0.03, 0.02, 5, None],
    )
    assert found == {"half": 0.025, "ends": [-5, 5]}


def test_the_sign_changes_between_cells_and_missing_ones_are_hatched(page):
    values = [[-1, 2, None], [-1, -1, 3], [None, None, None]]
    sides, missing = page.evaluate(
        """async values => { const {signSides, missingCells} = await import("/figures/overlays.js");
            return [signSides(values, {x: [0, 1, 2, 3], y: [0, 10, 20, 30]}), missingCells(values, 2)]; }""",
        values,
    )
    assert sorted(sides) == [[1, 0, 1, 10], [1, 10, 2, 10], [2, 10, 2, 20]]
    assert missing == [[0, 2]]  # the last row is not computed yet


def test_cells_are_chosen_by_a_click_and_by_keys(page):
    ratio = of(page, "Participation ratio")
    chosen = "[aria-label='rect'] rect"
    before = ratio.locator(chosen).get_attribute("x")
    box = ratio.locator(".figure-heat > svg").bounding_box()
    ratio.locator(".figure-heat").click(position={"x": box["width"] / 4, "y": box["height"] / 2})
    clicked = ratio.locator(chosen).get_attribute("x")
    assert clicked != before
    ratio.locator(".figure-heat").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert ratio.locator(chosen).get_attribute("x") not in (before, clicked)


def test_numbers_are_written_as_in_print(page):
    written = page.evaluate(
        """async values => {
            const {number} = await import("/figures/scales.js"); return values.map(value => number(value)); }""",
        [0, -1.5, 1e-7, -2.5e9, 123456, None],
    )
    assert written == ["0", "−1.5", "10⁻⁷", "−2.5 × 10⁹", "123500", "–"]


def test_themes_change_the_colours_without_drawing_again(page):
    field = of(page, "Field of unit 1")
    svg = field.locator("svg").first.element_handle()
    colour = "svg => getComputedStyle(svg).color"
    light = svg.evaluate(colour)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert svg.evaluate(colour) != light
    assert svg.evaluate("svg => svg.isConnected")
    page.evaluate("delete document.documentElement.dataset.theme")


def test_new_numbers_are_drawn_in_the_same_place(page):
    page.evaluate("""() => { const {field, bump} = gallery;
        field.update({series: [{name: "one", x: [0, 1, 2], y: [5, 6, 7], colour: "theory"}]}); }""")
    ticks = of(page, "Field of unit 1").locator("[aria-label='y-axis tick label'] text").all_text_contents()
    assert {"5", "6", "7"} <= set(ticks)


def test_a_saved_figure_stands_alone(page):
    text = page.evaluate("gallery.svgOf(gallery.moments)")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in "".join(part.get("style", "") for part in root.iter())
    assert "Σxx(0, 1)" in "".join(root.itertext())
    pixels = page.evaluate("""async () => { const blob = await gallery.pngOf(gallery.moments);
        return [...new Uint8Array(await blob.arrayBuffer())].slice(0, 4); }""")
    assert bytes(pixels) == b"\x89PNG"
