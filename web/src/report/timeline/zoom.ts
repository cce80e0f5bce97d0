/** Which part of the run the timeline shows. The part is in the address: `from` and `to` in seconds of the run. */
import { choice, choose } from "../../state/address";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The shortest part that can be shown, in seconds. */
const SHORTEST = 0.5;

/** Return the part that is shown now. `end`: the length of the run in seconds. */
export function shownSpan(end: number): Span {
  const from = Number(choice("from", "0"));
  const to = Number(choice("to", String(end)));
  return Number.isFinite(from) && Number.isFinite(to) && to > from ? inside({ from, to }, end) : { from: 0, to: end };
}

function inside({ from, to }: Span, end: number): Span {
  const length = Math.min(Math.max(to - from, Math.min(SHORTEST, end)), end);
  const start = Math.min(Math.max(0, from), end - length);
  return { from: start, to: start + length };
}

/** Show another part. */
export function showSpan(span: Span, end: number): void {
  const { from, to } = inside(span, end);
  const isAll = from <= 0 && to >= end;
  choose(isAll ? { from: "", to: "" } : { from: from.toFixed(2), to: to.toFixed(2) });
}

/** Show `factor` times as much time around a moment, which keeps its place. */
export function zoomAt(span: Span, moment: number, factor: number, end: number): void {
  showSpan({ from: moment - (moment - span.from) * factor, to: moment + (span.to - moment) * factor }, end);
}

/** Move by a share of what is shown. */
export function pan(span: Span, share: number, end: number): void {
  const by = (span.to - span.from) * share;
  showSpan({ from: span.from + by, to: span.to + by }, end);
}
