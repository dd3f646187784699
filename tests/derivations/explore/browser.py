"""The explorer in a headless Chromium: the server as a user starts it, and pages that keep what went wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from urllib.parse import urlsplit

import pytest

from theory.problem import dumps

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60_000  # as milliseconds: what a loaded machine may take
EVERY = 100  # milliseconds between two looks: at every frame, as without, a page is drawn all the time
SIZE = {"width": 1440, "height": 900}
# The sandbox needs rights that containers lack. A page lives too briefly for code that is optimised while it runs.
FLAGS = ("--no-sandbox", "--js-flags=--no-opt")


def why_not():
    """Name what is missing to run a browser here, or return None."""
    lacking = [name for name in ("marimo", "zmq", "playwright") if find_spec(name) is None]
    lacking += [] if CHROMIUM else ["a Chromium"]
    return f"the explorer's tests need {', '.join(lacking)}" if lacking else None


needs_a_browser = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


class View:
    """A view of a running explorer, in a tab of the browser."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.errors, self.hosts = [], set()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("websocket", lambda socket: self.hosts.add(urlsplit(socket.url).netloc))

    @property
    def side(self):
        """The controls."""
        return self.page.get_by_role("complementary")

    @property
    def text(self):
        """The text of the shared problem, under the tab Problem."""
        return self.page.get_by_label("the problem that all views share (TOML)")

    def press(self, tab):
        """Press one of the buttons above the figure."""
        self.page.get_by_role("button", name=tab, exact=True).click()

    def use(self, problem):
        """Hand in `problem` as the shared one, and go back to the figure when the view has taken it."""
        from playwright.sync_api import expect

        if self.text.count():  # a text that is there already may be of an older problem
            self.press("Python")
            self.text.wait_for(state="detached")
        self.press("Problem")
        self.text.fill(f"# a comment, which is gone once the problem is taken\n{dumps(problem)}")
        self.page.get_by_role("button", name="Use this problem").click()
        expect(self.text).to_have_value(dumps(problem), timeout=SECONDS)
        self.press("Figure")

    def move(self, number, key):
        """Press a key on a slider, by its number among those of the side."""
        self.side.get_by_role("slider").nth(number).focus()
        self.page.keyboard.press(key)

    def number(self, table, row, key):
        """The number in a table of the page, in full."""
        cell = self.page.locator(f"#{table} tr").nth(row + 1).locator(f'td[data-key="{key}"]')
        return float(cell.get_attribute("data-value"))

    def wait_for_number(self, table, row, key, value):
        """Wait until a table shows `value` (to its last digit)."""
        self.page.wait_for_function(
            """([table, row, key, value]) => {
                const rows = document.querySelectorAll(`#${table} tr`);
                const cell = rows.length > row + 1 && rows[row + 1].querySelector(`td[data-key="${key}"]`);
                return cell && Number(cell.dataset.value) === value; }""",
            arg=[table, row, key, value],
            polling=EVERY,
        )

    def saves(self, begins):
        """Whether each button of the tab Save, by its label, gives a file that begins so."""
        for label, begin in begins.items():
            with self.page.expect_download() as waiting:
                self.page.get_by_text(label).click()
            with open(waiting.value.path(), "rb") as file:
                assert file.read().startswith(begin)

    def fits(self, parts="*"):
        """Whether nothing as high as the window needs scrolling: the document, or what marimo scrolls in its place."""
        return self.page.evaluate(
            """parts => [...document.querySelectorAll(parts)].every(part => part.clientHeight < innerHeight
                || part.scrollHeight <= part.clientHeight)""",
            parts,
        )

    def nothing_went_wrong(self):
        """No error on the console, and no request to anything but the explorer itself."""
        assert self.errors == []
        assert {host for host in self.hosts if host} == {urlsplit(self.address).netloc}


class Explorer:
    """A running explorer and one browser, in which the last view keeps its tab: to load a page takes seconds.

    A tab without a view stays open: the browser ends the process of a site with its last tab, and the next page would
    be compiled anew. `last` holds the actions to take before the command is interrupted.
    """

    def __init__(self, address, context):
        self.address, self._context, self._tabs = address, context, {}
        self._context.new_page().goto(f"{address.split('?')[0]}health")
        self.last = ExitStack()

    def another(self, view=None):
        """A new tab, at a view or blank."""
        made = View(self._context.new_page(), self.address)
        if view is not None:
            made.page.goto(self.address.replace("/?", f"/{view}/?"))
        return made

    def view(self, name, problem=None, beside=()):
        """The tab of a view, which shows `problem`, whatever tests before have left in it.

        Tabs of views other than those `beside` it are closed: an open page takes time even where nobody looks.
        """
        for other in self._tabs.keys() - {name, *beside}:
            self._tabs.pop(other).page.close()
        if name not in self._tabs:
            self._tabs[name] = self.another(name)
        shown = self._tabs[name]
        shown.errors.clear()
        if problem is not None:
            shown.use(problem)
        return shown


@contextmanager
def explorer(*words):
    """`gdln explore --no-open` with a browser at 1440 x 900; ended by Ctrl-C, which must end it."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "derivations", "explore", "--no-open", *words]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server,
        sync_playwright() as driver,
    ):
        try:
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?access_token=[\w-]{32}", address), server.stderr.read()
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            rights = ["clipboard-read", "clipboard-write"]
            found = Explorer(address, browser.new_context(viewport=SIZE, permissions=rights, reduced_motion="reduce"))
            with found.last:
                yield found
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            ended = server.wait(SECONDS / 1000)
            assert (ended, server.stderr.read()) == (130, "gdln: Interrupted.\n")
