/** The run as a timeline: a row a phone, a bar a step. Zoom, pan, and see the screen of the step under the pointer. */
import "./timeline.css";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/Button";
import { useKeys } from "../../components/keys";
import { resolveColours } from "../../design/colours";
import { restyled } from "../../design/theme";
import { choice, choose, go } from "../../state/address";
import { formatCounted, formatSeconds } from "../../state/format";
import type { ReportedTask, RunReport } from "../../api/schema";
import { endingWords } from "../words";
import { COLOUR_NAMES, drawTimeline, type Colouring } from "./draw";
import { AXIS, barOf, ROW, xOf, type Layout, type Place } from "./layout";
import { neighbour, type Way } from "./neighbour";
import { TimelineCard, type Pointed } from "./TimelineCard";
import { TimelineLegend } from "./TimelineLegend";
import { useTimelineInput } from "./useTimelineInput";
import { pan, showSpan, shownSpan, zoomAt } from "./zoom";

const COLOURINGS: readonly Colouring[] = ["stage", "verdict", "ending"];

/** Show the timeline. `shown`: the tasks that the filters leave; other ones are pale. */
export function Timeline({ report, shown }: { report: RunReport; shown: readonly ReportedTask[] }): JSX.Element {
  const { phones, events } = report;
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 800, height: 300 });
  const [scrolled, setScrolled] = useState(0);
  const [pointed, point] = useState<Pointed | null>(null);
  const [marked, mark] = useState<Place | null>(null);
  const end = useMemo(() => Math.max(1, ...phones.flatMap((track) => track.episodes.map((one) => one.end))), [phones]);
  const goals = useMemo(() => new Map(report.tasks.map((task) => [task.row.id, task.goal])), [report.tasks]);
  const tasks = useMemo(() => new Set(shown.map((task) => task.row.id)), [shown]);
  const colouring = COLOURINGS.find((one) => one === choice("colour")) ?? "stage";
  const span = shownSpan(end);
  const layout: Layout = { ...size, scrolled, span, left: size.width < 600 ? 72 : 150 };
  const colours = useMemo(() => resolveColours(COLOUR_NAMES), [restyled.value]);

  useLayoutEffect(() => {
    const holder = frame.current;
    if (!holder) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: holder.clientWidth, height: holder.clientHeight }));
    observer.observe(holder);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const scale = devicePixelRatio || 1;
    element.width = Math.round(size.width * scale);
    element.height = Math.round(size.height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const font = getComputedStyle(element).fontFamily;
    drawTimeline(context, { layout, phones, events, colouring, colours, font, tasks, marked: pointed ?? marked });
  });
  const open = (place: Place): void =>
    go(["episodes", place.episode.episode], place.step ? { step: place.step.step } : {});
  useTimelineInput(canvas, { layout, phones, end, point, open });

  const walk = (way: Way): void => {
    const next = neighbour(phones, marked, way, span.from);
    if (!next) return;
    mark(next);
    frame.current?.focus({ preventScroll: true });
    const row = phones.indexOf(next.track);
    if (frame.current) {
      const top = row * ROW;
      const room = size.height - AXIS - ROW;
      if (top < frame.current.scrollTop) frame.current.scrollTop = top;
      if (top > frame.current.scrollTop + room) frame.current.scrollTop = top - room;
    }
    const moment = next.step?.start ?? next.episode.start;
    const length = span.to - span.from;
    if (moment < span.from || moment > span.to) showSpan({ from: moment - length / 2, to: moment + length / 2 }, end);
  };
  const middle = marked?.step?.start ?? (span.from + span.to) / 2;
  useKeys("Timeline", [
    { key: "+", does: "zoom in", run: () => zoomAt(span, middle, 0.6, end) },
    { key: "-", does: "zoom out", run: () => zoomAt(span, middle, 1 / 0.6, end) },
    { key: "0", does: "the whole run", run: () => showSpan({ from: 0, to: end }, end) },
    { key: "ArrowRight", does: "next step", run: () => walk("next") },
    { key: "ArrowLeft", does: "step before", run: () => walk("before") },
    { key: "ArrowDown", does: "phone below", run: () => walk("below") },
    { key: "ArrowUp", does: "phone above", run: () => walk("above") },
    { key: "Shift+ArrowRight", does: "later", run: () => pan(span, 0.25, end) },
    { key: "Shift+ArrowLeft", does: "earlier", run: () => pan(span, -0.25, end) },
    { key: "Enter", does: "open the step", run: () => marked && open(marked) },
    { key: "Escape", does: "mark no step", run: () => mark(null) },
  ]);
  return (
    <section class="timeline panel" aria-label="Timeline of all phones">
      <header class="timeline-tools">
        <div class="verdicts" role="group" aria-label="Colours">
          {COLOURINGS.map((one) => (
            <button
              key={one}
              type="button"
              class="verdict"
              aria-pressed={one === colouring}
              onClick={() => choose({ colour: one === "stage" ? "" : one })}
            >
              {one === "stage" ? "Stages" : one === "verdict" ? "Verdicts" : "Endings"}
            </button>
          ))}
        </div>
        <TimelineLegend colouring={colouring} phones={phones} events={events} />
        <div class="timeline-zoom">
          <Button icon="minus" label="Zoom out" kind="quiet" onClick={() => zoomAt(span, middle, 1 / 0.6, end)} />
          <Button icon="plus" label="Zoom in" kind="quiet" onClick={() => zoomAt(span, middle, 0.6, end)} />
          <Button kind="quiet" disabled={span.from <= 0 && span.to >= end} onClick={() => showSpan({ from: 0, to: end }, end)}>
            Whole run
          </Button>
        </div>
      </header>
      <div
        class="timeline-frame"
        ref={frame}
        tabIndex={0}
        role="group"
        style={{ height: `${AXIS + phones.length * ROW + 8}px` }}
        aria-label={`${formatCounted(phones.length, "phone")} over ${formatSeconds(end)}. Arrow keys go from step to step, Enter opens one.`}
        onBlur={() => mark(null)}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      >
        <canvas ref={canvas} class="timeline-canvas" aria-hidden="true" style={{ width: `${size.width}px`, height: `${size.height}px` }} />
        <div style={{ height: `${Math.max(0, AXIS + phones.length * ROW + 8 - size.height)}px` }} />
      </div>
      <p class="unseen" role="status">
        {marked && `${marked.track.phone}, task ${marked.episode.task}, ${marked.step ? `step ${marked.step.step}, verdict ${marked.step.outcome ?? "none"}` : endingWords(marked.episode.ending)}`}
      </p>
      {pointed && <TimelineCard pointed={pointed} startedAt={report.started_at} goal={goals.get(pointed.episode.task) ?? ""} />}
      {!pointed && marked && (
        <TimelineCard
          pointed={{ ...marked, at: cardPlace(marked, phones.indexOf(marked.track), layout, frame.current) }}
          startedAt={report.started_at}
          goal={goals.get(marked.episode.task) ?? ""}
        />
      )}
    </section>
  );
}

function cardPlace(place: Place, row: number, layout: Layout, frame: HTMLElement | null): Pointed["at"] {
  const box = frame?.getBoundingClientRect();
  const [top, height] = barOf(layout, row);
  const left = (box?.left ?? 0) + xOf(layout, place.step?.start ?? place.episode.start);
  return { left, width: 0, top: (box?.top ?? 0) + top, bottom: (box?.top ?? 0) + top + height };
}
