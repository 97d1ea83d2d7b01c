/* Which test do I need? One question after another, to what the section of its end says; and, where it can be computed
   from what is typed or pasted, to the number and its sentence. That never leaves the page: the address has answers. */
(() => {
  "use strict";
  const form = document.querySelector("form.which-test");
  if (!form) return;
  const part = (name) => document.querySelector(`.which-test-${name}`);
  const words = JSON.parse(part("words").textContent), { own, faults, ends, fields } = words;
  const reader = scoreReader(faults), { fill, count } = reader, answers = scoreAnswers(words, reader);
  const { refuse } = evalkitStatistics;
  const [questions, list, shown, result, copy, seen, slider] = ["questions", "list", "answer", "result", "copy", "read", "n"].map(part);
  const typed = (name) => form.elements[name].value.trim();
  const make = (tag, content, attributes = {}) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...[content].flat());
    return element;
  };

  // What is asked, in the order of the fields, and where the answers lead: to an end, and to what more looks add.
  const asked = [words.first];
  let [key, then] = ["", ""];

  // The first question is in the page, so that nothing moves when this runs.
  function fieldOf({ text, answers }) {
    const labels = answers.map(({ name, said }) => make("label", [make("input", [], { type: "radio", name: `which-${asked.length - 1}`, value: name }), ` ${said}`]));
    return make("fieldset", [make("legend", text), ...labels]);
  }

  function choose(input) {
    const field = input.closest("fieldset"), depth = [...questions.children].indexOf(field);
    const { to } = asked[depth].answers.find(({ name }) => name === input.value), isLast = asked[depth] === words.last;
    while (field.nextElementSibling) field.nextElementSibling.remove();
    asked.length = depth + 1;
    then = isLast && to;
    if (!isLast) {
      key = typeof to === "string" ? to : "";
      asked.push(key ? words.last : to);
      questions.append(fieldOf(asked.at(-1)));
    }
    shown.replaceChildren(...[key, then].filter(Boolean).flatMap(sectionOf));
    const query = new URLSearchParams(location.search);
    query.set("answer", [...questions.querySelectorAll(":checked")].map(({ value }) => value).join(" "));
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
  }

  // The answers that lead to an end: a link may name it alone.
  function pathTo(wanted, { answers }) {
    for (const { name, to } of answers) {
      const path = to === wanted ? [] : to?.answers && pathTo(wanted, to);
      if (path) return [name, ...path];
    }
    return null;
  }

  // What a section says, with its call; no name of the page may be there twice.
  function sectionOf(key, i) {
    const section = document.getElementById(`which-${key}`).closest("section");
    const title = make("a", section.querySelector("h2").firstChild.data, { href: `#which-${key}` });
    const [varies, ...said] = [...section.querySelectorAll(":scope > p")].map((part) => part.cloneNode(true));
    for (const named of [varies, ...said].flatMap((part) => [...part.querySelectorAll("[id]")])) named.removeAttribute("id");
    return [make("p", [i ? own.then : own.case, title]), varies, make("pre", make("code", words.code[key])), ...said];
  }

  function showResult({ lines, copied, calls, python = [], scope }) {
    const about = fill(own.about, { varies: words.scopes[scope].varies }), used = [...new Set(calls.filter(Boolean))];
    const imports = used.some((call) => call.includes("np.")) ? ["import numpy as np", "from scipy import stats", "", "import evalkit as ek"] : ["import evalkit as ek"];
    const code = [...imports, "", ...python, ...used.map((call) => `print(${call})`)].join("\n");
    const after = [...(own.looks[then] ? [own.looks[then]] : []), about]; // what more looks do to it goes along
    say([...lines, ...after].map((line) => make("p", line)).concat(make("pre", make("code", code))), [...copied, ...after].join(" "));
  }

  function say(parts, text = "") {
    result.replaceChildren(...parts);
    copy.hidden = !text;
    copy.querySelector("textarea").value = text;
    copy.querySelector("output").textContent = "";
  }

  // One column of fractions and one of percentages, as it seems.
  function onTwoScales(columns) {
    const [small, large] = columns.sort((a, b) => Math.max(...a) - Math.max(...b));
    return small.every((score) => score >= 0 && score <= 1) && large.every((score) => score > 1 && score <= 100);
  }

  // What is typed, in the terms of the answers; nothing as long as something is missing.
  function ofTyped(kind, labels, setting) {
    const texts = ["a", "b"].filter((name) => typed(name) || (labels[name] && kind !== "accuracies")).map(typed); // one accuracy says something too
    if (!texts.length || texts.some((text) => !text)) return null;
    if (kind === "votes") return typed("n_a") ? answers.ofVotes([...texts, typed("n_a")].map(reader.readCount), setting) : null;
    if (kind === "best") {
      const [best, sd] = texts.map((text, i) => reader.readPrinted(text, labels["ab"[i]]).value);
      return typed("n_a") ? answers.ofBest(best, sd, reader.readCount(typed("n_a")), setting.minimize) : null;
    }
    const numbers = reader.readBoth(texts, ["A", "B"].slice(0, texts.length)).map((number, i) => {
      const name = "AB"[i], field = labels.n_b && i ? "n_b" : "n_a", n = typed(field) ? reader.readCount(typed(field)) : number.n;
      if (number.n && n !== number.n) refuse(fill(faults.twice, { name, cell: number.n }));
      if (kind === "means" && number.spread === undefined) refuse(fill(faults.bare, { name, cell: texts[i] }));
      return { ...number, n };
    });
    if (kind === "bar") return answers.ofBar(numbers[0].right ?? refuse(fill(faults.share, { cell: texts[0], n: "so many" })), numbers[0].n);
    if (numbers.some(({ n }) => !n) || (labels.spread && !typed("spread"))) return null;
    if (kind === "means") return answers.ofMeans(numbers, typed("spread"), setting);
    if (kind === "accuracies" && numbers.some(({ n }) => n !== numbers[0].n)) refuse(faults.apart);
    return kind === "accuracies" ? answers.ofAccuracies(numbers) : answers.ofSeparate(numbers, setting);
  }

  function ofFour(setting) {
    const texts = ["n11", "n10", "n01", "n00"].map(typed), cells = texts.every(Boolean) ? texts.map(reader.readCount) : null;
    if (cells && !cells.some(Boolean)) refuse(faults.empty);
    return cells && answers.ofFour(cells, setting);
  }

  function look() {
    const { kind = "", row, isPaired, hasCounts } = ends[key] ?? {}, labels = fields[kind] ?? {}, isPasted = kind === "columns";
    const areCounts = hasCounts && ["n11", "n10", "n01", "n00"].some(typed);
    const { columns = [], asks } = isPasted && !areCounts ? reader.read(form.elements.pasted.value, typed("comma")) : {};
    const unit = row === "item" ? "item" : "run", isRun = unit === "run" && columns.length;
    const isRight = areCounts || kind === "accuracies" || (unit === "item" && columns.length && answers.isBinary(columns)); // right answers are better
    const asksScale = columns.length === 2 && onTwoScales(columns.map(({ scores }) => scores));
    const asksBetter = !isRight && (["means", "shares", "best"].includes(kind) || columns.length > 0);
    const asksMargin = then === "equal" && row !== "search" && !["", "accuracies", "best", "bar"].includes(kind);
    const asked = { margin: asksMargin, columns: isPasted, counts: hasCounts, printed: labels.a, comma: asks, spread: labels.spread, scale: asksScale, better: asksBetter, metric: asksBetter, n: isRun };
    part("fields").hidden = !kind;
    for (const [name, isAsked] of Object.entries(asked)) form.querySelector(`[data-part="${name}"]`).hidden = !isAsked;
    for (const name of ["a", "b", "n_a", "n_b"]) {
      const label = form.elements[name].parentElement;
      label.hidden = !labels[name];
      label.firstChild.data = `${labels[name] ?? ""} `;
    }
    for (const { doubt } of columns) if (doubt) refuse(doubt); // after the question of the comma: it can be answered anew
    const names = columns.map(({ name, scores }) => `${name}, ${count(scores.length, "score")}`).join("; ");
    seen.textContent = columns.length ? fill(own.read, { columns: names, mark: (columns[0].mark === "," ? own.decimal : "") + (isRight ? own.as : "") }) : "";
    slider.max = Math.max(1, ...columns.map(({ scores }) => scores.length));
    slider.value = wanted; // where more scores make room for it again
    slider.nextElementSibling.textContent = slider.value;
    if (columns.length > 2) refuse(fill(faults.several, { n: columns.length, names: columns.map(({ name }) => name).join(", ") }));
    if (asksScale && typed("scale") === "two") refuse(faults.scale);
    if (!kind) return say([]);
    const sign = asksBetter && typed("better") === "lower" ? -1 : 1, metric = (asksBetter && typed("metric")) || (isRight ? own.right : "");
    const margin = asksMargin && typed("margin") ? reader.readPrinted(typed("margin"), faults.margin).value : 0;
    if (margin < 0) refuse(faults.margin);
    const setting = { row, unit, isPaired, sign, minimize: sign < 0, metric, margin, n: Number(slider.value) };
    const isOpen = (asksBetter && !typed("better")) || (asksScale && !typed("scale")) || (!areCounts && (kind === "counts" || (isPasted && !columns.length)));
    const found = isOpen ? null : areCounts ? ofFour(setting) : isPasted ? answers.ofColumns(columns, setting) : ofTyped(kind, labels, setting);
    if (found) showResult(found);
    else say([make("p", own.next)]);
  }

  function update() {
    try {
      look();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // what is doubtful is refused; all else is a fault of ours
      seen.textContent = "";
      say([make("p", error.message, { className: "refused" })]);
    }
  }

  let pause, wanted = slider.value;
  slider.addEventListener("input", () => { wanted = slider.value; });
  questions.addEventListener("change", ({ target }) => { choose(target); update(); });
  form.addEventListener("input", ({ target }) => {
    if (questions.contains(target)) return;
    clearTimeout(pause);
    pause = setTimeout(update, 200); // a screen reader is told one result
  });
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

  const linked = (new URLSearchParams(location.search).get("answer") ?? "").split(" ");
  const isNamed = words.first.answers.some(({ name }) => name === linked[0]); // else by its end
  addEventListener("beforeprint", () => { list.open = true; }); // on paper there is the list
  list.open = false;
  list.classList.add("ready");
  for (const name of isNamed ? linked : pathTo(linked[0], words.first) ?? []) {
    const input = [...questions.lastElementChild.querySelectorAll("input")].find(({ value }) => value === name);
    if (!input) break;
    input.click();
  }
  update();
})();
