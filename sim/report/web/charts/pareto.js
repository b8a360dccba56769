// Two metrics against each other, with the front of points that none beats in both.
import { controlBar, select, statusLine } from "../controls.js";
import { number } from "../format.js";
import { nameLayers, placeNames } from "./labels.js";

const title = (metric) => metric.title + (metric.unit ? `, ${metric.unit}` : "");

// The points that no other beats in one metric without being worse in the other; by x.
function frontOf(points, x, y) {
  const gain = (metric, point) => (metric.more_is_better ? 1 : -1) * point[metric.key];
  const sorted = [...points].sort((a, b) => gain(x, b) - gain(x, a) || gain(y, b) - gain(y, a));
  const front = [];
  let best = -Infinity;
  for (const point of sorted) {
    if (gain(y, point) <= best) continue;
    best = gain(y, point);
    front.push(point);
  }
  return front.sort((a, b) => a[x.key] - b[x.key]);
}

// Where a point lies between the least and the greatest, 0 to 1.
function place(points, metric, point) {
  const values = points.map((p) => p[metric.key]);
  const least = Math.min(...values);
  return (point[metric.key] - least) / (Math.max(...values) - least || 1);
}

function nameOf(row, axes) {
  return axes.map((axis) => `${axis.title} ${row[axis.key]}`).join(", ");
}

function specification(rows, { x, y }, axes, width) {
  const points = rows.filter((row) => row[x.key] !== undefined && row[y.key] !== undefined).map((row) => ({ ...row, what: nameOf(row, axes), short: row.index === undefined ? row.layout : `#${row.index}` }));
  if (points.length === 0) return undefined;
  const front = frontOf(points, x, y);
  const on = new Set(front);
  const quantitative = (metric) => ({ field: metric.key, type: "quantitative", title: title(metric), scale: { zero: false, padding: 14 }, axis: { tickCount: width < 620 ? 4 : 7 } });
  const encoding = { x: quantitative(x), y: quantitative(y) };
  const tooltip = [{ field: "short", title: "point" }, { field: "what", title: "is" }, { field: x.key, title: title(x), format: ",.2f" }, { field: y.key, title: title(y), format: ",.2f" }, { field: "limiter", title: "limited by" }];
  // From one point of the front one goes on in x before y changes: what lies between is not on offer.
  const interpolate = x.more_is_better ? "step-before" : "step-after";
  const spaced = front.filter((point, i) => i === 0 || Math.abs(point[x.key] - front[i - 1][x.key]) > 0);
  const height = width < 620 ? 300 : 360;
  const named = placeNames(front.map((p) => ({ ...p, text: p.short, x: 30 + place(points, x, p) * (width - 90), y: (1 - place(points, y, p)) * height })), width, { places: 2 });
  return {
    height,
    layer: [
      { data: { values: points.filter((p) => !on.has(p)) }, mark: { type: "point", filled: true, size: 44, opacity: 0.55, color: "var(--ink-3)" }, encoding: { ...encoding, tooltip } },
      { data: { values: spaced }, mark: { type: "line", interpolate, strokeWidth: 1.5, color: "var(--accent)" }, encoding },
      { data: { values: front }, mark: { type: "point", filled: true, size: 80, color: "var(--accent)" }, encoding: { ...encoding, tooltip } },
      ...nameLayers(named, encoding),
    ],
  };
}

export function pareto({ rows, options, figure, redraw }) {
  const { axes, metrics } = options;
  const byName = (...names) => names.map((name) => metrics.find((m) => m.name === name)).find(Boolean);
  const choice = { y: byName("tokens_per_s_per_chip", "tokens_per_s") ?? metrics[0], x: byName("hbm_gib", "hbm_bytes", "chips") ?? metrics.at(-1) };
  const bar = controlBar(figure);
  const status = statusLine(figure);
  const choices = metrics.map((m) => [m.key, title(m)]);
  const say = () => {
    const front = frontOf(rows.filter((row) => row[choice.x.key] !== undefined && row[choice.y.key] !== undefined), choice.x, choice.y);
    status.textContent = `On the front: ${front.map((row) => `${row.index === undefined ? "" : `#${row.index} `}${nameOf(row, axes)} (${number(row[choice.y.key])} at ${number(row[choice.x.key])})`).join("; ")}.`;
  };
  for (const [label, side] of [["Vertical", "y"], ["horizontal", "x"]])
    select(bar, label, choices, choice[side].key, (key) => {
      choice[side] = metrics.find((m) => m.key === key);
      say();
      redraw();
    });
  say();
  return (width) => specification(rows, choice, axes, width);
}
