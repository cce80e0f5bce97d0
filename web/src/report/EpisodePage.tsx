/** The page of an episode: its film. */
import "./episodepage.css";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EpisodeReport, StepCalls } from "../api/schema";
import { EpisodeFilm, type FilmSource } from "../episode";
import { Loaded } from "./App";
import { loadPart, pictureUrl } from "./store";
import { usePart } from "./usePart";

/** Show the film of an episode. `isTrimmed`: the report was made without screens. */
export function EpisodePage({ id, isTrimmed }: { id: string; isTrimmed: boolean }): JSX.Element {
  const episode = usePart<EpisodeReport>(`episodes/${id}`);
  return (
    <Loaded loading={episode}>
      {(report) => (
        <main class="episode-page">
          <Film report={report} isTrimmed={isTrimmed} />
        </main>
      )}
    </Loaded>
  );
}

function Film({ report, isTrimmed }: { report: EpisodeReport; isTrimmed: boolean }): JSX.Element {
  const { id } = report.episode;
  const source = useMemo((): FilmSource => {
    const loadCalls = async (step: number): Promise<StepCalls> => {
      const all = await loadPart<readonly StepCalls[]>(`calls/${id}`);
      return all.find((one) => one.step === step) ?? { step, calls: [] };
    };
    const loadLog = async (): Promise<string> => (await loadPart<readonly string[]>(`logs/${id}`)).join("\n");
    return {
      pictureUrl: (contentId, size) => (isTrimmed ? null : pictureUrl(contentId, size)),
      loadCalls,
      ...(report.has_log ? { loadLog } : {}),
    };
  }, [id, isTrimmed, report.has_log]);
  return <EpisodeFilm report={report} source={source} />;
}
