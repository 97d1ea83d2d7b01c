"""Print, for each kind of work, how many times faster evalkit is than its peer, and what it should be."""


def pytest_terminal_summary(terminalreporter, config):
    """Add the table of ratios to the end of the report."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    best = {}
    for bench in session.benchmarks:
        # A peer that would take minutes is timed on a part and scaled to the whole.
        seconds = bench.stats.min * bench.extra_info.get("scale", 1)
        best.setdefault(bench.group, {})[bench.extra_info["who"]] = seconds
        best[bench.group].setdefault("target", bench.extra_info.get("target"))
    terminalreporter.section("evalkit and its peers")
    for group, found in best.items():
        ours, target = found.pop("evalkit"), found.pop("target")
        if not found:
            terminalreporter.write_line(f"{group:<58} evalkit {ours * 1e3:9.2f} ms")
        for peer, seconds in found.items():
            terminalreporter.write_line(
                f"{group:<58} evalkit {ours * 1e3:9.2f} ms   {peer:<20} {seconds * 1e3:10.1f} ms"
                f"   {seconds / ours:7.1f}x (at least {target}x)"
            )
