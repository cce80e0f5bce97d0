/** Zoom by two fingers: the moments under them stay under them. */
import { type Layout, momentAt } from "./layout";
import type { Span } from "./zoom";

/** The moments under two fingers when they came down, in seconds of the run. */
export type Pinch = readonly [first: number, second: number];

/** Closer together than this, in pixels, fingers tell no scale. */
const CLOSE = 12;

/** Return the moments under two fingers; null if the fingers are too close to each other. */
export function beginPinch(layout: Layout, fingers: readonly number[]): Pinch | null {
  const [first = 0, second = 0] = fingers;
  return Math.abs(second - first) < CLOSE ? null : [momentAt(layout, first), momentAt(layout, second)];
}

/** Return the part of the run that puts the moments under the fingers again; null where no such part exists. */
export function pinchedSpan(layout: Layout, [first, second]: Pinch, fingers: readonly number[]): Span | null {
  const [x1, x2] = fingers;
  if (x1 === undefined || x2 === undefined || Math.abs(x2 - x1) < CLOSE || (x2 - x1) * (second - first) <= 0) return null;
  const perPixel = (second - first) / (x2 - x1);
  const from = first - (x1 - layout.left) * perPixel;
  return { from, to: from + (layout.width - layout.left) * perPixel };
}
