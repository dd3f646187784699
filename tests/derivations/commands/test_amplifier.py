"""`gdln amplifier` on files of samples and of quantiles that are faulty."""

import numpy as np

FILES = {
    "has no numbers": ("--samples", "# a remark alone\n"),
    "has rows of 1 and of 2 numbers": ("--samples", "1, 2\n3\n"),
    "has rows of 1 numbers, not of 2": ("--quantile", "0\n1\n"),
    "quantile 1 is nan": ("--quantile", "0 -1\n0.5 nan\n1 1\n"),
    "quantile 0 is -1e+300": ("--quantile", "0 -1e300\n1 1e300\n"),
    "is not a quantile table": ("--quantile", "0 -1\nnan 0\n1 1\n"),
    "sample 2 is inf": ("--samples", "1\n-1\n1e999\n" + 7 * "0\n"),
}


def test_bad_files_are_refused(refusal, tmp_path):
    file = tmp_path / "numbers.txt"
    for words, (option, content) in FILES.items():
        file.write_text(content)
        code, message = refusal("amplifier", option, file, "--rescale")
        assert (code, words in message) == (2, True), message


def test_samples_are_real_numbers(refusal, tmp_path):
    np.save(tmp_path / "x.npy", np.exp(1j * np.arange(20)))
    code, message = refusal("amplifier", "--samples", tmp_path / "x.npy")
    assert (code, "holds complex128, not real numbers" in message) == (2, True)
    with (tmp_path / "x.npy").open("wb") as file:
        np.savez(file, x=np.arange(20.0))  # an archive, of which numpy.load would give no array
    code, message = refusal("amplifier", "--samples", tmp_path / "x.npy")
    assert (code, "is not a table of numbers" in message) == (2, True)
