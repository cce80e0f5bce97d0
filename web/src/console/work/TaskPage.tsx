/** One task: its goal, how it stands or ended, what can be done, and the way to its film. */

import "./tasks.css";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { go } from "../../state/address";
import { formatCount, formatSeconds, formatTime } from "../../state/format";
import { change, get, part } from "../data/requests";
import { useResource } from "../data/resource";
import type { BatchStatus, TaskStatus } from "../data/types";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { ConfirmButton } from "../shared/ConfirmButton";
import { Facts } from "../shared/Facts";
import { PageHead } from "../shared/PageHead";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { endingWords, failureWords, hasFailed, TaskState } from "../shared/states";
import { places } from "../shell/routes";

export function TaskPage({ id }: { id: string }): JSX.Element {
  const batchId = id.split(".")[0] ?? id;
  const task = useResource<TaskStatus>(
    { load: (signal) => get(`/tasks/${part(id)}`, {}, signal), isChangedBy: (event) => event.task === id },
    [id],
  );
  const batch = useResource<BatchStatus>({ load: (signal) => get(`/batches/${part(batchId)}`, {}, signal) }, [batchId]);
  const crumbs = [
    { name: "Work", href: places.work() },
    { name: batch.value.value?.name || batchId, href: places.batch(batchId) },
  ];
  const loaded = task.value.value;
  return (
    <>
      {loaded === null ? (
        <PageHead title={id} crumbs={crumbs} />
      ) : (
        <LoadedTask task={loaded} crumbs={crumbs} put={task.put} />
      )}
      {task.problem.value && <ProblemNote problem={task.problem.value} />}
    </>
  );
}

function LoadedTask(props: {
  task: TaskStatus;
  crumbs: { name: string; href: string }[];
  put: (task: TaskStatus) => void;
}): JSX.Element {
  const { task } = props;
  const action = useAction(async (verb: string) => {
    const changed = await change<TaskStatus>("POST", `/tasks/${part(task.id)}:${verb}`);
    if (verb === "retry") go(["tasks", changed.id]);
    else props.put(changed);
  });
  const common = { needs: "submit" as const, disabled: action.isRunning.value, owner: task.owner };
  return (
    <>
      <PageHead
        crumbs={props.crumbs}
        title={task.goal}
        about={
          <>
            <TaskState task={task} /> <span class="mono">{task.id}</span>
          </>
        }
        actions={
          <>
            {task.episode && (
              <a class="button button-primary" href={places.episode(task.episode)}>
                <Icon name="play" /> {task.phase === "running" ? "Watch it live" : "Open its film"}
              </a>
            )}
            {task.phase === "waiting" && (
              <AllowedButton {...common} icon="pause" onClick={() => void action.run("pause")}>
                Pause
              </AllowedButton>
            )}
            {task.phase === "paused" && (
              <AllowedButton {...common} icon="play" onClick={() => void action.run("resume")}>
                Resume
              </AllowedButton>
            )}
            {hasFailed(task) && (
              <AllowedButton {...common} icon="retry" onClick={() => void action.run("retry")}>
                Retry
              </AllowedButton>
            )}
            {task.phase !== "ended" && (
              <ConfirmButton
                {...common}
                name="Cancel"
                icon="stop"
                question={`Cancel the task ${task.id}?`}
                yes="Cancel the task"
                onConfirm={() => void action.run("cancel")}
              />
            )}
          </>
        }
      />
      {action.problem.value && <ProblemNote problem={action.problem.value} />}
      {task.phase === "ended" && task.reason && (
        <Note tone={task.is_done ? "good" : "warn"}>
          <p class="note-title">{task.is_done ? endingWords(task.ending ?? "") : failureWords(task)}</p>
          <p class="said">{task.reason}</p>
        </Note>
      )}
      {task.answer && (
        <Note tone="quiet">
          <p class="note-title">Answer</p>
          <p class="said">{task.answer}</p>
        </Note>
      )}
      <Facts
        facts={[
          ["Phone", task.phone && <a href={places.phone(task.phone)}>{task.phone}</a>],
          ["Began", task.started_at == null ? null : formatTime(task.started_at)],
          ["Ended", task.ended_at == null ? null : formatTime(task.ended_at)],
          ["Took", task.ended_at == null || task.started_at == null ? null : formatSeconds(task.ended_at - task.started_at)],
          ["Step", task.step == null ? null : String(task.step)],
          ["Steps done", task.steps == null ? null : String(task.steps)],
          ["Now", task.doing && <span class="said">{task.doing}</span>],
          ["Attempts", task.attempts || null],
          ["Priority", formatCount(task.priority)],
          ["Check", task.verified == null ? null : task.verified ? "holds" : "does not hold"],
          ["Retry of", task.retry_of && <a href={places.task(task.retry_of)}>{task.retry_of}</a>],
        ]}
      />
    </>
  );
}
