"""Optuna's database: the trials of one study or of several, one row a trial.

Bounds are those of `_sqlite`, and 2,000 settings and attributes: half a minute and 3
GiB of memory.
"""

from evalkit.reports._faults import shown, unreadable
from evalkit.reports._formats import _limits, _sqlite, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "a database of Optuna"
_UPGRADE = "optuna storage upgrade --storage sqlite:///FILE, on a copy of it."
_MARKS = {
    "tpe": "TPE",
    "cma": "CMA-ES",
    "grid": "a grid",
    "nsga": "NSGA",
    "gp": "GP",
    "qmc": "QMC",
}


def recognise(path, head):
    """Tell whether a file is such a database."""
    return _sqlite.holds(path, head, "studies", "trials", "trial_params")


def read(path):
    """Read all studies; each is a system."""
    with _sqlite.opened(path, _UPGRADE) as query:
        trials = query(
            "select trial_id, study_name as study, number, state, datetime_complete as"
            " ended, (julianday(datetime_complete) - julianday(datetime_start)) * 86400"
            " as seconds from trials join studies using (study_id) order by study_id,"
            " number"
        )
        values = query(
            "select trial_id, objective, case value_type when 'FINITE' then value end"
            " as value from trial_values"
        )
        params = query(
            "select trial_id, param_name, param_value, distribution_json from"
            " trial_params"
        )
        attributes = query(
            'select trial_id, "key", value_json from trial_user_attributes'
        )
        internal = query('select distinct "key" from trial_system_attributes')["key"]
        directions = query(
            "select objective, direction from study_directions"
        ).drop_duplicates()
    rows = params[["param_name", "param_value", "distribution_json"]].itertuples(
        index=False, name=None
    )
    params["value"] = [_meant(path, *row) for row in rows]
    what = "a user attribute is not JSON"
    attributes["value"] = [
        _values.json_text(path, text, what) for text in attributes.value_json
    ]
    wide = trials.set_index("trial_id")
    for table, names, start in (
        (
            values.assign(name="value" + values.objective.astype(str).replace("0", "")),
            "name",
            "",
        ),
        (params, "param_name", "params_"),
        (attributes, "key", "user_attrs_"),
    ):
        wide = wide.join(
            _values.by_name(path, table, "trial_id", names).add_prefix(start)
        )
    _limits.check_table(path, *wide.shape)
    frame, facts = _values.columns(wide.reset_index(drop=True))
    higher = {}
    for row in directions.itertuples():
        name = f"value{row.objective or ''}"
        higher[name] = row.direction == "MAXIMIZE" if name not in higher else None
    facts |= {"trials": True, "settings": [c for c in frame if c.startswith("params_")]}
    facts |= {
        "guided": guided(internal),
        "higher": {k: way for k, way in higher.items() if way is not None},
    }
    return Reading(
        FORMAT,
        frame,
        {"system": "study", "status": "state", "cost": "seconds"},
        facts=facts,
    )


def _meant(path, name, value, distribution):
    """Return the value of a setting: of a choice its number is stored."""
    what = f"the distribution of {shown(name)}"
    known = _values.as_object(
        path, _values.json_text(path, distribution, f"{what} is not JSON"), what
    )
    if known.get("name") != "CategoricalDistribution":
        return value
    choices = _values.as_object(
        path, known.get("attributes"), f"what belongs to {what}"
    ).get("choices")
    if not isinstance(choices, list) or value not in range(len(choices)):
        raise unreadable(path, f"{what} has no choice number {shown(value)}")
    return choices[int(value)]


def guided(internal):
    """Return which sampler left its marks, if one did: random sampling leaves none."""
    found = [
        word
        for mark, word in _MARKS.items()
        if any(str(key).startswith(mark) for key in internal)
    ]
    return ", ".join(found)
