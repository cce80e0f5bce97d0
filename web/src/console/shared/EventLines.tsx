/** Events as lines, the newest first: when, what, which task or phone, and why. */

import "./event_lines.css";
import type { JSX } from "preact";
import { formatClock, formatTime } from "../../state/format";
import type { ServiceEvent } from "../data/types";
import { places } from "../shell/routes";
import { endingWords, failureWords } from "./states";
import { Cell, VirtualRows } from "./VirtualRows";

const WORDS: Readonly<Record<string, string>> = {
  "batch.accepted": "batch accepted",
  "batch.paused": "batch paused",
  "batch.resumed": "batch resumed",
  "batch.priority": "batch got another priority",
  "task.priority": "task got another priority",
  "batch.cancelled": "batch cancelled",
  "batch.ended": "batch ended",
  "task.paused": "task paused",
  "task.resumed": "task resumed",
  "task.retried": "task submitted again",
  "task.began": "task began",
  "task.step": "task is at another step",
  "task.ended": "task ended",
  "task.failed": "task failed",
  "episode.paused": "episode paused",
  "episode.person_wanted": "agent asks for a person",
  "episode.resumed": "episode resumed",
  "episode.taken_over": "episode taken over",
  "episode.handed_back": "episode handed back",
  "phone.away": "phone is away",
  "phone.back": "phone is back",
  "phone.aside": "phone set aside",
  "phone.released": "phone released",
  "model.away": "model is away",
  "model.back": "model is back",
  "schedule.fired": "schedule submitted",
  "schedule.missed": "schedule missed a time",
};
const BAD = new Set(["task.failed", "phone.away", "model.away", "schedule.missed"]);
const HEIGHT = 34;

export function EventLines({ events, label }: { events: readonly ServiceEvent[]; label: string }): JSX.Element {
  return (
    <VirtualRows
      items={events}
      keyOf={(event) => String(event.id)}
      height={HEIGHT}
      label={label}
      head={
        <>
          <Cell head kind="short">
            Time
          </Cell>
          <Cell head kind="what">
            What
          </Cell>
          <Cell head kind="of">
            Of which
          </Cell>
          <Cell head kind="why">
            Why
          </Cell>
        </>
      }
    >
      {(event) => (
        <>
          <Cell kind="short">
            <time class="faint" dateTime={new Date(event.at * 1000).toISOString()} title={formatTime(event.at)}>
              {formatClock(event.at)}
            </time>
          </Cell>
          <Cell kind="what">
            <span class={`clip event-what${BAD.has(event.kind) ? " event-bad" : ""}`} title={wordsOf(event)}>
              {wordsOf(event)}
            </span>
          </Cell>
          <Cell kind="of">
            <Subject event={event} />
          </Cell>
          <Cell kind="why">
            <span class="clip event-why" title={reasonOf(event)}>
              {reasonOf(event)}
            </span>
          </Cell>
        </>
      )}
    </VirtualRows>
  );
}

function Subject({ event }: { event: ServiceEvent }): JSX.Element {
  if (event.task) return <Link href={places.task(event.task)} words={event.task} />;
  if (event.phone) return <Link href={places.phone(event.phone)} words={event.phone} />;
  if (event.batch) return <Link href={places.batch(event.batch)} words={event.batch} />;
  return <span />;
}

function Link({ href, words }: { href: string; words: string }): JSX.Element {
  return (
    <a class="clip event-of mono" href={href} title={words}>
      {words}
    </a>
  );
}

function wordsOf(event: ServiceEvent): string {
  return WORDS[event.kind] ?? event.kind;
}

function reasonOf(event: ServiceEvent): string {
  const data = event.data ?? {};
  const ending = typeof data["ending"] === "string" ? data["ending"] : "";
  const words = data["is_done"] === false ? failureWords({ ending, verified: data["verified"] as boolean | null }) : endingWords(ending);
  const text = data["question"] ?? data["reason"];
  const reason = typeof text === "string" ? text : "";
  const by = typeof data["by"] === "string" ? `by ${data["by"]}` : "";
  return [words, reason, by].filter(Boolean).join(": ");
}
