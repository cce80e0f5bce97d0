/** Say in words how tasks and episodes ended, and with which colour. */
import type { Tone } from "../components/Badge";
import type { IconName } from "../components/icons";
import type { ReportedTask } from "../api/schema";

export type Verdict = ReportedTask["verdict"];

interface Looks {
  readonly title: string;
  readonly tone: Tone;
  readonly icon: IconName;
  /** The variable of the colour that fills bars. */
  readonly fill: `--${string}`;
}

/** In the order in which a person wants to see them. */
export const VERDICTS: Readonly<Record<Verdict, Looks>> = {
  failed: { title: "Failed", tone: "bad", icon: "cross", fill: "--bad-fill" },
  undecided: { title: "Undecided", tone: "warn", icon: "warning", fill: "--warn-fill" },
  cancelled: { title: "Cancelled", tone: "quiet", icon: "minus", fill: "--quiet-fill" },
  done: { title: "Done", tone: "good", icon: "check", fill: "--good-fill" },
};

export const VERDICT_ORDER = Object.keys(VERDICTS) as readonly Verdict[];

/** Return an ending in words: `step_limit` is `step limit`. */
export function endingWords(ending: string | null | undefined): string {
  return ending ? ending.replaceAll("_", " ") : "no end";
}

/** The stages of a step, with their colours in plots. */
export const STAGE_FILLS: Readonly<Record<string, `--${string}`>> = {
  capture: "--stage-capture",
  settle: "--stage-other",
  perceive: "--stage-perceive",
  verify: "--stage-verify",
  reflect: "--stage-verify",
  plan: "--stage-plan",
  decide: "--stage-decide",
  act: "--stage-act",
  note: "--stage-note",
};

/** Return the variable of a stage's colour. */
export function stageFill(stage: string): `--${string}` {
  return STAGE_FILLS[stage] ?? "--stage-other";
}
