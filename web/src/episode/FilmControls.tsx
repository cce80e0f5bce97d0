/** Play a film and move in it: buttons, speed, and a line of all steps with their verdicts. */
import "./filmControls.css";
import type { JSX } from "preact";
import { Button } from "../components/Button";
import { Icon } from "../components/icons";
import { formatCount } from "../state/format";
import { isOver } from "./actionWords";
import { failureStep, lastGoodStep } from "./failureStory";
import { followNewest, type FilmState, showStep, stepRange } from "./filmState";
import type { EpisodeReport, Step } from "./types";
import { type Player, SPEEDS } from "./usePlayer";

interface ControlProps {
  readonly report: EpisodeReport;
  readonly film: FilmState;
  readonly player: Player;
  /** Why the last key led nowhere; "" if it did not. */
  readonly note: string;
}

/** Show the controls. */
export function FilmControls({ report, film, player, note }: ControlProps): JSX.Element {
  const failure = failureStep(report);
  const good = failure === null ? null : lastGoodStep(report, failure);
  const go = (index: number): void => showStep(report, index);
  return (
    <div class="controls" role="group" aria-label="Film">
      <div class="controls-play">
        <Button icon="first" kind="quiet" label="First step (Home)" disabled={film.index === 0} onClick={() => go(0)} />
        <Button icon="left" kind="quiet" label="Step before (←)" disabled={film.index === 0} onClick={() => go(film.index - 1)} />
        <Button
          icon={player.isPlaying ? "pause" : "play"}
          kind="primary"
          label={player.isPlaying ? "Pause (Space)" : "Play (Space)"}
          onClick={player.toggle}
        />
        <Button
          icon="right"
          kind="quiet"
          label="Next step (→)"
          disabled={film.index >= film.count - 1}
          onClick={() => go(film.index + 1)}
        />
        <Button
          icon="last"
          kind="quiet"
          label="Last step (End)"
          disabled={film.index >= film.count - 1}
          onClick={() => go(film.count - 1)}
        />
        <select
          class="controls-speed"
          aria-label="Speed"
          value={String(player.speed)}
          onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
        </select>
      </div>
      <StepLine report={report} film={film} />
      <span class="controls-count">
        Step <strong>{formatCount(film.step.step)}</strong>
        <span class="faint"> {stepRange(report)}</span>{" "}
        <span class="quiet" role="status">
          {note}
        </span>
      </span>
      <div class="controls-jumps">
        {failure !== null && (
          <Button title="To the failure (F)" onClick={() => go(failure)} disabled={failure === film.index}>
            <Icon name="warning" /> To the failure
          </Button>
        )}
        {good !== null && (
          <Button title="To the last action that was as expected (G)" onClick={() => go(good)} disabled={good === film.index}>
            <Icon name="check" /> Last good step
          </Button>
        )}
        {!isOver(report) && (
          <Button pressed={film.isFollowing} title="Follow the newest step (L)" onClick={followNewest}>
            <span class={`live-dot${film.isFollowing ? " live-dot-on" : ""}`} /> Follow
          </Button>
        )}
      </div>
    </div>
  );
}

/** How tall each verdict is drawn, so that the colour is not all that tells. */
const HEIGHTS = { A: 5, B: 16, C: 11, none: 3 } as const;

function StepLine({ report, film }: { report: EpisodeReport; film: FilmState }): JSX.Element {
  const { steps } = report;
  const last = Math.max(1, steps.length);
  return (
    <div class="line" style={{ maxWidth: `${steps.length * 48}px` }}>
      <svg class="line-verdicts" viewBox={`0 0 ${last} 16`} preserveAspectRatio="none" aria-hidden="true">
        {(["A", "B", "C", "none"] as const).map((verdict) => (
          <path key={verdict} class={`line-${verdict}`} d={barsOf(steps, verdict)} />
        ))}
        <rect class="line-now" x={film.index} width={1} y={0} height={16} />
      </svg>
      <input
        class="line-input"
        type="range"
        min={0}
        max={Math.max(0, steps.length - 1)}
        value={film.index}
        aria-label="Step"
        aria-valuetext={`Step ${film.step.step} ${stepRange(report)}`}
        onInput={(event) => showStep(report, Number(event.currentTarget.value))}
      />
    </div>
  );
}

/** Return the bars of all steps with a verdict as one path: a film may have thousands. */
function barsOf(steps: readonly Step[], verdict: keyof typeof HEIGHTS): string {
  const gap = steps.length > 300 ? 0 : 0.12;
  const height = HEIGHTS[verdict];
  let path = "";
  steps.forEach((step, index) => {
    if ((step.outcome ?? "none") === verdict) path += `M${index + gap} 16h${1 - 2 * gap}v-${height}h-${1 - 2 * gap}z`;
  });
  return path;
}
