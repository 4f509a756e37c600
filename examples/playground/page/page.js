// Shows what errclass answers about the text in the page. The page loads nothing
// and sends nothing: its policy (connect-src 'none') lets the browser refuse it.
(function () {
  "use strict";
  const meanings = {
    retryable: "The same call may succeed later.",
    context_overflow: "Shrink the model's input, then call again.",
    fatal: "Repeating the call will not help. A person or the code must change something.",
    timeout: "This program's own deadline or watchdog ended the call.",
    aborted: "The caller cancelled.",
  };
  const reasons = "https://github.com/errclass/errclass/blob/main/docs/reasons.md#";

  const { element, number, plural, chip, table } = pages;
  const byId = (id) => document.getElementById(id);
  const { examples, first } = JSON.parse(byId("data").textContent);
  const text = byId("text"), as = byId("as"), status = byId("status"), groups = byId("groups"), explanation = byId("explanation");

  let classifier; // two functions of the WebAssembly, once it runs
  let missing = "Loading…"; // why there is no classifier

  function answer() {
    explanation.hidden = groups.hidden = true;
    if (!classifier) { status.textContent = missing; return; }
    show(JSON.parse(classifier.answer(text.value, as.value)));
  }

  function show(a) {
    status.textContent = found(a);
    if (a.as === "log" && a.groups.length > 0) { showGroups(a); }
    if (a.groups.length > 0) { explain(a.groups[0]); }
  }

  // Returns what was found, for the line above the answer.
  function found(a) {
    let said = "Paste a text to see what it means.";
    if (a.as === "log") {
      const n = a.groups.length;
      said = a.errors === 0 ? "No errors in " + plural(a.lines, "line") + "." :
        plural(a.errors, "error") + " in " + plural(a.lines, "line") + ", in " + plural(n, "group") + ".";
      if (a.rest > 0) { said += " " + plural(a.rest, "error") + " in more groups are not shown."; }
    } else if (a.groups.length > 0) {
      said = "Read as one error" + (a.lines > 1 ? " of " + plural(a.lines, "line") : "") + ".";
    }
    if (a.unread > 0) { said += " The last " + plural(a.unread, "byte") + " were not read."; }
    return said;
  }

  function clock(group) {
    if (!group.first) { return ""; }
    const short = (t) => t.replace("T", " ").replace(/\.\d+/, "").replace("Z", "");
    const first = short(group.first), last = short(group.last);
    return first === last ? first : first + " – " + (first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last);
  }

  function showGroups(a) {
    const rows = [];
    a.groups.forEach((g, i) => {
      const open = element("button", { type: "button" }, g.template);
      const row = element("tr", { "aria-current": i === 0 && "true" },
        element("td", { class: "number" }, number(g.count)),
        element("td", {}, chip(g.category, g.reason)),
        element("td", { class: "wide" }, open),
        element("td", { class: "number" }, g.first_line === g.last_line ? "line " + g.first_line : "lines " + g.first_line + "–" + g.last_line),
        element("td", { class: "number" }, clock(g)));
      open.addEventListener("click", () => {
        rows.forEach((r) => r.removeAttribute("aria-current"));
        row.setAttribute("aria-current", "true");
        explain(g);
      });
      rows.push(row);
    });
    groups.replaceChildren(table("Groups of errors",
      [["Errors", "number"], ["Category / reason"], ["Template"], ["Lines", "number"], ["Time", "number"]], rows));
    groups.hidden = false;
  }

  // Returns what the policy of the reason is, in words.
  function policy(x) {
    const said = [];
    if (x.category === "retryable" && x.calls > 1) { said.push("Up to " + x.calls + " calls in all, with growing pauses" + (x.retry_after ? ", the first after " + x.retry_after : "") + "."); }
    if (x.retry === "corrective") { said.push("One more call may tell the model what was wrong."); }
    if (x.fallback === "yes") { said.push("Another provider may take the call."); }
    return said;
  }

  // Shows why a group has its category. Only a group that was built in brings an
  // explanation.
  function explain(group) {
    const x = group.explanation || JSON.parse(classifier.explain(JSON.stringify(group.example)));
    const percent = Math.round(x.confidence * 100);
    const parts = [
      element("div", { class: "verdict" }, chip(x.category, x.reason)),
      element("div", { class: "confidence " + x.category },
        element("span", {}, "confidence "), element("span", { class: "track", "aria-hidden": "true" }, bar(percent)), element("b", {}, percent + " %"),
        element("span", {}, "decided by "), element("code", {}, x.rule)),
      element("p", {}, [meanings[x.category], ...policy(x)].join(" ") + " ",
        element("a", { href: reasons + x.reason, rel: "noreferrer" }, "What to do about " + x.reason)),
      element("pre", { tabindex: "0", "aria-label": "The text, with what decided marked" }, ...x.text.map(piece)),
      key(x),
    ];
    if (x.status && !x.signals.some((s) => s.decided && s.text)) { parts.push(element("p", { class: "quiet" }, "HTTP status " + x.status + " of the record")); }
    if (x.signals.length > 0) { parts.push(element("h3", {}, "What matched"), signals(x)); }
    if (x.model) { parts.push(element("p", { class: "quiet model" }, model(x.model))); }
    if (x.omitted) { parts.push(element("p", { class: "quiet" }, "Not read: " + x.omitted.join(", "))); }
    explanation.replaceChildren(...parts);
    explanation.hidden = false;
  }

  function bar(percent) {
    const i = element("i");
    i.style.width = percent + "%";
    return i;
  }

  function piece(p) {
    return p.mark ? element(p.mark === "gap" ? "span" : "mark", { class: p.mark }, p.text) : p.text;
  }

  function key(x) {
    const said = { decided: "decided", lost: "matched, but did not decide", word: "weighs most in the model's answer" };
    const marks = new Set(x.text.map((p) => p.mark));
    return element("div", { class: "key", "aria-hidden": "true" },
      ...Object.keys(said).filter((m) => marks.has(m)).map((m) => element("span", {}, element("mark", { class: m }, said[m]))));
  }

  function signals(x) {
    const rows = x.signals.map((s) => element("tr", { class: s.decided && "won" },
      element("td", {}, s.rule),
      element("td", {}, s.reason || "–"),
      element("td", {}, s.strength || "–"),
      element("td", { class: "match wide" }, s.text.length > 80 ? s.text.slice(0, 80) + "…" : s.text || "–"),
      element("td", { class: "wide" }, s.outcome)));
    return table("What matched", [["Rule"], ["Reason"], ["Strength"], ["Matched"], ["Outcome"]], rows);
  }

  function model(m) {
    const percent = (p) => Math.round(p * 100) + " %";
    return "The model says " + m.reason + " (" + percent(m.probability) + "), then " + m.runner_up + " (" + percent(m.runner_up_probability) + ")" +
      (m.words.length ? "; the words that weigh most: " + m.words.join(", ") : "") + ".";
  }

  async function load() {
    const ready = new Promise((resolve) => {
      window.errclassReady = (answer, explain) => resolve({ answer, explain });
    });
    const encoded = atob(byId("wasm").textContent);
    const compressed = new Uint8Array(encoded.length);
    for (let i = 0; i < encoded.length; i++) { compressed[i] = encoded.charCodeAt(i); }
    byId("wasm").remove();
    const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const go = new window.Go();
    go.env = { GOGC: "400" }; // fewer collections while it starts
    const { instance } = await WebAssembly.instantiateStreaming(
      new Response(stream, { headers: { "Content-Type": "application/wasm" } }), go.importObject);
    go.run(instance).then(() => { status.textContent = "The classifier has ended. Reload the page."; });
    classifier = await ready;
  }

  let timer;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(answer, text.value.length > 20000 ? 400 : 60);
  }

  for (const example of examples) {
    const b = element("button", { type: "button" }, example.name);
    b.addEventListener("click", () => { text.value = example.text; as.value = "auto"; answer(); });
    byId("examples").append(b);
  }
  text.addEventListener("input", later);
  as.addEventListener("change", answer);

  // The page brings the answer for the first example, and shows it before the
  // WebAssembly at its end has arrived.
  text.value = examples[0].text;
  show(first);
  performance.mark("first-answer");
  document.addEventListener("DOMContentLoaded", () => {
    load().then(() => {
      answer();
      performance.mark("ready");
    }, (err) => { status.textContent = missing = "The classifier does not load: " + err; });
  });
})();
