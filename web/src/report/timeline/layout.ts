/** Where phones, steps and times are on the timeline's canvas, in CSS pixels. */
import type { EpisodeTrack, PhoneTrack, StepMark } from "../../api/schema";
import type { Span } from "./zoom";

export const ROW = 24;
export const AXIS = 26;
const BAR = 16;

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The width of the phones' names. */
  readonly left: number;
  /** How far the rows are scrolled. */
  readonly scrolled: number;
  readonly span: Span;
}

export interface Place {
  readonly track: PhoneTrack;
  readonly episode: EpisodeTrack;
  readonly step: StepMark | null;
}

/** Return the pixel of a moment. */
export function xOf(layout: Layout, seconds: number): number {
  const { from, to } = layout.span;
  return layout.left + ((seconds - from) / (to - from)) * (layout.width - layout.left);
}

/** Return the moment at a pixel. */
export function momentAt(layout: Layout, x: number): number {
  const { from, to } = layout.span;
  return from + ((x - layout.left) / (layout.width - layout.left)) * (to - from);
}

/** Return the upper edge and the height of the bars of a phone. */
export function barOf(layout: Layout, row: number): readonly [number, number] {
  return [AXIS + row * ROW - layout.scrolled + (ROW - BAR) / 2, BAR];
}

/** Return what is at a point. */
export function placeAt(layout: Layout, phones: readonly PhoneTrack[], x: number, y: number): Place | null {
  if (y < AXIS || x < layout.left) return null;
  const track = phones[Math.floor((y - AXIS + layout.scrolled) / ROW)];
  if (!track) return null;
  const slack = ((layout.span.to - layout.span.from) / (layout.width - layout.left)) * 2;
  const moment = momentAt(layout, x);
  const episode = track.episodes.find((one) => moment >= one.start - slack && moment <= one.end + slack);
  if (!episode) return null;
  const step = episode.steps.findLast((one) => one.start <= moment + slack) ?? episode.steps[0] ?? null;
  return { track, episode, step };
}
