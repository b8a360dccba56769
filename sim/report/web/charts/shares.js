// One bar that is divided, with its parts written beside it.
import { number } from "../format.js";

const COLOURS = { official: "var(--sure-1)", measured: "var(--sure-2)", press: "var(--sure-3)", inferred: "var(--sure-4)", assumed: "var(--sure-5)", "what-if": "var(--sure-6)" };

export function shares({ rows, width }) {
  const data = rows.map((row, order) => ({ ...row, order, text: `${row.confidence} ${number(row.share)} %` }));
  return {
    data: { values: data }, height: 22,
    mark: { type: "bar", height: 18 },
    encoding: {
      x: { field: "share", type: "quantitative", stack: "zero", axis: null, scale: { domain: [0, 100], nice: false } },
      order: { field: "order" },
      color: { field: "text", type: "nominal", sort: null, scale: { domain: data.map((row) => row.text), range: data.map((row) => COLOURS[row.confidence] ?? "var(--ink-3)") },
        legend: { title: null, symbolType: "square", columns: width < 620 ? 2 : 6 } },
      tooltip: [{ field: "confidence", title: "confidence" }, { field: "share", title: "share of the step, %", format: ".1f" }, { field: "figures", title: "figures of the machine" }],
    },
  };
}
