/** Loads the tasks of a batch part by part, and keeps those that are loaded up to date by events. */

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { followEvents } from "../data/event_feed";
import { problemOf, type Problem } from "../data/problem";
import { get, type Query } from "../data/requests";
import type { ListPage, ServiceEvent, TaskStatus } from "../data/types";
import { hasFailed } from "../shared/states";

/** How many tasks are loaded at once. */
export const PART = 500;
const PAUSE_MS = 1000;

/** The states by which tasks are filtered: what the service is asked for, and what an updated task is tested by. */
export const TASK_FILTERS: Readonly<Record<string, { readonly query: Query; readonly holds: (task: TaskStatus) => boolean }>> = {
  "": { query: {}, holds: () => true },
  waiting: { query: { phase: "waiting" }, holds: (task) => task.phase === "waiting" },
  paused: { query: { phase: "paused" }, holds: (task) => task.phase === "paused" },
  running: { query: { phase: "running" }, holds: (task) => task.phase === "running" },
  done: { query: { is_done: true }, holds: (task) => task.is_done === true },
  failed: { query: { is_done: false }, holds: hasFailed },
  cancelled: { query: { ending: "cancelled" }, holds: (task) => task.ending === "cancelled" },
};

export class TaskList {
  readonly tasks = signal<readonly TaskStatus[]>([]);
  readonly problem = signal<Problem | null>(null);
  readonly isLoaded = signal(false);
  readonly #scope: Query;
  readonly #filter: string;
  #cursor: string | null = null;
  #isLoading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #cut = new AbortController();

  constructor(scope: Query, filter: string) {
    this.#scope = scope;
    this.#filter = filter in TASK_FILTERS ? filter : "";
  }

  /** Loads and follows the list until the returned function is called. */
  open(): () => void {
    const end = followEvents({ onEvent: (event) => this.#apply(event), onOpen: () => this.reload() });
    void this.#load(null, PART);
    return () => {
      end();
      clearTimeout(this.#timer);
      this.#cut.abort();
    };
  }

  /** Loads the next part, if there is one. */
  readonly more = (): void => {
    if (this.#cursor !== null) void this.#load(this.#cursor, PART);
  };

  readonly reload = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#load(null, Math.min(1000, Math.max(PART, this.tasks.value.length)));
    }, PAUSE_MS);
  };

  readonly put = (changed: TaskStatus): void => {
    this.tasks.value = this.tasks.value.map((task) => (task.id === changed.id ? changed : task)).filter(this.#holds);
  };

  get #holds(): (task: TaskStatus) => boolean {
    return TASK_FILTERS[this.#filter]!.holds;
  }

  async #load(cursor: string | null, limit: number): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      const query = { ...this.#scope, ...TASK_FILTERS[this.#filter]!.query, cursor, limit };
      const page = await get<ListPage<TaskStatus>>("/tasks", query, this.#cut.signal);
      const found = page.items.filter(this.#holds);
      if (cursor !== null) {
        this.tasks.value = [...this.tasks.value, ...found];
        this.#cursor = page.next_cursor ?? null;
      } else {
        const rest = this.tasks.value.slice(found.length);
        const isWhole = page.next_cursor == null;
        const fresh = new Set(found.map((task) => task.id));
        this.tasks.value = isWhole ? found : [...found, ...rest.filter((task) => !fresh.has(task.id))];
        if (isWhole || rest.length === 0) this.#cursor = page.next_cursor ?? null;
      }
      this.isLoaded.value = true;
      this.problem.value = null;
    } catch (error) {
      if (!this.#cut.signal.aborted) this.problem.value = problemOf(error);
    } finally {
      this.#isLoading = false;
    }
  }

  #apply(event: ServiceEvent): void {
    if (event.task == null || (this.#scope["batch"] && event.batch !== this.#scope["batch"])) return;
    const place = this.tasks.value.findIndex((task) => task.id === event.task);
    if (place < 0) {
      if (event.kind !== "task.step") this.reload();
      return;
    }
    const phases: Readonly<Record<string, TaskStatus["phase"]>> = { "task.paused": "paused", "task.resumed": "waiting" };
    const phase = phases[event.kind];
    const tasks = [...this.tasks.value];
    tasks[place] = { ...tasks[place]!, ...(event.data as Partial<TaskStatus>), ...(phase ? { phase } : {}) };
    this.tasks.value = tasks.filter(this.#holds);
  }
}

export function useTaskList(scope: Query, filter: string): TaskList {
  const list = useMemo(() => new TaskList(scope, filter), [JSON.stringify(scope), filter]);
  useEffect(() => list.open(), [list]);
  return list;
}
