/* A reader's own scores: they are read, what must be asked is asked, and evalkit's statistics answer. Nothing
   leaves the page. Every sentence comes with the page, from where `evalkit report` has it. */
(() => {
  "use strict";
  const form = document.querySelector("form.your-scores");
  if (!form) return;
  const part = (name) => document.querySelector(`.your-scores-${name}`);
  const words = JSON.parse(part("words").textContent);
  const { said, own, faults, tests, why, scopes, calls, titles, elsewhere } = words;
  const { read, fill, count } = scoreReader(faults);
  const { clopperPearson, expectedMax, pairedDifference, refuse, rightOrWrong, sum, tInterval, welchDifference } = evalkitStatistics;

  const capital = (text) => text[0].toUpperCase() + text.slice(1);

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
    const text = general(p, 2);
    return `p = ${text === "0.05" ? general(p, 4) : text}`;
  }

  const isBinary = (columns) => columns.every(({ scores }) => scores.every((score) => score === 0 || score === 1));

  // What a comparison of two columns gives, in the terms of a report.
  function compared([a, b], { unit, isPaired }) {
    if (!isPaired) {
      const sizes = `${a.scores.length.toLocaleString("en")} and ${count(b.scores.length, unit)}`;
      return { ...welchDifference(a.scores, b.scores), test: tests.welch, method: tests.welch, sizes, asked: [calls.welch], way: unit === "run" ? "seeds" : "scores" };
    }
    const [n_a, n_b] = [a, b].map(({ scores }) => scores.length);
    if (n_a !== n_b) refuse(fill(faults.unequal, { a: a.name, b: b.name, n_a, n_b }));
    if (unit === "item" && isBinary([a, b])) {
      const cells = [[1, 1], [1, 0], [0, 1], [0, 0]].map(([one, other]) => a.scores.filter((score, i) => score === one && b.scores[i] === other).length);
      return ofCounts(cells);
    }
    const [x, y] = [a.scores[0], b.scores[0]], size = (...scores) => Math.max(...scores.map(Math.abs));
    const isSame = a.scores.every((score, i) => Math.abs(score - b.scores[i] - (x - y)) <= 64 * Number.EPSILON * size(score, b.scores[i], x, y));
    if (isSame && n_a >= (unit === "item" ? 5 : 2)) refuse(fill(faults.same, { a: a.name, b: b.name, n: n_a, gap: number(Math.abs(x - y), 0) }));
    const found = pairedDifference(a.scores, b.scores, { items: unit === "item" });
    const method = found.byScore ? fill(tests.score, { unit }) : tests[unit === "item" ? "items" : "paired"];
    const sizes = unit === "item" ? count(n_a, "item") : `${count(n_a, "pair")} of runs`;
    return { ...found, test: method, method, sizes, asked: [calls[unit === "item" ? "items" : "paired"]], way: unit === "item" ? "scores" : "seeds" };
  }

  function ofCounts([n11, n10, n01, n00]) {
    const found = rightOrWrong(n11, n10, n01, n00), n = n11 + n10 + n01 + n00;
    const method = found.twoShares ? tests.shares : found.byScore ? fill(tests.score, { unit: "item" }) : tests.items;
    const sizes = count(n, "item") + (found.twoShares ? `, of which ${n10 + n01} told them apart` : "");
    const asked = [found.twoShares ? calls.shares : calls.items, calls.mcnemar].map((call) => fill(call, { n10, n01, n }));
    return { ...found, test: tests.mcnemar, method, sizes, asked, way: "models" };
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
    const undecided = fill(said["either way"], { cannot, name, good: most, bad: least, equal: said.equal });
    const wider = p > 0.05 ? "" : method === tests.shares ? why.shares : method === tests.items ? why.items : "";
    return `${lead} ${undecided}${wider && ` ${capital(wider)}`}`;
  }

  // What is said of one column: sentences, each with its call.
  function ofOne({ name, scores }, { row, unit, metric, n, minimize }) {
    const noun = row === "search" ? "trial" : unit, sizes = count(scores.length, noun), out = [];
    const of = quantity(metric, scopes[unit].of), { low, high } = scores.length > 1 ? tInterval(scores) : { low: 0, high: 0 };
    if (unit === "item" && isBinary([{ scores }])) return [ofShare(name, sum(scores), scores.length)];
    if (row !== "search" && scores.length === 1) out.push([fill(own.alone, { name })]);
    else if (row !== "search") {
      const mean = number((low + high) / 2, high - low);
      out.push([fill(low === high ? own.constant : own.mean, { name, mean, of, sizes, ends: ends({ low, high }) }), calls.mean]);
    }
    if (unit === "item") return out;
    const runs = Math.min(n, scores.length), best = number(expectedMax(scores, runs, { minimize }), high - low);
    const call = fill(calls.best, { n: runs, minimize: minimize ? ", minimize=True" : "" });
    return [...out, [fill(own.best, { name, runs: count(runs, noun), best, sizes }), call]];
  }

  function ofShare(name, right, n) {
    const values = { name, right: right.toLocaleString("en"), sizes: count(n, "item"), ends: ends(clopperPearson(right, n)) };
    return [fill(own.share, values), fill(calls.share, { right, n })];
  }

  const make = (tag, content, attributes = {}) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...[content].flat());
    return element;
  };
  const [result, copy, seen, slider] = ["result", "copy", "read", "n"].map(part);
  const answer = (name) => form.elements[name].value;
  const linkTo = (key) => make("a", key ? titles[key] : "Which test do I need?", { href: `which_test.html${key ? `#which-${key}` : ""}` });
  const command = () => make("pre", "evalkit report results.csv --baseline NAME");

  function show(parts, text = "") {
    result.replaceChildren(...parts);
    copy.hidden = !text;
    copy.querySelector("textarea").value = text;
    copy.querySelector("output").textContent = "";
  }

  function showAnswers(lines, asked, scope, way, toCopy = lines) {
    const { varies, cannot } = scopes[scope], about = fill(own.about, { varies });
    const used = [...new Set(asked.filter(Boolean))].flatMap((call, i) => [i ? ", " : "", make("code", call)]);
    const [before, after] = own.python.split("{calls}");
    const list = make("ul", cannot.map((text) => make("li", text)));
    const parts = [...lines.map((line) => make("p", line)), make("p", about), make("p", own.cannot), list];
    show([...parts, make("p", [before, ...used, after]), make("p", [own.more, linkTo(way)])], [...toCopy, about].join(" "));
  }

  function showElsewhere(lead, key) {
    show([make("p", lead), command(), make("p", [own.more, linkTo(key)])]);
  }

  function ofColumns(columns, { row, isPaired, ...setting }) {
    const unit = setting.unit, found = columns.map((column) => ofOne(column, { row, ...setting })).flat();
    const lines = found.map(([line]) => line), asked = found.map(([, call]) => call);
    if (row === "search" || columns.length === 1) {
      showAnswers(lines, asked, row === "search" ? row : unit, { seed: "seeds", search: "settings", item: "one-run" }[row]);
      if (columns.length === 2) result.append(make("p", own.search), command());
    } else if (unit === "item" && !isPaired && isBinary(columns)) {
      showAnswers([...lines, own.apart], asked, unit, "one-run", lines);
    } else {
      const one = compared(columns, { unit, isPaired }), [name, base] = columns.map((column) => column.name);
      const line = sentences(one, { name, base, of: scopes[unit].of, ...setting });
      showAnswers([line, ...lines], [...one.asked, ...asked], unit, one.way, [line]);
    }
  }

  function ofFour(setting) {
    const fields = ["n11", "n10", "n01", "n00"].map(answer);
    if (fields.some((text) => !text)) return show([make("p", own.next)]);
    const cells = fields.map(Number), [n11, n10, n01] = cells, odd = cells.findIndex((cell) => !Number.isInteger(cell) || cell < 0), n = sum(cells);
    if (odd >= 0) refuse(fill(faults.count, { cell: fields[odd] }));
    if (!n) refuse(faults.empty);
    if (n > 1e6) refuse(fill(faults.many, { n: n.toLocaleString("en") }));
    const one = ofCounts(cells);
    const shares = [["A", n11 + n10], ["B", n11 + n01]].map(([name, right]) => ofShare(name, right, sum(cells)));
    const line = sentences(one, { name: "A", base: "B", of: scopes.item.of, ...setting });
    showAnswers([line, ...shares.map(([text]) => text)], [...one.asked, ...shares.map(([, call]) => call)], "item", one.way, [line]);
  }

  // One column of fractions and one of percentages, as it seems.
  function onTwoScales(columns) {
    const [small, large] = columns.sort((a, b) => Math.max(...a) - Math.max(...b));
    return small.every((score) => score >= 0 && score <= 1) && large.every((score) => score > 1 && score <= 100);
  }

  const toggle = (name, isShown) => { form.querySelector(`[data-part="${name}"]`).hidden = !isShown; };

  function look() {
    const have = answer("have"), text = answer("pasted"), { columns, asks } = have === "scores" ? read(text, answer("comma")) : {};
    const found = columns ?? [], row = answer("row"), unit = row === "item" ? "item" : "run", isOurs = ["seed", "search", "item"].includes(row);
    const asksPairs = found.length === 2 && isOurs && row !== "search", isRun = isOurs && unit === "run";
    const isRight = row === "item" && (have === "counts" || (found.length && isBinary(found))); // no direction is asked: right answers are better
    const asksScale = found.length === 2 && isOurs && onTwoScales(found.map(({ scores }) => scores));
    const isShown = { scores: have === "scores", counts: have === "counts", row: have, comma: asks, runs: have !== "counts" };
    const asked = { ...isShown, paired: asksPairs, scale: asksScale, better: isOurs && !isRight, metric: isOurs, n: isRun && found.length };
    for (const [name, isAsked] of Object.entries(asked)) toggle(name, Boolean(isAsked));
    for (const { doubt } of found) if (doubt) refuse(doubt); // after the question of the comma: it can be answered anew
    const names = found.map(({ name, scores }) => `${name}, ${count(scores.length, "score")}`).join("; ");
    seen.textContent = found.length ? fill(own.read, { columns: names, mark: (found[0].mark === "," ? own.decimal : "") + (isRight ? own.as : "") }) : "";
    slider.max = Math.max(1, ...found.map(({ scores }) => scores.length));
    slider.value = wanted; // where more scores make room for it again
    slider.nextElementSibling.textContent = slider.value;
    if (row && !isOurs) return showElsewhere(own.elsewhere, elsewhere[row]);
    if (found.length > 2) return showElsewhere(fill(own.several, { n: found.length, names: found.map(({ name }) => name).join(", ") }), null);
    if (asksScale && answer("scale") === "two") refuse(faults.scale);
    const isOpen = !isOurs || !(isRight || answer("better")) || (asksPairs && !answer("paired")) || (asksScale && !answer("scale"));
    if (isOpen || (have === "scores" && !found.length)) return show([make("p", own.next)]);
    const sign = !isRight && answer("better") === "lower" ? -1 : 1, metric = answer("metric").trim() || (isRight ? own.right : "");
    if (have === "counts") return ofFour({ sign, metric });
    ofColumns(found, { row, unit, isPaired: answer("paired") === "yes", sign, minimize: sign < 0, metric, n: Number(slider.value) });
  }

  function update() {
    try {
      look();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // what is doubtful is refused; all else is a fault of ours
      seen.textContent = "";
      show([make("p", error.message, { className: "refused" })]);
    }
  }

  let pause, wanted = slider.value;
  slider.addEventListener("input", () => { wanted = slider.value; });
  form.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(update, 200); // a screen reader is told one result
  });
  form.addEventListener("reset", () => setTimeout(() => { wanted = slider.value; update(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  copy.querySelector("button").addEventListener("click", async () => {
    const area = copy.querySelector("textarea"), output = copy.querySelector("output");
    try {
      await navigator.clipboard.writeText(area.value);
      output.textContent = own.copied;
    } catch {
      area.select(); // refused, or an address without a clipboard
      output.textContent = own.selected;
    }
  });
  form.hidden = result.hidden = false;
  update();
})();
