/** Gives the film of an episode its pictures and model calls from the service. */

import type { FilmSource } from "../../episode";
import { addressOf, get, part } from "../data/requests";

const SMALL = 180;

export function serviceSource(episode: string): FilmSource {
  const path = `/episodes/${part(episode)}`;
  return {
    pictureUrl: (contentId, size) => addressOf(`${path}/screens/${part(contentId)}`, size === "small" ? { width: SMALL } : {}),
    loadCalls: (step) => get(`${path}/steps/${step}/calls`),
  };
}
