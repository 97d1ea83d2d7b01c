"""Answers of language models that people have judged, and what other models made of
them: ReaLMistake, OpenQA-eval, XSTest; and GPQA, answered five times.
"""

import functools
import json
import re
import string

import pandas as pd

from lab.data.boards._files import json_lines, no_doubles, recorded, tabs, upstream
from lab.data.sources import archive_members, opened

# --------------------------------------------------------------------------------------
# ReaLMistake
# --------------------------------------------------------------------------------------

TEMPLATES = ("1", "2", "3", "4", "cot")
_TASKS = {
    "math_word_problem_generation": "maths",
    "finegrained_fact_verification": "facts",
    "answerability_classification": "answerability",
}
_VERDICTS = {"error": 1, "no_error": 0, None: None}
_FACTS = ["input", "task", "system", "label"]


def realmistake():
    """Return what twelve language models said of 900 answers, "error" or "no error",
    under five templates, beside the experts' label.

    Returns
    -------
    pandas.DataFrame
        54,000 rows, one for each verdict: `item`, the answer that was judged, 0 to 899;
        `input`, the question that it answers, 0 to 479; `task`, "maths", "facts" or
        "answerability"; `system`, which wrote it, "gpt-4-0613" or
        "Llama-2-70b-chat-hf"; `template`, "1" to "4" or "cot"; `model`;
        `verdict`, 1 for "error", 0 for "no error", NaN where no verdict could be read;
        `label`, the experts' verdict, 1 or 0.

    Notes
    -----
    All templates ask for an explanation, then for a verdict. Its options are "error"
    and "no error" under 1 and 2, "not valid" and "valid" under 3 and 4; 1 and 3 name
    the bad one first, 2 and 4 the good one. "cot" is 1 with four steps to follow. The
    tasks are to write a maths word problem, to check a statement against a text, and to
    say whether a question can be answered.

    854 verdicts are missing, 228 of them gemma-7b-it's. 420 inputs have an answer by
    either system, 60 by Llama 2 alone, of which 58 are labelled "no error": compare
    systems on the 420. 649 answers have an error, so that always saying "error" is
    right in 72.1 %. All answers with one input stand in one `input`: they are no
    independent draws.

    References
    ----------
    Kamoi et al. (2024), "Evaluating LLMs at detecting errors in LLM responses".
    """
    wide = recorded("realmistake").rename_axis("item").reset_index()
    long = wide.melt(["item", *_FACTS], var_name="cell", value_name="verdict")
    long[["model", "template"]] = long.cell.str.rsplit(" ", n=1, expand=True)
    columns = ["item", "input", "task", "system", "template", "model"]
    return long[[*columns, "verdict", "label"]]


def realmistake_repeats():
    """Return the verdicts of three of the twelve models that were asked five times.

    Returns
    -------
    pandas.DataFrame
        2,250 rows, one for each verdict: `item`, as in `realmistake`, the first 50
        answers of GPT-4 to each task; `model`; `repeat`, 1 to 5; `verdict` and `label`
        as there.

    Notes
    -----
    All are under template 1. The temperature is not stated.

    References
    ----------
    Kamoi et al. (2024), "Evaluating LLMs at detecting errors in LLM responses".
    """
    wide = recorded("realmistake_repeats")
    long = wide.melt(["item", "model"], var_name="repeat", value_name="verdict")
    labels = recorded("realmistake").label.rename("label")
    return long.astype({"repeat": int}).join(labels, on="item")


@functools.cache
def _realmistake_rows():
    rows = []
    with opened("realmistake/verdicts.tar.xz") as path:
        for name, content in archive_members(path, lambda name: name.endswith("jsonl")):
            kind, task, system, model, file = name.split("/")[1:]
            place = {"kind": kind, "task": _TASKS[task], "system": system}
            # The last of "..._prompt_1.jsonl", or the first of "cot_...".
            template = re.search(r"cot|\d(?=\.)|$", file).group()
            place |= {"model": model, "template": template}
            rows += [place | json.loads(line) for line in content.splitlines()]
    rows = pd.DataFrame(rows)
    rows["verdict"] = rows.prediction.map(_VERDICTS).astype("Int64")
    # An id is its input's and its system's; nothing of it stays.
    rows["input"] = rows.id.str.removesuffix("meta-llama/Llama-2-70b-chat-hf")
    rows["input"] = rows.input.str.removesuffix("gpt-4-0613")
    return rows.sort_values("system", ascending=False, kind="stable")


def _realmistake_items(rows):
    """Return the 900 answers by id: GPT-4's first, each in the order of its file."""
    items = rows[rows.model == "gpt-4-0613"].drop_duplicates("id").set_index("id")
    order = items.task.map(list(_TASKS.values()).index)
    items = items.assign(order=order).sort_values("order", kind="stable")
    items["label"] = items.label.map(_VERDICTS).astype(int)
    return items.assign(input=pd.factorize(items.input)[0])


