// Charts of one bar a row: names on the left, figures in a column on the right. On narrow screens the name stands
// above its bar, with the figures where there is room.
import { textWidth } from "../format.js";
import { linearTicks } from "./ticks.js";

const NARROW = 620;
const BAR = 14;
const GAP = 10;

// Where the columns of figures end, in px from the right, and how wide they are together.
function columnsOf(rows) {
  const ends = [];
  let end = 0;
  for (let i = rows[0].labels.length - 1; i >= 0; i -= 1) {
    ends[i] = end;
    end += Math.max(...rows.map((row) => textWidth(row.labels[i]))) + GAP;
  }
  return { ends, labels: end + GAP / 2 };
}

// `rows`: {name, labels}, a label a column; `marks`: layers that encode x; `x`: {domain, labelExpr}. Names must be
// different.
export function rowChart({ width, rows, marks, x, title, heading, step = { wide: 27, narrow: 40 } }) {
  const narrow = width < NARROW;
  const order = rows.map((row) => row.name);
  const { ends, labels } = columnsOf(rows);
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
  const axis = { title: title ?? null, values: linearTicks(low, high, narrow ? 5 : 7), labelExpr: x.labelExpr ?? "format(datum.value, ',~f')", titleAnchor: "start", labelFlush: true };
  const shift = narrow ? 9 : 0;
  const layer = marks.map((mark) => ({
    ...mark,
    mark: { ...mark.mark, yOffset: shift + (mark.mark.yOffset ?? 0), ...(mark.mark.type === "bar" ? { height: mark.mark.height ?? BAR } : {}) },
    encoding: { ...mark.encoding, ...(mark.mark.type === "rule" ? {} : { y }), x: { ...mark.encoding.x, type: "quantitative", scale, axis } },
  }));
  ends.forEach((end, i) => layer.push({
    mark: { type: "text", align: "right", baseline: "middle", yOffset: above ? -9 : shift },
    encoding: { y, x: { value: { expr: `width - ${end}` } }, text: { field: `label${i}` } },
  }));
  if (narrow) layer.push({ mark: { type: "text", align: "left", baseline: "middle", yOffset: -9, limit: width }, encoding: { y, x: { value: 0 }, text: { field: "name" } } });
  const values = rows.map((row) => ({ ...row, ...Object.fromEntries(row.labels.map((label, i) => [`label${i}`, label])) }));
  return { data: { values }, height: rows.length * (narrow ? step.narrow : step.wide), layer, ...(heading ? { title: { text: heading, anchor: "start", frame: "group" } } : {}) };
}
