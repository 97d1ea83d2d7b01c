"""A scalar of TensorBoard, exported as CSV with the columns `Wall time`, `Step` and
`Value`: a file is a run.

TensorBoard names the file run-RUN-tag-TAG.csv, from which the name of the metric is
read. Bounds are those of a table.
"""

from dataclasses import replace

from evalkit.reports._formats import _text

FORMAT = "a scalar of TensorBoard"
_COLUMNS = ["Wall time", "Step", "Value"]


def recognise(path, head):
    """Tell whether a file has the columns of such a table, and no others."""
    return _text.lines(head)[0] == _COLUMNS


def shape(reading, path):
    """Return the table of a scalar as that of a run."""
    frame, facts = reading.frame, dict(reading.facts)
    names, score = {}, "Value"
    run, _, tag = (
        path.name.removeprefix("run-").removesuffix(".csv").rpartition("-tag-")
    )
    if run and tag and path.name == f"run-{run}-tag-{tag}.csv":
        score = tag if tag not in _COLUMNS else score
        frame, names = frame.rename(columns={"Value": score}), {"run": run}
    facts["metrics"] = [score]
    roles = {"step": "Step", "score": score, "note": ("Wall time",)}
    return replace(
        reading, format=FORMAT, frame=frame, roles=roles, names=names, facts=facts
    )
