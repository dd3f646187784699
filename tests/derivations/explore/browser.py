"""The explorer in a headless Chromium: the server as a user starts it, and a page that keeps what went wrong."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.parse import urlsplit

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60_000  # as milliseconds: what a loaded machine may take
SIZE = {"width": 1440, "height": 900}


def why_not():
    """Name what is missing to run a browser here, or return None."""
    lacking = [name for name in ("marimo", "zmq", "playwright") if find_spec(name) is None]
    lacking += [] if CHROMIUM else ["a Chromium"]
    return f"the explorer's tests need {', '.join(lacking)}" if lacking else None


needs_a_browser = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


class Explorer:
    """A page of a running explorer."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.errors, self.hosts = [], set()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("websocket", lambda socket: self.hosts.add(urlsplit(socket.url).netloc))

    def open(self, view):
        """Go to a view by its address."""
        self.page.goto(self.address.replace("/?", f"/{view}/?"))

    def another(self):
        """A second tab of the same browser."""
        return Explorer(self.page.context.new_page(), self.address)

    @property
    def side(self):
        """The controls."""
        return self.page.get_by_role("complementary")

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


@contextmanager
def explorer(*words):
    """`gdln explore --no-open` with a page at 1440 x 900; ended by Ctrl-C, which must end it."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "derivations", "explore", "--no-open", *words]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server,
        sync_playwright() as driver,
    ):
        try:
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?access_token=[\w-]{32}", address), server.stderr.read()
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            context = browser.new_context(viewport=SIZE, permissions=["clipboard-read", "clipboard-write"])
            yield Explorer(context.new_page(), address)
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            ended = server.wait(SECONDS / 1000)
            assert (ended, server.stderr.read()) == (130, "gdln: Interrupted.\n")
