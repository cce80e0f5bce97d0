/** The phone's log beside a step: the lines that were written while the step ran. */
import "./logPanel.css";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { EmptyState } from "../components/EmptyState";
import { choice, choose } from "../state/address";
import { formatCount, formatCounted } from "../state/format";
import { LongText } from "./ChangedText";
import type { FilmSource } from "./filmSource";
import type { FilmState } from "./filmState";
import { filterLines, linesBetween, type LogLine, readLog } from "./logLines";
import type { EpisodeReport, Step } from "./types";

const MOST_SHOWN = 500;
/** Longer texts are folded. */
const LONG = 600;
const LEVELS = [
  ["V", "all levels"],
  ["I", "info and worse"],
  ["W", "warnings and worse"],
  ["E", "errors"],
] as const;

/** Show the log. */
export function LogPanel(props: { report: EpisodeReport; film: FilmState; source: FilmSource }): JSX.Element {
  const { report, film, source } = props;
  const [log, setLog] = useState<LogLine[] | string | null>(null);
  const [most, setMost] = useState(MOST_SHOWN);
  const load = report.has_log ? source.loadLog : undefined;
  useEffect(() => {
    if (!load) return undefined;
    let isWanted = true;
    load().then(
      (text) => isWanted && setLog(readLog(text, report.episode.started_at)),
      (error: unknown) => isWanted && setLog(String(error instanceof Error ? error.message : error)),
    );
    return () => {
      isWanted = false;
    };
  }, [load, report.steps.length]);
  const wanted = choice("find");
  const level = choice("level", "V");
  const [from, to] = stepSpan(film.step, film.next);
  const lines = useMemo(
    () => (Array.isArray(log) && from !== null ? filterLines(linesBetween(log, from, to), level, wanted) : []),
    [log, from, to, level, wanted],
  );
  if (!load) {
    return (
      <EmptyState icon="list" title="No log was recorded">
        Run with <code>--logcat</code> to keep the phone's log beside the steps.
      </EmptyState>
    );
  }
  if (typeof log === "string") return <EmptyState icon="warning" title="The log could not be loaded"><span class="said">{log}</span></EmptyState>;
  return (
    <div class="log">
      <div class="log-head">
        <input
          class="field-input"
          type="search"
          placeholder="Find in tags and texts"
          aria-label="Find in the log"
          value={wanted}
          onInput={(event) => choose({ find: event.currentTarget.value })}
        />
        <select class="field-input" aria-label="Level" value={level} onChange={(event) => choose({ level: event.currentTarget.value === "V" ? null : event.currentTarget.value })}>
          {LEVELS.map(([value, words]) => (
            <option key={value} value={value}>{words}</option>
          ))}
        </select>
        <span class="faint" role="status">{log ? formatCounted(lines.length, "line") : "Loading…"}</span>
      </div>
      {log && !lines.length && <p class="quiet log-none">{wanted || level !== "V" ? "No line of this step fits." : "The phone wrote nothing during this step."}</p>}
      <ol class="log-lines" tabIndex={0} aria-label="Log lines of this step">
        {lines.slice(0, most).map((line, index) => (
          <li key={index} class={`log-line log-${line.level || "none"}`}>
            <span class="num faint">{line.at === null || from === null ? "" : `+${(line.at - from).toFixed(3)}\u00a0s`}</span>
            <span class="log-level">{line.level}</span>
            <bdi class="log-tag clip" title={line.tag}>{line.tag}</bdi>
            {line.text.length > LONG ? <div><LongText>{line.text}</LongText></div> : <span class="said">{line.text}</span>}
          </li>
        ))}
      </ol>
      {lines.length > most && <Button onClick={() => setMost(most + 2000)}>Show more of {formatCount(lines.length)}</Button>}
    </div>
  );
}

/** Return when a step ran, from its first stage to the first one of the next step, in Unix seconds. */
function stepSpan(step: Step, next: Step | undefined): [number | null, number | null] {
  const starts = (one: Step): number[] => [...one.stages.map((bar) => bar.start), one.taken_at ?? Infinity];
  const from = Math.min(...starts(step));
  const to = next ? Math.min(...starts(next)) : Infinity;
  return [Number.isFinite(from) ? from : null, Number.isFinite(to) ? to : null];
}
