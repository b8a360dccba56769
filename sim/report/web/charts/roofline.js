// Kernels against the ceilings, log over log; below it the kernels that leave the array alone, by bandwidth.
import { number, textWidth } from "../format.js";
import { nameLayers, placeNames } from "./labels.js";
import { rowChart } from "./rows.js";
import { logTicks } from "./ticks.js";

const slope = (ceiling) => ceiling.gb_per_s / 1e3;  // TFLOP/s at one FLOP a byte

// What the plot spans: every kernel, every knee, and some of the slants.
function frameOf(kernels, ceilings) {
  const array = ceilings.filter((c) => c.tflops);
  const top = Math.max(...array.map((c) => c.tflops), ...kernels.map((k) => k.tflops));
  const knees = ceilings.filter((c) => c.gb_per_s).map((c) => top / slope(c));
  const left = Math.min(...knees, ...kernels.map((k) => k.intensity)) / 4;
  const right = Math.max(...knees, ...kernels.map((k) => k.intensity)) * 3;
  const bottom = Math.min(...kernels.map((k) => k.tflops), ...array.map((c) => c.tflops / 4)) / 2;
  return { left, right, bottom, top: top * 2 };
}

const flatLines = (ceilings, f) => ceilings.filter((c) => c.tflops).map((c) => ({ text: `${c.name}, ${number(c.tflops)} TFLOP/s`, x: f.left, x2: f.right, y: c.tflops, y2: c.tflops }));

// A bandwidth's line ends at the highest array ceiling: right of it the array limits.
const slantedLines = (ceilings, f) => ceilings.filter((c) => c.gb_per_s).map((c) => {
  const x = Math.max(f.left, f.bottom / slope(c));
  const x2 = Math.min(f.right, f.top / 2 / slope(c));
  return { text: `${c.name}, ${number(c.gb_per_s)} GB/s`, x, x2, y: x * slope(c), y2: x2 * slope(c) };
}).sort((a, b) => b.y / b.x - a.y / a.x);

const KERNEL_TOOLTIP = [
  { field: "kernel" }, { field: "time", title: "time, ms", format: ",.2f" }, { field: "intensity", title: "FLOP/B", format: ",.1f" },
  { field: "tflops", title: "TFLOP/s", format: ",.2f" }, { field: "gbps", title: "HBM, GB/s", format: ",.1f" },
  { field: "ceiling", title: "nearest ceiling" }, { field: "reached", title: "of it, %", format: ",.1f" },
];

export function roofline({ rows, options, width }) {
  const kernels = rows.filter((row) => row.tflops > 0 && row.intensity > 0).sort((a, b) => b.time - a.time);
  if (kernels.length === 0) return undefined;
  const narrow = width < 620;
  const height = narrow ? 320 : 400;
  const f = frameOf(kernels, options.ceilings);
  const plot = width - 44;  // less the labels of the y axis
  const toX = (v) => (plot * Math.log(v / f.left)) / Math.log(f.right / f.left);
  const toY = (v) => height - (height * Math.log(v / f.bottom)) / Math.log(f.top / f.bottom);
  const x = { field: "x", type: "quantitative", title: "FLOP per byte of HBM", scale: { type: "log", domain: [f.left, f.right], nice: false }, axis: { values: logTicks(f.left, f.right, narrow ? 5 : 9), format: ",~r", titleAnchor: "start" } };
  const y = { field: "y", type: "quantitative", title: "TFLOP/s of the rank's arrays", scale: { type: "log", domain: [f.bottom, f.top], nice: false }, axis: { values: logTicks(f.bottom, f.top, 8), format: ",~r" } };
  const flat = flatLines(options.ceilings, f);
  const slanted = slantedLines(options.ceilings, f);
  const lines = [...flat, ...slanted];
  const names = flat.map((l) => ({ left: plot - textWidth(l.text), right: plot, y: toY(l.y) - 10 }));
  const named = placeNames(kernels.map((k) => ({ ...k, text: k.kernel, x: toX(k.intensity), y: toY(k.tflops) })), plot, { blocked: names });
  const at = { x: { ...x, field: "intensity" }, y: { ...y, field: "tflops" } };
  const layer = [
    { data: { values: lines }, mark: { type: "rule", strokeWidth: 1.5 }, encoding: { x, y, x2: { field: "x2" }, y2: { field: "y2" }, tooltip: [{ field: "text", title: "ceiling" }] } },
    { data: { values: flat }, mark: { type: "text", align: "right", baseline: "bottom", dy: -4, color: "var(--ink-2)" }, encoding: { x: { ...x, field: "x2" }, y, text: { field: "text" } } },
    { data: { values: kernels }, mark: { type: "point", filled: true, opacity: 0.85, stroke: "var(--paper)", strokeWidth: 1 },
      encoding: { ...at, size: { field: "time", type: "quantitative", scale: { range: [40, 420] }, legend: null }, tooltip: KERNEL_TOOLTIP } },
    ...nameLayers(named, at),
  ];
  // The steepest slant is named above its line, the others below.
  slanted.forEach((l, i) => {
    const angle = (-Math.atan2(toY(l.y) - toY(l.y2), toX(l.x2) - toX(l.x)) * 180) / Math.PI;
    layer.push({ data: { values: [l] }, mark: { type: "text", align: "left", baseline: i === 0 ? "bottom" : "top", angle: (angle + 360) % 360, dx: 16, dy: i === 0 ? -4 : 5, color: "var(--ink-2)" }, encoding: { x, y, text: { field: "text" } } });
  });
  return { height, layer };
}

// Kernels without array work have no place in a roofline: their HBM bandwidth.
export function bandwidths({ rows, options, width }) {
  const kernels = rows.filter((row) => !(row.tflops > 0) && row.gbps > 0).sort((a, b) => b.time - a.time);
  if (kernels.length === 0) return undefined;
  const data = kernels.map((k) => ({ ...k, name: k.kernel, labels: [`${number(k.gbps)} GB/s`, `${number(k.time)} ms`] }));
  const peaks = options.ceilings.filter((c) => c.gb_per_s).map((c) => ({ ...c, text: `${c.name} ${number(c.gb_per_s)} GB/s` }));
  const most = Math.max(...peaks.map((c) => c.gb_per_s), ...data.map((k) => k.gbps));
  const tooltip = KERNEL_TOOLTIP.filter(({ field }) => field !== "intensity" && field !== "tflops");
  const marks = [
    { mark: { type: "bar" }, encoding: { x: { field: "gbps" }, x2: { datum: 0 }, tooltip } },
    { data: { values: peaks }, mark: { type: "rule", strokeWidth: 1.5 }, encoding: { x: { field: "gb_per_s" }, tooltip: [{ field: "text", title: "ceiling" }] } },
  ];
  return rowChart({ width, rows: data, marks, x: { domain: [0, most] }, title: `GB/s; lines: ${peaks.map((c) => c.text).join(", ")}`, heading: "Kernels without array work, by HBM bandwidth" });
}
