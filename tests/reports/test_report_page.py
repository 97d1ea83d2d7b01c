"""The page and the paragraphs for a paper: what they must say, say once, and must not
contradict.
"""

import json
import re
from collections import Counter
from xml.etree import ElementTree

import faulty
import generated
import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports._pages import _document, _figure, _page, _paper, _prose

PAPER_FORMS = ("html", "markdown")


def plain(found, form):
    """A form of a report without what escapes its marks."""
    text = found.write(form)
    if form == "json":
        return "\n".join(json.loads(text)["for the paper"])
    return (
        text.replace("&#x27;", "'")
        .replace("\\", "")
        .replace("$-$", "\u2212")
        .replace("\xa0%", " %")
    )


def items(n10, n01, n):
    """Right and wrong answers of two systems: only "ours" is right n10 times, only
    "base" n01 times.
    """
    ours = np.r_[np.ones(n10), np.zeros(n01), np.ones(n - n10 - n01)]
    base = np.r_[np.zeros(n10), np.ones(n01), np.ones(n - n10 - n01)]
    return ek.report(
        {"ours": ours, "base": base}, baseline="base", unit="item", metric="accuracy"
    )


def on_data_sets(scores, **more):
    """A report of systems on data sets: an array with a row for each data set, the
    baseline first.
    """
    names = ["base", *(f"s{k}" for k in range(1, scores.shape[1]))]
    index = pd.Index([f"set {k}" for k in range(len(scores))], name="dataset")
    table = pd.DataFrame(scores, index=index, columns=names)
    return ek.report(
        table, baseline="base", direction="higher", columns={"system": names}, **more
    )


def of_runs(rows, **more):
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    return ek.report(table, baseline="base", **more)


def check(found, code):
    return next(c for c in found.bench.checks if c.code == code)


# --------------------------------------------------------------------------------------
# For the paper
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", PAPER_FORMS)
@pytest.mark.parametrize("make", generated.HONEST, ids=lambda make: make.__name__)
def test_the_paper_has_the_result(make, form, tmp_path):
    case = make(np.random.default_rng(3))
    found = ek.report(case.write(tmp_path), **case.options)
    text = plain(found, form)
    text = text[text.index("We compared") :]
    first = found.findings.contrasts[0]
    for words in (
        first.test,
        first.method,
        found.findings.varies,
        "two-sided",
        f"evalkit {found.version}",
    ):
        assert words in text
    n = len(found.findings.contrasts)
    assert n <= _paper.MOST
    for one in found.findings.contrasts:
        assert _page.pvalue(one.adjusted) in text
        if np.isfinite(one.low):
            assert f"95 % interval of the difference {_page.interval(one)}" in text
    assert text.count("95 % interval of the difference") == n * (case.kind != "folds")
    assert ("none is known to hold for overlapping splits" in text) == (
        case.kind == "folds"
    )
    assert f"({found.findings.quantity}; " in text
    assert ("Holm's method" in text) == ("intervals are not" in text) == (n > 1)


def failing(rng_seed=0):
    """Runs of which one fails: left out, the system looks better than it is."""
    rng = np.random.default_rng(rng_seed)
    rows = [
        (name, seed, 0.8 + shift + rng.normal(0, 0.005))
        for name, shift in (("base", 0), ("ours", 0.03))
        for seed in range(6)
    ]
    rows[8] = ("ours", 2, np.nan)
    return rows


@pytest.mark.parametrize("form", PAPER_FORMS)
def test_the_paper_says_how_failed_runs_score(form):
    found = of_runs(failing(), failed="drop")
    text = plain(found, form)
    text = text[text.index("We compared") :]
    assert "1 run has no score: base 0 of 6, ours 1 of 6. They are left out." in text
    found = of_runs(failing(), failed="0.2")
    text = plain(found, form)
    text = text[text.index("We compared") :]
    assert "Each scores 0.2." in text
    assert "--" not in text.split("@")[0].replace("<!--", "")


@pytest.mark.parametrize("form", PAPER_FORMS)
def test_the_paper_says_what_was_accepted(form, tmp_path):
    planted = faulty.test_is_validation(np.random.default_rng(0))
    found = ek.report(
        planted.case.write(tmp_path), **planted.case.options, accept="test-chose"
    )
    text = plain(found, form)
    text = text[text.index("We compared") :]
    assert "are the same in every row. It is left as it is." in text
    assert "accept" not in "\n".join(found.paper)


