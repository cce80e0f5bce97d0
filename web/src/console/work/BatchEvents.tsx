/** What happened to a batch, from its first event on. It is read only while a person looks at it. */

import "../shared/event_lines.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { choice, choose } from "../../state/address";
import { Stream } from "../data/stream";
import type { ServiceEvent } from "../data/types";
import { EventLines } from "../shared/EventLines";

const MOST = 1000;

export function BatchEvents({ batch }: { batch: string }): JSX.Element {
  const isOpen = choice("events") === "1";
  return (
    <section class="event-section">
      <Button
        icon={isOpen ? "up" : "down"}
        kind="quiet"
        aria-expanded={isOpen}
        onClick={() => choose({ events: isOpen ? "" : "1" })}
      >
        What happened
      </Button>
      {isOpen && <OpenEvents batch={batch} />}
    </section>
  );
}

function OpenEvents({ batch }: { batch: string }): JSX.Element {
  const events = useSignal<readonly ServiceEvent[]>([]);
  useEffect(() => {
    let arrived: ServiceEvent[] = [];
    let frame = 0;
    const stream = new Stream({
      path: "/events",
      query: () => ({ batch, after: 0 }),
      onEvent: ({ data }) => {
        const event = JSON.parse(data) as ServiceEvent;
        if (event.kind === "task.step") return;
        arrived.unshift(event);
        if (arrived.length > MOST) arrived = arrived.slice(0, MOST);
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          events.value = [...arrived];
        });
      },
    });
    return () => {
      stream.close();
      cancelAnimationFrame(frame);
    };
  }, [batch]);
  return <EventLines events={events.value} label={`Events of ${batch}`} />;
}
