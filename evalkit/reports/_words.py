"""What names of columns say: which way a metric is better, and what a column is for."""

import re


def _set(words):
    return frozenset(words.split())


# F1 and R2 are words; elsewhere letters and digits come apart.
_PARTS = re.compile(r"(?:(?<![A-Za-z])[fr]|[FR])[12](?!\d)|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

_PREFIX = re.compile(r"^(?:user_attrs_|doc\.)")  # which a format puts before every name of a kind

HIGHER = _set(
    "acc accuracy f1 auc auroc auprc rocauc ap map bleu sacrebleu rouge meteor chrf r2 correlation pearson "
    "spearman kendall em exact match precision recall sensitivity specificity mcc iou miou dice reward "
    "return win winrate success pass ndcg mrr hits psnr ssim correct kappa score includes"
)
LOWER = _set(
    "loss nll error err errors mse rmse mae mape ppl perplexity wer cer ter fid brier ece regret bits bpc "
    "bpb deviance logloss crossentropy entropy misclassification"
)
# Columns beside systems that say something of the data set, and are no systems.
ABOUT = _set("n num count size classes features instances samples rank")
SPREADS = _set("std sd se sem stderr stdev stddev var variance ci")
_PLUS_MINUS = re.compile(r"\u00b1|\+/-|\+-|\\pm")
_OF_A_SPREAD = _set("dev err error low high lower upper lo hi bound mean")
TRAIN, TEST = frozenset({"train", "training"}), frozenset({"test", "heldout"})
VALIDATION = frozenset({"val", "valid", "validation", "dev"})
# By role, the words by which a column may be known; the first role that fits is taken.
ROLES = {
    "status": "state status crashed failed",
    "seed": "seed seeds rng",
    "fold": "fold folds",
    "label": "label gold target truth true answer reference key",
    "prediction": "prediction pred predicted output says response",
    "correct": "correct right is_correct",
    "item": "item example question doc sample instance sentence guid qid uid id idx index",
    "repeat": "repeat rep attempt epoch completion generation",
    "step": "step epoch iteration iter global",
    "dataset": "dataset data task corpus benchmark",
    "group": "group document subject speaker author family module patient user passage topic cluster "
    "conversation session story source article",
    "cost": "runtime duration seconds elapsed hours cost time",
    "filter": "filter",
    "part": "split part subset partition",
    "text": "text input prompt sentence question",
}
ROLES = {role: _set(words) for role, words in ROLES.items()}
# Groups only where items are: elsewhere context_length is a setting.
DOCUMENTS = _set(
    "doc docs docid docno documents documentid paragraph paragraphs passages passageid articles articleid "
    "context contexts dialogue dialog"
)
ROLES["group"] |= DOCUMENTS
SYSTEM = _set("system model method algorithm algo variant classifier estimator approach name study")
# Columns that say when, where and by whom, not how: they are no settings.
NOTES = _set(
    "date datetime timestamp created updated started ended start end host hostname user username commit git "
    "sha url path dir artifact uri gpu cuda device machine node sweep run name uuid experiment project job "
    "tag tags note notes comment unnamed number version id index row group stage notebook entity trial trials"
)


# What is computed from the rows beside it, by the function of pandas that gives it.
SUMMARIES = {
    **dict.fromkeys(_set("mean average avg avg. overall total macro all ave ave."), ("mean",)),
    **dict.fromkeys(_set("std sd stdev std. stddev se sem stderr error"), ("std", "sem")),
    **{name: (name,) for name in ("median", "min", "max")},
}


def is_summary(name):
    """Tell whether a name is that of a mean, a spread or the like.

    Parameters
    ----------
    name : object

    Returns
    -------
    bool
    """
    return str(name).strip().lower() in SUMMARIES


def of_spread(name):
    """Return the words of what a column is the spread of, if its name is that of a spread.

    Parameters
    ----------
    name : str

    Returns
    -------
    frozenset of str, or None
        Empty where the name says nothing but that it is a spread; None where it is none.
    """
    words = parts(name)
    if not words & SPREADS and not _PLUS_MINUS.search(str(name)):
        return None
    return frozenset(w for w in words - SPREADS - _OF_A_SPREAD if not w.isdigit())


def parts(name):
    """Return the words of which a column's name is made, in lower case.

    Parameters
    ----------
    name : str

    Returns
    -------
    frozenset of str
    """
    return frozenset(word.lower() for word in _PARTS.findall(_PREFIX.sub("", str(name))))


def direction(name):
    """Say which way a metric is better, as far as its name tells.

    Parameters
    ----------
    name : str

    Returns
    -------
    str or None
        "higher", "lower", or None where the name says neither, or both.
    """
    words = parts(name)
    if words & LOWER:
        if "neg" in words:
            return "higher"
        return None if words & (HIGHER - {"score"}) else "lower"
    return "higher" if words & HIGHER else None


def is_metric(name):
    """Tell whether a column's name is that of a metric, or of a part of the data on which one is computed.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool
    """
    words = parts(name)
    return bool(words & (HIGHER | LOWER | {"metric", "metrics", "value", "objective"}))
