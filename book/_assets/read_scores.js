/* Reads what somebody pastes (columns, lists, rows of Markdown or LaTeX) or types: 91.3 ± 0.4 (5). As evalkit does, it
   reads the decimal mark once for all, and refuses what is doubtful, in the words that it is given. */
globalThis.scoreReader = (faults) => {
  "use strict";
  const { refuse } = evalkitStatistics;
  const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const NUMBER = /^[-+]?(\d+([.,]\d+)*\.?|[.,]\d+)(e[-+]?\d+)?%?$/i;
  const shape = (group, point) => new RegExp(`^[-+]?([1-9]\\d{0,2}(${group}\\d{3})+(${point}\\d+)?|(\\d+(${point}\\d*)?|${point}\\d+)(e[-+]?\\d+)?)$`, "i");
  const MARKS = { ".": shape(",", "\\."), ",": shape("\\.", ",") };
  const toNumber = (text, mark) => Number(text.replaceAll(mark === "." ? "," : ".", "").replace(",", "."));
  const FAILED = /^([-+]?(nan|inf|infinity)|n\/?a|n\.a\.|null|none|missing|fail(ed)?|crash(ed)?|diverged|oom|#.*[!?]|#n\/a|[-\u2014.?]+)$/i;
  const NUMBERS = /^((seed|run|fold|trial|item|example|question)s?([ _-]?(id|no|nr|number|index))?|id|number|index|idx|epoch|step)$/i;
  const LABEL = /^(seed|run|fold|split|trial|item|example|question|repeat)s?[\s_#.-]*\d+$/i; // of one score
  const LIST = /(?:(["']?)([a-z_][^"':=[\](){},\n]*?)\1\s*[:=]\s*)?(?:[\w.]*\()?\[([^[\]]*)\]\)?/gi; // as Python writes it
  const SPREAD = /±|\\pm|\d *(\+ ?\/? ?- ?[.\d]|\( ?\d*[.,]\d)/;
  const letter = (i) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] || `column ${i + 1}`;
  class Certain extends RangeError {} // however the rest is read
  class Pair extends RangeError {} // of two numbers, and nothing else

  // The decimal mark of all scores; evalkit reads it in the same way, once for a file.
  function markOf(texts, name) {
    const marked = texts.filter((text) => /[.,]/.test(text));
    const fits = [".", ","].filter((mark) => marked.every((text) => MARKS[mark].test(text)));
    if (!fits.length) {
      const only = (mark) => marked.find((text) => !MARKS[mark].test(text)) ?? marked[0];
      refuse(fill(faults.mixed, { first: only(","), other: only(".") }));
    }
    const isThousand = (text) => /^[-+]?(\d{1,3}|[1-9]\d{0,2}[.,]\d{3})$/.test(text);
    const plain = texts.filter((text) => !/[.,]/.test(text));
    const isSplit = marked.length && texts.every(isThousand) && plain.some((text) => text.replace(/^[-+]/, "").length === 3);
    if (isSplit || (fits.length === 2 && marked.some((text) => text.includes(",")))) {
      const read = [",", "."].map((mark) => toNumber(marked[0], mark)).sort((a, b) => b - a);
      throw new Certain(fill(faults["two ways"], { name, ways: `${marked[0]} is ${read.join(" or ")}` }));
    }
    return fits[0];
  }

  // Rows of cells as columns: with names above, or with a name before each score. Where cells are parted as words
  // are, what stands above one column is one name. A doubt is refused by the page, if that is how the comma is read.
  function toColumns(rows, areWords) {
    const lying = listsOf(rows);
    if (lying) return ofLists(lying);
    const top = rows[0], head = top.cells.some((cell) => NUMBER.test(cell)) ? null : rows.shift().cells;
    if (!rows.length) refuse(faults.none);
    const isLong = rows[0].cells.length === 2 && rows.every((row) => row.cells.length === 2 && row.cells[0] && !NUMBER.test(row.cells[0].replaceAll(" ", ""))) && NUMBER.test(rows[0].cells[1]);
    if (isLong && rows.length > 1 && rows.every(({ cells }) => LABEL.test(cells[0]))) {
      return ofLists([{ name: head?.[1] ?? "", cells: rows.map(({ cells, line }) => ({ text: cells[1], line })) }]);
    }
    const wanted = rows[0].cells.length;
    const odd = rows.find(({ cells }) => cells.length !== wanted);
    if (odd) refuse(fill(faults.ragged, { line: odd.line, n: count(odd.cells.length, "cell"), wanted: count(wanted, "cell") }));
    const columns = new Map();
    const names = isLong ? [...new Set(rows.map(({ cells }) => cells[0]))] : rows[0].cells.map((_, i) => head?.[i] || letter(i));
    if (head && wanted === 1 && areWords) names[0] = head.join(" ");
    const failed = [...names, ...(wanted > 1 && head ? head : [])].find((name) => FAILED.test(name));
    if (failed) throw new Certain(fill(faults.failed, { line: [top, ...rows].find(({ cells }) => cells.includes(failed)).line, cell: failed }));
    if (!isLong && head?.includes("") && head.some(Boolean)) throw new Certain(fill(faults.unnamed, { n: head.indexOf("") + 1, others: head.filter(Boolean).join(" and ") }));
    const isShifted = isLong ? head?.length > 2 : head?.length !== wanted && (wanted > 1 || !areWords) && rows.every(({ cells }) => cells.every((cell) => !cell || NUMBER.test(cell)));
    if (head && isShifted) return [{ name: "", scores: [], doubt: fill(faults.shifted, { n: count(head.length, "name"), wanted: count(wanted, "cell") }) }];
    const isLabelled = !isLong && wanted > 1 && rows.every(({ cells: [label, ...cells] }) => /\p{L}/u.test(label) && !FAILED.test(label) && !NUMBER.test(label) && cells.every((cell) => NUMBER.test(cell)));
    if (isLabelled) throw new Certain(fill(faults.labels, { line: rows[0].line, cell: rows[0].cells[0] }));
    if (new Set(names).size < names.length) refuse(fill(faults.names, { name: names.find((name, i) => names.indexOf(name) < i) }));
    for (const name of names) columns.set(name, []);
    for (const { cells, line } of rows) {
      if (isLong) columns.get(cells[0]).push({ text: cells[1], line });
      else cells.forEach((text, i) => columns.get(names[i]).push({ text, line }));
    }
    return numbersOf([...columns].map(([name, cells]) => ({ name, cells })));
  }

  // One line or two, each with the scores of one system, at least three, and perhaps its name before them.
  function listsOf(rows) {
    const lists = rows.map(({ cells, line }) => {
      const name = NUMBER.test(cells[0]) ? "" : cells[0], scores = name ? cells.slice(1) : cells;
      return { name, cells: scores.map((text) => ({ text, line })) };
    });
    const areNumbers = lists.every(({ cells }) => cells.length > 1 && cells.every(({ text }) => NUMBER.test(text)));
    if (!areNumbers || rows.length > 2 || (rows.length === 2 && !lists.every(({ name }) => name))) return null;
    if (rows.length === 1 && !lists[0].name && lists[0].cells.length === 2) throw new Pair(fill(faults.pair, { line: rows[0].line }));
    return lists.every(({ cells }) => cells.length > 2) || rows.length === 1 ? lists : null;
  }

  function ofLists(lists) {
    const names = lists.map(({ name }, i) => name || letter(i)), again = names.find((name, i) => names.indexOf(name) < i);
    if (again) refuse(fill(faults.names, { name: again }));
    return numbersOf(lists.map(({ cells }, i) => ({ name: names[i], cells })));
  }

  function numbersOf(columns) {
    for (const { name, cells } of columns) {
      while (cells.length && !cells.at(-1).text) cells.pop();
      const odd = cells.find(({ text }) => !NUMBER.test(text));
      if (odd) refuse(fill(odd.text ? faults.text : faults.gap, { name, line: odd.line, cell: odd.text }));
    }
    const texts = columns.flatMap(({ cells }) => cells.map(({ text }) => text));
    const shares = texts.filter((text) => text.endsWith("%")).length;
    if (shares && shares < texts.length) refuse(faults.percent);
    const bare = (text) => text.replace("%", ""), mark = markOf(texts.map(bare), columns.map(({ name }) => name).join(", "));
    const isMarked = texts.some((text) => text.includes(mark));
    const read = columns.map(({ name, cells }) => {
      const scores = cells.map(({ text }) => toNumber(bare(text), mark));
      return { name, scores, mark: isMarked ? mark : "", doubt: shares ? "" : twoScales(name, cells, scores) };
    });
    if (read.length > 1) refuseNumbers(read);
    return read;
  }

  // Shares beside per cents: 100 times the shares come near all others, which lie above 20, as a diverged loss does not.
  function twoScales(name, cells, scores) {
    const isShare = (score) => score > 0 && score <= 1, isCent = (score) => score > 20 && score <= 100;
    const [share, cent] = [(score) => isShare(score) && score < 1, isCent].map((isOne) => cells[scores.findIndex(isOne)]);
    const sizes = Float64Array.from(scores.filter(Boolean), (score) => (isShare(score) ? 100 * score : isCent(score) ? score : NaN)).sort();
    const decimals = (isOne) => cells.reduce((most, { text }, i) => Math.max(most, isOne(scores[i]) ? text.split(/[.,]/)[1]?.length ?? 0 : 0), 0);
    const near = decimals(isShare) > decimals(isCent) ? 2 : 1.2; // as many decimals on both sides speak for one scale: 0.5 beside 62.1
    return share && cent && sizes.at(-1) <= near * sizes[0] ? fill(faults.scales, { name, share: share.text, cent: cent.text, line: share.line, other: cent.line }) : "";
  }

  // A table often begins with the seeds, or the numbers of the items, and they are no scores.
  function refuseNumbers(columns) {
    const counts = ({ scores }) => scores.length > 2 && scores.every((score, i) => !i || score === scores[i - 1] + 1);
    const isNamed = ({ name, scores }) => NUMBERS.test(name) && scores.every(Number.isInteger), odd = columns.find(isNamed) ?? columns.find(counts);
    const others = columns.filter((column) => !isNamed(column) && !counts(column)).map(({ name }) => name).join(" and ");
    if (!odd || (isNamed(odd) && columns.every(isNamed))) return;
    const text = fill(isNamed(odd) ? faults.named : faults.numbered, { name: odd.name, others: others || faults.others });
    if (isNamed(odd)) throw new Certain(text);
    refuse(text);
  }

  // What typesetting adds to numbers: signs, quotes, bold, the rules of a table.
  const plainOf = (text) => text
    .replace(/[\u00a0\u202f\u2009]/g, " ").replace(/[\u2212\u2013]/g, "-").replace(/[\u201c\u201d]/g, '"').replace(/\\%/g, "%").replace(/ *%/g, "%")
    .replace(/\\(?:textbf|mathbf|bm|underline|textit)\b|\*\*|[${}]/g, "");
  const RULE = /^\s*(?:\\(?:[a-z]*rule|hline|cline|begin|end)\b.*|[|:\s-]*-[|:\s-]*\|[|:\s-]*)$/;
  const unframed = (text) => text.replace(/\s*\\\\.*$/, "").replace(/^\s*\|(.*?)\|?\s*$/, "$1");
  const joined = (cell) => cell.replace(/^[-+]?\d{1,3}( \d{3})+(?=[.,]\d|$)/, (whole) => whole.replaceAll(" ", ""));
  const bareOf = (cell) => joined(cell.trim().replace(/^(["'])(.*)\1$/, "$2").trim());

  // Lists in brackets, each a system's; a line of a list is that of its bracket.
  function bracketsOf(text) {
    const found = [...text.matchAll(LIST)];
    if (!found.length || !/^[\s,;{}()]*$/.test(text.replace(LIST, ""))) return null;
    return found.map(({ 2: name, 3: inner, index }) => {
      const line = text.slice(0, index).trimEnd().split("\n").length;
      const cells = inner.trim().split(inner.includes(";") ? ";" : /,\s/.test(inner) ? /,\s+/ : inner.includes(",") ? "," : /\s+/);
      return { name, cells: cells.map((cell) => ({ text: bareOf(cell), line })) };
    });
  }

  // Columns of names and scores, or the question whether a comma parts them.
  function read(text, comma) {
    const plain = plainOf(text), lists = bracketsOf(plain);
    if (SPREAD.test(plain)) refuse(faults.spread);
    if (/\[\s*\[/.test(plain)) refuse(faults.nested);
    if (lists) return { columns: ofLists(lists) };
    const lines = plain.split(/\r?\n|\r/).map((line, i) => ({ line: i + 1, text: line })).filter(({ text }) => text.trim() && !RULE.test(text));
    if (!lines.length) return { columns: [] };
    for (const line of lines) line.text = unframed(line.text);
    const named = (text) => /^\s*([^:=]*[a-z][^:=]*?)\s*[:=]\s*([-+]?[.\d].*)$/i.exec(text)?.slice(1) ?? [text];
    const cellsOf = (text, mark) => named(text).flatMap((part, i, parts) => (parts.length > 1 && !i ? part : (mark === "\t" ? part : part.trim()).split(mark))).map(bareOf);
    const table = (mark) => toColumns(lines.map(({ line, text }) => ({ line, cells: cellsOf(text, mark) })), mark instanceof RegExp);
    const all = lines.map(({ text }) => text).join("\n");
    const mark = ["\t", ";", "&", "|", /,\s+/].find((mark) => (mark.source ? /,[^\S\n]/.test(all) : all.includes(mark)));
    if (mark) return { columns: table(mark) };
    const scores = lines.filter(({ text }) => /\d/.test(text));
    if (scores.length && scores.every(({ text }) => /^ *[-+]?[1-9]\d{0,2} +\d{3}([.,]\d+)? *$/.test(text))) refuse(fill(faults.spaces, { cell: lines.at(-1).text.trim() }));
    const ways = { decimal: / +/, columns: "," };
    if (!all.includes(",")) return { columns: table(ways.decimal) };
    const found = {}, errors = [];
    for (const [way, mark] of Object.entries(ways)) {
      try {
        found[way] = table(mark);
      } catch (error) {
        if (!(error instanceof RangeError) || error instanceof Certain) throw error;
        errors.push(error);
      }
    }
    if (errors.length === 2) throw errors.find((error) => error instanceof Pair) ?? errors[/,.*,/.test(all) ? 1 : 0];
    const readings = Object.values(found), areRefused = readings.every((columns) => columns.some(({ doubt }) => doubt));
    return errors.length || areRefused ? { columns: readings[0] } : { columns: found[comma], asks: true };
  }

  const WHOLE = "\\d{1,3}(?:[,.' ]\\d{3})+|\\d+", SIZE = "(?:\\d+(?:[.,]\\d+)*|[.,]\\d+)(?:e[-+]?\\d+)?";
  const COUNTED = new RegExp(`^(${WHOLE}) ?(?:/|of|out of) ?(${WHOLE})$`, "i");
  const PRINTED = new RegExp(`^([-+]?${SIZE})(%?)(?: ?± ?(${SIZE})| ?\\( ?±? ?(${SIZE})%? ?\\)| ?_ ?±? ?(${SIZE}))?(%?)(?:[,; ]*\\(? ?(?:n ?= ?)?(${WHOLE})(?: runs| seeds)? ?\\)?)?$`, "i");
  const wholeOf = (text) => Number(text.replace(/\D/g, ""));

  function readCount(text) {
    if (!new RegExp(`^(${WHOLE})$`).test(text)) refuse(fill(faults.count, { cell: text }));
    return wholeOf(text);
  }

  // A number as it is printed: with its spread, and how many runs it is of, where they are there; or a count of so many.
  function readPrinted(text, name) {
    const plain = plainOf(text).replace(/\\pm|\+ ?\/? ?-/g, "±").trim().replace(/\s+/g, " ");
    const counted = COUNTED.exec(plain);
    if (counted) return { right: wholeOf(counted[1]), n: wholeOf(counted[2]) };
    const match = PRINTED.exec(plain), unread = (fault) => refuse(fill(faults[fault], { name, cell: text.trim() }));
    if (!match) unread(/[[\]]/.test(plain) ? "ends" : "printed");
    const [, mean, percent, after, inside, below, last, runs] = match, spread = after ?? inside ?? below;
    if (inside && /^\d+$/.test(inside)) unread("inside"); // 91.3 (5): runs, a spread, or units of the last digit
    const texts = [mean, ...(spread ? [spread] : [])], mark = markOf(texts, name);
    const [value, width] = texts.map((one) => toNumber(one, mark)), [digits, power] = mean.toLowerCase().split("e");
    const decimals = Math.max(0, (digits.split(mark)[1]?.length ?? 0) - Number(power ?? 0));
    if (decimals > 15) unread("digits");
    const written = mean.replaceAll(mark === "." ? "," : ".", "").replace(",", ".");
    return { value, spread: width, n: runs && wholeOf(runs), decimals, text: written + (percent || last), isPercent: Boolean(percent || last) };
  }

  // The numbers of two systems, which must be on one scale.
  function readBoth(texts, names) {
    const found = texts.map((text, i) => readPrinted(text, names[i])), signs = found.filter(({ isPercent }) => isPercent);
    const [small, large] = found.map(({ value }) => value).sort((a, b) => a - b);
    if (signs.length === 1 && found.every(({ value }) => value !== undefined)) refuse(faults.percent);
    if (!signs.length && small > 0 && small < 1 && large > 20 && large <= 100 && Math.max((100 * small) / large, large / (100 * small)) < 2) refuse(faults.scale);
    return found;
  }

  return { read, readCount, readPrinted, readBoth, fill, count };
};
