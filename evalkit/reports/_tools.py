"""Two doors for tools: what they wrote, as one long table. Called by name, exact."""

import json
import re
from pathlib import Path

import pandas as pd

from evalkit.reports._files import check_place
from evalkit.reports._refused import placed, shown

_FOLD = re.compile(r"split(\d+)_test_(\w+)")
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")


def from_cv_results(searches):
    """Return what scikit-learn's searches found on each fold, as one long table.

    Parameters
    ----------
    searches : dict of str to fitted search, or to its `cv_results_`
        By name of the system. All searches need the same folds.

    Returns
    -------
    DataFrame
        A row for each setting and fold: `system`, `trial` (the number of the setting),
        `fold`, a column for each scorer (`score`, or its name) and `param_...` for what
        was set. A report compares the folds of one trial of each system, chosen on
        other data: the best of these folds is too good on them.

    Raises
    ------
    ValueError
        If the results have no score of a fold, or halving left folds of other sizes.
    """
    parts = []
    for system, search in searches.items():
        wide = pd.DataFrame(getattr(search, "cv_results_", search))
        if "n_resources" in wide and len({*wide["n_resources"]}) > 1:
            raise ValueError(
                f"{shown(system)}: a search by halving scores settings on parts of the"
                " folds; cross-validate the settings that it chose"
            )
        scores = [name for name in wide if _FOLD.fullmatch(str(name))]
        if not scores:
            raise ValueError(
                f"{shown(system)} has no split0_test_score: no cv_results_"
            )
        settings = [name for name in wide if str(name).startswith("param_")]
        wide = wide.assign(system=system, trial=range(len(wide)))
        long = wide.melt(["system", "trial", *settings], scores, value_name="value")
        found = long["variable"].str.extract(_FOLD)
        long = long.assign(fold=found[0].astype(int), metric=found[1])
        keys = ["system", "trial", "fold"]
        by = long.pivot_table("value", keys, "metric", dropna=False).reset_index()
        parts.append(by.merge(wide[["system", "trial", *settings]]))
    return pd.concat(parts, ignore_index=True)


def from_lm_eval(folder):
    """Return the samples that lm-evaluation-harness logged, as one long table.

    Parameters
    ----------
    folder : path-like
        With a folder for each model, and in it `samples_TASK_DATE.jsonl`; the name of
        that folder is the system.

    Returns
    -------
    DataFrame
        A row for each sample: `system`, `task`, `item` (task and doc_id), `filter`, and
        a column for each metric. One filter has to be chosen where there are several.

    Raises
    ------
    ValueError
        If there are no samples, or a task comes twice: of two runs one is meant.
    """
    rows, seen = [], {}
    for path in sorted(Path(folder).glob("*/samples_*.jsonl")):
        check_place(path, folder)
        system, task = path.parent.name, _SAMPLES.fullmatch(path.name)["task"]
        if (other := seen.setdefault((system, task), path)) != path:
            raise ValueError(
                f"{placed(other)} and {placed(path)} are two runs of one task; take"
                " the one away that is not meant"
            )
        for line in path.read_text(encoding="utf-8").splitlines():
            sample = json.loads(line)
            about = {"system": system, "task": task}
            about["item"] = f"{task}/{sample['doc_id']}"
            about["filter"] = sample.get("filter", "none")
            rows.append(about | {name: sample[name] for name in sample["metrics"]})
    if not rows:
        raise ValueError(f"{placed(folder)} has no MODEL/samples_TASK_DATE.jsonl in it")
    return pd.DataFrame(rows)
