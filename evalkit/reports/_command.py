"""The command `evalkit report`: options from the command line and from `evalkit.toml`,
the page to a file.

Whatever of a file is printed goes through `shown`: a name in it must not move the
cursor of a terminal.
"""

import os
import sys
from pathlib import Path

from evalkit import reports
from evalkit._arguments import REPORT_OPTIONS
from evalkit._files import write_atomically
from evalkit.reports import _claims, _files, _settings, schema
from evalkit.reports._refused import RefusedError, examples, shown, visible

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
        if options.files or options.baseline:
            options.parser.error(
                "--check takes everything from its settings: give it alone"
            )
        return _claims.check(options.check)
    pages = options.output or [_PAGE]
    for page in pages:
        _files.form(page)
    for place in [_settings.FILE, *([] if options.output else [_PAGE])]:
        _files.check_unnamed(place, "-o PAGE")
    files = options.files
    try:
        files, said, claim, is_kept = _said(options)
        found = reports.of_files(files, said, outputs=[*pages, _settings.FILE])
    except RefusedError as error:
        print(_lines(error.in_shell()), file=sys.stderr)
        if any(fault.lines for fault in error.faults):
            print(_lines(_around(files)), file=sys.stderr)
        return 2 if error.code in ("columns", "unreadable") else 1
    print(_lines(str(found)))
    for name, value in found.understood:
        print(f"  {name}: {value}")
    for place in pages:
        print(f"wrote {shown(found.save(place))}")
    if is_kept:
        _keep(files, claim, found)
    return 0


def _said(options):
    """Return the files, what was said now and before, the claim, and whether settings
    are to be kept: those of other files are left as they are.
    """
    before, claim, given = {}, {}, [os.path.normpath(place) for place in options.files]
    is_kept, files = True, given
    if Path(_settings.FILE).exists():
        settings = _settings.load(_settings.FILE)
        old, parsed, claim = _settings.parsed(settings, ".")
        if given and given != old:
            of = examples(old)
            print(f"{_settings.FILE} is about {of}: it is neither read nor written.")
            is_kept, claim = False, {}
        else:
            files, before = old, parsed.given()
    if not files:
        options.parser.error("name a FILE of results: CSV, TSV or JSON lines")
    now = {name: getattr(options, name) for name in REPORT_OPTIONS}
    now = {name: value for name, value in now.items() if value not in (None, [], False)}
    for name in ("ignore", "confirm"):
        if name in now and name in before and "rest" not in now[name]:
            now[name] = list(dict.fromkeys([*before[name], *now[name]]))
    now |= {"columns": before.get("columns", {}) | _mapped(options)}
    if "metric" in now and now["metric"] != before.get("metric"):
        before.pop("direction", None)  # which may be that of another metric
    if "baseline" not in before | now:
        options.parser.error("--baseline NAME is needed: what the others are held to")
    return files, _settings.checked(before | now), claim, is_kept


def _mapped(options):
    """Return the columns by role; a role that is said twice is refused."""
    mapped = {}
    for role, column in options.map:
        if role in schema.SEVERAL:
            mapped[role] = [*mapped.get(role, []), column]
        elif mapped.setdefault(role, column) != column:
            both = f"{shown(mapped[role])} and {shown(column)}"
            options.parser.error(f"--map {shown(role)} names {both}: say one of them")
    return mapped


def _around(files):
    """Return what stands before and after lines that mend a table."""
    read = [
        f"pd.read_json({place!r}, lines=True)"
        if place.endswith(".jsonl")
        else f"pd.read_csv({place!r}{', sep=chr(9)' * place.endswith('.tsv')},"
        " keep_default_na=False, na_values=[''])"
        for place in files[:9]
    ]
    table = read[0] if len(read) == 1 else f"pd.concat([{', '.join(read)}])"
    return (
        f"\nLines of Python stand between these:\n    import pandas as pd\n"
        f"    table = {table}\n    ...\n    table.to_csv('mended.csv', index=False)"
    )


def _keep(files, claim, found):
    """Write the settings, with the claim that the results make if there is none yet."""
    for words in _claims.broken(found, claim):
        print(f"{_settings.FILE} claims more than this page shows: {words}")
    settings = _settings.settings_of(
        files, found.evidence.options, claim or _claims.made(found), "."
    )
    if not Path(_settings.FILE).exists() or settings != _settings.load(_settings.FILE):
        write_atomically(_settings.FILE, _settings.dump(settings).encode())
        print(f"wrote {_settings.FILE}")


def _lines(text):
    """Return text of several lines, each without what must not reach a terminal."""
    return "\n".join(map(visible, text.split("\n")))
