"""The fields view in a real browser, and the pairs of the compare view: training, films, replays, copied Python."""

import subprocess
import sys
from ast import literal_eval
from dataclasses import replace

import numpy as np
import pytest

from derivations.answers.fields import fitted
from derivations.explore import compare_page, fields_page, fits_page, two_laws
from derivations.explore.fields import rows, theory_of
from derivations.explore.problems import FIRST
from derivations.explore.verdict import rule
from derivations.explore.wire import wire
from tests.derivations.explore.browser import EVERY, explorer, needs_a_browser
from tests.derivations.explore.trained import done, figures, small_relu
from tests.tolerances import EXPLORER_DESCENT
from theory.problem import NonlinearGP2D, dumps, load

pytestmark = needs_a_browser

ENDLESS = 5 * 10**4  # a time that no test waits for, and that is not yet refused


@pytest.fixture(scope="module")
def relu():
    return small_relu()


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


@pytest.fixture(scope="module")
def shown(running, relu):
    found = running.tab("fields", relu)
    done(found)
    return found


def table(shown):
    """The rows of the open table: texts, and numbers in full."""
    shown.tab("Table")
    return shown.page.evaluate(
        """() => [...document.querySelectorAll(".table tbody tr")].map((row) => [...row.children].map(
            (cell) => cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)))"""
    )


def copied(shown, folder):
    """The lines that the Python of the page prints in a fresh interpreter."""
    # An older text stays until the newer one is there.
    shown.page.evaluate("document.querySelector('.panel-python').replaceChildren()")
    shown.tab("Python")
    text = shown.page.locator(".panel-python code")
    text.wait_for()
    path = folder / "copied.py"
    path.write_text(text.text_content(), encoding="utf-8")
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return [literal_eval(line) for line in found.stdout.splitlines()]


def same(shown, printed):
    """The rows of the page are those that the copied Python prints, with the columns that have a value."""
    assert len(shown) == len(printed)
    kept = [key for key in printed[0] if any(row[key] is not None for row in printed)]
    for cells, row in zip(shown, printed, strict=True):
        for cell, key in zip(cells, kept, strict=True):
            if isinstance(row[key], float):
                assert abs(cell - row[key]) <= EXPLORER_DESCENT * max(1, abs(row[key])), (key, cells)
            else:
                assert cell == ("–" if row[key] is None else row[key]), (key, cells)


def test_relu_networks_train_at_once_and_say_that_they_have_no_theory(shown, tmp_path):
    assert "No theory stands beside these networks" in shown.page.locator(".notes").text_content()
    assert any(title.startswith("Fields aligned by their centre, t = 16") for title in figures(shown))
    assert any(title.startswith("Gates of one ReLU network") for title in figures(shown))
    same(table(shown), copied(shown, tmp_path))
    shown.tab("Figure")
    shown.nothing_went_wrong()


def test_the_film_of_the_training_ends_at_its_last_time(shown, relu):
    page, times = shown.page, fields_page.asked(relu, {}).training.times
    shown.slider("time t").focus()
    page.keyboard.press("Home")
    page.wait_for_function("document.querySelector('.figure-title').textContent.endsWith('t = 2')", polling=EVERY)
    assert shown.slider("time t").get_attribute("aria-valuetext") == "2"
    before = shown.version
    page.get_by_role("button", name="Play the film of the training").click()
    page.get_by_role("button", name="Pause the film").wait_for()
    page.get_by_role("button", name="Play the film of the training").wait_for()
    assert page.locator(".figure-title").first.text_content().endswith("t = 16")
    assert shown.version - before == len(times) - 1  # from the second time on
    shown.nothing_went_wrong()


def test_units_and_alignment_are_chosen_without_a_question(shown):
    page = shown.page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_label("fields of").select_option("2")
    aligned = page.get_by_role("switch", name="Aligned by centre")
    assert aligned.get_attribute("aria-checked") == "true"
    aligned.click()
    page.wait_for_function("document.querySelector('.panel-title').textContent === 'unit 2'", polling=EVERY)
    first = page.locator("figure").first  # each network has a unit 2 of its own: their mean would be of no field
    assert "they have no mean" in first.locator(".figure-caption").inner_text()
    assert first.locator(".figure-legend li").count() == 0
    aligned.click()
    page.get_by_label("fields of").select_option("all")
    assert asked == []


def test_frozen_gates_are_replayed_beside_the_network(shown, tmp_path):
    page = shown.page
    page.get_by_label("replay with frozen gates").select_option("2")
    done(shown)
    page.locator(".panel-title").get_by_text("gates frozen in 2 pieces").wait_for()
    same(table(shown), copied(shown, tmp_path))
    shown.tab("Figure")
    page.get_by_label("replay with frozen gates").select_option("")
    done(shown)
    shown.nothing_went_wrong()


def test_a_wrong_time_stands_beside_its_control_and_keeps_the_figure(shown):
    page, before = shown.page, figures(shown)
    field = page.get_by_label("train to t")
    field.fill("-3")
    field.press("Enter")
    page.locator('.control[data-name="until"]').get_by_role("alert").get_by_text("not above 0").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    assert figures(shown) == before
    field.fill("16")
    field.press("Enter")
    page.locator('.control[data-name="until"]').get_by_role("alert").wait_for(state="hidden")
    done(shown)
    shown.errors.clear()  # the browser reports the refused request


