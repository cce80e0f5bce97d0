/** Say in plain words what an action or an ending is. */
import { tapText } from "./tapWords";
import type { EpisodeReport, Step, Verdict } from "./types";

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  A: "as expected",
  B: "a wrong page",
  C: "nothing changed",
};

/** What each ending means, as the end of "The episode ended: ...". */
const ENDING_WORDS: Readonly<Record<string, string>> = {
  finished: "the agent said that the task is done",
  impossible: "the agent said that the goal cannot be reached",
  diverged: "the screen was not the one that the task's flow expects",
  app_crashed: "the app under test crashed, or did not respond",
  setup_refused: "the phone refused the app under test, or a setting that the task needs",
  step_limit: "the limit of steps was reached",
  answer_invalid: "the agent's answer is missing or does not fit what the task asks for",
  failure_limit: "too many actions in a row did not do what was expected",
  repeat_limit: "the same action, or the same round of actions, came again too often",
  time_limit: "the time limit was reached",
  unusable_reply: "the model's reply could not be used",
  phone_lost: "the phone was lost",
  lease_lost: "another holder took the phone",
  model_failed: "the model failed",
  perception_failed: "the screen could not be read",
  host_lost: "the process that ran the episode died",
  no_phone: "no phone was left to run it on",
  no_model: "no model server answered for too long",
  needs_person: "it needed a person, and none went on with it",
  cancelled: "it was cancelled",
  internal_error: "a defect of the program ended it",
  unfinished: "its journal has no end, because the run was interrupted",
};

/** Stands for an ending where the journal has none. */
export const UNFINISHED = "unfinished";

/**
 * Return an ending in words. An ending that is not known keeps its own name. Where something came again too often, the
 * reason names what.
 */
export function endingWords(ending: string, reason = ""): string {
  if (ending === "repeat_limit" && reason) return reason;
  return ENDING_WORDS[ending] ?? ending.replaceAll("_", " ");
}

/** Return an ending as a short label, such as `step limit`. */
export function endingLabel(ending: string): string {
  return ending.replaceAll("_", " ");
}

/** Actions that press a key of the phone or speak to nobody: they have no place on the screen. */
const KEY_WORDS: Readonly<Record<string, string>> = {
  Back: "Back",
  Home: "Home",
  Enter: "Enter",
  Switch_App: "App switcher",
  Wait: "Wait",
  Stop: "Stop",
};

/** Return what to write on the picture for an action without a place, or "" where it has one or there is none. */
export function actionChip(step: Step): string {
  const kind = step.action_kind;
  const key = KEY_WORDS[kind];
  if (key) return kind === "Wait" ? actionWords(step) : key;
  if (kind === "Open_App" || kind === "Open_Link" || kind === "Answer") return actionWords(step);
  return step.touches.length || step.typed_text || !kind ? "" : actionWords(step);
}

/**
 * Return an action in one line: its name with spaces in place of underscores, the text that it touched where one was
 * read there (set apart, since it may run from right to left), and its arguments as they are.
 */
export function actionWords(step: Step): string {
  if (!step.action) return "no action";
  const end = step.action.indexOf(" ");
  const name = end < 0 ? step.action : step.action.slice(0, end);
  const touched = step.by_person ? "" : tapText(step);
  return name.replaceAll("_", " ") + (touched && ` “\u2068${touched}\u2069”`) + step.action.slice(name.length);
}

/** Whether the episode has come to its end. */
export function isOver(report: EpisodeReport): boolean {
  return report.episode.ended_at != null || report.episode.ending != null;
}

/** Return the report of an episode that does not run any more: one whose journal has no end counts as unfinished. */
export function closeReport(report: EpisodeReport): EpisodeReport {
  return isOver(report) ? report : { ...report, episode: { ...report.episode, ending: UNFINISHED as EpisodeReport["episode"]["ending"] } };
}
