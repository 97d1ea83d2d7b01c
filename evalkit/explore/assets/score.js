/* What evalkit takes where few pairs tell two systems apart: Tango's score, which needs no scatter. Where this
   script is read after statistics.js, paired differences have it; _paired and _score are its models in evalkit. */
(() => {
  "use strict";
  const { checkCount, mcnemar, normalQuantile, normalTail, rootOf, spreadOver, sum, tQuantile } = evalkitStatistics;

  // Which of the two is taken, and with it p, does not depend on the level that is asked for.
  const COMPARED = 0.025;

  // Of one size, the pairs that differ would have the same mean and the same mean square.
  function whereFewDiffer(differences, byT, level, counted, top) {
    const n = differences.length, sizes = differences.map(Math.abs), squares = sum(sizes.map((size) => size ** 2));
    const unit = squares ? squares / sum(sizes) : top, worth = counted ? n : worthOf(sizes, squares, byT);
    const [n10, n01] = [1, -1].map((side) => (sum(differences.map((d) => Math.max(side * d, 0))) / unit) * (worth / n));
    const counts = [n10, n01, worth], [low, high] = scoreEnds(counts, (1 - level) / 2).map((end) => unit * end);
    const [bottom, highest] = scoreEnds(counts, COMPARED);
    if (!counted && unit * (highest - bottom) <= 2 * tQuantile(COMPARED, byT.df) * byT.se) return byT;
    const statistic = scoreOf(counts, 0), p = 2 * normalTail(Math.abs(statistic));
    return { ...byT, difference: (unit * (n10 - n01)) / worth, low, high, statistic, p, byScore: true };
  }

  // How many right or wrong items would make the mean as sure as these do.
  function worthOf(sizes, squares, { difference, se, df }) {
    const n = sizes.length, alone = Math.max(squares / n - difference ** 2, 0) / (n - 1);
    if (!(alone && se)) return n;
    const worth = n * Math.min(alone / se ** 2, 1) * (normalQuantile(COMPARED) / tQuantile(COMPARED, df)) ** 2;
    return spreadOver(sizes) < Math.min(3, 0.75 * n) ? Math.min(worth, n) : worth;
  }

  // How many standard errors n10 - n01, corrected, lies above what a true difference makes it.
  function scoreOf([n10, n01, n], delta, more = 0) {
    if (Math.abs(delta) >= 1) return -Math.sign(delta) * Infinity;
    if (delta < 0) return -scoreOf([n01, n10, n], -delta, -more);
    const linear = (2 * n - n10 + n01) * delta - n10 - n01, rest = -n01 * delta * (1 - delta);
    const root = Math.sqrt(Math.max(linear ** 2 - 8 * n * rest, 0));
    const q = linear <= 0 ? (root - linear) / (4 * n) : (-2 * rest) / (root + linear);
    const [lead, variance] = [n10 - n01 - n * delta + more, n * (2 * q + delta * (1 - delta))];
    return variance > 0 ? lead / Math.sqrt(variance) : lead && Math.sign(lead) * Infinity;
  }

  function scoreEnds(counts, tail, more = 0) {
    const furthest = normalQuantile(tail), estimate = (counts[0] - counts[1]) / counts[2];
    const low = estimate === -1 ? -1 : rootOf((delta) => furthest - scoreOf(counts, delta, -more), -1, estimate);
    return [low, estimate === 1 ? 1 : rootOf((delta) => -furthest - scoreOf(counts, delta, more), estimate, 1)];
  }

  // Two models on the same items, from four counts: Tango's interval, corrected by so much, and McNemar's exact test.
  function rightOrWrong(n11, n10, n01, n00, level = 0.95, more = 0) {
    for (const count of [n11, n10, n01, n00]) checkCount(count);
    const n = n11 + n10 + n01 + n00, { p } = mcnemar(n10, n01);
    checkCount(n, 1);
    const [low, high] = scoreEnds([n10, n01, n], (1 - level) / 2, more);
    return { difference: (n10 - n01) / n, low, high, p, byScore: true };
  }

  Object.assign(evalkitStatistics, { whereFewDiffer, rightOrWrong });
})();
