"""Optuna's database: the trials of one study or of several, one row a trial."""

import json

from evalkit.reports._readers import _sqlite, _values
from evalkit.reports._reading import Reading

FORMAT = "a database of Optuna"


def recognise(path, head):
    """Tell whether a file is such a database."""
    return _sqlite.holds(path, head, "studies", "trials", "trial_params", "trial_values")


def read(path):
    """Read all studies; each is a system."""
    with _sqlite.opened(path) as query:
        trials = query(
            "select trial_id, study_name as study, number, state, datetime_complete as ended, "
            "(julianday(datetime_complete) - julianday(datetime_start)) * 86400 as seconds from trials join "
            "studies using (study_id) order by study_id, number"
        )
        values = query(
            "select trial_id, objective, case value_type when 'FINITE' then value end as value from "
            "trial_values"
        )
        params = query("select trial_id, param_name, param_value, distribution_json from trial_params")
        attributes = query('select trial_id, "key", value_json from trial_user_attributes')
        internal = query('select distinct "key" from trial_system_attributes')["key"]
        directions = query("select objective, direction from study_directions").drop_duplicates()
    params["value"] = [_meant(*row) for row in params[["param_value", "distribution_json"]].to_numpy()]
    attributes["value"] = [json.loads(text) for text in attributes.value_json]
    wide = trials.set_index("trial_id")
    for table, names, start in (
        (values.assign(name="value" + values.objective.astype(str).replace("0", "")), "name", ""),
        (params, "param_name", "params_"),
        (attributes, "key", "user_attrs_"),
    ):
        wide = wide.join(_values.by_name(table, "trial_id", names).add_prefix(start))
    frame, notes = _values.columns(wide.reset_index(drop=True))
    settings = [c for c in frame if c.startswith("params_")]
    higher = {}
    for row in directions.itertuples():
        name = f"value{row.objective or ''}"
        higher[name] = row.direction == "MAXIMIZE" if name not in higher else None
    facts = {"trials": True, "settings": settings, "notes": notes, "guided": guided(internal)}
    facts["higher"] = {name: way for name, way in higher.items() if way is not None}
    return Reading(FORMAT, frame, {"system": "study", "status": "state", "cost": "seconds"}, facts=facts)


def _meant(value, distribution):
    known = json.loads(distribution)
    choices = known.get("attributes", {}).get("choices")
    return choices[int(value)] if known.get("name") == "CategoricalDistribution" else value


def guided(internal):
    """Return which sampler left its marks, if one did: random sampling leaves none."""
    marks = {"tpe": "TPE", "cma": "CMA-ES", "grid": "a grid", "nsga": "NSGA", "gp": "GP", "qmc": "QMC"}
    found = [word for mark, word in marks.items() if any(str(key).startswith(mark) for key in internal)]
    return ", ".join(found)
