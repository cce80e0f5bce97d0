/** What is under the pointer or the keyboard's mark on the timeline: the step's screen, its verdict, its stages. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Badge, VerdictPill } from "../../components/Badge";
import { placeBeside } from "../../components/Tooltip";
import { formatClock, formatSeconds } from "../../state/format";
import { Picture } from "../Picture";
import { endingWords, stageFill, VERDICTS } from "../words";
import type { Place } from "./layout";

export interface Pointed extends Place {
  /** Where the card is to stand, in pixels of the viewport. */
  readonly at: { left: number; top: number; bottom: number; width: number };
}

/** Show the card. `startedAt`: when the run started, in Unix seconds. `goal`: that of the task. */
export function TimelineCard({ pointed, startedAt, goal }: { pointed: Pointed; startedAt: number; goal: string }): JSX.Element {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (card.current) placeBeside(card.current, pointed.at);
  }, [pointed]);
  const { track, episode, step } = pointed;
  const looks = VERDICTS[episode.verdict];
  return (
    <div ref={card} class="timeline-card" aria-hidden="true">
      {step?.screen && <Picture screen={step.screen} class="timeline-picture" />}
      <div class="timeline-about">
        <p class="timeline-goal">{goal || episode.task}</p>
        <p class="faint mono clip">
          {episode.task} · {track.phone || "no phone"}
        </p>
        <p class="timeline-badges">
          <Badge tone={looks.tone} icon={looks.icon}>
            {endingWords(episode.ending)}
          </Badge>
          {step && <VerdictPill verdict={step.outcome} />}
        </p>
        {step && (
          <>
            <p>
              <b>Step {step.step}</b> <span class="quiet">{formatSeconds(step.end - step.start)}</span>{" "}
              <span class="faint">at {formatClock(startedAt + step.start)}</span>
            </p>
            <ul class="timeline-stages">
              {step.stages.slice(0, 8).map(([stage, start, end], at) => (
                <li key={at}>
                  <i style={{ background: `var(${stageFill(stage)})` }} />
                  {stage} <span class="num faint">{formatSeconds(end - start)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}
