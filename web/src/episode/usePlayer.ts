/** Play a film: one step after the other, until its end or until a person moves. */
import { useEffect, useState } from "preact/hooks";
import { loadPicture } from "../state/picture";
import type { FilmSource } from "./filmSource";
import { type FilmState, showStep } from "./filmState";
import type { EpisodeReport, Step } from "./types";

export const SPEEDS = [0.5, 1, 2, 4, 8] as const;
/** How long a step is shown at speed 1, in milliseconds. */
const STEP_MS = 1400;

export interface Player {
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly toggle: () => void;
  readonly setSpeed: (speed: number) => void;
}

/**
 * Return the player of a film. From its last step, playing begins anew. It shows a step once its screens are loaded, so
 * that no step passes unseen while the connection is lost.
 */
export function usePlayer(report: EpisodeReport, film: FilmState | null, source: FilmSource): Player {
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
    let isWanted = true;
    const show = async (): Promise<void> => {
      await loadScreens(source, report.steps[index + 1]);
      if (isWanted) showStep(report, index + 1);
    };
    const timer = setTimeout(() => void show(), STEP_MS / speed);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [isPlaying, speed, index, last, source]);
  const toggle = (): void => {
    if (!isPlaying && index >= last) showStep(report, 0);
    setPlaying(!isPlaying && last > 0);
  };
  return { isPlaying, speed, toggle, setSpeed };
}

async function loadScreens(source: FilmSource, step: Step | undefined): Promise<void> {
  const urls = [step?.screen, step?.screen_after].map((screen) => (screen ? source.pictureUrl(screen, "full") : null));
  await Promise.all(urls.map((url) => (url === null ? null : loadPicture(source.reach, url))));
}
