// Bus bandwidth by size, a line an algorithm; dashed: the bound.
import { bytes, number } from "../format.js";

export function busbw({ rows, width }) {
  const sizes = [...new Set(rows.map((row) => row.size))].sort((a, b) => a - b);
  const every = Math.ceil(sizes.length / (width < 620 ? 4 : 11));
  const data = rows.map((row) => ({ ...row, text: bytes(row.size) }));
  const bound = sizes.map((size) => data.find((row) => row.size === size && row.most !== undefined)).filter(Boolean);
  const x = { field: "size", type: "quantitative", title: "size", scale: sizes.length > 1 ? { type: "log", base: 2, domain: [sizes[0], sizes.at(-1)], nice: false } : { zero: false },
    axis: { values: sizes.filter((_, i) => i % every === 0), grid: false, labelExpr: labelOf(sizes), labelFlush: true } };
  const y = { type: "quantitative", title: "busbw, GB/s" };
  const tooltip = [{ field: "algorithm" }, { field: "text", title: "size" }, { field: "busbw", title: "busbw, GB/s", format: ",.2f" }, { field: "most", title: "bound, GB/s", format: ",.2f" }, { field: "time", title: "time, \u00b5s", format: ",.2f" }, { field: "binding" }, { field: "bound_by", title: "bound by" }];
  const algorithms = [...new Set(data.map((row) => row.algorithm))];
  const color = { field: "algorithm", type: "nominal", sort: null, scale: { domain: algorithms, range: ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)", "var(--c8)"] }, legend: { title: null, symbolType: "stroke", orient: "bottom", columns: width < 620 ? 3 : 8 } };
  return {
    height: width < 620 ? 300 : 380,
    layer: [
      { data: { values: bound }, mark: { type: "line", strokeDash: [5, 4], color: "var(--ink-2)", strokeWidth: 1.5 }, encoding: { x, y: { ...y, field: "most" } } },
      { data: { values: data }, mark: { type: "line", strokeWidth: 2 }, encoding: { x, y: { ...y, field: "busbw" }, color } },
      { data: { values: data }, mark: { type: "point", filled: true, size: 36 }, encoding: { x, y: { ...y, field: "busbw" }, color, tooltip } },
    ],
  };
}

const labelOf = (sizes) => sizes.reduceRight((rest, size) => `datum.value == ${size} ? '${bytes(size)}' : ${rest}`, "''");
