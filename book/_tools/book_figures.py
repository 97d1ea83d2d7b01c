"""The figures of a paper are numbered by its name: Fig. P.1 is Potts's first.

Without it Sphinx numbers those of all pages that are no chapters in one row: Potts
began with Fig. 15.
"""

from collections import Counter


def _number_by_paper(app, env):
    papers = [page for page in env.toc_fignumbers if page.startswith("notebooks/")]
    count = Counter()
    for page, kinds in env.toc_fignumbers.items():
        start = (_initials(page, papers),) if page in papers else ()
        for kind, numbers in kinds.items():
            for name, number in numbers.items():
                if len(number) == 1:
                    count[kind, start] += 1
                    numbers[name] = (*start, count[kind, start])
    return []


def _initials(page, papers):
    """Return as many letters of a paper's name as no other begins with."""
    for end in range(len("notebooks/") + 1, len(page)):
        if sum(paper.startswith(page[:end]) for paper in papers) == 1:
            break
    return page[len("notebooks/") : end].capitalize()


def setup(app):
    """Register with Sphinx."""
    # Sphinx has numbered them by then.
    app.connect("env-get-updated", _number_by_paper, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
