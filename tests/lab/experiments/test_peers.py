"""Other packages beside evalkit: a registry that fits itself, samples of known truth,
and the record.
"""

import dataclasses
import functools
import re
from pathlib import Path

import numpy as np
import pytest

from evalkit import _extras
from lab import _extras as lab_extras
from lab.experiments import peers
from lab.experiments.peers import _registry, _samples
from lab.record import tables

ROOT = Path(__file__).resolve().parents[3]
BENCH = (ROOT / lab_extras.PEERS).read_text(encoding="utf-8")
WAYS = [
    (comparison, method)
    for comparison, asked in peers.COMPARISONS.items()
    for method, how in asked.methods.items()
    if not how.needs
]


@pytest.fixture
def few(monkeypatch):
    """Let each method see a few samples."""
    for asked in peers.COMPARISONS.values():
        methods = {
            name: dataclasses.replace(how, samples=4)
            for name, how in asked.methods.items()
        }
        monkeypatch.setitem(asked.__dict__, "methods", methods)
    monkeypatch.setattr(_samples, "DRAWN", 4)
    _samples._split_scores.cache_clear()
    yield
    _samples._split_scores.cache_clear()


# --------------------------------------------------------------------------------------
# The registry
# --------------------------------------------------------------------------------------


def test_the_plan_names_evalkit_last():
    plan = peers.EXPERIMENT.plan("recorded", [])
    ours = [unit["method"] == "evalkit" for unit in plan]
    assert ours == sorted(ours)


@pytest.mark.parametrize("comparison", peers.COMPARISONS)
def test_each_comparison_has_what_people_do_scipy_or_its_like_and_evalkit(comparison):
    asked = peers.COMPARISONS[comparison]
    assert next(iter(asked.methods)) == "usual"
    assert {"evalkit"} < set(asked.methods)
    assert any(
        not name.startswith("usual") and name != "evalkit" for name in asked.methods
    )
    assert set(asked.real) < set(asked.designs)
    for name, how in asked.methods.items():
        assert set(how.designs) <= set(asked.designs), name
        # A method that needs a package is called after it.
        assert not how.needs or how.needs == (name.partition(",")[0],)
        assert how.samples <= _samples.DRAWN or comparison != "splits"
    calls = [how.call for how in asked.methods.values()]
    assert len(set(calls)) == len(calls)


def test_every_peer_is_pinned_with_a_reason_and_known_to_the_experiment_alone():
    needed = {
        unit_name
        for unit in peers.EXPERIMENT.plan("full", [])
        for unit_name in peers._needs(unit)
    }
    for name in needed:
        assert re.search(rf"(?m)^(# )?{name}==[\d.]+[^#\n]*(#| asks for) \w", BENCH), (
            name
        )


# --------------------------------------------------------------------------------------
# Samples
# --------------------------------------------------------------------------------------


def gap(sample):
    """Return the difference that a sample shows; of one system, its score."""
    if "words" in sample:
        return (sample["errors_a"].sum() - sample["errors_b"].sum()) / sample[
            "words"
        ].sum()
    if "table" in sample:
        return sample["table"][:, 0].mean() - sample["table"][:, 1].mean()
    if "test_a" in sample:
        return sample["test_a"].mean() - sample["test_b"].mean()
    if "b" not in sample:
        return sample["a"].mean()
    if isinstance(sample["a"], tuple):
        return (sample["a"][0] - sample["b"][0]) / 100
    return sample["a"].mean() - sample["b"].mean()


@pytest.mark.parametrize(
    ("comparison", "design"),
    [
        (name, design)
        for name, asked in peers.COMPARISONS.items()
        for design in asked.designs
        if name != "splits"
    ],
)
def test_the_truth_is_what_the_samples_show_on_average(comparison, design):
    asked, rng = peers.COMPARISONS[comparison], np.random.default_rng(0)
    off = []
    for number in range(400):
        sample = asked.draw(number, rng, *asked.designs[design])
        off.append(gap(sample) - sample["truth"])
    # A ratio of sums over modules is off by a little more than chance.
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(len(off)) + 0.002 * (
        "groups" in comparison
    )


@pytest.mark.parametrize("splits", _samples.SPLITTERS)
def test_the_scores_on_splits_differ_by_nothing_over_all_data_sets(few, splits):
    asked = peers.COMPARISONS["splits"]
    samples = [asked.draw(number, None, splits) for number in range(_samples.DRAWN)]
    assert np.mean([gap(sample) for sample in samples]) == pytest.approx(0, abs=1e-12)
    assert {sample["n_train"] + sample["n_test"] for sample in samples} == {
        _samples.DIGITS
    }
    assert {len(sample["a"]) for sample in samples} == {int(splits.split()[0])}


def test_every_method_sees_the_same_samples(few, monkeypatch):
    seen = {"usual": [], "SciPy": []}

    def look(name, sample, rng):
        seen[name].append(sample["a"].sum())
        return 1.0, None

    methods = {
        name: _registry.Method("", functools.partial(look, name), samples=10)
        for name in seen
    }
    monkeypatch.setitem(peers.COMPARISONS["items"].__dict__, "methods", methods)
    for name in seen:
        peers.EXPERIMENT.run(
            {
                "table": "rates",
                "comparison": "items",
                "design": "100 items",
                "method": name,
            }
        )
    assert seen["usual"] == seen["SciPy"]


