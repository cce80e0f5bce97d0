/** Follows the events of the service, and tells those parts of the page that need them. None is missed, none comes twice. */

import { signal } from "@preact/signals";
import { Stream } from "./stream";
import type { ServiceEvent } from "./types";

export interface FeedListener {
  readonly onEvent?: (event: ServiceEvent) => void;
  /** Called whenever the stream is connected: the page asks anew for what it shows. */
  readonly onOpen?: () => void;
}

const MOST_KEPT = 300;
const listeners = new Set<FeedListener>();
let stream: Stream | null = null;

/** The last events, the newest first. */
export const lastEvents = signal<readonly ServiceEvent[]>([]);

/** Tells `listener` of each event until the returned function is called. */
export function followEvents(listener: FeedListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function openFeed(): Stream {
  stream ??= new Stream({
    path: "/events",
    // The first connection begins now, and what was asked for before may be older. Later connections go on where the
    // last one was, but what failed to load meanwhile is to be loaded at once.
    onOpen: () => listeners.forEach((listener) => listener.onOpen?.()),
    onEvent: ({ data }) => tell(JSON.parse(data) as ServiceEvent),
  });
  return stream;
}

export function closeFeed(): void {
  stream?.close();
  stream = null;
  lastEvents.value = [];
}

function tell(event: ServiceEvent): void {
  if (event.kind !== "task.step") lastEvents.value = [event, ...lastEvents.value].slice(0, MOST_KEPT);
  listeners.forEach((listener) => listener.onEvent?.(event));
}
