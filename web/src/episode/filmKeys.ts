/** The keys of a film. The page's help shows them. */
import { type Key, useKeys } from "../components/keys";
import { isOver } from "./actionWords";
import { failureStep, lastGoodStep } from "./failureStory";
import {
  chooseFace,
  chooseTab,
  chooseView,
  drawBoxes,
  drawChanges,
  type FilmState,
  followNewest,
  showStep,
  TAB_WORDS,
  TABS,
  VIEWS,
} from "./filmState";
import type { EpisodeReport } from "./types";
import type { Player } from "./usePlayer";

/** Understand the keys for as long as the film is shown. `say`: tell why a key leads nowhere. */
export function useFilmKeys(report: EpisodeReport, film: FilmState | null, player: Player, say: (words: string) => void): void {
  useKeys("Film", film ? filmKeys(report, film, player, say) : []);
}

function filmKeys(report: EpisodeReport, film: FilmState, player: Player, say: (words: string) => void): Key[] {
  const go = (index: number | null, otherwise = "") => (): void => {
    if (index !== null) showStep(report, index);
    else say(otherwise);
  };
  const failure = failureStep(report);
  const noFailure = isOver(report) ? "This episode did not fail." : "It has not failed so far.";
  const keys: Key[] = [
    { key: "ArrowRight", does: "next step", run: go(film.index + 1) },
    { key: "ArrowLeft", does: "step before", run: go(film.index - 1) },
    { key: ".", does: "next step, on a tab, too", run: go(film.index + 1) },
    { key: ",", does: "step before, on a tab, too", run: go(film.index - 1) },
    { key: "Home", does: "first step", run: go(0) },
    { key: "End", does: "last step", run: go(film.count - 1) },
    { key: " ", does: "play or pause", run: player.toggle },
    { key: "f", does: "to the failure", run: go(failure, noFailure) },
    {
      key: "g",
      does: "to the last action that was as expected",
      run: go(lastGoodStep(report, failure ?? film.count), "No action before was as expected."),
    },
    { key: "l", does: "follow the newest step", run: () => !isOver(report) && followNewest() },
    {
      key: "c",
      does: "flip between before and after",
      run: () => chooseFace(film.view === "one" && film.face === "before" ? "after" : "before"),
    },
    {
      key: "v",
      does: "side by side, slider, one screen",
      run: () => chooseView(VIEWS[(VIEWS.indexOf(film.view) + 1) % VIEWS.length] ?? "side"),
    },
    { key: "b", does: "boxes of what was read", run: () => drawBoxes(!film.boxes) },
    { key: "d", does: "mark what changed", run: () => drawChanges(!film.changes) },
  ];
  const tabs = TABS.map((tab, index) => ({
    key: String(index + 1),
    does: `show ${TAB_WORDS[tab].toLowerCase()}`,
    run: () => chooseTab(tab),
  }));
  return [...keys, ...tabs];
}
