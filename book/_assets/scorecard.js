/* The scorecard: a limit that is moved, and the word that follows from it; the printed figures, laid out when their
   fold is opened and filtered by paper, verdict and words. The choice stands in the address, after the #. */
(() => {
  const places = { low: 1, high: 2, estimate: 0 };
  const compare = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b };
  const holds = (condition, quantity) =>
    compare[condition[1]](quantity[places[condition[0]]], condition[2]);

  /* The rule of lab.papers.judging.decide: everything confirms, or anything refutes. */
  function word({ words, limits }) {
    const each = (name) =>
      limits.flatMap((limit) => (limit[name] ? limit.of.map((q) => holds(limit[name], q)) : []));
    const confirms = each("confirms");
    const confirmed = confirms.length > 0 && confirms.every(Boolean);
    const refuted = each("refutes").some(Boolean);
    if (confirmed) return words[refuted ? 1 : 0];
    return words[refuted ? 2 : 3];
  }

  function moved(limit, to) {
    const by = to - (limit.confirms ?? limit.refutes)[2];
    const along = (condition) => condition && [condition[0], condition[1], condition[2] + by];
    return { ...limit, confirms: along(limit.confirms), refutes: along(limit.refutes) };
  }

  /* Which effect is drawn, as lab.effects has it: where the claim fails the farthest on that side, elsewhere the one
     that is nearest to not holding. Places are those of the limit in force, so that the limit is seen to move. */
  function deciding(limits, start, failed) {
    const all = limits.flatMap((limit, i) => {
      const at = start[i].confirms ?? start[i].refutes;
      return limit.of.map(([estimate, low, high, slope]) => {
        const place = (value) => 1 + (value - at[2]) * slope;
        const ends = [place(low), place(high)].sort((a, b) => a - b);
        const line = place((limit.confirms ?? limit.refutes)[2]);
        const short = limit.refutes ? ends[1] - place(limit.refutes[2]) : Infinity;
        const margin = (limit.confirms ? ends[0] : ends[1]) - line;
        return { place, estimate, ends, line, zero: limit.zero, by: failed ? short : margin };
      });
    });
    return all.sort((a, b) => a.by - b.by)[0];
  }

  for (const form of document.querySelectorAll("form.limits")) {
    const rule = JSON.parse(form.dataset.rule);
    const inputs = [...form.querySelectorAll("input")];
    const said = form.querySelector(":scope > output .verdict");
    const strip = form.closest("details").querySelector("summary .strip");
    const start = inputs.map((input) => input.value);
    const x = (place) => Math.min(Math.max((place - rule.scale.from) * rule.scale.perUnit, 0), rule.scale.width);
    const drawn = strip.innerHTML;
    const inRow = form.closest("details").querySelector("summary .verdict");
    const undo = form.querySelector("button");
    const who = inputs.map((input) => input.parentElement.querySelector("small").textContent);

    function show() {
      for (const input of inputs) input.parentElement.querySelector("output").textContent = `${+(+input.value).toPrecision(3)}`.replace("-", "\u2212");
      const untouched = inputs.every((input, i) => input.value === start[i]);
      const limits = [...rule.limits];
      inputs.forEach((input, i) => {
        const place = input.dataset.limit;
        if (input.value !== start[i]) limits[place] = moved(rule.limits[place], Number(input.value));
      });
      for (const mark of [said, inRow]) mark.textContent = mark.dataset.word = word({ words: rule.words, limits });
      inputs.forEach((input, i) => {
        input.parentElement.querySelector("small").textContent = input.value === start[i] ? who[i] : "moved by you";
      });
      undo.hidden = untouched;
      strip.innerHTML = drawn;
      if (untouched) return;
      strip.querySelectorAll(".other").forEach((mark) => mark.remove()); // they have limits of their own
      const effect = deciding(limits, rule.limits, said.textContent === rule.words[2]);
      const [middle, height] = [strip.viewBox.baseVal.height / 2, strip.viewBox.baseVal.height];
      const at = (name) => strip.querySelector(name);
      at(".rule").setAttribute("transform", `translate(${x(effect.line) - x(1)})`);
      at(".interval").setAttribute("d", `M${x(effect.ends[0])},${middle}H${x(effect.ends[1])}`);
      at(".zero").setAttribute("d", `M${x(effect.place(effect.zero))},0V${height}`);
      const [to, edge] = [effect.place(effect.estimate), x(effect.place(effect.estimate))];
      const beyond = Math.sign(to - 1) * (Math.abs(to - 1) > 1 - rule.scale.from);
      const mark = document.createElementNS("http://www.w3.org/2000/svg", beyond ? "path" : "circle");
      const shape = beyond
        ? { d: `M${edge - 6 * beyond},${middle - 5}l${6 * beyond},5l${-6 * beyond},5z` }
        : { cx: edge, cy: middle, r: 4.5 };
      for (const [name, value] of Object.entries({ class: "estimate", ...shape })) mark.setAttribute(name, value);
      at(".estimate").replaceWith(mark);
    }
    form.addEventListener("input", show);
    form.addEventListener("reset", () => setTimeout(show));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.classList.add("ready");
  }

  /* A link to a claim opens it. */
  function open() {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return; // a % that is no sign's code: nothing has such a name
    }
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target?.closest("details")) target.scrollIntoView();
  }

  const fold = document.querySelector("details.figures");
  if (fold) {
    const form = fold.querySelector("form");
    const plain = (words) => words.toLowerCase().replaceAll("\u2212", "-"); // a minus sign, as it is typed
    const [paper, verdict, text] = ["paper", "verdict", "text"].map((name) => form.elements[name]);
    const names = ["Quantity", "Printed", "Computed", "Verdict", "Note"];
    let rows, timer;

    function cell(row, name, ...content) {
      const td = row.insertCell();
      td.dataset.label = name;
      td.append(...content);
    }
    function element(name, words, attributes = {}) {
      const made = Object.assign(document.createElement(name), attributes);
      made.textContent = words;
      return made;
    }
    function build() {
      const table = document.createElement("table");
      table.className = "scorecard";
      const head = table.createTHead().insertRow();
      for (const name of names) head.append(element("th", name, { scope: "col" }));
      const body = table.createTBody();
      rows = JSON.parse(fold.querySelector("script").textContent).map(
        ([of, id, quantity, where, printed, computed, judged, note]) => {
          const row = body.insertRow();
          const mark = element("span", judged, { className: "verdict" });
          mark.dataset.word = judged;
          cell(row, names[0], quantity, element("small", `${of}, ${where} `), element("code", id));
          cell(row, names[1], printed);
          cell(row, names[2], computed);
          cell(row, names[3], mark);
          cell(row, names[4], note);
          return { row, of, judged, words: plain(row.textContent) };
        },
      );
      form.after(table);
    }
    function show() {
      if (!rows) build();
      const wanted = plain(text.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { row, of, judged, words } of rows) {
        const fits =
          (!paper.value || of === paper.value) &&
          (!verdict.value || judged === verdict.value) &&
          wanted.every((w) => words.includes(w));
        row.hidden = !fits;
        shown += fits;
      }
      // Once the typing pauses: a screen reader is told one result, and browsers limit new addresses.
      clearTimeout(timer);
      timer = setTimeout(() => {
        form.querySelector("output").textContent = `${shown} of ${rows.length} printed figures`;
        const chosen = [paper, verdict, text].filter((field) => field.value);
        const hash = new URLSearchParams(chosen.map((field) => [field.name, field.value]));
        if (chosen.length || location.hash.includes("="))
          history.replaceState(null, "", chosen.length ? `#${hash}` : location.pathname + location.search);
      }, 250);
    }
    const restore = () => {
      if (!location.hash.includes("=")) return;
      const chosen = new URLSearchParams(location.hash.slice(1));
      for (const field of [paper, verdict, text]) {
        field.value = chosen.get(field.name) ?? "";
        if (field.selectedIndex === -1) field.value = ""; // a word that the list does not have
      }
      fold.open = true;
      show();
      fold.scrollIntoView();
    };
    fold.addEventListener("toggle", () => fold.open && show());
    form.addEventListener("input", show);
    form.addEventListener("reset", () => setTimeout(show));
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", restore);
    restore();
  }
  addEventListener("hashchange", open);
  open();
})();
