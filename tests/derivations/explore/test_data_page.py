"""The data view in a real browser: sliders, numbers, a wrong value, what is saved and copied."""

import urllib.error
import urllib.request
from dataclasses import replace

import pytest

from derivations.explore.data import theory_of
from derivations.explore.shell.shared_problem import FIRST
from tests.derivations.explore.browser import SIZE, explorer, needs_a_browser
from theory.problem import dumps, load

pytestmark = needs_a_browser
KURTOSIS, VARIANCE = 4, 2  # rows of the table


def kurtosis_of(**changed):
    return float(theory_of(replace(load(FIRST).data, **changed)).kurtosis[0])


def test_the_data_view(tmp_path):
    with explorer() as shown:
        page = shown.page
        shown.open("data")
        shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of())
        page.wait_for_function("document.querySelector('#numbers td[data-key=sampled]').dataset.value != 'None'")
        exact, measured = (shown.number("numbers", KURTOSIS, key) for key in ("exact", "sampled"))
        assert exact != measured
        assert shown.fits()
        page.set_viewport_size({"width": SIZE["width"], "height": SIZE["height"] // 2})
        assert not shown.fits()
        page.set_viewport_size(SIZE)
        page.screenshot(path=tmp_path / "data.png")

        gain = shown.side.get_by_role("slider").nth(3)
        gain.focus()
        page.keyboard.press("End")
        shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of(gain=100))

        shown.side.get_by_label("normaliser").select_option("none")
        page.wait_for_function(f"document.querySelectorAll('#numbers tr')[{VARIANCE + 1}].children[2].innerText != '1'")

        length = shown.side.get_by_role("slider").nth(1)
        shown.side.get_by_label("boundary").select_option("ring")
        length.focus()
        page.keyboard.press("End")
        alert = page.get_by_role("alert")
        alert.get_by_text("the covariance is not positive semidefinite").wait_for()
        length.focus()
        page.keyboard.press("Home")
        shown.wait_for_number("numbers", KURTOSIS, "exact", kurtosis_of(gain=100))
        assert alert.count() == 0

        page.get_by_role("button", name="Save", exact=True).click()
        shown.saves({"PNG": b"\x89PNG", "SVG": b"<?xml", "PDF": b"%PDF", "CSV": b'"site"'})

        page.get_by_role("button", name="Python", exact=True).click()
        page.get_by_text("theory_of(problem.data)").first.hover()
        assert shown.fits()
        page.screenshot(path=tmp_path / "python.png")
        page.get_by_role("button", name="LaTeX", exact=True).click()
        page.get_by_text("begin{tabular}").first.wait_for()

        page.get_by_role("button", name="Figure", exact=True).focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # by the keyboard alone
        page.get_by_text("from theory.problem import loads").wait_for()

        page.get_by_role("button", name="Problem", exact=True).click()
        text = page.get_by_label("the problem that all views share (TOML)")
        text.fill("[data]")
        page.get_by_role("button", name="Use this problem").click()
        page.get_by_role("alert").get_by_text("lacks").wait_for()
        text.fill(dumps(load(FIRST)).replace('law = "nlgp"', 'law = "gaussian-clone"').replace('"latent"', '"input"'))
        page.get_by_role("button", name="Use this problem").click()
        page.get_by_role("button", name="Figure", exact=True).click()
        shown.wait_for_number("numbers", KURTOSIS, "exact", 0.0)
        shown.nothing_went_wrong()


def test_no_view_is_shown_without_the_token():
    with explorer() as shown:
        for view in ("data", "gates", "fields", "formula"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(shown.address.replace("/?", f"/{view}/?").partition("?")[0], timeout=60)
