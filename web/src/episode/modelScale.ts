/** Name both scales where a model's words count places in thousandths of the screen and the action counts pixels. */
import type { Step } from "./types";

/** Models count across a screen from 0 to this, whatever its size. */
const SCALE = 1000;
/** How far a place in words may be from that of the action, in thousandths of the screen, or in pixels. */
const ROUNDING = 2;
const PLACE = /[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]/g;

/** Return what places in a step's thought and verdict mean in pixels; empty where they need no word. */
export function scaleRemark(step: Step): string {
  const { width, height } = step;
  if (!width || !height) return "";
  const ends = step.touches.flatMap((touch) => [[touch.x1, touch.y1] as const, [touch.x2, touch.y2] as const]);
  for (const [words, x, y] of [step.thought, step.error, step.expectation].flatMap((text) => [...(text ?? "").matchAll(PLACE)])) {
    const said = [Number(x), Number(y)] as const;
    const end = ends.find(([across, down]) => isNear(said, [(across * SCALE) / width, (down * SCALE) / height]));
    if (end && !isNear(said, end)) return `The model counts from 0 to 1,000 across the screen. Its ${words} is (${end.join(", ")}) in pixels.`;
  }
  return "";
}

function isNear(one: readonly [number, number], other: readonly [number, number]): boolean {
  return Math.abs(one[0] - other[0]) <= ROUNDING && Math.abs(one[1] - other[1]) <= ROUNDING;
}
