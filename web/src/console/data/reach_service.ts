/** Tells whether the service can be reached, for what is to be loaded again when it can. */

import { problemOf } from "./problem";
import { get } from "./requests";

/** What stands for a service that is away: no answer, or a proxy's word that there is none. */
const AWAY: readonly number[] = [0, 502, 503, 504];

/** Returns whether the service answers now, whatever it says. */
export async function reachService(): Promise<boolean> {
  try {
    await get("/session");
    return true;
  } catch (error) {
    return !AWAY.includes(problemOf(error).status);
  }
}