def test_theory_is_there_before_any_training_and_stop_while_it_runs(running, tmp_path):
    shown = running.tab("fields", load(FIRST))
    page = shown.page
    assert page.get_by_role("button", name="Stop").count() == 0
    asked = fields_page.asked(load(FIRST), {})
    last = rows(asked, len(asked.training.times) - 1, {}, theory_of(asked))
    assert [row[-1] for row in table(shown)] == [row["theory"] for row in last]
    same(table(shown), copied(shown, tmp_path))
    shown.tab("Figure")
    shown.use(replace(load(FIRST), training=replace(load(FIRST).training, times=(1, ENDLESS))))
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector('.work[data-state="stopped"]')
    page.get_by_role("button", name="Stop").wait_for(state="hidden")
    shown.use(load(FIRST))
    gain = shown.slider("gain g").input_value()
    page.get_by_role("button", name="Play the gain").click()
    page.wait_for_function(
        "before => document.querySelector('[data-name=\"data.gain\"] input').value > Number(before)",
        arg=gain,
        polling=EVERY,
    )
    page.get_by_role("button", name="Pause the gain").click()
    shown.nothing_went_wrong()
    page.close()


def test_a_typed_time_belongs_to_its_problem(shown, relu):
    page = shown.page
    field = page.get_by_label("train to t")
    field.fill("8")
    field.press("Enter")
    done(shown)
    assert page.locator(".figure-title").first.text_content().endswith("t = 8")
    shown.move("gain g", "ArrowRight")  # the same problem with another gain
    done(shown)
    assert field.input_value() == "8"
    shown.use(relu)
    done(shown)
    assert field.input_value() == "16"
    shown.nothing_went_wrong()


def test_each_snapshot_is_sent_once(running, relu):
    shown = running.tab("fields", relu)
    page = shown.page
    done(shown)
    seen = []

    def heard(response):
        if "/api/jobs/" in response.url and response.request.method == "GET":
            seen.extend(result["snapshot"] for result in response.json()["results"])

    page.on("response", heard)
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_selector('.work[data-state="running"]', state="attached")
    done(shown)
    assert seen == list(range(len(fields_page.asked(relu, {}).training.times)))
    page.close()


def test_the_theory_of_every_unit_is_drawn_or_named(running):
    shown = running.tab("fields", load(FIRST))
    page = shown.page
    ratio = page.locator("figure", has=page.locator(".figure-title", has_text="Participation ratio"))
    legend = ratio.locator(".figure-legend li").all_text_contents()
    assert legend == ["theory, field of unit 0", "theory, field of unit 1"]
    four = replace(load(FIRST), network=replace(load(FIRST).network, units=4, gates=load(FIRST).network.gates * 2))
    shown.use(four)
    page.get_by_text("The first 3 of 4 units are shown.").first.wait_for()
    assert ratio.locator(".figure-legend li").count() == 3
    page.get_by_label("fields of", exact=True).select_option("3")
    page.wait_for_function("document.querySelector('.panel-title').textContent === 'unit 3'", polling=EVERY)
    assert page.get_by_text("units are shown").count() == 0
    shown.nothing_went_wrong()
    page.close()


def answer_fits(page, problem):
    """Answer the job of fits with the fit of one wave: a fit of each trained field takes seconds."""
    y, x = np.mgrid[:6, :7]
    wave = np.exp(-((y - 3) ** 2 + (x - 3) ** 2) / 4) * np.cos(1.5 * (y - 3))
    results = [fits_page.page({"relu": fitted(problem, "networks", 8.0, wave.reshape(1, 1, -1))})]
    state = {"version": 1, "share": 1.0, "running": False, "results": results, "error": None}
    page.route("**/api/jobs/fits", lambda route: route.fulfill(json={"id": "fits"}))
    page.route("**/api/jobs/fits?*", lambda route: route.fulfill(json=wire(state)))


def test_fields_on_a_grid_are_compared_and_fitted(running, relu):
    law = NonlinearGP2D((1, "1/2"), 3, "open", "unit-variance", (1, 0), (6, 7))
    grid = replace(
        relu, data=law, network=replace(relu.network, units=1), training=replace(relu.training, times=(0, 8))
    )
    shown = running.tab("fields", grid)
    page = shown.page
    done(shown)
    every = page.locator("figure", has=page.locator(".figure-title", has_text="ReLU: every field"))
    assert every.locator("svg image").count() == 8
    assert every.locator("svg title").first.text_content() == "network 0, unit 0"
    answer_fits(page, grid)
    page.get_by_role("button", name="Fit the fields").click()
    fits = page.locator(".fits")
    fits.locator('.work[data-state="done"]').wait_for()
    assert fits.locator("tbody tr").count() == 1
    assert {"residual", "centre, row site", "frequency cycles a site"} <= set(fits.locator("th").all_text_contents())
    page.evaluate("location.hash = '#/compare'")
    page.get_by_role("button", name="its labels exchanged").click()
    done(shown)
    page.get_by_text("B − A: difference of the mean fields").wait_for()
    assert [title for title in figures(shown) if ": every field" in title] == [
        "A: every field, t = 8", "B: every field, t = 8",
    ]  # fmt: skip
    shown.nothing_went_wrong()
    page.close()


