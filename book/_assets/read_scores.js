/* Reads the scores that somebody pasted: columns of numbers, or a name before each. As evalkit does, it reads the
   decimal mark once for all of them, and refuses what is doubtful, in the words that it is given. */
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
  class Certain extends RangeError {} // however the rest is read

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
    const top = rows[0], head = top.cells.some((cell) => NUMBER.test(cell)) ? null : rows.shift().cells;
    if (!rows.length) refuse(faults.none);
    const isLong = rows[0].cells.length === 2 && rows.every((row) => row.cells.length === 2 && row.cells[0] && !NUMBER.test(row.cells[0].replaceAll(" ", ""))) && NUMBER.test(rows[0].cells[1]);
    const wanted = rows[0].cells.length;
    const odd = rows.find(({ cells }) => cells.length !== wanted);
    if (odd) refuse(fill(faults.ragged, { line: odd.line, n: count(odd.cells.length, "cell"), wanted: count(wanted, "cell") }));
    const columns = new Map();
    const names = isLong ? [...new Set(rows.map(({ cells }) => cells[0]))] : rows[0].cells.map((_, i) => head?.[i] || "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] || `column ${i + 1}`);
    if (head && wanted === 1 && areWords) names[0] = head.join(" ");
    const failed = [...names, ...(wanted > 1 && head ? head : [])].find((name) => FAILED.test(name));
    if (failed) throw new Certain(fill(faults.failed, { line: [top, ...rows].find(({ cells }) => cells.includes(failed)).line, cell: failed }));
    if (!isLong && head?.includes("") && head.some(Boolean)) throw new Certain(fill(faults.unnamed, { n: head.indexOf("") + 1, others: head.filter(Boolean).join(" and ") }));
    const isShifted = isLong ? head?.length > 2 : head?.length !== wanted && (wanted > 1 || !areWords) && rows.every(({ cells }) => cells.every((cell) => !cell || NUMBER.test(cell)));
    if (head && isShifted) return [{ name: "", scores: [], doubt: fill(faults.shifted, { n: count(head.length, "name"), wanted: count(wanted, "cell") }) }];
    if (new Set(names).size < names.length) refuse(fill(faults.names, { name: names.find((name, i) => names.indexOf(name) < i) }));
    for (const name of names) columns.set(name, []);
    for (const { cells, line } of rows) {
      if (isLong) columns.get(cells[0]).push({ text: cells[1], line });
      else cells.forEach((text, i) => columns.get(names[i]).push({ text, line }));
    }
    return numbersOf([...columns].map(([name, cells]) => ({ name, cells })));
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
    const read = columns.map(({ name, cells }) => {
      const scores = cells.map(({ text }) => toNumber(bare(text), mark));
      return { name, scores, mark: texts.some((text) => text.includes(mark)) ? mark : "", doubt: shares ? "" : twoScales(name, cells, scores) };
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

  // Columns of names and scores, or the question whether a comma parts them.
  function read(text, comma) {
    const plain = text.replace(/[\u2212\u2013]/g, "-").replace(/ *%/g, "%");
    const lines = plain.split(/\r?\n|\r/).map((line, i) => ({ line: i + 1, text: line })).filter(({ text }) => text.trim());
    if (!lines.length) return { columns: [] };
    const cellsOf = (text, mark) => (mark === "\t" ? text : text.trim()).split(mark).map((cell) => cell.trim());
    const table = (mark) => toColumns(lines.map(({ line, text }) => ({ line, cells: cellsOf(text, mark) })), mark instanceof RegExp);
    const all = lines.map(({ text }) => text).join("\n");
    const mark = ["\t", ";", /,\s+/].find((mark) => (mark.source ? /,[^\S\n]/.test(all) : all.includes(mark)));
    if (mark) return { columns: table(mark) };
    const scores = lines.filter(({ text }) => /\d/.test(text));
    if (scores.length && scores.every(({ text }) => /^ *[-+]?[1-9]\d{0,2} +\d{3} *$/.test(text))) refuse(fill(faults.spaces, { cell: lines.at(-1).text.trim() }));
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
    if (errors.length === 2) throw errors[/,.*,/.test(all) ? 1 : 0];
    const readings = Object.values(found), areRefused = readings.every((columns) => columns.some(({ doubt }) => doubt));
    return errors.length || areRefused ? { columns: readings[0] } : { columns: found[comma], asks: true };
  }

  return { read, fill, count };
};