@pytest.mark.parametrize("missing", ["worst", "drop"])
def test_the_paper_says_what_became_of_empty_cells(missing):
    rng = np.random.default_rng(0)
    scores = rng.normal(70, 5, (9, 1)) + np.array([0, 1.5]) + rng.normal(0, 0.4, (9, 2))
    scores[3, 1] = np.nan
    found = on_data_sets(scores, missing=missing)
    text = found.paper[2]
    assert text.startswith("Empty cell, 1 of 18: s1 on set 3. ")
    how = {
        "worst": "The worst score of the data set takes its place.",
        "drop": "Those data sets are left out.",
    }
    assert how[missing] in text


# --------------------------------------------------------------------------------------
# Interval and test
# --------------------------------------------------------------------------------------


def test_the_method_of_the_interval_stands_beside_it(tmp_path):
    found = items(60, 40, 600)
    (one,) = found.findings.contrasts
    assert (one.method, one.test) == ("t over items", "McNemar's exact test")
    for text in (str(found), found.write("markdown"), found.paper[1]):
        assert (
            f"{_page.interval(one)} (t over items); p = 0.057 (McNemar's exact test,"
            " 600 items)" in text
        )
    found = of_runs([(n, s, v) for n, s, v in failing() if v == v], unit="seed")
    assert "(both by Welch's t, 5 and 6 runs)" in str(found)


@pytest.mark.parametrize(
    ("found", "is_shorter", "words"),
    [
        (items(60, 40, 600), True, "and is exact. So the test decides."),
        (items(6, 0, 80), False, "put together from two intervals that are exact"),
        (
            on_data_sets(
                np.c_[np.zeros(8), [1.1, 0.5, 2.4, 2.1, 1.4, -1.4, 0.9, 1.5]] + 50
            ),
            True,
            "the test uses their ranks",
        ),
        (
            on_data_sets(
                np.c_[np.zeros(9), [1, 1.1, 0.9, 1.2, 1.3, 0.8, 1.5, 1.6, 90]] + 50
            ),
            False,
            "asks on which side most data sets lie",
        ),
    ],
    ids=["McNemar", "few", "Wilcoxon", "Wilcoxon-outlier"],
)
def test_where_interval_and_test_disagree_the_page_says_why_and_which_decides(
    found, is_shorter, words
):
    (one,) = found.findings.contrasts
    excludes = not one.low <= 0 <= one.high
    assert excludes == is_shorter
    assert (one.pvalue > 0.05) == is_shorter
    assert one.verdict == "undecided"
    for text in (str(found), found.write("markdown"), " ".join(found.paper)):
        assert words in text
        assert (
            "So the test decides." if is_shorter else "so here the interval decides."
        ) in text


def test_where_they_agree_nothing_is_explained():
    for found in (items(90, 30, 600), items(50, 50, 600)):
        assert "decides" not in str(found)


def test_many_comparisons_are_one_paragraph_and_a_table():
    rng = np.random.default_rng(3)
    shifts = np.array([0, 3, 0.1, -2, 0.3, 0.2, 1.5, 0, -0.4, 0.9])
    found = on_data_sets(
        rng.uniform(60, 90, (12, 1)) + shifts + rng.normal(0, 1, (12, 10))
    )
    parts = _page.blocks(found)
    leads = [part.text for part in parts if part.kind == "lead"]
    assert len(leads) == 1
    verdicts = Counter(one.verdict for one in found.findings.contrasts)
    assert len(verdicts) == 3
    for verdict, words in {
        "better": "better than",
        "worse": "worse than",
        "undecided": "not told apart",
    }.items():
        n = verdicts[verdict]
        assert f"{n} {'is' if n == 1 else 'are'} {words}" in leads[0]
        for one in found.findings.contrasts:
            assert one.system in leads[0]
    assert leads[0] in found.paper[1]
    assert len(str(found).splitlines()) == 1 + 9 + 1


# --------------------------------------------------------------------------------------
# Nothing twice, nothing against the page
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [*generated.HONEST, *faulty.FAULTS], ids=lambda make: make.__name__
)
def test_each_check_stands_in_one_place(make, tmp_path):
    made = make(np.random.default_rng(1))
    case, on = (made, {}) if isinstance(made, generated.Case) else (made.case, made.on)
    if on is None:
        pytest.skip("other data are needed, not an option")
    found = ek.report(case.write(tmp_path), **{**case.options, **on})
    parts = _page.blocks(found)
    end = next(i for i, part in enumerate(parts) if part.text == "For the paper")
    listed = [
        part for part in parts[:end] if part.kind in ("note", "list", "table", "ticks")
    ]
    texts = [part.text for part in listed]
    texts += [
        str(cell)
        for part in listed
        for row in part.rows
        for cell in (row if isinstance(row, tuple) else [row])
    ]
    for one in found.bench.checks:
        assert sum(one.words in text for text in texts) == 1, one


