// Two values a row.
import { withUnit } from "../format.js";

export function pairs({ rows, options, width }) {
  const narrow = width < 620;
  const sides = [["a", options.a], ["b", options.b]];
  const same = options.a === options.b ? (side, key) => `${side} (${key})` : (side) => side;
  const data = rows.flatMap((row) => sides.map(([key, side]) => ({ name: row[options.name], side: same(side, key), value: row[key], label: withUnit(row[key], options.unit) })));
  const order = rows.map((row) => row[options.name]);
  const y = { field: "name", type: "nominal", sort: order, title: null, scale: { paddingInner: 0.3 }, axis: { grid: false, labelColor: "var(--ink)", labelLimit: narrow ? 120 : 280, labelPadding: 10 } };
  const names = sides.map(([key, side]) => same(side, key));
  const most = Math.max(...data.map((row) => row.value));
  const x = { field: "value", type: "quantitative", title: options.unit, axis: { tickCount: narrow ? 3 : 7 }, scale: { domain: [0, most * (narrow ? 1.6 : 1.15)], nice: false } };
  const yOffset = { field: "side", type: "nominal", sort: names };
  const color = { field: "side", type: "nominal", sort: names, scale: { domain: names, range: ["var(--c1)", "var(--c2)"] }, legend: { title: null, symbolType: "square" } };
  const tooltip = [{ field: "name", title: "part" }, { field: "side", title: "of" }, { field: "label", title: "time" }];
  return {
    data: { values: data }, height: { step: 18, for: "offset" },
    layer: [
      { mark: { type: "bar" }, encoding: { x, y, yOffset, color, tooltip } },
      { mark: { type: "text", align: "left", dx: 5 }, encoding: { x, y, yOffset, text: { field: "label" } } },
    ],
  };
}
