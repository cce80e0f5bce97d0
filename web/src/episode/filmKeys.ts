/** The keys of a film: what each does, in one table that the help shows too. */
import { useEffect } from "preact/hooks";
import { failureStep, lastGoodStep } from "./failureStory";
import { chooseFace, chooseTab, chooseView, drawBoxes, drawChanges, type FilmState, showStep, TABS, VIEWS } from "./filmState";
import type { EpisodeReport } from "./types";

export interface KeyTarget {
  readonly report: EpisodeReport;
  readonly film: FilmState;
  readonly togglePlay: () => void;
  readonly follow: () => void;
  readonly toggleHelp: () => void;
}

interface FilmKey {
  /** The values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** The keys as the help shows them. */
  readonly shown: readonly string[];
  readonly what: string;
  readonly run: (target: KeyTarget, key: string) => void;
}

export const FILM_KEYS: readonly FilmKey[] = [
  { keys: ["ArrowLeft"], shown: ["←"], what: "Step before", run: ({ report, film }) => showStep(report, film.index - 1) },
  { keys: ["ArrowRight"], shown: ["→"], what: "Next step", run: ({ report, film }) => showStep(report, film.index + 1) },
  { keys: ["Home"], shown: ["Home"], what: "First step", run: ({ report }) => showStep(report, 0) },
  { keys: ["End"], shown: ["End"], what: "Last step", run: ({ report, film }) => showStep(report, film.count - 1) },
  { keys: [" "], shown: ["Space"], what: "Play or pause", run: ({ togglePlay }) => togglePlay() },
  { keys: ["f"], shown: ["F"], what: "To the failure", run: ({ report }) => jump(report, failureStep(report)) },
  {
    keys: ["g"],
    shown: ["G"],
    what: "To the last action that was as expected",
    run: ({ report }) => jump(report, lastGoodStep(report, failureStep(report) ?? undefined)),
  },
  { keys: ["l"], shown: ["L"], what: "Follow the newest step", run: ({ follow }) => follow() },
  {
    keys: ["c"],
    shown: ["C"],
    what: "Flip between before and after",
    run: ({ film }) => chooseFace(film.view === "one" && film.face === "before" ? "after" : "before"),
  },
  {
    keys: ["v"],
    shown: ["V"],
    what: "Side by side, slider, one screen",
    run: ({ film }) => chooseView(VIEWS[(VIEWS.indexOf(film.view) + 1) % VIEWS.length] ?? "side"),
  },
  { keys: ["b"], shown: ["B"], what: "Show what was read, as boxes", run: ({ film }) => drawBoxes(!film.boxes) },
  { keys: ["d"], shown: ["D"], what: "Mark what changed", run: ({ film }) => drawChanges(!film.changes) },
  {
    keys: ["1", "2", "3", "4", "5"],
    shown: ["1", "–", "5"],
    what: "Step, screen, timing, model calls, log",
    run: (_, key) => chooseTab(TABS[Number(key) - 1] ?? "step"),
  },
  { keys: ["?"], shown: ["?"], what: "Show or hide these keys", run: ({ toggleHelp }) => toggleHelp() },
];

function jump(report: EpisodeReport, index: number | null): void {
  if (index !== null) showStep(report, index);
}

/** Carry out keys that are pressed anywhere on the page, but in fields and dialogs. */
export function useFilmKeys(target: KeyTarget | null): void {
  useEffect(() => {
    if (!target) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isOwnKey(event)) return;
      const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const found = FILM_KEYS.find((one) => one.keys.includes(letter));
      if (!found) return;
      event.preventDefault();
      found.run(target, letter);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [target]);
}

/** Whether the element with the focus needs the key for itself. */
function isOwnKey(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  if (at.isContentEditable || at.closest("[data-own-keys]")) return true;
  if (at.closest("dialog")) return event.key !== "?";
  if (at instanceof HTMLInputElement && at.type === "range") return /^(Arrow|Home|End|Page)/.test(event.key);
  if (at instanceof HTMLInputElement && at.type === "checkbox") return event.key === " ";
  if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return true;
  if (event.key === " ") return at.closest("button, a, summary, [role=tab], [role=slider]") !== null;
  return at.closest("[role=tablist]") !== null && /^(Arrow|Home|End)/.test(event.key);
}
