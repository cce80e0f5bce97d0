/** Ask what models are writing for an episode, once a second while somebody looks at it. */

import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, part } from "../data/requests";
import type { EpisodeWriting, ModelWriting } from "../data/types";

const EVERY_MS = 1000;

/** Return what the newest open call has written; null if no call is open, or nothing is known. */
export function useWriting(episode: string, isRunning: boolean): Signal<ModelWriting | null> {
  const newest = useSignal<ModelWriting | null>(null);
  useEffect(() => {
    newest.value = null;
    if (!isRunning) return undefined;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (!document.hidden) {
        try {
          const { calls } = await get<EpisodeWriting>(`/episodes/${part(episode)}/writing`, {}, ending.signal);
          newest.value = calls.at(-1) ?? null;
        } catch {
          newest.value = null; // the page says elsewhere that the connection is lost
        }
      }
      if (!ending.signal.aborted) timer = setTimeout(() => void look(), EVERY_MS);
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [episode, isRunning, newest]);
  return newest;
}
