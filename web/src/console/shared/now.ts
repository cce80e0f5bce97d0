/** Tells the time once a second, to all parts of the page at once. */

import { computed, signal, type ReadonlySignal } from "@preact/signals";

const current = signal(Date.now() / 1000);
let timer: ReturnType<typeof setInterval> | undefined;

/** The time in Unix seconds; changes once a second while the page is visible. */
export const now: ReadonlySignal<number> = computed(() => current.value);

export function startClock(): void {
  timer ??= setInterval(() => {
    if (!document.hidden) current.value = Date.now() / 1000;
  }, 1000);
}
