"""The statistics of the pages, in a blank page of Chromium, against evalkit's."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import evalkit as ek

ASSETS = Path(ek.__file__).parent / "explore" / "assets"
CALL = """
    const found = arguments[0].map(([name, ...given]) => {
        try { return evalkitStatistics[name](...given); }
        catch (error) { if (error instanceof RangeError) return {refused: error.message}; throw error; }
    });
    // JSON has no infinity.
    const isWritten = (value) => typeof value !== "number" || Number.isFinite(value);
    return JSON.stringify(found, (_, value) => (isWritten(value) ? value : String(value)));
"""
LEVELS = [0.5, 0.9, 0.95, 0.999]
METHODS = ["exact", "mid-p", "chi2", "chi2-corrected"]


@pytest.fixture(scope="module")
def script(chromium):
    """Return a function that makes many calls of the script at once."""
    chromium.get("about:blank")
    for name in ("statistics.js", "score.js", "printed.js"):
        chromium.execute_script((ASSETS / name).read_text(encoding="utf-8"))
    chromium.set_script_timeout(120)
    return lambda calls: json.loads(chromium.execute_script(CALL, calls))


def close(found, wanted, rel=1e-9, abs=0.0):
    return np.allclose(
        np.array(found, dtype=float), np.array(wanted, dtype=float), rtol=rel, atol=abs
    )


def counts(rng, high):
    """A count of up to `high`, as often small as large."""
    return int(np.expm1(rng.uniform(0, math.log1p(high))))


def scores(rng, n):
    """Scores as people have them: accuracies, losses, percentages, some rounded, some
    far from 0.
    """
    centre, spread = [(0.8, 0.03), (91, 0.7), (0.002, 1e-4), (12000, 0.01), (-3, 2)][
        rng.integers(5)
    ]
    found = centre + spread * rng.normal(size=n)
    return (
        np.round(found, rng.integers(1, 4)).tolist()
        if rng.integers(2)
        else found.tolist()
    )


# --------------------------------------------------------------------------------------
# 500 random inputs
# --------------------------------------------------------------------------------------


def test_shares_of_items(script):
    rng, calls, wanted = np.random.default_rng(0), [], []
    for _ in range(500):
        trials, level = 1 + counts(rng, 100_000), float(rng.choice(LEVELS))
        right = (
            min(counts(rng, 100_000), trials)
            if rng.integers(2)
            else int(rng.integers(trials + 1))
        )
        for name, method in (
            ("clopperPearson", "clopper-pearson"),
            ("wilson", "wilson"),
        ):
            calls.append([name, right, trials, level])
            wanted.append(
                [
                    *ek.proportion_interval(
                        right, trials, method=method, confidence_level=level
                    )
                ]
            )
    for call, found, ends in zip(calls, script(calls), wanted, strict=True):
        # SciPy takes Wilson's lower end as a difference, and loses digits of it.
        loss = 1e-16 if call[0] == "wilson" else 0
        assert [found["low"], found["high"]] == pytest.approx(
            ends, rel=1e-9, abs=loss
        ), call


def test_mcnemar(script):
    rng, calls, wanted = np.random.default_rng(1), [], []
    for _ in range(500):
        n10 = counts(rng, 50_000)
        n01 = (
            counts(rng, 50_000)
            if rng.integers(2)
            else max(0, n10 + int(rng.normal(0, math.sqrt(n10 + 1))))
        )
        for method in METHODS:
            calls.append(["mcnemar", n10, n01, method])
            wanted.append(ek.mcnemar(n10, n01, method=method))
    for call, found, test in zip(calls, script(calls), wanted, strict=True):
        if test.pvalue > 1e-290:  # below, doubles have fewer digits
            assert close(
                [found["statistic"], found["p"]], [test.statistic, test.pvalue]
            ), call


def test_student_s_t(script):
    rng = np.random.default_rng(2)
    dfs = np.exp(rng.uniform(math.log(0.3), math.log(1e12), 500)).tolist()
    ts, tails = (
        np.abs(3 * rng.standard_t(3, 500)).tolist(),
        (10 ** -rng.uniform(0.31, 12, 500)).tolist(),
    )
    found = script([["tPvalue", *pair] for pair in zip(ts, dfs, strict=True)])
    assert close(found, 2 * stats.t.sf(ts, dfs))
    found = script([["tQuantile", *pair] for pair in zip(tails, dfs, strict=True)])
    # SciPy's own inverse is checked by its tail.
    assert close(stats.t.sf(np.array(found, dtype=float), dfs), tails)


def test_the_best_of_n(script):
    rng, calls, wanted = np.random.default_rng(4), [], []
    for _ in range(500):
        drawn = scores(rng, int(rng.integers(1, 200)))
        n, minimize = int(rng.integers(1, len(drawn) + 1)), bool(rng.integers(2))
        for estimator in "uv":
            calls.append(
                [
                    "expectedMax",
                    drawn,
                    n,
                    {"estimator": estimator, "minimize": minimize},
                ]
            )
            wanted.append(
                ek.expected_max(drawn, n, estimator=estimator, minimize=minimize)
            )
    assert close(script(calls), wanted)
    few = script([["weights", 7, n] for n in (1, 3, 7, 20)])
    # U has no more draws than runs.
    assert [sorted(one) for one in few] == [["u", "v"]] * 3 + [["v"]]
    ordered = np.sort(rng.random(7))
    for n, one in zip((1, 3, 7, 20), few, strict=True):
        for name, shares in one.items():
            assert close(
                float(ordered @ shares), ek.expected_max(ordered, n, estimator=name)
            )


def of_difference(found):
    return [found[name] for name in ("difference", "low", "high", "p", "se", "df")]


def wanted_of(found):
    return [found.difference, *found, found.pvalue, found.se, found.df]


def check_differences(script, calls, wanted):
    """Hold differences to evalkit's; what its own sums lose of large scores is no fault
    of the script.
    """
    for call, found, test in zip(calls, script(calls), wanted, strict=True):
        if isinstance(test, str):
            assert test in found.get("refused", ""), (call, found)
            continue
        lost = 2e-15 * max(map(abs, call[1] + call[2]))
        assert of_difference(found)[:3] == pytest.approx(
            wanted_of(test)[:3], rel=1e-9, abs=lost
        ), call
        if test.pvalue > 1e-290:
            # By how much of itself p moves if its t does by as much as that.
            moved = (
                (1 + test.df) * lost / max(abs(test.difference), test.se)
                if test.se
                else 0
            )
            assert of_difference(found)[3:] == pytest.approx(
                wanted_of(test)[3:], rel=1e-9 + 4 * moved, abs=1e-300
            ), call


def asked(function, *given, **named):
    try:
        return function(*given, **named)
    except ValueError as error:
        return (
            "do not vary" if "must vary for an interval" in str(error) else str(error)
        )


def test_welch(script):
    rng, calls, wanted = np.random.default_rng(5), [], []
    for _ in range(500):
        a = scores(rng, int(rng.integers(2, 40)))
        b = (
            np.mean(a)
            + (1 + np.std(a)) * np.array(scores(rng, int(rng.integers(2, 40))))
        ).tolist()
        b = a[::-1][:2] + b if rng.integers(2) else [round(x, 2) for x in b]
        calls.append(["welchDifference", a, b, level := float(rng.choice(LEVELS))])
        wanted.append(
            asked(ek.difference_interval, a, b, paired=False, confidence_level=level)
        )
    check_differences(script, calls, wanted)


def pairs(rng):
    """Two columns that share what makes a pair easy; some pairs tie, some columns hold
    right and wrong.
    """
    n = int(rng.integers(5, 60))
    a = np.array(scores(rng, n))
    if rng.integers(4) == 0:
        both = (rng.random((2, n)) < [[0.9], [0.85]]).astype(float)
        return (
            both[0].tolist(),
            np.where(rng.random(n) < 0.7, both[0], both[1]).tolist(),
        )
    b = a + np.std(a) * rng.normal(0.2, 0.5, n).round(1)
    b[rng.random(n) < rng.choice([0, 0.5, 0.9])] = np.nan
    return a.tolist(), np.where(np.isnan(b), a, b).tolist()


@pytest.mark.parametrize("items", [False, True])
def test_pairs(script, items):
    rng, calls, wanted = np.random.default_rng(6), [], []
    for _ in range(500):
        (a, b), level = pairs(rng), float(rng.choice(LEVELS))
        calls.append(["pairedDifference", a, b, {"items": items, "level": level}])
        function, named = (
            (ek.crossed_difference, {})
            if items
            else (ek.difference_interval, {"paired": True})
        )
        wanted.append(asked(function, a, b, confidence_level=level, **named))
    check_differences(script, calls, wanted)
    ways = {type(test).__name__ for test in wanted}
    assert ways == {"Difference", "PairedProportions", "str"}  # each way was taken


def test_means(script):
    rng, calls, wanted = np.random.default_rng(7), [], []
    for _ in range(500):
        drawn = scores(rng, int(rng.integers(2, 50)))
        calls.append(["tInterval", drawn, level := float(rng.choice(LEVELS))])
        wanted.append([*ek.t_interval(drawn, confidence_level=level)])
    assert close([list(one.values()) for one in script(calls)], wanted)


def test_printed_means(script):
    rng, calls, wanted = np.random.default_rng(8), [], []
    for _ in range(500):
        digits = [int(rng.integers(4)) for _ in "ab"]
        means = [91.0, 0.84, 5.0][rng.integers(3)] + rng.normal(0, 0.5, 2)
        if rng.integers(2):
            means = [round(mean, d) for mean, d in zip(means, digits, strict=True)]
        widths = rng.choice([0, 0.02, 0.4, 1], 2) * rng.random(2).round(1)
        a, b = (
            [float(mean), float(width), int(rng.integers(2, 20))]
            for mean, width in zip(means, widths, strict=True)
        )
        named = {"spread": str(rng.choice(["sd", "se"]))}
        if [round(a[0], digits[0]), round(b[0], digits[1])] == [a[0], b[0]]:
            named |= {"decimals": digits} if rng.integers(2) else {}
        level = float(rng.choice(LEVELS))
        calls.append(["fromSummary", a, b, {**named, "level": level}])
        wanted.append(asked(ek.from_summary, a, b, confidence_level=level, **named))
    check_differences(script, calls, wanted)
    refused = [test for test in wanted if isinstance(test, str)]
    assert 0 < len(refused) < 250


def printed(rng, right, n):
    """A share of items as a paper prints it, and as it may be mistyped."""
    digits = int(rng.integers(5))
    if rng.integers(4) == 0:
        return f"{right / n:.{digits}f}"
    return f"{100 * right / n:.{digits}f}{rng.choice(['', '%', ' %'])}"


def test_printed_accuracies(script):
    rng, calls, wanted = np.random.default_rng(9), [], []
    for _ in range(500):
        n = 1 + counts(rng, 20_000)
        shares = [printed(rng, int(rng.integers(n + 1)), n) for _ in "ab"]
        shares[1] = shares[0] if rng.integers(4) == 0 else shares[1]
        possible = [ek.possible_counts(share, n) for share in shares]
        asks = shares if rng.integers(2) else [int(rng.integers(n + 1)) for _ in "ab"]
        calls += [["possibleCounts", share, n] for share in shares]
        wanted += possible
        if asks is not shares or all(possible):
            calls.append(["mcnemarRange", *asks, n])
            wanted.append(ek.mcnemar_range(*asks, n))
    for (name, *given), found, test in zip(calls, script(calls), wanted, strict=True):
        if name == "possibleCounts":
            assert range(found["low"], found["high"] + 1) == test, given
            continue
        if test.low > 1e-290:
            assert close([found["low"], found["high"]], [*test]), given
        highest = ek.mcnemar(*found["highest"]).pvalue
        assert close(found["high"], highest), given


def test_shares_of_separate_items(script):
    rng, calls, wanted = np.random.default_rng(11), [], []
    for _ in range(500):
        sizes = [1 + counts(rng, 100_000) for _ in "ab"]
        right = [int(rng.binomial(n, rng.choice([0, 0.5, 0.9, 1]))) for n in sizes]
        pairs = [x for pair in zip(right, sizes, strict=True) for x in pair]
        level = float(rng.choice(LEVELS))
        calls.append(["separateShares", *pairs, level])
        wanted.append(ek.proportion_difference(*pairs, confidence_level=level))
    for call, found, test in zip(calls, script(calls), wanted, strict=True):
        assert [found[x] for x in ("difference", "low", "high")] == pytest.approx(
            [test.difference, *test], rel=1e-9, abs=1e-15
        ), call
        # Where the shares hardly differ, their difference has lost digits on both sides.
        slack = 1e-15 * abs(test.statistic) ** 2 / (abs(test.difference) or 1)
        if test.pvalue > 1e-290:
            assert found["p"] == pytest.approx(test.pvalue, rel=1e-9 + slack), call


def test_the_best_of_normal_scores(script):
    rng = np.random.default_rng(10)
    budgets = [1, 2, 3, 9_999_999, *(1 + counts(rng, 1_000_000) for _ in range(500))]
    found = script([["gaussianExpectedMax", n] for n in budgets])
    assert found == pytest.approx(ek.gaussian_expected_max(budgets), rel=1e-9)


# --------------------------------------------------------------------------------------
# Corners
# --------------------------------------------------------------------------------------


def test_four_counts_are_what_a_report_makes_of_the_answers(script):
    cases = [
        (80, 15, 5, 100),
        (80, 25, 1, 0),
        (30, 3, 1, 4),
        (10, 0, 0, 0),
        (0, 10, 0, 0),
        (0, 0, 20, 0),
    ]
    cases += [
        (20, 0, 0, 10),
        (1000, 5, 4, 3),
        (1000, 5, 5, 3),
        (1, 8, 2, 1),
        (0, 4, 0, 1),
    ]
    for case, found in zip(
        cases, script([["rightOrWrong", *case] for case in cases]), strict=True
    ):
        _, n10, n01, _ = case
        assert close(found["p"], ek.mcnemar(n10, n01).pvalue)
        wanted = ek.paired_proportion_interval(*case)
        assert close([found["low"], found["high"]], [*wanted], abs=1e-15), case


def test_corners_that_have_an_answer(script):
    equal, apart = [12000.01, 12000.02, 12000.04], [12000.03, 12000.03, 12000.05]
    found = script(
        [
            ["tInterval", [0.9] * 5],
            *(["mcnemar", 0, 0, method] for method in METHODS),
            ["expectedMax", [0.1] * 10, 3],
            ["expectedMax", [0.7], 1],
            ["clopperPearson", 0, 1],
            ["clopperPearson", 1, 1],
            ["clopperPearson", 0, 100_000],
            ["wilson", 0, 10],
            ["wilson", 10, 10],
            ["tInterval", equal],
            ["welchDifference", equal, apart],
        ]
    )
    assert found[0] == {"low": 0.9, "high": 0.9}
    assert [one["p"] for one in found[1:5]] == [1] * 4
    assert found[5:7] == [0.1, 0.7]
    for one, case in zip(found[7:10], [(0, 1), (1, 1), (0, 100_000)], strict=True):
        assert close([one["low"], one["high"]], [*ek.proportion_interval(*case)])
    assert found[10]["low"] == 0
    assert found[11]["high"] == 1
    assert close(
        found[12]["high"] - found[12]["low"], ek.t_interval(equal).width, rel=1e-6
    )
    # The same in hundredths.
    fine = ek.difference_interval([1, 2, 4], [3, 3, 5], paired=False)
    assert close(
        of_difference(found[13])[:5],
        [x / 100 for x in wanted_of(fine)[:3]] + [fine.pvalue, fine.se / 100],
        rel=1e-9,
    )


# What evalkit refuses, by what its error and the script's say.
MIXED = [0.8, 0.9, 0.7, 0.3, 0.1]
REFUSED = {
    "one run": (
        ["tInterval", [0.9]],
        lambda: ek.t_interval([0.9]),
        "at least 2",
        "At least 2",
    ),
    "nothing": (
        ["expectedMax", [], 1],
        lambda: ek.expected_max([], 1),
        "at least one",
        "At least 1",
    ),
    "not a number": (
        ["tInterval", [0.9, "NaN"]],
        lambda: ek.t_interval([0.9, math.nan]),
        "must be finite",
        "finite number",
    ),
    "too far out": (
        ["tInterval", [1e80, 1]],
        lambda: ek.t_interval([1e80, 1]),
        "square is lost",
        "square of others is lost",
    ),
    "more draws than runs": (
        ["expectedMax", MIXED, 6],
        lambda: ek.expected_max(MIXED, 6),
        "at most",
        "from 1 to 5, and one is 6",
    ),
    "half a draw": (
        ["expectedMax", MIXED, 1.5],
        lambda: ek.expected_max(MIXED, 1.5),
        "integer",
        "whole number",
    ),
    "more right than there are": (
        ["clopperPearson", 11, 10],
        lambda: ek.proportion_interval(11, 10),
        "at most",
        "from 0 to 10, and one is 11",
    ),
    "no item": (
        ["wilson", 0, 0],
        lambda: ek.proportion_interval(0, 0),
        "at least 1",
        "from 1 to",
    ),
    "fewer than none": (
        ["mcnemar", -1, 2],
        lambda: ek.mcnemar(-1, 2),
        "at least 0",
        "from 0 to",
    ),
    "another McNemar": (
        ["mcnemar", 1, 2, "z"],
        lambda: ek.mcnemar(1, 2, method="z"),
        "method",
        "is exact, mid-p",
    ),
    "no level": (
        ["tInterval", MIXED, 1],
        lambda: ek.t_interval(MIXED, confidence_level=1),
        "between 0 and 1",
        "between 0 and 1",
    ),
    "constants": (
        ["welchDifference", [0.91] * 5, [0.9] * 5],
        lambda: ek.difference_interval([0.91] * 5, [0.9] * 5, paired=False),
        "must vary",
        "do not vary",
    ),
    "a shift": (
        ["pairedDifference", MIXED, [x - 0.1 for x in MIXED]],
        lambda: ek.difference_interval(MIXED, np.array(MIXED) - 0.1, paired=True),
        "must vary",
        "do not vary",
    ),
    "a shift of items": (
        ["pairedDifference", MIXED, [x - 0.1 for x in MIXED], {"items": True}],
        lambda: ek.crossed_difference(MIXED, np.array(MIXED) - 0.1),
        "must vary",
        "do not vary",
    ),
    "unequal lengths": (
        ["pairedDifference", MIXED, MIXED[1:]],
        lambda: ek.difference_interval(MIXED, MIXED[1:], paired=True),
        "5 and 4",
        "5 and 4",
    ),
    "four items": (
        ["pairedDifference", MIXED[1:], MIXED[:-1], {"items": True}],
        lambda: ek.crossed_difference(MIXED[1:], MIXED[:-1]),
        "at least 5 items",
        "At least 5 items",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_evalkit_refuses_is_refused(script, case):
    call, ours, error, words = REFUSED[case]
    with pytest.raises((ValueError, TypeError), match=error):
        ours()
    (found,) = script([call])
    assert words in found["refused"]


def test_pages_without_score_js_refuse_what_needs_it(chromium):
    chromium.get("about:blank")
    chromium.execute_script((ASSETS / "statistics.js").read_text(encoding="utf-8"))
    pair = [[1, 1, 1, 0, 1, 1], [1, 1, 0, 0, 1, 1]]
    (found,) = json.loads(chromium.execute_script(CALL, [["pairedDifference", *pair]]))
    assert "So few pairs differ" in found["refused"]
    assert chromium.execute_script(
        "return Object.keys(window).filter(k => k.startsWith('evalkit'))"
    ) == ["evalkitStatistics"]
