/** Find the step beside another one on the timeline, for the arrow keys. */
import type { PhoneTrack } from "../../api/schema";
import type { Place } from "./layout";

export type Way = "next" | "before" | "above" | "below";

/** Return the place beside `place`. Without one, return the first step after `from` seconds. */
export function neighbour(phones: readonly PhoneTrack[], place: Place | null, way: Way, from: number): Place | null {
  if (!place) return firstPlace(phones, from);
  if (way === "next" || way === "before") {
    const all = placesOf(place.track);
    const at = all.findIndex((one) => one.episode === place.episode && one.step === place.step);
    return all[at + (way === "next" ? 1 : -1)] ?? place;
  }
  const moment = place.step?.start ?? place.episode.start;
  const by = way === "below" ? 1 : -1;
  for (let row = phones.indexOf(place.track) + by; row >= 0 && row < phones.length; row += by) {
    const track = phones[row];
    const all = track ? placesOf(track) : [];
    if (!all.length) continue;
    return all.reduce((best, one) => (distance(one, moment) < distance(best, moment) ? one : best));
  }
  return place;
}

function firstPlace(phones: readonly PhoneTrack[], from: number): Place | null {
  for (const track of phones) {
    const all = placesOf(track);
    const found = all.find((one) => (one.step?.start ?? one.episode.start) >= from) ?? all[0];
    if (found) return found;
  }
  return null;
}

function placesOf(track: PhoneTrack): Place[] {
  return track.episodes.flatMap((episode): Place[] =>
    episode.steps.length ? episode.steps.map((step) => ({ track, episode, step })) : [{ track, episode, step: null }],
  );
}

function distance(place: Place, moment: number): number {
  return Math.abs((place.step?.start ?? place.episode.start) - moment);
}
