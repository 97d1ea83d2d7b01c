"""Tables of runs: seeds of fixed settings, or searches whose settings vary."""

from evalkit._limits import FEWEST_TRIALS
from evalkit.reports import schema
from evalkit.reports._bench import Evidence
from evalkit.reports._checks import _choices, _common, _failed, _means, _twice, _units
from evalkit.reports._contrasts import budget
from evalkit.reports._faults import argument, count, each, examples, listed, shown
from evalkit.reports._formats import optuna_store
from evalkit.reports._recognition import _where
from evalkit.reports._recognition._seen import as_shown
from evalkit.reports._recognition._wide import option

_OPTUNA_MARK = (  # begins the columns in which Optuna's samplers leave their marks
    "system_attrs_"
)


def prepare(table, _, bench):
    """Examine a table of runs; it has no rows of other parts."""
    higher, is_search = (
        _common.direction(table, bench) == "higher",
        bench.kind == "search",
    )
    settings, metric = _where.varying(table), table.roles["score"]
    frame = _common.tidy(table).join(table.frame[settings])
    is_turned, how_chosen = _choices.way_of_validation(frame, table, higher, bench)
    if is_turned:  # so that the best is at the same end
        frame = frame.assign(validation=-frame.validation)
    _common.names(frame, bench)
    if (
        "seed" in frame
        and not frame.seed.astype(str)
        .str.lower()
        .str.startswith(("seed", "run", "rep"))
        .any()
    ):
        _units.refuse_folds(frame.seed, table.roles["seed"], bench)
    each = None if is_search else _stands_for_runs(table, bench)
    if is_search:
        _check_trials(frame, settings, table, bench)
    else:
        _check_seeds(frame, table, bench)
    _steps(frame, table, settings, each, bench)
    _grouped(table, bench)
    frame = _means.without_summaries(frame, table, bench)
    if is_search:
        varied = f"What varies is taken for settings ({examples(settings, 6)})"
        seen = varied if settings else "No setting is in the file"
        bench.say(
            "settings", "note", f"{seen}: the searches are compared at equal budgets."
        )
        frame = _pruned(_without_seeds(frame, settings), table, bench)
    else:
        _settings(table, settings, each, bench)
    _common.scale(frame, metric, higher, bench)
    keys = ["system", *(name for name in ("seed", "run") if name in frame), *settings]
    frame = _failed.before_means(frame, keys, higher, bench)
    again = frame.duplicated([key for key in keys if key != "run"], keep=False).mean()
    if (
        {"seed", "run"} <= {*keys}
        and again > 0.5
        and (frame.groupby("system").seed.nunique() > 1).all()
    ):
        # The same seeds again and again: something else tells such runs apart.
        keys.remove("run")
    frame = _twice.duplicates(frame, keys, bench, what="run", raw=table.own())
    _twice.copies(frame, "seed", bench)
    _choices.chosen_by_test(
        frame, table, bench, search=is_search, by_validation=how_chosen
    )
    if not is_search:
        _failed.gaps(frame, table, bench)
    frame = _failed.failed(frame, higher, bench)
    n_runs = frame.system.value_counts(sort=False)
    _one_run(n_runs, table, bench)
    if is_search:
        are_seeds = "seed" in table.roles and "trial" not in table.roles
        _few_trials(frame, n_runs, settings * are_seeds, bench)
        _how_drawn(frame, table, settings, bench)
    elif n_runs.min() > 2:
        bench.fine("few", f"From {n_runs.min()} to {n_runs.max()} runs a system.")
    else:
        two = examples(n_runs.index[n_runs < 3])
        bench.say(
            "few", "note", f"{two}: two runs. The interval holds, and is very wide."
        )
    _choices.never_in_a_file(bench, tried=n_runs if is_search else None)
    chooser = table.roles["validation"] if "validation" in frame else None
    facts = {"has_seed": "seed" in frame, "each": each, "chooser": chooser}
    return Evidence.of(bench, frame, metric, higher, facts)


