/* The search of the book. Sphinx takes this file for its scorer, and it does more: Sphinx finds the pages that have all
   words of a question, and knows of no section. Here the words of a heading, or of an entry in the index, are worth more
   than those of the text, rare words more than common ones, and a hit opens at its section. */
"use strict";

(() => {
  // A question is asked with these, and found without them.
  stopwords.push(
    ..."am any been can could did do does from get got has had have he her him his how i its let may me much my".split(" "),
    ..."need our shall she should so than them they too us use used using want we were what when where".split(" "),
    ..."which who why would you your".split(" "),
  );

  // What others say, and what this book says.
  const MEANT = {
    annotator: "rater", author: "group", benchmark: "leaderboard", better: "difference", certain: "interval",
    chatbot: "arena", cherry: "best", crash: "fail", diff: "difference", diverge: "fail", document: "group",
    "error bar": "confidence interval", example: "item", gap: "difference", "how long": "time", hyperparameter: "setting",
    imbalance: "balanced", improvement: "difference", inferiority: "equivalence", leakage: "leak", llm: "language model",
    luck: "chance", patient: "group", "point better": "significance", prompt: "item", real: "significance",
    reproduce: "seed", run: "seed", sample: "item", significant: "significance", speaker: "group",
    std: "standard deviation", sure: "interval", user: "group",
  };

  // A chapter answers; a page to start from leads there; a further page, or a paper, has more on it; and the reference is
  // for those who know a name.
  const OF_PAGE = [
    [/^book\/api/, 0.3],
    [/(changes|references|record|clusters|right_and_fast)$/, 0.6],
    [/^book\/more|^notebooks|(glossary|genindex)$/, 0.85],
    [/(which_test|ask|checklist|how_to_use|intro|first_report)$/, 0.95],
    [/./, 1],
  ];
  const ofPage = (page) => OF_PAGE.find(([pattern]) => pattern.test(page))[1];

  const stemmer = new Stemmer();
  const parts = (text) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => stemmer.stemWord(word));
  const little = new Set(stopwords.flatMap(parts));
  const meant = Object.entries(MEANT).map((pair) => pair.map(parts));
  const own = (object, key) => (Object.hasOwn(object, key) ? [object[key]].flat() : []);
  const rarity = (all, having) => Math.log(1 + all / (1 + having));

  // Each place that a hit may open at, and those that have a word. The number of a heading is not one of its words.
  const places = [];
  const having = new Map();
  const ofHeading = (text) => new Set(parts(text.replace(/<[^>]*>/g, "").replace(/^\d+\. /, "")));
  const readPlaces = ({ titles, alltitles, indexentries, docnames }) => {
    const add = (file, text, id, worth, name = text) => {
      const words = ofHeading(text);
      const shown = id ? `${titles[file]} > ${name}` : titles[file];
      const place = { file, words, shown, id, title: ofHeading(titles[file]), worth: worth * ofPage(docnames[file]) };
      places.push(place);
      for (const word of words) having.set(word, [...(having.get(word) ?? []), place]);
    };
    titles.forEach((title, file) => {
      for (const text of new Set([title, title.split(/[:?]/)[0]])) add(file, text, "", 1.1);
    });
    const headings = new Map();
    for (const [heading, where] of Object.entries(alltitles)) {
      // "Further reading", which many pages have, says nothing of one.
      for (const [file, id] of where) {
        if (id) add(file, heading, id, where.length > 3 ? 0.3 : 1);
        headings.set(`${file} ${id}`, heading);
      }
    }
    // An entry of the index leads to a section, and is shown by the heading; a word of the glossary is its own. What has a
    // dot is a function, and the rest leads to a page.
    for (const [entry, where] of Object.entries(indexentries)) {
      for (const [file, id] of where) {
        const heading = headings.get(`${file} ${id}`);
        if (heading) add(file, entry, id, 0.95, says(heading, entry) ? heading : `${heading} (${entry})`);
        else if (id.startsWith("term-")) add(file, entry, id, 0.95);
        else if (!id.includes(".")) add(file, entry, "", 0.95);
      }
    }
  };
  const says = (heading, entry) => [...ofHeading(entry)].some((word) => ofHeading(heading).has(word));

  // The words of a question, each with the forms in which it may be found and how near they are, the pages that have it,
  // and how much it says, in a heading and in a text.
  const readQuestion = (query, { terms, titleterms, docnames }) => {
    const words = parts(query);
    const said = meant.filter(([theirs]) => ` ${words.join(" ")} `.includes(` ${theirs.join(" ")} `));
    const read = (word) => {
      const forms = new Map([[word, 1]]);
      for (const [theirs, ours] of said) if (theirs.includes(word)) for (const other of ours) forms.set(other, 0.7);
      const at = (form) => having.get(form) ?? [];
      const filesOf = (form) => [...own(terms, form), ...own(titleterms, form), ...at(form).map(({ file }) => file)];
      const find = () => new Set([...forms.keys()].flatMap(filesOf));
      let pages = find();
      if (!pages.size && word.length > 3) {
        for (const term of Object.keys(terms)) if (term.startsWith(word)) forms.set(term, 0.7);
        pages = find();
      }
      const most = Math.max(...[...forms.keys()].map((form) => at(form).length));
      const worth = little.has(word) ? 0.2 : 1;
      const inHeading = worth * rarity(places.length, most);
      return { forms, pages, inHeading, inText: worth * rarity(docnames.length, pages.size) };
    };
    return words.map(read).filter(({ pages }) => pages.size); // no page has the others
  };

  // How much of a question is found, from 0 to 1.
  const share = (asked, kind, near) => {
    let had = 0;
    let all = 0;
    for (const word of asked) {
      had += word[kind] * near(word);
      all += word[kind];
    }
    return all && had / all;
  };

  // The same for a heading; the fewer other words it has, the nearer 1. The title of its page helps.
  const nearness = (asked, { words, title }) => {
    const near = ({ forms }, among) => Math.max(...[...forms].map(([form, value]) => (among.has(form) ? value : 0)));
    const used = asked.filter((word) => near(word, words)).length;
    const found = share(asked, "inHeading", (word) => Math.max(near(word, words), 0.5 * near(word, title)));
    return used && found * (0.7 + 0.3 * (used / words.size));
  };

  // The functions and classes of a name: first for those who write it as code, last where it is a word as well.
  const functions = (query, { objects, objnames, docnames, titles, filenames }) => {
    const name = query.replace(/\(.*/, "").split(".").pop().toLowerCase();
    const score = /[._(]|[a-z][A-Z]/.test(query) ? 2 : 0.3;
    const found = [];
    for (const [prefix, members] of Object.entries(objects)) {
      for (const [file, type, , anchor, last] of members) {
        const whole = `${prefix}.${last}`;
        const kind = `${objnames[type][2]}, in ${titles[file]}`;
        const id = `#${anchor === "-" ? "module-" : ""}${whole}`;
        if (last.toLowerCase() === name) found.push([docnames[file], whole, id, kind, score, filenames[file]]);
      }
    }
    return found;
  };

  // Of each page the place that is nearest; the best comes last, for Sphinx shows them from the end.
  Search._performSearch = (query) => {
    // Words that are marked while a page loads keep it from opening at its section.
    try { localStorage.removeItem("sphinx_highlight_terms"); } catch { /* nothing is kept */ }
    const index = Search._index;
    if (!places.length) readPlaces(index);
    const asked = readQuestion(query, index);
    const best = new Map();
    for (const place of places) {
      const { file, shown, id, worth } = place;
      const inText = share(asked, "inText", ({ pages }) => pages.has(file));
      const score = worth * (nearness(asked, place) + 0.5 * inText);
      if (inText < 0.1 || best.get(file)?.[4] >= score) continue;
      best.set(file, [index.docnames[file], shown, id && `#${id}`, null, score, index.filenames[file]]);
    }
    const found = [...best.values(), ...functions(query.trim(), index)];
    return found.sort((a, b) => a[4] - b[4]).slice(-15);
  };

  // What a place says in its sentences: no code, no table, no button.
  const sentences = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const article = page.querySelector("article.bd-article") ?? page.body;
    const target = page.getElementById(anchor.slice(1));
    // A word of the glossary is set before what it means.
    const place = target?.closest("dt")?.nextElementSibling ?? target ?? article;
    return [...place.querySelectorAll("p, li")]
      .filter((text) => !text.closest(".cell, .admonition, table, figure, nav, form, details") && !text.querySelector("p"))
      .map((text) => {
        for (const mark of text.querySelectorAll("annotation, .headerlink")) mark.remove();
        return text.textContent.replace(/\s+/g, " ").trim();
      });
  };

  // The sentences with most of the words that were asked, from where the first of them is.
  Search.makeSearchSummary = (html, keywords, anchor) => {
    const found = (text) => [...keywords].map((word) => text.toLowerCase().indexOf(word)).filter((start) => start >= 0);
    const [text] = sentences(html, anchor).sort((a, b) => found(b).length - found(a).length);
    const summary = document.createElement("p");
    if (!text) return summary;
    const first = Math.min(...found(text), text.length - 240); // of a short text all is shown
    const start = first < 100 ? 0 : text.lastIndexOf(" ", first - 60) + 1;
    const cut = text.length < start + 240 ? text.length : text.lastIndexOf(" ", start + 240);
    summary.className = "context";
    summary.textContent = `${start ? "… " : ""}${text.slice(start, cut)}${cut < text.length ? " …" : ""}`;
    return summary;
  };
})();
