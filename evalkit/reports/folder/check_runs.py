"""Hold runs.csv to runs_schema.toml: `python check_runs.py`. Needs nothing but
Python.
"""

import csv
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def faults(rows, schema):
    """Yield a sentence for everything that is wrong."""
    seen, settings = {}, {}
    for line, row in enumerate(rows, start=2):
        if missing := [name for name in schema if row.get(name) is None]:
            yield f"line {line}: no {', '.join(missing)}"
            continue
        for name, rule in schema.items():
            form = (
                rule.get("crashed", rule["pattern"])
                if row["status"] == "crashed"
                else rule["pattern"]
            )
            if not re.fullmatch(form, row[name]):
                yield f"line {line}: {name} must {rule['must']}; got {row[name]!r}"
        if (key := (row["system"], row["seed"])) in seen:
            yield (
                f"line {line}: {key[0]} has the seed {key[1]} in line {seen[key]}"
                " already"
            )
        seen[key] = line
        first = settings.setdefault(row["system"], (row["setting"], line))
        if row["setting"] != first[0]:
            yield (
                f"line {line}: {row['system']} has another setting than in line"
                f" {first[1]}"
            )
    if not seen:
        yield "there is no run in it yet"


def main():
    """Check the table, and return the exit status."""
    try:
        schema = tomllib.loads((HERE / "runs_schema.toml").read_text(encoding="utf-8"))
        lines = (HERE / "runs.csv").read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        name = Path(error.filename).name
        print(
            f"{name}: cannot be read ({error.strerror}); it belongs beside"
            " check_runs.py"
        )
        return 1
    reader = csv.DictReader(lines)
    if reader.fieldnames != list(schema):
        print(
            f"runs.csv: the columns must be {', '.join(schema)}; they are"
            f" {reader.fieldnames}"
        )
        return 1
    found = list(faults(reader, schema))
    print(
        "\n".join(f"runs.csv: {words}" for words in found) or "runs.csv: nothing found"
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
