// A metric over two axes of a study; where other axes are left open, the best point of each cell.
import { controlBar, select, statusLine } from "../controls.js";
import { number, textWidth } from "../format.js";

const STEPS = 7;
const BEST = "";

const better = (metric) => (a, b) => (metric.more_is_better ? b - a : a - b);

function cells(rows, choice) {
  const best = new Map();
  for (const row of rows) {
    const value = row[choice.metric.key];
    if (value === undefined || choice.fixed.some(([key, wanted]) => wanted !== BEST && row[key] !== wanted)) continue;
    const place = JSON.stringify([row[choice.x.key], row[choice.y.key]]);
    const present = best.get(place);
    if (!present || better(choice.metric)(value, present.value) < 0) best.set(place, { ...row, x: row[choice.x.key], y: row[choice.y.key], value });
  }
  return [...best.values()];
}

function specification(rows, choice, width) {
  const data = cells(rows, choice);
  const { metric } = choice;
  const values = data.map((cell) => cell.value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = (value) => (high > low ? Math.min(STEPS - 1, Math.floor(((value - low) / (high - low)) * STEPS)) : STEPS - 1);
  data.forEach((cell) => {
    cell.step = metric.more_is_better ? step(cell.value) : STEPS - 1 - step(cell.value);
    cell.text = number(cell.value);
    cell.strong = cell.step >= 4;
  });
  const names = Math.min(200, Math.max(...choice.y.values.map((v) => textWidth(v))) + 16);
  const roomy = (width - names) / choice.x.values.length > Math.max(...data.map((cell) => textWidth(cell.text))) + 8;
  const x = { field: "x", type: "nominal", sort: choice.x.values, title: choice.x.title, scale: { domain: choice.x.values, padding: 0 }, axis: { labelAngle: roomy && choice.x.values.every((v) => textWidth(v) < (width - names) / choice.x.values.length) ? 0 : -40, orient: "bottom", labelColor: "var(--ink)", grid: false } };
  const y = { field: "y", type: "nominal", sort: choice.y.values, title: choice.y.title, scale: { domain: choice.y.values, padding: 0 }, axis: { labelColor: "var(--ink)", labelLimit: names, grid: false } };
  const tooltip = [{ field: "x", title: choice.x.title }, { field: "y", title: choice.y.title }, { field: "text", title: `${metric.title}${metric.unit ? `, ${metric.unit}` : ""}` }, { field: "index", title: "point" }, { field: "limiter", title: "limited by" }];
  const colours = Array.from({ length: STEPS }, (_, i) => `var(--heat-${i})`);
  const color = { field: "step", type: "ordinal", scale: { domain: [...colours.keys()], range: colours }, legend: null };
  const layer = [{ mark: { type: "rect", stroke: "var(--paper)", strokeWidth: 2 }, encoding: { x, y, color, tooltip } }];
  if (roomy)
    layer.push({ mark: { type: "text" }, encoding: { x, y, text: { field: "text" }, color: { field: "strong", type: "nominal", scale: { domain: [false, true], range: ["var(--heat-ink-low)", "var(--heat-ink-high)"] }, legend: null } } });
  return { data: { values: data }, height: 34 * choice.y.values.length, layer, resolve: { scale: { color: "independent" } } };
}

export function heatmap({ rows, options, figure, redraw }) {
  const { axes, metrics } = options;
  const varied = axes.filter((axis) => axis.values.length > 1);
  const choice = { x: varied.at(-1) ?? axes[0], y: varied[0] ?? axes[0], metric: metrics[0], open: new Map() };
  if (choice.x === choice.y && axes.length > 1) choice.y = axes.find((axis) => axis !== choice.x);
  const bar = controlBar(figure);
  const status = statusLine(figure);
  const rebuild = () => {
    choice.fixed = axes.filter((axis) => axis !== choice.x && axis !== choice.y).map((axis) => [axis.key, choice.open.get(axis.key) ?? BEST]);
    bar.replaceChildren();
    const named = axes.map((axis) => [axis.key, axis.title]);
    const pick = (key) => axes.find((axis) => axis.key === key);
    select(bar, "Colour", metrics.map((m) => [m.key, m.title + (m.unit ? `, ${m.unit}` : "")]), choice.metric.key, (key) => change(() => (choice.metric = metrics.find((m) => m.key === key)), "Colour"));
    select(bar, "across", named, choice.x.key, (key) => change(() => (choice.x = pick(key)), "across"));
    select(bar, "down", named, choice.y.key, (key) => change(() => (choice.y = pick(key)), "down"));
    for (const axis of varied.filter((a) => a !== choice.x && a !== choice.y))
      select(bar, axis.title, [[BEST, "best"], ...axis.values.map((v) => [v, v])], choice.open.get(axis.key) ?? BEST, (value) => change(() => choice.open.set(axis.key, value), axis.title));
    const best = cells(rows, choice).sort((a, b) => better(choice.metric)(a.value, b.value))[0];
    status.textContent = best ? `The stronger the colour, the better. Best shown: ${number(best.value)} ${choice.metric.unit} at point ${best.index} (${axes.map((axis) => `${axis.title} ${best[axis.key]}`).join(", ")}).` : "No point has this metric.";
  };
  const change = (apply, label) => {
    apply();
    rebuild();
    // The selects are new; the reader stays on the one that was used.
    [...bar.querySelectorAll("label")].find((l) => l.firstChild.textContent.trim() === label)?.querySelector("select").focus();
    redraw();
  };
  rebuild();
  return (width) => (cells(rows, choice).length > 0 ? specification(rows, choice, width) : undefined);
}
