/* Explorers: a draw, or a hundred; what was drawn is seen, results pile up, and each setting that was tried leaves a
   point on a chart of its own, whose curve is shown when it is asked for. games.js draws, picture.js shows, controls.js
   keeps the form; words come from the page. */
"use strict";

(() => {
  const { chance, games } = evalkitGames;
  const { LATEST, FEW, SIDE, clamp, fill, write, ...pictures } = evalkitPictures;
  const MOST = 10_000; // draws: more would move no bar that can be seen
  const SEEDS = 1_000_000;
  const LONG = 2000; // draws at each place of a curve that has no formula
  const TRIED = 60; // points that are kept
  const SLICE = 10, FRAMES = 30; // milliseconds of work at a time; frames that a hundred draws take
  const STILL = matchMedia("(prefers-reduced-motion: reduce)");

  /* Where a finger or a mouse is, in pixels of a box. */
  function within(box, { clientX, clientY }) {
    const { left, top, width, height } = box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top, width, height };
  }

  function start(figure) {
    const page = JSON.parse(figure.querySelector("script").textContent);
    const part = (name) => figure.querySelector(`.play-${name}`);
    const [picture, law, readout] = ["picture", "law", "readout"].map(part);
    const form = figure.querySelector("form");
    const guess = figure.querySelector(".play-guess input");
    const controls = evalkitControls(form, figure.dataset.name);
    const first = Number(figure.dataset.seed), shown = Number(figure.dataset.draws);
    const byValues = page.law.by ? JSON.parse(form.elements[page.law.by].parentElement.dataset.values) : [];
    page.byNames = page.law.by ? page.law.by_names : [];
    controls.restore();
    let seed = controls.number("seed", first, SEEDS), wanted = Math.max(1, controls.number("draws", shown, MOST));
    let game, tally, cursor = null, at = null, held = null, pause, frame = null, working = null;
    const sizes = new Map(); // of the two boxes
    const points = new Map(); // of every setting that was tried, by its address
    const curves = new Map(); // of what is on the other controls
    const jobs = []; // each does a little, and says whether it is done
    let guessed = null; // of what: another setting is another question
    page.revealed = false;

    const setting = () => controls.setting();
    const gameOf = (of) => games[page.game](page.data, of);
    // What stands beside the chart; of a game without a control along it, what it says.
    const others = (of, without) => JSON.stringify([Object.entries(of).filter(([name]) => !without.includes(name)), page.law.x === null && gameOf(of).group]);
    const free = page.law.x === null ? page.law.free : [page.law.x]; // the controls along the chart
    const placeOf = (of, game) => game.x ?? of[page.law.x];
    // Which mark: of the series, or of the control that tells points apart.
    const whichOf = (i, of) => (page.law.series.length > 1 ? i : Math.max(0, byValues.indexOf(String(of[page.law.by]))));

    /* Do what waits, a little at a time, so that the page stays alive. */
    function work() {
      working = null;
      const until = performance.now() + SLICE;
      while (jobs.length && performance.now() < until) if (jobs[0]()) jobs.shift();
      chart();
      if (jobs.length) working = setTimeout(work, 8);
    }

    function later(job) {
      jobs.push(job);
      working ??= setTimeout(work, 8);
    }

    /* A job that draws on until there are so many, and then passes the tally on. */
    function drawing(of, from, draws, done) {
      const game = gameOf(of), tally = pictures.emptyTally(game);
      return () => {
        pictures.count(game, tally, game.draw(chance(from, tally.draws + 1)));
        if (tally.draws < draws) return false;
        done(game, tally);
        return true;
      };
    }

    function begin() {
      controls.label();
      game = gameOf(setting());
      tally = pictures.emptyTally(game);
      cursor = null;
      advance(STILL.matches || !figure.classList.contains("live"));
    }

    const target = () => Math.min(wanted, MOST);
    const isDone = () => tally.draws >= target();

    /* Draw for as long as a frame has, show it, and go on in the next. */
    function advance(atOnce = STILL.matches) {
      cancelAnimationFrame(frame);
      const until = performance.now() + SLICE, most = atOnce ? Infinity : Math.ceil(target() / FRAMES);
      for (let i = 0; i < most && !isDone(); i++) {
        pictures.count(game, tally, game.draw(chance(seed, tally.draws + 1)));
        if (performance.now() > until) break; // at least one, however slow the machine
      }
      if (isDone()) return rest();
      if (!atOnce) show();
      frame = requestAnimationFrame(() => advance(atOnce));
      return undefined;
    }

    /* Where the drawing rests: the point is left, what is read aloud changes, and the address too. */
    function rest() {
      show();
      const lines = [...part("tally").children].map(({ textContent }) => textContent);
      picture.setAttribute("aria-label", [page.title, ...lines].join(". "));
      leave(setting(), seed, game, tally);
      if (page.revealed) reveal();
      chart();
      say();
      keep();
    }

    function leave(of, from, game, tally) {
      if (tally.draws < FEW) return;
      const key = JSON.stringify(of);
      points.delete(key); // the latest is drawn last
      points.set(key, { of, x: placeOf(of, game), seed: from, draws: tally.draws, results: pictures.results(page, game, tally) });
      if (points.size > TRIED) points.delete(points.keys().next().value);
    }

    function show() {
      picture.replaceChildren(pictures.draw(page, game, tally, cursor, sizes.get(picture)));
      part("tally").replaceChildren(...pictures.tallied(page, game, tally).map(({ kind, text }) => {
        const line = document.createElement("li");
        line.style.setProperty("--kind", page.colours[kind] ?? "none");
        line.textContent = text;
        return line;
      }));
      figure.dataset.drawn = tally.draws;
      for (const button of figure.querySelectorAll("[data-act=more]")) button.setAttribute("aria-disabled", wanted >= MOST);
    }

    const isGuessed = () => guessed === others(setting(), free);
    const guessAt = () => ({ x: page.guess.at, y: Number(guess.value) });

    function chart() {
      const here = setting(), same = others(here, [...free, page.law.by]);
      const list = [...points.values()];
      const marked = list.map(({ of, x, results }) => ({
        x, pale: others(of, [...free, page.law.by]) !== same,
        marks: page.law.series.flatMap(({ key }, i) => (results[key] ? [{ which: whichOf(i, of), ...results[key] }] : [])),
      }));
      const now = list.findIndex(({ of }) => JSON.stringify(of) === JSON.stringify(here));
      const lines = (page.revealed ? [...curves.values()] : []).flatMap(({ of, found, same: ofCurve }) =>
        page.law.series.map(({ key }, i) => ({
          which: whichOf(i, of), pale: ofCurve !== same,
          line: found.filter((place) => place.results[key]).map((place) => ({ x: place.x, y: place.results[key].y })).sort((a, b) => a.x - b.x),
        })));
      law.replaceChildren(pictures.chart(page, marked, lines, { now, guess: isGuessed() ? guessAt() : null, cursor: at }, sizes.get(law)));
      law.setAttribute("aria-label", [...page.law.title, list.length ? toldOf(list[Math.max(0, now)]) : ""].join(" "));
      figure.dataset.points = list.length;
    }

    /* The curve of what is on the other controls, and of the kinds that were tried: by its formula, or drawn here. */
    function reveal() {
      const here = setting(), same = others(here, [...free, page.law.by]);
      const tried = [here, ...[...points.values()].map(({ of }) => of).filter((of) => others(of, [...free, page.law.by]) === same)];
      for (const of of tried) {
        const key = others(of, free);
        if (curves.has(key)) continue;
        const curve = { of, same, found: [], done: false };
        curves.set(key, curve);
        const along = gameOf(of).path?.(page.law.stops.at(-1)) ?? page.law.stops.map((stop) => ({ [page.law.x]: stop }));
        const settings = along.map((place) => ({ ...of, ...place }));
        const add = (place, game, results) => curve.found.push({ x: placeOf(place, game), results });
        for (const place of settings) {
          const one = gameOf(place);
          if (one.exact) add(place, one, seriesOf(one.exact()));
          else later(drawing(place, SEEDS + 1, LONG, (game, tally) => add(place, game, pictures.results(page, game, tally))));
        }
        later(() => { curve.done = true; say(); return true; });
      }
    }

    const seriesOf = (exact) => Object.fromEntries(page.law.series.filter(({ key }) => key in exact).map(({ key }) => [key, { y: exact[key] }]));

    /* What is read aloud changes when the drawing rests. */
    function say() {
      const words = { ...controls.texts(), ...game.labels, draws: write(tally.draws, 0), ...format(game.words?.(tally) ?? {}) };
      const parts = [fill(page.words.sentence, words)];
      if (game.note) parts.push(page.words.notes[game.note]);
      part("sentence").textContent = parts.join(" ");
      part("verdict").textContent = page.revealed ? verdict() : "";
    }

    function verdict() {
      if (page.law.x === null && game.group !== page.guess.group) return page.guess.elsewhere;
      const curve = curves.get(others(setting(), free));
      const found = curve?.done && curve.found.find(({ x }) => x === page.guess.at)?.results[page.guess.series];
      if (!found) return curve?.done ? "" : "The curve is being drawn …";
      const number = (value) => write(value, page.guess.digits);
      const words = { ...controls.texts(), ...game.labels, guess: number(guessAt().y), truth: number(found.y) };
      const all = curve.found.find(({ x }) => x === page.guess.at).results;
      const each = page.law.series.filter(({ key }) => all[key]).map(({ key, label }) => `${label} ${number(all[key].y)}`);
      return [
        ...(isGuessed() ? [`You guessed ${words.guess}.`] : []),
        `Curve: ${fill(page.guess.says, words)}`,
        ...(each.length > 1 ? [`(${each.join("; ")}.)`] : []),
        ...(game.exact ? [] : [page.guess.drawn]),
      ].join(" ");
    }

    // A p-value has three significant digits; all else as many decimals as the axis.
    function word(value) {
      if (typeof value === "string") return value;
      if (page.words.p_values && value < 1e-4) return "below 0.0001";
      return page.words.p_values ? String(Number(value.toPrecision(3))) : write(value, page.words.digits);
    }

    const format = (words) => Object.fromEntries(Object.entries(words).map(([key, value]) => [key, word(value)]));

    /* The setting, the seed, the draws and every point are in the address: a point is drawn again from its seed. */
    function keep() {
      clearTimeout(pause);
      const tried = [...points.values()].map(({ of, seed, draws }) => [...controls.places(of), seed, draws].join("."));
      pause = setTimeout(() => controls.remember({
        seed: seed === first ? null : seed,
        draws: wanted === shown ? null : wanted,
        tried: tried.length > 1 ? tried.join("_") : null,
        curve: page.revealed ? 1 : null,
        guess: isGuessed() ? guess.value : null,
      }), 250); // browsers limit new addresses
    }

    function restore() {
      for (const text of (controls.asked("tried") ?? "").split("_").slice(0, TRIED)) {
        const numbers = text.split(".").map(Number);
        const of = numbers.every(Number.isInteger) && controls.at(numbers.slice(0, -2));
        const [from, draws] = numbers.slice(-2);
        if (!of || !(from >= 0 && from <= SEEDS && draws >= FEW && draws <= MOST)) continue;
        later(drawing(of, from, draws, (game, tally) => { if (!points.has(JSON.stringify(of))) leave(of, from, game, tally); }));
      }
      const kept = controls.asked("guess");
      if (kept !== null && kept.trim() && Number.isFinite(Number(kept))) { guess.value = kept; tell(); }
      if (controls.asked("curve")) uncover(true);
    }

    function tell() {
      guessed = others(setting(), free);
      guess.nextElementSibling.textContent = write(guessAt().y, page.guess.digits);
    }

    function uncover(isShown) {
      const button = figure.querySelector("[data-act=reveal]");
      page.revealed = isShown;
      if (isShown) reveal();
      button.setAttribute("aria-pressed", isShown);
      button.textContent = isShown ? "Hide the curve" : "Show the curve";
      show();
      chart();
      say();
    }

    function read(text) {
      readout.textContent = text || page.words.hint;
    }

    function point(place) {
      cursor = place;
      show();
      read(cursor === null ? "" : pictures.readOut(page, game, tally, cursor));
    }

    const placeAt = (event) => {
      const { x, y, width, height } = within(picture.firstElementChild, event);
      if (game.grid) {
        const cells = pictures.cellsAt(game, width, height);
        const far = game.grid.x.map((value, i) => Math.hypot(cells.x(value) - x, cells.y(game.grid.y[i]) - y));
        return far.indexOf(Math.min(...far));
      }
      if (game.bins) return clamp(Math.floor(((x - SIDE) / (width - 2 * SIDE)) * game.bins), 0, game.bins - 1);
      return clamp(Math.round((1 - y / height) * LATEST), 0, tally.latest.length - 1);
    };

    function pointTo(i) {
      at = i;
      chart();
      const tried = [...points.values()][i];
      read(tried ? toldOf(tried) : "");
    }

    function toldOf(tried) {
      const texts = controls.textsOf(tried.of);
      const setTo = Object.entries(texts).map(([name, text]) => `${page.words.short[name]} ${text}`).join(", ");
      const told = page.law.series.filter(({ key }) => tried.results[key]).map(({ key, label }) => {
        const [y, low, high] = ["y", "low", "high"].map((end) => write(tried.results[key][end], page.guess.digits));
        return label ? `${label} ${y}` : `${y} (${low} to ${high})`;
      });
      return `${setTo}: ${told.join("; ")}`;
    }

    function nearestPoint(event) {
      const { x, y, width, height } = within(law.firstElementChild, event);
      const scales = pictures.lawScales(page, { width, height });
      const far = [...points.values()].map(({ x: place, results }) =>
        Math.min(...Object.values(results).map((result) => Math.hypot(scales.x(place) - x, scales.y(result.y) - y))));
      const nearest = Math.min(...far);
      return nearest < 30 ? far.indexOf(nearest) : null;
    }

    const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
    function steps(box, act) {
      box.addEventListener("keydown", (event) => {
        if (!(event.key in STEPS)) return;
        event.preventDefault();
        act(STEPS[event.key]);
      });
    }

    /* A mouse points; a finger taps, and what it tapped stays. The handle alone is dragged, by either. */
    function listen(box, find, show) {
      box.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse" && held === null) show(find(event)); });
      box.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && held === null) show(null); });
      box.addEventListener("click", (event) => { if (held === null) show(find(event)); });
      box.addEventListener("blur", () => show(null));
    }

    function drag(event) {
      const [one, other] = page.words.drag.map((name) => form.elements[name]);
      const all = controls.value(one) + controls.value(other);
      one.value = clamp(Math.round(pictures.edge(game, placeAt(event) + 0.5)), 0, all);
      other.value = all - Number(one.value);
      begin();
    }

    listen(picture, placeAt, point);
    listen(law, nearestPoint, pointTo);
    steps(picture, (by) => {
      const last = (game.grid ? tally.cells.length : game.bins || tally.latest.length) - 1;
      const [latest] = tally.latest.slice(-1);
      const from = game.grid ? latest.searches[0].chosen : game.bins ? pictures.binOf(game, latest.marks[0].value) : last;
      point(cursor === null && Math.abs(by) === 1 ? from : clamp((cursor ?? 0) + by, 0, last));
    });
    steps(law, (by) => pointTo(clamp(at === null ? points.size - 1 : at + by, 0, points.size - 1)));
    if (page.words.drag) {
      picture.addEventListener("pointerdown", (event) => {
        if (!event.target.closest(".play-handle")) return;
        event.preventDefault();
        held = event.pointerId;
        picture.setPointerCapture(held);
      });
      picture.addEventListener("pointermove", (event) => { if (event.pointerId === held) drag(event); });
      for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { setTimeout(() => { held = null; }); });
    }
    controls.listen(figure, (field) => {
      if (field !== guess) {
        wanted = shown; // each setting begins with as many
        if (!isGuessed()) guess.nextElementSibling.textContent = "?";
        return begin();
      }
      tell();
      chart();
      say();
      return keep();
    });
    const acts = {
      more(draws) { wanted = Math.min(wanted + draws, MOST); advance(draws === 1 || STILL.matches); },
      again() { seed = (seed + 1) % SEEDS; begin(); },
      reveal() { uncover(!page.revealed); keep(); },
      clear() {
        points.clear();
        at = null;
        leave(setting(), seed, game, tally);
        chart();
        keep();
      },
    };
    for (const button of figure.querySelectorAll("button[data-act]")) {
      button.addEventListener("click", () => acts[button.dataset.act](Number(button.dataset.draws)));
    }
    // It begins when its boxes have a size; to ask for one would lay out the whole page.
    const resized = new ResizeObserver((boxes) => {
      for (const { target, contentRect: { width, height } } of boxes) sizes.set(target, { width: Math.max(200, width), height });
      if (figure.play) {
        show();
        chart();
      } else if (sizes.size === 2) setTimeout(wake); // not in the frame that lays out the page
    });

    function wake() {
      if (figure.play) return;
      figure.play = () => ({ seed, tally, points, curves, done: isDone() && !jobs.length });
      begin();
      restore();
      figure.classList.add("live");
    }

    for (const box of [picture, law]) resized.observe(box);
  }

  // One far below begins when it comes near: until then the page is for reading.
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      start(target);
    }
  }, { rootMargin: "400px" });
  document.querySelectorAll("figure.play").forEach((figure) => near.observe(figure));
})();
