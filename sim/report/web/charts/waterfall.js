// From ideal to real: every part begins where the one before ends; the last row is the sum.
import { signed, withUnit } from "../format.js";
import { rowChart } from "./rows.js";

export function waterfall({ rows, options, width }) {
  const { name, value, share, unit } = options;
  let at = 0;
  const data = rows.map((row, i) => {
    const total = i === rows.length - 1;
    const from = total ? 0 : at;
    at = total ? at : at + row[value];
    return {
      name: row[name], from, to: from + row[value], kind: total ? "total" : i === 0 ? "first" : "part",
      labels: [withUnit(row[value], unit), `${row[share].toFixed(1)} %`],
    };
  });
  return steps(data, width, unit, [0, Math.max(...data.map((row) => row.to))]);
}

// From A to B by parts that add or take away.
export function way({ rows, options, width }) {
  const { name, value, unit } = options;
  let at = 0;
  const data = rows.map((row, i) => {
    const total = i === 0 || i === rows.length - 1;
    const from = total ? 0 : at;
    at = total ? row[value] : at + row[value];
    const better = row[value] > 0 === options.more_is_better;
    return {
      name: row[name], from, to: at, kind: total ? "total" : better ? "first" : "part",
      labels: [total ? withUnit(row[value], unit) : signed(row[value], unit)],
    };
  });
  const all = data.flatMap((row) => [row.from, row.to]);
  return steps(data, width, unit, [Math.min(0, ...all), Math.max(...all)]);
}

function steps(data, width, unit, domain) {
  const tooltip = [
    { field: "name", title: "part" },
    { field: "label0", title: "size" },
    { field: "from", title: `from, ${unit}`, format: ",.2f" },
    { field: "to", title: `to, ${unit}`, format: ",.2f" },
  ];
  const color = { field: "kind", type: "nominal", legend: null, scale: { domain: ["first", "part", "total"], range: ["var(--accent)", "var(--warm)", "var(--ink-3)"] } };
  const marks = [{ mark: { type: "bar" }, encoding: { x: { field: "from" }, x2: { field: "to" }, color, tooltip } }];
  return rowChart({ width, rows: data, marks, x: { domain }, title: unit });
}
