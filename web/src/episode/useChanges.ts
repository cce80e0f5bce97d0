/** Find what changed between the two screens of a step, once for each pair. */
import { useEffect, useState } from "preact/hooks";
import { loadPicture } from "../state/picture";
import type { FilmSource } from "./filmSource";
import { compareElements, comparePixels, type ScreenChanges } from "./pictureChanges";
import type { Step } from "./types";

const MOST_KEPT = 300;
const known = new Map<string, ScreenChanges>();

/** Return the changes; null while they are being found, and where there is nothing to compare. */
export function useChanges(source: FilmSource, step: Step, next: Step | undefined): ScreenChanges | null {
  const { screen, screen_after: after } = step;
  const pair = screen && after ? `${screen} ${after}` : "";
  const [found, setFound] = useState<{ pair: string; changes: ScreenChanges } | null>(null);
  useEffect(() => {
    if (!screen || !after || known.has(pair)) return undefined;
    let isWanted = true;
    const keep = (changes: ScreenChanges): void => {
      if (known.size > MOST_KEPT) known.clear();
      known.set(pair, changes);
      if (isWanted) setFound({ pair, changes });
    };
    void findChanges(source, step, next).then(keep, () => undefined);
    return () => {
      isWanted = false;
    };
  }, [pair, source, next?.elements.length]);
  if (!pair) return null;
  return known.get(pair) ?? (found?.pair === pair ? found.changes : null);
}

async function findChanges(source: FilmSource, step: Step, next: Step | undefined): Promise<ScreenChanges> {
  const { screen, screen_after: after } = step;
  if (screen === after) return { places: [], share: 0, by: "pixels" };
  const urls = [screen, after].map((id) => (id ? source.pictureUrl(id, "full") : null));
  if (urls[0] && urls[1]) {
    const [before, now] = await Promise.all([loadPicture(source.reach, urls[0]), loadPicture(source.reach, urls[1])]);
    const changes = before && now && comparePixels(before, now);
    if (changes) return changes;
  }
  const read = next && next.screen === after ? next.elements : null;
  if (!read || !step.elements.length) throw new Error("nothing to compare");
  return compareElements(step.elements, read, [step.width ?? 1, step.height ?? 1]);
}
