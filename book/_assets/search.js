/* What the search of the book puts first: the page or the section whose heading, or entry in the index, has the
   words that were asked, then the pages that only use them, and the functions last. A hit opens at that section.
   Sphinx takes this file for its scorer. */
"use strict";

// A question is asked with these, and found without them.
stopwords.push("can", "do", "does", "how", "i", "many", "may", "much", "my", "need", "should", "we", "what", "when", "which", "why");

var Scorer = (() => {
  const stemmer = new Stemmer();
  const words = (text) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []).map((word) => stemmer.stemWord(word));
  const asked = words(new URLSearchParams(location.search).get("q") || "");
  const telling = asked.filter((word) => !stopwords.includes(word));

  // How many of the words that were asked a heading has, from 0 to 1; the fewer others it has, the nearer 1.
  const share = (heading) => {
    const own = new Set(words(heading));
    const main = telling.filter((word) => own.has(word)).length / Math.max(1, telling.length);
    const all = asked.filter((word) => own.has(word)).length / Math.max(1, asked.length);
    return main && ((all + 2 * main) / 3) * (0.8 + 0.2 * Math.min(1, asked.length / own.size));
  };

  // Of each page its headings and index entries that have words of the question, the nearest first.
  let places;
  const nearest = (page) => {
    if (!places) {
      const { docnames, alltitles, indexentries } = Search._index;
      places = new Map(docnames.map((name) => [name, []]));
      for (const [weight, found] of [[1, alltitles], [0.9, indexentries]]) {
        for (const [text, where] of Object.entries(found)) {
          const near = weight * share(text);
          for (const [file, id] of near ? where : []) places.get(docnames[file]).push([near, weight === 1 && text, id]);
        }
      }
      for (const found of places.values()) found.sort((a, b) => b[0] - a[0]);
    }
    return (places.get(page) || [])[0] || [0];
  };

  // A chapter answers, a further page has more on it, and the API is for who knows the name.
  const ofPage = (page) => (page.endsWith("/api") ? 0.2 : page.includes("/more/") || page.endsWith("/glossary") ? 0.8 : 1);

  return {
    objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
    title: 15, partialTitle: 7, term: 5, partialTerm: 2,

    // `result` is [page, title, anchor, description, score, file]; only functions and terms have a description.
    score: (result) => {
      const [page, title, anchor, description, score] = result;
      if (description !== null) return 2 * score * ofPage(page);
      if (anchor.startsWith("#index-")) return 0;
      if (anchor !== "") return (100 * share(title.split(" > ").pop()) + score) * ofPage(page);
      const [near, heading, id] = nearest(page);
      if (near > 0.5 && id) {
        result[1] = heading ? `${title} > ${heading}` : title;
        result[2] = `#${id}`;
      }
      return (100 * near + Math.min(score, 20)) * ofPage(page);
    },
  };
})();
