// Names beside points, as many as there is room for: those given first come first.
import { textWidth } from "../format.js";

const LINE = 14;

// `points`: {x, y, text} in px; `blocked`: boxes {left, right, y} of other texts. Gives the points that have a name,
// with dy, the place of the name above or below.
export function placeNames(points, width, blocked = []) {
  const taken = [...points.map((p) => ({ left: p.x - 6, right: p.x + 6, y: p.y })), ...blocked];
  const free = (box) => box.left > 0 && box.right < width && !taken.some((t) => t.left < box.right && box.left < t.right && Math.abs(t.y - box.y) < LINE);
  const named = [];
  for (const point of points) {
    const half = textWidth(point.text) / 2 + 2;
    for (const dy of [-15, 15]) {
      const box = { left: point.x - half, right: point.x + half, y: point.y + dy };
      if (!free(box)) continue;
      taken.push(box);
      named.push({ ...point, dy });
      break;
    }
  }
  return named;
}

// One layer above and one below.
export const nameLayers = (named, encoding) =>
  [-15, 15].map((dy) => ({ data: { values: named.filter((p) => p.dy === dy) }, mark: { type: "text", dy, baseline: "middle" }, encoding: { ...encoding, text: { field: "text" } } }));
