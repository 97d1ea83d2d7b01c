"""Metrics by their documented names, and which way each is better; a part of a name
says nothing.
"""

import re

ONE_METRIC = "One metric is compared, and chosen before its results are seen."
_TOKEN = re.compile(r"[^\W\d_]+[12]?(?![^\W_])|[^\W\d_]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
# Which trackers put before a metric; DVC the name of a file.
_PREFIXES = re.compile(
    r"^(?:metrics?\.\w+:|(?:metrics?|user_attrs|summary|eval)[._/ ])"
)
PARTS = {
    "train": frozenset({"train", "training"}),
    "validation": frozenset({"val", "valid", "validation", "dev"}),
    "test": frozenset({"test", "testing", "heldout", "predict"}),
}
# 1-accuracy, -loss, 1/ppl, accuracy ↓: what is left beside the name may turn it.
_TURNED = re.compile(
    r"(?<![a-z\d])\d+ ?[-\u2212\u2013/]"
    r" ?[a-z(]|^\W*[-\u2212\u2013]|[\u2191\u2193\u03b4]|\^"
)
# Of a run: it is the metric all the same.
_BEST = frozenset({"best", "max", "peak", "final", "last"})

_HIGHER = """
    accuracy acc balancedaccuracy top1accuracy top5accuracy f1 f1score macrof1 f1macro microf1
    f1micro weightedf1 f1weighted precision recall sensitivity specificity auc auroc rocauc aucroc
    auprc prauc averageprecision ap map mrr ndcg hits exactmatch quasiexactmatch em f1em bleu
    sacrebleu chrf chrf2 meteor rouge rouge1 rouge2 rougel rougelsum bertscore comet r2 r2score
    correlation pearson pearsonr spearman spearmanr kendall mcc matthewscorrelation kappa cohenkappa
    iou miou jaccard dice reward meanreward return episodereward success successrate winrate
    passrate psnr ssim accnorm includes match likelihood loglikelihood elbo silhouette
    fscore uas las meanaccuracy epochaccuracy
"""
_LOWER = """
    loss nll negativeloglikelihood error err errorrate misclassification mse rmse mae mape
    meansquarederror rootmeansquarederror meanabsoluteerror perplexity ppl wordperplexity wer
    worderrorrate cer charactererrorrate ter per der eer fid kid lpips brier brierscore ece
    calibrationerror crossentropy crossentropyloss logloss regret bpc bpb bitsperbyte bitsperchar
    bitspercharacter deviance hinge meanloss epochloss
"""
HIGHER, LOWER = (frozenset(words.split()) for words in (_HIGHER, _LOWER))


def tokens(name):
    """Return the words of which a name is made, in lower case and in their order; of
    other alphabets none.
    """
    return list(filter(str.isascii, _TOKEN.findall(_CAMEL.sub(" ", str(name)).lower())))


def split_name(name):
    """Return the metric that a name says, without the part of the data, and that part.

    Parameters
    ----------
    name : str
        Such as "test_acc", "val/accuracy" or "Test F1".

    Returns
    -------
    metric : str
        Its letters alone.
    part : str or None
        "train", "validation" or "test".
    """
    words = tokens(_PREFIXES.sub("", _CAMEL.sub(" ", str(name)).lower()))
    part = next(
        (part for part, known in PARTS.items() if known & {*words[:1], *words[-1:]}),
        None,
    )
    known = frozenset().union(*PARTS.values())
    kept = [word for word in words if word not in known | _BEST and not word.isdigit()]
    return "".join(kept), part


def direction(name):
    """Say which way a metric is better, if its name is a documented one.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        "higher" or "lower".
    """
    if _TURNED.search(str(name).lower()):
        return None
    metric, _ = split_name(name)
    # The filters of lm-evaluation-harness.
    for ending in (
        "none",
        "strictmatch",
        "flexibleextract",
    ):
        metric = metric.removesuffix(ending) or metric
    if metric.startswith("neg") and (
        metric in LOWER or metric.removeprefix("neg") in LOWER
    ):
        return "lower" if metric in LOWER else "higher"
    if metric in HIGHER:
        return "higher"
    return "lower" if metric in LOWER else None


def are_one(first, second):
    """Tell whether two names are of one metric on other parts of the data: by it, or
    their last word.
    """
    metrics = {split_name(name)[0] for name in (first, second)}
    words = [
        [w for w in _TOKEN.findall(str(name).lower()) if w.isalpha()]
        for name in (first, second)
    ]
    return (len(metrics) == 1 and metrics != {""}) or words[0][-1:] == words[1][
        -1:
    ] != []


def hinted(name):
    """Say which way a metric may be better, by any word of its name: enough to ask, and
    for nothing else.
    """
    # Of CoNLL no nll.
    found = {direction(word) for word in _TOKEN.findall(str(name).lower())} - {None}
    return found.pop() if len(found) == 1 else None


def is_measured(name):
    """Tell whether a name is no setting: a metric, or what begins with a part of the
    data (`test_...`).
    """
    plain = _CAMEL.sub(" ", str(name)).lower()
    # Not a later word, behind one in other letters.
    first = _TOKEN.findall(_PREFIXES.sub("", plain))[:1]
    parts = PARTS["test"] | PARTS["validation"]
    return (
        direction(name) is not None
        or bool(parts & {*first})
        or plain.startswith("metrics/")
    )
