/** Orders open batches as phones get to their tasks, and estimates how long they take. Pure. */

import type { BatchStatus } from "../data/types";

export const LOWEST = -100;
export const HIGHEST = 100;

/** Returns the batches in the order of the queue: higher priorities first, then what was submitted first. */
export function orderQueue(batches: readonly BatchStatus[]): readonly BatchStatus[] {
  return [...batches].sort((a, b) => b.priority - a.priority || a.submitted_at - b.submitted_at);
}

/**
 * Returns the priority that moves a batch to a place of the queue, or past it where no number says that place: batches of
 * one priority are in the order of their submission. Null if the batch is there already.
 */
export function priorityAt(queue: readonly BatchStatus[], moved: string, place: number): number | null {
  const from = queue.findIndex((one) => one.id === moved);
  const batch = queue[from];
  const passed = queue[place];
  if (batch === undefined || passed === undefined || from === place) return null;
  const isOlder = passed.submitted_at <= batch.submitted_at;
  const wanted = place < from ? passed.priority + (isOlder ? 1 : 0) : passed.priority - (isOlder ? 0 : 1);
  const allowed = Math.min(HIGHEST, Math.max(LOWEST, wanted));
  return allowed === batch.priority ? null : allowed;
}

/** Estimates the seconds until a batch has ended, from how many of its tasks have ended so far; null if nobody can tell. */
export function secondsLeft(batch: BatchStatus, now: number): number | null {
  if (batch.phase !== "open") return null;
  const left = batch.waiting + batch.running;
  const ended = batch.tasks - left;
  if (ended < 1 || left === 0) return null;
  return (left * Math.max(1, now - batch.submitted_at)) / ended;
}
