"""The first page where the library has no answer. (`test_views.py` has it in a browser.)"""

from derivations.explore.shell.shared_problem import SHARED
from tests.derivations.explore.browser import needs_a_browser
from theory.problem import OutOfReachError


@needs_a_browser
def test_a_law_without_an_answer_shows_the_error_of_the_library(monkeypatch):
    from derivations.explore.shell.front import content

    def refuse(_law):
        raise OutOfReachError("No answer for < this > law.", "Take another.")

    monkeypatch.setattr("derivations.explore.shell.front.theory_of", refuse)
    drawn = content(SHARED.problem)
    assert 'role="alert"' in drawn
    assert "No answer for &lt; this &gt; law.<br>Take another." in drawn
