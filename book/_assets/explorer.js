/* Explorers: a control is moved, the setting is looked up in the page's own data, the chart is drawn again.
   The setting stands in the address, so that it can be linked to. Without this script, and in print, a page
   shows the starting figure. */
(() => {
  function start(figure) {
    const { spec, data, columns, arrays, states, sentences } = JSON.parse(figure.querySelector("script").textContent);
    const form = figure.querySelector("form");
    const chart = figure.querySelector(".explorer-chart");
    const sentence = figure.querySelector(".explorer-sentence");
    const fields = [...form.querySelectorAll("input, select")];
    const values = new Map(fields.map((field) => [field, JSON.parse(field.parentElement.dataset.values)]));
    const name = figure.dataset.name;
    const index = () => fields.reduce((i, field) => i * values.get(field).length + Number(field.value), 0);
    const rows = () => {
      const found = states[index()].map((place) => arrays[place]);
      return found[0].map((_, row) => Object.fromEntries(columns.map((column, c) => [column, found[c][row]])));
    };
    let view;

    async function show() {
      for (const field of fields) {
        if (!field.dataset.texts) continue;
        const text = JSON.parse(field.dataset.texts)[field.value];
        field.setAttribute("aria-valuetext", text);
        field.nextElementSibling.textContent = text;
      }
      sentence.textContent = sentences[index()];
      if (view) await view.data(data, rows()).runAsync();
    }

    function remember() {
      const query = new URLSearchParams(location.search);
      for (const field of fields) {
        const key = `${name}.${field.name}`;
        if (field.value === initial.get(field)) query.delete(key);
        else query.set(key, values.get(field)[field.value]);
      }
      const text = query.toString();
      history.replaceState(null, "", location.pathname + (text && `?${text}`) + location.hash);
    }

    function restore() {
      const query = new URLSearchParams(location.search);
      for (const field of fields) {
        const place = values.get(field).indexOf(query.get(`${name}.${field.name}`));
        if (place >= 0) field.value = place;
      }
    }

    const initial = new Map(fields.map((field) => [field, field.value]));
    let pause;
    form.addEventListener("input", () => {
      figure.shown = show();
      clearTimeout(pause);
      pause = setTimeout(remember, 250); // browsers limit new addresses
    });
    form.addEventListener("reset", () => setTimeout(() => { figure.shown = show(); remember(); }));
    form.addEventListener("submit", (event) => event.preventDefault());
    restore();
    const options = { renderer: "svg", actions: false, ast: true, tooltip: false };
    chart.parentElement.hidden = false; // before it is drawn, for its width
    vegaEmbed(chart, { ...spec, datasets: { [data]: rows() } }, options).then((result) => {
      view = figure.view = result.view;
      figure.classList.add("live");
      for (const part of [form, sentence]) part.hidden = false;
      return (figure.shown = show());
    });
  }

  document.querySelectorAll("figure.explorer").forEach(start);
})();
