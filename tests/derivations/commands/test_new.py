"""`gdln new` as it is typed: files that load, solve and train, and never replace another."""

import numpy as np
import pytest
from PIL import Image

from derivations.answers.new import LAWS
from derivations.cli import main
from derivations.output import BAD_INPUT, PASS
from sim.train import train
from tests.tolerances_of_images import PATCH_SUMS
from theory.flow import solve
from theory.problem import LAWS as KNOWN
from theory.problem import dumps, load, loads


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_a_new_file_is_shown_solves_and_trains_as_it_is(law, tmp_path, gdln):
    file = tmp_path / "mine.toml"
    assert gdln("new", tmp_path / "mine", "--law", law)[0] == PASS
    problem = load(file)
    assert KNOWN[law] is type(problem.data)
    solution = solve(problem)
    assert solution.losses[-1] < solution.losses[0]
    (few := file.with_name("few.toml")).write_text(file.read_text().replace("replicates = 16", "replicates = 2"))
    assert not train(load(few), "cpu", backend="reference").diverged.any()
    code, shown = gdln("data", "show", file)
    assert (code, len(shown["classes"])) == (PASS, len(shown["probabilities"]))
    for one in shown["classes"]:
        assert one["covariance_by_lag"][0] == one["variance"][shown["site"]]
        assert len(one["covariance"]) == len(one["mean"]) == shown["n"]


def test_every_law_of_a_file_has_a_start(tmp_path, gdln):
    """A law of the user's own data begins with these data."""
    assert set(LAWS) == set(KNOWN)
    for law in LAWS:
        assert gdln("new", tmp_path / law, "--law", law)[0] == PASS
        assert load(tmp_path / f"{law}.toml").data.law == law


def test_a_new_graph_has_a_proved_flow_a_solution_and_networks(tmp_path, gdln):
    assert gdln("new", tmp_path / "mine", "--network", "graph")[0] == PASS
    assert gdln("flow", tmp_path / "mine.toml")[0] == PASS
    code, solution = gdln("solve", tmp_path / "mine.toml")
    assert code == PASS
    trained = gdln("simulate", tmp_path / "mine.toml", "--device", "cpu")[1]["loss"]
    assert trained[-1] < trained[0]
    assert solution["losses"][-1] < solution["losses"][0]


def test_a_new_deep_network_has_paths(tmp_path, gdln):
    assert gdln("new", tmp_path / "mine", "--network", "deep")[0] == PASS
    assert gdln("paths", tmp_path / "mine.toml")[1]["paths"] == "8"


def test_a_file_of_ones_own_becomes_a_problem_that_every_verb_takes(tmp_path, gdln):
    x = np.random.default_rng(2).laplace(50.0, 30.0, (400, 36))
    np.save(tmp_path / "patches.npy", x)
    file = tmp_path / "mine.toml"
    assert gdln("new", tmp_path / "mine", "--data", tmp_path / "patches.npy", "--grid", "6x6")[0] == PASS
    law = load(file).data
    assert (law.shape, [int(label) for label in law.labels]) == ((6, 6), [1, 0])
    assert (law.rows.x[:400] == x).all()
    assert gdln("solve", file)[1]["losses"][-1] < gdln("solve", file)[1]["losses"][0]
    few = ("--set", "simulation.replicates=5", "--set", "simulation.batch=50")
    assert len(gdln("fields", file)[1]["fields"]) == 2
    code, compared = gdln("compare", file, *few)
    assert (code, compared["distance"]["low"][-1]) == (PASS, 0)
    assert (compared["networks"]["diverged"], compared["networks"]["remarks"]) == (0, [])


