/* The checklist's boxes. A tick is kept in the reader's own browser, under the id of its line. Without this
   script the page is a plain list, with boxes for a pencil. */
(() => {
  const KEY = "evalkit-checklist";
  const lists = [...document.querySelectorAll("div.checklist")];
  if (!lists.length) return;

  const items = [...document.querySelectorAll("div.checklist li [id^='check-']")].map((title) => {
    const box = document.createElement("input");
    const label = document.createElement("label");
    box.type = "checkbox";
    box.id = `tick-${title.id}`;
    label.htmlFor = box.id;
    label.append(...title.childNodes);
    title.append(label);
    title.closest("li").querySelector(".task-list-item-checkbox").replaceWith(box);
    return { id: title.id, box, must: title.classList.contains("must"), list: title.closest("div.checklist") };
  });

  const make = (tag, text, attributes = {}) => Object.assign(document.createElement(tag), { textContent: text }, attributes);
  const bar = make("div", "", { className: "checklist-bar" });
  const said = make("output", "");
  const note = make("p", "", { className: "checklist-note" });
  const [copy, clear, undo] = ["Copy as Markdown", "Clear", "Undo"].map((text) => make("button", text, { type: "button" }));
  const label = make("label", "The list as Markdown", { className: "checklist-text", hidden: true });
  const text = make("textarea", "", { readOnly: true, rows: 8 });
  label.append(text);
  undo.hidden = true;
  bar.append(said, copy, clear, undo);

  const counts = lists.map((list) => {
    const count = make("span", "", { className: "checklist-count" });
    list.closest("section").querySelector("h2 .headerlink").before(" ", count);
    return { list, count };
  });

  // The bar stays in view as long as the lists do.
  const part = make("div", "", { className: "checklist-part" });
  const sections = lists.map((list) => list.closest("section"));
  sections[0].before(part);
  part.append(note, bar, label, ...sections);

  const ticked = (some) => some.filter(({ box }) => box.checked).length;
  const of = (some) => `${ticked(some)} of ${some.length}`;

  function show(message = "") {
    for (const { list, count } of counts) count.textContent = of(items.filter((item) => item.list === list));
    said.textContent = `${of(items.filter(({ must }) => must))} must-haves, ${of(items)} in all. ${message}`;
  }

  // What is kept: the ids of the lines that are ticked, with those that only another edition has.
  function kept() {
    return new Set((localStorage.getItem(KEY) ?? "").split(" ").filter(Boolean));
  }

  function keep() {
    const ids = kept();
    for (const { id, box } of items) box.checked ? ids.add(id) : ids.delete(id);
    try {
      localStorage.setItem(KEY, [...ids].join(" "));
      // storage.js puts another object there where the reader's own storage is forbidden.
      return localStorage instanceof Storage;
    } catch {
      return false; // it is full, or may not be written
    }
  }

  function restore() {
    const ids = kept();
    for (const { id, box } of items) box.checked = ids.has(id);
  }

  function save(message) {
    note.textContent = keep()
      ? "Ticks stay in this browser, on this machine."
      : "This browser keeps nothing for this page: ticks are lost when you leave it. Copy the list before you do.";
    show(message);
  }

  function offer(cleared) {
    if (undo === document.activeElement && !cleared.length) clear.focus(); // before it is hidden
    undo.hidden = !cleared.length;
    undo.onclick = () => {
      for (const { box } of cleared) box.checked = true;
      offer([]);
      save("The ticks are back.");
    };
  }

  function markdown(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ").replace(/[\\*_`<]/g, "\\$&");
    if (node.nodeName === "INPUT") return node.checked ? "[x]" : "[ ]";
    if (node.nodeName === "CODE") return `\`${node.textContent}\``;
    const inside = [...node.childNodes].map(markdown).join("");
    return node.nodeName === "STRONG" ? `**${inside}**` : inside;
  }

  function line(item) {
    const copied = item.cloneNode(true);
    copied.querySelector("input").checked = item.querySelector("input").checked;
    // The link to the book says nothing where there is no book.
    for (const link of copied.querySelectorAll("p > a")) link.remove();
    return `- ${markdown(copied).trim()}`;
  }

  function all() {
    return sections
      .map((section) => {
        const heading = section.querySelector("h2").firstChild.data.trim();
        return [`### ${heading}`, "", ...[...section.querySelectorAll("li")].map(line)].join("\n");
      })
      .join("\n\n");
  }

  part.addEventListener("change", ({ target }) => {
    if (target.type !== "checkbox") return;
    offer([]);
    save();
  });
  clear.addEventListener("click", () => {
    const cleared = items.filter(({ box }) => box.checked);
    for (const { box } of cleared) box.checked = false;
    offer(cleared);
    save(cleared.length ? `Ticks removed: ${cleared.length}.` : "Nothing was ticked.");
  });
  copy.addEventListener("click", async () => {
    text.value = all();
    try {
      await navigator.clipboard.writeText(text.value);
      label.hidden = true;
      show("Copied.");
    } catch {
      // Refused, or an address without a clipboard: the reader copies it by hand.
      label.hidden = false;
      text.focus();
      text.select();
      show("This browser does not let the page copy: its text is selected above the list, copy it from there.");
    }
  });
  addEventListener("storage", () => {
    restore(); // another tab
    show();
  });

  restore();
  save();
})();
