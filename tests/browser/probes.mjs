// Functions that run inside the page and return what is wrong with it: empty lists are good.

export function overflowing() {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return [];
  const scrolls = (e) => e.closest(".scroll, pre");
  return [...document.querySelectorAll("body *")].filter((e) => !scrolls(e) && e.getBoundingClientRect().right > limit + 1).map((e) => `${e.tagName} ${e.className} ${Math.round(e.getBoundingClientRect().right)}`);
}

// Texts that a reader sees, with their element.
export function smallTexts(least) {
  const small = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, style, noscript") || element.getClientRects().length === 0) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < least) small.push(`${size}px: ${node.textContent.trim().slice(0, 40)}`);
  }
  return small;
}

// Chart texts that leave their drawing, are shortened, or overlap another one.
export function brokenLabels() {
  const broken = [];
  for (const svg of document.querySelectorAll(".plot svg")) {
    const frame = svg.getBoundingClientRect();
    const boxes = [];
    for (const text of svg.querySelectorAll("text")) {
      const content = text.textContent.trim();
      const box = text.getBoundingClientRect();
      if (!content || box.width === 0 || getComputedStyle(text).opacity === "0") continue;
      const name = `"${content}" in ${svg.closest("section").id}`;
      if (box.left < frame.left - 1.5 || box.right > frame.right + 1.5 || box.top < frame.top - 1.5 || box.bottom > frame.bottom + 1.5) broken.push(`clipped: ${name}`);
      if (content.endsWith("\u2026")) broken.push(`shortened: ${name}`);
      // Slanted texts have larger boxes than they fill.
      if (/rotate\((?!0\))/.test(text.getAttribute("transform") ?? "")) continue;
      // A line's box is higher than its letters.
      const letters = { left: box.left, right: box.right, top: box.top + box.height * 0.25, bottom: box.bottom - box.height * 0.25, name };
      for (const other of boxes)
        if (letters.left < other.right - 1 && other.left < letters.right - 1 && letters.top < other.bottom && other.top < letters.bottom) broken.push(`overlap: ${name} and ${other.name}`);
      boxes.push(letters);
    }
  }
  return broken;
}

// Figures without a drawing, or whose drawing has no marks.
export function emptyFigures() {
  const marks = ".mark-rect path, .mark-rule line, .mark-symbol path, .mark-line path";
  return [...document.querySelectorAll("figure.chart")].filter((figure) => ![...figure.querySelectorAll(".plot svg")].some((svg) => svg.querySelectorAll(marks).length > 2)).map((figure) => figure.id);
}

// Texts with less contrast to what is behind them than WCAG AA asks for.
export function faintTexts(least) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color[3] > 250) return color;
    }
    return [255, 255, 255, 255];
  };
  const faint = [];
  const check = (text, color, ground) => {
    const found = contrast(rgb(color), ground);
    if (found < least) faint.push(`${found.toFixed(2)}: ${text.trim().slice(0, 40)}`);
  };
  for (const e of document.querySelectorAll("body *:not(script):not(style):not(option):not(svg):not(svg *)"))
    if ([...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim()) && e.getClientRects().length > 0) check(e.textContent, getComputedStyle(e).color, behind(e));
  for (const text of document.querySelectorAll(".plot svg text")) {
    const box = text.getBoundingClientRect();
    if (!text.textContent.trim() || box.width === 0) continue;
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const cell = [...text.closest("svg").querySelectorAll(".mark-rect path")].find((path) => {
      const r = path.getBoundingClientRect();
      return r.left < middle.x && middle.x < r.right && r.top < middle.y && middle.y < r.bottom;
    });
    check(text.textContent, getComputedStyle(text).fill, cell ? rgb(getComputedStyle(cell).fill) : behind(text.closest(".plot")));
  }
  return faint;
}

export function focused() {
  const e = document.activeElement;
  const style = getComputedStyle(e);
  return { what: `${e.tagName.toLowerCase()}${e.type === "radio" ? ":radio" : ""}${e.classList.length ? `.${e.classList[0]}` : ""}`, visible: e === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) };
}
