// Horizontal bars of one column, with a tick for a second one where there is one.
import { withUnit } from "../format.js";
import { rowChart } from "./rows.js";

export function bars({ rows, options, width }) {
  const { name, value, tick, unit } = options;
  const data = rows.map((row) => ({ name: row[name], value: row[value], tick: row[tick], labels: [withUnit(row[value], unit)] }));
  const most = options.most ?? Math.max(...data.map((row) => row.value), 1e-9);
  const tooltip = [{ field: "name", title: "of" }, { field: "label0", title: "value" }];
  const marks = [{ mark: { type: "bar", color: "var(--accent)" }, encoding: { x: { field: "value" }, x2: { datum: 0 }, tooltip } }];
  if (tick)
    marks.push({
      mark: { type: "tick", thickness: 2.5, size: 20, color: "var(--warm)" },
      encoding: { x: { field: "tick" }, tooltip: [{ field: "name", title: "of" }, { field: "tick", title: `${tick}, ${unit}`, format: ",.2f" }] },
    });
  return rowChart({ width, rows: data, marks, x: { domain: [0, most] }, title: unit });
}
