/** Keeps the phones of the fleet as the wall's stream tells them. Each phone is a signal: only its tile is drawn anew. */

import { signal, type ReadonlySignal, type Signal, batch } from "@preact/signals";
import { Stream } from "./stream";
import type { WallPhone, WallUpdate } from "./types";

const phones = new Map<string, Signal<WallPhone>>();
const version = signal(0);
const loaded = signal(false);
let stream: Stream | null = null;

/** Changes with each update of the wall; what is computed of all phones depends on it. */
export const wallVersion: ReadonlySignal<number> = version;
/** Whether the wall has come once. */
export const isWallLoaded: ReadonlySignal<boolean> = loaded;

export function openWall(): Stream {
  stream ??= new Stream({
    path: "/wall",
    onEvent: ({ data }) => applyUpdate(JSON.parse(data) as WallUpdate),
  });
  return stream;
}

export function closeWall(): void {
  stream?.close();
  stream = null;
  phones.clear();
  batch(() => {
    loaded.value = false;
    version.value++;
  });
}

/** Returns all phones as they are now, in the order of their serials. Depends on `wallVersion`. */
export function allPhones(): WallPhone[] {
  void version.value;
  return [...phones.values()].map((one) => one.peek()).sort((a, b) => compare(a.serial, b.serial));
}

/** Returns the phone with this serial; undefined if the fleet has none. */
export function findPhone(serial: string): ReadonlySignal<WallPhone> | undefined {
  return phones.get(serial);
}

/** Puts the answer to a change of a phone in its place, so that nobody waits for the stream's next update. */
export function applyChange(changed: Partial<WallPhone> & { readonly serial: string }): void {
  const known = phones.get(changed.serial);
  if (known === undefined) return;
  known.value = { ...known.peek(), ...changed };
  version.value++;
}

export function applyUpdate(update: WallUpdate): void {
  batch(() => {
    if (update.is_whole) {
      const present = new Set(update.phones.map((phone) => phone.serial));
      for (const serial of phones.keys()) if (!present.has(serial)) phones.delete(serial);
    }
    for (const serial of update.gone) phones.delete(serial);
    for (const phone of update.phones) put(phone);
    loaded.value = true;
    version.value++;
  });
}

/** Puts a phone in its place. A task's new screen is named before its picture is written: until then, the last one stays. */
function put(phone: WallPhone): void {
  const known = phones.get(phone.serial);
  if (known === undefined) {
    phones.set(phone.serial, signal(phone));
    return;
  }
  const before = known.peek();
  const isSame = before.screen === phone.screen || (phone.task != null && before.task === phone.task);
  const keeps = phone.thumbnail == null && isSame;
  known.value = keeps ? { ...phone, thumbnail: before.thumbnail ?? null } : phone;
}

const order = new Intl.Collator("en", { numeric: true });

function compare(a: string, b: string): number {
  return order.compare(a, b);
}
