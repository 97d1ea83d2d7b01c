/* Explorers: a control is moved, the setting is looked up in the page's own data, or samples are drawn from
   its scores, and the chart is drawn again. The setting stands in the address, so that it can be linked to.
   Until a control is touched, in print and without this script a page shows the starting figure: Vega, which
   draws the others, is heavier than all else on a page. */
(() => {
  const VEGA = new URL("vega.js", document.currentScript.src).href;
  let vega; // a promise, of the first figure that is touched
  const clamp = (number, low, high) => Math.min(Math.max(number, low), high);
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const mean = (numbers) => sum(numbers) / numbers.length;

  // The same places as evalkit.explore._draws.draw_places gives.
  function mix(number) {
    number = Math.imul(number ^ (number >>> 15), 0xd168aaad);
    number = Math.imul(number ^ (number >>> 15), 0xaf723597);
    return (number ^ (number >>> 15)) >>> 0;
  }

  function drawSample(seed, draw, members, scores) {
    const start = mix(mix(seed) + draw);
    return members.map((member) => scores[Math.floor((mix(start + member) * scores.length) / 2 ** 32)]);
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

  const best = (ordered, shares) => sum(ordered.map((score, k) => score * shares[k]));
  const ordered = (scores, sign) => Float64Array.from(scores, (score) => sign * score).sort();

  function drawErrors({ scores, sign, scale }, { size, n, draws, seed }) {
    const shares = weights(size, n);
    const truth = sign * best([...ordered(scores, sign)], weights(scores.length, n).v);
    const members = Array.from({ length: size }, (_, j) => mix(j + 1));
    const errors = Object.fromEntries(Object.keys(shares).map((name) => [name, []]));
    for (let draw = 1; draw <= draws; draw++) {
      const sample = [...ordered(drawSample(seed, draw, members, scores), sign)];
      for (const name in shares) errors[name].push(scale * (sign * best(sample, shares[name]) - truth));
    }
    return { truth, errors };
  }

  function monteCarloError(errors) {
    const centre = mean(errors);
    return Math.sqrt(sum(errors.map((error) => (error - centre) ** 2)) / (errors.length - 1) / errors.length);
  }

  function signed(number, digits) {
    const text = Math.abs(number).toFixed(digits);
    return (Number(text) === 0 ? "" : number < 0 ? "\u2212" : "+") + text;
  }

  function pileUp(errors, end, bins, tops) {
    const width = (2 * end) / bins;
    const rows = Array.from({ length: bins }, (_, i) => ({ low: -end + width * i, high: -end + width * (i + 1), u: 0, v: 0 }));
    for (const name of ["u", "v"]) {
      const found = errors[name] ?? [];
      // An error of 0 stands on an edge: which bin it is in must not hang on its last bit.
      const place = (error) => Math.floor(Math.round(((error + end) / width) * 1e9) / 1e9);
      for (const error of found) rows[clamp(place(error), 0, bins - 1)][name] += 1;
      const [middle, margin] = found.length > 1 ? [mean(found), 2 * monteCarloError(found)] : [null, null];
      for (const row of rows) {
        row[`${name}_mean`] = middle;
        row[`${name}_from`] = middle === null ? null : middle - margin;
        row[`${name}_to`] = middle === null ? null : middle + margin;
        row[`${name}_last`] = found.length ? clamp(found.at(-1), -end, end) : null;
      }
    }
    const most = Math.max(...rows.flatMap((row) => [row.u, row.v]));
    const top = tops.find((top) => top >= 1.3 * most);
    return rows.map((row) => ({ ...row, top }));
  }

  // What evalkit.explore._expected_maximum.show returns.
  function showErrors({ pools, bins, tops, judged }, setting) {
    const pool = pools[setting.pool ?? ""];
    const { size, n, draws } = setting;
    const { sentences, digits } = pool;
    const { truth, errors } = drawErrors(pool, setting);
    const words = { size, n, source: pool.source, truth: truth.toFixed(pool.truth_digits), draws: draws.toLocaleString("en") };
    for (const [name, found] of Object.entries(errors)) {
      const middle = mean(found), error = monteCarloError(found);
      words[name] = signed(middle, digits);
      words[`${name}_error`] = error.toFixed(digits);
      const judgement = Math.abs(middle) <= 2 * error ? "near" : middle < 0 ? "below" : "above";
      words[`${name}_says`] = sentences[draws < judged ? "few" : judgement];
    }
    const many = draws === 1 ? "one" : "many";
    const parts = [many, "u" in errors ? `${many} u` : "no u", `${many} v`];
    if (draws > 1 && n > 1 && "u" in errors) {
      const ahead = errors.v.map((error, i) => Math.abs(errors.u[i]) - Math.abs(error));
      words.nearer = ahead.filter((lead) => lead > 1e-9 * pool.end).length; // what rounding makes is no lead
      parts.push("nearer");
    }
    const sentence = parts.map((part) => sentences[part]).join("").replace(/\{(\w+)\}/g, (_, word) => words[word]);
    return { rows: pileUp(errors, pool.end, bins, tops), sentence };
  }

  const samplers = { "errors of U and V": showErrors };

  // A script element, for file:// refuses everything else.
  function loadVega() {
    vega ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const fail = () => {
        vega = undefined; // the next touch tries again
        script.remove();
        reject(new Error(`${VEGA} could not be loaded`));
      };
      document.head.append(Object.assign(script, { src: VEGA, onload: resolve, onerror: fail }));
    });
    return vega;
  }

  function start(figure) {
    const page = JSON.parse(figure.querySelector("script").textContent);
    const form = figure.querySelector("form");
    const chart = figure.querySelector(".explorer-chart");
    const sentence = figure.querySelector(".explorer-sentence");
    const fields = [...form.querySelectorAll("input, select")];
    const isTyped = (field) => field.type === "number";
    const values = new Map(fields.map((field) => [field, isTyped(field) || JSON.parse(field.parentElement.dataset.values)]));
    const name = figure.dataset.name;
    const within = (field, number) => clamp(Math.round(number) || 0, Number(field.min), Number(field.max));
    const value = (field) => (isTyped(field) ? within(field, field.value) : values.get(field)[field.value]);

    function lookUp() {
      const { columns, arrays, states, sentences } = page;
      const index = fields.reduce((i, field) => i * values.get(field).length + Number(field.value), 0);
      const found = states[index].map((place) => arrays[place]);
      const rows = found[0].map((_, row) => Object.fromEntries(columns.map((column, c) => [column, found[c][row]])));
      return { rows, sentence: sentences[index] };
    }

    function draw() {
      const number = (field) => (field.tagName === "SELECT" ? value(field) : Number(value(field)));
      const setting = Object.fromEntries(fields.map((field) => [field.name, number(field)]));
      return samplers[page.sampler.name](page.sampler, setting);
    }

    const look = page.sampler ? draw : lookUp;
    const options = { renderer: "svg", actions: false, ast: true, tooltip: false };
    let embedding; // a promise of the chart, once for each figure
    let latest;

    async function embed() {
      await loadVega();
      chart.parentElement.hidden = false; // before it is drawn, for its width
      const { view } = await vegaEmbed(chart, { ...page.spec, datasets: { [page.data]: look().rows } }, options);
      figure.classList.add("live");
      return (figure.view = view);
    }

    async function show() {
      for (const field of fields) {
        if (!field.dataset.texts) continue;
        const text = JSON.parse(field.dataset.texts)[field.value];
        field.setAttribute("aria-valuetext", text);
        field.nextElementSibling.textContent = text;
      }
      const seen = (latest = look());
      sentence.textContent = seen.sentence;
      figure.classList.add("touched"); // the picture is not of this setting
      try {
        const view = await (embedding ??= embed());
        if (seen === latest) await view.data(page.data, seen.rows).runAsync();
      } catch (error) {
        embedding = undefined;
        sentence.textContent = `${latest.sentence} (The chart could not be drawn: ${error.message}. Move a control to try again.)`;
      }
    }

    function remember() {
      const query = new URLSearchParams(location.search);
      for (const field of fields) {
        const key = `${name}.${field.name}`;
        if (field.value === initial.get(field)) query.delete(key);
        else query.set(key, value(field));
      }
      const text = query.toString();
      history.replaceState(null, "", location.pathname + (text && `?${text}`) + location.hash);
    }

    function restore() {
      const query = new URLSearchParams(location.search);
      for (const field of fields) {
        const wanted = query.get(`${name}.${field.name}`);
        if (isTyped(field)) {
          if (/^\d+$/.test(wanted)) field.value = within(field, wanted);
        } else if (values.get(field).includes(wanted)) field.value = values.get(field).indexOf(wanted);
      }
    }

    const initial = new Map(fields.map((field) => [field, field.value]));
    let pause;
    const change = () => {
      figure.shown = show();
      clearTimeout(pause);
      pause = setTimeout(remember, 250); // browsers limit new addresses
    };
    form.addEventListener("input", change);
    form.addEventListener("change", ({ target }) => { if (isTyped(target)) target.value = value(target); });
    form.addEventListener("click", ({ target }) => {
      if (!target.dataset.steps) return;
      for (const [control, step] of Object.entries(JSON.parse(target.dataset.steps))) {
        const field = form.elements[control];
        field.value = within(field, value(field) + step);
      }
      change();
    });
    form.addEventListener("reset", () => setTimeout(() => { figure.shown = show(); remember(); }));
    form.addEventListener("submit", (event) => event.preventDefault());
    restore();
    const moved = fields.some((field) => field.value !== initial.get(field));
    figure.shown = moved ? show() : Promise.resolve();
  }

  document.querySelectorAll("figure.explorer").forEach(start);
})();
