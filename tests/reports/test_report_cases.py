"""Small inputs that a guess once read wrongly: what is asked of each, and the right
page once it is answered.

The files are made up, but for names of columns that tools write.
"""

import re
import shlex
from pathlib import Path

import pytest

import evalkit as ek
from evalkit import cli, reports
from evalkit.reports import RefusedError, _command
from evalkit.reports._options import Options

CASES = Path(__file__).parent / "cases"


def ask(files, **options):
    return ek.report([CASES / name for name in files.split()], **options)


RAY = {"baseline": "base", "where": {"training_iteration": "last"}, "search": "random"}
HELM = {
    "metric": "mean",
    "where": {"metric_name": "exact_match"},
    "direction": "higher",
}
WANDB = {
    "direction": "higher",
    "where": {"Step": "last"},
    "names": "{system}-{seed}",
    "accept": "test-chose",
}
HALVING = {"n_train": 1437, "n_test": 360, "accept": "chosen"}
GOLD = CASES / "superglue/gold_renamed.jsonl"
WER = {"baseline": "base", "metric": "wer", "unit": "speaker"}


ASKED = [
    (
        "side_by_side/results.csv",
        {
            "baseline": "ERM",
            "direction": "higher",
            "columns": {"system": ["ERM", "GroupDRO", "Mixup"]},
        },
        "datasets",
        0.0571,
        0.002,
        "10",
    ),
    (
        "lmeval_results/base.json lmeval_results/ours.json",
        {"baseline": "base"},
        "datasets",
        0.0460,
        0.0156,
        "7",
    ),
    (
        "helm/helm_long.csv",
        {
            "baseline": "meta/llama-y",
            **HELM,
            "columns": {"dataset": "scenario"},
            "as_proposed": True,
        },
        "datasets",
        None,
        None,
        "7",
    ),
    ("ray/ray_progress.csv", RAY, "search", None, None, "from 40 and 40 trials"),
    (
        "de_thousands/de_trailing_empty.csv",
        {"baseline": "base"},
        "seeds",
        0.03,
        None,
        "4",
    ),
    (
        "de_thousands/en_trailing_empty.csv",
        {"baseline": "base"},
        "seeds",
        None,
        None,
        "3",
    ),
    (
        "wer/wer_flip.csv",
        {**WER, "columns": {"numerator": "errors", "denominator": "ref_words"}},
        "items",
        0.0067,
        0.374,
        "20 groups",
    ),
    (
        "wer/wer_flip.csv",
        {**WER, "columns": {"note": "ref_words"}},
        "items",
        -0.058,
        0.0009,
        "20 groups",
    ),
    (
        "raters/raters.csv",
        {"baseline": "prompt_a", "metric": "rating", "direction": "higher"},
        "items",
        0.185,
        0.66,
        "3 raters",
    ),
    (
        "splits/runs.csv",
        {
            "baseline": "base",
            "metric": "test",
            "direction": "higher",
            "n_train": 900,
            "n_test": 100,
        },
        "folds",
        None,
        None,
        "12 splits",
    ),
    (
        "halving_search/tree.csv halving_search/knn.csv",
        {"baseline": "tree", **HALVING},
        "folds",
        None,
        None,
        "5 splits",
    ),
    (
        "wandb_chart/chart.csv",
        {"baseline": "base", **WANDB},
        "seeds",
        None,
        None,
        "5 runs",
    ),
    (
        "superglue/m1.jsonl superglue/m2.jsonl superglue/gold_renamed.jsonl",
        {"baseline": "m1", "columns": {"prediction": "label"}, "gold": GOLD},
        "items",
        0.0125,
        1.0,
        "80",
    ),
]


@pytest.mark.parametrize(
    ("files", "options", "kind", "difference", "pvalue", "sizes"), ASKED
)
def test_a_case_comes_out_right(files, options, kind, difference, pvalue, sizes):
    found = ask(files, **options)
    one = found.findings.contrasts[0]
    assert found.evidence.kind == kind
    assert difference is None or one.difference == pytest.approx(difference, rel=0.03)
    assert pvalue is None or one.pvalue == pytest.approx(pvalue, rel=0.03)
    assert sizes in one.sizes + one.test


