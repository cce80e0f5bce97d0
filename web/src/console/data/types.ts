/** Names the types of the service's API that the console uses. */

export type AccessRole = "read" | "submit" | "operate" | "approve";
export type PhonePhase = "free" | "busy" | "aside" | "reserved" | "away";
export type TaskPhase = "waiting" | "paused" | "running" | "ended";
export type BatchPhase = "open" | "paused" | "cancelled" | "ended";

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

export interface RunningStage {
  readonly stage: string;
  readonly step: number;
  readonly since: number;
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
  readonly stages?: readonly RunningStage[];
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

export interface BatchStatus {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly phase: BatchPhase;
  readonly submitted_at: number;
  readonly ended_at?: number | null;
  readonly deadline?: number | null;
  readonly deadline_warning?: string | null;
  readonly phones?: string;
  readonly schedule?: string | null;
  readonly tasks: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

export interface UnmetTest {
  readonly [name: string]: unknown;
}

export interface TaskStatus {
  readonly id: string;
  readonly batch: string;
  readonly goal: string;
  readonly phase: TaskPhase;
  readonly priority: number;
  readonly tags?: readonly string[];
  readonly retry_of?: string | null;
  readonly phone?: string | null;
  readonly episode?: string | null;
  readonly step?: number | null;
  readonly doing?: string | null;
  readonly started_at?: number | null;
  readonly ended_at?: number | null;
  readonly ending?: string | null;
  readonly reason?: string | null;
  readonly is_done?: boolean | null;
  readonly verified?: boolean | null;
  readonly answer?: string | null;
  readonly steps?: number | null;
  readonly attempts?: number;
}

export interface ServiceEvent {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly batch?: string | null;
  readonly task?: string | null;
  readonly phone?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface ServiceStatus {
  readonly version: string;
  readonly started_at: number;
  readonly run?: string | null;
  readonly is_ready: boolean;
  readonly waiting_for: readonly string[];
  readonly phones: number;
  readonly waiting: number;
  readonly running: number;
  readonly ended: number;
}

export interface ModelStatus {
  readonly role: string;
  readonly model: string;
  readonly servers: readonly string[];
  readonly calls: number;
  readonly failures: number;
}

export interface ScheduleStatus {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly when: string;
  readonly zone: string;
  readonly batch: { readonly tasks: readonly { readonly id: string; readonly goal: string }[]; readonly name?: string };
  readonly deadline_s: number | null;
  readonly missed: "once" | "skip";
  readonly overlap: "skip" | "queue" | "cancel_old";
  readonly paused: boolean;
  readonly created_at: number;
  readonly next_times: readonly number[];
  readonly last_due?: number | null;
  readonly last_batch?: string | null;
  readonly submitted: number;
  readonly skipped: number;
  readonly problem?: string | null;
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
