/** Faults, resumptions, outages, pauses and takeovers as a list. Each leads to its place on the timeline. */
import type { JSX } from "preact";
import { Badge, type Tone } from "../../components/Badge";
import { VirtualList } from "../../components/VirtualList";
import { formatClock } from "../../state/format";
import type { RunReport, TimelineEvent } from "../../api/schema";
import { showSpan } from "./zoom";

const LOOKS: Readonly<Record<TimelineEvent["kind"], readonly [words: string, tone: Tone]>> = {
  fault: ["fault", "bad"],
  resumed: ["resumed", "accent"],
  outage: ["outage", "warn"],
  paused: ["paused", "warn"],
  taken_over: ["taken over", "accent"],
};
/** How much time around an event is shown, in seconds. */
const AROUND = 15;

/** Show the events in the order of time. Nothing is shown where nothing happened. */
export function EventList({ report }: { report: RunReport }): JSX.Element | null {
  const { events, phones } = report;
  if (!events.length) return null;
  const end = Math.max(1, ...phones.flatMap((track) => track.episodes.map((one) => one.end)));
  const show = (event: TimelineEvent): void => showSpan({ from: event.at - AROUND, to: (event.end ?? event.at) + AROUND }, end);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Faults, resumptions and persons' holds</h2>
      </header>
      <VirtualList items={events} height={36} keyOf={(event) => `${event.at} ${event.kind} ${event.phone} ${event.text}`} label="Events of the run">
        {(event) => (
          <button type="button" class="timeline-event" onClick={() => show(event)}>
            <span class="num">{formatClock(report.started_at + event.at)}</span>
            <Badge tone={LOOKS[event.kind][1]}>{LOOKS[event.kind][0]}</Badge>
            <span class="clip" title={event.text}>
              {event.text}
            </span>
            <span class="clip mono faint" title={event.phone}>
              {event.phone}
            </span>
          </button>
        )}
      </VirtualList>
    </section>
  );
}
