/** Say why an episode failed, in words that need no other page, and at which step to look. */
import { actionWords, endingWords, isOver, UNFINISHED, VERDICT_WORDS } from "./actionWords";
import { scaleRemark } from "./modelScale";
import type { EpisodeReport, Step } from "./types";

export type EpisodeResult = "running" | "done" | "failed" | "undecided" | "cancelled";

/** Return what became of an episode. `undecided`: it has a check, and nobody could tell whether it holds. */
export function episodeResult(report: EpisodeReport): EpisodeResult {
  const { ending, verified, unmet } = report.episode;
  if (!isOver(report)) return "running";
  if (ending === "cancelled") return "cancelled";
  if (verified === true && !report.unexpected_changes.length) return "done";
  if (verified === false || report.unexpected_changes.length || ending !== "finished") return "failed";
  return unmet?.length ? "undecided" : "done";
}

export interface StoryLine {
  readonly label: string;
  /** What a model, a phone or a check says. */
  readonly text: string;
  /** The step that the line is about. */
  readonly step?: number;
}

export interface FailureStory {
  /** One sentence of ours. */
  readonly headline: string;
  readonly lines: readonly StoryLine[];
}

/** Return why the episode failed; null if it did not. */
export function failureStory(report: EpisodeReport): FailureStory | null {
  const result = episodeResult(report);
  if (result !== "failed" && result !== "undecided") return null;
  return { headline: headline(report, result), lines: storyLines(report) };
}

function headline(report: EpisodeReport, result: EpisodeResult): string {
  const { ending, reason, verified, unmet } = report.episode;
  const words = endingWords(ending ?? "", reason ?? "");
  if (result === "undecided") return "Nobody could tell whether the task is done: its check was not answered.";
  if (String(ending) === UNFINISHED) return `Nobody knows whether the task was done: ${words}.`;
  if (ending === "finished") {
    if (verified === false) return "The agent said that the task is done, but the task's check does not hold.";
    return "The agent said that the task is done, but it also changed what it must not change.";
  }
  const also = unmet?.length && ending !== "step_limit" ? " The task's check does not hold." : "";
  return `The episode ended before the task was done: ${words}.${also}`;
}

function storyLines(report: EpisodeReport): StoryLine[] {
  const { reason, unmet, ending } = report.episode;
  const lines: StoryLine[] = [];
  const at = failureStep(report);
  const step = at === null ? undefined : report.steps[at];
  const problem = step && stepProblems(step)[0];
  if (step && at !== null && problem) {
    const said = reason?.includes(problem.text) ? `${problem.title}.` : problem.text;
    // What was sent, thought, expected and seen stand below each other, so that a contradiction is seen.
    lines.push({ label: `Step ${step.step}`, text: `It sent: ${actionWords(step)}`, step: step.step });
    if (step.thought) lines.push({ label: "It thought", text: step.thought });
    if (step.expectation) lines.push({ label: "It expected", text: step.expectation });
    lines.push({ label: "Then", text: said });
    const remark = scaleRemark(step);
    if (remark) lines.push({ label: "Places", text: remark });
    const repeats = repeatsOf(report, at);
    if (repeats.length) lines.push({ label: "Again at", text: `step${repeats.length === 1 ? "" : "s"} ${repeats.join(", ")}` });
  }
  if (ending !== "finished" && ending !== "repeat_limit" && reason) lines.push({ label: "Reason", text: reason });
  for (const test of unmet ?? []) {
    lines.push({ label: "Expected", text: test.expected }, { label: "Found", text: test.found });
  }
  for (const said of report.judged) {
    if (said.verdict !== "yes") lines.push({ label: `Judge: ${said.verdict ?? "no answer"}`, text: said.reason });
  }
  for (const change of report.unexpected_changes) lines.push({ label: "Not allowed", text: changeWords(change) });
  return lines;
}

function changeWords(change: EpisodeReport["unexpected_changes"][number]): string {
  if (change.before == null) return `${change.path}: added ${change.after ?? ""}`;
  if (change.after == null) return `${change.path}: removed ${change.before}`;
  return `${change.path}: ${change.before} became ${change.after}`;
}

