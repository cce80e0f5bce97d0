/** Keep what a person chose in a film in the address: the step, the tab, the view, what is drawn on the screens. */
import { address, choice, choose, linkTo } from "../state/address";
import { isOver } from "./actionWords";
import { failureStep } from "./failureStory";
import type { EpisodeReport, Step } from "./types";

export const VIEWS = ["side", "slider", "one"] as const;
/** `side`: before and after beside each other. `slider`: one over the other. `one`: one of them. */
export type View = (typeof VIEWS)[number];

export const TABS = ["step", "screen", "timing", "calls", "log"] as const;
export type Tab = (typeof TABS)[number];

export const TAB_WORDS: Readonly<Record<Tab, string>> = {
  step: "Step",
  screen: "Screen",
  timing: "Timing",
  calls: "Model calls",
  log: "Log",
};

export interface FilmState {
  readonly index: number;
  readonly step: Step;
  readonly previous: Step | undefined;
  readonly next: Step | undefined;
  readonly count: number;
  /** Whether the film shows the newest step of an episode that still runs. */
  readonly isFollowing: boolean;
  readonly view: View;
  readonly face: "before" | "after";
  readonly tab: Tab;
  readonly boxes: boolean;
  readonly changes: boolean;
}

/**
 * Return what the address says of the film; null while the episode has no step. Without a step in the address, the film
 * of a running episode shows the newest step. That of an episode that is over begins at the failure, or at the first
 * step; but where a person has followed it to its end (`wasFollowed`), it stays at the last step.
 */
export function readFilm(report: EpisodeReport, wasFollowed = false): FilmState | null {
  const { steps } = report;
  const named = choice("step");
  const found = named === "" ? -1 : indexOf(steps, Number(named));
  const isFollowing = found < 0 && !isOver(report);
  const isAtEnd = isFollowing || wasFollowed;
  const index = found >= 0 ? found : isAtEnd ? steps.length - 1 : (failureStep(report) ?? 0);
  const step = steps[index];
  if (!step) return null;
  return {
    index,
    step,
    previous: steps[index - 1],
    next: steps[index + 1],
    count: steps.length,
    isFollowing,
    view: oneOf(VIEWS, choice("view"), "side"),
    face: choice("face") === "after" ? "after" : "before",
    tab: oneOf(TABS, choice("tab"), "step"),
    boxes: choice("boxes") === "1",
    changes: choice("changes") !== "0",
  };
}

/** Return the place of the step with a number, or of the nearest one before it; -1 for no number. */
function indexOf(steps: readonly Step[], number: number): number {
  if (!Number.isInteger(number)) return -1;
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle] as Step).step <= number) low = middle;
    else high = middle - 1;
  }
  return steps.length ? low : -1;
}

function oneOf<Value extends string>(values: readonly Value[], value: string, otherwise: Value): Value {
  return values.find((one) => one === value) ?? otherwise;
}

/** Return between which numbers the steps lie, such as `of 0 to 8`; "" for a single step. A step's number is no count. */
export function stepRange({ steps }: EpisodeReport): string {
  const first = steps[0]?.step;
  const last = steps.at(-1)?.step;
  return first === last ? "" : `of ${first} to ${last}`;
}

/** Show a step by its place among the steps. */
export function showStep(report: EpisodeReport, index: number): void {
  const step = report.steps[Math.min(Math.max(index, 0), report.steps.length - 1)];
  if (step) choose({ step: step.step });
}

/** Return the permanent address of a step, with everything else as it is now. */
export function stepLink(step: number): string {
  return linkTo(address.value.path, { ...address.value.choices, step });
}

/** Follow the newest step again. */
export function followNewest(): void {
  choose({ step: null });
}

/** Choose a tab, a view or what is drawn. Values that are the default leave the address. */
export function chooseTab(tab: Tab): void {
  choose({ tab: tab === "step" ? null : tab });
}

export function chooseView(view: View): void {
  choose({ view: view === "side" ? null : view });
}

export function chooseFace(face: "before" | "after"): void {
  choose({ view: "one", face: face === "before" ? null : face });
}

export function drawBoxes(boxes: boolean): void {
  choose({ boxes: boxes ? 1 : null });
}

export function drawChanges(changes: boolean): void {
  choose({ changes: changes ? null : 0 });
}
