/** Find the places at which two screens differ, from their pixels, or from what was read off them. */
import type { ReadElement, Touch } from "./types";

export interface ScreenChanges {
  /** The places in pixels of the screenshot. */
  readonly places: readonly Touch[];
  /** The share of the screen that they cover, from 0 to 1. */
  readonly share: number;
  /** `elements`: the browser does not let a page from the disk read pixels. */
  readonly by: "pixels" | "elements";
}

/** The width at which pictures are compared; the height follows. */
const ACROSS = 180;
/** The edge of the squares that are compared, in pixels of the small picture. */
const CELL = 4;
/** How much a colour channel must differ: below are traces of compression and of scaling. */
const LEAST = 24;

/** Compare two pictures of one size. Return null where the browser forbids reading them. */
export function comparePixels(before: HTMLImageElement, after: HTMLImageElement): ScreenChanges | null {
  const width = before.naturalWidth;
  const height = before.naturalHeight;
  if (!width || !height || after.naturalWidth !== width || after.naturalHeight !== height) return null;
  const across = Math.min(ACROSS, width);
  const down = Math.max(1, Math.round((height * across) / width));
  const old = pixelsOf(before, across, down);
  const now = old && pixelsOf(after, across, down);
  if (!old || !now) return null;
  const columns = Math.ceil(across / CELL);
  const rows = Math.ceil(down / CELL);
  const cells = new Uint8Array(columns * rows);
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const at = 4 * (y * across + x);
      if (differ(old, now, at)) cells[Math.floor(y / CELL) * columns + Math.floor(x / CELL)] = 1;
    }
  }
  const scale = (width / across) * CELL;
  const changed = cells.reduce((sum, cell) => sum + cell, 0);
  const places = joinCells(cells, columns, rows).map((box) => ({
    x1: Math.round(box.x1 * scale),
    y1: Math.round(box.y1 * scale),
    x2: Math.min(width, Math.round(box.x2 * scale)),
    y2: Math.min(height, Math.round(box.y2 * scale)),
  }));
  return { places: mergeNear(places, 0), share: changed / cells.length, by: "pixels" };
}

function differ(old: Uint8ClampedArray, now: Uint8ClampedArray, at: number): boolean {
  for (let channel = 0; channel < 3; channel += 1) {
    if (Math.abs((old[at + channel] ?? 0) - (now[at + channel] ?? 0)) > LEAST) return true;
  }
  return false;
}

function pixelsOf(picture: HTMLImageElement, across: number, down: number): Uint8ClampedArray | null {
  const canvas = document.createElement("canvas");
  canvas.width = across;
  canvas.height = down;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return null;
  try {
    context.drawImage(picture, 0, 0, across, down);
    return context.getImageData(0, 0, across, down).data;
  } catch {
    return null; // A picture from the disk taints the canvas.
  }
}

/** Return boxes around groups of changed cells. Cells belong together if at most one cell lies between them. */
function joinCells(cells: Uint8Array, columns: number, rows: number): Touch[] {
  const seen = new Uint8Array(cells.length);
  const boxes: Touch[] = [];
  for (let start = 0; start < cells.length; start += 1) {
    if (!cells[start] || seen[start]) continue;
    const box = { x1: columns, y1: rows, x2: 0, y2: 0 };
    const waiting = [start];
    seen[start] = 1;
    while (waiting.length) {
      const cell = waiting.pop() as number;
      const x = cell % columns;
      const y = Math.floor(cell / columns);
      box.x1 = Math.min(box.x1, x);
      box.y1 = Math.min(box.y1, y);
      box.x2 = Math.max(box.x2, x + 1);
      box.y2 = Math.max(box.y2, y + 1);
      for (let v = Math.max(0, y - 2); v <= Math.min(rows - 1, y + 2); v += 1) {
        for (let u = Math.max(0, x - 2); u <= Math.min(columns - 1, x + 2); u += 1) {
          const next = v * columns + u;
          if (cells[next] && !seen[next]) {
            seen[next] = 1;
            waiting.push(next);
          }
        }
      }
    }
    boxes.push(box);
  }
  return boxes;
}

/** How far the box of an element may move and still count as the same place, in pixels. */
const NEAR = 12;

/** Compare what was read off two screens: places of texts and icons that only one of them has. */
export function compareElements(
  before: readonly ReadElement[],
  after: readonly ReadElement[],
  size: readonly [number, number],
): ScreenChanges {
  const places = [...elementsOnlyIn(before, after), ...elementsOnlyIn(after, before)];
  const area = places.reduce((sum, one) => sum + (one.x2 - one.x1) * (one.y2 - one.y1), 0);
  return { places: mergeNear(places, size[0] * MERGED_SHARE), share: Math.min(1, area / Math.max(1, size[0] * size[1])), by: "elements" };
}

/** How far apart two changed elements may be and still be one change, as a share of the screen's width. */
const MERGED_SHARE = 0.05;

/** Merge places that overlap, or that are less than `gap` pixels apart. */
export function mergeNear(places: readonly Touch[], gap: number): Touch[] {
  let merged = [...places];
  for (let before = -1; before !== merged.length; ) {
    before = merged.length;
    const next: Touch[] = [];
    for (const place of merged) {
      const at = next.findIndex((one) => isBeside(one, place, gap));
      const other = next[at];
      if (other) next[at] = enclose(other, place);
      else next.push(place);
    }
    merged = next;
  }
  return merged;
}

function isBeside(one: Touch, other: Touch, gap: number): boolean {
  return one.x1 - gap < other.x2 && other.x1 - gap < one.x2 && one.y1 - gap < other.y2 && other.y1 - gap < one.y2;
}

function enclose(one: Touch, other: Touch): Touch {
  return {
    x1: Math.min(one.x1, other.x1),
    y1: Math.min(one.y1, other.y1),
    x2: Math.max(one.x2, other.x2),
    y2: Math.max(one.y2, other.y2),
  };
}

/** Return the elements of `these` that `others` do not have at the same place. */
export function elementsOnlyIn(these: readonly ReadElement[], others: readonly ReadElement[]): ReadElement[] {
  const byContent = new Map<string, ReadElement[]>();
  for (const one of others) {
    const key = `${one.kind}:${one.content}`;
    const known = byContent.get(key);
    if (known) known.push(one);
    else byContent.set(key, [one]);
  }
  return these.filter((one) => !byContent.get(`${one.kind}:${one.content}`)?.some((other) => isNear(one, other)));
}

function isNear(one: Touch, other: Touch): boolean {
  return Math.abs(one.x1 - other.x1) <= NEAR && Math.abs(one.y1 - other.y1) <= NEAR;
}