def _stands_for_runs(table, bench):
    """Return the column of people, shops or the like that somebody took for runs, or
    None.
    """
    frame, unit = table.frame, bench.options.unit
    said, *_ = bench.options.columns.get("run", (None,))
    name = unit if unit in frame else said
    if said not in (None, name):
        raise ValueError(
            f"unit: {shown(name)} is said to be it, and {shown(said)} to be the run:"
            " say one"
        )
    if (
        name is None
        or name == table.roles.get("seed")
        or schema.role_of(name) in ("run", "seed", "trial")
    ):
        return None
    if frame[name].dtype.kind == "O" and schema.is_shared(
        frame[name], table.column("system")
    ):
        bench.found(
            "groups",
            f"Several systems have the same values of {shown(name)}:"
            f" {examples(frame[name].unique())}.",
            "The scores of somebody who met several systems are paired: they are not"
            " separate runs.",
            f"--map {argument(f'item={name}')}, if every system met the same ones.",
            f"--map {argument(f'seed={name}')}, if each is a training run.",
        )
    return name


_A_SEARCH = (
    "write a row for each search: the score of the trial that its validation score"
    " chose."
)


def _check_trials(frame, settings, table, bench):
    """Refuse several searches of a system as one, unless trials are draws: their
    numbers come again.
    """
    if (
        "trial" not in frame
        or table.facts.get("trials")
        or bench.options.search == "random"
    ):
        return
    trials = (
        frame.drop_duplicates(["system", "trial", *settings]) if settings else frame
    )
    again = trials.duplicated(["system", "trial"])
    if again.mean() > 0.5:
        what = (
            f"Numbers of trials come again in a system, in {again.sum():,} of"
            f" {len(trials):,} trials."
        )
        why = (
            "It seems that there are several searches, each with its own count: then a"
            " search is a run."
        )
        drawn = (
            "--search random, if each trial was drawn by itself: then those of all"
            " searches are pooled."
        )
        bench.refuse("duplicates", what, why, _A_SEARCH, drawn)


def _check_seeds(frame, table, bench):
    """Refuse trials of one search as runs of a seed, and folds that all have one."""
    pairs = frame.reindex(columns=["system", "seed"])
    n_seeds, shared = (
        pairs.drop_duplicates().system.value_counts().max(),
        int(pairs.duplicated().sum()),
    )
    if "trial" in table.roles and shared and n_seeds > 1:
        what = (
            f"{count(shared, 'trial shares', 'trials share')} the system and the seed"
            " with another."
        )
        bench.refuse(
            "duplicates",
            what,
            "The search is the run: its trials are not runs of their own.",
            _A_SEARCH,
        )
    fold = table.roles.get("fold", table.roles.get("split"))
    if fold and n_seeds < 2 and len({*table.frame[fold]}) > 1:
        what, why = (
            f"{shown(fold)} tells the rows apart, and no seed does.",
            "Folds share training data.",
        )
        bench.refuse(
            "duplicates", what, why, "--unit fold: their scores are not independent."
        )


def _steps(frame, table, settings, each, bench):
    """Check that a row is a run: of training steps the last one is kept, if that is
    said.
    """
    is_row = bench.kind == "seeds" and not each and bench.options.duplicates != "mean"
    if is_row and {*frame.score.dropna()} == {0.0, 1.0}:
        what = (
            "All scores are 0 or 1, as of single answers: a row is an answer, it seems,"
            " and no run."
        )
        ways = (
            "--map item=COLUMN, for the column that names what was answered.",
            "--metric COLUMN, a run's score.",
        )
        return bench.found(
            "steps",
            what,
            "Answers are many, and none shows how far runs differ.",
            *ways,
        )
    if "step" not in table.roles:
        counts = [
            n
            for n in table.frame
            if schema.role_of(n) == "step" and len({*table.frame[n]}) > 1
        ]
        if counts and {*counts} <= bench.options.named():
            words = (
                f"{listed(counts)} would count steps by name, and you said otherwise."
            )
            return bench.say("steps", "note", words)
        if bench.options.duplicates:
            return bench.unchecked(
                "steps",
                "Rows of a run are averaged; whether they are its steps, nothing says.",
            )
        seen = (
            f"{count(len(frame), 'run')} in"
            f" {count(table.facts.get('files', 1), 'file')}, a row each"
        )
        return bench.fine(
            "steps", f"{seen}; no column is known to count steps or epochs."
        )
    name = table.roles["step"]
    frame = frame.assign(step=table.frame[name])
    keys = [
        "system",
        *(role for role in ("seed", "run", "trial") if role in frame),
        *settings,
    ]
    per_run = frame.groupby(keys, dropna=False).step.nunique()
    is_repeated = frame.duplicated(keys).any() and (per_run > 1).mean() > 0.5
    if is_repeated and (len(keys) > 1 or frame.step.nunique() > 2):
        of = (
            f"from {frame.step.min():g} to {frame.step.max():g} in"
            f" {count(len(per_run), 'run')}"
        )
        what = (
            f"{shown(name)} counts {of}: a row is a step, not a run ({len(frame):,}"
            " rows)."
        )
        why = (
            "Steps of one run are not independent: thousands of them say no more than"
            " the run."
        )
        last = f"--where {argument(name)}=last keeps the last step of each run."
        bench.refuse("steps", what, why, last, _twice.BEST_STEP)
    ended, end = table.facts.get("ended", ("", None))
    if end is not None:
        why = "A run that crashed, or lacks its last score, is not what the others are."
        bench.found(
            "steps",
            ended,
            why,
            f"--where {argument(name)}={as_shown(end)} compares those that came there.",
        )
    elif ended:
        bench.say("steps", "note", ended)
    else:
        bench.fine("steps", f"{shown(name)} does not repeat within a run.")


