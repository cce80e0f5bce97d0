/** Say which text an action touched, by what was read off the screen before it. */
import type { ReadElement, Step, Touch } from "./types";

/** How many letters of a text are shown: it names the place, no more. */
const MOST = 40;

/** Letters that nobody sees, and marks that would turn the letters beside the text around. */
const UNSEEN = /[\p{Cc}\p{Cf}\s]+/gu;

/** Whether a touch moves: its ends are so far apart that it is no tap. */
export function isSwipe(touch: Touch): boolean {
  return Math.hypot(touch.x2 - touch.x1, touch.y2 - touch.y1) > 12;
}

/** Return the text at the only place that the action tapped, shortened; "" if no text was read there. */
export function tapText({ touches, elements }: Step): string {
  const touch = touches[0];
  if (touches.length !== 1 || !touch || isSwipe(touch)) return "";
  let nearest: ReadElement | null = null;
  let text = "";
  for (const one of elements) {
    const words = one.content.replace(UNSEEN, " ").trim();
    if (!words || !holds(one, touch) || (nearest && areaOf(nearest) <= areaOf(one))) continue;
    [nearest, text] = [one, words];
  }
  const letters = [...text];
  return letters.length > MOST ? `${letters.slice(0, MOST - 1).join("").trimEnd()}…` : text;
}

function holds(one: ReadElement, { x1, y1 }: Touch): boolean {
  return one.x1 <= x1 && x1 <= one.x2 && one.y1 <= y1 && y1 <= one.y2;
}

function areaOf(one: ReadElement): number {
  return (one.x2 - one.x1) * (one.y2 - one.y1);
}
