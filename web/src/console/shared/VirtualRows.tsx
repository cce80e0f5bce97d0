/** Draws only those rows of a long list that are in sight. All rows have one height; the page scrolls, not the list. */

import "./virtual_rows.css";
import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { useWindow } from "../../components/useWindow";

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
  const count = props.items.length;
  const { first, end } = useWindow(body, count, props.height);
  const isAtEnd = end >= count;
  useEffect(() => {
    if (isAtEnd) props.onEnd?.();
  }, [isAtEnd, count]);
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
