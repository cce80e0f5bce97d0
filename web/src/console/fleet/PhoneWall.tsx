/** Draws only those tiles of the wall that are in sight, so that 2,000 phones cost what 20 do. */

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { formatCounted } from "../../state/format";
import { layOut, rowsBetween, type PhoneGroup, type WallRow, type WallSize } from "./fleet_view";
import { PhoneTile } from "./PhoneTile";

/** How many pixels beyond the window are drawn ahead. */
const AHEAD = 400;

export function PhoneWall({ groups, size }: { groups: readonly PhoneGroup[]; size: WallSize }): JSX.Element {
  const wall = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const seen = useSignal("0 0");
  const layout = useMemo(() => layOut(groups, size, width.value || 1100), [groups, size, width.value]);

  const look = (): void => {
    const top = wall.current?.getBoundingClientRect().top ?? 0;
    const [first, end] = rowsBetween(layout.rows, -top - AHEAD, innerHeight - top + AHEAD);
    seen.value = `${first} ${end}`;
  };
  useLayoutEffect(() => {
    const element = wall.current;
    if (element === null) return undefined;
    width.value = element.clientWidth;
    const observer = new ResizeObserver(() => (width.value = element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(look, [layout]);
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
  }, [layout]);

  const [first = 0, end = 0] = seen.value.split(" ").map(Number);
  return (
    <div ref={wall} class={`wall wall-${size}`} style={{ height: `${layout.height}px` }}>
      {layout.rows.slice(first, end).map((row) => (
        <Row key={row.key} row={row} columns={layout.columns} size={size} />
      ))}
    </div>
  );
}

function Row({ row, columns, size }: { row: WallRow; columns: number; size: WallSize }): JSX.Element {
  const place = { transform: `translateY(${row.top}px)`, height: `${row.height}px` };
  if (row.kind === "header") {
    return (
      <h2 class="wall-header" style={place}>
        <span class="clip">{row.group.name}</span>
        <span class="faint">{formatCounted(row.group.phones.length, "phone")}</span>
      </h2>
    );
  }
  return (
    <div class="wall-row" style={{ ...place, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {row.serials.map((serial) => (
        <PhoneTile key={serial} serial={serial} size={size} />
      ))}
    </div>
  );
}
