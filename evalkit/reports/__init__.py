"""From somebody's results to a page that a strict reviewer accepts: `evalkit.report`
and its command.

Files are read, their columns recognised, and everything that would make the comparison
wrong is looked for. What is found must be decided before anything is written; what a
file cannot show is listed as not checked. The numbers are calls of evalkit's public
functions, and the page shows these calls.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from evalkit._files import write_atomically
from evalkit.reports import _analysis, _options, _outputs
from evalkit.reports._bench import RUNS, Bench
from evalkit.reports._faults import Checked, Fault, RefusedError, listed, shown
from evalkit.reports._kinds import _agreement, _datasets, _folds, _items, _runs, _sizes
from evalkit.reports._pages import _card, _document, _page, _paper, _prose
from evalkit.reports._recognition import (
    _gather,
    _places,
    _proposal,
    _results,
    _seen,
    _where,
)
from evalkit.reports._recognition._proposal import UnconfirmedError
from evalkit.reports._recognition._reading import listing
from evalkit.reports._recognition._table import as_tuple
from evalkit.reports.schema import role_of

__all__ = ["Checked", "Fault", "RefusedError", "Report", "UnconfirmedError", "report"]

_UNITS = ("item", "dataset", "fold", "split")
_KINDS = {
    "seeds": _runs,
    "search": _runs,
    "items": _items,
    "folds": _folds,
    "datasets": _datasets,
    "sizes": _sizes,
    "agreement": _agreement,
}


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison with all that belongs to it; in a notebook it shows its page.

    Attributes
    ----------
    evidence : Evidence
        What is compared.
    findings : Findings
        What came of it.
    bench : Bench
        What was checked, decided and left out.
    readings : tuple of Reading
        What was read.
    ignored : tuple of str
        Files of a folder that no reader knows.
    columns : tuple
        For each role its column, and why.
    roles : dict of str to str or tuple of str
        The columns of the files, by role, the metric among them: what `evalkit.toml`
        keeps.
    notes : tuple of str
    source : str
        The call that makes this report again.
    version : str
        Of evalkit.
    """

    evidence: object
    findings: object
    bench: object
    readings: tuple
    ignored: tuple
    columns: tuple
    roles: dict
    notes: tuple
    source: str
    version: str

    @property
    def table(self):
        """All comparisons, a row each."""
        keys = (
            "system",
            "difference",
            "low",
            "high",
            "method",
            "test",
            "pvalue",
            "adjusted",
            "verdict",
        )
        return pd.DataFrame(
            [
                {key: getattr(one, key) for key in keys}
                for one in self.findings.contrasts
            ]
        )

    @property
    def used(self):
        """The rows that are compared."""
        return self.evidence.used

    @property
    def checks(self):
        """What was checked, a row each."""
        return pd.DataFrame([vars(check) for check in self.bench.checks])

    @property
    def paper(self):
        """What goes into a paper, a str for each paragraph: methods, results, what was
        decided on the way.
        """
        return _paper.paragraphs(self.evidence, self.findings, self.bench, self.version)

    @property
    def code(self):
        """The Python that does it again."""
        calls = dict.fromkeys(
            str(asked) for one in self.findings.contrasts for asked in one.calls
        )
        imports = ["import evalkit as ek"] + ["from scipy import stats"] * any(
            c.startswith("stats.") for c in calls
        )
        lines = [
            *imports,
            "",
            f"found = {self.source}",
            *(f"print({line})" for line in calls),
        ]
        if len(self.findings.contrasts) > 1 and self.evidence.kind != "agreement":
            lines.append(
                f"print(ek.holm({[one.pvalue for one in self.findings.contrasts]}))"
            )
            if self.evidence.kind == "datasets":
                lines.append(
                    'wide = found.used.pivot(index="dataset", columns="system",'
                    ' values="score")'
                )
                way = f"direction={self.evidence.direction!r}"
                lines.append(
                    f"print(ek.compare_systems(wide, {way}))  # every pair, and the"
                    " mean ranks"
                )
        return "\n".join(lines)

    def scores(self, system, column="score"):
        """Return the scores of a system, as the calls take them.

        Parameters
        ----------
        system : str
        column : {"score", "validation"}, default "score"

        Returns
        -------
        ndarray of float, shape (n,) or (n_runs, n_items)
        """
        if system not in (self.evidence.baseline, *self.evidence.systems):
            raise ValueError(
                f"system must be one of the report's, got {shown(system)!r}"
            )
        return self.evidence.scores(system, column)

    def groups(self, column):
        """Return the group of each item, as the calls take them.

        Parameters
        ----------
        column : str

        Returns
        -------
        list of str
        """
        return self.evidence.groups(column)

    def write(self, form):
        """Return the report in a form.

        Parameters
        ----------
        form : {"html", "markdown", "code"}

        Returns
        -------
        str
        """
        if form == "code":
            return self.code + "\n"
        if form == "markdown":
            return _document.to_markdown(_page.blocks(self))
        if form == "html":
            return _document.to_html(_page.blocks(self), _page.title(self.evidence))
        raise ValueError(
            f"form must be one of {', '.join(_outputs.FORMS)}, got {form!r}"
        )

    def save(self, path):
        """Write the report to a file, in the form of its ending: .html, .md or .py.

        A file that was read for it is never written over.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        pathlib.Path
        """
        form = _outputs.form(path)
        _outputs.check(
            [path], [place for reading in self.readings for place in reading.inputs]
        )
        write_atomically(path, self.write(form).encode())
        return Path(path)

    def __str__(self):
        found, of = self.findings.contrasts, (self.evidence, self.findings)
        if len(found) > _paper.MOST:
            lines = [_paper.summary(*of), *map(_prose.line, found)]
        else:
            lines = [
                " ".join(pair)
                for pair in _paper.answers(*of, self.bench.options.margin)
            ]
        silent = (
            f" It says nothing about {self.findings.cannot[0]}"
            if self.findings.cannot
            else ""
        )
        lines.append(f"The answer is about {self.findings.varies}.{silent}")
        return "\n".join([*lines, *_card.top(self.bench)])

    def _repr_html_(self):
        return _document.to_html(_page.blocks(self), "", whole=False)


