"""Run every corner of corners.toml, hold evalkit against the exact answer, and print
what came out.
"""

import argparse
import tomllib
import warnings
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
from record import save
from scipy.stats import rankdata

import evalkit as ek

CORNERS = tomllib.loads(
    (Path(__file__).parent / "corners.toml").read_text(encoding="utf-8")
)["corner"]


def signed_rank_pvalue(differences):
    """Count the sign patterns whose rank sum is as far from its mean as the one
    seen.
    """
    signs = np.sign(differences)
    # By Pratt's rule zeros keep their ranks.
    ranks = rankdata(np.abs(differences))[signs != 0]
    seen = abs(ranks @ signs[signs != 0])
    patterns = [
        abs(np.dot(ranks, pattern)) for pattern in product([-1, 1], repeat=len(ranks))
    ]
    return Fraction(sum(value >= seen for value in patterns), len(patterns))


def sign_flip_pvalue(differences):
    """Count the sign patterns whose sum is at least the one seen."""
    patterns = [
        np.dot(differences, pattern)
        for pattern in product([-1, 1], repeat=len(differences))
    ]
    return Fraction(
        sum(int(value) >= sum(differences) for value in patterns), len(patterns)
    )


def median_percentiles(scores):
    """Return the 2.5 % and 97.5 % points of the median over all resamples, as NumPy's
    quantile has them.
    """
    medians = [np.median(resample) for resample in product(scores, repeat=len(scores))]
    return tuple(np.quantile(medians, [0.025, 0.975]))


def answer(question, names):
    """Return the value of an expression, or the error that it ends in."""
    try:
        return eval(question, names)
    except (RuntimeError, ValueError) as error:
        return error


def say(value):
    """Write numbers with all their digits; of an error the kind and the first
    sentence.
    """
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {str(value).split('. ')[0]}"
    if isinstance(value, tuple):
        return repr(tuple(float(v) for v in value))
    return repr(float(value))


def run(corner):
    """Return the corner with what its lines gave; stop if evalkit is not right."""
    names = {
        "np": np,
        "ek": ek,
        "Fraction": Fraction,
        "signed_rank_pvalue": signed_rank_pvalue,
        "sign_flip_pvalue": sign_flip_pvalue,
        "median_percentiles": median_percentiles,
    }
    load, data, theirs = corner["lines"].strip().split("\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(f"{load}\n{data}", names)
        given = answer(theirs, names)
    ours, exact = answer(corner["ours"], names), answer(corner["exact"], names)
    if isinstance(exact, type):
        right, exact = isinstance(ours, exact), exact.__name__
    else:
        right, exact = (
            np.allclose(np.array(ours, float), np.array(exact, float), 1e-12, 0),
            say(exact),
        )
    if not right:
        raise SystemExit(
            f"evalkit is wrong: {corner['package']}, {corner['case']}: {ours!r} is not"
            f" {exact}"
        )
    warned = " ".join(sorted({warning.category.__name__ for warning in caught}))
    return corner | {"answer": say(given), "warned": warned, "exact": exact}


def main():
    """Print every corner, and record all of them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--record", action="store_true", help="write data/measured/corners.csv"
    )
    record = parser.parse_args().record
    rows = [run(corner) for corner in CORNERS]
    for row in rows:
        print(
            f"{row['package']:<18} {row['case']:<62} {row['answer']:<24.24} right:"
            f" {row['exact']}"
        )
    if record:
        save("corners", rows)


if __name__ == "__main__":
    main()
