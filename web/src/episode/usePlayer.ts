/** Play a film: one step after the other, until its end or until a person moves. */
import { useEffect, useState } from "preact/hooks";
import { type FilmState, showStep } from "./filmState";
import type { EpisodeReport } from "./types";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
/** How long a step is shown at speed 1, in milliseconds. */
const STEP_MS = 1400;

export interface Player {
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly toggle: () => void;
  readonly setSpeed: (speed: number) => void;
}

/** Return the player of a film. From its last step, playing begins anew. */
export function usePlayer(report: EpisodeReport, film: FilmState | null): Player {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const index = film?.index ?? 0;
  const last = report.steps.length - 1;
  useEffect(() => {
    if (!isPlaying) return undefined;
    if (index >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => showStep(report, index + 1), STEP_MS / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, speed, index, last]);
  const toggle = (): void => {
    if (!isPlaying && index >= last) showStep(report, 0);
    setPlaying(!isPlaying && last > 0);
  };
  return { isPlaying, speed, toggle, setSpeed };
}
