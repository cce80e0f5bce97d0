/** The strip of screens: one small picture a step, with its verdict. Only those that are seen are in the page. */
import "./filmStrip.css";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "../components/icons";
import { actionWords, VERDICT_WORDS } from "./actionWords";
import type { FilmSource } from "./filmSource";
import { type FilmState, showStep, stepLink } from "./filmState";
import { SmallPicture } from "./SmallPicture";
import type { EpisodeReport, Step } from "./types";

/** The height of a small picture in the strip, in CSS pixels. */
const HEIGHT = 92;
const GAP = 8;
/** How many pictures are in the page beyond each end of what is seen. */
const BEYOND = 6;

/** Show the strip. */
export function FilmStrip(props: { report: EpisodeReport; film: FilmState; source: FilmSource }): JSX.Element {
  const { report, film, source } = props;
  const { steps } = report;
  const across = pictureWidth(steps[0]) + GAP;
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 24 });
  const [magnified, setMagnified] = useState<{ index: number; left: number; top: number } | null>(null);

  const look = (): void => {
    const at = box.current;
    if (!at) return;
    const from = Math.max(0, Math.floor(at.scrollLeft / across) - BEYOND);
    const to = Math.min(steps.length, Math.ceil((at.scrollLeft + at.clientWidth) / across) + BEYOND);
    setSeen((now) => (now.from === from && now.to === to ? now : { from, to }));
  };
  useLayoutEffect(() => {
    const at = box.current;
    if (!at) return;
    const wanted = film.index * across - (at.clientWidth - across) / 2;
    const isFar = Math.abs(wanted - at.scrollLeft) > 2 * at.clientWidth;
    at.scrollTo({ left: wanted, behavior: isFar || prefersStill() ? "instant" : "smooth" });
    look();
  }, [film.index, steps.length, across]);
  useEffect(() => {
    const watcher = new ResizeObserver(look);
    if (box.current) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [steps.length, across]);

  const magnify = (index: number, at: HTMLElement): void => {
    const place = at.getBoundingClientRect();
    setMagnified({ index, left: place.left + place.width / 2, top: place.bottom });
  };
  return (
    <div class="strip" ref={box} onScroll={() => { look(); setMagnified(null); }} onPointerLeave={() => setMagnified(null)}>
      <ol class="strip-track" style={{ width: `${steps.length * across}px` }} aria-label="Steps">
        {steps.slice(seen.from, seen.to).map((step, offset) => {
          const index = seen.from + offset;
          return (
            <li key={step.step} class="strip-place" style={{ left: `${index * across}px` }} aria-setsize={steps.length} aria-posinset={index + 1}>
              <StripPicture
                step={step}
                source={source}
                width={across - GAP}
                isShown={index === film.index}
                onShow={() => showStep(report, index)}
                onPoint={(at) => magnify(index, at)}
              />
            </li>
          );
        })}
      </ol>
      {magnified && steps[magnified.index] && (
        <Magnified step={steps[magnified.index] as Step} source={source} left={magnified.left} top={magnified.top} />
      )}
    </div>
  );
}

function prefersStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Return the width of a small picture: that of a phone, or a wider one for a tablet. */
function pictureWidth(step: Step | undefined): number {
  const ratio = step?.width && step.height ? step.width / step.height : 0.45;
  return Math.round(Math.min(132, Math.max(42, HEIGHT * ratio)));
}

function StripPicture(props: {
  step: Step;
  source: FilmSource;
  width: number;
  isShown: boolean;
  onShow: () => void;
  onPoint: (at: HTMLElement) => void;
}): JSX.Element {
  const { step, source } = props;
  const marks = stepMarks(step);
  return (
    <a
      class={`strip-step strip-${step.outcome ?? "none"}${props.isShown ? " strip-shown" : ""}`}
      style={{ width: `${props.width}px` }}
      href={stepLink(step.step)}
      aria-current={props.isShown ? "step" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        props.onShow();
      }}
      onPointerEnter={(event) => event.pointerType === "mouse" && props.onPoint(event.currentTarget)}
    >
      <span class="strip-foot">
        <span class="unseen">Step </span>
        {step.step}
        {step.outcome && (
          <span class="strip-letter">
            {step.outcome}
            <span class="unseen">: {VERDICT_WORDS[step.outcome]}</span>
          </span>
        )}
        <span class="unseen">. {actionWords(step)}</span>
      </span>
      <span class="strip-picture">
        <SmallPicture screen={step.screen} source={source} />
        {marks.length > 0 && (
          <span class="strip-marks">
            {marks.map((mark) => (
              <span key={mark.text} class={`strip-mark strip-mark-${mark.tone}`} title={mark.text}>
                <Icon name={mark.icon} size={10} label={mark.text} />
              </span>
            ))}
          </span>
        )}
      </span>
    </a>
  );
}

interface StepMark {
  readonly icon: IconName;
  readonly tone: "bad" | "warn" | "accent";
  readonly text: string;
}

/** Return what is special at a step: a problem, a page that was left again, an interruption, a person's action. */
export function stepMarks(step: Step): StepMark[] {
  const marks: StepMark[] = [];
  if (step.failures.length || step.problem) marks.push({ icon: "warning", tone: "bad", text: "something failed" });
  if (step.wrong_page != null) marks.push({ icon: "left", tone: "warn", text: "a wrong page, the agent went back" });
  if (step.resumed.length) marks.push({ icon: "retry", tone: "accent", text: "interrupted and resumed" });
  if (step.by_person) marks.push({ icon: "hand", tone: "accent", text: "a person's action" });
  return marks;
}

function Magnified(props: { step: Step; source: FilmSource; left: number; top: number }): JSX.Element {
  const { step, source } = props;
  const url = step.screen ? source.pictureUrl(step.screen, "full") : null;
  const half = 130;
  return (
    <div
      class="strip-magnified"
      style={{ left: `${Math.min(Math.max(props.left, half), innerWidth - half)}px`, top: `${props.top + 6}px` }}
      aria-hidden="true"
    >
      {url && <img src={url} alt="" />}
      <span class="strip-magnified-words">
        <strong>Step {step.step}</strong>
        {step.outcome && ` · ${VERDICT_WORDS[step.outcome]}`}
        <span class="said">{actionWords(step)}</span>
      </span>
    </div>
  );
}