def _grouped(table, bench):
    """Check that rows which no column tells to be runs do not come from a few users or
    documents.
    """
    frame, system = table.frame, table.roles["system"]
    names = [
        *table.roles.get("group", ()),
        table.roles.get("rater"),
        bench.options.unit,
    ]
    for name in (
        (n for n in names if n in frame) if not {"seed", "run"} & {*table.roles} else ()
    ):
        n = frame.groupby(system)[name].nunique()
        if ((n > 1).any() or name == bench.options.unit) and frame.duplicated(
            [system, name]
        ).any():
            is_shared = schema.is_shared(frame[name], frame[system])
            bench.found(
                "groups",
                f"{len(frame):,} rows come from {frame[name].nunique():,} values of"
                f" {shown(name)}.",
                "Rows of one user, author or document resemble each other: taken one by"
                " one they make the interval too short.",
                f"--map {argument(f'run={name}')} --duplicates mean: the rows of each"
                " are averaged first.",
                *[
                    f"--map {argument(f'item={name}')}, if every system met the same"
                    " ones."
                ]
                * is_shared,
                f"--map {argument(f'note={name}')}, if it has nothing to do with the"
                " scores.",
            )


def _settings(table, settings, each, bench):
    """Check that the runs of a system, which its seeds tell apart, have one setting."""
    if each and (apart := _always_with(table, each)):
        name, of = apart
        bench.found(
            "settings",
            f"{shown(name)} goes with the system: {of}.",
            "Nobody can tell whether the systems make the difference, or"
            f" {shown(name)}.",
            f"compare where each system has every {shown(name)}.",
        )
    elif settings:
        bench.found(
            "settings",
            f"Settings vary within a system: {examples(settings, 6)}.",
            "What differs between such runs is not the seed alone.",
            f"{option('note', settings)}, if that is not a setting.",
            "--where COLUMN=VALUE keeps one setting; --where SYSTEM:COLUMN=VALUE that"
            " of one system.",
        )
    elif same := table.roles.get("setting", ()):
        bench.fine("settings", f"{examples(same, 6)} stay the same.")
    else:
        bench.fine("settings", "No column of settings varies within a system.")


def _always_with(table, each):
    """Return a column of words that has one value for each system, not the same, with
    these; or None.
    """
    frame, system = table.frame, table.roles["system"]
    words = [n for n in frame if frame[n].dtype.kind == "O" and n not in (system, each)]
    # A remark on a few rows is none.
    words = [n for n in words if frame[n].notna().all()]
    for name in words:
        own = frame.groupby(system, sort=False)[name].agg(["nunique", "first"])
        if (own["nunique"] == 1).all() and len({*own["first"]}) > 1:
            return name, ", ".join(
                f"{shown(s)} {shown(value)}" for s, value in own["first"].items()
            )
    return None


def _without_seeds(frame, settings):
    """Return rows without their seeds where most settings have several: a trial is a
    setting.
    """
    if not settings or "seed" not in frame:
        return frame
    n_seeds = frame.groupby(["system", *settings], dropna=False).seed.nunique()
    return frame.drop(columns="seed") if (n_seeds > 1).mean() >= 0.5 else frame


_STOPPED = (
    "What was stopped early has no final score, and whether it was depended on the"
    " trials before it: the trials that are left are not independent draws."
)


