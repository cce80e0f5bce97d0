/** What the colours and marks of the timeline mean. Only what the run has is named. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { PhoneTrack, TimelineEvent } from "../../api/schema";
import { stageFill, VERDICT_ORDER, VERDICTS } from "../words";
import type { Colouring } from "./draw";

type Entry = readonly [name: string, fill: string];

const OUTCOMES: readonly Entry[] = [
  ["as expected", "--good-fill"],
  ["wrong page", "--bad-fill"],
  ["no change", "--warn-fill"],
  ["no verdict", "--stage-other"],
];

/** Show the legend. */
export function TimelineLegend(props: {
  colouring: Colouring;
  phones: readonly PhoneTrack[];
  events: readonly TimelineEvent[];
}): JSX.Element {
  const { colouring, phones, events } = props;
  const entries = useMemo(() => entriesOf(colouring, phones), [colouring, phones]);
  const kinds = new Set(events.map((event) => event.kind));
  return (
    <ul class="timeline-legend" aria-label="Colours of the timeline">
      {entries.map(([name, fill]) => (
        <li key={name}>
          <i style={{ background: `var(${fill})` }} />
          {name}
        </li>
      ))}
      {kinds.has("fault") && <Flag name="fault" fill="--bad" />}
      {kinds.has("resumed") && <Flag name="resumed" fill="--accent" />}
      {kinds.has("paused") && (
        <li>
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" style={{ fill: "var(--warn)" }}>
            <path d="M0 0h10v3H6.5v7H4V3H2.5v7H0z" />
          </svg>
          paused by a person
        </li>
      )}
      {kinds.has("taken_over") && (
        <li>
          <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" style={{ fill: "var(--accent)" }}>
            <path d="M5 0h5v3H9A4.5 4.5 0 1 1 5 0z" />
          </svg>
          taken over
        </li>
      )}
      {kinds.has("outage") && (
        <li>
          <i class="timeline-outage" />
          no model
        </li>
      )}
    </ul>
  );
}

function Flag({ name, fill }: { name: string; fill: string }): JSX.Element {
  return (
    <li>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        <path d="M0.5 1h9L5 9z" style={{ fill: `var(${fill})` }} />
      </svg>
      {name}
    </li>
  );
}

function entriesOf(colouring: Colouring, phones: readonly PhoneTrack[]): readonly Entry[] {
  if (colouring === "verdict") return OUTCOMES;
  const episodes = phones.flatMap((track) => track.episodes);
  if (colouring === "ending") {
    const found = new Set(episodes.map((one) => one.verdict));
    return VERDICT_ORDER.filter((one) => found.has(one)).map((one): Entry => [VERDICTS[one].title.toLowerCase(), VERDICTS[one].fill]);
  }
  const names = new Set(episodes.flatMap((one) => one.steps.flatMap((step) => step.stages.map(([stage]) => stage))));
  return [...names].map((name): Entry => [name, stageFill(name)]);
}
