// Labelled selects above a chart: what a reader may choose.
export function select(form, label, choices, chosen, onChange) {
  const element = document.createElement("select");
  for (const [value, text] of choices) element.add(new Option(text, value, false, value === chosen));
  element.addEventListener("change", () => onChange(element.value));
  const wrap = document.createElement("label");
  wrap.append(`${label} `, element);
  form.append(wrap);
  return element;
}

export function controlBar(figure) {
  const form = document.createElement("div");
  form.className = "controls";
  figure.prepend(form);
  return form;
}

// A line under a chart that says in words what it shows, and is read out when it changes.
export function statusLine(figure) {
  const line = document.createElement("p");
  line.className = "status";
  line.setAttribute("aria-live", "polite");
  figure.append(line);
  return line;
}
