"""What fails with another patch version of a package that the book computes with.

    python benchmarks/pins.py numpy==2.4.5 scipy==1.17.0,pandas==3.1.0

For each, a clone of the last commit with that pin exchanged, or with those that a comma
joins, runs the README's two commands in an environment and a cache of its own: a
quarter of an hour each. The table is `data/measured/pins.csv`.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import record

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "data" / "measured" / "pins.csv"
COLUMNS = ["package", "pinned", "tried", "command", "seconds", "failed", "date"]
PINS = ("requirements-light.txt", "requirements.txt", "constraints.txt")
# How each command names what failed.
FAILED = {
    "test": r"^(?:FAILED|ERROR) (\S+?)(?:\[| -|$)",
    "book": r"(\S+): WARNING: Executing notebook failed",
}


def exchange(folder, package, version):
    """Exchange one pin in a clone; return what was pinned."""
    pin, pinned = re.compile(rf"(?m)^({re.escape(package)}==)(\S+)"), set()
    for name in PINS:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        pinned |= {found[2] for found in pin.finditer(text)}
        path.write_text(pin.sub(rf"\g<1>{version}", text), encoding="utf-8")
    if len(pinned) != 1:
        raise SystemExit(f"{package} must be pinned once; found {sorted(pinned)}")
    return pinned.pop()


def tried(requirement):
    """Run both commands with other versions; yield a row for each."""
    pairs = [pair.split("==") for pair in requirement.split(",")]
    package, version = (" ".join(column) for column in zip(*pairs, strict=True))
    folder = ROOT / "_build" / "pins" / package.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    book = folder / "book"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(book)], check=True)
    pinned = " ".join(exchange(book, *pair) for pair in pairs)
    environment = {**os.environ, "EVALKIT_CACHE": str(folder / "cache")}
    for command, pattern in FAILED.items():
        start, log = time.perf_counter(), folder / f"{command}.log"
        with log.open("wb") as file:
            code = subprocess.run(
                ["make", command],
                cwd=book,
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
        said = log.read_text(encoding="utf-8", errors="replace")
        if command == "book" and (full := book / "_build" / "build.log").exists():
            said += full.read_text(encoding="utf-8", errors="replace")
        failed = sorted(
            {name.rpartition("/")[2] for name in re.findall(pattern, said, re.M)}
        )
        if code and not failed:
            failed = [f"stopped; see {log.relative_to(ROOT)}"]
        seconds = round(time.perf_counter() - start)
        words = "; ".join(failed) or "nothing"
        today = datetime.now(UTC).date().isoformat()
        yield [package, pinned, version, f"make {command}", seconds, words, today]


def main(requirements):
    """Try each, and write its rows as they come."""
    rows = []
    if TABLE.exists():
        with TABLE.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
    for requirement in requirements:
        for row in tried(requirement):
            print(*row, sep=", ", flush=True)
            rows = [old for old in rows if (old[0], old[3]) != (row[0], row[3])]
            rows.append(row)
            with TABLE.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(
                    [COLUMNS, *sorted(rows, key=str)]
                )
            record.describe("pins", ())


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
