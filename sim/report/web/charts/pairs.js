// Two values a row, and their difference.
import { signed, withUnit } from "../format.js";
import { rowChart } from "./rows.js";

export function pairs({ rows, options, width }) {
  const { name, unit } = options;
  const sides = options.a === options.b ? [`${options.a}, first`, `${options.b}, second`] : [options.a, options.b];
  const data = rows.map((row) => ({ ...row, name: row[name], labels: [withUnit(row.a, unit), withUnit(row.b, unit), signed(row.difference, unit)] }));
  const scale = { domain: sides, range: ["var(--c1)", "var(--c2)"] };
  const marks = ["a", "b"].map((key, i) => ({
    mark: { type: "bar", height: 9, yOffset: i === 0 ? -5 : 5 },
    encoding: {
      x: { field: key }, x2: { datum: 0 }, color: { datum: sides[i], type: "nominal", scale, legend: { title: null, symbolType: "square" } },
      tooltip: [{ field: "name", title: "part" }, { field: "label0", title: sides[0] }, { field: "label1", title: sides[1] }, { field: "label2", title: "difference" }],
    },
  }));
  const most = Math.max(1e-9, ...rows.flatMap((row) => [row.a, row.b]));
  return rowChart({ width, rows: data, marks, x: { domain: [0, most] }, title: unit, step: { wide: 34, narrow: 50 } });
}
