// Draws the panels over time, which the template cannot do.
(function () {
  "use strict";
  var units = { s: 1, m: 60, h: 3600, d: 86400 };
  var range = parseInt(document.body.dataset.range, 10) * units[document.body.dataset.range.slice(-1)];
  var step = Math.max(1, Math.ceil(range / 120));
  var end = Math.floor(Date.now() / 1000 / step) * step, start = end - range;
  var states = document.body.dataset.states.split(" ");
  var width = 700, height = 200, left = 34, bottom = 20;

  function element(name, attributes, children) {
    var svg = ["svg", "path", "line", "rect", "text", "title"].indexOf(name) >= 0;
    var e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    Object.keys(attributes || {}).forEach(function (k) { e.setAttribute(k, attributes[k]); });
    (children || []).forEach(function (c) { e.append(c); });
    return e;
  }

  function named(legend, labels) {
    return legend.replace(/\$(\w+)/g, function (_, label) { return labels[label] || ""; });
  }

  // Returns the values of a series by step, undefined for missing ones.
  function steps(series) {
    var values = [];
    series.values.forEach(function (v) { values[Math.round((v[0] - start) / step)] = Number(v[1]); });
    return values;
  }

  function clock(seconds) {
    var d = new Date(seconds * 1000), two = function (n) { return (n < 10 ? "0" : "") + n; };
    var time = two(d.getHours()) + ":" + two(d.getMinutes()) + (range < 600 ? ":" + two(d.getSeconds()) : "");
    return range > 86400 ? d.getDate() + "." + (d.getMonth() + 1) + ". " + time : time;
  }

  // Returns a round number for the top of an axis.
  function top(most) {
    var magnitude = Math.pow(10, Math.floor(Math.log10(most || 1)));
    return magnitude * [1, 2, 3, 4, 6, 8, 10].find(function (f) { return f * magnitude >= most; });
  }

  function area(chart, result) {
    var order = chart.dataset.order.split(" "), count = Math.round(range / step) + 1;
    var series = result.map(function (r) {
      return { name: named(chart.dataset.legend, r.metric), rank: order.indexOf(r.metric[chart.dataset.colour]), values: steps(r) };
    }).sort(function (a, b) { return a.rank - b.rank; });
    var known = [], base = [];
    for (var i = 0; i < count; i++) {
      base[i] = 0;
      if (series.some(function (s) { return s.values[i] !== undefined; })) { known.push(i); }
    }
    series.forEach(function (s) {
      s.floor = base.slice();
      known.forEach(function (i) { base[i] += s.values[i] || 0; });
      s.ceiling = base.slice();
    });
    var most = top(Math.max.apply(null, base));
    function x(i) { return left + i * (width - left) / (count - 1); }
    function y(v) { return 6 + (1 - v / most) * (height - 6 - bottom); }

    var svg = element("svg", { viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": chart.previousElementSibling.textContent });
    [0, most / 2, most].forEach(function (v) {
      svg.append(element("line", { x1: left, x2: width, y1: y(v), y2: y(v) }),
        element("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, [String(Number(v.toPrecision(3)))]));
    });
    [0, .25, .5, .75, 1].forEach(function (f) {
      svg.append(element("text", { x: left + f * (width - left), y: height - 3, "text-anchor": f === 0 ? "start" : f === 1 ? "end" : "middle" },
        [clock(start + f * range)]));
    });
    var key = element("div", { "class": "key" });
    series.forEach(function (s) {
      if (s.values.some(function (v) { return v > 0; })) {
        var up = known.map(function (i) { return x(i) + "," + y(s.ceiling[i]); });
        var down = known.map(function (i) { return x(i) + "," + y(s.floor[i]); }).reverse();
        svg.append(element("path", { "class": "c-" + order[s.rank], d: "M" + up.concat(down).join("L") + "Z" }, [element("title", {}, [s.name])]));
      }
      s.figure = element("b");
      key.append(element("span", { "class": "c-" + order[s.rank] }, [element("i"), s.name, s.figure]));
    });
    // The key shows the values at the pointer, or the last ones.
    function show(i) { series.forEach(function (s) { s.figure.textContent = (s.values[i] || 0).toFixed(1); }); }
    show(known[known.length - 1]);
    svg.onmousemove = function (event) {
      var box = svg.getBoundingClientRect();
      show(Math.round(((event.clientX - box.left) / box.width * width - left) / (width - left) * (count - 1)));
    };
    svg.onmouseleave = function () { show(known[known.length - 1]); };
    chart.append(svg, key);
  }

  function timeline(chart, result) {
    result.forEach(function (r) {
      var values = steps(r), count = Math.round(range / step) + 1, name = named(chart.dataset.legend, r.metric);
      var svg = element("svg", { viewBox: "0 0 " + count + " 1", preserveAspectRatio: "none" });
      for (var i = 0, from = 0; i <= count; i++) {
        if (i === count || values[i] !== values[from]) {
          if (values[from] !== undefined) {
            svg.append(element("rect", { "class": "c-" + states[values[from]], x: from, width: i - from, height: 1 }, [element("title", {}, [states[values[from]]])]));
          }
          from = i;
        }
      }
      var now = states[r.values[r.values.length - 1][1]];
      chart.append(element("div", { "class": "strip c-" + now }, [
        element("span", { title: name }, [name]), svg, element("span", {}, [element("i"), now.replace("_", "-")])]));
    });
  }

  async function draw(chart) {
    var query = chart.dataset.expr.replaceAll("$window", Math.max(60, 4 * step) + "s");
    try {
      var response = await fetch(document.body.dataset.api + "?" + new URLSearchParams({ query: query, start: start, end: end, step: step }));
      var answer = await response.json();
      if (answer.status !== "success") { throw new Error(answer.error); }
      if (answer.data.result.length === 0) {
        chart.append(element("p", { "class": "none" }, ["nothing in the last " + document.body.dataset.range]));
        return;
      }
      (chart.dataset.kind === "area" ? area : timeline)(chart, answer.data.result);
    } catch (error) {
      chart.append(element("p", { "class": "none" }, ["cannot be drawn: " + error.message]));
    }
  }

  Promise.all(Array.from(document.querySelectorAll(".chart"), draw)).then(function () { document.body.dataset.drawn = "true"; });
})();
