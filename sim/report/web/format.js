// Numbers for people: thousands separators, as many digits as a reader can use.
export function number(value, digits = 3) {
  if (value === undefined || value === null) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(decimals, 4) }).replace("-", "\u2212");
}

export const withUnit = (value, unit) => (unit === "%" || unit ? `${number(value)} ${unit}` : number(value));

export const signed = (value, unit) => (value > 0 ? "+" : "") + withUnit(value, unit);

// 4096 -> "4 KiB"
export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(value) / 10)));
  return `${number(value / 1024 ** power)} ${units[power]}`;
}

// Width of a text in the charts' font, in px.
const context = document.createElement("canvas").getContext("2d");
export function textWidth(text, size = 12.5) {
  context.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}
