/** Turn what a person does on the picture of a phone into an action, in pixels of the screenshot. */

export type PersonAction =
  | { readonly name: "Tap"; readonly x: number; readonly y: number }
  | { readonly name: "Long_Press"; readonly x: number; readonly y: number; readonly ms: number }
  | {
      readonly name: "Swipe";
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly ms: number;
    }
  | { readonly name: "Type"; readonly text: string; readonly clear: boolean }
  | { readonly name: "Enter" | "Back" | "Home" | "Switch_App" }
  | { readonly name: "Wait"; readonly seconds: number };

export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

export type Direction = "up" | "down" | "left" | "right";

/** From this time on, a touch that stays in its place is a long press, in milliseconds. */
export const LONG_PRESS_MS = 500;
/** How far a finger may move and still tap, as a share of the screen's width. */
const TAP_SHARE = 0.02;
const SWIPE_MS = { least: 100, most: 2000 } as const;

/** Return the action of a touch from `from` to `to` that took `ms`. `width`: of the screenshot. */
export function touchAction(from: ScreenPoint, to: ScreenPoint, ms: number, width: number): PersonAction {
  if (Math.hypot(to.x - from.x, to.y - from.y) <= TAP_SHARE * width) {
    return ms >= LONG_PRESS_MS ? { name: "Long_Press", ...from, ms: Math.min(5000, Math.round(ms)) } : { name: "Tap", ...from };
  }
  const time = Math.round(Math.min(SWIPE_MS.most, Math.max(SWIPE_MS.least, ms)));
  return { name: "Swipe", x1: from.x, y1: from.y, x2: to.x, y2: to.y, ms: time };
}

/** Return the point of the screenshot at a place of the page; a place beside the picture counts as its edge. */
export function pointAt(place: ScreenPoint, box: DOMRect, size: readonly [number, number]): ScreenPoint {
  const along = (at: number, start: number, length: number, pixels: number): number =>
    Math.min(pixels - 1, Math.max(0, Math.floor(((at - start) / Math.max(1, length)) * pixels)));
  return { x: along(place.x, box.left, box.width, size[0]), y: along(place.y, box.top, box.height, size[1]) };
}

/** Return a swipe over the middle of the screen. `up`: the finger moves up, and the page shows what is further down. */
export function swipeOver(direction: Direction, [width, height]: readonly [number, number]): PersonAction {
  const [near, middle, far] = [0.25, 0.5, 0.75];
  const ends = { up: [middle, far, middle, near], down: [middle, near, middle, far], left: [far, middle, near, middle], right: [near, middle, far, middle] };
  const [x1, y1, x2, y2] = ends[direction].map((share, index) => Math.round(share * (index % 2 ? height : width)));
  return { name: "Swipe", x1: x1 ?? 0, y1: y1 ?? 0, x2: x2 ?? 0, y2: y2 ?? 0, ms: 400 };
}
