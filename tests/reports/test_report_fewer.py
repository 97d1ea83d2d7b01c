"""What is not asked, for the values say it or another answer does; and what one line
answers.
"""

import numpy as np
import pandas as pd
import pytest

import evalkit as ek
from evalkit.reports import RefusedError

RNG = np.random.default_rng(0)
NAMES = ["base"] * 12 + ["ours"] * 12
RUNS = pd.DataFrame({"system": NAMES, "seed": [*range(12)] * 2, "dice": RNG.random(24)})


def epochs(**more):
    """Runs of two systems, five seeds and eight epochs, as somebody logs them in
    Italian.
    """
    names = ["modello", "seed", "epoca"]
    at = pd.MultiIndex.from_product(
        [("base", "ours"), range(5), range(1, 9)], names=names
    )
    table = at.to_frame(index=False).assign(resa=RNG.random(80), perdita=RNG.random(80))
    return table.assign(**more)


def test_what_changes_from_step_to_step_is_not_asked_to_be_a_setting():
    said = {
        "baseline": "base",
        "metric": "resa",
        "direction": "higher",
        "columns": {"step": "epoca"},
    }
    table, last = epochs(), {"epoca": "last"}
    ends = table[table.epoca == 8].groupby("modello").resa.mean()
    for where in (None, last):  # before the last steps are chosen, and after
        if where is None:
            with pytest.raises(RefusedError, match="a row is a step, not a run"):
                ek.report(table, **said)
        else:
            (one,) = ek.report(table, **said, where=last).findings.contrasts
            assert one.difference == pytest.approx(ends.ours - ends.base)
    # One for each run: it may be one.
    rates = table.seed.map({0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4, 4: 0.5})
    with pytest.raises(
        RefusedError, match="tasso varies: .* Was it set, as a learning rate is"
    ):
        ek.report(epochs(tasso=rates), **said, where=last)


def test_steps_are_offered_with_the_last_of_each_run():
    with pytest.raises(RefusedError) as refused:
        ek.report(epochs(), baseline="base")
    ways = [way for fault in refused.value.faults for way in fault.ways]
    offered = (
        "--map step=epoca --where epoca=last, if each is a step or an epoch of a run,"
        " and the last one "
    )
    assert offered + "counts." in ways
    assert "--metric resa --direction higher" in ways


def test_numbers_that_each_fold_has_once_are_no_question():
    at = pd.MultiIndex.from_product(
        [("base", "ours"), range(10)], names=["modello", "fold"]
    )
    table = at.to_frame(index=False).assign(
        resa=RNG.random(20), precisione=RNG.random(20), esempi=900
    )
    said = {"baseline": "base", "metric": "resa", "direction": "higher"}
    found = ek.report(table, **said, n_train=900, n_test=100)
    assert found.evidence.kind == "folds"
    assert (
        found.findings.contrasts[0].sizes
        == "10 splits, training to test items as 900 to 100"
    )
    with pytest.raises(RefusedError) as refused:
        ek.report(table, baseline="base")
    ways = refused.value.faults[1].ways
    # A constant is compared with nothing.
    assert not any("esempi" in way for way in ways)
    assert not any("rater" in way for way in ways)  # nobody gives such grades
    several = pd.concat(
        [table.assign(alfa=0.1), table.assign(alfa=0.2, resa=table.resa / 2)]
    )
    with pytest.raises(RefusedError, match="alfa"):
        ek.report(several, **said, n_train=900, n_test=100)


def test_a_second_column_of_times_or_steps_is_no_question():
    table = RUNS.assign(
        Runtime=RNG.random(24), _runtime=RNG.random(24), _step=29.0, epoch=29.0
    )
    assert ek.report(
        table, baseline="base", metric="dice", direction="higher"
    ).findings.contrasts


def test_only_directions_that_no_name_tells_are_asked_with_the_metric():
    with pytest.raises(RefusedError) as refused:
        ek.report(
            RUNS.rename(columns={"dice": "val/loss"}).assign(
                **{"val/acc1": RNG.random(24)}
            ),
            baseline="base",
        )
    one, *two = (
        "--metric val/loss",
        *(f"--metric val/acc1 --direction {d}" for d in ("higher", "lower")),
    )
    assert refused.value.faults[0].ways[:3] == (one, *two)


def test_files_without_a_name_of_a_system_have_a_way_out(tmp_path):
    for k in range(4):
        (tmp_path / f"train{k}").mkdir()
        RUNS[:6].drop(columns="system").to_csv(
            tmp_path / f"train{k}/results.csv", index=False
        )
    with pytest.raises(RefusedError, match="NAME=FILE or NAME=FOLDER says whose it is"):
        ek.report(tmp_path, baseline="yolov8n")


def test_an_accepted_fault_is_printed_with_the_result():
    table = RUNS.rename(columns={"dice": "val_dice"})
    told = str(
        ek.report(table, baseline="base", direction="higher", accept="test-chose")
    )
    assert (
        "Read this first: The scores, val_dice, are of a validation set, by their name"
        in told
    )


def test_names_of_files_with_tasks_in_them_are_taken_apart_or_asked_about(tmp_path):
    """Episodes of two environments were runs of one, and a form that no name has was
    overlooked.
    """
    rewards = RNG.normal(100, 5, (2, 2, 4, 30)) + 900 * np.arange(2)[:, None, None]
    for system, of_system in zip(("td3", "sac"), rewards, strict=True):
        for env, of_env in zip(("Hopper-v4", "HalfCheetah-v4"), of_system, strict=True):
            for k, own in enumerate(of_env):
                (tmp_path / system / f"{env}_{k}").mkdir(parents=True)
                head = f'#{{"t_start": 171.5, "env_id": "{env}"}}\nr,l,t\n'
                rows = "".join(
                    f"{reward:.3f},{n},{n * 10}\n" for n, reward in enumerate(own)
                )
                (tmp_path / system / f"{env}_{k}/0.monitor.csv").write_text(head + rows)
    said = {
        "baseline": "td3",
        "metric": "r",
        "direction": "higher",
        "duplicates": "mean",
    }
    seeds = {"seed": "name (by its file)", "note": ["l", "t", "env_id"]}
    with pytest.raises(
        RefusedError, match="begin with one of 2 words: HalfCheetah-v4, Hopper-v4"
    ):
        ek.report(tmp_path, **said, columns=seeds)
    of = {
        "columns": {"note": ["l", "t"], "seed": "name (by its file)"},
        "where": {"env_id": "Hopper-v4"},
    }
    (one,) = ek.report(tmp_path, **said, **of).findings.contrasts
    means = rewards.round(3).mean(axis=(2, 3))
    assert one.difference == pytest.approx(means[1, 0] - means[0, 0])
    with pytest.raises(ValueError, match="names: not all files have the form"):
        ek.report(
            tmp_path,
            **said,
            names="nonsense{system}zzz",
            columns={"note": ["l", "t", "env_id"]},
        )
    form = {
        "names": "{system}/{dataset}_{seed}",
        "columns": {"note": ["l", "t", "env_id"]},
    }
    assert (
        ek.report(tmp_path, **said, **form, accept="scale")
        .evidence.used.groupby("system")
        .size()
        .max()
        == 2
    )
