/** A bar of the tasks of a batch: done, failed, cancelled, running; what is left waits. */

import "./progress.css";
import type { JSX } from "preact";
import { formatCount } from "../../state/format";

export interface TaskCounts {
  readonly tasks: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled?: number;
  readonly retried?: number;
}

const PARTS = ["done", "failed", "cancelled", "running"] as const;

export function Progress({ counts }: { counts: TaskCounts }): JSX.Element {
  const total = Math.max(1, counts.tasks - (counts.retried ?? 0));
  return (
    <span class="progress" role="img" aria-label={progressWords(counts)}>
      {PARTS.map((part) => {
        const count = counts[part] ?? 0;
        return count === 0 ? null : (
          <span key={part} class={`progress-part progress-${part}`} style={{ width: `${(100 * count) / total}%` }} />
        );
      })}
    </span>
  );
}

/** Says in words what the bar shows. */
export function progressWords(counts: TaskCounts): string {
  const words = PARTS.filter((part) => (counts[part] ?? 0) > 0).map((part) => `${formatCount(counts[part] ?? 0)} ${part}`);
  if (counts.waiting > 0) words.push(`${formatCount(counts.waiting)} waiting`);
  return words.join(", ") || "no tasks";
}
