/** Let views declare the keys that they understand. `KeyHelp` shows all keys that count now. */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Key {
  /** The key as browsers name it, such as `j`, `?`, `ArrowRight`, `Shift+ArrowRight`, `Escape`. */
  readonly key: string;
  /** What it does, such as `next step`. */
  readonly does: string;
  /** Left out where a part of the page understands the key by itself while it has the focus. */
  readonly run?: () => void;
}

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly Key[];
}

/** The groups of keys of the views that are shown, the oldest first. */
export const keyGroups = signal<readonly KeyGroup[]>([]);

/**
 * Understand keys for as long as the component is shown: from the moment that it stands in the page, so that a key pressed
 * at first sight counts. They do not count while a person types.
 */
export function useKeys(title: string, keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const names = keys.map((one) => `${one.key} ${one.does}`).join("\n");
  useLayoutEffect(() => {
    const group: KeyGroup = {
      title,
      keys: latest.current.map((one, at) => (one.run ? { ...one, run: () => latest.current[at]?.run?.() } : one)),
    };
    keyGroups.value = [...keyGroups.value, group];
    return () => {
      keyGroups.value = keyGroups.value.filter((one) => one !== group);
    };
  }, [title, names]);
}

function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || takesText(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  if ((name === " " || name === "Enter") && event.target instanceof HTMLElement && event.target.closest("button, a, summary, input")) return;
  for (const group of [...keyGroups.value].reverse()) {
    const found = group.keys.find((one) => one.key === name && one.run);
    if (found) {
      event.preventDefault();
      found.run?.();
      return;
    }
  }
});
