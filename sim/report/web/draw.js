// Draws a Vega-Lite specification as SVG. Colours are CSS variables, so light, dark and print need no redraw;
// expressions are interpreted, so that the page's policy can forbid eval.
import { View, parse } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { Handler } from "vega-tooltip";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';
const SIZE = 12.5;

const axis = {
  domain: false, ticks: false, gridColor: "var(--grid)", gridWidth: 1, labelColor: "var(--ink-2)", labelFontSize: SIZE,
  labelPadding: 6, titleColor: "var(--ink-2)", titleFontSize: SIZE, titleFontWeight: "normal", titlePadding: 8,
};
const config = {
  font: FONT, background: null, axis, view: { stroke: null }, mark: { color: "var(--accent)" },
  title: { color: "var(--ink)", fontSize: 13, fontWeight: 600, offset: 10 },
  text: { color: "var(--ink)", fontSize: SIZE }, rule: { color: "var(--ink-2)" },
  legend: {
    labelColor: "var(--ink-2)", titleColor: "var(--ink-2)", labelFontSize: SIZE, titleFontSize: SIZE,
    titleFontWeight: "normal", orient: "top", direction: "horizontal", symbolStrokeWidth: 2, labelLimit: 260,
  },
  axisY: { titleAngle: 0, titleAlign: "left", titleAnchor: "start", titleX: 0, titleY: -14 },
};

const tooltip = new Handler({ disableDefaultStyle: true, theme: "custom" });
const views = new WeakMap();

export async function draw(element, spec) {
  views.get(element)?.finalize();
  element.replaceChildren();
  const whole = { autosize: { type: "fit-x", contains: "padding" }, padding: { left: 0, right: 1, top: 4, bottom: 4 }, width: element.clientWidth, ...spec };
  const view = new View(parse(compile(whole, { config }).spec, undefined, { ast: true }), {
    container: element, renderer: "svg", expr: expressionInterpreter, hover: true, tooltip: tooltip.call,
  });
  views.set(element, view);
  await view.runAsync();
  // The figure has a name and a table; its hundreds of marks would only be noise to a screen reader.
  element.querySelector("svg")?.setAttribute("aria-hidden", "true");
}
