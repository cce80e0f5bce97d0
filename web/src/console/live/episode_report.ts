/** Loads the report of an episode, and while it runs, each second what is new of it. */

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { EpisodeReport } from "../../api/schema";
import { followEvents } from "../data/event_feed";
import { problemOf, type Problem } from "../data/problem";
import { part, send } from "../data/requests";

const POLL_MS = 1000;
const RETRY_MS = 3000;
/** How many of the last known steps are asked for again: they may still change. */
const OPEN_STEPS = 2;

export class LiveReport {
  readonly report = signal<EpisodeReport | null>(null);
  readonly problem = signal<Problem | null>(null);
  readonly #id: string;
  readonly #cut = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tag: { readonly from: number; readonly value: string } | null = null;
  #isLoading = false;

  constructor(id: string) {
    this.#id = id;
  }

  open(): () => void {
    const end = followEvents({
      onOpen: () => this.#loadIn(0),
      onEvent: (event) => {
        if (event.task != null && event.task === this.report.value?.episode.task) this.#loadIn(0);
      },
    });
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#loadIn(0);
    return () => {
      end();
      document.removeEventListener("visibilitychange", this.#onVisibility);
      clearTimeout(this.#timer);
      this.#cut.abort();
    };
  }

  readonly reload = (): void => this.#loadIn(0);

  readonly #onVisibility = (): void => {
    if (!document.hidden) this.#loadIn(0);
  };

  #loadIn(ms: number): void {
    if (this.#cut.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), ms);
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    let wait = POLL_MS;
    try {
      await this.#ask();
      this.problem.value = null;
    } catch (error) {
      if (this.#cut.signal.aborted) return;
      this.problem.value = problemOf(error);
      wait = RETRY_MS;
      if (this.problem.value.status === 404 && this.report.value === null) return;
    } finally {
      this.#isLoading = false;
    }
    const isOver = this.report.value?.episode.ended_at != null;
    if (!isOver && !document.hidden) this.#loadIn(wait);
  }

  async #ask(): Promise<void> {
    const known = this.report.value?.steps ?? [];
    const from = known.at(-OPEN_STEPS)?.step ?? 0;
    const headers: Record<string, string> = {};
    if (this.#tag?.from === from) headers["If-None-Match"] = this.#tag.value;
    const asked = { query: { from }, headers, signal: this.#cut.signal };
    const answer = await send(`/episodes/${part(this.#id)}/report`, asked);
    if (answer.status === 304) return;
    const tag = answer.headers.get("ETag");
    const fresh = (await answer.json()) as EpisodeReport;
    const kept = known.filter((step) => step.step < (fresh.first_step ?? 0));
    const sizes = { ...this.report.value?.sizes, ...fresh.sizes };
    this.report.value = { ...fresh, steps: [...kept, ...(fresh.steps ?? [])], sizes, first_step: 0 };
    this.#tag = tag === null ? null : { from, value: tag };
  }
}

export function useLiveReport(id: string): LiveReport {
  const live = useMemo(() => new LiveReport(id), [id]);
  useEffect(() => live.open(), [live]);
  return live;
}
