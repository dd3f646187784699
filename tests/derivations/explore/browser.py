"""The explorer in a headless Chromium: the server as a user starts it, and pages that keep what went wrong."""

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

from theory.problem import dumps

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 60_000  # as milliseconds: what a loaded machine may take
EVERY = 100  # milliseconds between two looks: at every frame, as without, a page is drawn all the time
SIZE = {"width": 1440, "height": 900}
# The sandbox needs rights that containers lack. A page lives too briefly for code that is optimised while it runs.
FLAGS = ("--no-sandbox", "--js-flags=--no-opt")


def why_not():
    """Name what is missing to run a browser here, or return None."""
    lacking = [name for name in ("uvicorn", "playwright") if find_spec(name) is None]
    lacking += [] if CHROMIUM else ["a Chromium"]
    return f"the explorer's tests need {', '.join(lacking)}" if lacking else None


needs_a_browser = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


class Page:
    """A view of a running explorer, in a tab of the browser."""

    def __init__(self, page, address):
        self.page, self.address = page, address
        self.errors, self.hosts = [], set()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def open(self, view):
        """Show a view in a tab that has shown nothing before, and wait until it has drawn an answer."""
        self.page.goto(f"{self.address}&view={view}")
        self.page.wait_for_selector(".panel-figure[data-version]", state="attached")
        return self

    @property
    def version(self):
        """The number of answers that the view has drawn."""
        return int(self.page.get_attribute(".panel-figure", "data-version"))

    def wait_for_news(self, version):
        """Wait until the view has drawn an answer after the one with this number."""
        self.page.wait_for_function(
            "before => Number(document.querySelector('.panel-figure').dataset.version) > before",
            arg=version,
            polling=EVERY,
        )

    def use(self, problem):
        """Hand in `problem` as text."""
        self.page.get_by_role("button", name="TOML").click()
        self.page.get_by_label("the problem as TOML").fill(dumps(problem))
        before = self.version
        self.page.get_by_role("button", name="Use this problem").click()
        self.page.get_by_role("dialog").wait_for(state="hidden")
        self.wait_for_news(before)

    def slider(self, name):
        """A slider by its name."""
        return self.page.get_by_role("slider", name=name)

    def move(self, name, key):
        """Press a key on a slider, and wait for what the view then draws."""
        before = self.version
        self.slider(name).focus()
        self.page.keyboard.press(key)
        self.wait_for_news(before)

    def tab(self, name):
        """Open one of the tabs Figure, Table, Python, LaTeX and Save."""
        self.page.get_by_role("tab", name=name, exact=True).click()

    def wait_for_number(self, row, column, value):
        """Wait until the table shows `value` (to its last digit)."""
        self.page.wait_for_function(
            """([row, column, value]) => {
                const line = document.querySelectorAll(".table tbody tr")[row];
                const cell = line && line.querySelector(`td[data-column="${column}"]`);
                return cell && Number(cell.dataset.value) === value; }""",
            arg=[row, column, value],
            polling=EVERY,
        )

    def nothing_went_wrong(self):
        """No error on the console, and no request to anything but the explorer itself."""
        assert self.errors == []
        assert {host for host in self.hosts if host} == {urlsplit(self.address).netloc}


class Explorer:
    """A running explorer and one browser."""

    def __init__(self, address, context):
        self.address, self.context = address, context

    def tab(self, view):
        """A new tab at a view."""
        return Page(self.context.new_page(), self.address).open(view)


@contextmanager
def explorer():
    """`gdln explore --no-open` with a browser at 1440 x 900; ended by Ctrl-C, which must end it."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "derivations", "explore", "--no-open"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ) as server,
        sync_playwright() as driver,
    ):
        try:
            printed = server.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{32}", printed), server.stderr.read()
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            yield Explorer(printed, browser.new_context(viewport=SIZE, reduced_motion="reduce"))
            browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            ended = server.wait(SECONDS / 1000)
            assert (ended, server.stderr.read()) == (130, "gdln: Interrupted.\n")
