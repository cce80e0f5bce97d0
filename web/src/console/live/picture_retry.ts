/** Loads screens again that are not there yet: a running episode names its newest screen before the picture is written. */

import { waitForSource } from "../../state/reach";
import { reachService } from "../data/reach_service";

const SCREEN = /\/api\/v1\/episodes\/[^/]+\/screens\//;
const MOST = 6;
const FIRST_WAIT_MS = 300;

const tries = new WeakMap<HTMLImageElement, { readonly source: string; readonly count: number }>();

/** Tries again on the whole page until the returned function is called. A picture's own handlers learn of the last try alone. */
export function retryPictures(): () => void {
  addEventListener("error", onError, true);
  return () => removeEventListener("error", onError, true);
}

function onError(event: Event): void {
  const image = event.target;
  if (!(image instanceof HTMLImageElement) || !SCREEN.test(image.src)) return;
  const source = image.src;
  const before = tries.get(image);
  const count = before?.source === source ? before.count + 1 : 1;
  tries.set(image, { source, count });
  const load = (): void => {
    if (image.isConnected && image.src === source) image.src = source;
  };
  if (count <= MOST) {
    event.stopPropagation();
    setTimeout(load, FIRST_WAIT_MS * 2 ** (count - 1));
    return;
  }
  // The connection may be lost for longer than all these tries.
  void waitForSource(reachService).then((wasAway) => {
    if (!wasAway) return;
    tries.delete(image);
    load();
  });
}
