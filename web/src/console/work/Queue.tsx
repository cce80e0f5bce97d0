/** The open batches in the order in which phones get to them. A person moves them by drag, by buttons or by keys. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { Icon } from "../../components/icons";
import { change, part } from "../data/requests";
import { refusalFor } from "../data/session";
import type { BatchStatus } from "../data/types";
import { useAction } from "../shared/action";
import { ConfirmButton } from "../shared/ConfirmButton";
import { ProblemNote } from "../shared/ProblemNote";
import { BatchRow } from "./BatchRow";
import { formatCount, formatCounted } from "../../state/format";
import { HIGHEST, LOWEST, priorityAt } from "./queue_order";

export function Queue({ batches, put }: { batches: readonly BatchStatus[]; put: (batch: BatchStatus) => void }): JSX.Element {
  const dragged = useSignal<string | null>(null);
  const over = useSignal<number | null>(null);
  const setting = useAction(async (id: string, priority: number) => {
    put(await change<BatchStatus>("POST", `/batches/${part(id)}:priority`, { priority }));
    return `${id} has the priority ${priority} now.`;
  });
  const moveTo = async (id: string, place: number): Promise<void> => {
    const wanted = priorityAt(batches, id, place);
    if (wanted !== null) await setting.run(id, wanted);
  };
  const moveByKey = async (event: KeyboardEvent, id: string, place: number): Promise<void> => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const handle = event.currentTarget as HTMLElement;
    await moveTo(id, place + (event.key === "ArrowUp" ? -1 : 1));
    // The row has another place now, and a row that is moved loses the focus.
    requestAnimationFrame(() => handle.isConnected && handle.focus());
  };
  const drop = (event: DragEvent, place: number): void => {
    event.preventDefault();
    if (dragged.value !== null) void moveTo(dragged.value, place);
    dragged.value = null;
    over.value = null;
  };
  return (
    <section class="batch-section" aria-labelledby="queue-title">
      <div class="queue-head">
        <h2 id="queue-title">Queue</h2>
        <CancelAll batches={batches} put={put} />
      </div>
      {batches.length === 0 && <p class="quiet">Nothing waits. What is submitted starts at once.</p>}
      {setting.problem.value && <ProblemNote problem={setting.problem.value} />}
      <p class="unseen" role="status">
        {setting.result.value}
      </p>
      <ol class="batch-list panel">
        {batches.map((batch, place) => {
          const refusal = refusalFor("submit", batch.owner);
          const set = (priority: number): void => void setting.run(batch.id, Math.min(HIGHEST, Math.max(LOWEST, priority)));
          return (
              <BatchRow
                key={batch.id}
                batch={batch}
                put={put}
                target={{
                  class: `batch-queued${over.value === place && dragged.value !== batch.id ? " queue-over" : ""}`,
                  onDragOver: (event) => {
                    if (dragged.value === null) return;
                    event.preventDefault();
                    over.value = place;
                  },
                  onDrop: (event) => drop(event, place),
                }}
                before={
                  <button
                    type="button"
                    class="queue-handle"
                    draggable={refusal === null}
                    disabled={refusal !== null}
                    title={refusal ?? "Drag to another place, or press the arrow keys"}
                    aria-label={`Move ${batch.name || batch.id}: place ${place + 1} of ${batches.length}`}
                    onDragStart={() => (dragged.value = batch.id)}
                    onDragEnd={() => {
                      dragged.value = null;
                      over.value = null;
                    }}
                    onKeyDown={(event) => void moveByKey(event, batch.id, place)}
                  >
                    <Icon name="menu" size={14} />
                  </button>
                }
                priority={
                  <div class="queue-priority" role="group" aria-label={`Priority of ${batch.name || batch.id}`}>
                    <Button kind="quiet" icon="minus" label="Lower priority" disabled={refusal !== null} onClick={() => set(batch.priority - 1)} />
                    <span class="num" title="Priority: higher ones run first">
                      {formatCount(batch.priority)}
                    </span>
                    <Button kind="quiet" icon="plus" label="Higher priority" disabled={refusal !== null} onClick={() => set(batch.priority + 1)} />
                  </div>
                }
              />
          );
        })}
      </ol>
    </section>
  );
}

/** Cancels all batches that the person may cancel, after a question that says how much work that is. */
function CancelAll({ batches, put }: { batches: readonly BatchStatus[]; put: (batch: BatchStatus) => void }): JSX.Element {
  const cancelling = useAction(async () => {
    const cancelled = await change<readonly BatchStatus[]>("POST", "/batches:cancel");
    cancelled.forEach(put);
    return `${formatCounted(cancelled.length, "batch", "batches")} cancelled. Schedules go on: pause them on their page.`;
  });
  const own = batches.filter((batch) => refusalFor("submit", batch.owner) === null);
  const tasks = own.reduce((sum, batch) => sum + batch.waiting + batch.running, 0);
  const whose = refusalFor("operate") === null ? "of everybody" : "of yours";
  return (
    <>
      {own.length > 0 && (
        <ConfirmButton
          name="Cancel all"
          icon="stop"
          needs="submit"
          disabled={cancelling.isRunning.value}
          question={`Cancel ${formatCounted(own.length, "open batch", "open batches")} ${whose}, with ${formatCounted(tasks, "task")}? Running tasks end after their present action. Nothing takes this back.`}
          yes="Cancel all of them"
          onConfirm={() => void cancelling.run()}
        />
      )}
      {cancelling.problem.value && <ProblemNote problem={cancelling.problem.value} />}
      <p class="quiet" role="status">
        {cancelling.result.value}
      </p>
    </>
  );
}
