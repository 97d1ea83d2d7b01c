"""Print, for each kind of work, how many times faster evalkit is than its peer, and
what it should be.
"""

import pandas as pd
from record import save


def pytest_addoption(parser):
    """Add --record."""
    parser.addoption(
        "--record", action="store_true", help="write data/measured/speed.csv"
    )


def pytest_terminal_summary(terminalreporter, config):
    """Add the table of ratios to the end of the report."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    # A peer that would take long is timed on a part, and scaled to the whole.
    rows = pd.DataFrame(
        {
            "work": b.group,
            "seconds": b.stats.min * b.extra_info["scale"],
            **b.extra_info,
        }
        for b in session.benchmarks
    )
    ours = rows[rows.who == "evalkit"].set_index("work").seconds
    rows["ratio"] = rows.seconds / rows.work.map(ours)
    rows = rows[
        ["work", "who", "seconds", "scale", "ratio", "target", "peak_mb", "nan"]
    ]
    terminalreporter.section("evalkit and its peers")
    for row in rows.itertuples():
        target = f" (at least {row.target:g}x)" if row.target > 0 else ""
        more = (
            f"{row.peak_mb:11.1f} MB"
            if row.who == "evalkit"
            else f"{row.ratio:12,.1f}x{target}"
        )
        terminalreporter.write_line(
            f"{row.work:<26} {row.who:<28} {row.seconds * 1e3:16,.2f} ms{more}"
        )
    if config.getoption("--record"):
        save("speed", rows)
