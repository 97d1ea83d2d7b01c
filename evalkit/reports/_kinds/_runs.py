"""Tables of runs: seeds of fixed settings, or searches whose settings vary."""

import numpy as np

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports._bench import Evidence
from evalkit.reports._checks import _choices, _common, _copies, _failed, _means, _twice
from evalkit.reports._contrasts import budget
from evalkit.reports._faults import argument, count, examples, shown
from evalkit.reports._formats import optuna_store
from evalkit.reports._recognition import _seen, _where


def prepare(table, _, bench):
    """Examine a table of runs.

    Parameters
    ----------
    table : Table
    _ : pandas.DataFrame
        Rows of other parts: a table of runs has none.
    bench : Bench

    Returns
    -------
    Evidence
    """
    higher = _common.direction(table, bench) == "higher"
    frame = _common.tidy(table)
    settings = _where.varying(table)
    frame = frame.join(table.frame[settings])
    metric = table.roles["score"]
    is_turned, how_chosen = _choices.way_of_validation(frame, table, higher, bench)
    if is_turned:  # so that the best is at the same end
        frame = frame.assign(validation=-frame.validation)
    _common.names(frame, bench)
    _steps(frame, table, settings, bench)
    frame = _means.without_summaries(frame, bench)
    search = bench.kind == "search"
    frame = _settings(frame, table, settings, bench)
    if search:
        frame = _pruned(frame, bench)
    _common.scale(frame, metric, higher, bench)
    keys = ["system", *(name for name in ("seed", "run") if name in frame), *settings]
    frame = _twice.duplicates(frame, keys, bench, what="run", raw=_without_notes(table))
    _twice.copies(frame, "seed", bench, _copies.again(table, settings))
    _choices.chosen_by_test(frame, table, bench, search=search, by_validation=how_chosen)
    if not search:
        _failed.gaps(frame, bench)
    frame, ways = _failed.failed(frame, higher, bench)
    _one_run(frame, table, bench)
    if search:
        _how_drawn(frame, table, settings, bench)
    else:
        _few(frame.system.value_counts(), bench)
    _choices.never_in_a_file(bench, tried=frame.system.value_counts(sort=False) if search else None)
    facts = {"settings": settings, "has_seed": "seed" in frame, "cost": "cost" in frame}
    return Evidence.of(bench, frame, metric, higher, facts, ways)


def _without_notes(table):
    seen = [name for name in table.frame.columns if name not in table.roles.get("note", ())]
    return table.frame[seen]


def _steps(frame, table, settings, bench):
    n_files, n_runs = table.facts.get("files", 1), len(frame)
    runs_in = f"{count(n_runs, 'run')} in {count(n_files, 'file')}"
    if "step" not in table.roles:
        bench.fine("steps", f"{runs_in}, a row each; no column counts steps or epochs.")
        return
    name = table.roles["step"]
    steps = table.frame[name]
    runs = ["system", *(["seed"] if "seed" in frame else []), *settings]
    repeated = frame.assign(step=steps).duplicated(runs).sum()
    per_run = frame.assign(step=steps).groupby(runs, dropna=False).step.nunique()
    if repeated and (per_run > 1).mean() > 0.5 and (len(runs) > 1 or steps.nunique() > 2):
        bench.found(
            "steps",
            f"{shown(name)} counts from {steps.min():g} to {steps.max():g} in {count(len(per_run), 'run')}: "
            f"a row is a step, not a run ({len(frame):,} rows).",
            "Steps of one run are not independent: thousands of them say no more than the run.",
            f"--where {argument(name)}=last keeps the last step of each run.",
        )
        bench.stop_if_faulty()
    else:
        if ended := table.facts.get("ended"):
            bench.say("steps", "note", ended)
        else:
            bench.fine("steps", f"{shown(name)} does not repeat within a run.")


def _settings(frame, table, settings, bench):
    if bench.kind == "search":
        seen = f"The settings vary ({examples(settings, 6)})" if settings else "No setting is in the file"
        words = f"{seen}: the searches are compared at equal budgets."
        return _seeds_of_settings(frame, settings, words, bench)
    if not settings:
        if kept := _where.kept_settings(table, _where.varied(table)):
            words = (
                f"By --where you kept one setting: {kept}. The others, and what chose these, are not seen."
            )
            bench.say("settings", "note", words)
            return frame
        same = table.roles.get("setting", ())
        words = (
            f"{examples(same, 6)} stay the same." if same else "No column of settings varies within a system."
        )
        bench.fine("settings", words)
        return frame
    bench.found(
        "settings",
        f"Settings vary within a system: {examples(settings, 6)}.",
        "What differs between such runs is not the seed alone.",
        *(
            f"--map note={','.join(settings)}, if that is not a setting.",
            "--where COLUMN=VALUE keeps one setting; --where SYSTEM:COLUMN=VALUE that of one system.",
        ),
    )
    return frame


def _seeds_of_settings(frame, settings, words, bench):
    """Average the seeds of each setting, if that was said: a trial is a setting, however often it was run."""
    keys = ["system", *settings]
    is_both = "seed" in frame and len(settings) > 0
    n_seeds = frame.groupby(keys, dropna=False).seed.nunique() if is_both else None
    if n_seeds is None or (n_seeds > 1).mean() < 0.5:
        bench.say("settings", "note", words)
        return frame
    is_mean = bench.options.duplicates == "mean"
    bench.found(
        "settings",
        f"{count(len(frame), 'row')} have {count(len(n_seeds), 'setting')}, each with up to {n_seeds.max()} "
        "seeds.",
        "The budget of a search is counted in settings that were drawn; seeds of one setting are not draws.",
        *(
            "--duplicates mean: each setting is one trial, by the mean of its seeds.",
            "--where COLUMN=VALUE keeps one setting, and compares seeds.",
        ),
        decided="You said --duplicates mean: each setting is one trial." if is_mean else None,
    )
    if not is_mean:
        return frame
    bench.merged.append(f"up to {n_seeds.max()} seeds of a setting, by their mean")
    return _twice.averaged(frame.drop(columns="seed"), keys)


