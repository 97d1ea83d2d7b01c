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
  const textAt = (field, place) => (isTyped(field) ? String(place) : field.dataset.texts ? JSON.parse(field.dataset.texts)[place] : field.options[place].text);

  function label() {
    for (const field of fields) {
      if (!field.dataset.texts) continue;
      const text = textAt(field, field.value);
      field.setAttribute("aria-valuetext", text);
      field.nextElementSibling.textContent = text;
    }
  }

  const isList = (field) => field.tagName === "SELECT";
  const read = (field, found) => (isList(field) ? found : Number(found));
  const setting = () => Object.fromEntries(fields.map((field) => [field.name, read(field, value(field))]));
  const texts = () => Object.fromEntries(fields.map((field) => [field.name, textAt(field, isTyped(field) ? value(field) : field.value)]));

  /* A setting as whole numbers, and back; null where there is none. */
  const placeOf = (field, found) => (isTyped(field) ? found : values.get(field).findIndex((one) => read(field, one) === found));
  const places = (of) => fields.map((field) => placeOf(field, of[field.name]));
  const textsOf = (of) => Object.fromEntries(fields.map((field) => [field.name, textAt(field, placeOf(field, of[field.name]))]));
  function at(numbers) {
    if (numbers.length !== fields.length) return null;
    const found = fields.map((field, i) => (isTyped(field) ? numbers[i] : values.get(field)[numbers[i]]));
    const fits = fields.every((field, i) => (isTyped(field) ? within(field, found[i]) === found[i] : found[i] !== undefined));
    return fits ? Object.fromEntries(fields.map((field, i) => [field.name, read(field, found[i])])) : null;
  }

  /* Write what is not as it was into the address, with more besides; what is null leaves it. */
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

  /* Say of each field that moves, by hand or by key. A finger that scrolls over a slider moves nothing: what it set is
     taken back when the browser takes the touch for a scroll, and is not told before the finger has gone sideways or
     has left. */
  function listen(root, act) {
    let touched = null;
    root.addEventListener("pointerdown", ({ target, pointerType, clientX, clientY }) => {
      if (pointerType === "touch" && target.type === "range") touched = { target, was: target.value, x: clientX, y: clientY, told: false };
    }, true);
    const release = (isScroll) => {
      if (!touched) return;
      const { target, was, told } = touched;
      touched = null;
      if (isScroll && !told) target.value = was;
      else if (!told && target.value !== was) act(target);
    };
    root.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (!touched || touched.told) return;
      const [across, down] = [Math.abs(clientX - touched.x), Math.abs(clientY - touched.y)];
      touched.told = across > 8 && across > down;
    }, true);
    root.addEventListener("pointerup", () => release(false), true);
    root.addEventListener("pointercancel", () => release(true), true);
    root.addEventListener("input", ({ target }) => { if (touched?.target !== target || touched.told) act(target); });
    form.addEventListener("submit", (event) => event.preventDefault());
    // What was typed and cannot be is shown as what is taken for it.
    form.addEventListener("change", ({ target }) => { if (isTyped(target)) target.value = value(target); });
  }

  return { value, label, setting, texts, textsOf, places, at, remember, restore, number, asked, listen };
}
