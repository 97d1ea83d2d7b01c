"""Boards of language models and of the programs around them: aider, SWE-bench (Pro) and
tau-bench.
"""

import json
import re

import numpy as np
import pandas as pd

from evalkit._checks import check_choice
from lab import _extras
from lab.data.boards._files import no_doubles, recorded, unique_json, upstream


def aider():
    """Return the runs on aider's polyglot board: 225 exercises in six languages, two
    attempts at each.

    Returns
    -------
    pandas.DataFrame
        One row for each of 69 runs, in the order in which they began: `system`, the
        name that the board prints; `asked`, the name by which the model was called;
        `edit_format`; `date`; `cases`, how many exercises have a result; `right_1` and
        `right_2`, how many were solved at the first attempt and by the second;
        `printed_1` and `printed_2`, what the board prints for them, as text for
        `evalkit.possible_counts`; `malformed`, in how many cases an answer broke the
        edit format; `seconds` a case; and `cost` in US dollars, NaN where the board has
        0 or nothing.

    Notes
    -----
    Six runs lack one or two exercises. The board prints `right_1` as a share of `cases`
    for all six, but `right_2` as a share of 225 for five of them (a case without a
    result is then a failure), and of `cases` for "DeepSeek R1 (0528)". One of the five,
    139 of 225, is cut off to 61.7 %, not rounded. A name in `asked` such as
    "deepseek/deepseek-chat" has meant several models over time.
    "Qwen2.5-Coder-32B-Instruct" is there twice, with two edit formats.

    References
    ----------
    Gauthier (2024), "Aider polyglot coding leaderboard",
    https://aider.chat/docs/leaderboards/
    """
    table = recorded(
        "aider", dtype={"printed_1": str, "printed_2": str}, parse_dates=["date"]
    )
    printed = {name: table[name] + " %" for name in ("printed_1", "printed_2")}
    return table.assign(**printed, cost=table.cost.replace(0, np.nan))


# The board's names, and ours.
_AIDER = {
    "model": "system",
    "asked": "asked",
    "edit_format": "edit_format",
    "date": "date",
}
_AIDER |= {"test_cases": "cases", "pass_num_1": "right_1", "pass_num_2": "right_2"}
_AIDER |= {"pass_rate_1": "printed_1", "pass_rate_2": "printed_2"}
_AIDER |= {
    "num_with_malformed_responses": "malformed",
    "seconds_per_case": "seconds",
    "total_cost": "cost",
}


def _aider(rows):
    rows = no_doubles(pd.DataFrame(rows), ["model", "edit_format"]).sort_values(
        "dirname"
    )
    if (rows.total_tests != 225).any() or (rows.pass_num_2 < rows.pass_num_1).any():
        raise ValueError(
            "a run is not of 225 exercises, or lost some at the second attempt"
        )
    asked = rows.command.str.extract(r"(?:^|\s)--model (\S+)", expand=False)
    rows = rows.assign(asked=asked).rename(columns=_AIDER)
    return rows[list(_AIDER.values())].to_csv(index=False)


def _make_aider():
    _extras.need("boards", "making the extract of aider again")
    import yaml

    return _aider(upstream("aider/polyglot_leaderboard.yml", yaml.safe_load))


def swebench_pro():
    """Return which instances of SWE-bench Pro's public set four systems resolved.

    Returns
    -------
    items : pandas.DataFrame
        One row for each of 730 instances: `instance`, and the `repository` it comes
        from, one of 11.
    resolved : pandas.DataFrame of float, shape (730, 4)
        1 or 0, and NaN where the system's file does not have the instance.

    Notes
    -----
    Claude 4 Sonnet's file has 562 instances, all of them among the 730 of the others'
    files; nothing says why. The board's page (index.html at commit 70ad75d of the
    repository) printed 42.70 for it, which is 240 of 562: missing instances are left
    out. Counted as failures they would make it 32.88, below GPT-5's 36.30. For Claude
    4.5 Sonnet the page has 43.60, which no count of 730 or 731 gives with two decimals;
    the file has 319 of 730, which is 43.70.

    References
    ----------
    Deng et al. (2025), "SWE-Bench Pro: Can AI agents solve long-horizon software
    engineering tasks?"
    """
    table = recorded("swebench_pro")
    repository = table.instance.str.extract(
        r"^instance_(.+?)-[0-9a-f]{40}", expand=False
    )
    items = pd.DataFrame(
        {"instance": table.instance, "repository": repository.str.replace("__", "/")}
    )
    return items, table.drop(columns="instance").astype(float)


_PRO = ("claude-45sonnet", "claude-4sonnet", "gpt-5-250-turns", "kimi-k2-instruct")


def _swebench_pro(files):
    table = pd.DataFrame(
        {system: pd.Series(file, dtype="Int64") for system, file in files.items()}
    )
    return table.sort_index().rename_axis("instance").to_csv()


def _make_swebench_pro():
    return _swebench_pro(
        {s: upstream(f"swebench_pro/{s}-10132025.json", unique_json) for s in _PRO}
    )


