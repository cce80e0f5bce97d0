/** Wait for what is away: a service that does not answer, or a folder that cannot be read. What failed is tried again. */

import { signal } from "@preact/signals";

/** Ask whether the source of pictures and texts can be reached now. It never rejects. */
export type Reach = () => Promise<boolean>;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4000;

const away = signal<ReadonlySet<Reach>>(new Set());
const waits = new Map<Reach, Promise<boolean>>();

/** Return whether a source is known to be away: something failed, and the source could not be reached since. */
export function isAway(reach: Reach | undefined): boolean {
  return reach !== undefined && away.value.has(reach);
}

/** Return once a source can be reached: false if it could be at once, true if it was away. All callers share the tries. */
export function waitForSource(reach: Reach | undefined): Promise<boolean> {
  if (reach === undefined) return Promise.resolve(false);
  let wait = waits.get(reach);
  if (wait === undefined) {
    wait = tryUntilReached(reach).finally(() => waits.delete(reach));
    waits.set(reach, wait);
  }
  return wait;
}

/**
 * Return what `load` returns, which is called until it succeeds: again whenever the source was away, and once again if it
 * was not, because the source may have come back in between. Throws the last error.
 */
export async function loadSurely<Value>(reach: Reach | undefined, load: () => Promise<Value>): Promise<Value> {
  for (let mayTryAgain = true; ; ) {
    try {
      return await load();
    } catch (error) {
      const wasAway = await waitForSource(reach);
      if (!wasAway && !mayTryAgain) throw error;
      mayTryAgain = wasAway;
    }
  }
}

async function tryUntilReached(reach: Reach): Promise<boolean> {
  if (await reach()) return false;
  mark(reach, true);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, 2 * wait)) {
    await pause(wait);
    if (await reach()) break;
  }
  mark(reach, false);
  return true;
}

function mark(reach: Reach, isGone: boolean): void {
  const others = [...away.peek()].filter((one) => one !== reach);
  away.value = new Set(isGone ? [...others, reach] : others);
}

/** Wait so long, or until the browser says that it is online again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
  });
}
