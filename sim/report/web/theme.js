// Light, dark, or as the system says; remembered where the browser allows it.
const KEY = "trnsim-report-theme";

function remembered() {
  try {
    return localStorage.getItem(KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function addThemeChoice(fieldset) {
  const present = remembered();
  apply(present);
  for (const input of fieldset.querySelectorAll("input")) {
    input.checked = input.value === present;
    input.addEventListener("change", () => {
      apply(input.value);
      try {
        localStorage.setItem(KEY, input.value);
      } catch {
        // Pages from files may have no storage: the choice then holds until the page is closed.
      }
    });
  }
  fieldset.hidden = false;
}