def taubench():
    """Return gpt-4o's results in tau-bench's airline: 50 tasks, each tried four times.

    Returns
    -------
    items : pandas.DataFrame
        One row a task: `task`, a number; `user`, the customer who asks (34, seven with
        two tasks and three with three to five); `actions`, how many calls the model
        solution makes, and `writes`, how many of them change the data base; `outputs`,
        how many facts the customer has to be told; `cut`, how many of the four trials
        were stopped after 30 steps.
    rewards : pandas.DataFrame of float, shape (50, 4)
        1 or 0, by trial. A trial that was stopped has 0.

    Notes
    -----
    The board prints pass^k, the chance that k trials of a task all succeed: 0.420,
    0.273, 0.220 and 0.200 for k = 1 to 4, and so do these records. A trial succeeds if
    the data base ends as the model solution leaves it and all facts were told. 19 tasks
    ask for neither a change nor a fact: a program that does nothing solves them, and
    its score is 0.38. The repository warns that its tasks are outdated: errors in them
    were mended later, in another one.

    References
    ----------
    Yao et al. (2024), "tau-bench: A benchmark for tool-agent-user interaction in
    real-world domains".
    """
    table = recorded("taubench_airline")
    trials = [name for name in table if name.startswith("trial_")]
    rewards = table[trials].rename(
        columns=lambda name: int(name.removeprefix("trial_"))
    )
    return table.drop(columns=trials), rewards.astype(float)


def _taubench(records):
    rows = []
    for record in records:
        task = record["info"]["task"]
        names = [action["name"] for action in task["actions"]]
        writes = sum(
            bool(re.match("book_|cancel_|send_|update_", name)) for name in names
        )
        facts = {
            "task": record["task_id"],
            "user": task["user_id"],
            "actions": len(names),
            "writes": writes,
        }
        facts |= {
            "outputs": len(task["outputs"]),
            "trial": record["trial"],
            "reward": record["reward"],
        }
        rows.append(facts | {"cut": record["info"]["reward_info"] is None})
    rows = no_doubles(pd.DataFrame(rows), ["task", "trial"])
    facts = ["task", "user", "actions", "writes", "outputs"]
    wide = rows.pivot_table(index=facts, columns="trial", values="reward").add_prefix(
        "trial_"
    )
    if wide.isna().any(axis=None) or not wide.isin([0, 1]).all(axis=None):
        raise ValueError(
            "a task has no result in some trial, or one that is neither 0 nor 1"
        )
    wide.insert(0, "cut", rows.groupby(facts).cut.sum())
    return wide.astype(int).reset_index().to_csv(index=False)


def _make_taubench():
    return _taubench(upstream("tau-bench/gpt-4o-airline.json", json.loads))


def swebench(board="bash-only"):
    """Open SWE-bench's board: what it prints, and its own records of 500 instances.

    The file is under CC BY-NC 4.0: it is fetched, and nothing of it is kept in this
    repository.

    Parameters
    ----------
    board : {"bash-only", "Verified"}
        31 language models in the same small agent; or all agents on the same 500
        instances, among them those 31 again, under other names.

    Returns
    -------
    runs : pandas.DataFrame
        One row a run, as the board orders them: `run`, its folder; `system`, the name
        that is printed, which is not unique on "Verified"; `date`; `printed`, in per
        cent, as text for `evalkit.possible_counts`; `records` and `resolved`, the
        number of instances that the file has records of, and how many of them are
        resolved, both 0 without records; and `cost`, in US dollars.
    items : pandas.DataFrame
        One row for each of 500 instances: `instance`, and its `repository`, one of 12.
    resolved : pandas.DataFrame of float, shape (500, n_runs)
        1 or 0; a column for each run that has records, named by `run`.

    Raises
    ------
    SourceError
        If the file is neither here nor to be had.

    Notes
    -----
    The printed score of a run need not be the mean of its records: compare `printed`
    with `resolved`. Nor is it always a count of 500: some are of the instances that
    ended, and nothing marks them.

    References
    ----------
    Jimenez et al. (2024), "SWE-bench: Can language models resolve real-world GitHub
    issues?"
    """
    check_choice(board, "board", ("bash-only", "Verified"))
    boards = upstream("swe-bench.github.io/leaderboards.json", unique_json)[
        "leaderboards"
    ]
    return _swebench({one["name"]: one["results"] for one in boards}[board])


def _swebench(results):
    no_doubles(pd.DataFrame({"run": [one["folder"] for one in results]}), ["run"])
    records = {one["folder"]: one.get("per_instance_details") or {} for one in results}
    marks = {
        run: {i: v["resolved"] for i, v in record.items()}
        for run, record in records.items()
        if record
    }
    resolved = pd.DataFrame(marks).sort_index().astype(float)
    runs = pd.DataFrame(
        {
            "run": list(records),
            "system": [one["name"] for one in results],
            "date": pd.to_datetime([one["date"] for one in results]),
            "printed": [f"{one['resolved']:.2f} %" for one in results],
            "records": [len(record) for record in records.values()],
            "resolved": [
                sum(v["resolved"] for v in record.values())
                for record in records.values()
            ],
            "cost": pd.to_numeric(pd.Series([one.get("cost") for one in results])),
        }
    )
    instance = resolved.index.to_series()
    repository = instance.str.replace(r"-\d+$", "", regex=True).str.replace("__", "/")
    items = pd.DataFrame({"instance": instance, "repository": repository})
    return runs, items.reset_index(drop=True), resolved.reset_index(drop=True)


MAKERS = {
    "aider": _make_aider,
    "swebench_pro": _make_swebench_pro,
    "taubench_airline": _make_taubench,
}
