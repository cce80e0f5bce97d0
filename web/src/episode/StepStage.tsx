/** The screens of a step: before and after its action, beside each other, one over the other, or one of them. */
import "./stepStage.css";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { formatClock, formatSeconds, formatShare } from "../state/format";
import { ActionCaption, ActionMarks } from "./ActionMarks";
import { actionWords } from "./actionWords";
import { ElementBoxes, ElementHint } from "./BoxLayer";
import type { FilmSource } from "./filmSource";
import { type FilmState, stepRange } from "./filmState";
import type { ScreenChanges } from "./pictureChanges";
import { ScreenShot, usePreload } from "./ScreenShot";
import type { EpisodeReport } from "./types";
import { useChanges } from "./useChanges";

/** Above this share of changed pixels, marks would cover the whole screen. */
const MOST_MARKED = 0.5;

interface StageProps {
  readonly report: EpisodeReport;
  readonly film: FilmState;
  readonly source: FilmSource;
  /** What to say where there is no screen after the action. */
  readonly missing: ComponentChildren;
}

/** Show the screens of the step. */
export function StepStage(props: StageProps): JSX.Element {
  const { film, source } = props;
  const { step, next } = film;
  usePreload(source, [next?.screen, next?.screen_after, film.previous?.screen]);
  const changes = useChanges(source, step, next);
  const parts = { ...props, changes };
  const after = step.screen_after ? <AfterScreen {...parts} /> : <NoScreen>{props.missing}</NoScreen>;
  if (film.view === "slider" && step.screen && step.screen_after) return <SliderView {...parts} />;
  if (film.view !== "side") {
    return (
      <div class="stage stage-one">
        {film.face === "after" ? after : <BeforeScreen {...parts} />}
      </div>
    );
  }
  return (
    <div class="stage stage-side">
      <BeforeScreen {...parts} />
      {after}
    </div>
  );
}

interface ScreenProps extends StageProps {
  readonly changes: ScreenChanges | null;
}

function sizeOf(report: EpisodeReport, screen: string, film: FilmState): readonly [number, number] {
  return report.sizes?.[screen] ?? [film.step.width ?? 1080, film.step.height ?? 2400];
}

function BeforeScreen({ report, film, source }: ScreenProps): JSX.Element {
  const { step } = film;
  if (!step.screen) return <NoScreen>No screen was taken at this step.</NoScreen>;
  const size = sizeOf(report, step.screen, film);
  return (
    <figure class="stage-figure">
      <figcaption class="stage-caption">
        <strong>Before</strong>
        <span class="faint">{formatClock(step.taken_at)}</span>
        {step.app && <bdi class="clip faint mono">{step.app}</bdi>}
      </figcaption>
      <div class="shot-room">
        <ScreenShot
          source={source}
          screen={step.screen}
          size={size}
          label={`Screen before the action of step ${step.step}`}
          marks={
            <>
              <ElementBoxes elements={step.elements} all={film.boxes} />
              <ActionMarks step={step} width={size[0]} />
            </>
          }
        >
          <ElementHint elements={step.elements} size={size} />
          <ActionCaption step={step} />
        </ScreenShot>
      </div>
    </figure>
  );
}

function AfterScreen({ report, film, source, changes }: ScreenProps): JSX.Element {
  const { step, next } = film;
  const screen = step.screen_after as string;
  const size = sizeOf(report, screen, film);
  const read = next?.screen === screen ? next.elements : [];
  const later = next?.taken_at != null && step.taken_at != null && next.screen === screen ? next.taken_at - step.taken_at : null;
  return (
    <figure class="stage-figure">
      <figcaption class="stage-caption">
        <strong>After</strong>
        {later !== null && <span class="faint">+{formatSeconds(later)}</span>}
        <ChangeWords step={film} changes={changes} />
      </figcaption>
      <div class="shot-room">
        <ScreenShot
          source={source}
          screen={screen}
          size={size}
          label={`Screen after the action of step ${step.step}`}
          marks={
            <>
              {film.changes && <ChangeMarks changes={changes} />}
              <ElementBoxes elements={read} all={film.boxes} />
            </>
          }
        >
          <ElementHint elements={read} size={size} />
        </ScreenShot>
      </div>
    </figure>
  );
}

function ChangeMarks({ changes }: { changes: ScreenChanges | null }): JSX.Element | null {
  if (!changes || changes.share > MOST_MARKED) return null;
  return (
    <g>
      {changes.places.map((one, index) => (
        <rect key={index} class="change" x={one.x1} y={one.y1} width={one.x2 - one.x1} height={one.y2 - one.y1} rx={8} />
      ))}
    </g>
  );
}

function ChangeWords({ step, changes }: { step: FilmState; changes: ScreenChanges | null }): JSX.Element | null {
  if (step.step.screen === step.step.screen_after) return <span class="stage-same">the same picture</span>;
  if (!changes) return null;
  if (!changes.places.length) return <span class="stage-same">no change to see</span>;
  const share = changes.share < 0.01 ? "under 1\u00a0%" : formatShare(changes.share);
  return (
    <span class="faint" title={changes.by === "elements" ? "Found from what was read off the screens." : undefined}>
      {share} changed
    </span>
  );
}

function SliderView(props: ScreenProps): JSX.Element {
  const { report, film, source, changes } = props;
  const { step } = film;
  const [share, setShare] = useState(50);
  const size = sizeOf(report, step.screen as string, film);
  return (
    <div class="stage stage-one">
      <figure class="stage-figure">
        <figcaption class="stage-caption">
          <strong>Before</strong>
          <span class="faint">left of the line,</span>
          <strong>after</strong>
          <span class="faint">right of it</span>
          <ChangeWords step={film} changes={changes} />
        </figcaption>
        <div class="shot-room">
          <ScreenShot
            source={source}
            screen={step.screen_after as string}
            size={size}
            label={`Screen after the action of step ${step.step}`}
            marks={film.changes && <ChangeMarks changes={changes} />}
          >
            <div class="slider-before" style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
              <ScreenShot
                source={source}
                screen={step.screen as string}
                size={size}
                label={`Screen before the action of step ${step.step}`}
                marks={<ActionMarks step={step} width={size[0]} />}
              />
            </div>
            <div class="slider-line" style={{ left: `${share}%` }} aria-hidden="true">
              <span class="slider-knob">
                <Icon name="left" size={12} />
                <Icon name="right" size={12} />
              </span>
            </div>
            <input
              class="slider-input"
              type="range"
              min={0}
              max={100}
              value={share}
              aria-label="How much of the screen before is shown"
              aria-valuetext={`${share} percent before, ${100 - share} percent after`}
              onInput={(event) => setShare(Number(event.currentTarget.value))}
              onKeyDown={(event) => /^(Arrow|Home|End|Page)/.test(event.key) && event.stopPropagation()}
            />
          </ScreenShot>
        </div>
      </figure>
    </div>
  );
}

function NoScreen({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <figure class="stage-figure">
      <figcaption class="stage-caption">
        <strong>After</strong>
      </figcaption>
      <div class="stage-none">{children}</div>
    </figure>
  );
}

/** Return what a screen reader is told when a step is shown. */
export function stepAnnouncement(report: EpisodeReport, film: FilmState, verdict: string): string {
  return `${`Step ${film.step.step} ${stepRange(report)}`.trim()}: ${actionWords(film.step)}${verdict && `, ${verdict}`}`;
}
