/** Choose light or dark: the system's choice unless the person made another one, which this browser keeps. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "manyhands-theme";

/** The choice of the person. */
export const theme = signal<Theme>(stored());

function stored(): Theme {
  try {
    const said = localStorage.getItem(KEY);
    return said === "light" || said === "dark" ? said : "system";
  } catch {
    return "system"; // A browser may forbid storage to pages from the disk.
  }
}

/** Keep a choice and show it at once. */
export function chooseTheme(choice: Theme): void {
  theme.value = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // The choice holds for this page alone.
  }
  applyTheme();
}

/** Show the stored choice. Call this before the first render. */
export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme.value;
  restyled.value += 1;
}

/** A count that changes whenever colours change: canvases read it and draw again. */
export const restyled = signal(0);

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  restyled.value += 1;
});
