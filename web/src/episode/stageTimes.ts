/** Place the stages of a step in time, and say their numbers in words. */
import { formatSeconds } from "../state/format";
import type { StageBar } from "./types";

export interface StageRow {
  readonly stage: string;
  readonly bars: readonly StageBar[];
}

/** Return one row a stage: in the order of the schedule, then other stages in the order of their starts. */
export function stageRows(bars: readonly StageBar[], order: readonly string[]): StageRow[] {
  const names = ["settle", ...order, ...bars.map((bar) => bar.stage)];
  return [...new Set(names)]
    .map((stage) => ({ stage, bars: bars.filter((bar) => bar.stage === stage) }))
    .filter((row) => row.bars.length > 0);
}

export interface TimeScale {
  /** The start of the first stage, in Unix seconds. */
  readonly start: number;
  /** From the start of the first stage to the end of the last one. */
  readonly seconds: number;
  /** The sum of the stages' times. */
  readonly worked: number;
  readonly perSecond: number;
  readonly ticks: readonly { readonly at: number; readonly x: number }[];
  /** Return the place of a time in Unix seconds. */
  readonly place: (at: number) => number;
}

/** Return the scale on which all stages fit into `width` pixels. */
export function scaleTime(bars: readonly StageBar[], width: number): TimeScale {
  const start = Math.min(...bars.map((bar) => bar.start));
  const end = Math.max(...bars.map((bar) => bar.end));
  const seconds = Math.max(end - start, 0.001);
  const perSecond = width / seconds;
  const every = roundStep(seconds / Math.max(2, Math.floor(width / 90)));
  const ticks = [];
  for (let count = 0; count * every <= seconds; count += 1) ticks.push({ at: count * every, x: count * every * perSecond });
  return {
    start,
    seconds,
    worked: bars.reduce((sum, bar) => sum + bar.end - bar.start, 0),
    perSecond,
    ticks,
    place: (at) => (at - start) * perSecond,
  };
}

/** Return the least of 1, 2, 5, 10, 20, ... that is not smaller. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

/** Say all numbers of a bar in one line. */
export function stageSentence(bar: StageBar): string {
  const parts = [`${bar.stage}: ${formatSeconds(bar.end - bar.start)}`];
  if (bar.queue_ms >= 1) parts.push(`of these ${formatSeconds(bar.queue_ms / 1000)} in queues`);
  for (const [from, to] of bar.away) parts.push(`${formatSeconds(to - from)} without a model server`);
  if (bar.assumed.length) parts.push(`began on an assumption about ${bar.assumed.join(" and ")}`);
  if (bar.became === "dropped") parts.push(`dropped${bar.wrong ? `, because ${bar.wrong} did not end as assumed` : ""}`);
  if (bar.became === "discarded") parts.push("discarded by an interruption");
  if (bar.became === "failed") parts.push(`failed${bar.error ? `: ${bar.error}` : ""}`);
  return parts.join("; ");
}
