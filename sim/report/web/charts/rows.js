// Charts of one bar a row: names on the left, figures in a column on the right. On narrow screens the name stands
// above its bar, with the figures where there is room.
import { textWidth } from "../format.js";
import { linearTicks } from "./ticks.js";

const NARROW = 620;
const BAR = 14;

// `rows`: {name, label}; `marks`: layers that encode x; `x`: {domain, format}. Names must be different.
export function rowChart({ width, rows, marks, x, title, heading }) {
  const narrow = width < NARROW;
  const order = rows.map((row) => row.name);
  const labels = Math.max(...rows.map((row) => textWidth(row.label))) + 16;
  const longest = Math.max(...order.map((name) => textWidth(name)));
  const above = narrow && longest + labels < width;  // figures beside the name
  const names = narrow ? 0 : longest + 16;
  const plot = width - names - 2;
  // The bars end where the column of figures begins.
  const [low, high] = x.domain;
  const reach = above ? high : low + ((high - low) * plot) / Math.max(plot - labels, plot / 3);
  const y = {
    field: "name", type: "nominal", sort: order, title: null, scale: { paddingInner: 0, paddingOuter: 0 },
    axis: narrow ? null : { grid: false, labelLimit: names, labelColor: "var(--ink)", labelPadding: 8 },
  };
  const scale = { domain: [low, reach], nice: false, zero: false };
  const axis = { title: title ?? null, values: linearTicks(low, high, narrow ? 3 : 7), format: x.format ?? ",~f", titleAnchor: "start", labelFlush: true };
  const shift = narrow ? 9 : 0;
  const layer = marks.map((mark) => ({
    ...mark,
    mark: { ...mark.mark, yOffset: shift, ...(mark.mark.type === "bar" ? { height: BAR } : {}) },
    encoding: { ...mark.encoding, ...(mark.mark.type === "rule" ? {} : { y }), x: { ...mark.encoding.x, type: "quantitative", scale, axis } },
  }));
  layer.push({
    mark: { type: "text", align: "right", baseline: "middle", yOffset: above ? -9 : shift },
    encoding: { y, x: { value: { expr: "width" } }, text: { field: "label" } },
  });
  if (narrow) layer.push({ mark: { type: "text", align: "left", baseline: "middle", yOffset: -9, limit: width }, encoding: { y, x: { value: 0 }, text: { field: "name" } } });
  return { data: { values: rows }, height: { step: narrow ? 40 : 27 }, layer, ...(heading ? { title: { text: heading, anchor: "start", frame: "group" } } : {}) };
}
