/** Orders open batches as phones get to their tasks, and estimates how long they take. Pure. */

import type { BatchStatus } from "../data/types";

/** Returns the batches in the order of the queue: higher priorities first, then what was submitted first. */
export function orderQueue(batches: readonly BatchStatus[]): readonly BatchStatus[] {
  return [...batches].sort((a, b) => b.priority - a.priority || a.submitted_at - b.submitted_at);
}

/** Estimates the seconds until a batch has ended, from how many of its tasks have ended so far; null if nobody can tell. */
export function secondsLeft(batch: BatchStatus, now: number): number | null {
  if (batch.phase !== "open") return null;
  const left = batch.waiting + batch.running;
  const ended = batch.tasks - left;
  if (ended < 1 || left === 0) return null;
  return (left * Math.max(1, now - batch.submitted_at)) / ended;
}
