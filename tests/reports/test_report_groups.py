"""Documents and the like, of which several items are: groups, however their column is
called.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError, UnconfirmedError

NAMES = (
    "doc_id docId DOC document_id documentID document passage_id Passage article_id"
    " paragraph docid context"
)


def of_documents(item, group, *, first):
    """Predictions for ten items in each of twenty documents."""
    rng = np.random.default_rng(7)
    rows = [
        {
            "system": name,
            item: str(10 * k + i),
            group: f"d{k}",
            "gold": "a",
            "pred": rng.choice(["a", "b"]),
        }
        for name in ("base", "ours")
        for k in range(20)
        for i in range(10)
    ]
    table = pd.DataFrame(rows)
    return (
        table[[group, *(name for name in table if name != group)]] if first else table
    )


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("item", ["id", "item_id", "sentence_id"])
@pytest.mark.parametrize("group", NAMES.split())
def test_what_holds_several_items_is_a_group(group, item, first):
    table, said = of_documents(item, group, first=first), {"baseline": "base"}
    if item == "sentence_id":  # no documented name: it may be anything of a document
        with pytest.raises(
            UnconfirmedError, match=f"--map item=sentence_id --unit {group}, if each"
        ):
            ek.report(table, **said)
        said["columns"] = {"item": item}
    with pytest.raises(RefusedError) as refused:
        ek.report(table, **said)
    assert [fault.code for fault in refused.value.faults] == ["groups"]
    found = ek.report(table, **said, unit=group)
    assert found.roles["item"] == (item,)
    assert found.evidence.facts["group"] == group


@pytest.mark.parametrize("name", ["doc_id", "document_id", "passage_id"])
def test_a_document_that_is_the_item_stays_it(name):
    table = (
        of_documents("id", "topic", first=False)
        .drop(columns="topic")
        .rename(columns={"id": name})
    )
    assert ek.report(table, baseline="base", columns={"item": name}).roles["item"] == (
        name,
    )
    if name != "doc_id":  # which is a documented name of items
        with pytest.raises(
            UnconfirmedError, match=f"--map item={name}, if each is what every system"
        ):
            ek.report(table, baseline="base")


def test_a_setting_that_has_a_word_of_documents_stays_one():
    rng = np.random.default_rng(8)
    rows = [
        {
            "model": model,
            "seed": seed,
            "context_length": 64.0 * (1 + seed % 3),
            "accuracy": rng.uniform(),
        }
        for model in ("base", "ours")
        for seed in range(12)
    ]
    with pytest.raises(RefusedError) as refused:
        ek.report(pd.DataFrame(rows), baseline="base", unit="seed")
    (fault,) = refused.value.faults
    assert "context_length varies" in fault.what
    with pytest.raises(RefusedError) as refused:
        ek.report(
            pd.DataFrame(rows),
            baseline="base",
            unit="seed",
            columns={"setting": "context_length"},
        )
    assert "context_length" in next(
        fault.what for fault in refused.value.faults if fault.code == "settings"
    )
