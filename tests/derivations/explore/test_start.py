"""The start of the explorer: what the server loads before it answers, and what the page asks for at once."""

import re
import subprocess
import sys

from derivations.explore.server import WEB

# Loads what the printed address and the first view need, and prints which of the large libraries that took.
FIRST_VIEW = """
import sys
from derivations.explore.problems import FIRST
from derivations.explore.views import view_of
from tests.derivations.explore.client import Client
from theory.problem import load

def loaded():
    return [name for name in ("scipy", "sympy", "torch", "numba") if name in sys.modules]

client = Client()
assert client.post("start").status == 200
print(loaded())
view_of("data").answer(load(FIRST), {})
print(loaded())
"""


def test_the_first_view_does_not_wait_for_large_libraries():
    found = subprocess.run([sys.executable, "-c", FIRST_VIEW], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["[]", "['scipy']"]


def test_the_modules_of_every_view_are_asked_for_at_once():
    """A module that the browser meets only in another one is a round trip later; a file that is gone is a fault."""
    page = (WEB / "index.html").read_text(encoding="utf-8")
    shared = sorted(
        path.relative_to(WEB).as_posix() for room in ("lib", "figures") for path in WEB.glob(f"{room}/*.js")
    )
    assert sorted(re.findall(r'<link rel="modulepreload" href="([^"]+)">', page)) == shared
