/** Tell which rows of a long list are to be drawn: those that are seen, and some more on both sides. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

export interface RowWindow {
  readonly first: number;
  /** The row behind the last one. */
  readonly end: number;
}

const MORE = 12;

/**
 * Return the rows of the list in `holder` that are near the viewport. All rows are `height` pixels high. Any ancestor
 * may scroll.
 */
export function useWindow(holder: RefObject<HTMLElement | null>, count: number, height: number): RowWindow {
  const [seen, setSeen] = useState<RowWindow>({ first: 0, end: Math.min(count, 40) });
  useLayoutEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const box = holder.current?.getBoundingClientRect();
      if (!box) return;
      const first = Math.max(0, Math.floor(-box.top / height) - MORE);
      const end = Math.min(count, Math.ceil((innerHeight - box.top) / height) + MORE);
      setSeen((old) => (old.first === first && old.end === end ? old : { first: Math.min(first, count), end: Math.max(end, 0) }));
    };
    const later = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener("scroll", later, { capture: true, passive: true });
    addEventListener("resize", later);
    const size = new ResizeObserver(later);
    size.observe(document.body);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later, { capture: true });
      removeEventListener("resize", later);
      size.disconnect();
    };
  }, [count, height]);
  return { first: Math.min(seen.first, count), end: Math.min(Math.max(seen.end, seen.first), count) };
}