def test_a_law_and_its_gaussian_clone_train_and_are_judged(running, relu, tmp_path):
    shown = running.tab("compare", relu)
    page = shown.page
    done(shown)
    assert page.get_by_role("button", name="its Gaussian clone").get_attribute("aria-pressed") == "true"
    page.wait_for_function("document.querySelectorAll('.steer ~ .verdict p').length === 3", polling=EVERY)
    verdict = page.locator(".steer ~ .verdict p").all_text_contents()
    assert [side in text for side, text in zip("AB", verdict[:2], strict=True)] == [True, True]
    assert all("t = 16 " in text for text in verdict)
    page.get_by_role("slider", name="time t").press("Home")
    page.locator(".verdict.pending p", has_text="It is judged at the end").wait_for()
    page.get_by_role("slider", name="time t").press("End")
    page.wait_for_function("document.querySelectorAll('.steer ~ .verdict:not(.pending) p').length === 3", polling=EVERY)
    assert "B − A is" in verdict[2]
    page.locator(".plan p").get_by_text(rule(relu.data.n)).wait_for()
    assert page.locator(".panel-title").all_text_contents()[2] == "B − A: difference of the mean fields"
    sides = compare_page.asked(relu, {})
    page.locator(".plan p").get_by_text("closure").first.wait_for()
    facts = two_laws.statistics(two_laws.compared(sides["A"].data, sides["B"].data))
    cells = {row[0]: row for row in table(shown)}
    for fact in facts:
        known = [cell for cell in cells[fact["quantity"]][1:] if cell != "–"]
        assert known == [fact[side] for side in ("A", "B", "B − A") if fact[side] is not None]
    printed = {row["quantity"]: row for row in copied(shown, tmp_path)}
    row = printed["participation ratio"]
    numbers = [row[key] for side in ("A", "B", "B − A") for key in (side, f"{side} ±")]
    assert all(
        abs(cell - number) <= EXPLORER_DESCENT
        for cell, number in zip(cells["participation ratio"][1:], numbers, strict=True)
    )
    shown.tab("Figure")

    begun = []
    page.on("request", lambda request: request.url.endswith("/api/jobs/compare") and begun.append(request.url))
    at_once = page.get_by_label("train when a control changes")
    at_once.uncheck()
    at_once.check()
    assert page.locator(".steer ~ .verdict p").all_text_contents() == verdict  # what is trained stays
    at_once.uncheck()
    before = shown.version
    page.get_by_role("button", name="its labels exchanged").click()
    shown.wait_for_news(before)
    assert page.locator(".steer ~ .verdict p").count() == 0
    assert begun == []
    at_once.check()
    done(shown)
    assert len(begun) == 1
    page.get_by_role("button", name="a problem of its own").click()
    other = page.get_by_label("The problem B as TOML")
    other.fill("[data]")
    page.get_by_role("button", name="Use as B").click()
    page.locator(".own").get_by_role("alert").get_by_text("lacks").wait_for()
    assert page.locator(".refusal").is_hidden()
    other.fill(dumps(replace(relu, data=replace(relu.data, gain=1))))
    page.get_by_role("button", name="Use as B").click()
    done(shown)
    shown.errors.clear()  # the browser reports the refused request
    page.get_by_role("button", name="its Gaussian clone").click()
    done(shown)
    page.get_by_label("data law").select_option("gaussian-clone")
    page.get_by_role("note").get_by_text("Gaussian already").wait_for()
    page.get_by_role("button", name="its labels exchanged").click()
    done(shown)
    shown.nothing_went_wrong()
    page.close()


def cut(page):
    """The menus that are narrower than their longest entry, at widths that have room for it."""
    return page.evaluate(
        """() => [...document.querySelectorAll("select")].filter((menu) => menu.checkVisibility()).filter((menu) => {
            const whole = menu.cloneNode(true);
            whole.style.cssText = "position: absolute; width: auto; max-width: none";
            menu.parentElement.append(whole);
            const wanted = whole.offsetWidth;
            whole.remove();
            return menu.closest(".control") && menu.offsetWidth < Math.min(wanted, innerWidth - 48);
        }).map((menu) => menu.labels[0].textContent)"""
    )


@pytest.mark.parametrize("width", [390, 1280, 2560])
def test_both_views_fit_their_width(shown, width):
    page = shown.page
    page.set_viewport_size({"width": width, "height": 900})
    for view in ("compare", "fields"):
        page.evaluate(f"location.hash = '#/{view}'")
        page.wait_for_selector(f".view-{view} .panel-figure figure")
        done(shown)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert cut(page) == []
        names = page.locator("button").evaluate_all(
            "all => all.map((b) => b.getAttribute('aria-label') || b.textContent)"
        )
        assert all(name.strip() for name in names)
    shown.nothing_went_wrong()
