/** The stages of a step as bars over time: what ran beside what, what waited, what was assumed and what was dropped. */
import "./stageGantt.css";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { EmptyState } from "../components/EmptyState";
import { formatSeconds } from "../state/format";
import { LongText } from "./ChangedText";
import type { LiveState } from "./filmSource";
import type { FilmState } from "./filmState";
import { scaleTime, stageRows, stageSentence } from "./stageTimes";
import type { EpisodeReport, StageBar } from "./types";

const ROW = 30;
const BAR = 18;
const AXIS = 22;
const LEFT = 76;
const RIGHT = 12;
/** How many letters of a stage's name have room. */
const LONGEST_NAME = 10;

/** Show the stages. */
export function StageGantt(props: { report: EpisodeReport; film: FilmState; live: LiveState | undefined }): JSX.Element {
  const { step } = props.film;
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [pointed, setPointed] = useState<StageBar | null>(null);
  useEffect(() => {
    const at = box.current;
    if (!at) return undefined;
    const watcher = new ResizeObserver(() => setWidth(at.clientWidth));
    watcher.observe(at);
    return () => watcher.disconnect();
  }, [step.stages.length > 0]);
  useEffect(() => setPointed(null), [step.step]);
  if (!step.stages.length) {
    return <EmptyState icon="clock" title="No stage has ended yet">The times of a step are known once its stages have run.</EmptyState>;
  }
  const rows = stageRows(step.stages, props.report.stage_order);
  const scale = scaleTime(step.stages, Math.max(120, width - LEFT - RIGHT));
  const height = AXIS + rows.length * ROW + 6;
  return (
    <div class="gantt" ref={box}>
      <p class="gantt-sum">
        <strong>{formatSeconds(scale.seconds)}</strong> from the first stage to the last one; together the stages worked{" "}
        <strong>{formatSeconds(scale.worked)}</strong>
        {scale.worked > scale.seconds * 1.02 && ", so some ran beside each other"}.
      </p>
      <svg class="gantt-plot" width={width} height={height} role="group" aria-label="Stages of the step over time">
        <Patterns />
        {scale.ticks.map((tick) => (
          <g key={tick.at} class="gantt-tick" aria-hidden="true">
            <line x1={LEFT + tick.x} x2={LEFT + tick.x} y1={AXIS - 4} y2={height} />
            <text x={LEFT + tick.x} y={AXIS - 9} text-anchor={tick.x < 10 ? "start" : "middle"}>
              {formatSeconds(tick.at)}
            </text>
          </g>
        ))}
        {rows.map((row, index) => (
          <g key={row.stage}>
            <text class="gantt-name" x={LEFT - 10} y={AXIS + index * ROW + ROW / 2 + 4} text-anchor="end" aria-hidden="true">
              {row.stage.length > LONGEST_NAME ? `${row.stage.slice(0, LONGEST_NAME - 1)}…` : row.stage}
            </text>
            {row.bars.map((bar, place) => (
              <Bar
                key={place}
                bar={bar}
                x={LEFT + scale.place(bar.start)}
                end={LEFT + scale.place(bar.end)}
                y={AXIS + index * ROW + (ROW - BAR) / 2}
                perMs={scale.perSecond / 1000}
                place={(at) => LEFT + scale.place(at)}
                isPointed={bar === pointed}
                onPoint={setPointed}
              />
            ))}
          </g>
        ))}
      </svg>
      <p class="gantt-said" role="status">{pointed ? stageSentence(pointed) : "Point at a bar, or move to it by Tab, to read its numbers."}</p>
      <Legend bars={step.stages} />
      <StageTable bars={step.stages} start={scale.start} pointed={pointed} onPoint={setPointed} />
    </div>
  );
}

