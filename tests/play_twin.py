"""The draws of games.js once more, in NumPy and by evalkit's functions."""

import numpy as np
from scipy import stats

import evalkit as ek


def _mix(numbers):
    numbers = (numbers ^ (numbers >> 15)) * np.uint32(0xD168AAAD)
    numbers = (numbers ^ (numbers >> 15)) * np.uint32(0xAF723597)
    return numbers ^ (numbers >> 15)


class Chance:
    """The numbers between 0 and 1 of one draw, in order."""

    def __init__(self, seed, draw, most=3000):
        start = _mix(_mix(np.array([seed], np.uint32)) + np.uint32(draw))
        self._numbers = (
            _mix(start + _mix(np.arange(1, most + 1, dtype=np.uint32))) + 0.5
        ) / 2**32
        self._at = 0

    def uniforms(self, size):
        """Return the next numbers."""
        self._at += size
        return self._numbers[self._at - size : self._at]

    def places(self, count, size):
        """Return places in a list."""
        return (self.uniforms(size) * count).astype(int)

    def normals(self, size):
        """Return standard normal numbers, each from two."""
        first, second = self.uniforms(2 * size).reshape(size, 2).T
        return np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second)


def _lead(difference):
    return "tie" if abs(difference) < 1e-9 else "a" if difference < 0 else "b"


def papers(data, setting, chance):
    """Each network's best on validation of so many; the first drawn where two are
    equal.
    """
    reported = []
    for side in "ab":
        validation, test = (
            np.array(data["pools"][side][part]) for part in ("validation", "test")
        )
        drawn = chance.places(len(test), setting[side])
        reported.append(test[drawn[np.argmax(validation[drawn])]])
    difference = reported[1] - reported[0]
    return [(difference, _lead(difference))]


def _scores(chance, shape, size):
    if shape == "normal":
        return chance.normals(size)
    if shape == "skewed":
        return -np.log(chance.uniforms(size)) - 1
    scores = []
    for _ in range(size):
        fails = chance.uniforms(1)[0] < 0.1
        scores.append(
            (chance.normals(1)[0] * 0.2 - 10 * fails + 1) / np.sqrt(0.04 + 100 * 0.09)
        )
    return np.array(scores)


def intervals(data, setting, chance):
    """t by evalkit, dividing by n or by n - 1; the percentile bootstrap of 399
    resamples.
    """
    size = setting["size"]
    if "scores" in data:
        sample = np.array(data["scores"])[chance.places(len(data["scores"]), size)]
    else:
        sample = _scores(chance, setting["shape"], size)
    low, high = ek.t_interval(sample)
    if setting["kind"] == "t0":
        half = (high - low) / 2 * np.sqrt((size - 1) / size)
        low, high = sample.mean() - half, sample.mean() + half
    if setting["kind"] == "percentile":
        means = np.sort([sample[chance.places(size, size)].mean() for _ in range(399)])
        low, high = means[9], means[389]
    held = (
        low <= data["truth"] <= high
        or np.isclose([low, high], data["truth"], rtol=1e-12, atol=0).any()
    )
    return [(sample.mean(), "held" if held else "missed", low, high)]


def coins(data, setting, chance):
    """As many coins as items on which the two differ."""
    a, b = setting["a_only"], setting["b_only"]
    heads = int(np.sum(chance.uniforms(a + b) < 0.5))
    return [(heads, "uneven" if abs(2 * heads - a - b) >= abs(a - b) else "even")]


def stars(data, setting, chance):
    """Three tests of evalkit and SciPy on correlated differences."""
    shared, own = chance.normals(1)[0], None
    own = chance.normals(setting["splits"])
    correlation = data["correlation"]
    differences = (
        setting["effect"]
        + np.sqrt(correlation) * shared
        + np.sqrt(1 - correlation) * own
    )
    zeros = np.zeros(len(differences))
    pvalues = (
        ek.wilcoxon(differences, zeros, method="exact").pvalue,
        stats.ttest_1samp(differences, 0).pvalue,
        ek.corrected_t(differences, zeros, n_train=900, n_test=100).pvalue,
    )
    return [(differences.mean(), "star" if p < 0.05 else "none") for p in pvalues]


def seeds(data, setting, chance):
    """Means of so many seeds, on the same items or on others."""
    network = data["networks"][setting.get("network", "")]
    scores, count, items = (
        np.array(network["scores"]),
        setting["count"],
        setting.get("items", ""),
    )
    members = chance.places(len(scores), 2 * count)
    measured = scores[members]
    if items:
        drawn = chance.places(network["n_items"], int(items))
        measured = 100 * network["right"][members][:, drawn].mean(axis=1)
    difference = np.mean(measured[count:] + setting["gain"]) - np.mean(measured[:count])
    return [(difference, _lead(difference))]


def best(data, setting, chance):
    """U and V of a sample, by evalkit, against the truth."""
    pool = data["pools"][setting.get("pool", "")]
    scores, n, less = np.array(pool["scores"]), setting["n"], pool["sign"] < 0
    truth = ek.expected_max(scores, n, estimator="v", minimize=less)
    sample = scores[chance.places(len(scores), setting["size"])]
    kinds = ("u", "v") if n <= len(sample) else ("v",)
    return [
        (ek.expected_max(sample, n, estimator=kind, minimize=less) - truth, kind)
        for kind in kinds
    ]


def boards(data, setting, chance):
    """Scores of all systems on new items, or on some of a reader's; a lot where several
    are first.
    """
    items = setting["items"]
    if "own" in data:
        truths, table = np.array(data["own"]["truths"]), data["own"]["table"]
        right = table[chance.places(len(table), items)].sum(axis=0)
    else:
        steps = np.arange(setting["systems"])[::-1]
        truths = np.maximum(data["highest"] - setting["gap"] * steps, data["lowest"])
        n_shared = round(items * setting["shared"] / 100)
        alone = stats.binom.ppf(
            chance.uniforms(len(truths)), items - n_shared, truths / 100
        ).astype(int)
        right = alone + np.sum(
            100 * chance.uniforms(n_shared)[:, np.newaxis] < truths, axis=0
        )
    first = np.flatnonzero(right == right.max())
    first = first[chance.places(len(first), 1)[0]]
    rank = len(truths) - first
    over = 100 * right[first] / items - truths[first]
    return [(rank, "best" if rank == 1 else "other"), (over, "over")]
