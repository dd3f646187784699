"""The rate at which the test of `comparison` rejects the truth: the study behind the stored table `calibration.json`.

Replicates with a known mean are drawn from several families, the test is applied, and false rejections are counted
beside the largest skewness of the sample. The simultaneous intervals miss the truth in the same runs, because they are
those of the test (`critical_value`): their coverage is one minus the size. Entries lie on a line and are correlated as
a field's are: moving averages of white noise with weights exp(-2 k^2/xi^2), xi = 2, with the correlation exp(-u^2/xi^2)
over u sites up to 1e-3, taken to each family by its quantiles.

The runs of a batch share the resamples of the replicates, which makes one matrix product of many runs. The share of
rejections at level a in R runs has the standard error sqrt(a (1 - a)/R), up to these shared resamples.

`python -m derivations.statistics.calibration_study` repeats it and stores the table.
"""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float
from scipy.special import log_ndtr

from derivations.atomic import write_text
from derivations.statistics.calibration import STORED
from derivations.statistics.resampling import draw_counts, largest_squares, skewness

COMMAND = "python -m derivations.statistics.calibration_study"
SEED = 20240601
RESAMPLES = 499  # p-values of 1/500, the smallest level
LEVELS = (0.05, 0.01, 0.002)
SKEWNESS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
REPLICATES = (8, 16, 32, 64, 96, 128, 256)
RUNS = {1: 10_000, 4: 10_000, 40: 2_000, 400: 1_000, 4_000: 200}  # by number of entries, which cost time
_MANY, _ENOUGH = 4_000, (96,)  # 4,000 entries are tried with these numbers of replicates only
_COLUMNS = 8_000  # entries times runs of one batch
_MOST_RUNS = 250  # of one batch
_LENGTH = 2.0  # correlation length, in sites


def _normal(z: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    return z


def _student(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three degrees of freedom, with one chi^2 for all entries of a replicate."""
    return z / np.sqrt(rng.chisquare(3, size=(*z.shape[:-1], 1)) / 3)


def _exponential(z: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    return -log_ndtr(-z) - 1


def _log_normal(z: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    return np.exp(z) - np.exp(0.5)


def _heavy_log_normal(z: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
    """The exponential of 1.5 z, with the skewness 33, of which a sample shows little."""
    return np.exp(1.5 * z) - np.exp(1.125)


def _one_log_normal(z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One log-normal entry among normal ones, which many symmetric entries might hide."""
    return np.concatenate([_log_normal(z[..., :1], rng), z[..., 1:]], axis=-1)


FAMILIES: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "normal": _normal,
    "t3": _student,
    "exponential": _exponential,
    "log-normal": _log_normal,
    "heavy log-normal": _heavy_log_normal,
    "one log-normal entry": _one_log_normal,
}
_FEW_ENTRIES = {"heavy log-normal": 4}  # the most entries of a family that matters for few
_MORE_ENTRIES = {"one log-normal entry": 4}  # the fewest


def cells() -> Iterator[tuple[str, int, int]]:
    """Family, replicates and entries of each row of the table."""
    for entries in RUNS:
        for replicates in _ENOUGH if entries == _MANY else REPLICATES:
            for family in FAMILIES:
                if _MORE_ENTRIES.get(family, 0) <= entries <= _FEW_ENTRIES.get(family, entries):
                    yield family, replicates, entries


def row(family: str, replicates: int, entries: int) -> dict[str, Any]:
    """One row: by level, the runs that reject the truth, all of them and those with at most each of `SKEWNESS`."""
    rng = np.random.default_rng([SEED, list(FAMILIES).index(family), replicates, entries])
    runs = RUNS[entries]
    batch = min(_MOST_RUNS, max(1, _COLUMNS // entries))
    within = np.zeros(len(SKEWNESS), int)
    rejected = np.zeros((len(LEVELS), len(SKEWNESS)), int)
    whatever = np.zeros(len(LEVELS), int)
    for _ in range(runs // batch):
        p, skew = batch_of(FAMILIES[family], batch, replicates, entries, rng)
        inside = skew[:, None] <= np.array(SKEWNESS)
        whatever += [np.count_nonzero(p <= level) for level in LEVELS]
        within += inside.sum(axis=0)
        rejected += np.stack([(inside & (p <= level)[:, None]).sum(axis=0) for level in LEVELS])
    return {
        "family": family,
        "replicates": replicates,
        "entries": entries,
        "runs": runs,
        "rejected_at_any_skewness": whatever.tolist(),
        "within": within.tolist(),
        "rejected": rejected.tolist(),
    }


def batch_of(
    family: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    runs: int,
    replicates: int,
    entries: int,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, " runs"], Float[np.ndarray, " runs"]]:
    """The p-value of the truth and the largest |skewness| of each of some runs."""
    x = family(field(rng, (replicates, runs), entries), rng).astype(np.float32)
    columns = x.reshape(replicates, -1)
    mean = columns.mean(axis=0)
    centred = columns - mean
    statistic = (np.square(mean) / (np.square(centred).mean(axis=0) / (replicates - 1))).reshape(runs, -1).max(axis=1)
    counts = draw_counts(rng, RESAMPLES, replicates)
    maxima = largest_squares(counts, centred, entries)
    p = (1 + (maxima >= statistic).sum(axis=0)) / (1 + RESAMPLES)
    return p, np.abs(skewness(columns)).reshape(runs, -1).max(axis=1)


def field(rng: np.random.Generator, shape: tuple[int, ...], entries: int) -> np.ndarray:
    """Standard normal numbers (*shape, entries), correlated along the last axis."""
    reach = np.arange(-4, 5)
    weights = np.exp(-2 * (reach / _LENGTH) ** 2)
    weights /= np.linalg.norm(weights)
    noise = rng.standard_normal((*shape, entries + len(reach) - 1), dtype=np.float32)
    return sum(weight * noise[..., start : start + entries] for start, weight in enumerate(weights))


def study() -> dict[str, Any]:
    """The table with all that is needed to repeat it."""
    before = time.process_time()
    rows = [row(*cell) for cell in cells()]
    return {
        "command": COMMAND,
        "seed": SEED,
        "resamples": RESAMPLES,
        "levels": LEVELS,
        "skewness": SKEWNESS,
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
        "cpu_seconds": round(time.process_time() - before),
        "rows": rows,
    }


def text(study: dict[str, Any]) -> str:
    """The stored text: one row of the table a line."""
    head = {name: value for name, value in study.items() if name != "rows"}
    lines = ",\n  ".join(json.dumps(one) for one in study["rows"])
    return f'{json.dumps(head, indent=1)[:-2]},\n "rows": [\n  {lines}\n ]\n}}\n'


if __name__ == "__main__":
    write_text(STORED, text(study()))
