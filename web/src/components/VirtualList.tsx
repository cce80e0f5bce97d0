/** A long list of rows of one height. Only those near the viewport are in the document. */
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { useWindow } from "./useWindow";

/** Show a list. `height`: the height of a row in pixels. */
export function VirtualList<Item>(props: {
  items: readonly Item[];
  height: number;
  keyOf: (item: Item) => string;
  label: string;
  class?: string;
  children: (item: Item, index: number) => ComponentChildren;
}): JSX.Element {
  const holder = useRef<HTMLUListElement>(null);
  const { items, height } = props;
  const { first, end } = useWindow(holder, items.length, height);
  return (
    <ul
      ref={holder}
      class={props.class}
      aria-label={props.label}
      style={{ height: `${items.length * height}px`, position: "relative" }}
    >
      {items.slice(first, end).map((item, index) => (
        <li
          key={props.keyOf(item)}
          aria-setsize={items.length}
          aria-posinset={first + index + 1}
          style={{ position: "absolute", insetInline: "0", height: `${height}px`, top: `${(first + index) * height}px` }}
        >
          {props.children(item, first + index)}
        </li>
      ))}
    </ul>
  );
}
