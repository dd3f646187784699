"""The leases, in every interleaving: nothing valid is lost or torn, nothing is computed twice, somebody can go on.

What is searched is the code of `leases` itself, and each fault that is planted in it is found.
"""

import types
from pathlib import Path

import pytest

from derivations.sweeps import leases
from tests.derivations.sweeps.protocol import Search, cleaner, worker
from tests.derivations.sweeps.server import BAD, Server, Violation

PATIENT, STALLING = Server(stalls=False), Server(stalls=True)
LATE_LEASES, LATE_CELLS = Server(stalls=False, lag=("leases",)), Server(stalls=False, lag=("cells",))


def searched(changes=(), tries=1, workers="AB", clean=False, **options):
    """The number of states of workers that run the code, with words of its source replaced."""
    code = changed(changes)
    programs = {name: worker(tries, code) for name in workers}
    if clean:
        programs["E"] = cleaner(code)
    return Search(programs, code=code, **options).run()


def changed(changes):
    """The module `leases` with other words, and with hearts that the search lets beat."""
    source = Path(leases.__file__).read_text()
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    code = types.ModuleType("changed")
    exec(compile(source, "leases of the search", "exec"), code.__dict__)  # noqa: S102 (our own source)
    code.beating = lambda disk, _cell, token, *_: disk.beating(token)
    return code


CASES = {
    "stalls": {"server": STALLING},
    "stalls beside a damaged cell": {"server": STALLING, "found": BAD, "beats": 0},
    "a crash and late looks at leases": {"server": LATE_LEASES, "crashes": 1},
    "a crash and late looks at cells": {"server": LATE_CELLS, "crashes": 1, "beats": 0},
    "a crash and a lost reply": {"server": PATIENT, "crashes": 1, "lost": 1},
    "a crash, twice tried": {"server": PATIENT, "crashes": 1, "tries": 2},
    "a crash beside a file in the place": {"server": PATIENT, "crashes": 1, "found": "file"},
    "a crash beside failures": {"server": Server(stalls=False, fails=True), "crashes": 1, "tries": 2, "beats": 0},
    "a stall beside failures": {"server": Server(stalls=True, fails=True), "beats": 0},
    "three workers and a crash": {"server": PATIENT, "crashes": 1, "workers": "ABC", "beats": 0},
    "a crash and an evictor": {"server": PATIENT, "crashes": 1, "clean": True, "beats": 0},
}


@pytest.mark.parametrize("name", CASES)
def test_no_interleaving_breaks_a_rule(name):
    assert searched(**CASES[name]) > 1000


# The words of the source, those in their place, where it shows, and the rule that is broken.
MUTANTS = {
    "an eviction does not tell which lease it removes": (
        [
            ('disk.unlink(f"leases/{cell}/{name}")', 'disk.unlink(f"leases/{cell}/{disk.names(evicted)[0]}")'),
            (
                '        token = name.rpartition(".")[0]\n',
                '        token, evicted = name.rpartition(".")[0], f"leases/{cell}"\n',
            ),
        ],
        {"server": LATE_LEASES},
        "not judged|computed twice",
    ),
    "an evicted attempt is emptied under its own name": (
        [
            ('disk.move(place, f"attempts/.{token}")', "pass"),
            ('_empty(disk, f"attempts/.{token}")', "_empty(disk, place)"),
        ],
        {"server": STALLING},
        "torn",
    ),
    "the cell is written in its place": (
        [('place = f"attempts/{cell}.{token}"', 'place = f"cells/{cell}"')],
        {"server": STALLING},
        "torn",
    ),
    "a cell replaces what is in its place": (
        [("        disk.sync(place)\n", '        _empty(disk, f"cells/{cell}")\n')],
        {"server": STALLING},
        "altered",
    ),
    "a cache says whether the cell is there": (
        [('disk.make(f"cells/{cell}")', 'return cell in disk.names("cells")')],
        {"server": LATE_CELLS, "tries": 2},
        "computed twice",
    ),
    "nobody asks whether the cell is there": (
        [("while is_taken(disk, cell):", "while False:")],
        {"server": PATIENT},
        "computed twice",
    ),
    "a damaged cell is emptied by its name": (
        [
            ("for name in disk.names_in(handle):", 'for name in disk.names(f"cells/{cell}"):'),
            ("disk.move_from(handle, name,", 'disk.move(f"cells/{cell}/{name}",'),
        ],
        {"server": STALLING, "found": BAD, "beats": 0},
        "altered",
    ),
    "a cell is judged before its folder is opened": (
        [
            (
                'handle = disk.enter(f"cells/{cell}")',
                'was_valid = is_valid()\n    is_valid = lambda: was_valid\n    handle = disk.enter(f"cells/{cell}")',
            )
        ],
        {"server": STALLING, "found": BAD, "beats": 0},
        "altered",
    ),
    "a release removes whatever lease is there": (
        [('if name.rpartition(".")[0] == token:', "if name:")],
        {"server": STALLING},
        "not judged",
    ),
    "a claim is put beside another": (
        [
            (
                "disk.move(mine, place)",
                'held = f"/{token}.0" * bool(disk.names(place))\n        disk.move(mine + held, place + held)',
            )
        ],
        {"server": PATIENT},
        "computed twice",
    ),
    "a failure is forgotten before the cell is there": (
        [("content = compute()\n", "content = compute()\n            forget_failure(disk, cell)\n")],
        {"server": Server(stalls=False, fails=True), "tries": 2, "beats": 0},
        "forgotten",
    ),
    "an owner does not ask whether it was evicted": (
        [("isinstance(error, Exception) and not was_there", "False")],
        {"server": STALLING},
        "blames the cell",
    ),
    "an eviction leaves the attempt": (
        [('        discard(disk, f"attempts/{cell}.{token}", tokens())\n', "")],
        {"server": PATIENT, "crashes": 1, "beats": 0},
        "attempt stays",
    ),
    "a failed publication leaves its folder": (
        [("was_there = discard(disk, place, tokens())", "was_there = disk.enter(place) is not None")],
        {"server": STALLING},
        "attempt stays",
    ),
    "nobody is evicted": (
        [("not watch.gone(cell, token, name):", "True:")],
        {"server": PATIENT, "crashes": 1},
        "cannot be made",
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_of_the_protocol_is_found(name):
    changes, options, said = MUTANTS[name]
    with pytest.raises(Violation, match=said):
        searched(changes, **options)
