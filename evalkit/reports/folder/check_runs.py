"""Hold runs.csv to runs_schema.toml: `python check_runs.py`. Needs nothing but Python."""

import csv
import math
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def fault(column, rule, value, crashed):
    """Return what is wrong with a value, or None."""
    kind = rule["kind"]
    if kind in ("name", "setting"):
        return None if value.strip() == value and value else "is empty, or has spaces around it"
    if kind == "choice":
        return None if value in rule["choices"] else f"must be one of {', '.join(rule['choices'])}"
    if crashed and kind == "share":
        return None if value == "" else "must be empty: a run that crashed has no score"
    if value == "" and crashed and kind != "whole":
        return None
    try:
        number = float(value)
    except ValueError:
        return "is no number"
    if not math.isfinite(number):
        return "is not finite: a run that diverged has crashed, and no score"
    if kind == "whole":
        # In one spelling: 4 and 04 would pass for two seeds.
        return (
            None
            if value.isdigit() and value == f"{number:.0f}"
            else "must be a whole number from 0, as 4 or 10"
        )
    high = 1 if kind == "share" else math.inf
    return None if 0 <= number <= high else f"must lie between 0 and {high:g}"


def faults(rows, schema):
    """Yield a sentence for everything that is wrong."""
    seen, settings = {}, {}
    for line, row in enumerate(rows, start=2):
        if missing := [name for name in schema if row.get(name) is None]:
            yield f"line {line}: no {', '.join(missing)}"
            continue
        crashed = row["status"] == "crashed"
        for name, rule in schema.items():
            if wrong := fault(name, rule, row[name], crashed):
                yield f"line {line}: {name} {wrong}, got {row[name]!r}"
        if (key := (row["system"], row["seed"])) in seen:
            yield f"line {line}: {key[0]} has the seed {key[1]} in line {seen[key]} already"
        seen[key] = line
        first = settings.setdefault(row["system"], (row["setting"], line))
        if row["setting"] != first[0]:
            yield f"line {line}: {row['system']} has another setting than in line {first[1]}"
    if not seen:
        yield "there is no run in it yet"


def main():
    """Check the table, and return the exit status."""
    try:
        schema = tomllib.loads((HERE / "runs_schema.toml").read_text(encoding="utf-8"))
        lines = (HERE / "runs.csv").read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        print(
            f"{Path(error.filename).name}: cannot be read ({error.strerror}); it belongs beside check_runs.py"
        )
        return 1
    reader = csv.DictReader(lines)
    if reader.fieldnames != list(schema):
        print(f"runs.csv: the columns must be {', '.join(schema)}; they are {reader.fieldnames}")
        return 1
    found = list(faults(reader, schema))
    print("\n".join(f"runs.csv: {words}" for words in found) or "runs.csv: nothing found")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
