/** One batch: how far it is, its tasks, what can be done, and what happened. */

import "./work.css";
import type { JSX } from "preact";
import { EmptyState } from "../../components/EmptyState";
import { choice, choose } from "../../state/address";
import { formatCount, formatTime } from "../../state/format";
import { addressOf, get, part } from "../data/requests";
import { useResource } from "../data/resource";
import type { BatchStatus } from "../data/types";
import { Facts } from "../shared/Facts";
import { FilterChips } from "../shared/FilterChips";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { Progress, progressWords } from "../shared/Progress";
import { PageHead } from "../shared/PageHead";
import { SearchBox } from "../shared/SearchBox";
import { BatchState } from "../shared/states";
import { places } from "../shell/routes";
import { BatchButtons, useBatchAction } from "./batch_actions";
import { BatchEvents } from "./BatchEvents";
import { TimeLeft } from "./BatchRow";
import { TaskTable } from "./TaskTable";
import { PART, useTaskList } from "./task_list";

const FORMS = ["csv", "json", "jsonl", "junit", "html"] as const;

export function BatchPage({ id }: { id: string }): JSX.Element {
  const loaded = useResource<BatchStatus>(
    {
      load: (signal) => get(`/batches/${part(id)}`, {}, signal),
      isChangedBy: (event) => event.batch === id && event.kind !== "task.step",
    },
    [id],
  );
  const batch = loaded.value.value;
  if (batch === null) {
    return (
      <>
        <PageHead title={id} crumbs={[{ name: "Work", href: places.work() }]} />
        {loaded.problem.value && <ProblemNote problem={loaded.problem.value} />}
      </>
    );
  }
  return (
    <>
      {loaded.problem.value && <ProblemNote problem={loaded.problem.value} />}
      <LoadedBatch batch={batch} put={loaded.put} />
    </>
  );
}

function LoadedBatch({ batch, put }: { batch: BatchStatus; put: (batch: BatchStatus) => void }): JSX.Element {
  const action = useBatchAction(batch, put);
  return (
    <>
      <PageHead
        crumbs={[{ name: "Work", href: places.work() }]}
        title={batch.name || batch.id}
        about={
          <>
            <BatchState phase={batch.phase} failed={batch.failed} /> <span class="mono">{batch.id}</span> of {batch.owner}
          </>
        }
        actions={<BatchButtons batch={batch} action={action} areIcons={false} />}
      />
      {action.problem.value && <ProblemNote problem={action.problem.value} />}
      {action.result.value && <Note>{action.result.value}</Note>}
      {batch.deadline_warning && (
        <Note tone="warn">
          <p class="said">{batch.deadline_warning}</p>
        </Note>
      )}
      <div class="batch-large-progress panel">
        <div class="batch-large-words">
          <span>{progressWords(batch)}</span>
          <TimeLeft batch={batch} />
        </div>
        <Progress counts={batch} />
      </div>
      <Facts
        facts={[
          ["Submitted", formatTime(batch.submitted_at)],
          ["Ended", batch.ended_at == null ? null : formatTime(batch.ended_at)],
          ["Deadline", batch.deadline == null ? null : formatTime(batch.deadline)],
          ["Priority", formatCount(batch.priority)],
          ["Phones", batch.phones ? <span class="said mono">{batch.phones}</span> : "all"],
          ["Tags", batch.tags.length > 0 && batch.tags.map((tag) => <a key={tag} class="tag" href={places.work({ tag })}>{tag}</a>)],
          ["Schedule", batch.schedule && <a href={places.schedules()}>{batch.schedule}</a>],
          ["Results", <Downloads key="results" batch={batch.id} />],
        ]}
      />
      <Tasks batch={batch} />
      <BatchEvents batch={batch.id} />
    </>
  );
}

function Downloads({ batch }: { batch: string }): JSX.Element {
  return (
    <span class="downloads">
      {FORMS.map((format) => (
        <a key={format} href={addressOf(`/batches/${part(batch)}/results`, { format })} download={`${batch}.${format}`}>
          {format}
        </a>
      ))}
    </span>
  );
}

function Tasks({ batch }: { batch: BatchStatus }): JSX.Element {
  const state = choice("state");
  const words = choice("q").trim().toLowerCase();
  // Of a large batch, only a part is here: the service searches the rest.
  const isLarge = batch.tasks > PART;
  const list = useTaskList({ batch: batch.id, ...(isLarge && words ? { text: words } : {}) }, state);
  const shown = words
    ? list.tasks.value.filter((task) => `${task.id}\n${task.goal}\n${task.phone}\n${task.reason}`.toLowerCase().includes(words))
    : list.tasks.value;
  return (
    <>
      <div class="toolbar">
        <SearchBox value={choice("q")} label="Search tasks" placeholder="Id, goal, phone, reason" onInput={(q) => choose({ q })} />
        <FilterChips
          label="States"
          chosen={state}
          all={batch.tasks}
          choices={[
            { value: "running", name: "Running", count: batch.running },
            { value: "waiting", name: "Waiting", count: batch.phase === "paused" ? null : batch.waiting },
            { value: "done", name: "Done", count: batch.done },
            { value: "failed", name: "Failed", count: batch.failed },
            { value: "cancelled", name: "Cancelled", count: batch.cancelled ?? 0 },
          ]}
          onChoose={(value) => choose({ state: value })}
        />
      </div>
      {list.problem.value && <ProblemNote problem={list.problem.value} />}
      {list.isLoaded.value && shown.length === 0 ? (
        <EmptyState icon="list" title="No task is in this state now">
          <button type="button" class="link-button" onClick={() => choose({ state: "", q: "" })}>
            Show all {formatCount(batch.tasks)}
          </button>
        </EmptyState>
      ) : (
        <TaskTable
          tasks={shown}
          label={`Tasks of ${batch.id}`}
          onChanged={list.reload}
          onEnd={list.more}
        />
      )}
    </>
  );
}
