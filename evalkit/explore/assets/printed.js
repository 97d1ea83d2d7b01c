/* What printed means, accuracies, counts and a best of so many runs give; read after statistics.js, to which it adds.
   Its models in evalkit: from_summary, possible_counts, mcnemar_range, proportion_difference, gaussian_expected_max. */
(() => {
  "use strict";
  const { checkCount, checkScores, decimalsOf, describe, differenceBy, mcnemar, normalQuantile, normalTail, refuse, refuseConstant, rootOf, wilson } = evalkitStatistics;

  // Welch's interval and test; a and b are a mean, a spread and a number of runs. `decimals` are those of the means.
  function fromSummary(a, b, { spread, decimals = null, level = 0.95 }) {
    for (const triple of [a, b]) {
      checkScores(triple, 3);
      checkCount(triple[2], 2);
      if (triple[1] < 0) refuse(`A spread is 0 or more, and one is ${triple[1]}.`);
    }
    const [means, spreads, counts] = [0, 1, 2].map((i) => [a[i], b[i]]), read = describe([[means[0]], [means[1]]]).digits;
    const digits = decimals ?? [read || null, read || null];
    const halves = digits.map((d) => (d === null ? 0 : 0.5 * 10 ** -d));
    // A spread of 0 is half of a digit at most, of as many as are printed.
    const least = halves.some(Boolean) ? 0.5 * 10 ** -Math.max(...digits, decimalsOf(spreads) ?? 0) : 0;
    if (!decimals && Math.max(...spreads) <= least / 2) refuseConstant();
    const parts = spreads.map((own, i) => [(own || least) ** 2 / (spread === "sd" ? counts[i] : 1), counts[i] - 1]);
    if (!parts.some(([part]) => part)) refuseConstant();
    // Each mean was rounded once, after averaging.
    parts.push(...halves.filter(Boolean).map((half) => [half ** 2 / 3, Infinity]));
    return differenceBy(means[0] - means[1], parts, level);
  }

  // The lowest and the highest number of right answers that rounds to a printed accuracy; low > high if none does.
  function possibleCounts(printed, n) {
    checkCount(n, 1);
    const match = /^(\d*)(?:\.(\d*))?\s*(%?)$/.exec(printed.trim()), decimals = match?.[2] ?? "";
    if (!match || !(match[1] || decimals)) refuse(`An accuracy is a number from 0 to 100, and one is ${printed}.`);
    // In whole units of half the last digit, so that nothing is rounded here.
    const value = 2n * BigInt(match[1] + decimals), share = 2n * 10n ** BigInt(decimals.length);
    const unit = match[3] || value > share ? 100n * share : share, items = BigInt(n);
    if (value > unit) refuse(`An accuracy is at most 1 or 100 %, and one is ${printed}.`);
    const low = value ? Number(((value - 1n) * items + unit - 1n) / unit) : 0;
    return { low, high: Math.min(n, Number(((value + 1n) * items) / unit)) };
  }

  // Between which p-values McNemar's test must lie; a right count is a number, an accuracy a text as it is printed.
  function mcnemarRange(a, b, n) {
    const [ofA, ofB] = [a, b].map((right) => {
      if (typeof right === "string") return possibleCounts(right, n);
      checkCount(right, 0, n);
      return { low: right, high: right };
    });
    if (ofA.low > ofA.high || ofB.low > ofB.high) refuse(`No count of ${n} items rounds to it.`);
    // As far apart as they may be, and as near; the extremes of p are among these.
    const leads = [ofA.high - ofB.low, ofA.low - ofB.high], far = Math.abs(leads[0]) >= Math.abs(leads[1]) ? leads[0] : leads[1];
    let [near, rightA] = [leads[1], ofA.low];
    if (ofB.low > ofA.high) [near, rightA] = [leads[0], ofA.high];
    else if (ofA.low <= ofB.high) {
      // Of equal counts, those nearest to half of the items leave most room.
      near = 0;
      rightA = Math.min(Math.max(ofA.low, ofB.low, Math.floor(n / 2)), ofA.high, ofB.high);
    }
    // B alone is right on at most as many items as A gets wrong, and as B gets right.
    const most = Math.min(n - rightA, rightA - near), alone = [most, Math.min(most, 1)].filter((k) => k + near >= 0);
    const pairs = [...[far, near].map((lead) => [Math.max(lead, 0), Math.max(-lead, 0)]), ...alone.map((k) => [k + near, k])];
    const found = pairs.map((pair) => ({ p: mcnemar(...pair).p, pair })).sort((one, other) => one.p - other.p);
    return { low: found[0].p, high: found.at(-1).p, lowest: found[0].pair, highest: found.at(-1).pair };
  }

  // Of n standard normal draws. Sums in steps of 1/50 are exact here: the density of the best is smooth and ends soon.
  function gaussianExpectedMax(n) {
    checkCount(n, 1);
    const logBelow = (x) => (x < 0 ? Math.log(normalTail(-x)) : Math.log1p(-normalTail(x)));
    let total = 0;
    for (let i = -500; n > 1 && i <= 600; i++) {
      const x = i / 50;
      total += x * Math.exp(Math.log(n) + (n - 1) * logBelow(x) - (x * x) / 2);
    }
    return total / 50 / Math.sqrt(2 * Math.PI);
  }

  // How far Wilson's ends lie below and above the share of so many successes.
  function reachOf(successes, trials, z) {
    const share = successes / trials, wide = z ** 2 / trials, shift = (share - 0.5) * wide;
    const half = z * Math.sqrt((share * (1 - share)) / trials + wide / (4 * trials));
    return [half + shift, half - shift].map((reach) => reach / (1 + wide));
  }

  // Two shares of separate items by Newcombe's hybrid of their Wilson intervals; p is 1 minus the level that ends at 0.
  function separateShares(rightA, nA, rightB, nB, level = 0.95) {
    for (const [right, n] of [[rightA, nA], [rightB, nB]]) wilson(right, n, level); // which checks them
    const difference = rightA / nA - rightB / nB;
    const reaches = (z) => {
      const [a, b] = [reachOf(rightA, nA, z), reachOf(rightB, nB, z)];
      return [Math.hypot(a[0], b[1]), Math.hypot(a[1], b[0])];
    };
    const [below, above] = reaches(normalQuantile((1 - level) / 2)), size = Math.abs(difference);
    const statistic = Math.sign(difference) * rootOf((z) => reaches(z)[difference > 0 ? 0 : 1] - size, 0, 1e6);
    return { difference, low: difference - below, high: difference + above, statistic, p: 2 * normalTail(Math.abs(statistic)), byScore: true };
  }

  Object.assign(evalkitStatistics, { separateShares, fromSummary, possibleCounts, mcnemarRange, gaussianExpectedMax });
})();
