/** One batch of a list: its name, its progress, the time that is left, who asked, and what can be done. */

import { useComputed } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Badge } from "../../components/Badge";
import { Icon } from "../../components/icons";
import { formatCount } from "../../state/format";
import type { BatchStatus } from "../data/types";
import { Ago, formatSpan } from "../shared/Elapsed";
import { now } from "../shared/now";
import { ProblemNote } from "../shared/ProblemNote";
import { Progress, progressWords } from "../shared/Progress";
import { BatchState } from "../shared/states";
import { places } from "../shell/routes";
import { BatchButtons, useBatchAction } from "./batch_actions";
import { secondsLeft } from "./queue_order";

export function BatchRow(props: {
  batch: BatchStatus;
  put: (batch: BatchStatus) => void;
  /** What stands before the name, and beside the state: the queue's handles. */
  before?: ComponentChildren;
  priority?: ComponentChildren;
  /** What makes the row a place to which another one can be dragged. */
  target?: JSX.IntrinsicElements["li"] & { class?: string };
}): JSX.Element {
  const { batch } = props;
  const action = useBatchAction(batch, props.put);
  const ended = batch.tasks - batch.waiting - batch.running;
  return (
    <li {...props.target} class={`batch${props.target?.class ? ` ${props.target.class}` : ""}`}>
      <div class="batch-main">
        {props.before}
        <div class="batch-name">
          <a class="batch-link clip" href={places.batch(batch.id)}>
            {batch.name || batch.id}
          </a>
          <span class="batch-about clip">
            {batch.name && <span class="mono">{batch.id} </span>}by {batch.owner} · {batch.priority !== 0 && !props.priority && `priority ${formatCount(batch.priority)} · `}<Ago at={batch.submitted_at} />
            {batch.tags.map((tag) => (
              <a key={tag} class="tag" href={places.work({ tag })}>
                {tag}
              </a>
            ))}
          </span>
        </div>
        <div class="batch-progress">
          <Progress counts={batch} />
          <span class="batch-counts">
            <span class="clip">{progressWords(batch)}</span>
            <span class="num">
              {formatCount(ended)}/{formatCount(batch.tasks)}
            </span>
          </span>
        </div>
        <div class="batch-state">
          <BatchState phase={batch.phase} failed={batch.failed} />
          <TimeLeft batch={batch} />
        </div>
        {props.priority}
        <div class="batch-actions">
          <BatchButtons batch={batch} action={action} areIcons />
        </div>
      </div>
      {batch.deadline_warning && (
        <p class="batch-warning">
          <Icon name="warning" size={14} /> <span class="said">{batch.deadline_warning}</span>
        </p>
      )}
      {action.problem.value && <ProblemNote problem={action.problem.value} />}
      {action.result.value && (
        <p class="batch-result" role="status">
          {action.result.value}
        </p>
      )}
    </li>
  );
}

/** Says about how long a batch still takes. */
export function TimeLeft({ batch }: { batch: BatchStatus }): JSX.Element {
  const words = useComputed(() => {
    const left = secondsLeft(batch, now.value);
    return left === null ? "" : `about ${formatSpan(left)} left`;
  });
  const isLate = batch.deadline != null && batch.phase === "open" && batch.deadline < now.value;
  return (
    <span class="batch-left quiet">
      {isLate ? <Badge tone="bad">past its deadline</Badge> : words}
    </span>
  );
}
