"""Counted: how many files with a fault drawn at random are found, and how many honest ones raise nothing."""

import collections

import faulty
import generated
import numpy as np

import evalkit as ek
from evalkit.reports import RefusedError

N_FAULTY, N_HONEST = 60, 30


def outcome(case, codes, folder):
    """What becomes of a file: the fault is refused, listed on the page, or missed."""
    try:
        found = ek.report(case.write(folder), **case.options)
    except RefusedError as refused:
        return "refused" if codes & {fault.code for fault in refused.faults} else "missed"
    told = [check.outcome for check in found.bench.checks if check.code in codes]
    return "listed" if told and "fine" not in told else "missed"


def drawn(makers, n, seed):
    """n makers, each as often as the others or once more, with a generator of its own."""
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(makers)) for _ in range(-(-n // len(makers)))])
    return [(makers[k], np.random.default_rng([seed, place])) for place, k in enumerate(order[:n])]


def test_faults_drawn_at_random_are_all_found_or_listed(tmp_path):
    counted, missed = collections.Counter(), []
    for place, (make, rng) in enumerate(drawn(faulty.FAULTS, N_FAULTY, 2026)):
        planted = make(rng)
        became = outcome(planted.case, planted.codes, tmp_path / str(place))
        counted[became] += 1
        missed += [make.__name__] * (became == "missed" or (became == "listed" and not planted.is_open))
    assert not missed
    assert counted.total() == N_FAULTY >= 40
    assert counted["refused"] > counted["listed"] > 0


def test_honest_files_drawn_at_random_raise_nothing(tmp_path):
    raised, n = [], 0
    for place, (make, rng) in enumerate(drawn(generated.HONEST, N_HONEST, 2027)):
        case, n = make(rng), n + 1
        found = ek.report(case.write(tmp_path / str(place)), **case.options)
        told = {check.code for check in found.bench.checks if check.outcome == "decided"}
        raised += [(make.__name__, code) for code in told - {"sizes"}]
    assert not raised
    assert n == N_HONEST >= 20