function Bar(props: {
  bar: StageBar;
  x: number;
  end: number;
  y: number;
  perMs: number;
  place: (at: number) => number;
  isPointed: boolean;
  onPoint: (bar: StageBar | null) => void;
}): JSX.Element {
  const { bar, x, y } = props;
  const width = Math.max(3, props.end - x);
  const queue = Math.min(width, bar.queue_ms * props.perMs);
  return (
    <g
      class={`bar bar-${bar.became} bar-stage-${bar.stage}${bar.assumed.length ? " bar-assumed" : ""}${props.isPointed ? " bar-pointed" : ""}`}
      tabIndex={0}
      role="img"
      aria-label={stageSentence(bar)}
      onFocus={() => props.onPoint(bar)}
      onPointerEnter={() => props.onPoint(bar)}
    >
      <rect class="bar-room" x={x - 2} y={y - 4} width={width + 4} height={BAR + 8} />
      <rect class="bar-body" x={x} y={y} width={width} height={BAR} rx={3} />
      {queue > 1 && <rect class="bar-queue" x={x} y={y} width={queue} height={BAR} rx={3} />}
      {bar.away.map(([from, to], index) => (
        <rect key={index} class="bar-away" x={props.place(from)} y={y} width={Math.max(2, props.place(to) - props.place(from))} height={BAR} />
      ))}
      {bar.became === "dropped" && <line class="bar-strike" x1={x} x2={x + width} y1={y + BAR / 2} y2={y + BAR / 2} />}
    </g>
  );
}

function Patterns(): JSX.Element {
  return (
    <defs>
      <pattern id="gantt-queue" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="3" height="6" class="pattern-queue" />
      </pattern>
      <pattern id="gantt-away" width="5" height="5" patternUnits="userSpaceOnUse">
        <path d="M0 0L5 5M5 0L0 5" class="pattern-away" />
      </pattern>
    </defs>
  );
}

function Legend({ bars }: { bars: readonly StageBar[] }): JSX.Element | null {
  const entries = [
    bars.some((bar) => bar.queue_ms > 1) && { kind: "queue", text: "waited in a queue" },
    bars.some((bar) => bar.assumed.length) && { kind: "assumed", text: "began on an assumption" },
    bars.some((bar) => bar.became === "dropped") && { kind: "dropped", text: "dropped: the assumption was wrong" },
    bars.some((bar) => bar.became === "discarded") && { kind: "dropped", text: "discarded by an interruption" },
    bars.some((bar) => bar.became === "failed") && { kind: "failed", text: "failed" },
    bars.some((bar) => bar.away.length) && { kind: "away", text: "no model server answered" },
  ].filter((entry) => entry !== false);
  if (!entries.length) return null;
  return (
    <ul class="gantt-legend" aria-label="Legend">
      {entries.map((entry) => (
        <li key={entry.text}>
          <svg width="22" height="12" aria-hidden="true">
            <g class={`bar bar-legend-${entry.kind} ${entry.kind === "queue" || entry.kind === "away" ? "" : `bar-${entry.kind}`}`}>
              <rect class="bar-body" x="1" y="1" width="20" height="10" rx="2" />
              {entry.kind === "queue" && <rect class="bar-queue" x="1" y="1" width="20" height="10" rx="2" />}
              {entry.kind === "away" && <rect class="bar-away" x="1" y="1" width="20" height="10" />}
              {entry.kind === "dropped" && <line class="bar-strike" x1="1" x2="21" y1="6" y2="6" />}
            </g>
          </svg>
          {entry.text}
        </li>
      ))}
    </ul>
  );
}

function StageTable(props: {
  bars: readonly StageBar[];
  start: number;
  pointed: StageBar | null;
  onPoint: (bar: StageBar | null) => void;
}): JSX.Element {
  return (
    <div class="gantt-table-room" tabIndex={0} role="group" aria-label="Stages as a table">
      <table class="gantt-table">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col" class="num">Began</th>
            <th scope="col" class="num">Took</th>
            <th scope="col" class="num">In queues</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {props.bars.map((bar, index) => (
            <tr key={index} class={bar === props.pointed ? "gantt-row-pointed" : ""} onPointerEnter={() => props.onPoint(bar)}>
              <th scope="row" class="said">{bar.stage}</th>
              <td class="num">{formatSeconds(bar.start - props.start)}</td>
              <td class="num">{formatSeconds(bar.end - bar.start)}</td>
              <td class="num">{bar.queue_ms >= 1 ? formatSeconds(bar.queue_ms / 1000) : "–"}</td>
              <td>
                {bar.became}
                {bar.wrong && `: ${bar.wrong} ended otherwise`}
                {bar.assumed.length > 0 && <span class="faint"> assumed {bar.assumed.join(", ")}</span>}
                {bar.error && <LongText class="gantt-error">{bar.error}</LongText>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
