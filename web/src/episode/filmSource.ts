/** What a film needs beside the episode: pictures, model calls and the log, from the disk or from a service. */
import type { Reach } from "../state/reach";
import type { StepCalls } from "./types";

export interface FilmSource {
  /** Return the address of a screen, or null where the report has no screens. `small`: as a thumbnail. */
  readonly pictureUrl: (contentId: string, size: "full" | "small") => string | null;
  /** Load what the model calls of a step sent and received. */
  readonly loadCalls: (step: number) => Promise<StepCalls>;
  /** Load the phone's log of the episode, as `adb logcat` writes it. */
  readonly loadLog?: () => Promise<string>;
  /** Ask whether pictures can be had at all now. Left out where they are in the page itself. */
  readonly reach?: Reach | undefined;
}

/** A stage that runs now. */
export interface StageNow {
  readonly stage: string;
  readonly step: number;
  /** When it began, in Unix seconds. */
  readonly since: number;
}

/** A person who has paused the episode, or has taken its phone over. */
export interface PersonNow {
  readonly isPaused: boolean;
  /** "" if nobody knows. */
  readonly name: string;
  /** Whether it is the reader of this page. */
  readonly isReader: boolean;
  /** Since when, and when the takeover ends by itself, in Unix seconds. */
  readonly since: number | null;
  readonly endsAt: number | null;
  /** Whether no agent waits for the phone: it is free after the takeover. */
  readonly isByHand: boolean;
}

/** Return who has the phone or has paused the episode, as a sentence without its dot. */
export function personWords({ name, isReader, isPaused }: PersonNow): string {
  if (isPaused) return isReader ? "You have paused the episode" : `${name || "A person"} has paused the episode`;
  return isReader ? "You have the phone" : `${name || "A person"} has the phone`;
}

/** How an episode that still runs is followed. */
export interface LiveState {
  /** `lost`: the page connects again by itself, and misses nothing. */
  readonly connection: "open" | "lost";
  readonly stages: readonly StageNow[];
  /** Who has the phone instead of the agent, if anybody. */
  readonly person?: PersonNow | null;
  /** What a model has written so far of its reply, where its server streams. */
  readonly writing?: { readonly agent: string; readonly text: string } | null;
}
