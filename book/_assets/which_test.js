/* Which test do I need? One question after another, from the page's own list, to what its section says; and, where
   that can be computed from what is typed or pasted, to the number and its sentence. Nothing of it leaves the page:
   only the last answer is in the address, so that a lecturer can link to it. Without this script there is the list. */
(() => {
  "use strict";
  const form = document.querySelector("form.which-test");
  if (!form) return;
  const part = (name) => document.querySelector(`.which-test-${name}`);
  const words = JSON.parse(part("words").textContent), { own, faults, ends, fields } = words;
  const reader = scoreReader(faults), { fill, count } = reader, answers = scoreAnswers(words, reader);
  const { refuse } = evalkitStatistics;
  const [questions, list, shown, result, copy, seen, slider] = ["questions", "list", "answer", "result", "copy", "read", "n"].map(part);
  const toName = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  const typed = (name) => form.elements[name].value.trim();
  const make = (tag, content, attributes = {}) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...[content].flat());
    return element;
  };

  // Each answer of a list: its words, its name in the address, and the question or the section that follows.
  function answersOf(list, before = []) {
    return [...list.children].map((item) => {
      const [said, link, further] = ["strong", "a", "ul"].map((tag) => item.querySelector(tag === "ul" ? ":scope > ul" : `:scope > p > ${tag}`));
      const text = (link ?? said).textContent, name = link ? link.hash.replace("#which-", "") : toName(text);
      const answer = { text, name, path: [...before, name], link };
      if (!further) return answer;
      const asks = item.querySelector(":scope > p").textContent.slice(text.length).replace(/^\.\s*/, "");
      return { ...answer, asks, answers: answersOf(further, answer.path) };
    });
  }

  function pathTo(name, answers) {
    for (const answer of answers) {
      const path = answer.name === name ? answer.path : answer.answers && pathTo(name, answer.answers);
      if (path) return path;
    }
    return null;
  }

  // What an input of a question stands for. The first question is in the page, so that nothing moves when this runs.
  const meant = new WeakMap();
  function bind(field, answers) {
    field.querySelectorAll("input").forEach((input, i) => meant.set(input, answers[i]));
    return field;
  }

  function fieldOf({ asks, answers }, depth) {
    const labels = answers.map(({ text, name }) => make("label", [make("input", [], { type: "radio", name: `which-${depth}`, value: name }), ` ${text}`]));
    return bind(make("fieldset", [make("legend", asks), ...labels]), answers);
  }

  let key = ""; // of the end that was reached
  function choose(input) {
    const field = input.closest("fieldset"), answer = meant.get(input);
    while (field.nextElementSibling) field.nextElementSibling.remove();
    if (answer.answers) field.after(fieldOf(answer, questions.children.length));
    key = answer.link ? answer.name : "";
    showSection(answer.link);
    const query = new URLSearchParams(location.search);
    query.set("answer", answer.name);
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
  }

  // What a section says, with its call; no name of the page may be there twice.
  function showSection(link) {
    shown.replaceChildren();
    if (!link) return;
    const section = document.querySelector(link.hash).closest("section");
    const title = make("a", section.querySelector("h2").firstChild.data, { href: link.hash });
    const parts = [...section.children].map((part) => (part.matches(".cell") ? part.querySelector(".cell_input .highlight") : part.matches("p") && part));
    shown.append(make("p", [own.case, title]), ...parts.filter(Boolean).map((part) => part.cloneNode(true)));
    for (const button of shown.querySelectorAll("button")) button.remove();
    for (const named of shown.querySelectorAll("[id]")) named.removeAttribute("id");
  }

  function showResult({ lines, copied, calls, python = [], scope }) {
    const about = fill(own.about, { varies: words.scopes[scope].varies }), used = [...new Set(calls.filter(Boolean))];
    const imports = [...(used.some((call) => call.includes("np.")) ? ["import numpy as np"] : []), "import evalkit as ek"];
    const code = [...imports, "", ...python, ...used.map((call) => `print(${call})`)].join("\n");
    say([...lines, about].map((line) => make("p", line)).concat(make("pre", make("code", code))), [...copied, about].join(" "));
  }

  function say(parts, text = "") {
    result.replaceChildren(...parts);
    copy.hidden = !text;
    copy.querySelector("textarea").value = text;
    copy.querySelector("output").textContent = "";
  }

  const toggle = (name, isShown) => { form.querySelector(`[data-part="${name}"]`).hidden = !isShown; };

  // One column of fractions and one of percentages, as it seems.
  function onTwoScales(columns) {
    const [small, large] = columns.sort((a, b) => Math.max(...a) - Math.max(...b));
    return small.every((score) => score >= 0 && score <= 1) && large.every((score) => score > 1 && score <= 100);
  }

  // What is typed, in the terms of the answers; nothing as long as something is missing.
  function ofTyped(kind, labels, setting) {
    const texts = ["a", "b"].filter((name) => labels[name] && (typed(name) || kind !== "accuracies")).map(typed); // one accuracy says something too
    if (!texts.length || texts.some((text) => !text)) return null;
    const numbers = reader.readBoth(texts, ["A", "B"]).map((number, i) => {
      const field = labels[`n_${"ab"[i]}`] ? `n_${"ab"[i]}` : "n_a", n = labels[field] && typed(field) ? reader.readCount(typed(field)) : number.n;
      if (number.n && n !== number.n) refuse(fill(faults.twice, { name: "AB"[i], cell: number.n }));
      if (kind === "shares" && number.right === undefined) refuse(fill(faults.share, { cell: texts[i] }));
      return { ...number, n };
    });
    if (kind === "means" || kind === "best") {
      const bare = numbers.findIndex(({ spread }) => spread === undefined);
      if (bare >= 0) refuse(fill(faults.bare, { name: "AB"[bare], cell: texts[bare] }));
    }
    if (numbers.some(({ n }) => !n) || (labels.spread && !typed("spread"))) return null;
    if (kind === "means") return answers.ofMeans(numbers, typed("spread"), setting);
    if (kind === "best") return answers.ofBest(numbers[0], numbers[0].n, setting.minimize);
    if (kind === "accuracies" && numbers.some(({ n }) => n !== numbers[0].n)) refuse(faults.apart);
    return kind === "accuracies" ? answers.ofAccuracies(numbers) : answers.ofSeparate(numbers, setting);
  }

  function ofFour(setting) {
    const texts = ["n11", "n10", "n01", "n00"].map(typed);
    if (texts.some((text) => !text)) return null;
    const cells = texts.map(reader.readCount), n = cells.reduce((a, b) => a + b);
    if (!n) refuse(faults.empty);
    if (n > 1e6) refuse(fill(faults.many, { n: n.toLocaleString("en") }));
    return answers.ofFour(cells, setting);
  }

  function look() {
    const { kind = "", row, isPaired, hasCounts } = ends[key] ?? {}, labels = fields[kind] ?? {}, isPasted = kind === "columns";
    const areCounts = hasCounts && ["n11", "n10", "n01", "n00"].some(typed);
    const { columns = [], asks } = isPasted && !areCounts ? reader.read(form.elements.pasted.value, typed("comma")) : {};
    const unit = row === "item" ? "item" : "run", isRun = unit === "run" && columns.length;
    const isRight = areCounts || kind === "accuracies" || (unit === "item" && columns.length && answers.isBinary(columns)); // right answers are better
    const asksScale = columns.length === 2 && onTwoScales(columns.map(({ scores }) => scores));
    const asksBetter = !isRight && (["means", "shares", "best"].includes(kind) || columns.length > 0);
    const asked = { columns: isPasted, counts: hasCounts, printed: labels.a, comma: asks, spread: labels.spread, scale: asksScale, better: asksBetter, metric: asksBetter, n: isRun };
    part("fields").hidden = !kind;
    for (const [name, isAsked] of Object.entries(asked)) toggle(name, isAsked);
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
    const setting = { row, unit, isPaired, sign, minimize: sign < 0, metric, n: Number(slider.value) };
    const isOpen = (asksBetter && !typed("better")) || (asksScale && !typed("scale")) || (isPasted && !areCounts && !columns.length);
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

  const tree = answersOf(list.querySelector("ul")), path = pathTo(new URLSearchParams(location.search).get("answer"), tree) ?? [];
  bind(questions.firstElementChild, tree);
  addEventListener("beforeprint", () => { list.open = true; }); // on paper there is the list
  list.open = false;
  list.classList.add("ready");
  update();
  for (const name of path) questions.querySelector(`fieldset:last-child input[value="${name}"]`)?.click();
})();
