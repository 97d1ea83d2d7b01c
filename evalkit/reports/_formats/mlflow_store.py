"""MLflow's local stores: its database (mlflow.db) and its folder of files (mlruns), one
row a run.

Runs that were deleted there are not compared. Bounds are those of `_sqlite`, and 2,000
metrics and parameters; of a folder's files 16 MiB each: half a minute and 3 GiB of
memory.
"""

from evalkit.reports._faults import unreadable
from evalkit.reports._formats import _limits, _sqlite, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a local store of MLflow"
PATTERNS = ("meta.yaml", "mlflow.db")
_STATES = {
    "1": "RUNNING",
    "2": "SCHEDULED",
    "3": "FINISHED",
    "4": "FAILED",
    "5": "KILLED",
}


def chosen(paths):
    """Return the meta.yaml of each run of a folder mlruns that was not deleted, or else
    the database.
    """
    runs = [path for path in paths if path.suffix == ".yaml"]
    return (
        [path for path in runs if _meta(path).get("lifecycle_stage") != "deleted"]
        if runs
        else paths
    )


def _meta(path):
    lines = _limits.small_text(path)
    return {
        key.strip(): value.strip(" '\"")
        for key, _, value in (line.partition(":") for line in lines)
    }


def beside(path):
    """Return the files of metrics and parameters of a run that its meta.yaml
    describes.
    """
    return (
        []
        if path.name != "meta.yaml"
        else [*_written(path, "metrics"), *_written(path, "params")]
    )


def _written(path, part):
    if (folder := path.parent / part).is_symlink():
        raise unreadable(
            folder,
            "it is a link, and may lead anywhere",
            "give the folder that MLflow wrote.",
        )
    return sorted(p for p in folder.rglob("*") if p.is_file())


def recognise(path, head):
    """Tell whether a file is the database, or describes a run."""
    is_run = path.name == "meta.yaml" and (path.parent / "metrics").is_dir()
    return is_run or _sqlite.holds(path, head, "runs", "params", "experiments")


def read(path):
    """Read the runs."""
    return _run(path) if path.name == "meta.yaml" else _database(path)


def _database(path):
    with _sqlite.opened(
        path, "mlflow db upgrade sqlite:///FILE, on a copy of it."
    ) as query:
        runs = query(
            "select run_uuid as run_id, runs.name as run_name, status,"
            " runs.lifecycle_stage as stage, experiments.name as experiment from runs"
            " join experiments using (experiment_id) order by start_time"
        )
        metrics = query(
            "select run_uuid as run_id, key, case when is_nan then null else value end"
            " as value from latest_metrics"
        )
        params = query("select run_uuid as run_id, key, value from params")
    wide = runs.set_index("run_id")
    for part, table in (("metrics", metrics), ("params", params)):
        wide = wide.join(
            _values.by_name(path, table, "run_id", "key").add_prefix(f"{part}.")
        )
    _limits.check_table(path, *wide.shape)
    is_deleted = wide.stage == "deleted"
    left = (
        ((int(is_deleted.sum()), "runs that were deleted in MLflow"),)
        if is_deleted.any()
        else ()
    )
    return _reading(wide[~is_deleted].drop(columns="stage").reset_index(), left)


def _run(path):
    meta = _meta(path)
    row = {
        "run_id": meta.get("run_id", path.parent.name),
        "run_name": meta.get("run_name"),
    }
    row |= {"status": _STATES.get(meta.get("status", ""), meta.get("status"))}
    row |= {"experiment": path.parts[-3] if len(path.parts) > 2 else ""}
    for part in ("metrics", "params"):
        for file in _written(path, part):
            written = _limits.small_text(file) or [""]
            words = written[-1].split() if part == "metrics" else [" ".join(written)]
            if part == "metrics" and len(words) < 2:
                raise unreadable(
                    file, "a metric of MLflow has a time and a value on each line"
                )
            row[f"{part}.{file.relative_to(path.parent / part)}"] = words[
                part == "metrics"
            ]
    return _reading(_limits.frame(path, [row]), ())


def _reading(frame, left):
    frame, facts = _values.columns(frame)
    return Reading(FORMAT, frame, {"status": "status"}, facts=facts, left_out=left)
