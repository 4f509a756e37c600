// What the pages share.
const pages = (function () {
  "use strict";
  // Returns an element. Strings become text nodes, never markup. Attributes that are
  // undefined or false are left out.
  function make(e, attributes, children) {
    for (const [k, v] of Object.entries(attributes || {})) {
      if (v !== undefined && v !== false) { e.setAttribute(k, v === true ? "" : v); }
    }
    e.append(...children);
    return e;
  }
  const element = (name, attributes, ...children) => make(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => make(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

  const number = (n) => n.toLocaleString("en");
  const plural = (n, one) => number(n) + " " + one + (n === 1 ? "" : "s");
  const chip = (category, reason) => element("span", { class: "chip " + category }, category + " / " + reason);

  // Returns a table with a heading row. Columns are [name, class]. In a narrow window,
  // the style sheet does not lay out rows as rows, and screen readers would not find
  // rows and cells. So the elements have explicit roles.
  function table(label, columns, rows) {
    const heads = columns.map(([name, kind]) => element("th", { scope: "col", class: kind, role: "columnheader" }, name));
    for (const row of rows) {
      row.setAttribute("role", "row");
      for (const cell of row.children) { cell.setAttribute("role", "cell"); }
    }
    return element("div", { class: "scroll" }, element("table", { class: "cards", "aria-label": label, role: "table" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)), element("tbody", { role: "rowgroup" }, ...rows)));
  }
  return { element, svg, number, plural, chip, table };
})();