def test_folds_that_chose_are_not_called_unchecked():
    rng = np.random.default_rng(0)
    files = {}
    for name, n in (("base", 3), ("ours", 5)):
        scores = {f"split{k}_test_score": rng.normal(0.8, 0.02, n) for k in range(6)}
        settings = [{"C": c} for c in range(1, n + 1)]
        files[name] = {**scores, "params": settings, "param_C": np.arange(1, n + 1)}
    found = ek.report(files, baseline="base", n_train=500, n_test=100, accept="chosen")
    assert "base 3 and ours 5" in check(found, "tuned").words
    assert check(found, "test-chose").outcome == "decided"
    assert "Was nothing chosen by the test scores? Not checked" not in found.write(
        "html"
    )
    assert "at the top" not in found.paper[2]


def test_an_empty_cell_is_not_called_a_score():
    scores = np.random.default_rng(0).normal(70, 5, (9, 3))
    scores[2, 1] = np.nan
    found = on_data_sets(scores, missing="drop")
    words = check(found, "failed").words
    assert (
        words
        == "1 cell is empty; no column is known to say whether a run crashed there."
    )


@pytest.mark.parametrize("n_lacking", [0, 1, 2])
def test_a_seed_that_one_system_lacks_is_named(n_lacking):
    rng = np.random.default_rng(0)
    rows = [
        (name, seed, rng.normal(0.8, 0.01))
        for name in ("base", "ours")
        for seed in range(6)
    ]
    rows = [row for row in rows if row[0] == "base" or row[1] not in (3, 5)[:n_lacking]]
    report = of_runs(rows)
    found = check(report, "seeds")
    assert "?" not in " ".join(report.paper)
    assert (found.outcome == "note") == (n_lacking > 0)
    words = {
        0: "rows of 6 seeds",
        1: "ours has no compared run with seed 3, which",
        2: "with seeds 3, 5, which",
    }
    assert words[n_lacking] in found.words
    apart = [(name, seed + 100 * (name == "ours"), score) for name, seed, score in rows]
    assert check(of_runs(apart), "seeds").outcome == "unchecked"


def test_shared_seeds_are_said_to_be_no_pairs():
    rng = np.random.default_rng(0)
    rows = [
        (name, seed, rng.normal(0.8, 0.01))
        for name in ("base", "ours")
        for seed in range(6)
    ]
    words = "Runs that share a seed are not taken as pairs"
    assert words in of_runs(rows).write("markdown")
    apart = [(name, seed + 100 * (name == "ours"), score) for name, seed, score in rows]
    assert words not in of_runs(apart).write("markdown")


def test_what_is_said_of_a_family_needs_one():
    rng = np.random.default_rng(0)
    rows = [
        (name, seed, rng.normal(0.8, 0.01))
        for name in ("base", "s1", "s2", "s3")
        for seed in range(6)
    ]
    one, three = (
        of_runs([row for row in rows if row[0] in ("base", "s1")]),
        of_runs(rows),
    )
    for words in ("adjust", "Holm"):
        assert words not in one.write("html")
        assert words in three.write("html")
    assert "We compared s1, s2 and s3 with base" in three.paper[0]
    assert "We compared s1 with base" in one.paper[0]
    assert not re.search(r"p = ([\d.]+), (adjusted[^(;.]*)?p = \1[ .]", str(three))
    assert "p-values adjusted, intervals not" in _page.table(three).text
    assert (
        "intervals and p-values by Welch's t, 6 and 6 runs" in _page.table(three).text
    )
    assert (
        "intervals by t over items; p-values by McNemar's exact test"
        in _page.table(items(60, 40, 600)).text
    )


def test_a_figure_without_a_first_part_has_none_beneath():
    (figure,) = [
        part for part in _page.blocks(items(60, 40, 600)) if part.kind == "figure"
    ]
    assert figure.text.startswith("The differences from base")


def drawn(found):
    """What each frame of a figure shows, read back by the numbers along its axis: dots,
    bars, dashed lines.

    A dot is its value, a bar the values of its two ends. Nothing lies outside the
    image.
    """
    (figure,) = [part for part in _page.blocks(found) if part.kind == "figure"]
    image = ElementTree.fromstring(figure.body)
    width, height = (float(end) for end in image.get("viewBox").split()[2:])
    frames, frame = [], []
    for mark in image:
        frame.append(mark)
        places = {
            name: float(mark.get(name))
            for name in ("x", "x1", "x2", "cx")
            if mark.get(name)
        }
        heights = [
            float(mark.get(name)) for name in ("y", "y1", "y2", "cy") if mark.get(name)
        ]
        assert 0 < min(places.values()) <= max(places.values()) < width
        assert 0 < min(heights) <= max(heights) < height
        if mark.get("text-anchor") == "start":  # what is measured, beneath the axis
            frames.append(frame)
            frame = []
    return [read_back(marks) for marks in frames]


