/** Words and colours for phases and endings. */

import type { JSX } from "preact";
import { Badge, type Tone } from "../../components/Badge";
import type { IconName } from "../../components/icons";
import type { BatchPhase, TaskStatus } from "../data/types";
import { findPhone } from "../data/wall_store";

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly words: string;
}

const BATCHES: Readonly<Record<BatchPhase, Look>> = {
  open: { tone: "accent", icon: "play", words: "open" },
  paused: { tone: "warn", icon: "pause", words: "paused" },
  cancelled: { tone: "quiet", icon: "stop", words: "cancelled" },
  ended: { tone: "good", icon: "check", words: "ended" },
};

export function BatchState({ phase, failed }: { phase: BatchPhase; failed: number }): JSX.Element {
  const look = phase === "ended" && failed > 0 ? { tone: "bad" as const, icon: "cross" as const, words: "has failures" } : BATCHES[phase];
  return (
    <Badge tone={look.tone} icon={look.icon}>
      {look.words}
    </Badge>
  );
}

/** Returns what an ending is called: `step_limit` is "step limit". */
export function endingWords(ending: string): string {
  return ending.replaceAll("_", " ");
}

/** Returns what a failed task is called. Where the agent said that it had finished, the check counts, not its word. */
export function failureWords(task: { ending?: string | null; verified?: boolean | null }): string {
  if (task.ending !== "finished") return endingWords(task.ending ?? "failed");
  return task.verified == null ? "undecided" : "check failed";
}

/** Returns how a running task looks whose episode a person has paused or taken over; null if nobody has. */
function heldLook(task: TaskStatus): Look | null {
  const phone = task.phone == null ? undefined : findPhone(task.phone)?.value;
  if (phone === undefined || phone.task !== task.id) return null;
  if (phone.question) return { tone: "warn", icon: "hand", words: "asks for a person" };
  if (phone.is_paused) return { tone: "warn", icon: "pause", words: "paused" };
  return phone.taken_over_by == null ? null : { tone: "warn", icon: "hand", words: "taken over" };
}

function lookOf(task: TaskStatus): Look {
  switch (task.phase) {
    case "waiting":
      return { tone: "quiet", icon: "clock", words: "waiting" };
    case "paused":
      return { tone: "warn", icon: "pause", words: "paused" };
    case "running":
      return heldLook(task) ?? { tone: "accent", icon: "play", words: "running" };
    case "ended":
      if (task.is_done) return { tone: "good", icon: "check", words: "done" };
      if (task.ending === "cancelled") return { tone: "quiet", icon: "stop", words: "cancelled" };
      return { tone: "bad", icon: "cross", words: failureWords(task) };
  }
}

/** Returns how a task stands, as its badge says it. */
export function taskWords(task: TaskStatus): string {
  return lookOf(task).words;
}

export function TaskState({ task }: { task: TaskStatus }): JSX.Element {
  const look = lookOf(task);
  return (
    <Badge tone={look.tone} icon={look.icon}>
      {look.words}
    </Badge>
  );
}

/** Whether a task failed: it ended, is not done, and nobody cancelled it. */
export function hasFailed(task: TaskStatus): boolean {
  return task.phase === "ended" && !task.is_done && task.ending !== "cancelled";
}
