/* What evalkit computes, for a page that has no Python: weights of the best of n, intervals, tests. Its numbers
   are evalkit's to a relative 1e-9, and what evalkit refuses is refused here, with a RangeError for readers. */
globalThis.evalkitStatistics = (() => {
  "use strict";
  const MOST = 1e7; // counts: the continued fraction takes a few thousand steps there
  const NORMAL = 1e7; // degrees of freedom: from there the expansion about the normal keeps more digits than the beta
  const SHARE = 64 * Number.EPSILON; // by which two numbers may differ and be equal on paper
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  const spanOf = (numbers) => largest(numbers) + largest(numbers.map((number) => -number));
  // About the first one: near 12,000 the hundredths keep their digits.
  const mean = (numbers) => numbers[0] + sum(numbers.map((number) => number - numbers[0])) / numbers.length;
  const refuse = (words) => { throw new RangeError(words); };

  function varianceOf(numbers) {
    if (!spanOf(numbers)) return 0;
    const centre = mean(numbers);
    return sum(numbers.map((number) => (number - centre) ** 2)) / (numbers.length - 1);
  }

  function checkScores(scores, fewest, unit = "scores") {
    if (scores.length < fewest) refuse(`At least ${fewest} ${unit} are needed, and there ${scores.length === 1 ? "is" : "are"} ${scores.length}.`);
    if (!scores.every(Number.isFinite)) refuse("A score must be a finite number: decide what a failed run scores.");
    if (scores.map(Math.abs).some((size) => size > 1e75 || (size && size < 1e-75))) refuse("A score must be 0 or between 1e-75 and 1e75 in size: the square of others is lost.");
  }

  function checkCount(count, low = 0, high = MOST) {
    if (!Number.isInteger(count) || count < low || count > high) refuse(`A count must be a whole number from ${low} to ${high.toLocaleString("en")}, and one is ${count}.`);
  }

  function checkLevel(level) {
    if (!(level > 0 && level <= 1 - 1e-12)) refuse(`The confidence level must lie between 0 and 1, and is ${level}.`);
  }

  // How U and V weigh scores in order, the lowest first.
  function weights(size, n) {
    const v = Array.from({ length: size }, (_, k) => ((k + 1) / size) ** n - (k / size) ** n);
    if (n > size) return { v };
    const u = new Array(size).fill(0);
    u[size - 1] = n / size;
    for (let k = size - 1; k >= n; k--) u[k - 1] = (u[k] * (k + 1 - n)) / k;
    return { u, v };
  }

  // As in evalkit: the best score minus what each gap takes away, so that constants give the constant.
  function expectedMax(scores, n, { estimator = "u", minimize = false } = {}) {
    checkScores(scores, 1);
    checkCount(n, 1, estimator === "u" ? scores.length : MOST);
    const size = scores.length, sign = minimize ? -1 : 1;
    const ordered = Float64Array.from(scores, (score) => sign * score).sort();
    let [best, chance] = [ordered[size - 1], 1]; // that the best of n draws is among the lowest k
    for (let k = size - 1; k > 0 && chance; k--) {
      chance = estimator === "u" ? (chance * (k + 1 - n)) / (k + 1) : (k / size) ** n;
      best -= chance * (ordered[k] - ordered[k - 1]);
    }
    return sign * best;
  }

  // ln(n!) minus Stirling's formula: what is left of it is small, so that no digits are lost (Loader 2000).
  function stirlingError(n) {
    let [error, m] = [0, n];
    for (; m < 16; m++) error += (m + 0.5) * Math.log1p(1 / m) - 1;
    const s = 1 / (m * m);
    return error + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / m;
  }

  // x ln(x / mean) + mean - x, also where the two are close.
  function deviance(x, mean) {
    if (Math.abs(x - mean) >= 0.1 * (x + mean)) return x * Math.log(x / mean) + mean - x;
    const v = (x - mean) / (x + mean);
    let [total, term] = [(x - mean) * v, 2 * x * v];
    for (let j = 3, last = NaN; total !== last; j += 2) {
      term *= v * v;
      last = total;
      total += term / j;
    }
    return total;
  }

  // x^a y^b / B(a, b), where x + y = 1.
  function betaPower(a, b, x, y) {
    const n = a + b;
    const error = stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y);
    return Math.exp(error) * Math.sqrt((a * b) / (2 * Math.PI * n));
  }

  // Both tails of the beta distribution. Each is computed where it is the small one, and keeps its digits.
  function betaTails(a, b, x, y = 1 - x) {
    if (x <= 0 || y <= 0) return x <= 0 ? [0, 1] : [1, 0];
    if (x > (a + 1) / (a + b + 2)) return betaTails(b, a, y, x).reverse();
    const near = (number) => (Math.abs(number) < 1e-300 ? 1e-300 : number);
    let [c, d] = [1, 1 / near(1 - ((a + b) * x) / (a + 1))];
    let fraction = d; // by Lentz's method
    for (let m = 1, step = 0; m < 1e5 && Math.abs(step - 1) > 1e-16; m++) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      step = 1;
      for (const term of [even, odd]) {
        d = 1 / near(1 + term * d);
        c = near(1 + term / c);
        step *= c * d;
      }
      fraction *= step;
    }
    const lower = (betaPower(a, b, x, y) * fraction) / a;
    return [lower, 1 - lower];
  }

  // Where an increasing function of a number between low and high is 0.
  function rootOf(rises, low, high) {
    for (let i = 0; i < 200; i++) {
      const middle = (low + high) / 2;
      if (middle === low || middle === high) break;
      if (rises(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  // The log odds at which a tail of the beta distribution is p: ends near 0 keep their digits, and near 1 too.
  function betaLogit(p, a, b, upper) {
    const tail = (s) => betaTails(a, b, 1 / (1 + Math.exp(-s)), 1 / (1 + Math.exp(s)))[upper ? 1 : 0];
    return rootOf((s) => (upper ? p - tail(s) : tail(s) - p), -745, 745);
  }

  const betaQuantile = (p, a, b, upper = false) => 1 / (1 + Math.exp(-betaLogit(p, a, b, upper)));

  // P(Z > z) of the normal distribution.
  function normalTail(z) {
    if (z < 0) return 1 - normalTail(-z);
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    let total = 0;
    if (z > 3) {
      for (let k = 200; k > 0; k--) total = k / (z + total);
      return density / (z + total);
    }
    for (let term = z, k = 3; term > 1e-18 * total; k += 2) {
      total += term;
      term *= (z * z) / k;
    }
    return 0.5 - density * total;
  }

  const normalQuantile = (tail) => rootOf((z) => tail - normalTail(z), -39, 39);

  // P(|T| > t) of Student's t, for any real number of degrees of freedom.
  function tPvalue(t, df) {
    if (df > NORMAL) {
      const z = Math.min(Math.abs(t), 99), square = z * z; // beyond 39, p is 0
      return 2 * normalTail(z * (1 - (square + 1) / (4 * df) + (13 * square ** 2 + 8 * square + 3) / (96 * df ** 2)));
    }
    const square = t * t;
    return square === Infinity ? 0 : betaTails(df / 2, 0.5, df / (df + square), square / (df + square))[0];
  }

  // The t above which a share `tail` lies, below one half.
  function tQuantile(tail, df) {
    if (df > NORMAL) {
      const z = normalQuantile(tail);
      return z + (z ** 3 + z) / (4 * df);
    }
    return Math.sqrt(df) * Math.exp(-betaLogit(2 * tail, df / 2, 0.5, false) / 2);
  }

  // P(at most k heads in n throws): a sum of whole numbers as long as floats hold them.
  function coinTail(k, n) {
    if (k < 0 || k >= n) return k < 0 ? 0 : 1;
    if (n > 50) return betaTails(n - k, k + 1, 0.5)[0];
    let [ways, total] = [1, 1];
    for (let i = 1; i <= k; i++) total += ways = (ways * (n + 1 - i)) / i;
    return total / 2 ** n;
  }

  function checkShare(successes, trials, level) {
    checkCount(trials, 1);
    checkCount(successes, 0, trials);
    checkLevel(level);
  }

  function clopperPearson(successes, trials, level = 0.95) {
    checkShare(successes, trials, level);
    const tail = (1 - level) / 2, failures = trials - successes;
    const low = successes ? betaQuantile(tail, successes, failures + 1) : 0;
    return { low, high: failures ? betaQuantile(tail, successes + 1, failures, true) : 1 };
  }

  function wilson(successes, trials, level = 0.95) {
    checkShare(successes, trials, level);
    const square = normalQuantile((1 - level) / 2) ** 2, share = successes / trials;
    const centre = 2 * successes + square, half = Math.sqrt(square * (4 * successes * (1 - share) + square));
    // The lower end by its product with the upper one, which takes no small number from a large one.
    const low = (2 * successes * share) / (centre + half);
    return { low, high: successes === trials ? 1 : (centre + half) / (2 * (trials + square)) };
  }

  function mcnemar(n10, n01, method = "exact") {
    checkCount(n10);
    checkCount(n01);
    const [n, few] = [n10 + n01, Math.min(n10, n01)];
    const result = (statistic, p) => ({ statistic, p: n ? Math.min(1, Math.max(p, Number.MIN_VALUE)) : 1 });
    if (method === "exact") return result(few, 2 * coinTail(few, n));
    if (method === "mid-p") {
      const these = coinTail(few, n) - coinTail(few - 1, n); // the probability of just these counts
      return result(few, n10 === n01 ? 1 - these / 2 : 2 * coinTail(few, n) - these);
    }
    if (!["chi2", "chi2-corrected"].includes(method)) refuse(`McNemar's test is exact, mid-p, chi2 or chi2-corrected, and not ${method}.`);
    const lead = Math.abs(n10 - n01), off = method === "chi2" ? 0 : 1, root = Math.sqrt(Math.max(n, 1));
    return result((Math.max(lead - off, 0) / root) ** 2, 2 * normalTail((lead - off) / root));
  }

  function tInterval(scores, level = 0.95) {
    checkScores(scores, 2);
    checkLevel(level);
    const centre = mean(scores);
    const half = tQuantile((1 - level) / 2, scores.length - 1) * Math.sqrt(varianceOf(scores) / scores.length);
    return { low: centre - half, high: centre + half };
  }

  // In how many decimals scores are written; of more than six nothing is known.
  function decimalsOf(scores) {
    const fits = (d) => scores.every((score) => Math.abs(Math.round(score * 10 ** d) / 10 ** d - score) <= SHARE * Math.abs(score));
    return [0, 1, 2, 3, 4, 5, 6].find(fits);
  }

  // What the scores of both systems are: right or wrong, or rounded to how many decimals. Whole numbers, and shares
  // in tenths, are taken for exact. (evalkit's describe)
  function describe(columns) {
    const scores = columns.flat(), top = scores.includes(100) ? 100 : 1;
    const counted = scores.every((score) => score === 0 || score === top);
    const digits = decimalsOf(scores), inTenths = digits === 1 && scores.every((score) => score >= 0 && score <= 1);
    return { counted, top, digits: counted || inTenths ? 0 : digits ?? 0 };
  }

  // Scores that hardly scatter may all have been rounded the same way. (Scores.rounding_parts)
  function roundingParts(columns, digits, differences = null) {
    const square = digits ? (0.5 * 10 ** -digits) ** 2 : 0;
    let added = sum(columns.map((scores) => Math.max(square - varianceOf(scores), 0) / 3));
    if (differences) added = Math.max(added, ((2 * square) / 3 - varianceOf(differences)) / differences.length);
    return added > 1e-9 * square ? [[added, Infinity]] : [];
  }

  function differenceBy(difference, parts, level) {
    const variance = sum(parts.map(([part]) => part)), se = Math.sqrt(variance), squares = sum(parts.map(([part, df]) => part ** 2 / df));
    const df = squares ? variance ** 2 / squares : sum(parts.map(([, df]) => df));
    const half = se ? tQuantile((1 - level) / 2, df) * se : 0;
    const statistic = difference ? Math.sign(difference) * (se ? Math.abs(difference) / se : Infinity) : 0;
    return { difference, low: difference - half, high: difference + half, se, df, statistic, p: tPvalue(statistic, df), byScore: false };
  }

  // With what rounding adds; where that alone would decide, more digits are asked for.
  function withRounding(interval, parts, rounded, digits) {
    const found = interval([...parts, ...rounded]);
    if (rounded.length && interval(parts).p < 0.01 && found.p > 0.2) refuse(`Whether the scores were rounded to their ${digits} decimal${digits > 1 ? "s" : ""} decides here. Give more digits.`);
    return found;
  }

  const refuseConstant = () => refuse("The scores do not vary, to the digits written: from no scatter nothing follows about the difference. Give more digits, or more of what varies.");

  function welchDifference(a, b, level = 0.95) {
    for (const scores of [a, b]) checkScores(scores, 2);
    checkLevel(level);
    if ([a, b].every((scores) => spanOf(scores) <= SHARE * largest(scores.map(Math.abs)))) refuseConstant();
    const variances = [a, b].map(varianceOf), start = a[0];
    const difference = mean(a.map((score) => score - start)) - mean(b.map((score) => score - start));
    const parts = [a, b].map((scores, i) => [variances[i] / scores.length, scores.length - 1]);
    const { digits } = describe([a, b]), rounded = roundingParts([a, b], digits);
    return withRounding((all) => differenceBy(difference, all, level), parts, rounded, digits);
  }

  // Of items (evalkit's crossed_difference) or of runs (difference_interval, which allows for rounding).
  function pairedDifference(a, b, { level = 0.95, items = false } = {}) {
    for (const scores of [a, b]) checkScores(scores, items ? 5 : 2, items ? "items" : "scores");
    checkLevel(level);
    if (a.length !== b.length) refuse(`Pairs need two columns of one length, and these have ${a.length} and ${b.length} scores.`);
    const size = a.map((score, i) => SHARE * Math.max(Math.abs(score), Math.abs(b[i]))), blur = largest(size);
    const differences = a.map((score, i) => (Math.abs(score - b[i]) <= (items ? blur : size[i]) ? 0 : score - b[i]));
    const noise = largest(size.map((own, i) => (differences[i] ? own : 0)));
    const { counted, top, digits } = describe([a, b]);
    let variance = varianceOf(differences) / a.length;
    if (items && variance <= blur ** 2) variance = 0;
    if (!counted && (items ? !variance : spanOf(differences) <= noise)) refuseConstant();
    const rounded = items ? [] : roundingParts([a, b], digits, differences), few = fewDiffer(differences, counted);
    const interval = (parts) => {
      const byT = differenceBy(mean(differences), parts, level);
      return few ? statistics.whereFewDiffer(differences, byT, level, counted, top) : byT;
    };
    return withRounding(interval, [[variance, a.length - 1]], rounded, digits);
  }

  // Over how many equal parts amounts are spread.
  const spreadOver = (amounts) => sum(amounts) ** 2 / (sum(amounts.map((amount) => amount ** 2)) || 1);

  function fewDiffer(differences, counted) {
    const n = differences.length, ordered = Float64Array.from(differences).sort();
    if (!counted && differences.filter((difference) => difference === 0).length <= n / 2) return false;
    const median = (ordered[Math.floor((n - 1) / 2)] + ordered[Math.floor(n / 2)]) / 2;
    return spreadOver(differences.map((difference) => Math.abs(difference - median))) < Math.min(20, 0.6 * n);
  }

  const statistics = {
    weights, expectedMax, betaTails, betaQuantile, normalTail, normalQuantile, tPvalue, tQuantile, coinTail,
    clopperPearson, wilson, mcnemar, tInterval, welchDifference, pairedDifference, checkCount, checkScores, decimalsOf, describe,
    differenceBy, refuse, refuseConstant, rootOf, spreadOver, sum,
    whereFewDiffer: () => refuse("So few pairs differ that Student's t does not hold."), // until score.js is read
  };
  return statistics;
})();
