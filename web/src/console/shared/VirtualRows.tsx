/** Draws only those rows of a long list that are in sight. All rows have one height; the page scrolls, not the list. */

import "./virtual_rows.css";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";

const AHEAD = 12;

export function VirtualRows<Item>(props: {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  height: number;
  label: string;
  head: ComponentChildren;
  children: (item: Item, number: number) => ComponentChildren;
  /** Called when the end of the list comes near. */
  onEnd?: () => void;
}): JSX.Element {
  const body = useRef<HTMLDivElement>(null);
  const seen = useSignal("0 30");
  const count = props.items.length;
  const look = (): void => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    const first = Math.max(0, Math.floor(-top / props.height) - AHEAD);
    const end = Math.min(count, Math.ceil((innerHeight - top) / props.height) + AHEAD);
    seen.value = `${first} ${Math.max(first, end)}`;
    if (end >= count) props.onEnd?.();
  };
  useLayoutEffect(look, [count, props.items]);
  useEffect(() => {
    let frame = 0;
    const onScroll = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        look();
      });
    };
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("resize", onScroll);
    return () => {
      removeEventListener("scroll", onScroll);
      removeEventListener("resize", onScroll);
      cancelAnimationFrame(frame);
    };
  });
  const [first = 0, end = 0] = seen.value.split(" ").map(Number);
  return (
    <div class="rows panel" role="table" aria-label={props.label} aria-rowcount={count + 1}>
      <div class="rows-head" role="rowgroup">
        <div class="row" role="row" aria-rowindex={1}>
          {props.head}
        </div>
      </div>
      <div ref={body} class="rows-body" role="rowgroup" style={{ height: `${count * props.height}px` }}>
        {props.items.slice(first, end).map((item, offset) => (
          <div
            key={props.keyOf(item)}
            class="row"
            role="row"
            aria-rowindex={first + offset + 2}
            style={{ height: `${props.height}px`, transform: `translateY(${(first + offset) * props.height}px)` }}
          >
            {props.children(item, first + offset)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** One cell of a row. `kind` chooses how wide it is and how it is aligned. */
export function Cell(props: { kind?: string; head?: boolean; children?: ComponentChildren }): JSX.Element {
  return (
    <div class={`cell${props.kind ? ` cell-${props.kind}` : ""}`} role={props.head ? "columnheader" : "cell"}>
      {props.children}
    </div>
  );
}
