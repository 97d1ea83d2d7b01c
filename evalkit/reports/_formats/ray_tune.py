"""Ray Tune's results: progress.csv, result.json (JSON lines),
`ResultGrid.get_dataframe()`; a row a report.

Known by `training_iteration` and `trial_id`, with `config/...` (in result.json an
object `config`) or `time_total_s`. Ray's own columns are notes, `done` among them. A
progress.csv has no config: it is read from params.json, which Ray writes beside it.
Bounds are those of a table.
"""

from dataclasses import replace
from pathlib import Path

from evalkit.reports._formats import _limits, _text, _values

FORMAT = "results of Ray Tune"
PATTERNS = ("result.json", "progress.csv")
_ITERATION, _TRIAL, _COST = "training_iteration", "trial_id", "time_total_s"
# Of ray.tune.result; words for the sake of space.
_OWN = (
    "done date timestamp time_this_iter_s time_since_restore timesteps_total"
    " timesteps_since_restore episodes_total iterations_since_restore experiment_id"
    " experiment_tag hostname node_ip pid logdir checkpoint_dir_name should_checkpoint"
    " warmup_time"
)
_SYSTEMS = ("config/system", "config/model", "config/method")


def fits(names):
    """Tell whether columns are those of Ray Tune."""
    has_config = any(name.startswith(("config/", "config.")) for name in names)
    return {_ITERATION, _TRIAL} <= {*names} and (has_config or _COST in names)


def recognise(path, head):
    """Tell whether a file is such a table, or such JSON lines."""
    names = (b'"config"', b'"training_iteration"', b'"trial_id"')
    is_json = head.lstrip().startswith(b"{") and all(name in head for name in names)
    return is_json or fits(_text.lines(head)[0])


def chosen(paths):
    """Return one file of each trial: Ray writes the same reports twice."""
    return list({path.parent: path for path in sorted(paths)}.values())


def beside(path):
    """Return the file of the settings of a trial, whether or not it is there."""
    return [path.with_name("params.json")] if path.name == "progress.csv" else []


def _with_settings(frame, file):
    """Return a table with the settings of its trial, which stand in a file."""
    settings = _values.flat(
        _values.as_object(file, _values.json_file(file), "what it holds")
    )
    new = {
        f"config/{name.replace('.', '/')}": value for name, value in settings.items()
    }
    known, _ = _values.columns(_limits.frame(file, [new]))
    return known.iloc[[0] * len(frame)].reset_index(drop=True).assign(**frame)


def shape(reading, place=None):
    """Return a table of Ray Tune with what its columns are for.

    Parameters
    ----------
    reading : Reading
        Of a table.
    place : pathlib.Path, optional
        Its file.

    Returns
    -------
    Reading
    """
    frame = reading.frame
    for file in filter(Path.is_file, beside(place) if place else []):
        frame = _with_settings(frame, file)
    frame = frame.rename(
        columns=lambda n: n.replace(".", "/") if n.startswith("config.") else n
    )
    config = [name for name in frame.columns if name.startswith("config/")]
    roles = {"run": _TRIAL, "step": _ITERATION} | (
        {"cost": _COST} if _COST in frame else {}
    )
    systems = [name for name in _SYSTEMS if name in config]
    roles |= {"system": systems[0]} if len(systems) == 1 else {}
    roles |= {"seed": "config/seed"} if "config/seed" in config else {}
    settings = [name for name in config if name not in roles.values()]
    notes = [
        name for name in frame.columns if name in _OWN.split() and name not in config
    ]
    roles |= {"setting": tuple(settings), "note": tuple(notes)}
    used = {
        *config,
        *notes,
        *(name for name in roles.values() if isinstance(name, str)),
    }
    # The index of a table.
    used |= {name for name in frame if str(name).lower().startswith("unnamed")}
    metrics = [n for n in frame.columns if n not in used and frame[n].dtype.kind == "f"]
    frame = frame.assign(
        **{_TRIAL: frame[_TRIAL].map(lambda v: f"{v:g}" if isinstance(v, float) else v)}
    )
    # Ray writes it where a trial failed.
    if place and place.with_name("error.txt").exists():
        frame, roles = frame.assign(status="error"), {**roles, "status": "status"}
    facts = {**reading.facts, "settings": settings, "metrics": metrics}
    return replace(reading, format=FORMAT, frame=frame, roles=roles, facts=facts)
