// Names beside points, as many as there is room for: those given first come first.
import { textWidth } from "../format.js";

const LINE = 14;
// Above, below, right, left of the point.
const PLACES = [
  { align: "center", dx: 0, dy: -15 },
  { align: "center", dx: 0, dy: 15 },
  { align: "left", dx: 11, dy: 0 },
  { align: "right", dx: -11, dy: 0 },
];

function boxAt(point, place, size) {
  const at = point.x + place.dx;
  const left = place.align === "left" ? at : place.align === "right" ? at - size : at - size / 2;
  return { left, right: left + size, y: point.y + place.dy };
}

// `points`: {x, y, text} in px; `blocked`: boxes {left, right, y} of other texts. Gives the points that have a name,
// with the number of its place, of the first `places`.
export function placeNames(points, width, { blocked = [], places = PLACES.length } = {}) {
  const taken = [...points.map((p) => ({ left: p.x - 8, right: p.x + 8, y: p.y })), ...blocked];
  const free = (box) => box.left > 0 && box.right < width && !taken.some((t) => t.left < box.right && box.left < t.right && Math.abs(t.y - box.y) < LINE);
  const named = [];
  for (const point of points) {
    const size = textWidth(point.text) + 2;
    const place = PLACES.slice(0, places).findIndex((p) => free(boxAt(point, p, size)));
    if (place < 0) continue;
    taken.push(boxAt(point, PLACES[place], size));
    named.push({ ...point, place });
  }
  return named;
}

// A layer for each place.
export const nameLayers = (named, encoding) =>
  PLACES.map((place, i) => ({ data: { values: named.filter((p) => p.place === i) }, mark: { type: "text", baseline: "middle", ...place }, encoding: { ...encoding, text: { field: "text" } } }));
