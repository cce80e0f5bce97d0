/** Keeps the list of what needs a person. The navigation and the page's title show its count on every page. */

import { effect, signal } from "@preact/signals";
import { followEvents } from "../data/event_feed";
import { problemOf, type Problem } from "../data/problem";
import { get } from "../data/requests";
import type { AttentionList, ServiceEvent } from "../data/types";

const TITLE = "Manyhands";
const PAUSE_MS = 1500;
const POLL_MS = 30_000;

export const attention = signal<AttentionList | null>(null);
export const attentionProblem = signal<Problem | null>(null);
/** The name of the page that is shown, for the title. */
export const pageName = signal("");

let timer: ReturnType<typeof setTimeout> | undefined;
let isOpen = false;

/** Loads the list now and whenever an event may have changed it, until the returned function is called. */
export function openAttention(): () => void {
  isOpen = true;
  const endEvents = followEvents({
    onEvent: (event) => {
      if (changesAttention(event)) reloadAttention();
    },
    onOpen: () => reloadAttention(0),
  });
  const endTitle = effect(() => {
    const count = attention.value?.open ?? 0;
    document.title = `${count > 0 ? `(${count}) ` : ""}${pageName.value ? `${pageName.value} · ` : ""}${TITLE}`;
  });
  void load();
  return () => {
    isOpen = false;
    clearTimeout(timer);
    timer = undefined;
    endEvents();
    endTitle();
    attention.value = null;
    document.title = TITLE;
  };
}

export function reloadAttention(wait = PAUSE_MS): void {
  clearTimeout(timer);
  timer = setTimeout(() => void load(), wait);
}

async function load(): Promise<void> {
  try {
    attention.value = await get<AttentionList>("/attention");
    attentionProblem.value = null;
  } catch (error) {
    attentionProblem.value = problemOf(error);
  }
  if (isOpen) reloadAttention(POLL_MS);
}

function changesAttention(event: ServiceEvent): boolean {
  if (event.kind === "task.ended") return attention.value?.held?.some((held) => held.task === event.task) ?? false;
  return event.kind === "task.failed" || event.kind === "task.retried" || /^(phone|model|episode)\./.test(event.kind);
}
