/** The tasks of the run: how each ended and why, its last screen, and where it ran. */
import "./tasktable.css";
import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { Icon } from "../../components/icons";
import { Table, type Column } from "../../components/Table";
import { linkTo } from "../../state/address";
import { formatCount, formatSeconds } from "../../state/format";
import type { ReportedTask } from "../../api/schema";
import { Picture } from "../Picture";
import { endingWords, VERDICTS } from "../words";
import { placeOf, storyOf } from "./taskList";

const ROW_HEIGHT = 68;

/** Show tasks. A row leads to the film of the task's last episode, at the step at which to look. */
export function TaskTable({ tasks }: { tasks: readonly ReportedTask[] }): JSX.Element {
  const longest = Math.max(1, ...tasks.map((task) => task.duration_s));
  const columns: Column<ReportedTask>[] = [
    { id: "task", title: "Task", sort: (task) => task.row.id, cell: (task) => <TaskCell task={task} /> },
    {
      id: "ending",
      title: "Ending",
      width: "9.375rem",
      from: "m",
      sort: (task) => task.row.finished,
      cell: (task) => <Ending task={task} />,
    },
    {
      id: "phone",
      title: "Phone",
      width: "9.375rem",
      from: "l",
      sort: (task) => task.row.phone,
      cell: (task) => <div class="clip mono quiet">{task.row.phone ?? "no phone"}</div>,
    },
    {
      id: "steps",
      title: "Steps",
      width: "5.25rem",
      from: "s",
      num: true,
      sort: (task) => task.row.steps,
      cell: (task) => formatCount(task.row.steps),
    },
    {
      id: "attempts",
      title: "Attempts",
      width: "6rem",
      from: "l",
      num: true,
      sort: (task) => task.row.attempts,
      cell: (task) => <span class={task.row.attempts > 1 ? "" : "faint"}>{formatCount(task.row.attempts)}</span>,
    },
    {
      id: "time",
      title: "Time",
      width: "7rem",
      num: true,
      from: "s",
      sort: (task) => task.duration_s,
      cell: (task) => (
        <>
          {formatSeconds(task.duration_s)}
          <span class="task-time" aria-hidden="true">
            <span style={{ width: `${(task.duration_s / longest) * 100}%` }} />
          </span>
        </>
      ),
    },
  ];
  return <Table caption="Tasks of the run" rows={tasks} columns={columns} keyOf={(task) => task.row.id} height={ROW_HEIGHT} />;
}

function TaskCell({ task }: { task: ReportedTask }): JSX.Element {
  const place = placeOf(task);
  const looks = VERDICTS[task.verdict];
  const story = storyOf(task);
  return (
    <div class="task-cell">
      <Picture screen={task.episodes.at(-1)?.last_screen} class="task-picture" />
      <span class={`task-sign badge-${looks.tone}`} title={looks.title}>
        <Icon name={looks.icon} size={12} label={looks.title} />
      </span>
      <div class="task-words">
        <div class="clip task-goal">
          {place ? (
            <a class="row-link" href={linkTo(place.path, place.choices)}>
              {task.goal || task.row.id}
            </a>
          ) : (
            task.goal || task.row.id
          )}
        </div>
        {story && <div class={`clip task-story${task.verdict === "failed" ? " task-why" : ""}`}>{story}</div>}
        <div class="clip task-about">
          <span class="mono">{task.row.id}</span>
          {task.apps.length > 0 && <span> · {task.apps.join(", ")}</span>}
          {task.tags.map((tag) => (
            <span key={tag}> · #{tag}</span>
          ))}
          <span class="task-small"> · {formatSeconds(task.duration_s)}</span>
        </div>
      </div>
    </div>
  );
}

function Ending({ task }: { task: ReportedTask }): JSX.Element {
  const isUnmet = task.row.finished === "finished" && task.verdict === "failed";
  return <Badge tone={VERDICTS[task.verdict].tone}>{isUnmet ? "check not met" : endingWords(task.row.finished)}</Badge>;
}
