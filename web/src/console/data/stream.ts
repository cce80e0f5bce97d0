/**
 * Follows a stream of server-sent events, and connects again whenever the connection is lost.
 *
 * The browser's EventSource gives up after an answer such as 503, and does not notice a connection that says nothing.
 * This one tries until it is closed, waits longer each time, and sends the number of the last event. While the page is
 * hidden it closes the connection: a browser opens only six to one service, for all its tabs together.
 */

import { signal, type ReadonlySignal } from "@preact/signals";
import { EventParser, type SentEvent } from "./event_parser";
import { readProblem, RequestFailed } from "./problem";
import { addressOf, type Query } from "./requests";

export type StreamState = "connecting" | "open" | "lost" | "closed";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The service says something every 15 s; a stream that is silent for longer than this is dead. */
const SILENCE_MS = 40_000;
/** A request that has no answer for so long went nowhere: the network drops it, or the service is stopped. */
const LONGEST_CONNECT_MS = 10_000;

export interface StreamSettings {
  readonly path: string;
  readonly query?: () => Query;
  readonly onEvent: (event: SentEvent) => void;
  /** Called when a connection stands, before its first event. */
  readonly onOpen?: () => void;
}

export class Stream {
  readonly #state = signal<StreamState>("connecting");
  readonly #settings: StreamSettings;
  #cut = new AbortController();
  #failures = 0;
  #lastId: string | null = null;
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
    addEventListener("online", this.#tryNow);
    addEventListener("offline", this.#drop);
    document.addEventListener("visibilitychange", this.#onVisibility);
    void this.#follow();
  }

  get state(): ReadonlySignal<StreamState> {
    return this.#state;
  }

  close(): void {
    this.#isClosed = true;
    this.#state.value = "closed";
    removeEventListener("online", this.#tryNow);
    removeEventListener("offline", this.#drop);
    document.removeEventListener("visibilitychange", this.#onVisibility);
    this.#drop();
    this.#tryNow();
  }

  readonly #drop = (): void => this.#cut.abort();

  readonly #tryNow = (): void => {
    this.#wake?.();
  };

  readonly #onVisibility = (): void => {
    if (document.hidden) this.#drop();
    else this.#tryNow();
  };

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      if (document.hidden) {
        await this.#pause(null);
        continue;
      }
      try {
        await this.#read();
      } catch (error) {
        if (error instanceof RequestFailed && error.needsSignIn) this.#failures = 6;
      }
      if (this.#isClosed) return;
      if (document.hidden) continue;
      this.#state.value = "lost";
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
      await this.#pause(wait * (0.75 + Math.random() / 2));
    }
  }

  async #read(): Promise<void> {
    this.#cut = new AbortController();
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.#lastId !== null) headers["Last-Event-ID"] = this.#lastId;
    const address = addressOf(this.#settings.path, this.#settings.query?.() ?? {});
    const asked = fetch(address, { headers, signal: this.#cut.signal, credentials: "same-origin" });
    const late = setTimeout(this.#drop, LONGEST_CONNECT_MS);
    const answer = await asked.finally(() => clearTimeout(late));
    if (!answer.ok || answer.body === null) throw new RequestFailed(await readProblem(answer));
    this.#failures = 0;
    this.#state.value = "open";
    this.#settings.onOpen?.();
    const parser = new EventParser();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const silence = setTimeout(this.#drop, SILENCE_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      for (const event of parser.take(value)) {
        if (event.id !== null) this.#lastId = event.id;
        if (event.data !== "") this.#settings.onEvent(event);
      }
    }
  }

  #pause(ms: number | null): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => {
      this.#wake = null;
    });
  }
}