def _make_realmistake():
    rows = _realmistake_rows()
    items = _realmistake_items(rows)
    rows = rows[rows.kind.isin(["simple_prompt_baseline", "advanced_prompt_baseline"])]
    no_doubles(rows, ["id", "model", "template"])
    if not rows.label.map(_VERDICTS).eq(items.label[rows.id].to_numpy()).all():
        raise ValueError("an answer has two labels")
    cells = rows.assign(cell=rows.model + " " + rows.template)
    wide = cells.pivot_table("verdict", "id", "cell", aggfunc="first").loc[items.index]
    return items[_FACTS].join(wide).to_csv(index=False)


def _make_repeats():
    rows = _realmistake_rows()
    numbers = pd.Series(range(900), index=_realmistake_items(rows).index)
    rows = no_doubles(rows[rows.kind == "self_consistency"], ["id", "model"])
    given = pd.DataFrame(rows.predictions_list.tolist(), columns=range(1, 6))
    given = given.apply(lambda column: column.map(_VERDICTS)).astype("Int64")
    given.insert(0, "model", rows.model.to_numpy())
    given.insert(0, "item", numbers[rows.id].to_numpy())
    return given.sort_values(["model", "item"]).to_csv(index=False)


# --------------------------------------------------------------------------------------
# OpenQA-eval
# --------------------------------------------------------------------------------------

_SYSTEMS = {
    "InstructGPT (few-shot)": "NQ301_text-davinci-003_fewshot-n64",
    "InstructGPT (zero-shot)": "NQ301_text-davinci-003_zeroshot",
    "ANCE+ & FiD": "NQ_ANCE-plus_FiD",
    "Contriever & FiD": "NQ_Contriever_FiD",
    "EviGen": "NQ_EviGen",
    "FiD-KD": "NQ_FiD-KD",
    "FiD": "NQ_FiD",
    "GAR+ & FiD": "NQ_GAR-plus_FiD",
    "R2D2": "NQ_R2D2",
    "RocketQAv2 & FiD": "NQ_Rocketv2_FiD",
}
_JUDGES = {"bem": "BEM", "instructgpt": "text-davinci-003", "gpt4": "gpt-4"}
_GLUED = "text-davinci-003"  # no tab between question and answer


def openqa():
    """Return whether ten systems' answers to 301 questions are right, as people see it
    and as four judges do.

    Returns
    -------
    pandas.DataFrame
        3,010 rows, one for each answer: `question`, 0 to 300; `system`; `people`, the
        verdict of two annotators, or of a third where they differ; `annotator_1` to
        `annotator_3`; the judges `exact` (SQuAD's exact match to a reference), `bem`,
        `instructgpt` (text-davinci-003) and `gpt4`. 1 right, 0 wrong, NaN not judged.

    Notes
    -----
    An answer that several systems gave was judged once. Spreadsheets had taken the
    quotation marks and leading zeros of some, and in one file a tab is missing between
    question and answer: answers are matched without them. DPR and EMDR2, which the
    authors evaluate too, are left out: 25 and 29 of their released answers are not
    those that were judged.

    References
    ----------
    Kamalloo et al. (2023), "Evaluating open-domain question answering in the era of
    large language models".
    """
    return recorded("openqa")


def _table(name):
    parse = functools.partial(tabs, dtype=str)
    return upstream(f"NQ301_{name}.tsv", parse, "openqa")


def _plain(text):
    """Return letters and digits alone, as a spreadsheet may have left them."""
    text = re.sub(r"\.0\b|\b0+(?=\d)", "", text.lower())
    return re.sub(r"[^\w%]", "", text)


def _squad(text):
    """Return an answer as SQuAD's exact match compares it."""
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def _yes(column):
    return column.str.strip().map({"Yes": 1, "No": 0}).astype("Int64")


def _openqa_verdicts():
    people = _table("human")
    verdicts = {"people": people["Acceptable?"]}
    verdicts |= {f"annotator_{n}": people[f"annotator{n}"] for n in (1, 2, 3)}
    both = people.Question + people["Model answer"]
    table = pd.DataFrame({k: _yes(v) for k, v in verdicts.items()})
    table = table.groupby(both.map(_plain)).first()
    for judge, name in _JUDGES.items():
        file = _table(name)
        answers, given = file.Question + file["Model answer"], file["Acceptable?"]
        if name == _GLUED:
            answers, given = file.Question, file["Model answer"]
        table[judge] = _yes(given).groupby(answers.map(_plain)).first()
    return people.Question.drop_duplicates().tolist(), table


