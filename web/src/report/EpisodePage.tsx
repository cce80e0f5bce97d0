/** The page of an episode: its film. */
import "./episodepage.css";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EpisodeReport, StepCalls } from "../api/schema";
import { EpisodeFilm, type FilmSource } from "../episode";
import { Loaded } from "./App";
import { loadPart, pictureUrl, reachReport } from "./store";
import { usePart } from "./usePart";

export interface RunPlace {
  /** What the names of the run's payloads begin with: `left/`, `right/`, or nothing in the report of one run. */
  readonly parts: string;
  /** The folder of the run's pictures, relative to the page, with a slash. Null: the report has no screens. */
  readonly pictures: string | null;
}

/** Show the film of an episode. */
export function EpisodePage({ id, place }: { id: string; place: RunPlace }): JSX.Element {
  const episode = usePart<EpisodeReport>(`${place.parts}episodes/${id}`);
  return (
    <Loaded loading={episode}>
      {(report) => (
        <main class="episode-page">
          <Film report={report} place={place} />
        </main>
      )}
    </Loaded>
  );
}

function Film({ report, place }: { report: EpisodeReport; place: RunPlace }): JSX.Element {
  const { parts, pictures } = place;
  const source = useMemo(() => sourceOf(report, { parts, pictures }), [report, parts, pictures]);
  return <EpisodeFilm report={report} source={source} />;
}

/** Return where the film of an episode finds its pictures, model calls and log. */
export function sourceOf(report: EpisodeReport, { parts, pictures }: RunPlace): FilmSource {
  const { id } = report.episode;
  const loadCalls = async (step: number): Promise<StepCalls> => {
    const all = await loadPart<readonly StepCalls[]>(`${parts}calls/${id}`);
    return all.find((one) => one.step === step) ?? { step, calls: [] };
  };
  const loadLog = async (): Promise<string> => (await loadPart<readonly string[]>(`${parts}logs/${id}`)).join("\n");
  return {
    pictureUrl: (contentId, size) => (pictures === null ? null : pictureUrl(contentId, size, pictures)),
    loadCalls,
    reach: reachReport,
    ...(report.has_log ? { loadLog } : {}),
  };
}
