/* What numbers say, in the words of `evalkit report`: of one column of scores or two, of four counts, of what is
   printed. Each function returns the lines, those to copy, the calls in Python, and what the answer is about. */
globalThis.scoreAnswers = (words, reader) => {
  "use strict";
  const { said, own, faults, tests, why, scopes, calls } = words, { fill, count } = reader;
  const {
    clopperPearson, expectedMax, fromSummary, gaussianExpectedMax, mcnemarRange, normalQuantile, pairedDifference, possibleCounts, refuse,
    rightOrWrong, separateShares, sum, tInterval, welchDifference,
  } = evalkitStatistics;

  // toFixed, but of two numbers that are equally near the even one, as in Python.
  function fixed(value, digits) {
    const size = Math.abs(value), [whole, rest] = [size.toFixed(digits), size.toFixed(Math.min(digits + 50, 100))];
    const cut = digits ? rest.slice(0, whole.length) : rest.split(".")[0];
    const isTie = /^\.?50*$/.test(rest.slice(cut.length)) && /[02468]$/.test(cut);
    return (value < 0 ? "-" : "") + (isTie ? cut : whole);
  }

  // Python's format "g": so many digits, and no zeros at the end.
  function general(value, digits) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (exponent >= -4 && exponent < digits) return short(fixed(value, digits - 1 - exponent));
    return `${short(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }

  // As many digits as the interval leaves: `number` of a report.
  function number(value, width) {
    const digits = width ? Math.max(0, 1 - Math.floor(Math.log10(width / 2))) : 0;
    let text = !width ? general(value, 4) : general(value, 3);
    if (width && digits <= 8) {
      const texts = [0, 1, 2].map((more) => fixed(value, digits + more));
      text = texts.find((text) => Number(text)) ?? (0).toFixed(digits);
    }
    return text.replaceAll("-", "\u2212");
  }

  const ends = ({ low, high }) => `${number(low, high - low)} to ${number(high, high - low)}`;

  function pvalue(p) {
    if (p < 0.0001) return "p < 0.0001";
    const isTrue = (text) => text !== "0.05" || (Number(text) <= 0.05) === (p <= 0.05); // on which side of it?
    const texts = [2, ...Array.from({ length: 14 }, (_, i) => i + 4)].map((digits) => general(p, digits));
    return `p = ${texts.find((text, i) => (i || text !== "0.05") && isTrue(text))}`;
  }

  const isBinary = (columns) => columns.every(({ scores }) => scores.every((score) => score === 0 || score === 1));

  // What a comparison of two columns gives, in the terms of a report.
  function compared([a, b], { unit, isPaired }, level) {
    if (!isPaired) {
      const sizes = `${a.scores.length.toLocaleString("en")} and ${count(b.scores.length, unit)}`;
      if (unit === "item" && isBinary([a, b])) return ofTwoShares([a, b].flatMap(({ scores }) => [sum(scores), scores.length]), level);
      return { ...welchDifference(a.scores, b.scores, level), test: tests.welch, method: tests.welch, sizes, asked: [calls.welch] };
    }
    const [n_a, n_b] = [a, b].map(({ scores }) => scores.length);
    if (n_a !== n_b) refuse(fill(faults.unequal, { a: a.name, b: b.name, n_a, n_b }));
    if (unit === "item" && isBinary([a, b])) {
      const cells = [[1, 1], [1, 0], [0, 1], [0, 0]].map(([one, other]) => a.scores.filter((score, i) => score === one && b.scores[i] === other).length);
      return ofCounts(cells, level);
    }
    const [x, y] = [a.scores[0], b.scores[0]], size = (...scores) => Math.max(...scores.map(Math.abs));
    const isSame = a.scores.every((score, i) => Math.abs(score - b.scores[i] - (x - y)) <= 64 * Number.EPSILON * size(score, b.scores[i], x, y));
    if (isSame && n_a >= (unit === "item" ? 5 : 2)) refuse(fill(faults.same, { a: a.name, b: b.name, n: n_a, gap: number(Math.abs(x - y), 0) }));
    const found = pairedDifference(a.scores, b.scores, { items: unit === "item", level });
    const method = found.byScore ? fill(tests.score, { unit }) : tests[unit === "item" ? "items" : "paired"];
    const sizes = unit === "item" ? count(n_a, "item") : `${count(n_a, "pair")} of runs`;
    return { ...found, test: method, method, sizes, asked: [calls[unit === "item" ? "items" : "paired"]] };
  }

  function ofCounts(cells, level) {
    const [n11, n10, n01, n00] = cells, sizes = count(sum(cells), "item");
    const asked = [calls.cells, calls.mcnemar].map((call) => fill(call, { n11, n10, n01, n00 }));
    const more = level < 0.95 ? 0.5 : 0; // of equivalence it is corrected for continuity
    return { ...rightOrWrong(...cells, level, more), test: tests.mcnemar, method: fill(tests.score, { unit: "item" }), sizes, asked };
  }

  function ofTwoShares([a, n_a, b, n_b], level) {
    const sizes = `${n_a.toLocaleString("en")} and ${count(n_b, "item")}`;
    return { ...separateShares(a, n_a, b, n_b, level), test: tests.separate, method: tests.separate, sizes, asked: [fill(calls.separate, { a, n_a, b, n_b })] };
  }

  const quantity = (metric, of) => (metric ? `${metric} (${of})` : `the ${of}`);

  // The sentences of a report: what was found, and what follows from it.
  function sentences(found, { name, base, metric, of, sign }) {
    const { difference, low, high, p, test, method } = found, width = high - low;
    const gap = number(Math.abs(difference), width), how = difference > 0 ? "higher" : difference < 0 ? "lower" : "same";
    const what = fill(said[how], { name, base, gap, of: quantity(metric, of) });
    const lead = fill(said[method === test ? "found by one" : "found by two"], { what, ends: ends(found), p: pvalue(p), by: `${test}, ${found.sizes}`, method });
    const [bad, good] = sign > 0 ? [low, high] : [-high, -low];
    if (p <= 0.05 && (bad > 0 || good < 0)) return `${lead} ${fill(said[bad > 0 ? "better" : "worse"], { name, base, more: "" })}`;
    const cannot = fill(said.cannot, { name, base });
    if (low > 0 || high < 0) return `${lead} ${cannot}: ${said.disagree} ${test === tests.mcnemar ? why.shorter : ""}`.trim();
    const [most, least] = [good, -bad].map((end) => number(Math.max(end, 0), width));
    return `${lead} ${fill(said["either way"], { cannot, name, good: most, bad: least, equal: said.equal })}`;
  }

  // Two one-sided tests at 0.05: where the 90 % interval lies.
  function within(found, { name, base }, { margin, sign }) {
    const [bad, good] = sign > 0 ? [found.low, found.high] : [-found.high, -found.low];
    const which = bad <= -margin ? "unequal" : good < margin ? "equal" : "no worse";
    return fill(own[which], { name, base, margin: number(margin, 0), ends: ends(found) });
  }

  // What is said of one column: sentences, each with its call.
  function ofOne({ name, scores }, letter, { row, unit, metric, n, minimize }) {
    const noun = row === "search" ? "trial" : unit, sizes = count(scores.length, noun), out = [];
    const of = quantity(metric, scopes[unit].of), { low, high } = scores.length > 1 ? tInterval(scores) : { low: 0, high: 0 };
    if (unit === "item" && isBinary([{ scores }])) return [ofShare(name, sum(scores), scores.length)];
    if (row !== "search" && scores.length === 1) out.push([fill(own.alone, { name })]);
    else if (row !== "search") {
      const mean = number((low + high) / 2, high - low);
      out.push([fill(low === high ? own.constant : own.mean, { name, mean, of, sizes, ends: ends({ low, high }) }), fill(calls.mean, { letter })]);
    }
    if (unit === "item") return out;
    const runs = Math.min(n, scores.length), best = number(expectedMax(scores, runs, { minimize }), high - low);
    const call = fill(calls.best, { letter, n: runs, minimize: minimize ? ", minimize=True" : "" });
    return [...out, [fill(own.best, { name, runs: count(runs, noun), best, sizes }), call]];
  }

  function ofShare(name, right, n, text = own.share) {
    const values = { name, right: right.toLocaleString("en"), sizes: count(n, "item"), ends: ends(clopperPearson(right, n)) };
    return [fill(text, values), fill(calls.share, { right, n })];
  }

  // Of one comparison, and of what stands beside it; the comparison is what one copies.
  function together(scope, find, names, setting, beside = []) {
    const found = find(0.95), { margin } = setting, lines = [sentences(found, { ...names, of: scopes[scope].of, ...setting })], asked = [...found.asked];
    if (margin) {
      lines.push(within(find(0.9), names, setting));
      asked.push(fill(calls.equal, { asked: asked[0], margin }));
    }
    return { scope, lines: [...lines, ...beside.map(([text]) => text)], copied: lines, calls: [...asked, ...beside.map(([, call]) => call)] };
  }

  function ofColumns(columns, setting) {
    const { row, unit } = setting, letters = ["a", "b"];
    const beside = columns.flatMap((column, i) => ofOne(column, letters[i], setting)), lines = beside.map(([line]) => line);
    const python = columns.map(({ scores }, i) => `${letters[i]} = [${scores.join(", ")}]`);
    if (row === "search" || columns.length === 1) {
      return { scope: row === "search" ? row : unit, lines, copied: lines, calls: beside.map(([, call]) => call), python };
    }
    const [name, base] = columns.map((column) => column.name);
    return { ...together(unit, (level) => compared(columns, setting, level), { name, base }, setting, beside), python };
  }

  const AB = { name: "A", base: "B" };

  function ofFour(cells, setting) {
    const [n11, n10, n01] = cells, shares = [["A", n11 + n10], ["B", n11 + n01]];
    return together("item", (level) => ofCounts(cells, level), AB, setting, shares.map(([name, right]) => ofShare(name, right, sum(cells))));
  }

  function ofSeparate(numbers, setting) {
    const [a, b] = numbers.map(({ right, text, n, isPercent, decimals }) => {
      if (right !== undefined || !(isPercent || decimals || text <= 100)) return { right: right ?? Number(text), n };
      if (!isPercent && !decimals) refuse(fill(faults.whole, { cell: text, n: n.toLocaleString("en") }));
      const { low, high } = possibleCounts(text, n);
      if (low !== high) refuse(fill(low > high ? faults.share : faults.rounded, { cell: text, n: n.toLocaleString("en"), low, high }));
      return { right: low, n };
    });
    return together("item", (level) => ofTwoShares([a.right, a.n, b.right, b.n], level), AB, setting, [ofShare("A", a.right, a.n, own.part), ofShare("B", b.right, b.n, own.part)]);
  }

  // For A, for B and tied: of one item each.
  const ofVotes = ([a, b, tied], setting) => together("item", (level) => ofCounts([0, a, b, tied], level), AB, { ...setting, metric: own.votes });

  // How many of so many, against a fixed limit.
  function ofBar(right, n) {
    const [line, call] = ofShare("A", right, n, own.part), { low, high } = clopperPearson(right, n, 0.9), width = high - low;
    const lines = [line, fill(own.sides, { low: number(low, width), high: number(high, width) })];
    return { scope: "item", lines, copied: lines, calls: [call, fill(calls.sides, { right, n })] };
  }

  // Printed means of runs, each with its spread.
  function ofMeans([a, b], spread, setting) {
    const [one, other] = [a, b].map(({ value, spread, n }) => [value, spread, n]), decimals = [a.decimals, b.decimals];
    const sizes = `${a.n.toLocaleString("en")} and ${count(b.n, "run")}, ${own[spread]}`;
    const asked = [fill(calls.summary, { a: one.join(", "), b: other.join(", "), spread, decimals: decimals.join(", ") })];
    return together("printed", (level) => ({ ...fromSummary(one, other, { spread, decimals, level }), test: tests.welch, method: tests.welch, sizes, asked }), AB, setting);
  }

  // Accuracies of one run each on the same items: which counts they can be, and between which values p lies.
  function ofAccuracies(numbers) {
    const [{ n }] = numbers, sizes = count(n, "item"), whole = (k) => k.toLocaleString("en");
    const found = numbers.map(({ right, text }) => (right === undefined ? possibleCounts(text, n) : { low: right, high: right }));
    const lines = found.map(({ low, high }, i) => {
      if (low === high) return ofShare("AB"[i], low, n)[0];
      const values = { name: "AB"[i], printed: numbers[i].text, sizes, low: whole(low), high: whole(high) };
      if (low > high) return fill(own.impossible, values);
      return fill(own.possible, { ...values, ends: ends({ low: clopperPearson(low, n).low, high: clopperPearson(high, n).high }) });
    });
    const tried = numbers.filter(({ text }) => text).map(({ text }) => fill(calls.possible, { printed: text, n }));
    if (numbers.length < 2 || found.some(({ low, high }) => low > high)) return { scope: "item", lines, copied: lines, calls: tried };
    const [one, other] = numbers.map(({ right, text }) => right ?? text), [a, b] = [one, other].map((given) => JSON.stringify(given));
    const { low, high, ...pairs } = mcnemarRange(one, other, n), cells = [pairs.lowest, pairs.highest].map(([n10, n01]) => ({ n11: n - n10 - n01, n10, n01, n00: 0 }));
    const [few, many] = cells.map(({ n11, n10, n01 }) => rightOrWrong(n11, n10, n01, 0)).map((at) => ends({ low: 100 * at.low, high: 100 * at.high }));
    const line = `${fill(own.range, { sizes, low: pvalue(low), high: pvalue(high), few, many })} ${high <= 0.05 ? own.surely : low > 0.05 ? own.never : own.perhaps}`;
    return { scope: "item", lines: [line, ...lines], copied: [line], calls: [fill(calls.range, { a, b, n }), ...cells.map((four) => fill(calls.cells, four))] };
  }

  // A printed best of n runs, and the standard deviation of one: what a typical run scores.
  function ofBest(best, sd, n, minimize) {
    if (!(sd > 0)) refuse(fill(faults.sd, { cell: sd }));
    const side = minimize ? 1 : -1, gain = sd * gaussianExpectedMax(n), mean = number(best + side * gain, sd), sizes = count(n, "run");
    const [low, high] = [0.975, 0.025].map((share) => best + side * sd * normalQuantile(1 - share ** (1 / n))).sort((a, b) => a - b);
    const values = { best: number(best, 0), gain: number(gain, sd), side: own[minimize ? "below" : "above"], mean, ends: ends({ low, high }) };
    const sign = minimize ? "+" : "-", lines = [fill(own.normal, { sizes, sd: number(sd, 0), ...values })];
    return { scope: "printed", lines, copied: lines, calls: [calls.normal, calls.typical].map((call) => fill(call, { best, sign, sd, n })) };
  }

  return { ofColumns, ofFour, ofVotes, ofBar, ofSeparate, ofMeans, ofAccuracies, ofBest, isBinary };
};
