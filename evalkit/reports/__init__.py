"""From one long table of somebody's results to a page that a strict reviewer accepts:
`evalkit.report` and its command.

A row is a score. Columns are known by exact names (`evalkit.reports.schema`) or because
they were said; what contradicts itself is refused with lines that mend it. The numbers
are calls of evalkit's public functions, and the page shows these calls.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evalkit._files import write_atomically
from evalkit.reports import (
    _compare,
    _document,
    _files,
    _page,
    _scope,
    _sentences,
    _settings,
)
from evalkit.reports._refused import Fault, RefusedError, shown
from evalkit.reports._table import evidence_of
from evalkit.reports._tools import from_cv_results, from_lm_eval

__all__ = [
    "Fault",
    "Findings",
    "RefusedError",
    "Report",
    "from_cv_results",
    "from_lm_eval",
    "report",
]


@dataclass(frozen=True)
class Findings:
    """What came of a comparison.

    Attributes
    ----------
    contrasts : tuple of Contrast
        Of each system with the baseline.
    way : Way
        Where "Which test do I need?" leads.
    quantity : str
        What is compared, such as "mean over items".
    varies : str
        What the answer speaks of.
    cannot : tuple of str
        What it does not speak of.
    """

    contrasts: tuple
    way: object
    quantity: str
    varies: str
    cannot: tuple


@dataclass(frozen=True, eq=False)
class Report:
    """A comparison with all that belongs to it; in a notebook it shows its page.

    Attributes
    ----------
    evidence : Evidence
        What is compared.
    findings : Findings
        What came of it.
    readings : tuple of Reading
        The files that were read.
    source : str
        The call that makes this report again.
    version : str
        Of evalkit.
    """

    evidence: object
    findings: object
    readings: tuple
    source: str
    version: str

    @property
    def kind(self):
        """What a row is: "seeds", "items", "folds", "datasets" or "search"."""
        return self.evidence.kind

    @property
    def understood(self):
        """What the columns were taken for, as pairs of words."""
        return _sentences.understood(self.evidence)

    @property
    def table(self):
        """All comparisons, a row each."""
        keys = [
            "system",
            "difference",
            "low",
            "high",
            "method",
            "test",
            "pvalue",
            "adjusted",
            "verdict",
        ]
        return pd.DataFrame(
            [
                {key: getattr(one, key) for key in keys}
                for one in self.findings.contrasts
            ]
        )

    @property
    def paper(self):
        """What goes into a paper, a str for each paragraph."""
        return _sentences.paragraphs(self.evidence, self.findings, self.version)

    @property
    def code(self):
        """The Python that does it again."""
        of = self.findings.contrasts
        calls = dict.fromkeys(str(asked) for one in of for asked in one.calls)
        lines = ["import evalkit as ek", "", f"found = {self.source}"]
        lines += [f"print({line})" for line in calls]
        if len(of) > 1:
            lines.append(f"print(ek.holm({[one.pvalue for one in of]}))")
        return "\n".join(lines)

    def scores(self, system, column="score"):
        """Return the scores of a system, as the calls take them.

        Parameters
        ----------
        system : str
        column : {"score", "validation"}, default "score"

        Returns
        -------
        ndarray of float, shape (n,), or (n_runs, n_items)
        """
        if system not in (self.evidence.baseline, *self.evidence.systems):
            raise ValueError(
                f"system must be one of the report's, got {shown(system)!r}"
            )
        return self.evidence.scores(system, column)

    def groups(self):
        """Return the group of each item, as the calls take them.

        Returns
        -------
        list of str
        """
        if self.evidence.group is None:
            raise ValueError("no column of groups was named")
        return self.evidence.groups()

    def write(self, form):
        """Return the report in a form.

        Parameters
        ----------
        form : {"html", "markdown", "latex", "code"}

        Returns
        -------
        str
        """
        if form == "code":
            return self.code + "\n"
        if form == "latex":
            return _document.to_latex(self.paper, _page.table(self))
        if form == "markdown":
            return _document.to_markdown(_page.blocks(self))
        if form == "html":
            return _document.to_html(_page.blocks(self), _page.title(self.evidence))
        forms = ", ".join(sorted({*_files.FORMS.values()}))
        raise ValueError(f"form must be one of {forms}, got {form!r}")

    def save(self, path):
        """Write the report to a file, in the form of its ending: .html, .md, .tex or
        .py.

        A file that was read for it is never written over.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        pathlib.Path
        """
        form = _files.form(path)
        _files.check_outputs([path], [reading.place for reading in self.readings])
        write_atomically(path, self.write(form).encode())
        return Path(path)

    def __str__(self):
        of = self.evidence, self.findings
        if len(self.findings.contrasts) > _sentences.MOST:
            found = self.findings.contrasts
            lines = [_sentences.summary(*of), *map(_sentences.line, found)]
        else:
            lines = [" ".join(pair) for pair in _sentences.answers(*of)]
        about = f"The answer is about {self.findings.varies}."
        if self.findings.cannot:
            about += f" It says nothing about {self.findings.cannot[0]}"
        return "\n".join([*_page.notes(self.evidence), *lines, about])

    def _repr_html_(self):
        return _document.to_html(_page.blocks(self), "", whole=False)


def report(
    table,
    *,
    baseline,
    metric=None,
    direction=None,
    columns=None,
    ignore=(),
    margin=None,
    n_train=None,
    n_test=None,
    random=False,
    n=None,
    confirm=(),
):
    """Compare systems with a baseline: from one long table to a page that a strict
    reviewer accepts.

    Parameters
    ----------
    table : DataFrame, path or list of paths
        A row is one score of one system. Files are CSV, TSV or JSON lines; of several
        with one header the rows are put one below the other. A column has a role by its
        exact name (`evalkit.reports.schema.ROLES`): `system`; what tells the rows of a
        system apart, `seed`, `item`, both, `item` and `attempt`, `fold`, `dataset`, or
        `trial` with `validation`; `group`, `part`, `setting`; `prediction` and `label`
        instead of a score.
    baseline : str
        The system with which every other is compared.
    metric : str, optional
        The column of the scores; may be left away if one column alone has the exact
        name of a listed metric.
    direction : {"higher", "lower"}, optional
        Which is better; must be said of a metric that is not listed.
    columns : dict of str to str, optional
        Columns by role, where their names are not the documented ones. `setting` may
        have several.
    ignore : str or list of str
        Columns that vary within a system and have nothing to do with the comparison;
        "rest" for all of them, once they were read.
    margin : float, optional
        The largest difference that does not matter, on the scale of the scores. Fix it
        before you look.
    n_train, n_test : int, optional
        Items in the training and test part of each fold.
    random : bool, default False
        The settings of the trials were drawn at random, each by itself.
    n : int, optional
        The budget of a search, in trials; by default a fifth of the smallest search.
    confirm : str or list of str
        Codes of suspicions that somebody has looked at: it is right as it stands.

    Returns
    -------
    Report

    Raises
    ------
    RefusedError
        A ValueError: what the table has, why that makes the comparison wrong, and the
        lines of pandas, the option or the work that goes on.

    Notes
    -----
    Nothing is dropped, filled, averaged or guessed. What a table cannot show is listed
    on the page.

    Size: 100,000 rows in 5 s.

    Examples
    --------
    >>> import pandas as pd
    >>> from evalkit import report
    >>> runs = pd.DataFrame({
    ...     "system": ["ours"] * 4 + ["theirs"] * 4,
    ...     "seed": [0, 1, 2, 3] * 2,
    ...     "accuracy": [0.83, 0.85, 0.84, 0.86, 0.80, 0.81, 0.82, 0.80],
    ... })
    >>> report(runs, baseline="theirs").findings.contrasts[0].verdict
    'better'
    """
    said = {name: value for name, value in locals().items() if name != "table"}
    options = _settings.checked(said)
    if isinstance(table, (str, os.PathLike)):
        table = [table]
    if isinstance(table, (list, tuple)) and table and not isinstance(table[0], dict):
        places = [os.fspath(place) for place in table]
        return of_files(places, options)
    if isinstance(table, pd.DataFrame):
        return _report(table, options, (), "table")
    raise TypeError(
        "table must be a DataFrame or files (CSV, TSV, JSON lines), got"
        f" {type(table).__name__}; pandas.DataFrame(...) makes one"
    )


def of_files(places, options, *, outputs=(), within=None):
    """Make a report of files.

    Parameters
    ----------
    places : list of str
    options : Options
    outputs : sequence of path-like, optional
        What is to be written afterwards, and must be no file that is read.
    within : path-like, optional
        The folder outside which nothing is opened.

    Returns
    -------
    Report
    """
    _files.check_outputs(outputs, places)
    table, readings = _files.read(places, within)
    first = repr(places[0] if len(places) == 1 else places)
    return _report(table, options, readings, first)


def _report(table, options, readings, first):
    from evalkit import __version__

    evidence = evidence_of(table, options)
    contrasts = _compare.contrasts(evidence)
    varies, cannot = _scope.scope(evidence)
    return Report(
        evidence=evidence,
        findings=Findings(
            contrasts=contrasts,
            way=_scope.way_to_test(evidence),
            quantity=_scope.quantity(evidence),
            varies=varies,
            cannot=cannot,
        ),
        readings=readings,
        source=f"ek.report({first}, {evidence.options.in_python()})",
        version=__version__,
    )
