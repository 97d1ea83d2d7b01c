/* How a figure that draws looks: what was drawn last, the piles, and the chart of what was tried. games.js draws, play.js
   asks for a picture. */
"use strict";

const evalkitPictures = (() => {
  const FEW = 20; // draws of which no share is told
  const LATEST = 40; // intervals that are shown
  const STRIP = 36, LABEL = 20, TICKS = 22, LINE = 16, SIDE = 10, LEFT = 40; // pixels
  const SHAPES = [
    (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.2 * r} ${y + r}H${x - 1.2 * r}z`,
    (x, y, r) => `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`,
    (x, y, r) => `M${x} ${y + 1.3 * r}L${x + 1.2 * r} ${y - r}H${x - 1.2 * r}z`,
  ];

  const clamp = (number, low, high) => Math.min(Math.max(number, low), high);
  const total = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
  const fill = (template, words) => template.replace(/\{([\w-]+)\}/g, (_, word) => words[word]);

  function element(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const text = (x, y, content, anchor = "start") => element("text", { x, y, "text-anchor": anchor }, content);
  const line = (look, x1, y1, x2, y2) => element("line", { class: look, x1, y1, x2, y2 });

  function write(number, digits, sign = false) {
    // toLocaleString would take as long as all else.
    const text = Math.abs(number).toFixed(digits).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");
    const positive = sign ? "+" : "";
    return (Number(text.replaceAll(",", "")) === 0 ? "" : number < 0 ? "\u2212" : positive) + text;
  }

  // The colour of a kind of draw; play.css says what is filled with it.
  const coloured = (colour, also = "") => ({ class: `play-kind ${also}`, style: `--kind: ${colour}` });
  const kindOf = (page, kind, also) => coloured(page.colours[kind], also);

  /* What has been drawn: for each lane how many of each kind in each bin, and what the mean needs. */
  function emptyTally(game) {
    const lanes = game.lanes.map(({ kinds }) => ({
      bins: Array.from({ length: game.bins }, () => Object.fromEntries(kinds.map((kind) => [kind, 0]))),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, 0])),
      mean: 0, squares: 0,
    }));
    return { draws: 0, lanes, latest: [], cells: (game.grid?.x ?? []).map(() => 0) };
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
    for (const { chosen } of drawn.searches ?? []) tally.cells[chosen] += 1;
    tally.latest.push(drawn);
    if (tally.latest.length > LATEST) tally.latest.shift();
  }

  function marginOf(counted) {
    const n = total(counted.kinds);
    return 1.96 * Math.sqrt(counted.squares / (n - 1) / n);
  }

  /* What a setting has come to, by series of the chart: a share in 100 or a mean, with 95 % for more such draws. */
  function results(page, game, tally) {
    const found = page.law.series.map(({ key, lane, kind }) => {
      const counted = tally.lanes[game.lanes.findIndex((one) => one.key === lane)];
      if (!counted) return [key, null];
      if (!kind) {
        const half = marginOf(counted);
        return [key, { y: counted.mean, low: counted.mean - half, high: counted.mean + half }];
      }
      const { low, high } = evalkitStatistics.wilson(counted.kinds[kind], tally.draws);
      return [key, { y: (100 * counted.kinds[kind]) / tally.draws, low: 100 * low, high: 100 * high }];
    });
    return Object.fromEntries(found.filter(([, result]) => result));
  }

  const scale = ([low, high], from, to, turn = (value) => value) => (value) =>
    from + (low === high ? 0.5 : (turn(clamp(value, low, high)) - turn(low)) / (turn(high) - turn(low))) * (to - from);

  function stepOf([low, high], least = 0, most = 7) {
    const power = 10 ** Math.floor(Math.log10((high - low) / 3));
    const step = [1, 2, 5, 10, 20].map((times) => times * power).find((one) => one >= least && (high - low) / one <= most);
    const places = Array.from({ length: most + 2 }, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step);
    return { places: places.filter((at) => at <= high + 1e-9 * step), digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  function axis(x, ends, titles, y, right, isWhole = false) {
    const { places, digits } = stepOf(ends, isWhole ? 1 : 0, isWhole ? 12 : 7);
    const parts = [line("play-axis", SIDE, y + 0.5, right, y + 0.5)];
    for (const place of places) {
      const at = x(place);
      parts.push(line("play-axis", at, y, at, y + 5), text(clamp(at, 14, right - 8), y + 18, write(place, digits), "middle"));
    }
    return [...parts, ...titles.map((title, i) => text(right, y + TICKS + 12 + LINE * i, title, "end"))];
  }

  const piled = (game) => game.lanes.filter(({ aside }) => !aside);
  const edge = (game, i) => game.axis[0] + (i / game.bins) * (game.axis[1] - game.axis[0]);

  /* The picture: one SVG, in pixels of the page, with a place for a cursor. */
  function draw(page, game, tally, cursor, { width, height }) {
    const svg = (...parts) => element("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...parts);
    if (game.grid) return svg(...onGrid(page, game, tally, cursor, width, height));
    const right = width - SIDE;
    const [x, strip] = [game.axis, game.strip ?? game.axis].map((ends) => scale(ends, SIDE, right));
    const parts = [];
    let y = 0;
    const last = tally.latest.at(-1);
    for (const row of last ? last.strip : []) {
      parts.push(text(SIDE, y + 13, fill(page.words.strip[row.key], game.labels ?? {})), ...dots(page, row, strip, y + 25));
      y += STRIP;
    }
    if (last?.strip.length && game.strip) {
      parts.push(...axis(strip, game.strip, [], y, right), text(right, y - STRIP * last.strip.length + 13, page.words.strip_axis, "end"));
      y += TICKS + 4;
    }
    const [tops, bottom] = [y, height - TICKS - LINE * page.words.axis.length - 2];
    const lanes = piled(game);
    if (game.bins) {
      const names = lanes.map(({ key }) => fill(page.words.lanes[key], game.labels ?? {}));
      const room = (bottom - y - names.filter(Boolean).length * LABEL - 6 * lanes.length) / lanes.length;
      const most = Math.max(...lanes.flatMap((_, i) => tally.lanes[i].bins.map(total)), expectedMost(page, game, tally));
      lanes.forEach((lane, i) => {
        if (names[i]) parts.push(text(SIDE, y + 15, names[i]));
        y += (names[i] ? LABEL : 0) + 6 + room;
        parts.push(...pile(page, game, tally.lanes[i], x, y, room, Math.max(8, most), i, last));
      });
    } else parts.push(...stacked(page, game, tally, x, tops, bottom));
    if (game.mark !== null) parts.push(line("play-mark", x(game.mark), tops, x(game.mark), bottom));
    if (cursor !== null) {
      const at = game.bins ? x(edge(game, cursor + 0.5)) : SIDE;
      parts.push(line("play-cursor", at, tops, at, bottom));
    }
    const titles = page.words.axis.map((title) => fill(title, game.labels ?? {}));
    parts.push(...axis(x, game.axis, titles, bottom, right, game.whole));
    if (page.words.drag) {
      const [at, middle] = [x(game.mark), tops + 11];
      parts.push(element("g", { class: "play-handle" }, element("circle", { cx: at, cy: middle, r: 22, class: "play-reach" }),
        element("path", { d: `M${at - 13} ${middle}l7 -6v12zM${at + 13} ${middle}l-7 -6v12z` })));
    }
    return svg(...parts);
  }

  const expectedMost = (page, game, tally) => (game.expected && page.revealed ? Math.max(...game.expected) * Math.max(tally.draws, 1) : 0);

  function dots(page, { values, pick, first, right, border }, x, y) {
    const radius = right ? clamp((x(1) - x(0)) / 2 - 0.3, 1, 4) : 4;
    const filled = (i) => (right ? right[i] : i === pick);
    const circle = (i, r, look) => element("circle", { ...look, cx: x(values[i]), cy: y, r });
    const all = values.map((_, i) => circle(i, radius, { class: `play-dot${right ? " play-item" : ""}${filled(i) ? " play-picked" : ""}` }));
    if (pick !== undefined) all.push(...all.splice(pick, 1)); // over the others
    if (border !== undefined) all.push(line("play-border", x(border), y - 9, x(border), y + 9));
    if (first === undefined) return all;
    return [...all, circle(values.length - 1, 4.5, kindOf(page, "best")), circle(first, 7, { class: "play-dot" })];
  }

  function pile(page, game, counted, x, base, room, most, lane, latest) {
    const unit = room / most;
    const parts = [line("play-axis", SIDE, base + 0.5, x(game.axis[1]), base + 0.5)];
    counted.bins.forEach((bin, i) => {
      const [from, to] = [x(edge(game, i)), x(edge(game, i + 1))];
      const bar = (high, y, kind, also) =>
        element("rect", { ...kindOf(page, kind, also), x: from + 0.5, width: Math.max(1, to - from - 1), y, height: high });
      if (game.expected && page.revealed) {
        const high = game.expected[i] * Math.max(total(counted.kinds), 1) * unit;
        parts.push(bar(high, base - high, game.kindOf(edge(game, i + 0.5)), "play-expected"));
      }
      let y = base;
      for (const kind of game.lanes[lane].kinds) {
        const high = bin[kind] * unit;
        if (high) parts.push(bar(high, (y -= high), kind));
      }
    });
    if (game.lanes[lane].mean && total(counted.kinds) >= FEW) {
      const [at, half, y] = [x(counted.mean), marginOf(counted), base - room + 5];
      parts.push(line("play-mean", x(counted.mean - half), y, x(counted.mean + half), y), element("circle", { class: "play-mean", cx: at, cy: y, r: 3 }));
    }
    if (!latest) return parts;
    const at = x(latest.marks[lane].value);
    return [...parts, element("path", { class: "play-latest", d: `M${at} ${base - 1}l5 -6l-5 -6l-5 6z` })];
  }

  // What goes on beyond the axis has an arrowhead.
  function beyond(page, { axis: [low, high] }, mark, x, y) {
    const head = (at, to) => element("path", { ...kindOf(page, mark.kind), d: `M${x(at)} ${y - 4}v8l${to} -4z` });
    return [...(mark.low < low ? [head(low, -7)] : []), ...(mark.high > high ? [head(high, 7)] : [])];
  }

  function stacked(page, game, tally, x, top, base) {
    const step = (base - top - 8) / LATEST;
    return tally.latest.flatMap(({ marks: [mark] }, i) => {
      const y = base - 5 - i * step;
      return [
        element("line", { ...kindOf(page, mark.kind, "play-interval"), x1: x(mark.low), x2: x(mark.high), y1: y, y2: y }),
        element("circle", { ...kindOf(page, mark.kind), cx: x(mark.value), cy: y, r: 2 }),
        ...beyond(page, game, mark, x, y),
      ];
    });
  }

  /* A grid of settings: how often each was chosen, and the way of the last search from its first shuffle to all. */
  function cellsAt(game, width, height) {
    const log = (values) => (Math.min(...values) > 0 ? Math.log : (value) => value);
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    const { x, y } = game.grid;
    return {
      x: scale(ends(x), LEFT + 18, width - 22, log(x)),
      y: scale(ends(y), height - 2 * LINE - 26, 24, log(y)),
    };
  }

  function onGrid(page, game, tally, cursor, width, height) {
    const { x, y, best, worth } = game.grid;
    const at = cellsAt(game, width, height);
    const dot = (i, r, look) => element("circle", { ...look, cx: at.x(x[i]), cy: at.y(y[i]), r });
    const parts = [text(6, 14, page.words.grid[1]), text(width - SIDE, height - 5, page.words.grid[0], "end")];
    for (const value of new Set(x)) parts.push(text(at.x(value), height - LINE - 7, String(value), "middle"));
    // A name that would meet the one above it is left out.
    const rows = [...new Set(y)].sort((a, b) => at.y(a) - at.y(b));
    const named = rows.filter((value, i) => i === 0 || at.y(value) - at.y(rows[i - 1]) >= 12);
    if (rows.length > 1) for (const value of named) parts.push(text(LEFT - 6, at.y(value) + 4, String(value), "end"));
    x.forEach((_, i) => parts.push(dot(i, 1.5, { class: "play-cell" })));
    const all = Math.max(1, total(tally.cells));
    tally.cells.forEach((chosen, i) => { if (chosen) parts.push(dot(i, Math.max(2.5, 30 * Math.sqrt(chosen / all)), kindOf(page, "chosen", "play-often"))); });
    if (best !== null) x.forEach((_, i) => { if (worth[i] === best) parts.push(text(at.x(x[i]), at.y(y[i]) + 5, "\u2605", "middle")); });
    const last = tally.latest.at(-1);
    for (const [which, { way, chosen, tied }] of (last?.searches ?? []).entries()) {
      if (which === 0) parts.push(element("polyline", { class: "play-way", points: way.map((i) => `${at.x(x[i])},${at.y(y[i])}`).join(" ") }));
      if (which === 0) for (const i of tied) if (i !== chosen) parts.push(dot(i, 4, { class: "play-dot" }));
      const [cx, cy] = [at.x(x[chosen]), at.y(y[chosen])];
      parts.push(element("path", { class: "play-winner", d: SHAPES[which](cx, cy, which ? 6 : 9) }));
    }
    if (cursor !== null) parts.push(dot(cursor, 12, { class: "play-cursor" }));
    return parts;
  }

  /* The chart of what was tried: a point for each setting, the curve once it is asked for, and the guess. */
  function lawScales(page, { width, height }) {
    const { law } = page;
    const turn = law.log ? Math.log : (value) => value;
    const names = law.series.length > 1 ? law.series.map(({ label }) => label) : page.byNames;
    const across = clamp(Math.floor(width / (26 + 6.6 * Math.max(1, ...names.map(({ length }) => length)))), 1, names.length || 1);
    const rows = Math.ceil(names.length / across);
    const bottom = height - TICKS - LINE - 3;
    const top = law.title.length * LINE + 14 + rows * LINE;
    return {
      names, across, bottom, right: width - SIDE - 6, steps: clamp(Math.floor((bottom - top) / 17), 1, 5),
      x: scale([law.stops[0], law.stops.at(-1)], LEFT + 6, width - SIDE - 8, turn),
      y: scale(law.range, bottom, top),
    };
  }

  function chart(page, points, curves, { now, guess, cursor }, size) {
    const { law } = page;
    const at = lawScales(page, size);
    const parts = law.title.map((title, i) => text(4, 14 + LINE * i, title));
    at.names.forEach((name, i) => {
      const [x, y] = [10 + (i % at.across) * ((size.width - 10) / at.across), law.title.length * LINE + 12 + LINE * Math.floor(i / at.across)];
      parts.push(element("path", { ...coloured(law.colours[i]), d: SHAPES[i](x, y - 4, 3.5) }), text(x + 9, y, name));
    });
    const { places, digits } = stepOf(law.range, 0, at.steps);
    for (const place of places) {
      parts.push(line(place === law.line ? "play-promise" : "play-rule", LEFT, at.y(place), at.right + 6, at.y(place)), text(LEFT - 5, at.y(place) + 4, write(place, digits), "end"));
    }
    if (law.line !== null && !places.includes(law.line)) parts.push(line("play-promise", LEFT, at.y(law.line), at.right + 6, at.y(law.line)));
    // The last has its number, and of the others those that have room.
    let free = Infinity;
    for (const stop of [...law.ticks].reverse()) {
      const x = at.x(stop), label = write(stop, stop % 1 ? 2 : 0);
      parts.push(line("play-axis", x, at.bottom, x, at.bottom + 4));
      if (x + 4 * label.length > free) continue;
      parts.push(text(x, at.bottom + 17, label, "middle"));
      free = x - 4 * label.length - 4;
    }
    parts.push(line("play-axis", LEFT, at.bottom + 0.5, at.right + 6, at.bottom + 0.5), text(at.right + 6, size.height - 4, law.x_title, "end"));
    const [lowest, highest] = law.range;
    for (const { which, pale, line: found } of curves) {
      const path = found.filter(({ y }) => y >= lowest && y <= highest).map(({ x, y }) => `${at.x(x)},${at.y(y)}`).join(" ");
      parts.push(element("polyline", { ...coloured(law.colours[which], pale ? "play-curve play-pale" : "play-curve"), points: path }));
    }
    points.forEach((point, i) => {
      if (point.x < law.stops[0] || point.x > law.stops.at(-1)) return;
      const pale = point.pale ? " play-pale" : "";
      for (const { which, y, low, high } of point.marks) {
        const x = at.x(point.x);
        if (y < lowest || y > highest) { // it is off the chart
          const [edge, to] = y < lowest ? [at.bottom - 9, 8] : [at.y(highest) + 9, -8];
          parts.push(element("path", { ...coloured(law.colours[which], pale), d: `M${x - 5} ${edge}h10l-5 ${to}z` }));
          continue;
        }
        parts.push(element("line", { ...coloured(law.colours[which], `play-interval${pale}`), x1: x, x2: x, y1: at.y(low), y2: at.y(high) }));
        parts.push(element("path", { ...coloured(law.colours[which], pale), d: SHAPES[which](x, at.y(y), 4.5) }));
      }
      if (i === now || i === cursor) for (const { y } of point.marks) parts.push(element("circle", { class: "play-dot", cx: at.x(point.x), cy: at.y(y), r: 9 }));
    });
    if (guess) {
      const [x, y] = [at.x(guess.x), at.y(guess.y)];
      parts.push(element("path", { class: "play-guessed", d: `M${x - 7} ${y - 7}l14 14M${x - 7} ${y + 7}l14 -14` }));
    }
    const { width, height } = size;
    return element("svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...parts);
  }

  // The bins at the ends hold what lies beyond, too.
  function between(game, i, number) {
    if (i === 0) return `below ${number(edge(game, 1))}`;
    if (i === game.bins - 1) return `${number(edge(game, i))} or more`;
    return `${number(edge(game, i))} to ${number(edge(game, i + 1))}`;
  }

  /* Words for a cursor: what lies in its bin, which interval it is on, or how often a setting was chosen. */
  function readOut(page, game, tally, cursor) {
    const { digits, unit } = page.words;
    if (game.grid) {
      const { x, y, worth } = game.grid;
      const name = page.words.cells?.[cursor] ?? `${page.words.grid[0]} ${x[cursor]}, ${page.words.grid[1]} ${y[cursor]}`;
      const value = worth ? `, right on ${write(worth[cursor], 1)}\u00a0% of new items` : "";
      return `${name}: chosen by ${write(tally.cells[cursor], 0)} of ${write(2 * tally.draws, 0)} searches${value}`;
    }
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
      const name = fill(page.words.lanes[lane.key], game.labels ?? {});
      return `${name ? `${name}: ` : ""}${write(total(tally.lanes[i].bins[cursor]), 0)}`;
    });
    return `${place}: ${lanes.join("; ")}`;
  }

  function meanOf(page, lane, counted, tally) {
    const { digits, unit, signed } = page.words;
    const half = marginOf(counted);
    const number = (value) => write(value, digits, signed && lane.key !== "worth");
    return `${number(counted.mean)}${unit}${tally.draws >= FEW ? ` (${number(counted.mean - half)} to ${number(counted.mean + half)})` : ""}`;
  }

  /* The tally: for each kind how many of the draws, or the mean; with a 95 % interval for what more draws would do. */
  function tallied(page, game, tally) {
    const { tally: wanted } = page.words;
    return game.lanes.flatMap((lane, i) => {
      const counted = tally.lanes[i];
      const name = (kind) => {
        const names = [page.words.lanes[lane.key], lane.mean && !wanted.length ? "" : page.words.kinds[kind]];
        return fill(names.filter(Boolean).join(": ") || page.words.kinds[kind], game.labels ?? {});
      };
      const shown = lane.kinds.filter((kind) => wanted.includes(kind) && (kind !== "tie" || counted.kinds.tie));
      if (lane.mean && !shown.length) {
        const kind = lane.key in page.colours ? lane.key : lane.kinds[0];
        return [{ kind, text: `${name(lane.kinds[0])}: ${meanOf(page, lane, counted, tally)}` }];
      }
      const average = wanted.includes("mean") && lane.mean ? [{ kind: "mean", text: `${page.words.kinds.mean}: ${meanOf(page, lane, counted, tally)}` }] : [];
      return [...average, ...shown.map((kind) => {
        const n = counted.kinds[kind];
        const { low, high } = evalkitStatistics.wilson(n, tally.draws);
        const ends = tally.draws < FEW ? "" : ` (${write(100 * low, 1)} to ${write(100 * high, 1)}\u00a0%)`;
        return { kind: lane.key in page.colours ? lane.key : kind, text: `${name(kind)}: ${write(n, 0)} of ${write(tally.draws, 0)}${ends}` };
      })];
    });
  }

  return { LATEST, FEW, SIDE, clamp, fill, write, emptyTally, count, binOf, edge, results, draw, chart, lawScales, cellsAt, readOut, tallied };
})();
