/* Games of chance: how each draws, and what it counts. No game knows how it is shown, and none has words of its
   own but keys: evalkit.explore writes the words.

   A game is a function of its data and of a setting. It returns
     lanes      for each pile its key and its kinds of draw, in the order of the legend; last, what only the tally
                tells: `aside`
     axis       [lowest, highest]: what lies beyond is piled up at the ends
     bins       how many; `whole` where each is a whole number
     mark       a value that all piles are held against, or null
     strip      [lowest, highest] of what was drawn, or null for the same axis
     draw       from a source of chance to { marks, strip }: for each lane its value, kind and ends; and rows of values,
                of which `pick` is filled, or those that are `right`, or `first` ringed and the last filled as the best
     note       the key of what must be said of a setting, or null
     labels     what its words call the sides
     words      from the tally to what its sentence says besides
   For the chart of what was tried, it may return
     exact      what more and more draws come to, by series of the chart
     x, path    where this setting stands, and the settings of its curve, if that is not a control */
"use strict";

const evalkitGames = (() => {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const mean = (numbers) => sum(numbers) / numbers.length;
  const variance = (numbers, centre = mean(numbers)) =>
    sum(numbers.map((number) => (number - centre) ** 2)) / (numbers.length - 1);

  // Wellons (2018), Prospecting for Hash Functions: the pair of constants with the smallest bias of its list.
  function mix(number) {
    number = Math.imul(number ^ (number >>> 15), 0xd168aaad);
    number = Math.imul(number ^ (number >>> 15), 0xaf723597);
    return (number ^ (number >>> 15)) >>> 0;
  }

  /* Return a source of numbers between 0 and 1. They follow from seed and draw alone, so that a draw can be made
     again, and a longer sample begins as the shorter one. */
  function chance(seed, draw) {
    const start = mix(mix(seed) + draw);
    let member = 0;
    return () => (mix(start + mix(++member)) + 0.5) / 2 ** 32;
  }

  const place = (random, count) => Math.floor(random() * count);
  const pick = (random, from, size) => Array.from({ length: size }, () => from[place(random, from.length)]);
  const normal = (random) => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const normals = (random, size) => Array.from({ length: size }, () => normal(random));

  // Which of two is ahead; what only rounding tells from a tie is one.
  const ahead = (difference, scale) => (Math.abs(difference) <= 1e-9 * scale ? "tie" : difference < 0 ? "a" : "b");

  /* How probable each run is to be chosen, if so many are drawn and the best on validation is taken. */
  function chances(validation, budget) {
    const levels = [...new Set(validation)].sort((x, y) => x - y);
    const counts = new Map(levels.map((level) => [level, 0]));
    for (const score of validation) counts.set(score, counts.get(score) + 1);
    let below = 0;
    const share = new Map(levels.map((level) => {
      const from = below;
      below += counts.get(level);
      const all = validation.length;
      return [level, ((below / all) ** budget - (from / all) ** budget) / counts.get(level)];
    }));
    return validation.map((score) => share.get(score));
  }

  /* The cover and Chapter 3: a search tries so many settings of each system, and reports the test score of the best on
     validation. The budget is said for both, or for the first: the other has as many, or as many as the time allows. */
  function papers({ pools, axis, strip, ratio, sign = 1 }, { a, b, trials, unit }) {
    const budgets = trials ? { a: trials, b: unit === "seconds" ? Math.floor(trials * ratio + 1e-9) : trials } : { a, b };
    const sides = ["a", "b"];
    function search(key, random) {
      const { validation, test } = pools[key];
      const tried = Array.from({ length: budgets[key] }, () => place(random, test.length));
      let best = 0;
      tried.forEach((run, i) => { if (sign * validation[run] > sign * validation[tried[best]]) best = i; });
      return { key, values: tried.map((run) => test[run]), pick: best };
    }
    function exact() {
      const [of, other] = sides.map((key) => chances(pools[key].validation.map((score) => sign * score), budgets[key]));
      const at = (key, shares) => sum(pools[key].test.map((score, i) => score * shares[i]));
      let wins = 0;
      pools.a.test.forEach((first, i) => pools.b.test.forEach((second, j) => {
        if (ahead(sign * (second - first), axis[1]) === "b") wins += of[i] * other[j];
      }));
      return { wins: 100 * wins, lead: sign * (at("b", other) - at("a", of)) };
    }
    return {
      lanes: [{ key: "difference", kinds: ["b", "a", "tie"], mean: true }],
      axis, bins: 41, mark: 0, strip, exact, labels: { n_a: budgets.a, n_b: budgets.b },
      draw(random) {
        const strip = sides.map((key) => search(key, random));
        const [first, second] = strip.map(({ values, pick }) => values[pick]);
        const value = sign * (second - first);
        return { marks: [{ value, kind: ahead(value, axis[1]) }], strip };
      },
    };
  }

  /* Chapter 1: recorded splits of the same lines, so many to an average. */
  function pairs({ gaps, names, axis }, { pair, scheme, splits: n }) {
    const from = gaps[`${pair} ${scheme}`];
    const [first, second] = names[pair];
    return {
      lanes: [{ key: "difference", kinds: ["b", "a", "tie"] }],
      axis, bins: 33, mark: 0, strip: null, labels: { first, second },
      draw(random) {
        const values = pick(random, from, n);
        const value = mean(values);
        return { marks: [{ value, kind: ahead(value, 1) }], strip: [{ key: "splits", values }] };
      },
    };
  }

  /* Chapter 2: a system that has so much of the common class right, and so much of the rest, on items of both. */
  function classes({ items, classes: k, axis }, { share, common, rare }) {
    const n = Math.round((items * share) / 100);
    const floors = { accuracy: (100 * n) / items, balanced: 100 / k };
    const scores = (c, r) => ({ accuracy: (c * n + r * (items - n)) / items, balanced: (c + (k - 1) * r) / k });
    const leads = (c, r) => Object.entries(scores(c, r)).map(([key, score]) => [key, score - floors[key]]);
    return {
      lanes: Object.keys(floors).map((key) => ({ key, kinds: ["above", "below"], mean: true })),
      axis, bins: 41, mark: 0, strip: [0, items],
      exact: () => Object.fromEntries(leads(common, rare)),
      labels: { floor: floors.accuracy.toFixed(0), half: floors.balanced.toFixed(0) },
      draw(random) {
        const right = Array.from({ length: items }, (_, i) => 100 * random() < (i < n ? common : rare));
        const of = (from, to) => (100 * sum(right.slice(from, to))) / (to - from);
        const marks = leads(of(0, n), of(n, items)).map(([, value]) => ({ value, kind: value > 1e-9 ? "above" : "below" }));
        return { marks, strip: [{ key: "items", values: right.map((_, i) => i + 0.5), right, border: n }] };
      },
    };
  }

  /* Chapter 4. Scores of a shape have the mean 0 and the standard deviation 1; one's own are drawn as they are. */
  const SHAPES = {
    normal,
    skewed: (random) => -Math.log(random()) - 1,
    "some runs fail": (random) => {
      const fails = random() < 0.1;
      return (normal(random) * 0.2 - 10 * fails + 1) / Math.sqrt(0.04 + 100 * 0.09);
    },
  };

  function percentile(random, scores, resamples = 399) {
    const means = new Float64Array(resamples);
    for (let i = 0; i < resamples; i++) {
      let total = 0;
      for (let j = 0; j < scores.length; j++) total += scores[place(random, scores.length)];
      means[i] = total / scores.length;
    }
    means.sort();
    const at = (share) => means[Math.round(share * (resamples + 1)) - 1];
    return [at(0.025), at(0.975)];
  }

  function intervals({ scores, truth, axis }, { size, shape, kind }) {
    const quantile = evalkitStatistics.tQuantile(0.025, size - 1);
    const one = scores ? (random) => scores[place(random, scores.length)] : SHAPES[shape];
    function ends(random, sample) {
      if (kind === "percentile") return percentile(random, sample);
      const centre = mean(sample);
      const half = quantile * Math.sqrt(variance(sample, centre) / size) * (kind === "t0" ? Math.sqrt((size - 1) / size) : 1);
      return [centre - half, centre + half];
    }
    return {
      lanes: [{ key: "interval", kinds: ["missed", "held"] }],
      axis, bins: 0, mark: truth, strip: null,
      ...(kind === "t" && shape === "normal" ? { exact: () => ({ missed: 5 }) } : {}), // Student's theorem
      draw(random) {
        const sample = Array.from({ length: size }, () => one(random));
        const [low, high] = ends(random, sample);
        const slack = 1e-12 * Math.max(Math.abs(low), Math.abs(high)); // rounding makes no miss
        const held = low - slack <= truth && truth <= high + slack;
        return {
          marks: [{ value: mean(sample), low, high, kind: held ? "held" : "missed" }],
          strip: [{ key: "sample", values: sample }],
        };
      },
    };
  }

  // How likely each number of heads is, of n coins that fall so with a chance of p, between 0 and 1.
  function binomial(n, p = 0.5) {
    const middle = Math.floor(n * p);
    const odds = p / (1 - p);
    const shares = new Array(n + 1).fill(1); // as if the middle had a share of 1
    for (let k = middle; k < n; k++) shares[k + 1] = (shares[k] * odds * (n - k)) / (k + 1);
    for (let k = middle; k > 0; k--) shares[k - 1] = (shares[k] * k) / (n - k + 1) / odds;
    const whole = sum(shares);
    return shares.map((share) => share / whole);
  }

  // The sums of so many, from the first on.
  const sums = (numbers, reached = 0) => numbers.map((number) => (reached += number));

  /* Chapter 5: a fair coin for each item that only one system has right. */
  function coins({ methods }, { a_only: a, b_only: b }) {
    const n = a + b;
    const reach = Math.max(3, Math.ceil(5 * Math.sqrt(n) / 2), Math.abs(a - b) / 2 + 1);
    const low = Math.max(0, Math.floor(n / 2 - reach));
    const high = Math.max(low + 4, Math.min(n, Math.ceil(n / 2 + reach)));
    const uneven = (k) => Math.abs(2 * k - n) >= Math.abs(a - b);
    return {
      lanes: [{ key: "coins", kinds: ["uneven", "even"] }],
      axis: [low - 0.5, high + 0.5], bins: high - low + 1, mark: a, strip: null,
      whole: true, expected: [...binomial(n), 0, 0, 0, 0].slice(low, high + 1), // of each bin: what the piles come to
      kindOf: (value) => (uneven(Math.round(value)) ? "uneven" : "even"),
      draw(random) {
        let value = 0;
        for (let i = 0; i < n; i++) value += random() < 0.5;
        return { marks: [{ value, kind: uneven(value) ? "uneven" : "even" }], strip: [] };
      },
      x: Math.abs(a - b), group: n, note: n ? null : "none",
      exact: () => ({ uneven: 100 * evalkitStatistics.mcnemar(a, b, "exact").p }),
      path(most) {
        const leads = Array.from({ length: Math.floor((Math.min(most, n) - (n % 2)) / 2) + 1 }, (_, i) => n % 2 + 2 * i);
        return leads.map((lead) => ({ a_only: (n + lead) / 2, b_only: (n - lead) / 2 }));
      },
      words: () => Object.fromEntries(methods.map((method) => [method, evalkitStatistics.mcnemar(a, b, method).p])),
    };
  }

  /* Chapter 5: two systems on so many splits of one data set, and what three tests say. */
  const rankSums = new Map(); // of so many differences: how many signs give each sum of positive ranks, or less
  function signedRanks(n) {
    if (!rankSums.has(n)) {
      let counts = [1];
      for (let rank = 1; rank <= n; rank++) {
        counts = Array.from({ length: counts.length + rank }, (_, s) => (counts[s] ?? 0) + (counts[s - rank] ?? 0));
      }
      rankSums.set(n, sums(counts));
    }
    return rankSums.get(n);
  }

  function wilcoxon(differences) {
    const n = differences.length;
    const order = differences.map((_, i) => i).sort((i, j) => Math.abs(differences[i]) - Math.abs(differences[j]));
    const positive = sum(order.map((i, rank) => (differences[i] > 0 ? rank + 1 : 0)));
    const lesser = Math.min(positive, (n * (n + 1)) / 2 - positive);
    return Math.min(1, (2 * signedRanks(n)[lesser]) / 2 ** n);
  }

  function stars({ correlation, share, axis }, { splits: n, effect }) {
    const critical = evalkitStatistics.tQuantile(0.025, n - 1);
    const lanes = ["wilcoxon", "paired", "corrected"];
    return {
      lanes: lanes.map((key) => ({ key, kinds: ["star", "none"] })),
      axis, bins: 70, mark: 0, strip: null,
      note: [effect === 0 ? "equal" : "", n < 6 ? "few" : ""].filter(Boolean).join("_") || null,
      draw(random) {
        const shared = Math.sqrt(correlation) * normal(random);
        const differences = normals(random, n).map((own) => effect + shared + Math.sqrt(1 - correlation) * own);
        const value = mean(differences);
        const spread = variance(differences, value);
        const starred = {
          wilcoxon: wilcoxon(differences) < 0.05,
          paired: Math.abs(value) > critical * Math.sqrt(spread / n),
          corrected: Math.abs(value) > critical * Math.sqrt(spread * (1 / n + share / (1 - share))),
        };
        return {
          marks: lanes.map((key) => ({ value, kind: starred[key] ? "star" : "none" })),
          strip: [{ key: "differences", values: differences }],
        };
      },
    };
  }

  /* Chapter 6: so many seeds of each of two systems, and, if one likes, other test items too. */
  function bytesOf(text) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }

  function unpack(text, rows, columns) {
    const bytes = bytesOf(text), bits = new Uint8Array(rows * columns);
    for (let i = 0; i < bits.length; i++) bits[i] = (bytes[i >> 3] >> (7 - (i & 7))) & 1;
    return Array.from({ length: rows }, (_, row) => bits.subarray(row * columns, (row + 1) * columns));
  }

  const unpacked = new Map();
  function bitsOf(packed) {
    const { correct, rows, n_items: columns } = packed;
    if (!unpacked.has(packed)) unpacked.set(packed, unpack(correct, rows, columns));
    return unpacked.get(packed);
  }

  function seeds({ pools, pairs: sides, axis, strip }, { pair = "", count, gain, items = "" }) {
    const [of, other] = sides[pair].map((name) => pools[name]);
    function measure(random, members) {
      if (!items) return members.map(([pool, member]) => pool.scores[member]);
      const totals = members.map(() => 0);
      const bits = members.map(([pool, member]) => bitsOf(pool)[member]);
      for (let i = 0; i < Number(items); i++) {
        const item = place(random, of.n_items);
        bits.forEach((right, j) => { totals[j] += right[item]; });
      }
      return totals.map((total) => (100 * total) / Number(items));
    }
    return {
      lanes: [{ key: "difference", kinds: ["b", "a", "tie"] }],
      axis: items ? axis.map((end) => 3 * end) : axis, bins: 41, mark: 0, strip: items ? [30, 90] : strip, // a hundred items scatter
      labels: { first: sides[pair][0], second: sides[pair][1] },
      draw(random) {
        const members = Array.from({ length: 2 * count }, (_, i) => {
          const pool = i < count ? of : other;
          return [pool, place(random, pool.scores.length)];
        });
        const measured = measure(random, members);
        const [a, b] = [measured.slice(0, count), measured.slice(count).map((score) => score + gain)];
        const value = mean(b) - mean(a);
        return {
          marks: [{ value, kind: ahead(value, axis[1]) }],
          strip: [{ key: "a", values: a }, { key: "b", values: b }],
        };
      },
    };
  }

  /* Two language models under every way to ask, on the same inputs each time. */
  function templates({ models, names }, { a, b, items: n }) {
    const [first, second] = [bitsOf(models[a]), bitsOf(models[b])];
    return {
      lanes: names.map((key) => ({ key, kinds: ["a", "b", "tie"] })),
      axis: [-41, 41], bins: 41, mark: 0, strip: null, labels: { a, b },
      draw(random) {
        const totals = names.map(() => 0);
        for (let i = 0; i < n; i++) {
          const item = place(random, models[a].n_items);
          totals.forEach((_, t) => { totals[t] += first[t][item] - second[t][item]; });
        }
        const marks = totals.map((total) => ({ value: (100 * total) / n, kind: total > 0 ? "a" : total < 0 ? "b" : "tie" }));
        return { marks, strip: [] };
      },
    };
  }

  /* How probable it is that n draws from so many meet d different ones, for each d. */
  function distinct(n, size) {
    let shares = [1];
    for (let i = 0; i < n; i++) {
      shares = Array.from({ length: Math.min(size, i + 1) + 1 }, (_, d) =>
        ((shares[d] ?? 0) * d + (shares[d - 1] ?? 0) * (size - d + 1)) / size);
    }
    return shares;
  }

  /* Chapter 7: a sample of N runs, and by how much U and V miss the expected best of n. */
  function best({ pools }, { pool = "", size, n }) {
    const { scores, sign, axis, strip } = pools[pool];
    const expected = (sample, weights) => sign * sum(sample.map((score, k) => score * weights[k]));
    const ordered = (values) => [...Float64Array.from(values, (score) => sign * score).sort()];
    const truth = expected(ordered(scores), evalkitStatistics.weights(scores.length, n).v);
    const weights = evalkitStatistics.weights(size, n);
    const keys = ["u", "v"].filter((key) => weights[key]);
    return {
      lanes: keys.map((key) => ({ key, kinds: [key], mean: true })),
      axis, bins: 40, mark: 0, strip,
      note: n > size ? "few" : null,
      draw(random) {
        const sample = pick(random, scores, size);
        const marks = keys.map((kind) => ({ value: expected(ordered(sample), weights[kind]) - truth, kind }));
        return { marks, strip: [{ key: "sample", values: sample }] };
      },
      exact() {
        const all = ordered(scores);
        const met = distinct(n, size).map((share, d) => (d ? share * expected(all, evalkitStatistics.weights(all.length, d).v) : 0));
        return { ...(keys.includes("u") ? { u: 0 } : {}), v: sum(met) - truth };
      },
      words: () => ({ truth }),
    };
  }

  /* Chapter 9: how many of new items each system of a board has right, from the last system to the best. Where luck is
     shared, one number decides for all; of the other items each system has a number of its own right. */
  function madeUp(truths, items, shared) {
    const alone = truths.map((truth) => sums(binomial(items - shared, truth / 100)));
    return (random) => {
      const worst = truths.map(() => 0); // of how many shared items each is the worst that has them right
      const right = alone.map((shares) => {
        const chosen = random();
        return shares.findIndex((share) => share > chosen); // there is one: none is drawn so close to 1
      });
      for (let item = 0; item < shared; item++) {
        const common = 100 * random();
        const found = truths.findIndex((truth) => truth > common);
        if (found >= 0) worst[found] += 1;
      }
      return sums(worst).map((together, i) => together + right[i]);
    };
  }

  // A reader's own items, each with what every system made of it.
  function resampled(table, items) {
    return (random) => {
      const right = Array.from(table[0], () => 0);
      for (let item = 0; item < items; item++) table[place(random, table.length)].forEach((one, i) => { right[i] += one; });
      return right;
    };
  }

  function boards({ own, highest, lowest }, { systems = own?.truths.length, items, gap, shared }) {
    const truths = own?.truths ?? Array.from({ length: systems }, (_, i) => Math.max(lowest, highest - gap * (systems - 1 - i)));
    const take = own
      ? resampled(bitsOf(own), items)
      : madeUp(truths, items, Math.round((items * shared) / 100));
    const reach = 150 / Math.sqrt(items); // three standard deviations of a score, or more
    return {
      lanes: [{ key: "rank", kinds: ["best", "other"] }, { key: "over", kinds: ["over"], mean: true, aside: true }],
      axis: [0.5, systems + 0.5], bins: systems, whole: true, mark: null,
      strip: [Math.max(0, truths[0] - reach), Math.min(100, truths[systems - 1] + reach)],
      draw(random) {
        const scores = take(random).map((right) => (100 * right) / items);
        const top = Math.max(...scores);
        const tied = [...scores.keys()].filter((i) => scores[i] === top);
        const first = tied[place(random, tied.length)];
        return {
          marks: [
            { value: systems - first, kind: first === systems - 1 ? "best" : "other" },
            { value: top - truths[first], kind: "over" },
          ],
          strip: [{ key: "true", values: truths, first }, { key: "measured", values: scores, first }],
        };
      },
      note: gap === 0 ? "equal" : null,
      words: ({ lanes: [{ bins }] }) => ({ crowned: String(bins.filter(({ best, other }) => best + other).length) }),
    };
  }

  /* Chapter 8: two searches that share no shuffle; each averages J of them, and takes the first of the best. */
  const estimates = new Map();
  function recordedScores(found) {
    if (!estimates.has(found)) estimates.set(found, found.scores ?? bytesOf(found.packed));
    return estimates.get(found);
  }

  function grid({ tasks }, { task = "", j, k = "" }) {
    const { x, y, worth } = tasks[task];
    const found = tasks[task].folds[k];
    const [scores, settings] = [recordedScores(found), x.length];
    const all = scores.length / settings;
    function search(shuffles) {
      const totals = new Float64Array(settings);
      const way = shuffles.map((shuffle) => {
        for (let i = 0; i < settings; i++) totals[i] += scores[shuffle * settings + i];
        return firstBest(totals);
      });
      const top = totals[way.at(-1)];
      const tied = [...totals.keys()].filter((i) => ahead(totals[i] - top, Math.abs(top)) === "tie");
      return { way, chosen: way.at(-1), tied };
    }
    function firstBest(totals) {
      let best = 0;
      for (let i = 1; i < settings; i++) if (ahead(totals[i] - totals[best], Math.abs(totals[best])) === "b") best = i;
      return best;
    }
    const lanes = [
      { key: "agree", kinds: ["same", "other"], aside: true },
      { key: "tied", kinds: ["tied", "clear"], aside: true },
      ...(worth ? [{ key: "worth", kinds: ["worth"], mean: true, aside: true }] : []),
    ];
    return {
      lanes, axis: [0, 1], bins: 0, mark: null, strip: null, grid: { x, y, best: worth ? Math.max(...worth) : null, worth },
      labels: { cost: j * Number(k) },
      draw(random) {
        const order = Array.from({ length: all }, (_, i) => i); // the first 2 J of a shuffle
        for (let i = 0; i < 2 * j; i++) {
          const other = i + place(random, all - i);
          [order[i], order[other]] = [order[other], order[i]];
        }
        const searches = [search(order.slice(0, j)), search(order.slice(j, 2 * j))];
        const [one, other] = searches;
        const marks = [
          { value: 0, kind: one.chosen === other.chosen ? "same" : "other" },
          { value: 0, kind: one.tied.length > 1 ? "tied" : "clear" },
          ...(worth ? [{ value: worth[one.chosen], kind: "worth" }] : []),
        ];
        return { marks, strip: [], searches };
      },
    };
  }

  return {
    chance,
    games: { papers, pairs, classes, intervals, coins, stars, seeds, templates, best, boards, grid },
  };
})();
