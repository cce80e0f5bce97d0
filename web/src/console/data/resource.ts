/** Loads something from the service for as long as a part of the page shows it, and again when events say it changed. */

import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { followEvents } from "./event_feed";
import { problemOf, type Problem } from "./problem";
import type { ServiceEvent } from "./types";

export interface Resource<T> {
  /** What was loaded last; null before. It stays while a later load fails. */
  readonly value: ReadonlySignal<T | null>;
  /** Why the last load failed; null if it did not. */
  readonly problem: ReadonlySignal<Problem | null>;
  /** Loads again, soon: several calls in a row cause one load. */
  readonly reload: () => void;
  /** Puts another value in place, such as the answer to a change. */
  readonly put: (value: T) => void;
}

export interface ResourceSettings<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Whether an event changes what is shown. */
  readonly isChangedBy?: (event: ServiceEvent) => boolean;
  /** How many milliseconds lie between two loads at least. */
  readonly everyMs?: number;
  /** Loads again after so many milliseconds, whatever happens. */
  readonly pollMs?: number;
}

const SHORTEST_PAUSE_MS = 1000;
const RETRY_MS = 3000;
/** Problems that pass by themselves: no answer, too many requests, and a proxy or service that is not ready. */
const PASSING: readonly number[] = [0, 429, 502, 503, 504];

class LoadedValue<T> implements Resource<T> {
  readonly value = signal<T | null>(null);
  readonly problem = signal<Problem | null>(null);
  settings: ResourceSettings<T>;
  #cut = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLoading = false;
  #isStale = false;
  #lastAt = -Infinity;
  #isClosed = false;

  constructor(settings: ResourceSettings<T>) {
    this.settings = settings;
  }

  readonly reload = (): void => this.#reloadIn(0);

  readonly put = (value: T): void => {
    this.value.value = value;
    this.problem.value = null;
  };

  open(): () => void {
    this.#isClosed = false;
    const end = followEvents({
      onEvent: (event) => {
        if (this.settings.isChangedBy?.(event)) this.reload();
      },
      onOpen: this.reload,
    });
    void this.#load();
    return () => {
      end();
      this.#isClosed = true;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#cut.abort();
    };
  }

  #reloadIn(ms: number): void {
    if (this.#isClosed) return;
    if (this.#isLoading) {
      this.#isStale = true;
      return;
    }
    const soonest = this.#lastAt + (this.settings.everyMs ?? SHORTEST_PAUSE_MS) - performance.now();
    if (this.#timer !== undefined && ms > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), Math.max(ms, soonest, 0));
  }

  async #load(): Promise<void> {
    this.#timer = undefined;
    this.#isLoading = true;
    this.#isStale = false;
    this.#lastAt = performance.now();
    this.#cut = new AbortController();
    const cut = this.#cut;
    let wait = this.settings.pollMs;
    try {
      const value = await this.settings.load(cut.signal);
      if (!cut.signal.aborted) this.put(value);
    } catch (error) {
      if (cut.signal.aborted) return;
      const problem = problemOf(error);
      this.problem.value = problem;
      if (PASSING.includes(problem.status)) wait = RETRY_MS;
    } finally {
      if (cut === this.#cut) this.#isLoading = false;
    }
    if (cut.signal.aborted || this.#isClosed) return;
    if (this.#isStale) this.#reloadIn(0);
    else if (wait !== undefined) this.#reloadIn(wait);
  }
}

/** Loads while the component is mounted. `keys` say what is loaded: if they change, another thing is. */
export function useResource<T>(settings: ResourceSettings<T>, keys: readonly unknown[]): Resource<T> {
  const loaded = useMemo(() => new LoadedValue<T>(settings), keys);
  const latest = useRef(settings);
  latest.current = settings;
  loaded.settings = settings;
  useEffect(() => loaded.open(), [loaded]);
  return loaded;
}
