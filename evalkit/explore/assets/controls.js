/* The form of a figure: sliders, lists and numbers, what they are set to, and the address that keeps it. */
"use strict";

/* `form` has a field for each control, written by evalkit.explore; `name` is the figure's. */
function evalkitControls(form, name) {
  const fields = [...form.querySelectorAll("input, select")].filter((field) => field.name);
  const isTyped = (field) => field.type === "number";
  const values = new Map(fields.map((field) => [field, isTyped(field) || JSON.parse(field.parentElement.dataset.values)]));
  const initial = new Map(fields.map((field) => [field, field.value]));

  const within = (field, number) => Math.min(Math.max(Math.round(number) || 0, Number(field.min)), Number(field.max));
  const value = (field) => (isTyped(field) ? within(field, field.value) : values.get(field)[field.value]);

  function label() {
    for (const field of fields) {
      if (!field.dataset.texts) continue;
      const text = JSON.parse(field.dataset.texts)[field.value];
      field.setAttribute("aria-valuetext", text);
      field.nextElementSibling.textContent = text;
    }
  }

  function setting() {
    const read = (field) => (field.tagName === "SELECT" ? value(field) : Number(value(field)));
    return Object.fromEntries(fields.map((field) => [field.name, read(field)]));
  }

  /* Write what is not as it was into the address, with whole numbers besides; those that are null leave it. */
  function remember(more = {}) {
    if (location.protocol === "about:") return; // a notebook's frame has no address
    const query = new URLSearchParams(location.search);
    const entries = fields.map((field) => [field.name, field.value === initial.get(field) ? null : value(field)]);
    for (const [key, kept] of [...entries, ...Object.entries(more)]) {
      if (kept === null) query.delete(`${name}.${key}`);
      else query.set(`${name}.${key}`, kept);
    }
    const text = query.toString();
    history.replaceState(null, "", location.pathname + (text && `?${text}`) + location.hash);
  }

  const asked = (key) => new URLSearchParams(location.search).get(`${name}.${key}`);
  const isWhole = (text) => /^\d+$/.test(text);

  function restore() {
    for (const field of fields) {
      const wanted = asked(field.name);
      if (isTyped(field)) {
        if (isWhole(wanted)) field.value = within(field, wanted);
      } else if (values.get(field).includes(wanted)) field.value = values.get(field).indexOf(wanted);
    }
  }

  function number(key, otherwise, most) {
    const wanted = asked(key);
    return isWhole(wanted) ? Math.min(Number(wanted), most) : otherwise;
  }

  /* Where the setting stands among all, the values of the last field going fastest. */
  const place = () => fields.reduce((i, field) => i * values.get(field).length + Number(field.value), 0);
  const moved = () => fields.some((field) => field.value !== initial.get(field));

  // What was typed and cannot be is shown as what is taken for it.
  form.addEventListener("change", ({ target }) => { if (isTyped(target)) target.value = value(target); });

  return { value, label, setting, place, moved, remember, restore, number };
}
