/* Explorers that draw: one draw, a hundred, or on and on; what was drawn is seen, results pile up, and a tally says
   how often what happened. games.js draws and controls.js keeps the form; words come from the page. */
"use strict";

(() => {
  const { chance, games } = evalkitGames;
  const MOST = 10_000; // draws: more would move no bar that can be seen
  const SEEDS = 1_000_000;
  const SLOW = 12; // draws that come one by one, so that each can be followed
  const FEW = 20; // draws of which no share is told
  const LATEST = 40; // intervals that are shown
  const STRIP = 22, LABEL = 22, TICKS = 24, LINE = 16, SIDE = 10; // pixels
  const HEIGHTS = { 1: 150, 2: 92, 3: 58 }; // of a pile, by how many there are
  const HAND = matchMedia("(prefers-reduced-motion: reduce)");

  const clamp = (number, low, high) => Math.min(Math.max(number, low), high);

  function element(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function write(number, digits, sign = false) {
    const text = Math.abs(number).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    const positive = sign ? "+" : "";
    return (Number(text.replaceAll(",", "")) === 0 ? "" : number < 0 ? "\u2212" : positive) + text;
  }

  // The colour of a kind of draw; play.css says what is filled with it.
  const kindOf = (page, kind, also = "") => ({ class: `play-kind ${also}`, style: `--kind: ${page.colours[kind]}` });

  const fill = (template, words) => template.replace(/\{([\w-]+)\}/g, (_, word) => words[word]);

  /* What has been drawn: for each lane how many of each kind in each bin, and what the mean needs. */
  function emptyTally(game) {
    const lanes = game.lanes.map(({ kinds }) => ({
      bins: Array.from({ length: game.bins }, () => Object.fromEntries(kinds.map((kind) => [kind, 0]))),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, 0])),
      mean: 0, squares: 0,
    }));
    return { draws: 0, lanes, latest: [] };
  }

  function binOf(game, value) {
    const [low, high] = game.axis;
    // A value on an edge must not change its bin with its last bit.
    const found = Math.floor(Math.round(((value - low) / (high - low)) * game.bins * 1e9) / 1e9);
    return clamp(found, 0, game.bins - 1);
  }

  function count(game, tally, drawn) {
    tally.draws += 1;
    drawn.marks.forEach(({ value, kind }, i) => {
      const lane = tally.lanes[i];
      lane.kinds[kind] += 1;
      if (game.bins) lane.bins[binOf(game, value)][kind] += 1;
      const step = value - lane.mean; // Welford's sums
      lane.mean += step / tally.draws;
      lane.squares += step * (value - lane.mean);
    });
    tally.latest.push(drawn);
    if (tally.latest.length > LATEST) tally.latest.shift();
  }

  /* The picture: one SVG, in pixels of the page, with a place for a cursor. */
  function draw(figure, page, game, tally, cursor) {
    const width = Math.max(260, figure.clientWidth);
    const left = SIDE, right = width - SIDE;
    const scale = ([low, high]) => (value) => left + ((clamp(value, low, high) - low) / (high - low)) * (right - left);
    const x = scale(game.axis);
    const parts = [];
    let y = 4;
    const last = tally.latest.at(-1);
    const strip = scale(game.strip ?? game.axis);
    for (const row of last ? last.strip : []) {
      parts.push(text(left, y + 12, page.words.strip[row.key]), ...dots(page, row, strip, y + STRIP));
      y += STRIP + 14;
    }
    if (last?.strip.length && game.strip) {
      parts.push(...axis(strip, game.strip, page.words.strip_axis, y, right));
      y += TICKS + LINE * page.words.strip_axis.length;
    }
    const tops = y;
    const lanes = piled(game);
    const height = HEIGHTS[lanes.length];
    if (game.bins) {
      const most = Math.max(...lanes.flatMap((_, i) => tally.lanes[i].bins.map(total)), expectedMost(page, game, tally));
      lanes.forEach((lane, i) => {
        const name = page.words.lanes[lane.key];
        if (name) parts.push(text(left, y + 14, name));
        y += (name ? LABEL : 6) + height;
        parts.push(...pile(page, game, tally.lanes[i], x, y, height / above(most), i, last));
      });
    } else {
      y += height + 40;
      parts.push(...stacked(page, game, tally, x, tops, y));
    }
    if (game.mark !== null && !(page.words.hidden && !page.guessed)) {
      parts.push(element("line", { class: "play-mark", x1: x(game.mark), x2: x(game.mark), y1: tops, y2: y }));
    }
    if (cursor !== null) {
      const at = game.bins ? x(edge(game, cursor + 0.5)) : left;
      parts.push(element("line", { class: "play-cursor", x1: at, x2: at, y1: tops, y2: y }));
    }
    parts.push(...axis(x, game.axis, page.words.axis, y, right, game.whole ? 1 : 0));
    const bottom = y + TICKS + LINE * page.words.axis.length;
    return element("svg", { viewBox: `0 0 ${width} ${bottom}`, width, height: bottom }, ...parts);
  }

  const piled = (game) => game.lanes.filter(({ aside }) => !aside);
  const total = (bin) => Object.values(bin).reduce((a, b) => a + b, 0);
  const edge = (game, i) => game.axis[0] + (i / game.bins) * (game.axis[1] - game.axis[0]);
  const expectedMost = (page, game, tally) => (game.expected && page.told ? Math.max(...game.expected) * Math.max(tally.draws, 1) : 0);
  const text = (x, y, content, anchor = "start") => element("text", { x, y, "text-anchor": anchor }, content);

  function above(most) {
    const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
    return Math.max(8, [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most));
  }

  function dots(page, { values, pick, first }, x, y) {
    const circle = (i, r, look) => element("circle", { ...look, cx: x(values[i]), cy: y, r });
    const all = values.map((_, i) => circle(i, 4, { class: `play-dot${i === pick ? " play-picked" : ""}` }));
    if (first === undefined) return all;
    return [...all, circle(values.length - 1, 4.5, kindOf(page, "best")), circle(first, 7, { class: "play-dot" })];
  }

  function axis(x, [low, high], titles, y, right, least = 0) {
    const power = 10 ** Math.floor(Math.log10((high - low) / 3));
    const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least && (high - low) / one <= 7);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const parts = [element("line", { class: "play-axis", x1: SIDE, x2: right, y1: y + 0.5, y2: y + 0.5 })];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
      const at = x(i * step);
      parts.push(element("line", { class: "play-axis", x1: at, x2: at, y1: y, y2: y + 5 }));
      parts.push(text(clamp(at, 20, right - 10), y + 19, write(i * step, digits), "middle"));
    }
    return [...parts, ...titles.map((title, i) => text(right, y + TICKS + 11 + LINE * i, title, "end"))];
  }

  function pile(page, game, counted, x, base, unit, lane, latest) {
    const parts = [];
    counted.bins.forEach((bin, i) => {
      const [from, to] = [x(edge(game, i)), x(edge(game, i + 1))];
      const bar = (high, y, kind, also) =>
        element("rect", { ...kindOf(page, kind, also), x: from + 0.5, width: Math.max(1, to - from - 1), y, height: high });
      if (game.expected && page.told) {
        const high = game.expected[i] * Math.max(total(counted.kinds), 1) * unit;
        parts.push(bar(high, base - high, game.kindOf(edge(game, i + 0.5)), "play-expected"));
      }
      let y = base;
      for (const kind of game.lanes[lane].kinds) {
        const high = bin[kind] * unit;
        if (high) parts.push(bar(high, (y -= high), kind));
      }
    });
    if (game.lanes[lane].mean && total(counted.kinds) >= FEW) parts.push(...meanOf(counted, x, base - HEIGHTS[game.lanes.length] + 6));
    if (!latest) return parts;
    const at = x(edge(game, binOf(game, latest.marks[lane].value) + 0.5));
    return [...parts, element("path", { class: "play-latest", d: `M${at} ${base - 1}l5 -6l-5 -6l-5 6z` })];
  }

  // The mean of a pile, and where that of many more draws lies.
  function meanOf(counted, x, y) {
    const half = marginOf(counted);
    const line = { class: "play-mean", x1: x(counted.mean - half), x2: x(counted.mean + half), y1: y, y2: y };
    return [element("line", line), element("circle", { class: "play-mean", cx: x(counted.mean), cy: y, r: 3 })];
  }

  function marginOf(counted) {
    const n = total(counted.kinds);
    return 1.96 * Math.sqrt(counted.squares / (n - 1) / n);
  }

  // What goes on beyond the axis has an arrowhead.
  function beyond(page, { axis: [low, high] }, mark, x, y) {
    const head = (at, to) => element("path", { ...kindOf(page, mark.kind), d: `M${x(at)} ${y - 4}v8l${to} -4z` });
    return [...(mark.low < low ? [head(low, -7)] : []), ...(mark.high > high ? [head(high, 7)] : [])];
  }

  function stacked(page, game, tally, x, top, base) {
    const step = (base - top - 8) / LATEST;
    return tally.latest.flatMap(({ marks: [mark] }, i) => {
      const y = base - 6 - i * step;
      return [
        element("line", { ...kindOf(page, mark.kind, "play-interval"), x1: x(mark.low), x2: x(mark.high), y1: y, y2: y }),
        element("circle", { ...kindOf(page, mark.kind), cx: x(mark.value), cy: y, r: 2 }),
        ...beyond(page, game, mark, x, y),
      ];
    });
  }

  // The bins at the ends hold what lies beyond, too.
  function between(game, i, number) {
    if (i === 0) return `below ${number(edge(game, 1))}`;
    if (i === game.bins - 1) return `${number(edge(game, i))} or more`;
    return `${number(edge(game, i))} to ${number(edge(game, i + 1))}`;
  }

  /* Words for a cursor: what lies in its bin, or which interval it is on. */
  function readOut(page, game, tally, cursor) {
    const { digits, unit } = page.words;
    if (!game.bins) {
      const drawn = tally.latest[cursor];
      if (!drawn) return "";
      const [mark] = drawn.marks;
      const number = tally.draws - tally.latest.length + cursor + 1;
      return `${number}: ${write(mark.low, digits)} to ${write(mark.high, digits)}, ${page.words.kinds[mark.kind]}`;
    }
    const place = game.whole
      ? write(edge(game, cursor + 0.5), 0)
      : between(game, cursor, (value) => write(value, digits)) + unit;
    const lanes = piled(game).map((lane, i) => {
      const name = page.words.lanes[lane.key];
      return `${name ? `${name}: ` : ""}${write(total(tally.lanes[i].bins[cursor]), 0)}`;
    });
    return `${place}: ${lanes.join("; ")}`;
  }

  /* The tally: for each kind how many of the draws, or the mean; with a 95 % interval for what more draws would do. */
  function tallied(page, game, tally) {
    const { digits, unit, tally: wanted } = page.words;
    return game.lanes.flatMap((lane, i) => {
      const counted = tally.lanes[i];
      const name = (kind) => page.words.lanes[lane.key] || page.words.kinds[kind];
      if (lane.mean) {
        const half = marginOf(counted);
        const number = (value) => write(value, digits, page.words.signed);
        const ends = tally.draws >= FEW ? ` (${number(counted.mean - half)} to ${number(counted.mean + half)})` : "";
        return [{ kind: lane.kinds[0], text: `${name(lane.kinds[0])}: ${number(counted.mean)}${unit}${ends}` }];
      }
      return lane.kinds.filter((kind) => wanted.includes(kind) && (kind !== "tie" || counted.kinds.tie)).map((kind) => {
        const n = counted.kinds[kind];
        const { low, high } = evalkitStatistics.wilson(n, tally.draws);
        const share = tally.draws < FEW ? "" : `, ${write((100 * n) / tally.draws, 1)}\u00a0% (${write(100 * low, 1)} to ${write(100 * high, 1)})`;
        return { kind, text: `${name(kind)}: ${write(n, 0)} of ${write(tally.draws, 0)}${share}` };
      });
    });
  }

  /* A guess and what it is held against: the share of one kind in the first lane, in 100, or the mark. */
  function judged(page, game, tally) {
    const { guess } = page.words;
    const value = Number(page.guess.value);
    if (guess.of === "mark") {
      const others = page.words.others[page.setting().scheme];
      return fill(guess.says, { guess: write(value, 0), truth: write(game.mark, 1), others });
    }
    if (tally.draws < FEW) return fill(guess.early, { guess: value });
    const { low, high } = evalkitStatistics.wilson(tally.lanes[0].kinds[guess.of], tally.draws);
    const verdict = value < 100 * low ? "below" : value > 100 * high ? "above" : "inside";
    return fill(guess[verdict], { guess: value });
  }

  function listen(figure, page, act) {
    const svg = () => page.picture.firstElementChild;
    const at = ({ clientX, clientY }) => {
      const box = svg().getBoundingClientRect();
      return act.place((clientX - box.left - SIDE) / (box.width - 2 * SIDE), (clientY - box.top) / box.height);
    };
    page.picture.addEventListener("pointermove", (event) => {
      if (event.buttons && act.drag) act.drag(at(event));
      else act.point(at(event));
    });
    page.picture.addEventListener("pointerdown", (event) => act.drag?.(at(event)));
    page.picture.addEventListener("pointerleave", () => act.point(null));
    page.picture.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
      if (!step) return;
      event.preventDefault();
      act.step(step);
    });
    page.picture.addEventListener("blur", () => act.point(null));
    page.form.addEventListener("input", ({ target }) => (target === page.guess ? act.guess() : act.change()));
    // A press that moves nothing is an answer, too.
    page.guess?.addEventListener("click", () => act.guess());
    page.guess?.addEventListener("keyup", ({ key }) => { if (key === "Enter" || key === " ") act.guess(); });
    page.form.addEventListener("submit", (event) => event.preventDefault());
    for (const button of figure.querySelectorAll("button[data-act]")) {
      button.addEventListener("click", () => act[button.dataset.act](Number(button.dataset.draws)));
    }
    new ResizeObserver(() => act.show()).observe(figure);
  }

  function start(figure) {
    const page = JSON.parse(figure.querySelector("script").textContent);
    const part = (name) => figure.querySelector(`.play-${name}`);
    Object.assign(page, { form: figure.querySelector("form"), picture: part("picture"), guess: part("guess input"), guessed: false });
    const controls = evalkitControls(page.form, figure.dataset.name);
    page.setting = controls.setting;
    controls.restore();
    const first = Number(figure.dataset.seed);
    let seed = controls.number("seed", first, SEEDS), wanted = controls.number("draws", 1, MOST);
    let game, tally, cursor = null, going = false, pending = null, pause;

    function begin() {
      controls.label();
      game = games[page.game](page.data, controls.setting());
      game.begin?.(chance(seed, 0));
      tally = emptyTally(game);
      if (cursor !== null && cursor >= game.bins) cursor = null;
      advance();
    }

    function forget() {
      page.guessed = false;
      page.guess.nextElementSibling.textContent = "?";
    }

    const most = () => game.most ?? MOST;
    const isDone = () => tally.draws >= Math.min(wanted, most());

    /* Draw for as long as a frame has, show it, and go on in the next. */
    function advance() {
      clearTimeout(pending);
      pending = null;
      const until = performance.now() + (HAND.matches ? 100 : 10);
      while (!isDone()) {
        count(game, tally, game.draw(chance(seed, tally.draws + 1), tally.draws + 1));
        if (performance.now() > until) break; // at least one, however slow the machine
      }
      if (tally.draws >= most()) going = false;
      if (going && isDone()) wanted = HAND.matches ? MOST : wanted + Math.max(1, Math.floor(wanted / 40));
      show();
      if (!isDone()) pending = setTimeout(advance, going && wanted <= SLOW && !HAND.matches ? 250 : 16);
      else { say(); keep(); }
    }

    function show() {
      if (!tally) return;
      page.told = page.guessed || tally.draws >= FEW; // what would give the answer away
      page.picture.replaceChildren(draw(figure, page, game, tally, cursor));
      part("readout").textContent = cursor === null ? page.words.hint : readOut(page, game, tally, cursor);
      part("tally").replaceChildren(...tallied(page, game, tally).map(({ kind, text }) => {
        const line = document.createElement("li");
        line.style.setProperty("--kind", page.colours[kind] ?? "none");
        line.textContent = text;
        return line;
      }));
      figure.dataset.draws = tally.draws;
      if (frameElement) frameElement.style.height = `${document.documentElement.scrollHeight + 8}px`; // a notebook's
      figure.querySelector("[data-act=go]").textContent = page.words.go[going ? 1 : 0];
      // Not disabled, which would take the focus away.
      for (const button of figure.querySelectorAll("[data-act=go], [data-act=more]")) {
        button.setAttribute("aria-disabled", tally.draws >= most());
      }
    }

    /* What is read aloud changes when the drawing rests. */
    function say() {
      const setting = controls.setting();
      const words = { ...setting, draws: write(tally.draws, 0), ...format(game.words?.(tally) ?? {}) };
      const parts = [fill(page.words.sentence, words)];
      if (game.note) parts.push(page.words.notes[game.note]);
      if (page.told && page.words.later) parts.push(fill(page.words.later, words));
      if (page.guessed) parts.push(judged(page, game, tally));
      if (tally.draws >= most()) parts.push(fill(page.words.all, words));
      part("sentence").textContent = parts.join(" ");
    }

    // A p-value has three significant digits; all else as many decimals as the axis.
    function word(value) {
      if (typeof value === "string") return value;
      return page.words.p_values ? String(Number(value.toPrecision(3))) : write(value, page.words.digits);
    }

    const format = (words) => Object.fromEntries(Object.entries(words).map(([key, value]) => [key, word(value)]));

    function keep() {
      clearTimeout(pause);
      pause = setTimeout(() => controls.remember({ seed: seed === first ? null : seed, draws: wanted === 1 ? null : wanted }), 250); // browsers limit new addresses
    }

    listen(figure, page, {
      show,
      change() {
        if (page.guess && page.words.guess.of !== "mark") forget(); // another setting is another question
        begin();
        say();
      },
      more(draws) { going = false; wanted = Math.min(tally.draws + draws, most()); advance(); },
      go() {
        going = !going && tally.draws < most();
        if (going) wanted = Math.min(tally.draws + 1, most());
        else wanted = tally.draws;
        advance();
      },
      again() { seed = (seed + 1) % SEEDS; going = false; wanted = 1; begin(); },
      guess() { page.guessed = true; page.guess.nextElementSibling.textContent = page.guess.value; show(); say(); },
      place(across, down) {
        if (game.bins) return clamp(Math.floor(across * game.bins), 0, game.bins - 1);
        return clamp(Math.round((1 - down) * LATEST), 0, tally.latest.length - 1);
      },
      point(place) { cursor = place; show(); },
      step(by) {
        const last = (game.bins || tally.latest.length) - 1;
        const latest = game.bins ? binOf(game, tally.latest.at(-1).marks[0].value) : last;
        cursor = cursor === null && Math.abs(by) === 1 ? latest : clamp((cursor ?? 0) + by, 0, last);
        show();
      },
      drag: page.words.drag && ((place) => {
        const [first, second] = page.words.drag.map((name) => page.form.elements[name]);
        const all = controls.value(first) + controls.value(second);
        if (page.guess) forget();
        first.value = clamp(Math.round(edge(game, place + 0.5)), 0, all);
        second.value = all - Number(first.value);
        begin();
      }),
    });
    figure.play = () => ({ seed, tally, done: isDone() && !going });
    begin();
    figure.classList.add("live");
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
