"""The command `evalkit report`: options from the command line and from `evalkit.toml`,
the page to a file.

Whatever of a file is printed goes through `shown`: a name in it must not move the
cursor of a terminal.
"""

import sys
from dataclasses import replace
from pathlib import Path

from evalkit import reports
from evalkit._arguments import REPORT_CHOICES, REPORT_WORDS
from evalkit.reports import _claims, _options, _outputs, schema
from evalkit.reports._faults import (
    RefusedError,
    argument,
    examples,
    listed,
    placed,
    shown,
    visible,
)
from evalkit.reports._recognition import _proposal
from evalkit.reports._recognition._reading import listing

_PAGE = "report.html"


def report(options):
    """Run the command.

    Parameters
    ----------
    options : argparse.Namespace

    Returns
    -------
    int
        The exit status.
    """
    if options.check:
        if options.files or options.baseline or options.metric or options.direction:
            options.parser.error(
                "--check takes everything from its settings: give it alone"
            )
        return _claims.check(options.check)
    given = [_options.split_name(place) for place in options.files]
    try:
        config, files, old, claim = _settings(options, given)
    except _options.SettingsError as error:
        print(f"evalkit: {error}", file=sys.stderr)
        return 2
    files = given or files
    said = _said(options, old)
    if not files:
        options.parser.error("name a FILE or a folder of results")
    if said.baseline is None:
        _without_baseline(options, files, said)
    # A page for each settings.
    page = config.with_suffix(".html").name.replace("evalkit", "report", 1)
    pages = options.output or [page if config.name.startswith("evalkit") else _PAGE]
    for page in pages:
        _outputs.form(page)
    if not options.output:
        _outputs.check_unnamed(pages[0], "-o PAGE")
    if not options.config:
        _outputs.check_unnamed(config, "--config FILE")
    try:
        found = reports.from_places(files, said, outputs=[*pages, config])
    except _proposal.UnconfirmedError as error:
        print(shown_lines("\n".join(_proposal.lines(error.table, error.places))))
        print("\nOr in evalkit.toml, as it is kept once it is confirmed:\n")
        settings = _options.to_settings(
            files, _settled(said, error.roles), {}, config.parent
        )
        print(_options.dump(settings), end="")
        return 2
    except RefusedError as error:
        if error.columns:
            print("The columns were understood so; --map ROLE=COLUMN says otherwise:")
            print("\n".join(_columns(error.columns)), flush=True)
        raise
    print(recognised(found))
    print()
    print(shown_lines(str(found)))
    for place in pages:
        print(f"wrote {shown(found.save(place))}")
    if claim and said.where != old.where:
        kept = f"The claim in {shown(config)} is about other rows: it is left as it is"
        print(f"{kept} (--config FILE keeps these settings).")
        return 0
    more = [
        name
        for name in _claims.made(found).get("better", ())
        if name not in claim.get("better", ())
    ]
    for words in _claims.broken(found, claim):
        print(f"{shown(config)} claims more than this page shows: {words}")
    if claim and more:
        print(
            f"The claim in {shown(config)} is left as it is: {listed(more)} is not"
            " in it."
        )
    kept = _settled(found.bench.options, found.roles, found.evidence.direction)
    settings = _options.to_settings(
        files, kept, claim or _claims.made(found), config.parent
    )
    if settings != _options.load(config) if config.exists() else True:
        _options.write(config, settings)
        print(f"wrote {shown(config)}")
    return 0


def _settings(options, given):
    """Return where the settings are kept, and what they say of the files that are
    given.

    Settings of other files are left as they are: those of these files go into a file of
    their own. Only where the command names the place are they replaced, and that is
    said.
    """
    stem, taken = Path(given[0][1]).name.split(".")[0] if given else "", []
    names = (
        [options.config] if options.config else [_options.FILE, f"evalkit-{stem}.toml"]
    )
    for config in map(Path, names):
        if not config.exists() and (not options.config or given):
            print("\n".join(taken), end="\n" * bool(taken))
            return config, [], _options.Options(), {}
        files, old, claim = _options.from_settings(
            _options.load(config), config.parent, config
        )
        if not given or given == files:
            print("\n".join(taken), end="\n" * bool(taken))
            return config, files, old, claim
        of = examples([place for _, place in files])
        if options.config:
            print(
                f"{shown(config)} was about {of}, and will be about what you gave now."
            )
            return config, [], _options.Options(), {}
        taken.append(f"{shown(config)} is about {of}: it is left as it is.")
    why = (
        f"{' '.join(taken)} A third place for the settings of {placed(given[0][1])} has"
        " to be named"
    )
    raise _options.SettingsError(f"{why}: --config FILE.")


