/** Shows how long something has lasted. Each second only its text changes, without a new render. */

import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { formatSeconds } from "../../state/format";
import { now } from "./now";

export function Elapsed({ since }: { since: number }): JSX.Element {
  const words = useComputed(() => formatElapsed(now.value - since));
  return <span class="num">{words}</span>;
}

/** Shows how long ago something was, in one unit: `3 min ago`. */
export function Ago({ at }: { at: number }): JSX.Element {
  const words = useComputed(() => formatAgo(now.value - at));
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={new Date(at * 1000).toLocaleString("en-GB")}>
      {words}
    </time>
  );
}

/** `4.2` is `4 s`: whole seconds, which do not flicker. */
export function formatElapsed(seconds: number): string {
  return seconds < 60 ? `${Math.max(0, Math.floor(seconds))}\u00a0s` : formatSeconds(seconds);
}

export function formatAgo(seconds: number): string {
  if (seconds < 5) return "just now";
  return `${formatSpan(seconds)} ago`;
}

/** `7500` is `2 h`: one unit, for times that are rough anyway. */
export function formatSpan(seconds: number): string {
  const units = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
  ] as const;
  for (const [size, unit] of units) {
    if (seconds >= size) return `${Math.floor(seconds / size)}\u00a0${unit}`;
  }
  return `${Math.max(1, Math.floor(seconds))}\u00a0s`;
}