def read_back(marks):
    axis = [
        (float(m.get("x")), float(m.text))
        for m in marks
        if m.get("text-anchor") == "middle"
    ]
    slope, start = np.polyfit(*zip(*axis, strict=True), 1)
    near = pytest.approx([value for _, value in axis], abs=0.1 * slope)
    assert [slope * x + start for x, _ in axis] == near

    def values(kind, *names, **more):
        these = [
            m
            for m in marks
            if m.tag.endswith(kind) and more.items() <= m.attrib.items()
        ]
        return [
            pytest.approx(
                [slope * float(m.get(n)) + start for n in names], abs=0.1 * slope
            )
            for m in these
        ]

    dashed = [
        values("line", "x1", **{"stroke-dasharray": dash}) for dash in ("3 3", "1 3")
    ]
    return (
        values("circle", "cx"),
        values("line", "x1", "x2", **{"stroke-width": "2.5"}),
        *dashed,
    )


def test_a_figure_shows_the_numbers():
    rng = np.random.default_rng(0)
    scores = {
        name: rng.normal(mean, 0.01, 6)
        for name, mean in (("base", 0.8), ("ours", 0.83))
    }
    rows = [
        (name, seed, score)
        for name, own in scores.items()
        for seed, score in enumerate(own)
    ]
    found = of_runs(rows, margin=0.02)
    (runs, means, no_zero, _), (middles, intervals, zero, margins) = drawn(found)
    (one,) = found.findings.contrasts
    assert [[score] for own in scores.values() for score in own] == runs
    assert [[own.mean()] * 2 for own in scores.values()] == means
    assert [[one.difference]] == middles
    assert [[one.low, one.high]] == intervals
    assert (no_zero, [[0]], [[-0.02], [0.02]]) == ([], zero, margins)


def test_a_figure_of_data_sets_has_a_zero_that_none_of_them_reaches():
    scores = (
        np.random.default_rng(0).uniform(0.4, 0.6, (9, 1))
        + [0, 0.1]
        + np.arange(9)[:, None] * [0, 0.01]
    )
    (dots, _, zero, _), *_ = drawn(on_data_sets(scores))
    assert [[ours - base] for base, ours in scores] == dots
    assert zero == [[0]]


def test_equal_scores_are_drawn_side_by_side():
    scores = {"base": [0.5] * 11 + [0.6], "ours": [0.5, 0.6] * 5 + [0.8] * 2}
    found = of_runs(
        [
            (name, seed, score)
            for name, own in scores.items()
            for seed, score in enumerate(own)
        ]
    )
    (figure,) = [part for part in _page.blocks(found) if part.kind == "figure"]
    dots = Counter(
        re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3.5"', figure.body)
    )
    assert set(dots.values()) == {1}


def test_in_a_notebook_the_headings_stand_beneath_those_of_the_page():
    found = items(60, 40, 600)
    tags = [
        re.findall(r"<h(\d)>", text)
        for text in (found.write("html"), found._repr_html_())
    ]
    assert [{*levels} for levels in tags] == [{"1", "2"}, {"3", "4"}]
    assert [levels.count(top) for levels, top in zip(tags, "13", strict=True)] == [1, 1]


def test_code_is_fenced_by_more_ticks_than_it_has():
    code = [
        _document.block("code", body=body)
        for body in ("x = 1", "x = '```'", "x = '`````'")
    ]
    fences = [
        line for line in _document.to_markdown(code).split("\n") if line.startswith("`")
    ]
    assert fences == ["```"] * 2 + ["````"] * 2 + ["``````"] * 2


@pytest.mark.parametrize(
    ("value", "width", "said"),
    [
        (0.1234, 0.3, "0.12"),
        (0.004, 0.3, "0.004"),
        (-0.0004, 0.3, "\u22120.0004"),
        (0.00004, 0.3, "0.00"),
        (12.34, 90, "12"),
        (0.5, np.nan, "0.5"),
        (np.inf, 1, "?"),
    ],
)
def test_a_number_has_the_digits_that_its_interval_leaves(value, width, said):
    assert _prose.number(value, width) == said


def test_long_names_in_a_figure_are_told_apart():
    names = (
        "nnUNetTrainer__nnUNetPlans__3d_fullres",
        "nnUNetTrainer__nnUNetResEncUNetLPlans__3d_fullres",
    )
    assert _figure._apart(names) == [
        "\u2026Plans__3d_fullres",
        "\u2026ResEncUNe\u2026d_fullres",
    ]
    assert _figure._apart(["base", "base_large"]) == ["base", "base_large"]
    assert _figure._apart([names[0], names[0][:-1]]) == [
        "\u2026fullres",
        "\u2026fullre",
    ]
