"""`gdln sweep --engine`: what is refused, what SLURM is asked for, and what is not installed."""

import json
import os
import sys

import pytest

from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS, UNDECIDED
from tests.derivations.sweeps.cases import TEXT


@pytest.fixture
def gdln(tmp_path, typed):
    """Run `gdln sweep` in this process on the small sweep; the exit code, stdout, and the words on stderr."""
    (tmp_path / "sweep.toml").write_text(TEXT)

    def run(*words):
        code, out, err = typed("sweep", tmp_path / "sweep.toml", *words)
        return code, out, " ".join(err.split())

    return run


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """SLURM's programs in place of which scripts are run: a function that writes one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    def write(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    for name, script in {
        "sbatch": f"cp $1 {tmp_path}/job.sh; echo Submitted batch job 7",
        "srun": "exit 1",
        "scontrol": "exit 1",
        "squeue": "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1",
    }.items():
        write(name, script)
    return write


def test_bad_words_are_refused(gdln, programs, tmp_path):
    for words in (["--time", "9"], ["--jobs", "0"], ["--out", "/x/a\nb"], ["--plot", "x.svg"]):
        assert gdln("--engine", "slurm", *words)[:2] == (BAD_INPUT, "")
        assert not (tmp_path / "store").exists()
        assert not (tmp_path / "job.sh").exists()


@pytest.mark.parametrize("absent", ["sbatch", "submitit"])
def test_what_is_not_installed_is_out_of_reach(gdln, programs, tmp_path, monkeypatch, absent):
    if absent == "sbatch":
        monkeypatch.setenv("PATH", str(tmp_path))
        said = "SLURM is not installed here: there is no program sbatch. Submit from a machine of the cluster."
    else:
        monkeypatch.setitem(sys.modules, "submitit", None)
        said = "The package submitit is not installed. Install it: pip install 'gdln-workbench[cluster]'"
    code, out, err = gdln("--engine", "slurm")
    assert (code, out) == (OUT_OF_REACH, "")
    assert said in err
    assert not (tmp_path / "store").exists()


def test_what_slurm_is_asked_for(gdln, programs, tmp_path):
    pytest.importorskip("submitit", reason="the extra cluster is not installed")
    options = {"--jobs": 3, "--workers": 2, "--cpus": 3, "--gpus": 1, "--memory": "1500M", "--partition": "long"}
    options |= {"--time": "1-02:30:30"}
    words = [word for pair in options.items() for word in pair]
    code, out, err = gdln("--engine", "slurm", "--json", *words)
    answer = json.loads(out)
    assert (code, err, answer["mode"], answer["job"]) == (PASS, "", "submit", "7")
    assert answer["counts"] == {"cells": 4, "missing": 4}
    lines = {line.removeprefix("#SBATCH --") for line in (tmp_path / "job.sh").read_text().splitlines()}
    assert lines >= {
        "array=0-2%3",
        "cpus-per-task=3",
        "gpus-per-node=1",
        "mem=1500M",
        "partition=long",
        "time=1591",
        "signal=USR2@120",
        "requeue",
    }
    (logs,) = tmp_path.glob("store-jobs-*")  # the pickles of jobs are not in the store
    assert logs.stat().st_mode & 0o077 == 0
    code, out, _ = gdln("--engine", "slurm", "--jobs", 1)
    assert (code, "4 cells, 4 missing" in out, "SLURM has job 7" in out) == (PASS, True, True)
    script = (tmp_path / "job.sh").read_text()
    assert "#SBATCH --time=60" in script
    assert "--array" not in script
    assert "--mem" not in script
    assert "--cpus-per-task=1\n" in script


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("slurm", "--jobs", 3, "--time", 90), "3 jobs of SLURM, each with at most 2 cells and 1 worker: time = 90"),
        (("dask", "--scheduler", "tcp://node:8786"), "the Dask scheduler at tcp://node:8786"),
        (("local", "--workers", 2), "2 processes on this machine"),
    ],
)
def test_a_dry_run_says_where_cells_would_be_computed(gdln, tmp_path, words, said):
    """Whether the engine is installed or not; nothing is asked, and nothing written."""
    code, out, _ = gdln("--engine", *words, "--dry-run")
    assert (code, said in out) == (PASS, True)
    assert os.listdir(tmp_path) == ["sweep.toml"]


def test_to_wait_ends_with_the_jobs(gdln, programs, tmp_path):
    """No job is left, and nothing was computed; then all is there, and no job is submitted."""
    pytest.importorskip("submitit", reason="the extra cluster is not installed")
    code, out, _ = gdln("--engine", "slurm", "--wait", "--json")
    answer = json.loads(out)
    assert (code, answer["mode"], answer["job"], answer["counts"]["missing"]) == (UNDECIDED, "run", "7", 4)
    (tmp_path / "job.sh").unlink()
    assert gdln("--workers", 1)[0] == PASS
    code, out, _ = gdln("--engine", "slurm", "--wait", "--json")
    assert (code, json.loads(out)["job"], (tmp_path / "job.sh").exists()) == (PASS, None, False)
