/** What perception read off a screen, as boxes over it. */
import "./boxLayer.css";
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadElement } from "./types";

/** The element that is pointed at, in the picture or in the list: the same object lights up in both. */
export const pointedElement = signal<ReadElement | null>(null);

/** Draw the boxes, as elements of an SVG in pixels of the screenshot. With `all` of false only the one pointed at. */
export function ElementBoxes({ elements, all }: { elements: readonly ReadElement[]; all: boolean }): JSX.Element {
  const pointed = pointedElement.value;
  const shown = all ? [...elements].sort((one, other) => areaOf(other) - areaOf(one)) : elements.filter((one) => one === pointed);
  return (
    <g class="boxes">
      {shown.map((one, index) => (
        <rect
          key={index}
          class={`box box-${one.kind}${one === pointed ? " box-pointed" : ""}`}
          x={one.x1}
          y={one.y1}
          width={Math.max(1, one.x2 - one.x1)}
          height={Math.max(1, one.y2 - one.y1)}
          rx={6}
          onPointerEnter={() => (pointedElement.value = one)}
          onPointerLeave={() => (pointedElement.value = null)}
        />
      ))}
    </g>
  );
}

function areaOf(one: ReadElement): number {
  return (one.x2 - one.x1) * (one.y2 - one.y1);
}

/** Show what the element that is pointed at says, beside its box. */
export function ElementHint(props: { elements: readonly ReadElement[]; size: readonly [number, number] }): JSX.Element | null {
  const one = pointedElement.value;
  if (!one || !props.elements.includes(one)) return null;
  const [width, height] = props.size;
  const isLow = one.y2 > height * 0.8;
  return (
    <div
      class="box-hint"
      style={{
        left: `${Math.min(70, (100 * one.x1) / width)}%`,
        top: isLow ? "auto" : `${(100 * one.y2) / height}%`,
        bottom: isLow ? `${100 - (100 * one.y1) / height}%` : "auto",
      }}
    >
      <span class="faint">{one.kind}</span> <bdi>{elementText(one)}</bdi>
    </div>
  );
}

/** Return what was read, or what stands for an icon without a name. */
export function elementText(one: ReadElement): string {
  return one.content || "(no name)";
}
