// Draws every figure of the page from the rows of its table, and makes the page's controls work.
import { bars } from "./charts/bars.js";
import { busbw } from "./charts/busbw.js";
import { heatmap } from "./charts/heatmap.js";
import { pairs } from "./charts/pairs.js";
import { pareto } from "./charts/pareto.js";
import { bandwidths, roofline } from "./charts/roofline.js";
import { shares } from "./charts/shares.js";
import { tornado } from "./charts/tornado.js";
import { waterfall, way } from "./charts/waterfall.js";
import { draw } from "./draw.js";
import { addFilter } from "./tables.js";
import { addThemeChoice } from "./theme.js";

// By name: functions of {rows, options, width} that give specifications, one a plot.
const CHARTS = {
  bars: [bars], busbw: [busbw], pairs: [pairs], roofline: [roofline, bandwidths], shares: [shares],
  steps: [way], tornado: [tornado], waterfall: [waterfall],
};
// With controls of their own: they are set up once, and then give specifications by width.
const INTERACTIVE = { heatmap, pareto };

const json = (id) => JSON.parse(document.getElementById(id).textContent);

function plotsOf(figure, count) {
  const first = figure.querySelector(".plot");
  const plots = [first];
  while (plots.length < count) {
    const plot = first.cloneNode(true);
    plots.at(-1).after(plot);
    plots.push(plot);
  }
  return plots;
}

function start(figure) {
  const rows = json(figure.dataset.rows);
  const options = json(figure.id.replace(/-chart$/, "-options"));
  const name = figure.dataset.chart;
  let makers;
  const plots = plotsOf(figure, CHARTS[name]?.length ?? 1);
  const redraw = () => Promise.all(makers.map(async (make, i) => {
    const width = figure.clientWidth;
    const specification = make(width);
    plots[i].hidden = specification === undefined;
    if (specification) await draw(plots[i], specification);
  }));
  makers = INTERACTIVE[name] ? [INTERACTIVE[name]({ rows, options, figure, redraw: () => redraw() })] : CHARTS[name].map((chart) => (width) => chart({ rows, options, width }));
  let drawn = figure.clientWidth;
  new ResizeObserver(() => {
    if (figure.clientWidth === drawn || figure.clientWidth === 0 || matchMedia("print").matches) return;
    drawn = figure.clientWidth;
    redraw();
  }).observe(figure);
  return redraw();
}

// Closed details would print nothing: charts' data are printed too.
function printDetails() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open]):not(.licences)")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

// A link to a table inside closed details opens them.
function openLinked() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}

addThemeChoice(document.querySelector(".theme"));
document.querySelectorAll("table[data-filter]").forEach(addFilter);
addEventListener("hashchange", openLinked);
openLinked();
printDetails();
Promise.all([...document.querySelectorAll("figure.chart")].map(start)).then(() => {
  document.documentElement.dataset.charts = "drawn";
});
