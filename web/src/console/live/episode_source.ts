/** Gives the film of an episode its pictures and model calls from the service. */

import type { FilmSource } from "../../episode";
import { loadSurely } from "../../state/reach";
import { reachService } from "../data/reach_service";
import { addressOf, get, part } from "../data/requests";

const SMALL = 180;

export function serviceSource(episode: string): FilmSource {
  const path = `/episodes/${part(episode)}`;
  return {
    pictureUrl: (contentId, size) => addressOf(`${path}/screens/${part(contentId)}`, size === "small" ? { width: SMALL } : {}),
    loadCalls: (step) => loadSurely(reachService, () => get(`${path}/steps/${step}/calls`)),
    reach: reachService,
  };
}
