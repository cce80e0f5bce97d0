/** Name the types that a film shows: those of `protocol/episode_report.py`, made from the schema. */
import type { ReportedStep, ScreenTouch } from "../api/schema";

export type { CallContent, CallSummary, EpisodeReport, JudgeVerdict, ReadElement, StageBar, StepCalls } from "../api/schema";

export type Step = ReportedStep;
export type Touch = ScreenTouch;
export type Verdict = "A" | "B" | "C";
