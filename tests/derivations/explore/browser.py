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
EVERY = 100  # milliseconds between two looks: at every frame, as without, a page is drawn all the time
# The sandbox needs rights that containers lack. A page lives too briefly for code that is optimised while it runs.
FLAGS = ("--no-sandbox", "--js-flags=--no-opt")

LACKING = [name for name in ("uvicorn", "playwright") if find_spec(name) is None] + ["a Chromium"] * (CHROMIUM is None)
needs_a_browser = pytest.mark.skipif(bool(LACKING), reason=f"the explorer's tests need {', '.join(LACKING)}")


class Page:
    """A view of a running explorer, in a tab of the browser."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.errors, self.hosts = [], set()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def wait_for(self, condition, argument=None):
        """Wait until a function of JavaScript is true of the page."""
        self.page.wait_for_function(condition, arg=argument, polling=EVERY)

    @property
    def version(self):
        """The number of answers that the view has drawn."""
        return int(self.page.get_attribute(".panel-figure", "data-version"))

    def wait_for_news(self, version):
        """Wait until the view has drawn an answer after the one with this number."""
        self.wait_for("before => Number(document.querySelector('.panel-figure').dataset.version) > before", version)

    def use(self, text):
        """Hand in a problem as text."""
        self.page.get_by_role("button", name="TOML").click()
        self.page.get_by_label("the problem as TOML").fill(text)
        before = self.version
        self.page.get_by_role("button", name="Use this problem").click()
        self.page.get_by_role("dialog").wait_for(state="hidden")
        self.wait_for_news(before)

    def tab(self, name):
        """Open one of the tabs Figure, Table, Python, LaTeX and Save."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def wait_for_number(self, row, column, value):
        """Wait until the table shows `value` (to its last digit)."""
        self.wait_for(
            """([row, column, value]) => {
                const line = document.querySelectorAll(".table tbody tr")[row];
                const cell = line && line.querySelector(`td[data-column="${column}"]`);
                return cell && Number(cell.dataset.value) === value; }""",
            [row, column, value],
        )

    def nothing_went_wrong(self):
        """No error on the console, and no request to anything but the explorer itself."""
        assert self.errors == []
        assert {host for host in self.hosts if host} == {urlsplit(self.address).netloc}


@contextmanager
def explorer():
    """`gdln explore --no-open`, ended by Ctrl-C, which must end it: a function that opens a view in a new tab."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "derivations", "explore", "--no-open"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server,
        sync_playwright() as driver,
    ):
        try:
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{32}", address), server.stderr.read()
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")

            def opened(view):
                shown = Page(context.new_page(), address)
                shown.page.goto(f"{address}&view={view}")
                shown.page.wait_for_selector(".panel-figure[data-version]", state="attached")
                return shown

            yield opened
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            status = server.wait(SECONDS / 1000)
            assert (status, server.stderr.read()) == (130, "gdln: Interrupted.\n")
