/* Run before the page is there. A style sheet learns that scripts run, so that what only they move has its
   room from the start. Where a reader has forbidden storage, to look at localStorage is an error, and with it
   the search and the switch of the theme stop. There they get a storage that lasts as long as the page. */
document.documentElement.classList.add("js");
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    window[name];
  } catch {
    const kept = new Map();
    const value = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, text) => kept.set(key, String(text)),
      removeItem: (key) => kept.delete(key),
    };
    Object.defineProperty(window, name, { value });
  }
}
