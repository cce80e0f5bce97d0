/** The film of an episode, for the report and for the console. */
export { EpisodeFilm, type EpisodeFilmProps } from "./EpisodeFilm";
export type { FilmSource, LiveState, PersonNow, StageNow } from "./filmSource";
export type { PersonAction } from "./personAction";
export { PhoneSurface, type PhoneSurfaceProps } from "./PhoneSurface";