def _without_baseline(options, files, said):
    """End with what is wanted, and with the systems that there are."""
    try:
        reports.from_places(files, said)
    except ValueError as error:
        needed = (
            "--baseline NAME is needed: the system with which the others are compared"
        )
        options.parser.error(f"{needed}.\n{error}\n")


def shown_lines(text):
    """Return text of several lines, each without what must not reach a terminal."""
    return "\n".join(map(visible, text.split("\n")))


def _said(options, old):
    mapped, where = _mapped(options), _where(options)
    if options.metric not in (None, old.metric) or (
        old.metric is None and where.items() - old.where.items()
    ):
        old = replace(old, direction=None)  # which may be that of another metric
    new = {
        name: getattr(options, name)
        for name in (
            "baseline",
            "metric",
            "unit",
            "margin",
            "n_train",
            "n_test",
            "failed",
            *REPORT_CHOICES,
        )
        if getattr(options, name) is not None
    }
    new |= {
        name: getattr(options, name) for name in REPORT_WORDS if getattr(options, name)
    }
    new |= {"as_proposed": True} if options.as_proposed else {}
    now = {
        *((n, None) for n in new),
        *(("columns", r) for r in mapped),
        *(("where", c) for c in where),
    }
    return replace(
        old,
        columns={**_others(old.columns, mapped), **mapped},
        where={**old.where, **where},
        accepted=tuple(dict.fromkeys([*old.accepted, *options.accept])),
        kept={what: place for what, place in old.kept.items() if what not in now},
        **new,
    )


def _mapped(options):
    """Return the columns by role; what is said twice is refused, for one of the two
    would be lost.
    """
    mapped, roles = {}, {}
    for role, column in options.map:
        mapped[role] = tuple(dict.fromkeys((*mapped.get(role, ()), column)))
        if roles.setdefault(column, role) != role and {role, roles[column]} != {
            "system",
            "numerator",
        }:
            said = (
                f"--map {argument(f'{roles[column]}={column}')} and"
                f" {argument(f'{role}={column}')}"
            )
            options.parser.error(f"{said}: a column is one of them; say which")
    for role, columns in mapped.items():
        if len(columns) > 1 and role not in (*schema.SEVERAL, "item", "system"):
            said = f"--map {shown(role)} names {listed(columns)}: say one of them"
            way = f"--map {argument(role + '=' + ','.join(columns))}"
            options.parser.error(f"{said}, or {way} if both hold scores, side by side")
    return mapped


def _others(columns, mapped):
    """Return the columns that were read, without those that have another role now."""
    now = {
        part
        for names in mapped.values()
        for name in names
        for part in (name, *name.split(","))
    }
    left = {
        role: tuple(name for name in names if name not in now)
        for role, names in columns.items()
    }
    return {role: names for role, names in left.items() if names}


def _where(options):
    """Return the conditions by column; two on one column are refused."""
    where = {}
    for column, value in options.where:
        if (first := where.setdefault(column, value)) != value:
            said = (
                f"--where {shown(column)} is said twice, with {shown(first)} and with"
                f" {shown(value)}"
            )
            both = f", or --where {argument(f'{column}={first},{value}')} for both"
            options.parser.error(
                f"{said}: say one of them{both * ('last' not in (first, value))}"
            )
    return where


def _settled(options, roles, direction=None):
    """Return the options with what is known of the columns written out; not what is
    overlooked.
    """
    known = {
        role: names
        for role, names in roles.items()
        if role not in ("score", "key", "prompt", "note")
    }
    return replace(
        options,
        columns={**known, **options.columns},
        metric=options.metric or roles.get("score", (None,))[0],
        direction=options.direction or direction,
        as_proposed=False,
    )


def _columns(columns):
    return [f"  {role:<11} {name}  ({why})" for role, name, why in columns]


def recognised(found):
    """Say what was read, and for what each column was taken."""
    lines = [*listing(found.readings), *_columns(found.columns)]
    evidence = found.evidence
    compared = (
        f"{found.bench.came(evidence.n_read)} read,"
        f" {found.bench.compared(evidence.used)} compared"
    )
    lines.append(f"  {evidence.direction} is better; {compared}")
    lines += [f"  {note}" for note in found.notes]
    lines += [f"  averaged: {words}" for words in found.bench.merged]
    lines += [f"  left out: {rows}, {why}" for rows, why in found.bench.without()]
    return "\n".join(lines)
