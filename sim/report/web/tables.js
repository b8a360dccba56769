// A filter above long tables: rows that contain all the words, and a level of confidence where there is one.
import { select } from "./controls.js";

export function addFilter(table) {
  const rows = [...table.tBodies[0].rows];
  const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.dataset.key === "confidence");
  const bar = document.createElement("div");
  bar.className = "controls";
  const input = document.createElement("input");
  input.type = "search";
  const label = document.createElement("label");
  label.append("Filter ", input);
  bar.append(label);
  const status = document.createElement("span");
  status.setAttribute("aria-live", "polite");
  let level = "";
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const match = words.every((word) => text.includes(word)) && (level === "" || row.cells[column].textContent === level);
      row.hidden = !match;
      if (match) shown += 1;
    }
    status.textContent = `${shown.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")} rows`;
  };
  input.addEventListener("input", apply);
  if (column >= 0) {
    const levels = [...new Set(rows.map((row) => row.cells[column].textContent))];
    select(bar, "confidence", [["", "all"], ...levels.map((l) => [l, l])], "", (value) => {
      level = value;
      apply();
    });
  }
  bar.append(status);
  table.parentElement.before(bar);
  apply();
}
