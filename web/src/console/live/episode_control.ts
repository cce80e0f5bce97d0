/** Pauses, stops, takes over and hands back an episode; knows how it stands. */

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { followEvents } from "../data/event_feed";
import { problemOf, type Problem } from "../data/problem";
import { makeRequestKey } from "../data/request_key";
import { change, get, part, send } from "../data/requests";
import type { PersonAction } from "../../episode";
import type { EpisodeControl, PersonActionAnswer } from "../data/types";

export type ControlVerb = "pause" | "resume" | "stop" | "take-over" | "hand-back";

const POLL_MS = 3000;

export class ControlledEpisode {
  readonly state = signal<EpisodeControl | null>(null);
  /** What is asked for and not answered yet. */
  readonly pending = signal<ControlVerb | "action" | null>(null);
  readonly problem = signal<Problem | null>(null);
  /** What came of the last request, in words. */
  readonly result = signal<string | null>(null);
  readonly #path: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(episode: string) {
    this.#path = `/episodes/${part(episode)}`;
  }

  open(): () => void {
    const end = followEvents({
      onOpen: () => void this.#load(),
      onEvent: (event) => {
        if (event.kind.startsWith("episode.") || event.kind === "task.ended") void this.#load();
      },
    });
    void this.#load();
    return () => {
      end();
      this.#isClosed = true;
      clearTimeout(this.#timer);
    };
  }

  /** Asks how the episode stands. */
  reload(): void {
    void this.#load();
  }

  async ask(verb: ControlVerb): Promise<void> {
    if (this.pending.value !== null) return;
    this.pending.value = verb;
    this.problem.value = null;
    this.result.value = null;
    const began = performance.now();
    try {
      const state = await change<EpisodeControl>("POST", `${this.#path}:${verb}`);
      this.state.value = state;
      this.result.value = RESULTS[verb]((performance.now() - began) / 1000, state.is_by_hand);
    } catch (error) {
      this.problem.value = problemOf(error);
      void this.#load();
    } finally {
      this.pending.value = null;
    }
  }

  /**
   * Sends what a person did on the picture that shows `screen`, and returns whether the phone did it.
   * A request without an answer is sent again by its key.
   */
  async act(screen: string, action: PersonAction): Promise<boolean> {
    if (this.pending.value !== null) return false;
    this.pending.value = "action";
    this.problem.value = null;
    this.result.value = null;
    try {
      const headers = { "Idempotency-Key": makeRequestKey() };
      const answer = await this.#sendTwice({ method: "POST", headers, body: { screen, action } });
      this.state.value = answer.control;
      if (answer.status === "done") return true;
      const detail = answer.detail || "Only the screen can tell what came of it.";
      this.problem.value = { type: "about:blank", title: `${action.name}: ${answer.status}`, status: 200, detail, mistakes: [] };
      return false;
    } catch (error) {
      this.problem.value = problemOf(error);
      void this.#load();
      return false;
    } finally {
      this.pending.value = null;
    }
  }

  async #sendTwice(asked: Parameters<typeof send>[1]): Promise<PersonActionAnswer> {
    try {
      return (await (await send(`${this.#path}/actions`, asked)).json()) as PersonActionAnswer;
    } catch (error) {
      if (problemOf(error).status !== 0 && problemOf(error).status !== 503) throw error;
      return (await (await send(`${this.#path}/actions`, asked)).json()) as PersonActionAnswer;
    }
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const state = await get<EpisodeControl>(`${this.#path}/control`);
      if (this.pending.value === null) this.state.value = state;
    } catch {
      // The report says what is wrong with the episode; without its state, nothing is offered.
    }
    if (!this.#isClosed && this.state.value?.phase !== "ended") {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#load(), POLL_MS);
    }
  }
}

const RESULTS: Readonly<Record<ControlVerb, (seconds: number, isByHand: boolean) => string>> = {
  pause: () => "Paused. No further action is sent.",
  resume: (_, isByHand) => (isByHand ? "Resumed." : "Resumed. The agent goes on."),
  stop: (seconds) => `Stopped, after ${seconds.toFixed(1)} s. Nothing more is sent to the phone.`,
  "take-over": () => "You have the phone. Tap, swipe and type on the picture.",
  "hand-back": (_, isByHand) => (isByHand ? "Handed back. The phone is free again." : "Handed back. The agent goes on from this screen."),
};

export function useControl(episode: string): ControlledEpisode {
  const control = useMemo(() => new ControlledEpisode(episode), [episode]);
  useEffect(() => control.open(), [control]);
  return control;
}
