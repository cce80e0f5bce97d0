/** Says whether the page is connected with the service, by the states of its streams. */

import { computed, signal } from "@preact/signals";
import type { Stream } from "./stream";

const streams = signal<readonly Stream[]>([]);

export type Connection = "connected" | "connecting" | "lost";

export const connection = computed<Connection>(() => {
  const states = streams.value.map((stream) => stream.state.value);
  if (states.includes("lost")) return "lost";
  return states.includes("connecting") ? "connecting" : "connected";
});

export function watchStreams(watched: readonly Stream[]): void {
  streams.value = watched;
}