def report(
    results,
    *,
    baseline,
    metric=None,
    direction=None,
    columns=None,
    where=None,
    unit=None,
    margin=None,
    n_train=None,
    n_test=None,
    failed=None,
    unmatched=None,
    missing=None,
    duplicates=None,
    search=None,
    names=None,
    right=None,
    gold=None,
    accept=(),
    as_proposed=False,
):
    """Compare systems with a baseline, from a file of results to a page that a strict
    reviewer accepts.

    Parameters
    ----------
    results : path, list of paths, dict or DataFrame
        Files and folders: a table in the schema (`evalkit.reports.schema`; CSV,
        Parquet, JSON lines), a tool's own format (scikit-learn's `cv_results_`,
        lm-evaluation-harness, inspect, Optuna, MLflow, Weights & Biases, Ray and
        others), or any other table, whose columns are then asked about. A dict of paths
        names the systems. Or the same in Python: a DataFrame or a dict of its columns,
        arrays or DataFrames by system, `cv_results_`.
    baseline : str
        The system with which every other is compared.
    metric : str, optional
        The column of the scores; must be named where there are several.
    direction : {"higher", "lower"}, optional
        Which is better; must be named where neither the format nor the metric's name
        says it.
    columns : dict of str to str or list of str, optional
        Columns by role, where their names are not those of the schema.
    where : dict of str to object, optional
        Compare only rows with these values; "COLUMN!" with all others; "SYSTEM:COLUMN"
        is about one system; "last" keeps the last step of each run, "empty" empty
        cells.
    unit : str, optional
        What is independent: "seed", "item", "fold", "dataset", "trial", or the column
        of groups; of two columns with a comma between them each pair of values is one.
        "beginning" is what items whose names begin alike have in common: P03_01 and
        P03_02.
    margin : float, optional
        The largest difference that does not matter. Fix it before you look.
    n_train, n_test : int, optional
        Items in the training and test part of each fold.
    failed : {"drop", "worst"} or float, optional
        What a failed run scores.
    unmatched : {"drop"}, optional
        Compare on the items, or folds, that all systems have.
    missing : {"drop", "worst"}, optional
        What an empty cell of systems x data sets does.
    duplicates : {"mean"}, optional
        What rows that come again do.
    search : {"random", "grid", "guided"}, optional
        How the trials were drawn.
    names : str, optional
        The form of names of files, or of runs in a column, that hold a system and a
        run, such as "{system}_seed{seed}"; any role may stand in braces, and * is
        anything.
    right : str, optional
        The word among the scores that counts as 1; every other counts as 0.
    gold : path, optional
        The file among `results` that holds the right answers.
    accept : str or list of str, optional
        Codes of faults to go on with, as they are.
    as_proposed : bool, default False
        Take the column of systems that is proposed. Read it first: `UnconfirmedError`
        shows it.

    Returns
    -------
    Report

    Raises
    ------
    RefusedError
        A ValueError: with everything that must be decided first, in words, with counts
        and the option that goes on. Its `faults` have it one by one. It is an
        `UnconfirmedError` where columns are asked about.

    Notes
    -----
    What a file cannot show is listed as not checked, never as passed. Nothing in a file
    is run.

    Size: 100,000 rows in 5 s.

    Examples
    --------
    >>> from evalkit import report
    >>> scores = {"ours": [0.83, 0.85, 0.84, 0.86], "theirs": [0.80, 0.81, 0.82, 0.80]}
    >>> print(report(scores, baseline="theirs", metric="accuracy", unit="seed").findings.contrasts[0].verdict)
    better
    """
    said = {name: value for name, value in locals().items() if name != "results"}
    if not isinstance(baseline, str):
        raise TypeError(f"baseline must be the name of a system, got {baseline!r}")
    options = _options.of_call(**said)
    if isinstance(results, (str, Path)):
        results = [results]
    if (
        isinstance(results, dict)
        and all(isinstance(v, (str, Path)) for v in results.values())
        and results
    ):
        places = [(str(name), str(place)) for name, place in results.items()]
    elif isinstance(results, (list, tuple)) and all(
        isinstance(v, (str, Path)) for v in results
    ):
        places = [_options.split_name(str(place)) for place in results]
    else:
        found = _results.readings(results, _seen.namer(options))
        if found is None:
            ways = (
                "pandas.DataFrame(results); results.to_pandas(); of a study:"
                " study.trials_dataframe()"
            )
            raise TypeError(
                "results must be files, a table, or scores by system, got"
                f" {shown(repr(results))} ({ways})"
            )
        return examine(found, (), options, "results")
    return from_places(places, options)


