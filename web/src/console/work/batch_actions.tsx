/** What can be done with a batch: pause, resume, cancel, retry, and another priority. */

import type { JSX } from "preact";
import { change, part } from "../data/requests";
import type { BatchStatus, TaskStatus } from "../data/types";
import { formatCounted } from "../../state/format";
import { useAction, type Action } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { ConfirmButton } from "../shared/ConfirmButton";

export type BatchVerb = "pause" | "resume" | "cancel" | "retry";

/** Returns an action that changes a batch. `put` takes the batch as it is afterwards. */
export function useBatchAction(batch: BatchStatus, put: (batch: BatchStatus) => void): Action<[BatchVerb]> {
  return useAction(async (verb: BatchVerb) => {
    const path = `/batches/${part(batch.id)}:${verb}`;
    if (verb === "retry") {
      const made = await change<readonly TaskStatus[]>("POST", path);
      return `${formatCounted(made.length, "task")} submitted again.`;
    }
    put(await change<BatchStatus>("POST", path));
    return undefined;
  });
}

export function BatchButtons(props: { batch: BatchStatus; action: Action<[BatchVerb]>; areIcons: boolean }): JSX.Element {
  const { batch, action, areIcons } = props;
  const common = { needs: "submit" as const, owner: batch.owner, disabled: action.isRunning.value };
  const isOpen = batch.phase === "open" || batch.phase === "paused";
  const show = (words: string): object => (areIcons ? { label: words, kind: "quiet" } : { children: words });
  return (
    <>
      {batch.phase === "open" && (
        <AllowedButton {...common} icon="pause" onClick={() => void action.run("pause")} {...show("Pause")} />
      )}
      {batch.phase === "paused" && (
        <AllowedButton {...common} icon="play" onClick={() => void action.run("resume")} {...show("Resume")} />
      )}
      {batch.failed > 0 && (
        <AllowedButton {...common} icon="retry" onClick={() => void action.run("retry")} {...show("Retry what failed")} />
      )}
      {isOpen && (
        <ConfirmButton
          {...common}
          name="Cancel"
          icon="stop"
          isIcon={areIcons}
          question={`Cancel ${formatCounted(batch.waiting + batch.running, "task")} of ${batch.name || batch.id}? Running tasks end as soon as they can.`}
          yes="Cancel the batch"
          onConfirm={() => void action.run("cancel")}
        />
      )}
    </>
  );
}