def _pruned(frame, bench):
    is_pruned = (
        frame.status.map(lambda v: str(v).lower() == "pruned")
        if "status" in frame
        else np.zeros(len(frame), bool)
    )
    if not is_pruned.any():
        if "status" in frame:
            bench.fine("pruned", "No trial was stopped early.")
        else:
            bench.unchecked("pruned", "No column says how trials ended.")
        return frame
    of = frame.system[is_pruned].value_counts()
    bench.found(
        "pruned",
        f"{count(int(is_pruned.sum()), 'trial')} were pruned: "
        + ", ".join(f"{shown(name)} {n}" for name, n in of.items())
        + ".",
        "What was stopped early has no final score, and whether it was depended on the trials before it: "
        "the trials that are left are not independent draws.",
        *("search again without pruning, and at random.",),
    )
    bench.drop(is_pruned.sum(), "trials that were pruned")
    return frame[~is_pruned].reset_index(drop=True)


def _one_run(frame, table, bench):
    sizes = frame.system.value_counts()
    single = sizes.index[sizes < 2].tolist()
    if single:
        bench.found(
            "one-run",
            f"There is only one run of {' and of '.join(map(shown, single[:3]))}"
            + f" and of {len(single) - 3:,} more." * (len(single) > 3)
            + "." * (len(single) <= 3),
            "One run does not show how far another seed would lie: no interval can be made of it, and "
            "whatever difference it shows may be the seed's.",
            *(
                "run each system again with other seeds: five are few, twenty are better.",
                "give the predictions on the test items instead: they compare these two fitted models.",
                *_seen.as_datasets(table.facts),
            ),
        )
        bench.stop_if_faulty()
    bench.fine("one-run", ", ".join(f"{shown(name)} {n}" for name, n in sizes.items()) + " runs.")


def _few(sizes, bench):
    if sizes.min() > 2:
        bench.fine("few", f"From {sizes.min()} to {sizes.max()} runs a system.")
        return
    two = examples(sizes.index[sizes < 3])
    bench.say("few", "note", f"{two}: two runs. The interval holds, and is very wide.")


def _how_drawn(frame, table, settings, bench):
    sizes = frame.system.value_counts()
    if sizes.min() < FEWEST_TRIALS:
        short = [f"{shown(name)} {n}" for name, n in sizes[sizes < FEWEST_TRIALS].items()]
        gone = sum(n for n, why in bench.left_out if why == _failed.DROPPED.format(what="run"))
        without = f", without the {gone} that failed" if gone else ""
        kept = ("--failed worst, or --failed SCORE: trials that failed are trials, and count.",)
        bench.found(
            "few",
            f"Fewer than {FEWEST_TRIALS} trials: {', '.join(short)}{without}.",
            "Of so few trials nobody can say what another search would find.",
            *(*(kept if gone else ()), "search again, with more trials."),
        )
    else:
        each = ", ".join(f"{shown(name)} {n:,}" for name, n in frame.system.value_counts(sort=False).items())
        at = count(budget(frame), "trial")
        bench.fine("few", f"Trials: {each}. All are compared at {at}, a fifth of the smallest search.")
    guided, grid = (
        table.facts.get("guided") or optuna_store.guided(_internal(table)),
        [name for name in sizes.index if _is_grid(frame, name, settings)],
    )
    said = bench.options.search
    if said == "random":
        bench.say("search", "decided", "You said --search random: each trial is an independent draw.")
    elif said or guided or grid or table.facts.get("trials"):
        seen = (
            f"You said --search {said}."
            if said
            else f"The trials have marks of {guided}."
            if guided
            else f"The settings of {examples(grid)} are a grid: every combination is there."
            if grid
            else "An Optuna study does not say which sampler drew its trials; the default is guided (TPE)."
        )
        bench.found(
            "search",
            seen,
            "The expected best of n trials, and its interval, need independent draws. A guided search "
            "learns from its trials, and a grid is the same each time.",
            *(
                "--search random, if the sampler was random.",
                "or compare the best of several restarts of each search, one row a restart.",
            ),
        )
    else:
        bench.unchecked("search", "The settings look drawn; the file does not say by what.")


def _internal(table):
    """Return the marks of a sampler in a table of trials that Optuna wrote."""
    mark = "system_attrs_"
    return [name.removeprefix(mark) for name in table.frame.columns if name.startswith(mark)]


def _is_grid(frame, system, settings):
    own = frame[frame.system == system]
    levels = [own[name].nunique() for name in settings]
    distinct = own[settings].drop_duplicates()
    return bool(
        len(distinct) == np.prod(levels)
        and max(levels, default=0) > 1
        and len(distinct) > 3
        and (sum(level > 1 for level in levels) > 1 or _even(own[settings]))
    )


def _even(settings):
    """Tell whether the values of one setting lie evenly, as on a grid, as numbers or as powers."""
    values = next(settings[name].dropna().unique() for name in settings if settings[name].nunique() > 1)
    if settings.shape[1] > 1 or values.dtype.kind != "f" or len(values) < 4 or (values <= 0).any():
        return False
    ordered = np.sort(values)
    return any(np.allclose(np.diff(v), np.diff(v)[0]) for v in (ordered, np.log(ordered)))
