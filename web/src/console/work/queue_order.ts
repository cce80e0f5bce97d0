/** Orders open batches as phones get to their tasks, and estimates how long they take. Pure. */

import type { BatchStatus } from "../data/types";

export const LOWEST = -100;
export const HIGHEST = 100;

/** Returns the batches in the order of the queue: higher priorities first, then what was submitted first. */
export function orderQueue(batches: readonly BatchStatus[]): readonly BatchStatus[] {
  return [...batches].sort((a, b) => b.priority - a.priority || a.submitted_at - b.submitted_at);
}

/** Returns the priority that moves a batch to a place of the queue; null if it is there already. */
export function priorityAt(queue: readonly BatchStatus[], moved: string, place: number): number | null {
  const batch = queue.find((one) => one.id === moved);
  const rest = queue.filter((one) => one.id !== moved);
  if (batch === undefined || queue[place]?.id === moved) return null;
  const before = rest[place - 1];
  const after = rest[place];
  const isBehind = (other: BatchStatus): boolean => other.submitted_at <= batch.submitted_at;
  let wanted = batch.priority;
  if (after !== undefined) wanted = Math.max(wanted, isBehind(after) ? after.priority + 1 : after.priority);
  if (before !== undefined) wanted = Math.min(wanted, isBehind(before) ? before.priority : before.priority - 1);
  wanted = Math.min(HIGHEST, Math.max(LOWEST, wanted));
  return wanted === batch.priority ? null : wanted;
}

/** Estimates the seconds until a batch has ended, from how many of its tasks have ended so far; null if nobody can tell. */
export function secondsLeft(batch: BatchStatus, now: number): number | null {
  if (batch.phase !== "open") return null;
  const left = batch.waiting + batch.running;
  const ended = batch.tasks - left;
  if (ended < 1 || left === 0) return null;
  return (left * Math.max(1, now - batch.submitted_at)) / ended;
}
