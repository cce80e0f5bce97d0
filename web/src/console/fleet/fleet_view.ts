/** Chooses, groups and lays out the phones that the wall shows. */

import type { PhonePhase, WallPhone } from "../data/types";

export type WallSize = "s" | "m" | "l";

export const PHASES: readonly { readonly phase: PhonePhase; readonly name: string }[] = [
  { phase: "busy", name: "Busy" },
  { phase: "free", name: "Free" },
  { phase: "reserved", name: "Reserved" },
  { phase: "aside", name: "Set aside" },
  { phase: "away", name: "Away" },
];

export interface PhoneGroup {
  readonly name: string;
  readonly phones: readonly WallPhone[];
}

/** Counts the phones of each phase. */
export function countPhases(phones: readonly WallPhone[]): Readonly<Record<PhonePhase, number>> {
  const counts = { free: 0, busy: 0, aside: 0, reserved: 0, away: 0 };
  for (const phone of phones) counts[phone.phase]++;
  return counts;
}

/** Returns the phones in whose texts all words occur: serial, labels, task, goal, owner, who has taken it over. */
export function searchPhones(phones: readonly WallPhone[], words: string): readonly WallPhone[] {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (asked.length === 0) return phones;
  return phones.filter((phone) => {
    const text = textOf(phone);
    return asked.every((word) => text.includes(word));
  });
}

function textOf(phone: WallPhone): string {
  const labels = Object.entries(phone.labels ?? {})
    .filter(([name]) => !name.startsWith("app:"))
    .map(([name, value]) => `${name}=${value}`);
  const taken = phone.taken_over_by && `taken over by ${phone.taken_over_by}`;
  return [phone.serial, ...labels, phone.task, phone.goal, phone.owner, phone.doing, phone.reason, taken]
    .join("\n")
    .toLowerCase();
}

/** Returns the names of labels that some phones have and that part the fleet: no apps, no serials. */
export function groupLabels(phones: readonly WallPhone[]): readonly string[] {
  const names = new Set<string>();
  for (const phone of phones) {
    for (const name of Object.keys(phone.labels ?? {})) if (!name.startsWith("app:") && name !== "serial") names.add(name);
  }
  return [...names].sort();
}

/** Returns the phones in groups by the value of a label; in one group without a name if `label` is empty. */
export function groupPhones(phones: readonly WallPhone[], label: string): readonly PhoneGroup[] {
  if (label === "") return phones.length === 0 ? [] : [{ name: "", phones }];
  const groups = new Map<string, WallPhone[]>();
  for (const phone of phones) {
    const value = phone.labels?.[label] ?? "";
    const group = groups.get(value);
    if (group) group.push(phone);
    else groups.set(value, [phone]);
  }
  return [...groups]
    .sort(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a.localeCompare(b, "en", { numeric: true })))
    .map(([name, members]) => ({ name: name || `no label ${label}`, phones: members }));
}

export type WallRow =
  | { readonly kind: "header"; readonly key: string; readonly top: number; readonly height: number; readonly group: PhoneGroup }
  | { readonly kind: "tiles"; readonly key: string; readonly top: number; readonly height: number; readonly serials: readonly string[] };

const GAP = 12;
const HEADER = 42;
const TILE: Readonly<Record<WallSize, { readonly width: number; readonly height: number }>> = {
  s: { width: 92, height: 236 },
  m: { width: 300, height: 184 },
  l: { width: 420, height: 312 },
};

export interface WallLayout {
  readonly columns: number;
  readonly height: number;
  readonly rows: readonly WallRow[];
}

/** Places all rows below each other. `width` is that of the wall in pixels. */
export function layOut(groups: readonly PhoneGroup[], size: WallSize, width: number): WallLayout {
  const tile = TILE[size];
  const columns = Math.max(1, Math.floor((width + GAP) / (tile.width + GAP)));
  const rows: WallRow[] = [];
  let top = 0;
  groups.forEach((group, number) => {
    if (group.name !== "") {
      rows.push({ kind: "header", key: `h${number}`, top, height: HEADER, group });
      top += HEADER;
    }
    for (let first = 0; first < group.phones.length; first += columns) {
      const serials = group.phones.slice(first, first + columns).map((phone) => phone.serial);
      rows.push({ kind: "tiles", key: `${number}:${first}`, top, height: tile.height, serials });
      top += tile.height + GAP;
    }
  });
  return { columns, height: Math.max(0, top - GAP), rows };
}

/** Returns the first and the last row, the latter excluded, between two heights. */
export function rowsBetween(rows: readonly WallRow[], from: number, to: number): [number, number] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle]!;
    if (row.top + row.height < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && rows[end]!.top <= to) end++;
  return [low, end];
}
