/** The stages of a step that run now, each with its colour, and the seconds of the one that has run longest. */

import "./stages.css";
import type { JSX } from "preact";
import { Elapsed } from "../shared/Elapsed";

const KNOWN = new Set(["capture", "perceive", "verify", "plan", "decide", "act", "note"]);

export function RunningStages(props: { stages: readonly string[]; since: number | null; most?: number }): JSX.Element {
  const { stages, since, most = 4 } = props;
  return (
    <span class="running-stages">
      {stages.slice(0, most).map((stage, number) => (
        <span key={stage} class="running-stage">
          <span class={`stage-dot stage-${KNOWN.has(stage) ? stage : "other"}`} />
          <span class="clip">{stage}</span>
          {number === 0 && since !== null && <Elapsed since={since} />}
        </span>
      ))}
      {stages.length > most && <span class="running-stage faint">+{stages.length - most}</span>}
    </span>
  );
}
