/** The film of an episode: its screens step by step, and beside them all that is known of the step. */
import "./episodeFilm.css";
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { EmptyState } from "../components/EmptyState";
import { isAway } from "../state/reach";
import { AwayLine } from "./AwayLine";
import { closeReport, isOver, VERDICT_WORDS } from "./actionWords";
import { FailurePanel } from "./FailurePanel";
import { FilmControls } from "./FilmControls";
import { FilmHead } from "./FilmHead";
import { useFilmKeys } from "./filmKeys";
import { FilmPanel } from "./FilmPanel";
import type { FilmSource, LiveState } from "./filmSource";
import { chooseView, drawBoxes, drawChanges, type FilmState, readFilm, VIEWS } from "./filmState";
import { FilmStrip } from "./FilmStrip";
import { LiveLine } from "./LiveLine";
import { StepStage, stepAnnouncement } from "./StepStage";
import type { EpisodeReport } from "./types";
import { usePlayer } from "./usePlayer";
import { useStageHeight } from "./useStageHeight";

export interface EpisodeFilmProps {
  readonly report: EpisodeReport;
  readonly source: FilmSource;
  /** How the episode is followed; left out for an episode from disk. */
  readonly live?: LiveState | undefined;
  /** What can be done with the episode, such as stop. */
  readonly tools?: ComponentChildren;
  /** What stands in place of the screens, such as the phone while a person has taken it over. */
  readonly surface?: ComponentChildren;
}

/** Show the film. The report may grow: new steps appear, and the film follows them unless a person moved away. */
export function EpisodeFilm(props: EpisodeFilmProps): JSX.Element {
  const { source, live } = props;
  const report = useMemo(() => (live ? props.report : closeReport(props.report)), [props.report, live !== undefined]);
  const followed = useRef("");
  const film = readFilm(report, followed.current === report.episode.id);
  if (film?.isFollowing) followed.current = report.episode.id;
  const player = usePlayer(report, film, source);
  const [note, setNote] = useState({ step: -1, words: "" });
  useFilmKeys(report, film, player, (words) => setNote({ step: film?.step.step ?? -1, words }));
  const root = useRef<HTMLElement>(null);
  const isTaken = !!props.surface;
  useStageHeight(root, film !== null, isTaken);
  return (
    <article class={`film${isTaken ? " film-taken" : ""}`} ref={root}>
      <FilmHead report={report} person={live?.person} tools={props.tools} />
      <FailurePanel report={report} />
      {film ? (
        <>
          <section class="film-reel panel" aria-label="Film">
            {live && !isOver(report) && <LiveLine live={live} />}
            {!live && isAway(source.reach) && <AwayLine />}
            <FilmStrip report={report} film={film} source={source} />
            <FilmControls report={report} film={film} player={player} note={note.step === film.step.step ? note.words : ""} />
          </section>
          <section class="film-stage" aria-label="Screens of the step">
            {props.surface ?? (
              <>
                <StageTools film={film} />
                <div class="film-stage-room">
                  <StepStage report={report} film={film} source={source} missing={<MissingScreen report={report} film={film} />} />
                </div>
              </>
            )}
          </section>
          <FilmPanel report={report} film={film} source={source} live={live} />
          <p class="unseen" aria-live="polite">
            {stepAnnouncement(report, film, film.step.outcome ? VERDICT_WORDS[film.step.outcome] : "")}
          </p>
        </>
      ) : (
        (props.surface ?? (
          <EmptyState icon="image" title={isOver(report) ? "No step was taken" : "No step yet"}>
            {isOver(report) ? "The episode ended before its first screen was taken." : "The first screen appears as soon as the phone has sent it."}
          </EmptyState>
        ))
      )}
    </article>
  );
}

const VIEW_WORDS = { side: "Side by side", slider: "Slider", one: "One screen" } as const;

function StageTools({ film }: { film: FilmState }): JSX.Element {
  return (
    <div class="film-stage-tools" role="group" aria-label="How screens are shown">
      <div class="segments" title="Layout (V)">
        {VIEWS.map((view) => (
          <Button key={view} kind="quiet" pressed={film.view === view} onClick={() => chooseView(view)}>
            {VIEW_WORDS[view]}
          </Button>
        ))}
      </div>
      <Button icon="layers" pressed={film.boxes} title="Boxes of what was read (B)" onClick={() => drawBoxes(!film.boxes)}>
        Boxes
      </Button>
      <Button icon="filter" pressed={film.changes} title="Mark what changed (D)" onClick={() => drawChanges(!film.changes)}>
        Changes
      </Button>
    </div>
  );
}

function MissingScreen({ report, film }: { report: EpisodeReport; film: FilmState }): JSX.Element {
  const isLast = film.index === film.count - 1;
  if (isLast && !isOver(report)) return <span>The step is under way.</span>;
  if (!film.step.action) return <span>No action was sent at this step.</span>;
  return <span>{isLast ? "The episode ended before another screen was taken." : "No screen was taken after the action."}</span>;
}