@pytest.mark.parametrize(
    ("files", "options", "reason"),
    [
        (
            "ids/old_1based.csv ids/new_0based.csv ids/gold_0based.csv",
            {"baseline": "old_1based", "unmatched": "drop"},
            "One file counts from 0 and the other from 1",
        ),
        (
            "de_thousands/de_thousands.csv",
            {"baseline": "alt", "metric": "perplexity"},
            "column perplexity: 1.003 is 1003 or 1.003",
        ),
        (
            "de_thousands/de_title_row.csv",
            {"baseline": "base"},
            "line 2 looks like the header",
        ),
        (
            "wer/wer_flip.csv",
            WER,
            "wer is a rate of each item, and ref_words beside it says how long it is",
        ),
        (
            "superglue/m1.jsonl",
            {"baseline": "m1"},
            "nothing in the file, nor its name, names a system",
        ),
        (
            "superglue/m1.jsonl superglue/m2.jsonl superglue/gold.jsonl",
            {"baseline": "m1"},
            "no column is called prediction",
        ),
        (
            "superglue/m1.jsonl superglue/m2.jsonl superglue/gold.jsonl",
            {"baseline": "m1", "columns": {"prediction": "label"}},
            "--gold FILE: the file of the right answers",
        ),
        (
            "helm/helm_long.csv",
            {"baseline": "meta/llama-y", **HELM},
            "--map dataset=scenario, if each is a data set",
        ),
        (
            "raters/raters.csv",
            {"baseline": "prompt_a"},
            "--map system=prompt confirms it",
        ),
        (
            "side_by_side/results.csv",
            {"baseline": "ERM"},
            "among dataset, GroupDRO, Mixup",
        ),
    ],
)
def test_a_case_is_asked_about_with_the_true_reason(files, options, reason):
    with pytest.raises(RefusedError, match=reason):
        ask(files, **options)


# To be filled in by whoever reads it.
BLANKS = {
    "N",
    "NAME",
    "COLUMN",
    "VALUE",
    "FILE",
    "SCORE",
    "SYSTEM",
}


def options_of(refused):
    """The options that a refusal prints, each as the command takes it, up to the words
    behind it.
    """
    for fault in refused.faults:
        for way in fault.ways:
            words = shlex.split(
                re.split(r" confirms| keeps| names| leaves|: |, if|;", way)[0].rstrip(
                    "."
                )
            )
            is_whole = words and words[0].startswith("--") and len(words) % 2 == 0
            if is_whole and not BLANKS & {*re.split(r"[=,: ]", " ".join(words))}:
                yield words


def refusal(places, options):
    """What a report is refused for, or None where a page comes out."""
    try:
        reports.from_places([(None, str(place)) for place in places], options)
    except RefusedError as error:
        return error
    return None


STARTS = [
    ("helm/helm_long.csv", "meta/llama-y"),
    ("ray/ray_progress.csv", "base"),
    ("wer/wer_flip.csv", "base"),
    ("de_thousands/de_thousands.csv", "alt"),
    ("raters/raters.csv", "prompt_a"),
    ("splits/runs.csv", "base"),
    ("halving_search/tree.csv halving_search/knn.csv", "tree"),
    ("wandb_chart/chart.csv", "base"),
    ("superglue/m1.jsonl superglue/m2.jsonl superglue/gold.jsonl", "m1"),
]


@pytest.mark.parametrize(
    ("files", "baseline"), STARTS, ids=[files.split("/")[0] for files, _ in STARTS]
)
def test_advice_leads_on(files, baseline):
    """Each option that is printed is taken; what it answers is not asked again, and
    none ends in an error.
    """
    places = [CASES / name for name in files.split()]
    open_ways, seen = [[]], 0
    while open_ways and seen < 40:
        taken = open_ways.pop()
        arguments = ["report", *map(str, places), "--baseline", baseline, *taken]
        parsed = cli._command_line().parse_args(arguments)
        said = _command._said(parsed, Options())
        refused = refusal(places, said)
        for words in options_of(refused) if refused else ():
            pairs = [" ".join(taken[k : k + 2]) for k in range(0, len(taken), 2)]
            assert " ".join(words) not in pairs, (taken, str(refused))
            if len(taken) < 8:
                open_ways.append([*taken, *words])
        seen += 1
    assert seen > 1