def test_patches_of_a_folder_of_pictures_become_a_problem(tmp_path, gdln):
    (tmp_path / "photos").mkdir()
    for name in ("one.png", "two.png"):
        pixels = np.random.default_rng(len(name)).integers(0, 2**16, (30, 40)).astype(np.uint16)
        Image.fromarray(pixels).save(tmp_path / "photos" / name)
    words = ("--data", tmp_path / "photos", "--grid", "4x4", "--whiten", "zca")
    assert gdln("new", tmp_path / "mine", *words)[0] == PASS
    problem = load(tmp_path / "mine.toml")
    assert loads(dumps(problem)) == problem
    _, shown = gdln("data", "show", tmp_path / "mine.toml")
    windows = np.lib.stride_tricks.sliding_window_view(pixels / 65535, (4, 4)).reshape(-1, 16)  # equal in both pictures
    values = np.linalg.eigvalsh(np.cov(windows.T, bias=True))
    assert values[0] > 1e-3 * values[-1]
    assert np.abs(np.array(shown["classes"][0]["variance"]) - 1).max() <= PATCH_SUMS / (values[0] / values[-1])
    Image.fromarray(pixels[:3]).save(tmp_path / "photos" / "two.png")
    code, refused = gdln("solve", tmp_path / "mine.toml")
    assert (code, "fewer than a patch of 4 x 4" in refused["error"]["message"]) == (BAD_INPUT, True)


def test_a_note_with_options_of_a_problem_is_a_problem(tmp_path, gdln):
    file = tmp_path / "note.toml"
    for words, begins in ((("--network", "deep"), "# Start: gdln paths"), (("--law", "pulses"), "# Start: gdln solve")):
        assert gdln("new", tmp_path / "note", *words)[0] == PASS
        assert file.read_text().startswith(begins)
        file.unlink()
    assert gdln("new", tmp_path / "note")[0] == PASS
    assert file.read_text().startswith("# Claims")


def test_what_to_type_next_is_quoted(tmp_path, capsys):
    assert main(["new", str(tmp_path / "my data")]) == PASS
    assert f"Try: gdln solve '{tmp_path}/my data.toml'" in capsys.readouterr().out
    assert "--plot 'my data.png'" in (tmp_path / "my data.toml").read_text()


def test_a_name_is_needed(refusal):
    assert "needs the name" in refusal("new")[1]


def test_faults_of_data_options_are_named(tmp_path, refusal):
    np.save(tmp_path / "x.npy", np.eye(4))
    np.savez(tmp_path / "weighted.npz", x=np.eye(4), weights=[1, 2, 3, 4])
    (tmp_path / "photos").mkdir()
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(tmp_path / "photos" / "flat.png")
    numbers, photos = ("--data", tmp_path / "x.npy"), ("--data", tmp_path / "photos")
    cases = [
        ((*numbers, "--grid", "3x3"), "has 4 columns; a grid of 3 x 3 has 9 sites"),
        ((*numbers, "--whiten", "pca"), "--whiten = 'pca' is not known"),
        ((*numbers, "--law", "nlgp"), "--data is the law of the problem"),
        ((*numbers, "--labels", tmp_path / "no.npy"), "no.npy cannot be read"),
        (("--labels", tmp_path / "x.npy"), "--labels belongs to data of your own"),
        ((*photos, "--grid", "4x4", "--labels", tmp_path / "x.npy"), "cut into patches, which have no labels"),
        ((*photos, "--grid", "4x3"), "Patches are square, and --grid is 4x3"),
        ((*photos, "--grid", "12x12"), "has 9 x 9 pixels, fewer than a patch of 12 x 12"),
        ((*photos, "--grid", "4x4"), "All inputs are 0: no weight moves"),
        ((*photos, "--grid", "4x4", "--whiten", "zca"), "The inputs do not vary"),
        (("--data", tmp_path / "weighted.npz"), "has contexts or weights, and no labels"),
        (("--data", tmp_path / "data.pkl"), "its ending is none of .npy"),
    ]
    for words, said in cases:
        code, message = refusal("new", tmp_path / "mine", *words)
        assert (code, said in message) == (BAD_INPUT, True), message
    assert not (tmp_path / "mine.toml").exists()


def test_nothing_is_overwritten(tmp_path, gdln):
    (tmp_path / "mine.toml").write_text("kept")
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    for name in ("mine.toml", "mine", "link"):
        code, answer = gdln("new", tmp_path / name)
        assert (code, answer["error"]["kind"]) == (BAD_INPUT, "file")
    assert (tmp_path / "mine.toml").read_text() == "kept"
    (tmp_path / "yours.py").write_text("kept")
    code, answer = gdln("new", tmp_path / "yours", "--law", "own")
    assert (code, answer["error"]["message"]) == (BAD_INPUT, f"{tmp_path / 'yours.py'} exists; it would be lost.")
    assert not (tmp_path / "yours.toml").exists()
    assert not (tmp_path / "nowhere.toml").exists()
