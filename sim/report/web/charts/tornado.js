// What each figure does to the answer, the strongest first: bars for small changes, diamonds for factors.
import { rowChart } from "./rows.js";

// The sign of what is shown: nothing has none.
function effect(value, decimals) {
  if (value === undefined) return "\u2013";
  const text = Math.abs(value).toFixed(decimals);
  return `${Number(text) === 0 ? "" : value > 0 ? "+" : "\u2212"}${text}`;
}
const isFactor = (name) => /^[\d.]+x/.test(name);

export function tornado({ rows, options, width }) {
  const per = options.changes;
  const decimals = Math.max(...rows.flatMap((row) => per.map((c) => Math.abs(row[c.key] ?? 0)))) >= 10 ? 1 : 2;
  const data = rows.map((row) => ({
    name: row.label,
    labels: per.map((c) => `${effect(row[c.key], decimals)} %`),
    changes: per.filter((c) => row[c.key] !== undefined).map((c) => ({ change: c.name, effect: row[c.key] })),
  }));
  const long = data.flatMap((row) => row.changes.map((c) => ({ name: row.name, ...c, zero: 0 })));
  const effects = long.map((c) => c.effect);
  const reach = Math.max(0.1, ...effects.map(Math.abs));
  const names = per.map((c) => c.name);
  const scale = { domain: names, range: ["var(--c2)", "var(--c1)", "var(--c3)", "var(--c4)", "var(--c5)"] };
  const color = { field: "change", type: "nominal", sort: null, scale, legend: { title: null, symbolType: "square", symbolOpacity: 1, columns: width < 620 ? 2 : 5 } };
  const tooltip = [{ field: "name", title: "figure" }, { field: "change" }, { field: "effect", title: `change of ${options.metric}, %`, format: "+,.2f" }];
  const domain = [Math.min(0, ...effects) - reach * 0.04, Math.max(0, ...effects) + reach * 0.04];
  const marks = [
    { data: { values: [{ zero: 0 }] }, mark: { type: "rule", color: "var(--ink-3)" }, encoding: { x: { field: "zero" } } },
    { data: { values: long.filter((c) => !isFactor(c.change)) }, mark: { type: "bar" }, encoding: { x: { field: "effect" }, x2: { datum: 0 }, color, tooltip } },
    { data: { values: long.filter((c) => isFactor(c.change)) }, mark: { type: "point", shape: "diamond", filled: true, size: 90, opacity: 1 }, encoding: { x: { field: "effect" }, color, tooltip } },
  ];
  return rowChart({ width, rows: data, marks, x: { domain, labelExpr: "datum.value === 0 ? '0' : format(datum.value, '+,~f')" }, title: `change of ${options.metric}, %` });
}
