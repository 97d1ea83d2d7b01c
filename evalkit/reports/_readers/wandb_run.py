"""A run of Weights & Biases that was logged offline: its .wandb file, one row a run.

Read are the fields that a runs table needs; their numbers are those of W&B's public schema
(wandb_internal.proto).
"""

import json
import os
import struct

import pandas as pd

from evalkit.reports._faults import unreadable
from evalkit.reports._readers import _protobuf, _values
from evalkit.reports._reading import Reading

FORMAT = "an offline run of Weights & Biases"
_SUMMARY, _CONFIG, _RUN, _EXIT = 3, 5, 17, 18  # fields of Record
_KEY, _NESTED, _JSON = 1, 2, 16  # of the items of a summary and a config


def find(folder, _):
    """Return the logs of the runs in a folder; the link to the latest run is no other run."""
    links_first = sorted(folder.rglob("run-*.wandb"), key=os.path.islink, reverse=True)
    return {path.resolve(): path for path in links_first}.values()


def recognise(path, head):
    """Tell whether a file is such a log."""
    return head.startswith(b":W&B")


def read(path):
    """Read one run."""
    row, summary, state = {"Name": path.stem}, {}, "crashed"  # until it says how it ended
    try:
        for record in _protobuf.records(path.read_bytes()):
            fields = _protobuf.fields(record)
            for body in fields.get(_SUMMARY, []):
                summary |= _items(body)
            for body in fields.get(_RUN, []):
                run = _protobuf.fields(body)
                row["Name"] = run.get(8, [b""])[0].decode() or row["Name"]
                row |= _items(run.get(4, [b""])[0])
            for body in fields.get(_CONFIG, []):
                row |= _items(body)
            for body in fields.get(_EXIT, []):
                state = "failed" if _protobuf.fields(body).get(1, [0])[0] else "finished"
    except (struct.error, IndexError, ValueError) as error:
        raise unreadable(path, f"it is no whole log of W&B ({error})") from None
    row |= {key if key not in row else f"summary.{key}": value for key, value in summary.items()}
    row = {key: value for key, value in _values.flat(row).items() if not key.startswith("_")}
    frame, notes = _values.columns(pd.DataFrame([{**row, "State": state}]))
    return Reading(FORMAT, frame, {"status": "State"}, facts={"notes": notes})


def _items(body):
    """Return the updates of a summary or a config as names and values."""
    out = {}
    for update in _protobuf.fields(body).get(1, []):
        item = _protobuf.fields(update)
        name = ".".join(part.decode() for part in item.get(_KEY, []) + item.get(_NESTED, []))
        out[name] = json.loads(item[_JSON][0]) if _JSON in item else None
    return out
