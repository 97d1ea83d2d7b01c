"""Write down every glued value of the built book and every line of the scorecard, and say which changed.

    python book/_tools/values.py > before.csv              before a change that should change no number
    python book/_tools/values.py --against before.csv      after it, with the book built again

A value that is timed while a page is built differs from build to build: look at what is listed.
"""

import argparse
import io
import json
import sys
from pathlib import Path

import pandas as pd

from lab import scorecard

ROOT = Path(__file__).resolve().parents[2]
_EXECUTED = Path("_build", "next", "_build", "jupyter_execute")
_KEYS = ["where", "name"]


def values(root=ROOT):
    """Return all values as text.

    Parameters
    ----------
    root : path-like
        A checkout in which the book was built.

    Returns
    -------
    pandas.DataFrame
        Columns `where` (a page, or "scorecard"), `name` and `value`.
    """
    executed = Path(root) / _EXECUTED
    rows = []
    for file in sorted(executed.rglob("*.glue.json")):
        page = file.relative_to(executed).as_posix().removesuffix(".glue.json")
        for name, output in json.loads(file.read_text(encoding="utf-8")).items():
            rows.append((page, name, output["data"]["text/plain"]))
    if not rows:
        raise SystemExit(f"no book was built in {root}: run `make book` there")
    card = io.StringIO()
    scorecard.to_csv(card, Path(root) / "data")
    card.seek(0)
    for line in pd.read_csv(card, dtype=str, keep_default_na=False).to_dict("records"):
        name = f"{line['paper']} {line['counts_as']} {line['id']}"
        rows.append(("scorecard", name, json.dumps(line, ensure_ascii=False)))
    return pd.DataFrame(rows, columns=[*_KEYS, "value"])


def changes(before, after):
    """Return the values that are not the same in two tables of `values`.

    Parameters
    ----------
    before, after : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        Columns `where`, `name`, `before` and `after`, empty where there was none or is none.
    """
    both = before.merge(after, on=_KEYS, how="outer", suffixes=("_before", "_after")).fillna("")
    both.columns = [*_KEYS, "before", "after"]
    return both[both.before != both.after]


def main():
    """Print the values, or what changed of them; exit with 1 if something did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout (default: this one)")
    parser.add_argument("--against", type=Path, metavar="CSV", help="what was printed before")
    options = parser.parse_args()
    after = values(options.root)
    if options.against is None:
        print(after.to_csv(index=False, lineterminator="\n"), end="")
        return 0
    before = pd.read_csv(options.against, dtype=str, keep_default_na=False)
    changed = changes(before, after)
    for line in changed.itertuples():
        print(f"{line.where}: {line.name}\n  before  {line.before}\n  after   {line.after}")
    print(f"{len(changed)} of {len(before)} values changed")
    return int(len(changed) > 0)


if __name__ == "__main__":
    sys.exit(main())