def test_a_comparison_keeps_its_samples_wherever_it_stands_in_the_list(
    few, monkeypatch
):
    assert set(peers.PLACES) == set(peers.COMPARISONS)
    unit = {"table": "rates", "comparison": "near_one", "method": "usual"}
    unit["design"] = next(iter(peers.COMPARISONS["near_one"].designs))
    seen = []
    for asked in (peers.COMPARISONS, dict(reversed(peers.COMPARISONS.items()))):
        monkeypatch.setattr(peers, "COMPARISONS", asked)
        draw = asked["near_one"].draw
        look = dataclasses.replace(
            asked["near_one"],
            draw=lambda *given, draw=draw: seen.append(draw(*given)) or seen[-1],
        )
        monkeypatch.setitem(asked, "near_one", look)
        peers.EXPERIMENT.run(unit)
    half = len(seen) // 2
    assert half == 4
    assert [sample["a"].tolist() for sample in seen[:half]] == [
        sample["a"].tolist() for sample in seen[half:]
    ]


# --------------------------------------------------------------------------------------
# Counting
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("comparison", "method"), WAYS)
def test_a_small_unit_runs_without_the_peers(few, monkeypatch, comparison, method):
    monkeypatch.setattr(_extras, "_is_installed", lambda name: False)
    design = list(peers.COMPARISONS[comparison].designs)[-1]
    unit = {
        "table": "rates",
        "comparison": comparison,
        "design": design,
        "method": method,
    }
    found = peers.EXPERIMENT.run(unit)
    assert found["samples"] == 4
    answered = 4 - found["refused"] - found["failed"]
    assert 0 <= found["rejected"] <= answered
    if found["held"] is not None:
        assert 0 <= found["held"] <= answered
        assert found["mean_width"] > 0
    again = peers.EXPERIMENT.run(unit)
    assert {**again, "seconds": 0} == {**found, "seconds": 0}


@pytest.mark.parametrize(
    ("decide", "counts"),
    [
        (lambda s, rng: (0.05, None), (4, None, 0, 0)),
        (lambda s, rng: (0.051, (-1.0, 1.0)), (0, 4, 0, 0)),
        (lambda s, rng: (True, (1.0, 2.0)), (4, 0, 0, 0)),
        (lambda s, rng: (float("nan"), (-1.0, 1.0)), (0, None, 0, 4)),
        (lambda s, rng: (0.5, (float("-inf"), 1.0)), (0, None, 0, 4)),
        (lambda s, rng: int("no number"), (0, None, 4, 0)),
        (lambda s, rng: 1 / 0, (0, None, 0, 4)),
        (lambda s, rng: np.linalg.inv(np.zeros((2, 2))), (0, None, 0, 4)),
    ],
)
def test_what_is_counted_as_what(monkeypatch, decide, counts):
    methods = {"usual": _registry.Method("a call", decide, samples=4)}
    monkeypatch.setitem(peers.COMPARISONS["seeds"].__dict__, "methods", methods)
    found = peers._rates_of("seeds", "5 runs", "usual")
    assert (
        tuple(found[name] for name in ("rejected", "held", "refused", "failed"))
        == counts
    )


def test_a_peer_that_is_not_installed_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(_extras, "_is_installed", lambda name: False)
    unit = {
        "table": "rates",
        "comparison": "datasets",
        "design": "9 data sets",
        "method": "autorank",
    }
    with pytest.raises(ImportError) as caught:
        peers.EXPERIMENT.run(unit)
    assert (
        str(caught.value)
        == "this unit of peers needs autorank, which requirements-bench.txt in a"
        " checkout of the book pins: python -m pip install -r requirements-bench.txt"
    )


@pytest.mark.parametrize(
    ("comparison", "method"),
    [
        (comparison, method)
        for comparison, asked in peers.COMPARISONS.items()
        for method, how in asked.methods.items()
        if how.needs
    ],
)
def test_a_peer_runs_where_it_is_installed(few, comparison, method):
    how = peers.COMPARISONS[comparison].methods[method]
    if _extras.lacking(how.needs):
        pytest.skip(f"{how.needs[0]} is not installed")
    design = next(iter(how.designs or peers.COMPARISONS[comparison].designs))
    found = peers._rates_of(comparison, design, method)
    assert found["failed"] == 0


# --------------------------------------------------------------------------------------
# The record
# --------------------------------------------------------------------------------------


def test_the_record_is_whole():
    table = tables.load_recorded("peers", "rates")
    for row in table.itertuples():
        how = peers.COMPARISONS[row.comparison].methods[row.method]
        assert (row.samples, row.call) == (how.samples, how.call)
        assert row.rejected + row.refused + row.failed <= row.samples
    versions = {
        name: made_in["packages"]
        for made_in in tables.load_provenance("peers")["environments"].values()
        for name in made_in["packages"]
    }
    for name in {
        name
        for unit in peers.EXPERIMENT.plan("recorded", [])
        for name in peers._needs(unit)
    }:
        assert f"{name}=={versions[name][name]}" in BENCH


def test_the_readme_says_what_is_recorded():
    table = tables.load_recorded("peers", "rates").set_index(
        ["comparison", "design", "method"]
    )
    answered = table.samples - table.refused - table.failed
    alarms, held = (100 * table[column] / answered for column in ("rejected", "held"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## When to use something else\n")[2].partition("\n## ")[
        0
    ]
    runs, items, groups = re.findall(r"(?m)^- (.*)$", section)
    assert re.findall(r"[\d.]+(?= %)", runs) == [
        f"{held['seeds', '5 runs', 'SciPy']:.1f}"
    ]
    assert held["seeds", "5 runs", "SciPy"] == held["seeds", "5 runs", "evalkit"]
    assert re.findall(r"[\d.]+(?= %)", items) == [
        f"{alarms['items', '500 items', who]:.1f}" for who in ("statsmodels", "evalkit")
    ]
    assert re.findall(r"[\d.]+(?= %)", groups) == [
        f"{alarms['few_groups', '8 groups', who]:.1f}"
        for who in ("statsmodels", "evalsig", "evalkit")
    ]
    assert len(readme.splitlines()) <= 120