/** Return the index of the step at which to begin looking for why the episode failed; null if it did not fail.

After the last progress, this is the first step that went wrong. If no step went wrong, it is the last step that typed
a text which the check misses. Else it is the last step. (`evaluation/report/failure_step.py` says the same.)
*/
export function failureStep(report: EpisodeReport): number | null {
  const result = episodeResult(report);
  const { steps } = report;
  if ((result !== "failed" && result !== "undecided") || !steps.length) return null;
  const progress = lastProgress(steps);
  const wrong = steps.findIndex((step, index) => index > progress && wentWrong(step));
  if (wrong >= 0) return wrong;
  const typed = steps.findLastIndex((step) => isTypedInVain(step, report));
  return typed >= 0 ? typed : steps.length - 1;
}

/** Return the index of the last step that brought the task forward; -1 if none did.

An action that was as expected is no progress if it only goes back after a wrong one, or if it was done before.
*/
function lastProgress(steps: readonly Step[]): number {
  let last = -1;
  let hasGoneWrong = false;
  const seen = new Set<string>();
  steps.forEach((step, index) => {
    const isReturn = hasGoneWrong && (step.action_kind === "Back" || step.action_kind === "Home");
    if (isGood(step) && !isReturn && !seen.has(step.action)) {
      last = index;
      hasGoneWrong = false;
    } else if (wentWrong(step)) hasGoneWrong = true;
    seen.add(step.action);
  });
  return last;
}

/** Return the numbers of the later steps at which the same action went wrong again. */
function repeatsOf(report: EpisodeReport, at: number): number[] {
  const action = report.steps[at]?.action;
  if (!action) return [];
  return report.steps
    .slice(at + 1)
    .filter((step) => step.action === action && wentWrong(step))
    .map((step) => step.step);
}

function isTypedInVain(step: Step, report: EpisodeReport): boolean {
  const texts = step.typed_text.split("\n").map((text) => text.trim()).filter(Boolean);
  return texts.some((text) => (report.episode.unmet ?? []).some((test) => test.expected.includes(text) && !test.found.includes(text)));
}

/** Return the index of the last step whose action was as expected, before a step if one is given; null without one. */
export function lastGoodStep(report: EpisodeReport, before = report.steps.length): number | null {
  const found = report.steps.slice(0, before).findLastIndex(isGood);
  return found < 0 ? null : found;
}

function isGood(step: Step): boolean {
  return step.outcome === "A" && !step.problem;
}

function wentWrong(step: Step): boolean {
  return step.outcome === "B" || step.outcome === "C" || Boolean(step.problem) || step.failures.length > 0;
}

export interface Problem {
  readonly tone: "bad" | "warn" | "quiet";
  readonly title: string;
  readonly text: string;
}

/** Return what went wrong at a step, the worst first, each thing once. */
export function stepProblems(step: Step): Problem[] {
  const found: Problem[] = [];
  const said = new Set<string>();
  const add = (tone: Problem["tone"], title: string, text: string): void => {
    if (text && [...said].some((other) => other.includes(text))) return;
    said.add(text);
    found.push({ tone, title, text });
  };
  for (const failure of step.failures) add("bad", "A stage gave no result", failure);
  if (step.problem) add("bad", step.action ? "The action was not carried out" : "There is no action", step.problem);
  if (step.outcome === "B" || step.outcome === "C") {
    const title = `After the action: ${VERDICT_WORDS[step.outcome]}`;
    if (!said.has(step.error)) add(step.outcome === "B" ? "bad" : "warn", title, step.error);
  }
  if (step.wrong_page != null) {
    const back = step.went_back === false ? "Going back did not lead to the page from before." : "The agent went back.";
    add("warn", "The action led to a wrong page", back);
  }
  for (const finding of step.findings) if (finding.is_problem) add("warn", `A problem of the stage ${finding.stage}`, finding.text);
  for (const call of step.calls) if (call.error) add("bad", `A call of the ${call.agent} failed`, call.error);
  for (const cause of step.resumed) add("quiet", "The episode was interrupted before this step and resumed", cause);
  return found;
}
