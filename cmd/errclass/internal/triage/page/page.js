// Shows the report that is in the page.
(function () {
  "use strict";
  const { element, svg, number, plural, chip, table } = pages;
  const byId = (id) => document.getElementById(id);
  const report = JSON.parse(byId("report").textContent);
  byId("report").remove();
  const categories = ["fatal", "retryable", "context_overflow", "timeout", "aborted"]; // as stacked, from the bottom up
  const rowsAtOnce = 100;

  // Times. Step number i begins at time(i), in milliseconds.
  const steps = report.steps, stepLength = (report.step_seconds || 1) * 1000, start = Date.parse(report.start || 0);
  const time = (i) => start + i * stepLength;
  function shown(t, seconds) {
    const s = new Date(t).toISOString().replace("T", " ");
    return s.slice(0, seconds === false ? 16 : 19);
  }
  const stepTime = (i) => stepLength >= 86400000 ? shown(time(i)).slice(0, 10) : shown(time(i), stepLength < 60000);

  function sum(series, from, to) {
    let n = 0;
    for (let i = Math.max(from - series.offset, 0); i < Math.min(to - series.offset, series.counts.length); i++) { n += series.counts[i]; }
    return n;
  }
  function add(values, series) {
    series.counts.forEach((n, i) => { values[series.offset + i] += n; });
  }
  report.counts = report.counts || [];
  report.files = report.files || [];
  for (const c of [...report.counts, ...report.groups]) { c.series.counts = c.series.counts || []; }
  for (const g of report.groups) {
    g.files = g.files || [];
    g.search = [g.template, g.category, g.reason, g.id, ...g.examples.map((e) => e.text), ...g.files.map((f) => f.name), ...(g.services || []).map((s) => s.name)]
      .join("\n").toLowerCase();
  }

  const state = { from: 0, to: steps, hidden: new Set(), reason: "", words: [], sort: "count", up: false, rows: rowsAtOnce };
  const whole = () => state.from === 0 && state.to === steps;
  const inRange = (g) => whole() ? g.count : sum(g.series, state.from, state.to);

  // Columns of the groups that can be sorted. The function returns what is compared.
  const columns = [
    { key: "count", name: "Errors", kind: "number", option: "most errors", value: (g) => g.n },
    { name: "Trend" },
    { key: "reason", name: "Category / reason", option: "category", value: (g) => categories.indexOf(g.category) + g.reason, text: true },
    { key: "template", name: "Template", option: "template", value: (g) => g.template, text: true },
    { key: "first", name: "First", kind: "number", option: "newest first time", value: (g) => Date.parse(g.first || 0) },
    { key: "last", name: "Last", kind: "number", option: "newest last time", value: (g) => Date.parse(g.last || 0) },
  ];

  // Returns a round number for the top of an axis.
  function top(most) {
    const magnitude = Math.pow(10, Math.floor(Math.log10(most || 1)));
    return Math.max(1, [1, 2, 3, 4, 5, 6, 8, 10].find((f) => f * magnitude >= most) * magnitude);
  }

  // Draws stacked bars of layers ({ name, values }) for the steps from to to-1. If
  // chosen is given, dragging over steps calls it.
  function draw(host, layers, from, to, height, chosen) {
    const width = Math.max(host.clientWidth, 280), left = 48, bottom = 20, head = 6, n = to - from;
    const totals = [];
    for (let i = from; i < to; i++) { totals.push(layers.reduce((t, l) => t + l.values[i], 0)); }
    const highest = Math.max(0, ...totals), scale = top(highest), bar = (width - left) / n, gap = bar > 4 ? 1 : 0;
    const x = (i) => left + (i - from) * bar, y = (v) => head + (1 - v / scale) * (height - head - bottom);
    const label = plural(totals.reduce((t, v) => t + v, 0), "error") + " from " + stepTime(from) + " to " + stepTime(to) +
      (highest > 0 ? ", most at " + stepTime(from + totals.indexOf(highest)) + ": " + number(highest) : "");
    const plot = svg("svg", { class: "plot" + (chosen ? " brush" : ""), viewBox: "0 0 " + width + " " + height, height, role: "img", "aria-label": label });
    for (const v of [...new Set([0, Math.round(scale / 2), scale])]) {
      plot.append(svg("line", { x1: left, x2: width, y1: y(v), y2: y(v) }),
        svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, number(v)));
    }
    const ticks = width < 600 ? 3 : 5, long = n * stepLength > 86400000 * 2;
    for (let k = 0; k < ticks; k++) {
      const i = from + n * k / (ticks - 1), t = shown(start + i * stepLength);
      plot.append(svg("text", { x: x(i), y: height - 4, "text-anchor": k === 0 ? "start" : k === ticks - 1 ? "end" : "middle" },
        long || k === 0 ? t.slice(5, 16) : n * stepLength > 1800000 ? t.slice(11, 16) : t.slice(11)));
    }
    const floor = totals.map(() => 0);
    for (const layer of layers) {
      let d = "";
      for (let i = from; i < to; i++) {
        const v = layer.values[i];
        if (v > 0) {
          const below = floor[i - from], high = Math.max(y(below) - y(below + v), .5);
          d += "M" + x(i).toFixed(1) + "," + y(below).toFixed(1) + "h" + (bar - gap).toFixed(1) + "v" + (-high).toFixed(1) + "h" + (gap - bar).toFixed(1) + "z";
          floor[i - from] += v;
        }
      }
      if (d) { plot.append(svg("path", { class: "part " + layer.name, d })); }
    }
    // What is under the pointer, and the brush.
    const brushed = svg("rect", { class: "brushed", y: head, height: height - head - bottom, width: 0, visibility: "hidden" });
    const tip = svg("title", {});
    plot.append(brushed, tip);
    const at = (event) => {
      const box = plot.getBoundingClientRect();
      const i = from + Math.floor(((event.clientX - box.left) * width / box.width - left) / bar);
      return Math.min(Math.max(i, from), to - 1);
    };
    let pressed = -1;
    plot.addEventListener("pointermove", (event) => {
      const i = at(event);
      tip.textContent = stepTime(i) + layers.filter((l) => l.values[i] > 0).map((l) => "\n" + l.name + ": " + number(l.values[i])).join("");
      if (pressed < 0) { return; }
      brushed.setAttribute("visibility", "visible");
      brushed.setAttribute("x", x(Math.min(pressed, i)));
      brushed.setAttribute("width", (Math.abs(i - pressed) + 1) * bar);
    });
    if (chosen) {
      plot.addEventListener("pointerdown", (event) => {
        if (event.button === 0) {
          pressed = at(event);
          plot.setPointerCapture(event.pointerId);
          event.preventDefault();
        }
      });
      plot.addEventListener("pointerup", (event) => {
        const i = at(event), first = pressed;
        pressed = -1;
        if (first >= 0 && i !== first) { chosen(Math.min(first, i), Math.max(first, i) + 1); }
      });
      plot.addEventListener("pointercancel", () => { pressed = -1; brushed.setAttribute("visibility", "hidden"); });
    }
    host.replaceChildren(plot);
  }

  // Draws again whenever the width of host changes.
  function keepDrawn(host, redraw) {
    let width = 0;
    new ResizeObserver(() => {
      if (host.clientWidth !== width && host.clientWidth > 0) { width = host.clientWidth; redraw(); }
    }).observe(host);
  }

  // The counts of the categories for each step, of what the filters let through.
  function layers() {
    const all = new Map(categories.map((c) => [c, new Array(steps).fill(0)]));
    for (const c of state.words.length ? report.groups : report.counts) {
      if (matches(c)) { add(all.get(c.category), c.series); }
    }
    return categories.map((name) => ({ name, values: all.get(name) }));
  }

  // Reports whether the filters let a group through. Without a search, it may also be a
  // count.
  const matches = (g) => !state.hidden.has(g.category) && (!state.reason || g.reason === state.reason) && state.words.every((w) => g.search.includes(w));

  function showChart() {
    for (const b of byId("legend").querySelectorAll("b")) {
      b.textContent = number(report.counts.reduce((n, c) => c.category === b.dataset.category ? n + inRange(c) : n, 0));
    }
    if (steps === 0) { return; }
    draw(byId("chart"), layers(), state.from, state.to, window.innerWidth < 600 ? 160 : 220, setRange);
    byId("range").textContent = whole() ? stepTime(0) + " – " + stepTime(steps) : "zoomed to " + stepTime(state.from) + " – " + stepTime(state.to);
    byId("whole").hidden = whole();
    for (const [id, i] of [["from", state.from], ["to", state.to]]) {
      byId(id).value = i;
      byId(id).setAttribute("aria-valuetext", stepTime(i));
    }
    showFigures();
  }

  function setRange(from, to) {
    state.from = Math.max(0, Math.min(from, steps - 1));
    state.to = Math.min(steps, Math.max(to, state.from + 1));
    state.rows = rowsAtOnce;
    show();
  }

  // Makes a button for each category. showChart writes the errors of the time range
  // into it.
  function makeLegend() {
    byId("legend").append(...categories.filter((c) => report.counts.some((one) => one.category === c)).map((c) => {
      const b = element("button", { type: "button", "aria-pressed": "true" }, element("span", { class: "chip " + c }, c), " ", element("b", { "data-category": c }));
      b.addEventListener("click", () => {
        const hide = !state.hidden.has(c);
        state.hidden[hide ? "add" : "delete"](c);
        b.setAttribute("aria-pressed", String(!hide));
        show();
      });
      return b;
    }));
  }

  // Fills the table of figures, if it is open.
  function showFigures() {
    if (!byId("figures").open) { return; }
    const all = layers().filter((l) => l.values.some((v) => v > 0)), rows = [];
    for (let i = state.from; i < state.to; i++) {
      if (all.some((l) => l.values[i] > 0)) {
        rows.push(element("tr", {}, element("td", {}, stepTime(i)), ...all.map((l) => element("td", { class: "number" }, number(l.values[i])))));
      }
    }
    byId("figures").lastElementChild.replaceChildren(table("Errors by time and category", [["From"], ...all.map((l) => [l.name, "number"])], rows));
  }

  // Returns bars of a series, as a small picture.
  function spark(g) {
    const bins = Math.min(40, state.to - state.from), values = [];
    for (let k = 0; k < bins; k++) {
      const at = (j) => state.from + Math.round((state.to - state.from) * j / bins);
      values.push(sum(g.series, at(k), at(k + 1)));
    }
    const most = Math.max(...values);
    return svg("svg", { class: "spark " + g.category, viewBox: "0 0 120 24", preserveAspectRatio: "none", "aria-hidden": "true" },
      ...values.map((v, k) => v > 0 && svg("rect", { x: k * 120 / bins, width: Math.max(120 / bins - .6, .8), y: 24 - Math.max(v / most * 24, 1), height: Math.max(v / most * 24, 1) })).filter(Boolean));
  }

  const share = (n, all) => all > 0 ? (n / all < .001 ? "< 0.1" : (100 * n / all).toFixed(1)) + " %" : "";
  const when = (t) => t ? shown(Date.parse(t)) : "";
  const oneDay = report.first && when(report.first).slice(0, 10) === when(report.last).slice(0, 10);
  const inTable = (t) => oneDay ? when(t).slice(11) : when(t);

  function showGroups() {
    const column = columns.find((c) => c.key === state.sort), found = [];
    let errors = 0;
    for (const g of report.groups) {
      g.n = matches(g) ? inRange(g) : 0;
      if (g.n > 0) { found.push(g); errors += g.n; }
    }
    const direction = (column.text ? 1 : -1) * (state.up ? -1 : 1);
    found.sort((a, b) => {
      const x = column.value(a), y = column.value(b);
      return direction * (x < y ? -1 : x > y ? 1 : 0) || b.n - a.n;
    });
    const all = report.groups.length;
    byId("status").textContent = (found.length === all ? plural(all, "group") : number(found.length) + " of " + plural(all, "group")) + ", " +
      (errors === report.events ? plural(errors, "error") : number(errors) + " of " + plural(report.events, "error")) + ".";
    const rows = found.slice(0, state.rows).map((g) => element("tr", {},
      element("td", { class: "number" }, number(g.n), element("span", { class: "share" }, share(g.n, errors))),
      element("td", {}, g.series.counts.length ? spark(g) : ""),
      element("td", {}, chip(g.category, g.reason)),
      element("td", { class: "template wide" }, element("a", { href: "#group/" + encodeURIComponent(g.id) }, g.template || "(no text)")),
      element("td", { class: "number" }, inTable(g.first)),
      element("td", { class: "number" }, inTable(g.last))));
    const made = table("Groups of errors", columns.map((c) => [c.name, c.kind]), rows);
    made.querySelectorAll("th").forEach((th, i) => {
      const c = columns[i];
      if (!c.key) { return; }
      const b = element("button", { type: "button" }, c.name);
      b.addEventListener("click", () => {
        sortBy(c.key, state.sort === c.key && !state.up);
        byId("groups").querySelectorAll("th")[i].firstElementChild.focus();
      });
      th.replaceChildren(b);
      if (c.key === state.sort) { th.setAttribute("aria-sort", direction < 0 ? "descending" : "ascending"); }
    });
    byId("groups").replaceChildren(found.length ? made : element("p", {}, report.events ? "No group matches. Clear the search or the time range." : "The logs have no errors."));
    byId("more").hidden = found.length <= state.rows;
    byId("more").textContent = "Show more (" + number(found.length - state.rows) + ")";
  }

  function sortBy(key, up) {
    state.sort = key;
    state.up = up;
    byId("sort").value = key;
    showGroups();
  }

  function show() {
    showChart();
    showGroups();
  }

  // Returns a template with its placeholders marked.
  const template = (text) => text.split(/(<(?:[a-z]+|\*)>)/).map((s, i) => i % 2 ? element("span", { class: "placeholder" }, s) : s);

  function fact(name, value) {
    return value === "" || value === undefined ? [] : [element("div", {}, element("dt", {}, name), element("dd", {}, value))];
  }

  function origins(title, list, more) {
    if (!list || list.length === 0) { return []; }
    const rows = list.map((o) => element("tr", {}, element("td", { class: "mono wide" }, o.name), element("td", { class: "number" }, number(o.count))));
    if (more > 0) { rows.push(element("tr", {}, element("td", { class: "wide" }, "others"), element("td", { class: "number" }, number(more)))); }
    return [element("h3", {}, title), table(title, [[title.replace(/s$/, "")], ["Errors", "number"]], rows)];
  }

  // Shows one group.
  function showGroup(g) {
    const advice = report.advice[g.reason] || {}, values = new Array(steps).fill(0);
    add(values, g.series);
    const host = element("div", {});
    const link = /^https:\/\//.test(advice.link || "") ? element("a", { href: advice.link, rel: "noreferrer" }, "More about " + g.reason) : "";
    const percent = Math.round(g.confidence * 100) + " %";
    byId("group").replaceChildren(
      element("section", { "aria-labelledby": "group-title" },
        element("div", { class: "bar" }, element("a", { href: "#", id: "back" }, "← All groups"), element("span", { class: "quiet mono" }, g.id)),
        element("p", {}, chip(g.category, g.reason)),
        element("h2", { id: "group-title", tabindex: "-1" }, ...template(g.template)),
        element("dl", { class: "facts" }, ...fact("Errors", number(g.count)), ...fact("Share", share(g.count, report.events)),
          ...fact("First", when(g.first)), ...fact("Last", when(g.last)), ...fact("Confidence", percent)),
        ...(g.series.counts.length ? [element("h3", {}, "Over time"), host] : [])),
      element("div", { class: "halves" },
        element("section", {}, element("h3", {}, "Examples"), ...g.examples.flatMap((e) => [
          element("p", { class: "quiet" }, [e.file + ":" + e.line, when(e.time), e.service].filter(Boolean).join(" · ")),
          element("pre", { tabindex: "0", "aria-label": "Example" }, e.text)]),
        ...origins("Files", g.files, g.files_more), ...origins("Services", g.services, g.services_more)),
        element("section", { class: "advice" }, element("h3", {}, "What to do"),
          element("p", {}, advice.meaning || ""),
          ...(advice.look_at_first ? [element("h4", {}, "Look at first"), element("ul", {}, ...advice.look_at_first.map((s) => element("li", {}, s)))] : []),
          element("p", {}, advice.do_not || ""),
          element("p", {}, link))));
    if (g.series.counts.length) {
      keepDrawn(host, () => draw(host, [{ name: g.category, values }], 0, steps, 140));
    }
  }

  let opened = ""; // the id of the group that was open last
  // Shows what the address names: a group, or the list.
  function route() {
    const id = location.hash.startsWith("#group/") ? decodeURIComponent(location.hash.slice("#group/".length)) : "";
    const g = report.groups.find((one) => one.id === id);
    byId("list").hidden = Boolean(g);
    byId("group").hidden = !g;
    document.title = g ? g.reason + ": " + g.template.slice(0, 80) : byId("title").textContent;
    if (g) {
      opened = id;
      showGroup(g);
      window.scrollTo(0, 0);
      byId("group-title").focus();
    } else if (opened) {
      byId("group").replaceChildren();
      const link = byId("groups").querySelector('a[href="#group/' + CSS.escape(encodeURIComponent(opened)) + '"]');
      opened = "";
      if (link) { link.focus(); }
    }
  }

  // The parts that stay as they are.
  function setUp() {
    byId("title").textContent = report.events ? plural(report.events, "error") + " in " + plural(report.groups.length + report.unlisted.groups, "group") : "No errors";
    const files = report.files.length === 1 ? report.files[0] : plural(report.files.length, "file");
    byId("scope").textContent = plural(report.lines, "line") + " of " + (files === "-" ? "standard input" : files) + (report.first ? ", " + when(report.first) + " – " + when(report.last) : "");
    const notes = (report.problems || []).map((p) => p.file + ": " + p.problem);
    if (report.rest) { notes.push(plural(report.rest.events, "error") + " are in no group: there are more than " + plural(report.rest.bound, "group") + "."); }
    if (report.unlisted.groups) { notes.push(plural(report.unlisted.groups, "rare group") + " with " + plural(report.unlisted.events, "error") + " are not on this page. errclass triage --format json has them."); }
    if (report.no_time) { notes.push(plural(report.no_time, "error") + " have no time, so the chart does not show them."); }
    if (report.too_long) { notes.push(plural(report.too_long, "line") + " were too long to read."); }
    byId("notes").replaceChildren(...notes.map((n) => element("li", {}, n)));
    byId("notes").hidden = notes.length === 0;

    const reasons = [...new Set(report.counts.map((c) => c.reason))].sort();
    byId("reason").append(...reasons.map((r) => element("option", { value: r }, r)));
    byId("sort").append(...columns.filter((c) => c.key).map((c) => element("option", { value: c.key }, c.option)));
    byId("reason").addEventListener("change", () => { state.reason = byId("reason").value; state.rows = rowsAtOnce; show(); });
    byId("sort").addEventListener("change", () => sortBy(byId("sort").value, false));
    let timer;
    byId("search").addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        state.words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
        state.rows = rowsAtOnce;
        show();
      }, 120);
    });
    byId("more").addEventListener("click", () => { state.rows += rowsAtOnce; showGroups(); });
    byId("figures").addEventListener("toggle", showFigures);
    byId("whole").addEventListener("click", () => { setRange(0, steps); byId("from").focus(); });
    for (const id of ["from", "to"]) {
      byId(id).max = steps;
      byId(id).addEventListener("input", () => {
        const from = Number(byId("from").value), to = Number(byId("to").value);
        if (id === "from") { setRange(Math.min(from, to - 1), to); } else { setRange(from, Math.max(to, from + 1)); }
      });
    }
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !byId("list").hidden && !whole()) { setRange(0, steps); }
    });
    if (steps < 2) {
      byId("limits").hidden = true;
      if (steps === 0) { byId("chart").append(element("p", { class: "quiet" }, "The errors have no times.")); }
    }
    byId("figures").hidden = steps === 0;
  }

  setUp();
  makeLegend();
  show();
  keepDrawn(byId("chart"), showChart);
  window.addEventListener("hashchange", route);
  route();
})();
