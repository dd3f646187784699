"""Sixty moves of a slider leave nothing behind in the page; a page that keeps its answers is noticed.

`gdln bench explore-memory` walks a thousand, and reads the memory of the server too.
"""

import pytest

from derivations.benchmarks import explore_memory
from tests.derivations.explore.browser import explorer, needs_a_browser
from tests.tolerances_of_explorer import KEPT_ANSWER

pytestmark = needs_a_browser

MOVES, WINDOWS = 60, 3
KEEPS = """
window.kept = [];
const parse = JSON.parse;
JSON.parse = (...given) => {
    const answer = parse(...given);
    window.kept.push(answer, document.querySelector(".panel-figure figure")?.cloneNode(true));
    return answer;
};
"""


@pytest.fixture(scope="module")
def running():
    with explorer() as found:
        yield found


def walked(running, script=""):
    page = running.context.new_page()
    page.add_init_script(script)
    sizes = explore_memory.walked(page, f"{running.address}&view=data", running.server.pid, MOVES, WINDOWS)
    page.close()
    return sizes


def test_moves_leave_nothing_behind(running):
    sizes = walked(running)
    assert sizes[-1]["moves"] == MOVES
    for name in ("nodes", "listeners"):
        assert sizes[-1][name] == sizes[-2][name] > 0, name
    assert explore_memory.growth(sizes, "heap")[0] < KEPT_ANSWER


def test_a_page_that_keeps_answers_and_figures_is_noticed(running):
    sizes = walked(running, KEEPS)
    assert explore_memory.growth(sizes, "heap")[0] > KEPT_ANSWER
    assert explore_memory.growth(sizes, "nodes")[0] > 1
