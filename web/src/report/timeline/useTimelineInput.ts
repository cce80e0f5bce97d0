/** Let the pointer and the wheel move the timeline: the wheel zooms with Ctrl, two fingers zoom, drags pan, a click opens a step. */
import { useEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import { momentAt, placeAt, type Layout } from "./layout";
import type { PhoneTrack } from "../../api/schema";
import type { Pointed } from "./TimelineCard";
import { pan, showSpan, zoomAt } from "./zoom";
import { beginPinch, type Pinch, pinchedSpan } from "./pinch";

export interface Input {
  readonly layout: Layout;
  readonly phones: readonly PhoneTrack[];
  readonly end: number;
  readonly point: (pointed: Pointed | null) => void;
  readonly open: (pointed: Pointed) => void;
}

/** How far a pointer may move, in pixels, and still click. */
const CLICK = 4;

/** Listen to the canvas. */
export function useTimelineInput(canvas: RefObject<HTMLCanvasElement | null>, input: Input): void {
  const latest = useRef(input);
  latest.current = input;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    let grab: { x: number; y: number; from: number; to: number; moved: boolean } | null = null;
    const find = (event: PointerEvent | MouseEvent): Pointed | null => {
      const { layout, phones } = latest.current;
      const place = placeAt(layout, phones, event.offsetX, event.offsetY);
      return place && { ...place, at: { left: event.clientX, width: 0, top: event.clientY - 12, bottom: event.clientY + 12 } };
    };
    const fingers = new Map<number, number>();
    let pinch: Pinch | null = null;
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      if (event.pointerType === "touch") fingers.set(event.pointerId, event.offsetX);
      if (fingers.size === 2) {
        pinch = beginPinch(latest.current.layout, [...fingers.values()]);
        if (grab) grab.moved = true;
        return;
      }
      grab = { x: event.clientX, y: event.clientY, ...latest.current.layout.span, moved: false };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      const { layout, end, point } = latest.current;
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event.offsetX);
      if (pinch) {
        point(null);
        const span = pinchedSpan(layout, pinch, [...fingers.values()]);
        if (span) showSpan(span, end);
        return undefined;
      }
      if (!grab) return point(find(event));
      const by = event.clientX - grab.x;
      if (Math.abs(by) > CLICK || Math.abs(event.clientY - grab.y) > CLICK) grab.moved = true;
      if (!grab.moved) return undefined;
      point(null);
      const seconds = (by / (layout.width - layout.left)) * (grab.to - grab.from);
      showSpan({ from: grab.from - seconds, to: grab.to - seconds }, end);
      return undefined;
    };
    const up = (event: PointerEvent): void => {
      fingers.delete(event.pointerId);
      if (pinch && fingers.size) return; // The other finger may stay a moment longer: it neither drags nor clicks.
      pinch = null;
      const moved = grab?.moved;
      grab = null;
      if (moved) element.addEventListener("click", (event) => event.stopImmediatePropagation(), { once: true, capture: true });
    };
    const click = (event: MouseEvent): void => {
      const found = find(event);
      if (found) latest.current.open(found);
    };
    const wheel = (event: WheelEvent): void => {
      const { layout, end } = latest.current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoomAt(layout.span, momentAt(layout, event.offsetX), Math.exp(event.deltaY * 0.004), end);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan(layout.span, (event.deltaX || event.deltaY) / (layout.width - layout.left), end);
      }
    };
    const leave = (): void => latest.current.point(null);
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("click", click);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("click", click);
      element.removeEventListener("wheel", wheel);
    };
  }, []);
}
