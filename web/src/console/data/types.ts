/** Names the types of the service's API that the console uses. */

import type { AccessRole, PhonePhase } from "../../api/schema";

export type {
  AccessRole,
  BatchPhase,
  BatchStatus,
  ModelStatus,
  PhonePhase,
  ScheduleStatus,
  ServiceEvent,
  ServiceStatus,
  TaskPhase,
  TaskStatus,
} from "../../api/schema";

export interface SessionStatus {
  readonly owner: string;
  readonly role: AccessRole;
  readonly token: string;
  readonly session: string;
  readonly expires_at: number | null;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next_cursor?: string | null;
}

export interface PhoneStatus {
  readonly serial: string;
  readonly phase: PhonePhase;
  readonly reason?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly task?: string | null;
  readonly episode?: string | null;
  readonly step?: number | null;
  readonly doing?: string | null;
  readonly subgoal?: string | null;
  readonly stages?: readonly string[];
  readonly stage_since?: number | null;
  readonly step_since?: number | null;
  readonly screen?: string | null;
  readonly battery?: number | null;
  readonly celsius?: number | null;
  readonly failures?: number;
  readonly taken_over_by?: string | null;
  readonly reserved_for?: string | null;
  readonly reserved_until?: number | null;
}

export interface WallPhone extends PhoneStatus {
  readonly goal?: string | null;
  readonly batch?: string | null;
  readonly owner?: string | null;
  readonly thumbnail?: string | null;
}

export interface WallUpdate {
  readonly at: number;
  readonly is_whole: boolean;
  readonly phones: readonly WallPhone[];
  readonly gone: readonly string[];
}

export interface FailureCause {
  readonly id: string;
  readonly ending: string;
  readonly app: string;
  readonly action?: string;
  readonly pattern: string;
  readonly reason: string;
  readonly page?: string;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly tasks: readonly string[];
  readonly episodes: readonly (string | null)[];
}

export interface AttentionPhone {
  readonly serial: string;
  readonly phase: PhonePhase;
  readonly reason: string;
  readonly since: number | null;
}

export interface AttentionModel {
  readonly what: string;
  readonly reason: string;
  readonly since: number | null;
}

export interface AttentionList {
  readonly causes: readonly FailureCause[];
  readonly phones: readonly AttentionPhone[];
  readonly models: readonly AttentionModel[];
  readonly open: number;
}

export interface FigureRole {
  readonly role: string;
  readonly server: string;
  readonly input_tokens_per_min: number;
  readonly output_tokens_per_min: number;
  readonly cached_share: number | null;
  readonly calls_per_min: number;
  readonly errors_per_min: number;
  readonly latency_ms: number | null;
}

export interface FigureModel {
  readonly role: string;
  readonly in_flight: number;
  readonly waiting: number;
  readonly cap: number | null;
}

export interface FigureServer {
  readonly server: string;
  readonly state: string;
  readonly in_flight: number | null;
  readonly waiting: number | null;
  readonly running: number | null;
  readonly cache_usage: number | null;
}

export interface FigurePerception {
  readonly reading: number;
  readonly waiting: number;
  readonly workers: number;
  readonly pictures_per_min: number;
  readonly ms: number | null;
}

export interface FigurePoint {
  readonly at: number;
  readonly steps_per_min: number;
  readonly episodes: number;
  readonly waiting: number;
  readonly roles: readonly FigureRole[];
  readonly models: readonly FigureModel[];
  readonly servers: readonly FigureServer[];
  readonly perception: FigurePerception | null;
}

export interface FigureSeries {
  readonly since: number;
  readonly every_s: number;
  readonly points: readonly FigurePoint[];
}

export interface BatchCheck {
  readonly tasks: number;
  readonly deadline_warning?: string | null;
  readonly mistakes: readonly { readonly line: number | null; readonly text: string }[];
  readonly unmatched: readonly { readonly task: string | null; readonly phones: string }[];
}

export type ControlPhase = "running" | "paused" | "taking_over" | "taken_over" | "stopping" | "ended";

export interface EpisodeControl {
  readonly episode: string;
  readonly phase: ControlPhase;
  readonly by: string | null;
  readonly since: number | null;
  readonly ends_at: number | null;
  readonly screen: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly human_actions: number;
}

export interface PersonActionAnswer {
  readonly key: string;
  readonly status: "done" | "refused" | "unknown";
  readonly detail: string;
  readonly control: EpisodeControl;
}
