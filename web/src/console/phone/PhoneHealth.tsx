/** How a phone has done over time: when it worked, failed, was away or set aside, drawn from its log. */

import type { JSX } from "preact";
import { formatCount, formatShare, formatTime } from "../../state/format";
import type { ServiceEvent } from "../data/types";
import { Facts } from "../shared/Facts";
import { formatSpan } from "../shared/Elapsed";
import { now } from "../shared/now";

type Condition = "free" | "busy" | "away" | "aside";

interface Stretch {
  readonly condition: Condition;
  readonly from: number;
  readonly to: number;
}

const NEXT: Readonly<Record<string, Condition>> = {
  "task.began": "busy",
  "task.ended": "free",
  "phone.away": "away",
  "phone.back": "free",
  "phone.aside": "aside",
  "phone.released": "free",
};
const NAMES: Readonly<Record<Condition, string>> = { busy: "at work", free: "free", away: "away", aside: "set aside" };

/** Returns how long the phone was in which condition, the oldest first. `events`: the newest first. */
export function stretchesOf(events: readonly ServiceEvent[], until: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let last: { condition: Condition; from: number } | null = null;
  for (const event of [...events].reverse()) {
    const condition = NEXT[event.kind];
    if (condition === undefined) continue;
    if (last !== null && event.at > last.from) stretches.push({ ...last, to: event.at });
    last = { condition, from: event.at };
  }
  if (last !== null && until > last.from) stretches.push({ ...last, to: until });
  return stretches;
}

export function PhoneHealth({ events }: { events: readonly ServiceEvent[] }): JSX.Element {
  const until = Math.ceil(now.value / 30) * 30;
  const stretches = stretchesOf(events, until);
  const first = stretches[0]?.from ?? until;
  const total = Math.max(1, until - first);
  const sums: Record<Condition, number> = { free: 0, busy: 0, away: 0, aside: 0 };
  for (const one of stretches) sums[one.condition] += one.to - one.from;
  const ended = events.filter((event) => event.kind === "task.ended").length;
  const failed = events.filter((event) => event.kind === "task.failed").length;
  return (
    <div class="handset-health panel">
      <svg class="handset-strip" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" role="img" aria-label={wordsOf(sums, total)}>
        {stretches.map((one) => (
          <rect
            key={one.from}
            class={`strip-${one.condition}`}
            x={one.from - first}
            width={Math.max(one.to - one.from, total / 800)}
            height="1"
          >
            <title>{`${NAMES[one.condition]}: ${formatTime(one.from)}, ${formatSpan(one.to - one.from)}`}</title>
          </rect>
        ))}
      </svg>
      <p class="handset-strip-ends quiet">
        <span>{formatTime(first)}</span>
        <span>now</span>
      </p>
      <Facts
        facts={[
          ...(Object.keys(sums) as Condition[]).map(
            (condition) =>
              [
                NAMES[condition],
                <span key={condition} class="handset-key">
                  <span class={`key key-${condition}`} /> {formatShare(sums[condition] / total)}
                </span>,
              ] as const,
          ),
          ["Tasks", formatCount(ended)],
          ["Failed", `${formatCount(failed)} (${formatShare(ended === 0 ? 0 : failed / ended)})`],
        ]}
      />
    </div>
  );
}

function wordsOf(sums: Readonly<Record<Condition, number>>, total: number): string {
  return (Object.keys(sums) as Condition[]).map((one) => `${NAMES[one]} ${formatShare(sums[one] / total)}`).join(", ");
}
