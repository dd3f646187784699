"""The first page: there before the controls, with the library's numbers, and replaced by them."""

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from derivations.explore.data import numbers, theory_of
from derivations.explore.shell.front import content
from derivations.explore.shell.shared_problem import SHARED
from tests.derivations.explore.browser import explorer, needs_a_browser
from theory.problem import OutOfReachError


@needs_a_browser
def test_the_first_figure_comes_before_the_controls_and_gives_way_to_them():
    with explorer() as shown:
        page = shown.page
        page.route("**/assets/*", lambda route: None)  # the view behind never loads
        page.goto(shown.address, wait_until="commit")
        page.wait_for_selector("#first-numbers")
        assert page.get_by_role("img").first.bounding_box()["width"] > 800
        for row, expected in enumerate(numbers(theory_of(SHARED.problem.data), None)):
            assert shown.number("first-numbers", row, "exact") == expected["exact"]
        assert shown.fits()
        page.unroute_all(behavior="ignoreErrors")

        page.goto(shown.address)
        page.wait_for_selector("body.ready", state="attached")
        assert not page.locator("#front").is_visible()
        view = page.frame_locator("iframe")
        view.locator("#numbers").wait_for()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") == "IFRAME"
        shown.nothing_went_wrong()


@needs_a_browser
def test_without_the_token_there_is_nothing_to_see():
    with explorer() as shown:
        for query in ("", "?access_token=", "?access_token=%C3%A9", "?access_token=wrong"):
            with pytest.raises(HTTPError) as refused:
                urlopen(shown.address.split("?")[0] + query)
            assert refused.value.code == 401
            assert b"<img" not in refused.value.read()


@needs_a_browser
def test_a_law_without_an_answer_shows_the_error_of_the_library(monkeypatch):
    def refuse(_law):
        raise OutOfReachError("No answer for < this > law.", "Take another.")

    monkeypatch.setattr("derivations.explore.shell.front.theory_of", refuse)
    drawn = content(SHARED.problem)
    assert 'role="alert"' in drawn
    assert "No answer for &lt; this &gt; law.<br>Take another." in drawn
