/** What a person submits: goals line by line, or YAML; and how it is sent and checked. */

import { send, type Asked } from "../data/requests";
import type { BatchCheck, BatchStatus } from "../data/types";

export interface BatchFields {
  readonly name: string;
  readonly priority: number;
  readonly tags: readonly string[];
  /** In how many hours it must have ended; null for no deadline. */
  readonly hours: number | null;
  readonly phones: string;
}

export interface Submission {
  readonly kind: "goals" | "yaml";
  readonly text: string;
  readonly fields: BatchFields;
}

export const NO_FIELDS: BatchFields = { name: "", priority: 0, tags: [], hours: null, phones: "" };

/** Returns the goals: one a line, empty lines and lines with `#` left out. */
export function goalsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

export function isEmpty(submission: Submission): boolean {
  return submission.kind === "goals" ? goalsOf(submission.text).length === 0 : submission.text.trim() === "";
}

/** Returns the tasks of goals, with ids as `manyhands submit --goal` gives them. */
export function tasksOf(goals: readonly string[]): readonly { readonly id: string; readonly goal: string }[] {
  return goals.map((goal, number) => ({ id: `goal-${number + 1}`, goal }));
}

export async function checkSubmission(submission: Submission, signal: AbortSignal): Promise<BatchCheck> {
  const answer = await send(pathOf("/batches:check", submission), { ...bodyOf(submission), method: "POST", signal });
  return (await answer.json()) as BatchCheck;
}

/** Submits. `key` is the same for a submission that is sent again, so that it is stored once. */
export async function submit(submission: Submission, key: string): Promise<BatchStatus> {
  const asked = bodyOf(submission);
  const headers = { "Idempotency-Key": key };
  const answer = await send(pathOf("/batches", submission), { ...asked, method: "POST", headers });
  return (await answer.json()) as BatchStatus;
}

function deadlineOf(fields: BatchFields): number | null {
  return fields.hours === null ? null : Math.round(Date.now() / 1000 + fields.hours * 3600);
}

function bodyOf(submission: Submission): Asked {
  if (submission.kind === "yaml") return { text: { content: submission.text, type: "application/yaml" } };
  const { name, priority, tags, phones } = submission.fields;
  const deadline = deadlineOf(submission.fields);
  const tasks = tasksOf(goalsOf(submission.text));
  return { body: { tasks, name, priority, tags, phones, ...(deadline === null ? {} : { deadline }) } };
}

export type ScheduleFields = Readonly<Record<"when" | "zone" | "overlap" | "missed", string>>;

/** Makes a schedule that submits this again and again. */
export async function makeSchedule(submission: Submission, schedule: ScheduleFields): Promise<void> {
  if (submission.kind === "yaml") {
    const path = pathOf("/schedules", submission, schedule);
    await send(path, { ...bodyOf(submission), method: "POST" });
    return;
  }
  const batch = bodyOf(submission).body;
  await send("/schedules", { method: "POST", body: { name: submission.fields.name, batch, ...schedule } });
}

/** YAML holds tasks alone, so everything else stands in the query. */
function pathOf(path: string, submission: Submission, further: Readonly<Record<string, string>> = {}): string {
  if (submission.kind !== "yaml") return path;
  const { name, priority, tags, phones } = submission.fields;
  const query = new URLSearchParams(further);
  if (name) query.set("name", name);
  if (priority !== 0) query.set("priority", String(priority));
  for (const tag of tags) query.append("tag", tag);
  if (phones) query.set("phones", phones);
  const deadline = deadlineOf(submission.fields);
  if (deadline !== null) query.set("deadline", String(deadline));
  const words = query.toString();
  return words ? `${path}?${words}` : path;
}

