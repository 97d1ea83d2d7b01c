/* Explorers whose settings are looked up: a control is moved, and what the page stores for its setting is drawn.
   The setting stands in the address, so that it can be linked to. Until a control is touched, in print and without this script a page shows the starting figure: Vega, which
   draws the others, is heavier than all else on a page. */
(() => {
  const VEGA = new URL("vega.js", document.currentScript.src).href;
  let vega; // a promise, of the first figure that is touched

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
    const controls = evalkitControls(form, figure.dataset.name);

    function look() {
      const { columns, arrays, states, sentences } = page;
      const index = controls.place();
      const found = states[index].map((place) => arrays[place]);
      const rows = found[0].map((_, row) => Object.fromEntries(columns.map((column, c) => [column, found[c][row]])));
      return { rows, sentence: sentences[index] };
    }

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
      controls.label();
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

    let pause;
    const change = () => {
      figure.shown = show();
      clearTimeout(pause);
      pause = setTimeout(controls.remember, 250); // browsers limit new addresses
    };
    form.addEventListener("input", change);
    form.addEventListener("reset", () => setTimeout(change));
    form.addEventListener("submit", (event) => event.preventDefault());
    controls.restore();
    figure.shown = controls.moved() ? show() : Promise.resolve();
  }

  document.querySelectorAll("figure.explorer").forEach(start);
})();
