"""The book's own experiments: what takes longer than a page may, one module each.

Each module holds an `EXPERIMENT`, and its rows live in `data/recorded/<name of the
module>/`; `percentile` is a method that they try, and that fails.
"""
