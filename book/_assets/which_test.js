/* Which test do I need? One question after another, from the page's own list, to what its section says. The last
   answer is in the address, so that a lecturer can link to it. Without this script there is the list. */
(() => {
  "use strict";
  const form = document.querySelector("form.which-test");
  if (!form) return;
  const question = form.nextElementSibling, list = question.nextElementSibling;
  const found = document.querySelector(".which-test-answer");
  const toName = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

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

  function ask(asks, answers, depth = 0) {
    const field = document.createElement("fieldset"), legend = document.createElement("legend");
    legend.textContent = asks;
    field.append(legend);
    for (const answer of answers) {
      const label = document.createElement("label"), radio = document.createElement("input");
      Object.assign(radio, { type: "radio", name: `which-${depth}`, value: answer.name });
      radio.addEventListener("change", () => {
        while (field.nextElementSibling?.matches("fieldset")) field.nextElementSibling.remove();
        show(answer.link);
        if (answer.answers) field.after(ask(answer.asks, answer.answers, depth + 1));
        remember(answer.name);
      });
      label.append(radio, ` ${answer.text}`);
      field.append(label);
    }
    return field;
  }

  // The call, its example and the sentence of a section; no name of the page may be there twice.
  function show(link) {
    found.replaceChildren();
    if (!link) return;
    const section = document.querySelector(link.hash).closest("section");
    const title = Object.assign(document.createElement("a"), { href: link.hash, textContent: section.querySelector("h2").firstChild.data });
    const heading = document.createElement("p");
    heading.append(found.dataset.lead, title);
    const parts = [section.querySelector("p"), section.querySelector(".cell_input .highlight"), [...section.querySelectorAll(":scope > p")].at(-1)];
    found.append(heading, ...parts.map((part) => part.cloneNode(true)));
    for (const button of found.querySelectorAll("button")) button.remove();
    for (const named of found.querySelectorAll("[id]")) named.removeAttribute("id");
  }

  function remember(name) {
    const query = new URLSearchParams(location.search);
    query.set("answer", name);
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
  }

  const answers = answersOf(list), [fold, summary] = ["details", "summary"].map((tag) => document.createElement(tag));
  const wanted = pathTo(new URLSearchParams(location.search).get("answer"), answers) ?? [];
  form.append(ask(question.textContent, answers));
  list.before(fold);
  form.after(found);
  summary.textContent = form.dataset.all;
  fold.append(summary, question, list);
  addEventListener("beforeprint", () => { fold.open = true; }); // on paper there is the list
  form.hidden = false;
  for (const name of wanted) form.querySelector(`input[value="${name}"]`)?.click();
})();