def from_places(places, options, *, outputs=(), within=None):
    """Make a report of files.

    Parameters
    ----------
    places : list of (str or None, str)
        The name of a system, where it is given, and a file or folder.
    options : Options
    outputs : sequence of path-like, optional
        What is to be written afterwards: one that would be written over a file that is
        read is refused.
    within : path-like, optional
        The folder outside which nothing is opened.

    Returns
    -------
    Report
    """
    if not places and not options.gold:
        raise ValueError("results must name a file or a folder")
    sources, ignored = _places.find(places, within)
    opened = {place for source in sources for place in source.opened}
    if options.gold and os.path.realpath(options.gold) not in opened:
        places = [*places, (None, options.gold)]
        sources, ignored = _places.find(places, within)
    _outputs.check(outputs, [place for source in sources for place in source.opened])
    readings = [_places.read(source, _seen.namer(options)) for source in sources]
    is_named = all(name for name, _ in places)
    plain = [f"{name}={place}" if name else place for name, place in places]
    source = (
        dict(places)
        if is_named and len({name for name, _ in places}) == len(places)
        else plain
    )
    return examine(readings, ignored, options, repr(source))


def examine(readings, ignored, options, source):
    """Make a report of what was read.

    Parameters
    ----------
    readings : list of Reading
    ignored : sequence of str
    options : Options
    source : str
        The first argument of the call that makes the report again.

    Returns
    -------
    Report
    """
    from evalkit import __version__

    bench, table = Bench(options), None
    try:
        table = _gather.one_table(readings, options)
        bench.left_out += list(table.left_out)
        n_wide, n_left = table.facts.get("rows", 0), sum(n for n, _ in table.left_out)
        bench.n_first, bench.n_wide = len(table.left_out), n_wide and n_wide + n_left
        n_read = len(table.frame) + n_left * (not n_wide)
        table, others = _where.chosen_rows(table, bench)
        table = _proposal.complete(table, options)
        _proposal.confirm(table, options)
        bench.kind = _where.kind_of(table, options)
        if bench.kind not in RUNS and (ended := table.facts.get("ended", ("",))[0]):
            bench.say("steps", "note", ended)
        elif bench.kind not in RUNS and (
            said := [n for n in options.named(*_UNITS) if role_of(n) == "step"]
        ):
            bench.say(
                "steps",
                "note",
                f"{listed(said)} would count steps by name, and you said otherwise.",
            )
        evidence = replace(
            _KINDS[bench.kind].prepare(table, others, bench), n_read=n_read
        )
        if not evidence.systems:
            what = f"There is no system but {shown(options.baseline)}."
            ways = ("give the results of another system as well.",)
            alone = Fault("baseline", what, "A comparison needs two.", ways)
            raise RefusedError(*bench.faults, alone)
        bench.stop_if_faulty()
        findings = _analysis.analyse(evidence, bench)
    except UnconfirmedError as error:
        error.places = listing(readings)
        error.roles = _kept(error.table, readings)
        raise
    except RefusedError as error:
        error.columns = _understood(table, options)
        raise
    return Report(
        evidence=evidence,
        findings=findings,
        bench=bench,
        readings=tuple(readings),
        ignored=tuple(ignored),
        columns=_understood(table, options),
        roles=_kept(table, readings),
        notes=tuple(map(shown, table.facts["notes"])),
        source=_source(source, options),
        version=__version__,
    )


def _kept(table, readings):
    there = {name for reading in readings for name in reading.frame.columns}
    listed = {role: as_tuple(names) for role, names in table.roles.items()}
    return {
        role: names for role, names in listed.items() if names and set(names) <= there
    }


def _understood(table, options):
    rows = []
    if table is None:
        return ()
    if (unit := options.unit) in table.roles.get("note", ()):
        rows.append(("unit", shown(unit), options.whose("unit")))
    for role, names in table.roles.items():
        if names := [
            name for name in as_tuple(names) if name != unit or role != "note"
        ]:
            why = table.why.get(
                role,
                {"note": "no setting, and no score", "setting": "the rest"}.get(
                    role, "its name"
                ),
            )
            rows.append((role, ", ".join(map(shown, names)), shown(why)))
    return tuple(rows)


def _source(first, options):
    named = {"accepted": "accept"}
    given = {named.get(k, k): v for k, v in options.given().items()}
    columns = {
        role: v[0] if len(v) == 1 else list(v)
        for role, v in given.pop("columns", {}).items()
    }
    given |= {"columns": columns} if columns else {}
    words = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"ek.report({first}, {words})"