def _make_openqa():
    questions, verdicts = _openqa_verdicts()
    numbers = {_plain(question): n for n, question in enumerate(questions)}
    rows = []
    for system, name in _SYSTEMS.items():
        for row in upstream(f"{name}.jsonl", json_lines, "openqa"):
            if (question := _plain(row["question"])) not in numbers:
                continue
            given = row["prediction"]
            given = given[0] if isinstance(given, list) else given
            exact = _squad(given) in map(_squad, row["answer"])
            rows.append((numbers[question], system, question + _plain(given), exact))
    rows = pd.DataFrame(rows, columns=["question", "system", "answer", "exact"])
    rows = no_doubles(rows, ["question", "system"]).astype({"exact": int})
    rows = rows.join(verdicts, on="answer").sort_values(["question", "system"])
    columns = ["people", "annotator_1", "annotator_2", "annotator_3", "exact", *_JUDGES]
    return rows[["question", "system", *columns]].to_csv(index=False)


# --------------------------------------------------------------------------------------
# XSTest
# --------------------------------------------------------------------------------------

_ASKED = {
    "GPT-4": "gpt4",
    "Llama 2": "llama2new",
    "Llama 2, system prompt": "llama2orig",
    "Mistral": "mistralinstruct",
    "Mistral, system prompt": "mistralguard",
}
_KINDS = {"1_full_compliance": 1, "2_full_refusal": 2, "3_partial_refusal": 3}


def xstest():
    """Return whether five systems refused 450 prompts, as people see it and as two
    judges do.

    Returns
    -------
    pandas.DataFrame
        2,250 rows, one for each reply: `prompt`, 0 to 449; `type`, one of 18 kinds of
        prompt; `safe`, 1 for the 250 prompts that should be answered; `system`;
        `people`, the final label of two annotators; `annotator_1`, `annotator_2`; the
        judges `gpt4` and `strings` (certain phrases). 1 answered, 2 refused, 3 refused
        in part; NaN where the judge said something else.

    Notes
    -----
    11 of GPT-4's labels are no label; all are of one system. GPT-4 also judges its own
    replies.

    References
    ----------
    Röttger et al. (2024), "XSTest: A test suite for identifying exaggerated safety
    behaviours in large language models".
    """
    return recorded("xstest")


def _make_xstest():
    parts = []
    for system, name in _ASKED.items():
        files = []
        for kind in ("gpt", "str"):
            with opened(f"xstest/{name}_{kind}eval.csv") as path:
                files.append(pd.read_csv(path, dtype=str).set_index("id"))
        by_model, by_strings = files
        part = by_model.assign(strings=by_strings.strmatch_label, system=system)
        if not part.final_label.equals(by_strings.final_label):
            raise ValueError(f"{system}: the two files differ in people's labels")
        parts.append(part)
    rows = pd.concat(parts)
    labels = {"people": "final_label"}
    labels |= {f"annotator_{n}": f"annotation_{n}" for n in (1, 2)}
    labels |= {"gpt4": "gpt4_label", "strings": "strings"}
    safe = ~rows.type.str.startswith("contrast_")
    facts = {"prompt": rows.index.str.removeprefix("v2-").astype(int) - 1}
    facts |= {"type": rows.type, "safe": safe.astype(int), "system": rows.system}
    facts |= {ours: rows[c].map(_KINDS).astype("Int64") for ours, c in labels.items()}
    return pd.DataFrame(facts).to_csv(index=False)


# --------------------------------------------------------------------------------------
# GPQA
# --------------------------------------------------------------------------------------


def gpqa():
    """Return which of GPQA's 198 diamond questions two models answered correctly, five
    times each.

    Returns
    -------
    pandas.DataFrame
        1,980 rows, one for each answer: `item`, 0 to 197; `model`,
        "gpt-5-nano-2025-08-07" or "gpt-5.4-mini-2026-03-17"; `epoch`, 1 to 5; `right`,
        1 or 0.

    References
    ----------
    Rein et al. (2024), "GPQA: A graduate-level Google-proof Q&A benchmark"; the answers
    are released with evalconfidence, by stephlinds (2026).
    """
    wide = recorded("gpqa").melt(
        ["item", "model"], var_name="epoch", value_name="right"
    )
    return wide.astype({"epoch": int})


def _make_gpqa():
    with opened("gpqa/gpqa_diamond_scores.csv") as path:
        rows = no_doubles(pd.read_csv(path), ["item_id", "model_id", "epoch"])
    rows = rows.assign(
        item=pd.factorize(rows.item_id)[0],
        model=rows.model_id.str.removeprefix("openai/"),
        score=rows.score.astype(int),
    )
    wide = rows.pivot_table("score", ["item", "model"], "epoch", aggfunc="first")
    if wide.isna().any(axis=None):
        raise ValueError("a model was not asked an item five times")
    return wide.reset_index().to_csv(index=False)


MAKERS = {
    "realmistake": _make_realmistake,
    "realmistake_repeats": _make_repeats,
    "openqa": _make_openqa,
    "xstest": _make_xstest,
    "gpqa": _make_gpqa,
}