def _pruned(frame, table, bench):
    """Leave out the trials that a search stopped early, if that was accepted."""
    again, (ended, end) = (
        "search again without pruning, and at random.",
        table.facts.get("ended", ("", 0)),
    )
    if ended and end is None:  # as where ASHA is the scheduler
        bench.found("pruned", ended, f"Were trials stopped? {_STOPPED}", again)
        return frame
    if "status" not in frame:
        bench.unchecked("pruned", "No column is known to say how trials ended.")
        return frame
    is_pruned = frame.status.map(lambda v: str(v).lower() == "pruned")
    n_before = table.facts.get("pruned", 0)  # which a condition has left out already
    if not is_pruned.any() and not n_before:
        bench.fine("pruned", "No trial is said to be pruned.")
        return frame
    of_each = (
        f": {each(frame.system[is_pruned].value_counts())}" if is_pruned.any() else ""
    )
    what = f"{count(int(is_pruned.sum()) + n_before, 'trial')} were pruned{of_each}."
    bench.found("pruned", what, _STOPPED, again)
    bench.drop(is_pruned.sum(), "trials that were pruned")
    return frame[~is_pruned].reset_index(drop=True)


def _one_run(n_runs, table, bench):
    if n_runs.min() > 1:
        return bench.fine("one-run", f"{each(n_runs)} runs.")
    bench.found(
        "one-run",
        f"There is only one run of {listed(n_runs.index[n_runs < 2], 3)}.",
        "One run does not show how far another seed would lie: no interval can be made"
        " of it, and whatever difference it shows may be the seed's.",
        "run each system again with other seeds: five are few, twenty are better.",
        "give the predictions on the test items instead: they compare these two fitted"
        " models.",
        "if the scores are means of several runs, from_summary of evalkit takes them"
        " with their spread.",
    )
    bench.stop_if_faulty()


def _few_trials(frame, n_trials, settings, bench):
    if n_trials.min() >= FEWEST_TRIALS:
        at = (
            f"All are compared at {count(budget(frame), 'trial')}, a fifth of the"
            " smallest search."
        )
        return bench.fine("few", f"Trials: {each(n_trials)}. {at}")
    gone = sum(n for n, why in bench.left_out if why.endswith(_failed.DROPPED))
    without = f", without the {gone} that have no score" * bool(gone)
    bench.found(
        "few",
        f"Fewer than {FEWEST_TRIALS} trials:"
        f" {each(n_trials[n_trials < FEWEST_TRIALS])}{without}.",
        "Of so few trials nobody can say what another search would find.",
        *[
            "--failed worst, or --failed SCORE: trials that failed are trials, and"
            " count."
        ]
        * bool(gone),
        "search again, with more trials.",
        *[f"{option('note', settings)}, if these were measured and not set."]
        * bool(settings),
    )


def _how_drawn(frame, table, settings, bench):
    """Check that the settings were drawn at random, as far as they show it."""
    said = bench.options.search
    if said == "random":
        return bench.say(
            "search",
            "decided",
            "You said --search random: each trial is an independent draw.",
        )
    marks = [
        name.removeprefix(_OPTUNA_MARK)
        for name in table.frame
        if name.startswith(_OPTUNA_MARK)
    ]
    grids = [
        name
        for name, own in frame.groupby("system", sort=False)
        if _is_grid(own[settings])
    ]
    if said:
        seen = f"It is said to be a {said} search."
    elif guided := table.facts.get("guided") or optuna_store.guided(marks):
        seen = f"The trials have marks of {guided}."
    elif grids:
        seen = (
            f"The settings of {examples(grids)} are a grid: every combination is there."
        )
    elif table.facts.get("trials"):
        seen = (
            "An Optuna study does not say which sampler drew its trials; the default is"
            " guided (TPE)."
        )
    else:
        return bench.unchecked(
            "search",
            "The file does not say how settings were drawn: --search random says it.",
        )
    bench.found(
        "search",
        seen,
        "The expected best of n trials, and its interval, need independent draws. A"
        " guided search learns from its trials, and a grid is the same each time.",
        "--search random, if the sampler was random.",
        "or compare the best of several restarts of each search, one row a restart.",
    )


def _is_grid(settings):
    """Tell whether every combination of some values of several settings is there."""
    levels, n_distinct = settings.nunique(), len(settings.drop_duplicates())
    return (levels > 1).sum() > 1 and n_distinct > 3 and n_distinct == levels.prod()
