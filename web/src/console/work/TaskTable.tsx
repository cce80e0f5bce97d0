/** A list of tasks, however long: state, goal, phone, steps, time. */

import "./tasks.css";
import type { JSX } from "preact";
import { formatCounted, formatSeconds, NONE } from "../../state/format";
import { change, part } from "../data/requests";
import type { TaskStatus } from "../data/types";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { Elapsed } from "../shared/Elapsed";
import { hasFailed, TaskState } from "../shared/states";
import { Cell, VirtualRows } from "../shared/VirtualRows";
import { places } from "../shell/routes";

const HEIGHT = 52;

export function TaskTable(props: {
  tasks: readonly TaskStatus[];
  label: string;
  /** Whether all tasks are of one phone, which the page names. */
  isOfOnePhone?: boolean;
  onChanged: (task: TaskStatus) => void;
  onEnd?: () => void;
}): JSX.Element {
  return (
    <VirtualRows
      items={props.tasks}
      keyOf={(task) => task.id}
      height={HEIGHT}
      label={props.label}
      {...(props.onEnd ? { onEnd: props.onEnd } : {})}
      head={
        <>
          <Cell head kind="state">
            State
          </Cell>
          <Cell head kind="wide">
            Goal
          </Cell>
          <Cell head kind="extra">
            Now, or why
          </Cell>
          {!props.isOfOnePhone && (
            <Cell head kind="extra">
              Phone
            </Cell>
          )}
          <Cell head kind="time">
            Time
          </Cell>
          <Cell head kind="actions">
            <span class="unseen">Actions</span>
          </Cell>
        </>
      }
    >
      {(task) => (
        <>
          <Cell kind="state">
            <TaskState task={task} />
          </Cell>
          <Cell kind="wide">
            <a class="task-goal clip" href={placeOf(task)} title={task.goal}>
              {task.goal}
            </a>
            <span class="task-id mono clip">{task.id}</span>
          </Cell>
          <Cell kind="extra">
            <span class="task-reason said" title={wordsOf(task)}>
              {wordsOf(task)}
            </span>
          </Cell>
          {!props.isOfOnePhone && (
            <Cell kind="extra">
              {task.phone ? (
                <a class="clip task-phone mono" href={places.phone(task.phone)} title={task.phone}>
                  {task.phone}
                </a>
              ) : (
                <span class="faint">{NONE}</span>
              )}
            </Cell>
          )}
          <Cell kind="time">
            <TaskTime task={task} />
          </Cell>
          <Cell kind="actions">
            <TaskRetry task={task} onChanged={props.onChanged} />
          </Cell>
        </>
      )}
    </VirtualRows>
  );
}

/** A task's film if it has one; else its page. */
function placeOf(task: TaskStatus): string {
  return task.episode ? places.episode(task.episode) : places.task(task.id);
}

function wordsOf(task: TaskStatus): string {
  if (task.phase === "running") return `step ${task.step ?? 0}${task.doing ? ` · ${task.doing}` : ""}`;
  if (task.phase !== "ended") return "";
  return task.is_done ? (task.answer ?? formatCounted(task.steps ?? 0, "step")) : (task.reason ?? "");
}

export function TaskTime({ task }: { task: TaskStatus }): JSX.Element {
  if (task.started_at == null) return <span class="faint">{NONE}</span>;
  if (task.phase === "running") return <Elapsed since={task.started_at} />;
  return <>{formatSeconds(task.ended_at == null ? null : task.ended_at - task.started_at)}</>;
}

function TaskRetry(props: { task: TaskStatus; onChanged: (task: TaskStatus) => void }): JSX.Element | null {
  const { task } = props;
  const retry = useAction(async () => {
    props.onChanged(await change<TaskStatus>("POST", `/tasks/${part(task.id)}:retry`));
    return "Submitted again.";
  });
  if (!hasFailed(task)) return null;
  if (retry.result.value) return <span class="task-again">again</span>;
  return (
    <AllowedButton
      needs="submit"
      owner={task.owner}
      kind={retry.problem.value ? "danger" : "quiet"}
      icon="retry"
      label={retry.problem.value ? `Retry: ${retry.problem.value.detail}` : `Retry ${task.id}`}
      disabled={retry.isRunning.value}
      onClick={() => void retry.run()}
    />
  );
}
