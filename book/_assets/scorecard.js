/* Filters the tables of the scorecard by paper, verdict and words, and unfolds what fits. The choice stands in
   the address, after the #, so that it can be linked to. Without this script the folds open by hand. */
(() => {
  const form = document.querySelector("form.scorecard-filter");
  if (!form) return;
  const plain = (words) => words.toLowerCase().replaceAll("\u2212", "-"); // a minus sign, as it is typed
  const [paper, verdict, text] = ["paper", "verdict", "text"].map((name) => form.elements[name]);
  const tables = [...document.querySelectorAll("table.scorecard")].map((table) => ({
    table,
    fold: table.closest("details.fold"),
    rows: [...table.tBodies[0].rows].map((row) => ({ row, words: plain(row.textContent) })),
  }));
  let timer;

  function show() {
    const wanted = plain(text.value).split(/\s+/).filter(Boolean);
    const chosen = [paper, verdict, text].some((field) => field.value);
    const said = tables.map(({ table, fold, rows }) => {
      let shown = 0;
      for (const { row, words } of rows) {
        const fits =
          (!paper.value || row.dataset.paper === paper.value) &&
          (!verdict.value || row.dataset.verdict === verdict.value) &&
          wanted.every((word) => words.includes(word));
        row.hidden = !fits;
        shown += fits;
      }
      table.hidden = !shown;
      if (fold) fold.open = chosen && shown > 0;
      return `${shown} of ${rows.length} ${table.dataset.kind}`;
    });
    // Once the typing pauses: a screen reader is told one result, and browsers limit new addresses.
    clearTimeout(timer);
    timer = setTimeout(() => {
      form.querySelector("output").textContent = `Found: ${said.join(", ")}.`;
    }, 250);
  }

  function remember() {
    const chosen = [paper, verdict, text].filter((field) => field.value);
    const hash = new URLSearchParams(chosen.map((field) => [field.name, field.value]));
    history.replaceState(null, "", chosen.length ? `#${hash}` : location.pathname + location.search);
  }

  function named(hash) {
    try {
      return document.getElementById(decodeURIComponent(hash));
    } catch {
      return null; // a % that is no sign's code: no row has such a name
    }
  }

  function restore() {
    const hash = location.hash.slice(1);
    const target = named(hash);
    // A link to a section leaves the choice as it is; one to a row that is hidden undoes it.
    if (hash && !hash.includes("=") && !target?.closest("tr")?.hidden) return;
    const chosen = new URLSearchParams(hash.includes("=") ? hash : "");
    for (const field of [paper, verdict, text]) {
      field.value = chosen.get(field.name) ?? "";
      if (field.selectedIndex === -1) field.value = ""; // a word that the list does not have
    }
    show();
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (hash) (target ?? form).scrollIntoView();
  }

  let pause;
  form.addEventListener("input", () => {
    show();
    clearTimeout(pause);
    pause = setTimeout(remember, 250);
  });
  form.addEventListener("reset", () => setTimeout(() => (show(), remember())));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", restore);
  form.hidden = false;
  show();
  restore();
})();
