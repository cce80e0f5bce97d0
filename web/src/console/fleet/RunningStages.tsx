/** The stages of a step that run now, each with its colour and its seconds. */

import "./stages.css";
import type { JSX } from "preact";
import type { RunningStage } from "../data/types";
import { Elapsed } from "../shared/Elapsed";

const KNOWN = new Set(["capture", "perceive", "verify", "plan", "decide", "act", "note"]);

export function RunningStages({ stages, most = 4 }: { stages: readonly RunningStage[]; most?: number }): JSX.Element {
  return (
    <span class="running-stages">
      {stages.slice(0, most).map((one) => (
        <span key={`${one.stage}-${one.step}`} class="running-stage">
          <span class={`stage-dot stage-${KNOWN.has(one.stage) ? one.stage : "other"}`} />
          <span class="clip">{one.stage}</span>
          <Elapsed since={one.since} />
        </span>
      ))}
      {stages.length > most && <span class="running-stage faint">+{stages.length - most}</span>}
    </span>
  );
}
