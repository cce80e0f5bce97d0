/** Names the types of the service's API that the console uses. */

export type {
  AccessRole,
  Approval,
  ApprovalOutcome,
  AttentionList,
  AttentionModel,
  AttentionPhone,
  BatchCheck,
  BatchPhase,
  BatchStatus,
  EpisodeWriting,
  ModelWriting,
  ControlStatus as EpisodeControl,
  FigurePoint,
  FigureSeries,
  HeldEpisode,
  ModelStatus,
  OpenCause as FailureCause,
  PersonActionAnswer,
  PhonePhase,
  PhoneStatus,
  RoleFigure as FigureRole,
  ScheduleStatus,
  ScheduleTimes,
  ServerFigure as FigureServer,
  ServiceEvent,
  ServiceStatus,
  SessionStatus,
  TaskPhase,
  TaskStatus,
  WallPhone,
  WallUpdate,
} from "../../api/schema";

/** One part of a long list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next_cursor?: string | null;
}
