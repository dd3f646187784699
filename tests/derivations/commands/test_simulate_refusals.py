"""`gdln simulate` where it would write two things to one file, and where networks do not fit into memory."""

import json

from derivations.output import BAD_INPUT
from tests.derivations.commands import test_simulate

gdln = test_simulate.gdln  # the fixture


def test_one_file_for_the_values_and_the_picture_is_refused(gdln, tmp_path):
    code, _, err = gdln("--out", tmp_path / "one.svg", "--plot", tmp_path / "one.svg")
    assert (code, "--out and --plot would both write" in err) == (BAD_INPUT, True)
    assert not (tmp_path / "one.svg").exists()


def test_networks_that_do_not_fit_into_memory_are_out_of_reach(gdln, monkeypatch):
    def trained(*_, **__):
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory: you tried")

    monkeypatch.setattr("derivations.answers.simulate.train", trained)
    code, out, _ = gdln("--json")
    assert (code, json.loads(out)["error"]["kind"]) == (4, "memory")
