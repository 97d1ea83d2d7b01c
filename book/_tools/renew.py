"""Record again what was computed from the docstring corpus, after one of its six
packages was raised.

    python book/_tools/renew.py             freeze the installed corpus, and run again
    all that needs it python book/_tools/renew.py --dry-run   name the experiments, and
    the core hours that they took python book/_tools/renew.py NAME ...    only these,
    for now

The new rows grow in `runs/renewed-<hash>`; when it was stopped, the same command goes
on.
"""

import argparse
import graphlib
import importlib
import re
import shutil
import subprocess
import sys

from evalkit._files import write_atomically
from lab.cli import EXPERIMENTS
from lab.data import datasets
from lab.data.files import sha256
from lab.record import runs, tables
from lab.record.hashes import reached_by

# In the code that an experiment reaches: whose record it reads.
_READS = re.compile(
    r"""(?:load_recorded|recorded_rows)'.{,60}?'Constant', \('value', "'(\w+)'"""
)


def affected():
    """Name the experiments that the corpus decides, each after those whose record it
    reads.
    """
    reads, found = {}, set()
    for name, module in EXPERIMENTS.items():
        experiment = importlib.import_module(module).EXPERIMENT
        code = reached_by(
            [experiment.plan, experiment.extras, *experiment.tables.values()]
        )
        reads[name] = set(_READS.findall(repr(code))) - {name}
        found |= {name} if ("lab.data.datasets", "_check_frozen") in code else set()
    while more := {name for name in reads if reads[name] & found} - found:
        found |= more
    return list(
        graphlib.TopologicalSorter(
            {name: reads[name] & found for name in sorted(found)}
        ).static_order()
    )


def renew(names):
    """Freeze the corpus that is installed, and record the experiments again."""
    content, frozen = (
        runs.extra_csv(datasets.describe_corpus()),
        datasets.DATA / "docstrings.csv",
    )
    new = runs.default_store("all").parent / f"renewed-{sha256(content)[:12]}"
    if frozen.read_bytes() == content and not new.exists():
        sys.exit("The installed corpus is the frozen one: nothing has to be renewed.")
    new.mkdir(parents=True, exist_ok=True)
    write_atomically(frozen, content)
    for name in names:
        places = ["--store", new / f"{name}.sqlite", "--folder", new / name]
        command = ["-m", "lab", "run", name, "--export", *places]
        subprocess.run([sys.executable, *command], check=True)
        shutil.copytree(new / name, tables.recorded_folder(name), dirs_exist_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Record again what was computed from the docstring corpus."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="by default all that need it"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="name the experiments, and run none"
    )
    options, every = parser.parse_args(), affected()
    if unknown := set(options.names) - set(every):
        parser.error(f"not computed from the corpus: {', '.join(sorted(unknown))}")
    if options.dry_run:
        for name in every:
            seconds = sum(
                tables.recorded_number(row, "seconds")
                for row in tables.recorded_rows(name)
            )
            timed_by = " and ".join(
                sorted(set(tables.load_provenance(name)["seconds"].values()))
            )
            print(f"{seconds / 3600:5.2f} core hours, timed by the {timed_by}  {name}")
    else:
        renew([name for name in every if name in (options.names or every)])
