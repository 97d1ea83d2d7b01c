"""A run of Weights & Biases that was logged offline: its .wandb file, one row a run.

Read are the fields that a runs table needs; their numbers are those of W&B's public schema
(wandb_internal.proto). Of a log 128 MiB are read at most, and 2,000 names: about a minute and 1 GiB of
memory. A log that was cut off is that of a run that crashed.
"""

import json

from evalkit.reports._faults import RefusedError, shown, unreadable
from evalkit.reports._formats import _limits, _protobuf, _values
from evalkit.reports._recognition._reading import Reading

FORMAT = "an offline run of Weights & Biases"
PATTERNS = ("run-*.wandb",)
_SUMMARY, _CONFIG, _RUN, _EXIT = 3, 5, 17, 18  # fields of Record
_KEY, _NESTED, _JSON = 1, 2, 16  # of the items of a summary and a config
_NAME, _RUN_CONFIG = 8, 4  # of a run


def recognise(path, head):
    """Tell whether a file is such a log."""
    return head.startswith(b":W&B")


def read(path):
    """Read one run."""
    _limits.check_bytes(path, path.stat().st_size)
    row, summary, state, n_runs = {"Name": path.stem}, {}, "crashed", 0  # until it says how it ended
    try:
        for record in _protobuf.records(path.read_bytes()):
            fields = _protobuf.fields(record)
            for body in fields.get(_SUMMARY, []):
                summary |= _items(body)
            for body in fields.get(_RUN, []):
                run, n_runs = _protobuf.message(body), n_runs + 1
                row["Name"] = _protobuf.as_bytes(run.get(_NAME, [b""])[0]).decode() or row["Name"]
                row |= _items(run.get(_RUN_CONFIG, [b""])[0])
            for body in fields.get(_CONFIG, []):
                row |= _items(body)
            for body in fields.get(_EXIT, []):
                state = "failed" if _protobuf.message(body).get(1, [0])[0] else "finished"
            _limits.check_table(path, 1, len(row) + len(summary))
    except RefusedError:
        raise
    except ValueError as error:
        raise unreadable(path, f"it is not a whole log of W&B ({shown(error)})") from None
    if not n_runs:
        raise unreadable(path, "it is not a whole log of W&B (no run is in it)")
    row |= {key if key not in row else f"summary.{key}": value for key, value in summary.items()}
    row = {key: value for key, value in _values.flat(row).items() if not key.startswith("_")}
    frame, facts = _values.columns(_limits.frame(path, [{**row, "State": state}]))
    return Reading(FORMAT, frame, {"status": "State"}, facts=facts)


def _items(body):
    """Return the updates of a summary or a config as names and values."""
    out = {}
    for update in _protobuf.message(body).get(1, []):
        item = _protobuf.message(update)
        names = map(_protobuf.as_bytes, item.get(_KEY, []) + item.get(_NESTED, []))
        name = ".".join(part.decode() for part in names)
        out[name] = json.loads(_protobuf.as_bytes(item[_JSON][0])) if _JSON in item else None
    return out
